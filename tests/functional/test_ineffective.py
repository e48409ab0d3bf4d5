# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules, filters, entries and items that cannot work: each claim with what it is ineffective by, predicted as in the run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context, PosturesOfHost
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.examination import RULE_EXPRESSION
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.fields import doubts
from ansible_collections.edgeops.protection.plugins.module_utils._protection.ineffective import ineffective_records
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import items_of
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import ranges_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.unmanaged import parse_accepted
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import (
    AcceptedNow,
    host_record,
    report_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import html_page, metrics
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.markdown import markdown_page
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import Report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.sarif import sarif_of_report

from tests.fake_service import LocalService
from tests.functional.public_rules import PUBLIC_RULES
from tests.support.ineffective_model import check_chain, check_list
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.report_schema import validate_report

REST = {"ruleset": "current"}
PASSING = {"action": "skip", "action_parameters": {"phases": ["http_ratelimit"]}}


def rule(ref: str, expression: str, action: str = "block", **more: Any) -> dict[str, Any]:
    return {"ref": ref, "action": action, "expression": expression, **more}


SEARCH, STARTS = 'http.request.uri.path eq "/search"', 'starts_with(http.request.uri.path, "/admin")'
LIMITS = {"action_parameters": {"phases": ["http_ratelimit"]}}
NETWORK = rule("network", "ip.src in {192.0.2.0/24}")
PARTNER = rule("partner", "ip.src in {192.0.2.7}", "skip", action_parameters=REST)
CUSTOM_CASES: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str, list[str]]]]] = {
    "a partner's skip behind the block of its network": ([NETWORK, PARTNER], [("partner", "shadowed", ["network"])]),
    "a partner's skip in front of it": ([PARTNER, NETWORK], []),
    "a challenge inside a blocked network": (
        [NETWORK, rule("form", 'ip.src in {192.0.2.0/25} and http.host eq "a"', "managed_challenge")],
        [("form", "shadowed", ["network"])],
    ),
    "two rules together": (
        [rule("one", 'http.host in {"a" "b"}'), rule("two", 'http.host eq "c"'), rule("both", 'http.host in {"b" "c"}', "log")],
        [("both", "shadowed", ["one", "two"])],
    ),
    "the fewest of many": (
        [rule("half", "ip.src in {192.0.2.0/25}"), rule("rest", "ip.src in {192.0.2.128/25}"), NETWORK, PARTNER],
        [("network", "shadowed", ["half", "rest"]), ("partner", "shadowed", ["half"])],
    ),
    "the fewest of many, which are not the first ones": (
        [
            *(rule(f"at{start}", f"ip.src in {{192.0.2.{start}/26}}") for start in (0, 64)),
            rule("rest", "ip.src in {192.0.2.128/25}"),
            rule("half", "ip.src in {192.0.2.0/25}"),
            NETWORK,
        ],
        [("half", "shadowed", ["at0", "at64"]), ("network", "shadowed", ["rest", "half"])],
    ),
    "a duplicate": ([NETWORK, rule("again", "ip.src in {192.0.2.0/25 192.0.2.128/25}")], [("again", "duplicate", ["network"])]),
    "two skips of the same products, written in another order": (
        [
            rule("one", SEARCH, "skip", action_parameters={"products": ["hot", "bic"]}),
            rule("two", SEARCH, "skip", action_parameters={"products": ["bic", "hot"]}),
        ],
        [("two", "duplicate", ["one"])],
    ),
    "two skips of which one is not logged": (
        [rule("one", SEARCH, "skip", **LIMITS), rule("two", SEARCH, "skip", **LIMITS, logging={"enabled": False})],
        [],
    ),
    "two skips that are logged, one by default": (
        [rule("one", SEARCH, "skip", **LIMITS), rule("two", SEARCH, "skip", **LIMITS, logging={"enabled": True})],
        [("two", "duplicate", ["one"])],
    ),
    "a path below another one": (
        [rule("below", STARTS), rule("page", 'http.request.uri.path eq "/admin/x"'), rule("other", 'http.request.uri.path eq "/a"')],
        [("page", "shadowed", ["below"])],
    ),
    "paths of which one is not below it": (
        [rule("below", STARTS), rule("pages", 'http.request.uri.path in {"/admin/x" "/a"}')],
        [],
    ),
    "paths that several tests have together": (
        [rule("below", STARTS), rule("php", 'ends_with(http.request.uri.path, ".php")'),
         rule("pages", 'http.request.uri.path in {"/admin/x" "/a.php"}')],
        [("pages", "shadowed", ["below", "php"])],
    ),
    "a host that a wildcard has": (
        [rule("all", 'http.host wildcard "*.shop.example"'), rule("one", 'http.host eq "www.shop.example"')],
        [("one", "shadowed", ["all"])],
    ),
    "a text that its own test leaves out": (
        [rule("none", f'http.request.uri.path eq "/a" and {STARTS}')],
        [("none", "never", [])],
    ),
    "another action on the same requests": (
        [NETWORK, rule("again", "ip.src in {192.0.2.0/24}", "managed_challenge")],
        [("again", "shadowed", ["network"])],
    ),
    "a log does not end the evaluation": ([rule("log", "ip.src in {192.0.2.0/24}", "log"), NETWORK], []),
    "nor does a skip of products": (
        [rule("waf", "ip.src in {192.0.2.0/24}", "skip", action_parameters={"products": ["waf"]}), NETWORK],
        [],
    ),
    "a rule that is off": ([{**NETWORK, "enabled": False}, PARTNER], []),
    "and never": ([rule("never", 'http.host eq "a" and http.host eq "b"')], [("never", "never", [])]),
    "a score that is always 0": ([rule("threat", "cf.threat_score gt 10")], [("threat", "never", [])]),
    "a network that the internet does not have": ([rule("inside", "ip.src in {10.0.0.0/8 fd00::/8}")], [("inside", "unreachable", [])]),
    "the networks of the documentation": ([rule("doc", "ip.src in {198.51.100.0/24 2001:db8::/32}")], []),
    "an expression that is not understood": (
        [rule("odd", 'http.request.uri.path matches "^(?P<first>/a)"'), rule("part", 'http.request.uri.path eq "/a"')],
        [],
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _empty_zone(service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[], plan="enterprise")


def claims(result: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    return [(item["key"], item["kind"], item["by"]) for item in result["ineffective"]]


def told(result: dict[str, Any]) -> list[str]:
    """The warnings of what cannot work."""
    return [*re.findall(r"[^'\"]* cannot work[^'\"]*", str(result.get("warnings", "")))]


@pytest.mark.parametrize(("rules", "expected"), CUSTOM_CASES.values(), ids=CUSTOM_CASES)
def test_a_custom_rule_that_cannot_work_is_predicted_and_told(
    rules: list[dict[str, Any]], expected: list[tuple[str, str, list[str]]], modules: Modules
) -> None:
    predicted = modules.done("custom_rules", check=True, rules=rules)
    done = modules.done("custom_rules", rules=rules)
    again = modules.done("custom_rules", rules=rules)
    assert claims(predicted) == claims(done) == claims(again) == expected
    assert not again["changed"]
    assert [text.split()[3] for text in told(done)] == [key for key, _kind, _by in expected]
    assert told(predicted) == told(done)
    assert told(again) == []


def test_the_same_rules_are_judged_by_the_zone_that_has_them(service: LocalService, modules: Modules) -> None:
    rules = [
        rule("here", 'cf.zone.name eq "a.example" and http.host eq "x"'),
        rule("there", 'http.host eq "y" and not cf.zone.name eq "a.example"'),
    ]
    for name, idle in (("a.example", "there"), ("b.example", "here"), ("a.example", "there")):
        service.zone(ZONE).seed(custom_rules=[], name=name, plan="enterprise")
        assert claims(modules.done("custom_rules", check=True, rules=rules)) == [(idle, "never", [])]


def test_rules_that_the_task_does_not_name_are_not_judged(modules: Modules) -> None:
    modules.done("custom_rules", rules=[NETWORK, PARTNER])
    assert claims(modules.done("custom_rules", rules=[rule("other", "ssl", "log")])) == []
    by_others = modules.done("custom_rules", check=True, rules=[rule("late", "ip.src in {192.0.2.9}", position="last")])
    assert claims(by_others) == [("late", "shadowed", ["network"])]


def test_more_than_three_are_counted_in_the_warning(modules: Modules) -> None:
    rules = [NETWORK, *(rule(f"r{index}", f"ip.src in {{192.0.2.{index}}}", "log") for index in range(5))]
    result = modules.done("custom_rules", check=True, rules=rules)
    assert len(result["ineffective"]) == 5
    assert told(result) == [
        *(f"The custom rule r{index} cannot work: network already decides every request that it matches." for index in range(3)),
        "And 2 more cannot work; ineffective has all.",
    ]  # fmt: skip


SOON, LATER = "2998-01-01", "2999-01-01"
INSIDE = rule("inside", "ip.src in {192.0.2.7}")
AGAIN = {**NETWORK, "ref": "again"}
ENDING_CASES: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str, list[str]]]]] = {
    "what lasts, behind what ends": ([{**NETWORK, "expires": SOON}, INSIDE], []),
    "the same, of equal expressions": ([{**NETWORK, "expires": SOON}, AGAIN], []),
    "what ends later": ([{**NETWORK, "expires": SOON}, {**INSIDE, "expires": LATER}], []),
    "what ends earlier": (
        [{**NETWORK, "expires": LATER}, {**INSIDE, "expires": SOON}],
        [("inside", "shadowed", ["network"])],
    ),
    "what ends, behind what lasts": ([NETWORK, {**INSIDE, "expires": SOON}], [("inside", "shadowed", ["network"])]),
    "a duplicate that ends": ([NETWORK, {**AGAIN, "expires": SOON}], [("again", "duplicate", ["network"])]),
    "of duplicates, the one that lasts": (
        [{**NETWORK, "expires": SOON}, AGAIN, {**NETWORK, "ref": "third"}],
        [("third", "duplicate", ["again"])],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rules", "expected"), ENDING_CASES.values(), ids=ENDING_CASES)
def test_what_lasts_is_not_dead_because_of_what_ends(
    rules: list[dict[str, Any]], expected: list[tuple[str, str, list[str]]], modules: Modules
) -> None:
    assert claims(modules.done("custom_rules", check=True, rules=rules)) == expected


@pytest.mark.parametrize("ends_of", ["custom_rules", "items of office", "nothing"])
def test_the_ends_of_skips_and_of_items_count(ends_of: str) -> None:
    state = {
        "custom_rules": [{**NETWORK, **PASSING, "enabled": True}],
        "rate_limit_rules": [{**rule("limit", "ip.src in {192.0.2.7}", ratelimit=LIMIT), "enabled": True}],
        "network_firewall_rules": [
            {**rule("listed", "ip.src in $office"), "enabled": True},
            {**INSIDE, "enabled": True},
        ],
        items_of("office").plural: [{"ip": "192.0.2.0/24"}],
    }
    end = datetime(2998, 1, 1, tzinfo=UTC)
    ends: dict[str, dict[str, dict[tuple[Hashable, ...], datetime]]] = {
        "custom_rules": {"custom_rules": {("network",): end}},
        "items of office": {items_of("office").plural: {("192.0.2.0/24",): end}},
        "nothing": {},
    }
    keys = {record["key"] for record in ineffective_records(state, ends=ends[ends_of])}
    idle = {"custom_rules": {"inside"}, "items of office": {"limit"}, "nothing": {"limit", "inside"}}
    assert keys == idle[ends_of]


def test_what_lasts_is_not_dead_because_of_a_posture(modules: Modules) -> None:
    rules = [NETWORK, INSIDE, {**AGAIN, "position": "last"}]
    of_posture = Context(postures=PosturesOfHost(["rules[0]"]))
    assert claims(modules.done("custom_rules", check=True, rules=rules, context=of_posture)) == []
    assert claims(modules.done("custom_rules", check=True, rules=rules)) == [
        ("inside", "shadowed", ["network"]),
        ("again", "duplicate", ["network"]),
    ]


LIMIT = {"characteristics": ["cf.colo.id", "ip.src"], "period": 60, "requests_per_period": 9, "mitigation_timeout": 60}


def test_a_rate_limit_whose_requests_skip_its_phase(modules: Modules) -> None:
    passing = rule("pass", "ip.src in {192.0.2.0/24}", "skip", action_parameters={"phases": ["http_ratelimit"]})
    modules.done("custom_rules", rules=[passing], accept_risks=["skips_everything"])
    limits = [
        rule("inside", "ip.src in {192.0.2.0/25}", ratelimit=LIMIT),
        rule("all", "true", ratelimit=LIMIT),
        rule("again", "true", ratelimit=LIMIT),
        rule("looser", "true", ratelimit={**LIMIT, "requests_per_period": 10}),
    ]
    risks = ["blocks_everything", "weakens_rate_limits"]
    result = modules.done("rate_limit_rules", check=True, rules=limits, accept_risks=risks)
    assert claims(result) == [("inside", "shadowed", ["pass"]), ("again", "duplicate", ["all"])]


FROM_GERMANY = rule("src", 'ip.src.country eq "DE"')
OF_GERMANY = rule("either", 'ip.geoip.country eq "DE"')
PAGE = rule("page", 'http.request.uri.path eq "/x"')
MADE_BY_THE_RUN: dict[str, tuple[dict[str, Any], tuple[str, str, list[str]]]] = {
    "a list": (
        {
            "account_id": ACCOUNT,
            "ip_lists": [{"name": "made", "items": [{"ip": "192.0.2.7"}]}],
            "custom_rules": [NETWORK, rule("listed", "ip.src in $made")],
        },
        ("listed", "shadowed", ["network"]),
    ),
    "a ruleset": (
        {
            "custom_rules": [PAGE],
            "custom_rulesets": [
                {
                    "name": "Bots",
                    "rules": [{**PAGE, "ref": "all"}],
                    "deploy": {"expression": "true", "position": "first"},
                }
            ],
        },
        ("page", "duplicate", ["all of the ruleset Bots"]),
    ),
}


@pytest.mark.parametrize(("options", "claim"), MADE_BY_THE_RUN.values(), ids=MADE_BY_THE_RUN)
def test_a_claim_by_what_a_run_makes_is_that_of_the_next_run(
    options: dict[str, Any], claim: tuple[str, str, list[str]], service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(lists=[])
    service.zone(ZONE).seed(custom_rulesets=[], account_id=ACCOUNT)
    done = modules.lawful("host", zone_id=ZONE, **options)
    again = modules.done("host", True, zone_id=ZONE, **options)
    assert claims(done) == claims(again) == [claim]


COUNTRIES: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str, list[str]]]]] = {
    "either end behind the source": ([FROM_GERMANY, OF_GERMANY], []),
    "the source behind either end": ([OF_GERMANY, FROM_GERMANY], [("src", "shadowed", ["either"])]),
    "the destination behind either end": (
        [OF_GERMANY, rule("dst", 'ip.dst.country eq "DE"')],
        [("dst", "shadowed", ["either"])],
    ),
    "either end beside another source": ([rule("two", 'ip.geoip.country eq "DE" and ip.src.country eq "FR"')], []),
    "two countries of either end": ([rule("two", 'ip.geoip.country eq "DE" and ip.geoip.country eq "FR"')], []),
    "another country of either end": ([rule("other", 'ip.geoip.country ne "DE"'), FROM_GERMANY, OF_GERMANY], []),
    "the same twice": ([OF_GERMANY, {**OF_GERMANY, "ref": "again"}], [("again", "duplicate", ["either"])]),
}


@pytest.mark.parametrize(("rules", "expected"), COUNTRIES.values(), ids=COUNTRIES)
def test_countries_of_packets(
    rules: list[dict[str, Any]], expected: list[tuple[str, str, list[str]]], service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(network_firewall_rules=[])
    result = modules.done("network_firewall_rules", check=True, rules=rules, accept_risks=["blocks_everything"])
    assert claims(result) == expected


def test_the_former_country_of_requests_is_that_of_the_source(modules: Modules) -> None:
    result = modules.done("custom_rules", check=True, rules=[FROM_GERMANY, OF_GERMANY])
    assert [(key, by) for key, _kind, by in claims(result)] == [("either", ["src"])]


def test_a_network_firewall_rule_behind_one_of_its_protocol(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(network_firewall_rules=[])
    rules = [
        rule("reflection", "udp.srcport in {123 1900}"),
        rule("ntp", 'ip.proto eq "udp" and udp.srcport eq 123 and ip.dst in {192.0.2.0/24}'),
        rule("private", "ip.src in {10.0.0.0/8}"),
        rule("never", "ip.src in {192.0.2.0/24} and ip.dst in {2001:db8::/32}"),
    ]
    result = modules.done("network_firewall_rules", check=True, rules=rules)
    assert claims(result) == [("ntp", "shadowed", ["reflection"]), ("never", "never", [])]


BY_ROUTING: dict[str, tuple[list[tuple[str, str]], list[tuple[str, str, list[str]]]]] = {
    "another family": ([("sk", "not ip.src in {192.0.2.0/24}"), ("six", "ip.src in {2001:db8::/32}")], []),
    "the same family": (
        [("sk", "not ip.src in {192.0.2.0/24}"), ("four", "ip.src in {198.51.100.0/24}")],
        [("four", "shadowed", ["sk"])],
    ),
    "another protocol": ([("web", "not tcp.dstport in {80 443}"), ("dns", "udp.dstport eq 53")], []),
    "the same protocol": (
        [("web", "not tcp.dstport in {80 443}"), ("ssh", "tcp.dstport eq 22")],
        [("ssh", "shadowed", ["web"])],
    ),
    "a part in each routing": (
        [("web", "not tcp.dstport in {80}"), ("less", "not tcp.dstport in {80 443}")],
        [("less", "shadowed", ["web"])],
    ),
    "both together": (
        [("web", "not tcp.dstport in {80}"), ("udp", "udp"), ("dns", "udp.dstport eq 53")],
        [("dns", "shadowed", ["udp"])],
    ),
}


@pytest.mark.parametrize(("expressions", "expected"), BY_ROUTING.values(), ids=BY_ROUTING)
def test_a_claim_holds_in_each_routing(
    expressions: list[tuple[str, str]], expected: list[tuple[str, str, list[str]]]
) -> None:
    rules = [{**rule(ref, expression), "enabled": True} for ref, expression in expressions]
    records = ineffective_records({"network_firewall_rules": rules})
    assert [(one["key"], one["kind"], one["by"]) for one in records] == expected


def test_filters_overrides_entries_and_items(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(ddos_l4_overrides=[])
    filters = [
        {"kind": "syn_flood", "expression": "ip.dst in {192.0.2.0/24}", "mode": "enabled"},
        {"kind": "syn_flood", "expression": "ip.dst in {192.0.2.7} and tcp.dstport eq 22", "mode": "monitoring"},
    ]
    entries = [
        {"prefix": "198.51.100.0/24"},
        {"prefix": "198.51.100.7"},
        {"prefix": "203.0.113.0/24", "expires": "2999-01-01"},
        {"prefix": "203.0.113.7"},
        {"prefix": "203.0.113.8", "expires": "2998-01-01"},
    ]
    account = modules.done(
        "account_protection", check=True, filters=filters, allowlist=entries, accept_risks=["skips_monitoring"]
    )
    assert claims(account) == [
        ("198.51.100.7/32", "covered", ["198.51.100.0/24"]),
        ("203.0.113.8/32", "covered", ["203.0.113.0/24"]),
        ("ip.dst in {192.0.2.7} and tcp.dstport eq 22", "shadowed", ["ip.dst in {192.0.2.0/24}"]),
    ]
    named = [
        {"id": rule, "action": "block"}
        for rule in ("8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10", "599dab0942ff4898ac1b7797e954e98b")
    ]
    overrides = [
        {"ref": "both", "expression": "true", "rules": named},
        {"ref": "one", "expression": "true", "rules": named[:1]},
        {"ref": "all", "expression": "true", "sensitivity": "low"},
        {"ref": "part", "expression": "ip.dst in {192.0.2.0/24}", "action": "block"},
    ]
    result = modules.done("ddos_l4_overrides", check=True, overrides=overrides, accept_risks=["weakens_ddos_rules"])
    assert claims(result) == [("one", "shadowed", ["both"]), ("part", "shadowed", ["all"])]
    items = [{"ip": "192.0.2.0/24"}, {"ip": "192.0.2.7"}, {"ip": "2001:db8::/32"}, {"ip": "2001:db8:1::/48"}]
    listed = modules.done("ip_list", check=True, name="office", items=items)
    assert [(kind, by) for _key, kind, by in claims(listed)] == [
        ("covered", ["office 192.0.2.0/24"]),
        ("covered", ["office 2001:db8::/32"]),
    ]


def test_a_rule_on_a_list_is_judged_by_the_items_that_are_there(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(network_firewall_rules=[])
    modules.done("ip_list", name="office", items=[{"ip": "192.0.2.0/25"}])
    modules.done("ip_list", name="elsewhere", items=[{"ip": "203.0.113.0/24"}])
    rules = [NETWORK, rule("listed", "ip.src in $office"), rule("other", "ip.src in $elsewhere")]
    assert claims(modules.done("network_firewall_rules", check=True, rules=rules)) == [
        ("listed", "shadowed", ["network"])
    ]


ATTACKERS = {
    "of an empty list": ("ip.src in $attackers", [("night", "never", ["attackers"])]),
    "of a part of it": ("ip.dst in {192.0.2.0/24} and ip.src in $attackers", [("night", "never", ["attackers"])]),
    "of more than it": ("ip.dst in {192.0.2.0/24} or ip.src in $attackers", []),
    "of all that it lacks": ("not ip.src in $attackers", []),
    "of nothing anyway": ("ip.src in $attackers and ip.len gt 70000", [("night", "never", [])]),
}


@pytest.mark.parametrize(("expression", "expected"), ATTACKERS.values(), ids=ATTACKERS)
def test_a_rule_of_an_empty_list_waits_for_its_items(
    expression: str, expected: list[tuple[str, str, list[str]]], service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(network_firewall_rules=[])
    modules.done("ip_list", name="attackers", items=[])
    rules = [rule("night", expression), INSIDE]
    accepted = {"accept_risks": ["blocks_everything"]}
    result = modules.done("network_firewall_rules", check=True, rules=rules, **accepted)
    assert claims(result) == expected
    if expected and expected[0][2]:
        (finding,) = result["ineffective"]
        assert finding["reason"] == "no packet matches its expression while the list attackers is empty"
        (record,) = reported({"network_firewall_rules": result})["hosts"][0]["ineffective"]
        assert record["advice"] == "Fill the list, or remove the rule."
    modules.done("ip_list", name="attackers", items=[{"ip": "203.0.113.7"}])
    filled = claims(modules.done("network_firewall_rules", check=True, rules=rules, **accepted))
    assert ("night", "never", ["attackers"]) not in filled


@pytest.mark.parametrize("packets", [False, True])
def test_each_claim_on_a_random_list_is_true_and_none_is_missing(packets: bool) -> None:
    counts: Counter[str] = Counter()
    for seed in range(150):
        counts += check_list(Random(seed), packets)
    assert min(counts[kind] for kind in ("never", "shadowed", "duplicate", "working")) > 10, counts


def test_each_claim_on_a_random_chain_is_true_and_none_is_missing() -> None:
    counts: Counter[str] = Counter()
    for seed in range(60):
        counts += check_chain(Random(seed))
    assert min(counts[kind] for kind in ("never", "shadowed", "working")) > 10, counts


NOW = "2026-11-22T10:00:00+00:00"
ACCEPTED = [{"resource": "custom_rule", "keys": ["partner"], "reason": "moves next week"}]


def reported(results: dict[str, Any], accepted: Any = ()) -> Report:
    entries = AcceptedNow(parse_accepted([*accepted], "lima"), datetime(2026, 11, 22, 10, tzinfo=UTC))
    report = report_of([host_record(host_results("lima", {}, results), NOW, entries)], NOW)
    validate_report(report)
    return report


@pytest.mark.parametrize(
    ("rules", "advice"),
    [
        ([{**NETWORK, "ref": "new"}], "Remove network, which no baseline names, or this one."),
        ([NETWORK, {**NETWORK, "ref": "new"}], "Remove it."),
    ],
)
def test_the_left_over_of_another_ref_is_what_to_remove(
    rules: list[dict[str, Any]], advice: str, modules: Modules
) -> None:
    modules.done("custom_rules", rules=[NETWORK])
    result = modules.done("custom_rules", check=True, rules=rules)
    (finding,) = reported({"custom_rules": result})["hosts"][0]["ineffective"]
    assert (finding["key"], finding["kind"], finding["advice"]) == ("new", "duplicate", advice)


def test_a_report_says_what_to_do_and_whether_it_is_accepted(modules: Modules) -> None:
    results = {
        "custom_rules": modules.done(
            "custom_rules", check=True, rules=[NETWORK, PARTNER, rule("never", "cf.threat_score gt 9")]
        )
    }
    report = reported(results, ACCEPTED)
    partner, never = report["hosts"][0]["ineffective"]
    assert (partner["accepted"], partner["by"], never["accepted"]) == ("moves next week", ["network"], None)
    assert never["advice"] == "Correct its expression, or remove it."
    line = "Custom rule never: no request matches its expression. Correct its expression, or remove it."
    assert line in markdown_page(report)
    assert "Custom rule partner" not in markdown_page(report)
    page = html_page(report)
    assert line in page
    assert "network already decides every request that it matches. Accepted: moves next week" in page
    assert 'edgeops_protection_host_ineffective{host="lima"} 1' in metrics(report)
    without = {"custom_rules": {**results["custom_rules"], "ineffective": []}}
    assert report["hosts"][0]["status"] == reported(without)["hosts"][0]["status"]


def test_sarif_has_what_cannot_work_and_the_risks(modules: Modules) -> None:
    refused = modules.failed("custom_rules", check=True, rules=[NETWORK, PARTNER, rule("all", "true", position="last")])
    (run,) = sarif_of_report(reported({"custom_rules": refused}, ACCEPTED))["runs"]
    first, *others = run["results"]
    assert first["ruleId"] == "ineffective/shadowed"
    assert first["suppressions"] == [{"kind": "external", "justification": "moves next week"}]
    (location,) = first["locations"]
    assert location["logicalLocations"] == [{"fullyQualifiedName": "lima/custom_rule/partner"}]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "inventory"}
    assert [(item["ruleId"], item["level"], item.get("suppressions")) for item in others] == [
        ("risk/blocks_everything", "error", None)
    ]
    assert [item["id"] for item in run["tool"]["driver"]["rules"]] == ["ineffective/shadowed", "risk/blocks_everything"]
    assert all(item["message"]["text"] for item in run["results"])


PROTECTED, EXCLUDED = {"prefix": "192.0.2.0/24"}, {"prefix": "198.51.100.0/28", "excluded": True}
BROUGHT = {"none": [], "around it": [{"cidr": "198.51.100.0/24"}], "beside it": [{"cidr": "203.0.113.0/24"}]}


@pytest.mark.parametrize(("brought", "expected"), [("none", True), ("around it", False), ("beside it", True)])
def test_an_object_outside_of_all_that_is_protected_or_announced(
    brought: str, expected: bool, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(
        enabled=True, prefixes=[PROTECTED, EXCLUDED], onboarded=BROUGHT[brought], network_firewall_rules=[]
    )
    prefixes = modules.done("protected_prefixes", prefixes=[PROTECTED, EXCLUDED])
    assert claims(prefixes) == [("198.51.100.0/28", "outside", [])] * expected
    filters = [{"kind": "syn_flood", "expression": f"ip.dst in {{{one}}}"} for one in ("192.0.2.0/25", "198.51.100.7")]
    account = modules.done("account_protection", check=True, filters=filters)
    assert claims(account) == [("ip.dst in {198.51.100.7}", "outside", [])] * expected


def test_a_rule_of_the_network_firewall_for_the_networks_of_others(service: LocalService) -> None:
    rules = [
        rule("other", "ip.src in {203.0.113.7} and ip.dst in {198.51.100.0/24}"),
        rule("own", "ip.dst in {192.0.2.7}"),
        rule("leaving", "ip.src in {192.0.2.0/24} and ip.dst in {203.0.113.0/24}", "skip", action_parameters=REST),
        rule("to anybody", "ip.dst in {198.51.100.0/25}"),
    ]
    state = {
        "prefixes": [{**PROTECTED, "excluded": False}],
        "network_firewall_rules": [{**one, "enabled": True} for one in rules],
    }
    assert [item["key"] for item in ineffective_records(state)] == ["other"]
    assert ineffective_records(state, announced=ranges_of(["198.51.100.0/24"])) == []
    assert ineffective_records({"network_firewall_rules": state["network_firewall_rules"]}) == []


def test_networks_that_cannot_be_read_are_not_outside_and_read_only_if_one_may_be(
    service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(enabled=True, prefixes=[PROTECTED, EXCLUDED])
    token = service.add_token("protection-only", addressing="none")
    assert claims(modules.done("protected_prefixes", prefixes=[PROTECTED, EXCLUDED], api_token=token)) == []
    service.calls.clear()
    modules.done("protected_prefixes", prefixes=[PROTECTED])
    assert not [call for call in service.calls if "addressing" in call.path]


def test_a_hostname_below_another_one_of_its_list(service: LocalService, modules: Modules) -> None:
    names = ["*.shop.example", "a.shop.example", "*.a.shop.example", "shop.example", "workshop.example"]
    listed = modules.done(
        "ip_list", check=True, name="hosts", kind="hostname", items=[{"hostname": one} for one in names]
    )
    by = ["hosts *.shop.example"]
    assert claims(listed) == [(f"hosts {one}", "covered", by) for one in ("a.shop.example", "*.a.shop.example")]
    wide = {"hostname": {"url_hostname": "*.shop.example", "exclude_exact_hostname": False}}
    service.account(ACCOUNT).seed(lists=[{"name": "hosts", "kind": "hostname", "items": [wide]}])
    with_apex = modules.done("ip_list", check=True, name="hosts", kind="hostname", items=[{"hostname": "shop.example"}])
    assert claims(with_apex) == [("hosts shop.example", "covered", by)]


PARAMETERS = {"rest": REST, "products": {"products": ["waf"]}, "phases": {"phases": ["http_ratelimit"]}}
# Each was checked by hand.
FALSE_HOPES = {
    "(http.request.uri.path contains \"/.git/\")": "shadowed", "(http.request.uri.path contains \"/wp-admin\")": "shadowed",
    "(http.request.uri.path contains \"/wp-login.php\")": "shadowed", "(http.request.method eq \"TRACE\")": "shadowed",
    "(cf.threat_score gt 14)": "never", "cf.threat_score > 14": "never",
    "(ip.src.country eq \"KP\") or (ip.src.country eq \"RU\")": "shadowed",
    "(cf.client.bot) or (cf.threat_score gt 14)": "shadowed", "cf.client.bot": "duplicate",
    "(cf.verified_bot_category eq \"AI Crawler\")": "shadowed",
    "ip.src in {10.0.0.0/8 172.16.0.0/12 192.168.0.0/16}": "unreachable",
}  # fmt: skip


def test_of_sixty_public_rules_those_are_claimed_that_cannot_work() -> None:
    rules = [
        {**rule(expression, expression, action), "enabled": True}
        if action not in PARAMETERS
        else {**rule(expression, expression, "skip", action_parameters=PARAMETERS[action]), "enabled": True}
        for action, expression in PUBLIC_RULES
    ]
    assert len(rules) == 60
    records = ineffective_records({"custom_rules": rules})
    assert {item["key"]: item["kind"] for item in records} == FALSE_HOPES
    assert all(
        list(RULE_EXPRESSION.examine(expression)) == []
        for _action, expression in PUBLIC_RULES
        if "threat" not in expression
    )
    unknown = {doubts(expression) for _action, expression in PUBLIC_RULES if doubts(expression)}
    assert unknown == set()


def test_sarif_has_the_line_of_a_mistake_in_a_variable() -> None:
    wrong = "baseline_custom_rules[0].action: 'blok (lima.yml:3)' is none of block, skip (host_vars/lima.yml:7)."
    failure = {"failed": True, "msg": wrong, "place": "host_vars/lima.yml:7"}
    report = report_of([host_record(host_results("lima", {}, {}, [failure]), NOW)], NOW)
    (run,) = sarif_of_report(report)["runs"]
    (result,) = run["results"]
    assert (result["ruleId"], result["message"]["text"]) == ("unknown", wrong)
    assert result["locations"] == [
        {
            "logicalLocations": [{"fullyQualifiedName": "lima"}],
            "physicalLocation": {"artifactLocation": {"uri": "host_vars/lima.yml"}, "region": {"startLine": 7}},
        }
    ]
