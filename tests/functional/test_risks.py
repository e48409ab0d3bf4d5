# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What stops before it is written: each risk, through whatever module, in check mode too, and how it is accepted."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import CODES
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results

from tests.fake_service import LocalService
from tests.fake_service.credentials import grant
from tests.functional.idempotence_cases import L4, L7, override
from tests.functional.risk_cases import EXISTING, OUT, RISK_CASES, SYN, RiskCase
from tests.functional.zone_risk_cases import FOUR, TEN, ZONE_RISK_CASES, Rule, identity, rule
from tests.support.module_run import ACCOUNT, AREA_B, RULESETS, ZONE, Modules, run_main
from tests.support.sampled_rows import sample
from tests.support.service_state import seed

Call = tuple[RiskCase, str]
SYN_GLOBAL = {"scope": "global", "name": "global", "mode": "enabled"}
EVERYTHING = {"action": "skip", "action_parameters": {"ruleset": "current"}, "expression": "true"}
EVERY_CASE = RISK_CASES + ZONE_RISK_CASES
CALLS: list[Call] = [
    (case, module)
    for number, case in enumerate(EVERY_CASE)
    for module in sample([*case.calls], len(case.calls), first=number)
]


def name_of(call: Call) -> str:
    return f"{call[0].name}, by {call[1]}"


@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_a_risk_stops_the_task_before_anything_is_written_until_just_it_is_accepted(
    call: Call, service: LocalService, modules: Modules
) -> None:
    case, module = call
    seed(service, case.module, case.existing)
    service.clock.advance(hours=case.hours)
    options = case.calls[module]
    if not case.codes:
        modules.done(module, check=True, **options)
        modules.done(module, **options)
        return
    for check in (True, False):
        refused = modules.failed(module, check=check, **options)
        assert [risk["code"] for risk in refused["risks"]] == list(case.codes)
        assert refused["operations"]
        assert module in (*AREA_B, *RULESETS, "ip_list", "ip_lists") or refused["coverage"]["after"]["summary"]
    (printed,) = re.findall(r"If this is meant, add accept_risks: (\[.*\])\. Nothing was changed\.$", refused["msg"])
    accepted = [{**item, "reason": "agreed", "expires": "2090-01-01"} for item in yaml.safe_load(printed)]
    bound = next(name for name in ("networks", "entries") if name in accepted[0])
    fewer = {**accepted[0], bound: accepted[0][bound][1:]}
    modules.failed(module, **options, accept_risks=[fewer, *accepted[1:]])
    assert service.writes == []
    predicted = modules.done(module, check=True, accept_risks=accepted, **options)
    done = modules.done(module, accept_risks=accepted, **options)
    compared = ("risks", "diff", "warnings")
    assert [done[name] for name in compared] == [predicted[name] for name in compared]
    assert [(risk["code"], risk["reason"]) for risk in done["risks"]] == [(code, "agreed") for code in case.codes]
    first = done["risks"][0]
    assert not case.networks or first["networks"] == case.networks
    assert not case.entries or first["entries"] == case.entries
    for risk in done["risks"]:
        assert f"Accepted {risk['code']}: {risk['message']}" in str(done["warnings"])
    assert "Reason: agreed" in str(done["warnings"])
    again = modules.done(module, **options)
    assert (again["changed"], again.get("risks")) == (False, None)


def test_every_code_has_a_case_that_trips_it_alone() -> None:
    assert {case.codes[0] for case in EVERY_CASE if len(case.codes) == 1} == set(CODES)


def test_an_acceptance_that_expired_does_not_count_and_is_warned_of(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**EXISTING)
    expired = {"code": "disables_protection", "expires": "2020-01-31"}
    reason = (
        "accept_risks[0]: the acceptance of disables_protection expired at 2020-02-01T00:00:00+00:00; remove it, or"
    )
    assert reason in modules.failed("tcp_protection_status", enabled=False, accept_risks=[expired])["msg"]
    assert reason in str(modules.done("tcp_protection_status", enabled=True, accept_risks=[expired])["warnings"])


def test_an_acceptance_of_one_network_lets_no_other_through_later(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}, {"prefix": "203.0.113.0/24"}])
    excluded = {"prefix": "203.0.113.64/28", "excluded": True}
    accepted = [{"code": "unprotects_addresses", "networks": ["203.0.113.64/28"]}]
    entries = [{"prefix": "192.0.2.0/24"}, {"prefix": "203.0.113.0/24"}, excluded]
    modules.done("protected_prefixes", prefixes=entries, purge=True, accept_risks=accepted)
    refused = modules.failed("protected_prefixes", prefixes=entries[1:], purge=True, accept_risks=accepted)
    assert [risk["networks"] for risk in refused["risks"]] == [["192.0.2.0/24"]]


def test_a_key_of_several_lines_is_accepted_as_it_is_printed(service: LocalService, modules: Modules) -> None:
    expression = "tcp.dstport in {80\n443}"
    filters = [{"expression": expression, "mode": "monitoring"}]
    service.account(ACCOUNT).seed(**{**EXISTING, "syn_flood": {"rules": [SYN_GLOBAL], "filters": filters}})
    task: dict[str, Any] = {"filters": [], "purge": ["filters"]}
    message = modules.failed("account_protection", **task)["msg"]
    (printed,) = re.findall(r"add accept_risks: (\[.*\])\. Nothing was changed\.", message)
    modules.done("account_protection", **task, accept_risks=yaml.safe_load(printed))


def test_an_acceptance_of_one_ref_lets_no_other_spelling_of_it_through(service: LocalService, modules: Modules) -> None:
    rules = [
        {"ref": ref, "action": "block", "expression": f"ip.src eq 10.0.0.{ord(ref[0])}"} for ref in ("login", "Login")
    ]
    service.zone(ZONE).seed(custom_rules=rules)
    options = [{"ref": item["ref"], "enabled": False} for item in rules]
    accepted = [{"code": "weakens_zone", "resource": "custom_rule", "entries": ["login"]}]
    assert "weakens_zone" in modules.failed("custom_rules", rules=options, accept_risks=accepted)["msg"]
    accepted[0]["entries"] = ["login", "Login"]
    modules.done("custom_rules", rules=options, accept_risks=accepted)


def test_an_acceptance_names_only_what_the_risk_is_about(service: LocalService, modules: Modules) -> None:
    weur = {"scope": "region", "name": "WEUR", "mode": "monitoring"}
    service.account(ACCOUNT).seed(**{**EXISTING, "syn_flood": {"rules": [SYN_GLOBAL, weur]}}, dns_rules=[SYN_GLOBAL])
    modules.done(
        "account_protection",
        dns_rules=[{"scope": "global", "mode": "disabled"}],
        rules=[{"kind": "syn_flood", "scope": "region", "name": "WEUR", "rate_sensitivity": "high"}],
        prefixes=[{"prefix": "192.0.2.0/24", "comment": "new"}],
        accept_risks=[{"code": "disables_protection", "resource": "dns_rule", "entries": ["dns global"]}],
    )


def test_an_excluded_prefix_that_is_new_is_named(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}])
    prefixes = [{"prefix": "192.0.0.0/16", "excluded": True}]
    risks = modules.failed("protected_prefixes", prefixes=prefixes)["risks"]
    assert [(risk["code"], risk["entries"]) for risk in risks] == [
        ("unprotects_addresses", ["192.0.0.0/16"]),
        ("disables_protection", ["192.0.0.0/16"]),
    ]


@pytest.mark.parametrize("name", ["Global", "GLOBAL", None])
def test_a_global_rule_is_one_key_however_it_is_spelled(
    name: str | None, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}])
    accepted = [{"code": "skips_monitoring", "resource": "syn_flood_rule", "entries": ["syn_flood global"]}]
    task: dict[str, Any] = {"kind": "syn_flood", "scope": "global", "name": name, "mode": "enabled"}
    result = modules.done("protection_rule", **task, accept_risks=accepted)
    assert (result["rule"]["name"], result["operations"][0]["key"]) == ("global", "global")


@pytest.mark.parametrize(
    ("paused", "action", "codes"),
    [(False, "allow", ["weakens_zone", "skips_everything"]), (True, "managed_challenge", ["weakens_zone"])],
)
def test_a_filter_that_no_rule_has_is_read_before_the_guard_decides(
    paused: bool, action: str, codes: list[str], service: LocalService, modules: Modules
) -> None:
    unused = {"id": identity(12), "expression": "ssl or not ssl", "paused": paused, "description": ""}
    service.zone(ZONE).seed(rules=[rule(1, "managed_challenge", "ssl or not ssl", filter_=11)], filters=[unused])
    task: dict[str, Any] = {"rules": [{"id": identity(1), "action": action, "filter": {"id": identity(12)}}]}
    refused = modules.failed("firewall_rules", check=True, **task)
    assert [risk["code"] for risk in refused["risks"]] == codes
    predicted = modules.done("firewall_rules", check=True, **task, accept_risks=codes)
    done = modules.done("firewall_rules", **task, accept_risks=codes)
    assert predicted["rules"][0]["filter"] == done["rules"][0]["filter"]


@pytest.mark.parametrize("verbose", [False, True])
def test_a_failure_stays_readable(verbose: bool, service: LocalService) -> None:
    prefixes = [{"prefix": f"10.{number}.0.0/16"} for number in range(1, 60, 2)]
    prefixes += [{"prefix": f"2001:db8:{number:x}::/48"} for number in range(1, 60, 2)]
    rules = {name: EXISTING[name] for name in ("syn_flood", "out_of_state_tcp")}
    service.account(ACCOUNT).seed(enabled=True, prefixes=prefixes, **rules)
    connection = {"base_url": service.base_url, "api_token": service.token, "account_id": ACCOUNT}
    result = run_main("tcp_protection_status", {**connection, "enabled": False}, verbose=verbose)
    result.pop("invocation", None)
    assert result["coverage"]["after"]["summary"][0] == "TCP protection is off: nothing is protected."
    assert result["risks"][0]["addresses"] == "1966080 IPv4 addresses and 1966080 IPv6 /64 networks"
    assert ("prefixes" in result["coverage"]["after"]) is verbose
    diff = result.pop("diff")  # Ansible leaves it out of the output of a failure
    assert diff["before"]["status"] != diff["after"]["status"]
    assert verbose or len(json.dumps(result)) < 4000


LIMITS: list[tuple[str, dict[str, Any], dict[str, Any], int]] = [
    ("allowlist", {"entries": [{"prefix": "10.0.0.0/16"}]}, {"min_allowlist_prefix_length_ipv4": 16}, 0),
    ("allowlist", {"entries": [{"prefix": "2001:db8::/32"}]}, {"min_allowlist_prefix_length_ipv6": 32}, 0),
    ("allowlist", {"entries": [{"prefix": f"10.0.{2 * number}.1"} for number in range(3)]}, {"max_allowlist_entries": 4}, 0),
    ("protection_rule", {**OUT, "mode": "enabled"}, {"min_monitoring_hours": 0.5}, 0),
    ("allowlist", {"entries": [{"prefix": "10.0.0.0/24"}]}, {"min_allowlist_prefix_length_ipv4": 25}, 1),
    ("allowlist", {"entries": [{"prefix": "2001:db8::/48"}]}, {"min_allowlist_prefix_length_ipv6": 49}, 1),
    ("allowlist", {"entries": [{"prefix": "10.0.0.1"}]}, {"max_allowlist_entries": 1}, 1),
    ("protection_rule", {**OUT, "mode": "enabled"}, {"min_monitoring_hours": 1.5}, 1),
]  # fmt: skip


@pytest.mark.parametrize(("module", "options", "limits", "risks"), LIMITS, ids=str)
def test_a_limit_that_is_raised_lets_more_pass_and_one_that_is_lowered_stops_more(
    module: str, options: dict[str, Any], limits: dict[str, Any], risks: int, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(**EXISTING)
    service.clock.advance(hours=1)
    result = modules.run(module, **options, limits=limits)
    assert (bool(result.get("failed")), len(result.get("risks", ()))) == (bool(risks), risks)


@pytest.mark.parametrize(("share", "stopped"), [(59, True), (60, False), (0, True), (100, False)])
def test_how_much_of_a_list_is_a_mass_is_the_users(
    share: int, stopped: bool, service: LocalService, modules: Modules
) -> None:
    entries = [{"prefix": f"10.0.{2 * number}.1"} for number in range(10)]
    service.account(ACCOUNT).seed(allowlist=entries)
    result = modules.run("allowlist", entries=entries[:6], state="absent", limits={"max_deletions_percent": share})
    assert bool(result.get("failed")) is stopped


@pytest.mark.parametrize(
    ("rules", "disabled", "share", "stopped"),
    [(TEN, 3, 29, True), (TEN, 3, 30, False), (TEN, 2, 0, False), (FOUR, 4, 99, True), (FOUR, 4, 100, False), (FOUR[:1], 1, 0, True)],
)  # fmt: skip
def test_how_much_of_a_zone_may_be_weakened_is_the_users(
    rules: Sequence[Rule], disabled: int, share: int, stopped: bool, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(custom_rules=rules)
    options = [{"ref": item["ref"], "enabled": False} for item in rules[:disabled]]
    result = modules.run("custom_rules", rules=options, limits={"max_weakened_percent": share})
    assert [risk["code"] for risk in result.get("risks", [])] == ["weakens_zone"] * stopped


def test_a_refusal_names_the_rules_and_what_becomes_of_them(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(custom_rules=FOUR)
    rules = [{"ref": "login", "enabled": False}, {"ref": "admin", "action": "log"}, {"ref": "form", **EVERYTHING}]
    assert (
        "weakens_zone: 3 of 4 custom rules that block or challenge would no longer do so (login disabled, admin turned "
        "into log, form turned into skip), which is more than 30 %. skips_everything: Custom rule form (turned from "
        "js_challenge into skip): every request matches, and would skip what it skips. If this is meant, add "
        "accept_risks: [{code: weakens_zone, resource: custom_rule, entries: [login, admin, form]},"
        " {code: skips_everything, resource: custom_rule, entries: [form]}]. "
        "Nothing was changed."
    ) in modules.failed("custom_rules", rules=rules)["msg"]


def test_a_refusal_names_firewall_rules_by_id_and_description(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(rules=[rule(1, "block", "false", description="all"), rule(2, "log", "true")])
    message = modules.failed("firewall_rules", rules=[{"id": identity(1), "filter": {"expression": "true"}}])["msg"]
    assert f"blocks_everything: Firewall rule {identity(1)} (all) (widened): every request matches, and" in message


def test_without_a_clock_monitoring_is_not_taken_for_granted(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(out_of_state_tcp={"rules": [{"scope": "global"}]})
    service.clock.advance(hours=100)
    service.misbehave("missing_fields", method="GET", path="rules$", fields=["modified_on"])
    message = modules.failed("protection_rule", **OUT, mode="enabled")["msg"]
    assert "has monitored for an unknown time" in message
    modules.done("protection_rule", **OUT, mode="enabled", limits={"min_monitoring_hours": 0})


def test_operations_left_after_an_interruption_are_checked_again(service: LocalService, modules: Modules) -> None:
    account = service.account(ACCOUNT).seed(**EXISTING)
    service.misbehave("lost_before", method="DELETE", times=5)
    more = [{"prefix": f"172.16.{number}.0/24"} for number in range(6)]
    service.misbehave("meanwhile", method="DELETE", times=1, action=lambda: account.seed(prefixes=more) and None)
    result = modules.failed("protected_prefixes", prefixes=EXISTING["prefixes"][:2], purge=True)
    assert [risk["code"] for risk in result["risks"]] == ["unprotects_addresses", "mass_deletion"]
    assert [item["key"] for item in result["unknown"]] == ["203.0.113.64/28"]
    assert len(account.prefixes) == 9


def test_a_state_that_is_not_understood_is_a_warning(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "203.0.113.x/24"}])
    result = modules.done("tcp_protection_status", enabled=True)
    assert "The prefix '203.0.113.x/24' is malformed; it counts as no network." in str(result["warnings"])


def test_the_diff_shows_what_becomes_of_the_coverage(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**EXISTING)
    result = modules.done("protected_prefixes", check=True, prefixes=[{"prefix": "2001:db8::/48"}])
    assert result["diff"]["before"]["coverage"] == {
        "SYN flood protection": {"enabled or monitoring or disabled": "496 IPv4 addresses"},
        "out-of-state TCP protection": {"monitoring": "496 IPv4 addresses"},
    }
    assert result["diff"]["after"]["coverage"] == {
        "protected": ["2001:db8::/48"],
        "SYN flood protection": {"enabled or monitoring or disabled": "496 IPv4 addresses and 65536 IPv6 /64 networks"},
        "out-of-state TCP protection": {"monitoring": "496 IPv4 addresses and 65536 IPv6 /64 networks"},
    }
    assert result["coverage"]["newly_protected"] == ["2001:db8::/48"]


def test_a_task_that_names_dns_rules_sees_what_its_other_changes_do_to_dns_protection(
    service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(**EXISTING, dns_rules=[{"mode": "enabled"}])
    excluded: dict[str, Any] = {"prefixes": [{"prefix": "192.0.2.0/25", "excluded": True}]}
    shared = "128 IPv4 addresses (192.0.2.0/25) would no longer be protected."
    assert shared in modules.failed("account_protection", **excluded, dns_rules=[])["msg"]
    assert "DNS protection" not in modules.failed("account_protection", **excluded)["msg"]
    accepted: dict[str, Any] = {"accept_risks": ["unprotects_addresses"]}
    result = modules.done("account_protection", check=True, **excluded, dns_rules=[], **accepted)
    shown = [result["diff"][side]["coverage"]["DNS protection"] for side in ("before", "after")]
    assert shown == [{"enabled": "496 IPv4 addresses"}, {"enabled": "368 IPv4 addresses"}]


def seconds_between(one: str, other: str) -> float:
    return abs((datetime.fromisoformat(one) - datetime.fromisoformat(other)).total_seconds())


LAX: dict[str, Any] = {"scope": "datacenter", "name": "lax", "mode": "enabled"}
IN_LAX = [
    {"code": "stops_mitigation", "resource": "syn_flood_rule", "entries": ["syn_flood datacenter lax"]}
]  # where the global rule mitigates
ROLLOUTS: list[tuple[str, dict[str, Any], str]] = [
    ("protection_rule", {"kind": "syn_flood", **LAX, "accept_risks": IN_LAX}, "syn_flood_rule"),
    ("account_protection", {"rules": [{"kind": "syn_flood", **LAX}], "accept_risks": IN_LAX}, "syn_flood_rule"),
    ("dns_protection_rule", LAX, "dns_rule"),
    ("account_protection", {"dns_rules": [LAX]}, "dns_rule"),
]


@pytest.mark.parametrize(("module", "options", "resource"), ROLLOUTS, ids=str)
def test_a_staged_rollout_takes_one_step_at_a_time(
    module: str, options: dict[str, Any], resource: str, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(**EXISTING)

    def mode() -> str:
        account = service.account(ACCOUNT)
        rules = account.dns_rules if resource == "dns_rule" else account.rules["syn_flood"]
        (existing_rule,) = (rule for rule in rules if rule["name"] == "lax")
        return str(existing_rule["mode"])

    def step() -> tuple[bool, Any]:
        result = modules.done(module, staged_rollout=True, **options)
        pending = result.get("pending")
        return result["changed"], pending[0] if isinstance(pending, list) else pending

    changed, pending = step()
    assert (changed, mode()) == (True, "monitoring")
    assert (pending["resource"], pending["key"], pending["mode"]) == (resource, "datacenter lax", "enabled")
    service.clock.advance(hours=3.9)
    changed, still = step()
    assert (changed, mode(), still["mode"]) == (False, "monitoring", "enabled")
    assert seconds_between(still["not_before"], pending["not_before"]) <= 2
    service.clock.advance(hours=0.2)
    assert step() == (True, None)
    assert mode() == "enabled"
    assert step() == (False, None)


@pytest.mark.parametrize(
    ("date", "modified_on", "waits"),
    [
        (None, "0001-01-01T00:00:00.000000+00:00", True),
        (None, "1970-01-01T00:00:00.000000+00:00", True),
        (None, "9999-12-31T23:59:59.000000+00:00", True),
        (None, "2020-01-01T00:00:00.000000+00:00", False),
        ("", "2020-01-01T00:00:00.000000+00:00", True),
        ("Thu, 01 Jan 1970 00:00:00 GMT", "2020-01-01T00:00:00.000000+00:00", True),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "2020-01-01T00:00:00.000000+00:00", True),
        ("Fri, 31 Dec 10000000000000000000 23:59:59 GMT", "2020-01-01T00:00:00.000000+00:00", True),
    ],
)
def test_a_time_that_cannot_be_enables_nothing(
    date: str | None, modified_on: str, waits: bool, service: LocalService, modules: Modules
) -> None:
    rule = {"scope": "global", "name": "global", "mode": "monitoring", "modified_on": modified_on}
    service.account(ACCOUNT).seed(syn_flood={"rules": [rule]})
    if date is not None:
        service.misbehave("headers", headers={"Date": date})
    result = modules.done("protection_rule", staged_rollout=True, **SYN, mode="enabled")
    assert (result["rule"]["mode"] == "monitoring") is waits
    if waits:
        assert result["pending"]["not_before"] is None
        refused = modules.failed("protection_rule", **SYN, mode="enabled")["msg"]
        assert "has monitored for an unknown time" in refused


def test_a_change_of_something_else_starts_the_time_of_monitoring_anew(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**EXISTING)
    service.clock.advance(hours=3)
    first = modules.done("protection_rule", staged_rollout=True, **OUT, mode="enabled", rate_sensitivity="high")
    service.clock.advance(hours=2)
    second = modules.done("protection_rule", staged_rollout=True, **OUT, mode="enabled", rate_sensitivity="high")
    assert (first["changed"], second["changed"]) == (True, False)
    assert seconds_between(second["pending"]["not_before"], first["pending"]["not_before"]) <= 2
    service.clock.advance(hours=2.1)
    assert modules.done("protection_rule", staged_rollout=True, **OUT, mode="enabled")["rule"]["mode"] == "enabled"


PREFIX_WARNINGS = [
    ("0.0.0.0/0", "is wider than /8"), ("::/0", "is wider than /16"),
    ("2000::/15", "is wider than /16"), ("10.0.0.0/8", "is not globally routable"),
    ("172.20.0.0/16", "is not globally routable"), ("fd00:1::/48", "is not globally routable"),
    ("172.0.0.0/8", ""), ("203.0.113.0/24", ""), ("2001:db8::/48", ""), ("2600::/16", ""),
]  # fmt: skip


@pytest.mark.parametrize(("prefix", "reason"), PREFIX_WARNINGS)
def test_a_prefix_that_is_hardly_ones_own_is_a_warning(
    prefix: str, reason: str, service: LocalService, modules: Modules
) -> None:
    for check in (True, False):
        warnings = modules.done("protected_prefixes", check=check, prefixes=[{"prefix": prefix}]).get("warnings", [])
        assert len(warnings) == bool(reason)
        assert not reason or f"Is this meant? Prefix {prefix} {reason}." in str(warnings)
    assert "warnings" not in modules.done("protected_prefixes", prefixes=[{"prefix": prefix}])
    service.account(ACCOUNT).prefixes.clear()
    assert "warnings" not in modules.done("protected_prefixes", prefixes=[{"prefix": prefix, "excluded": True}])


def test_host_bits_and_missing_lengths_are_warnings_with_their_entry(modules: Modules) -> None:
    prefixes = [{"prefix": prefix} for prefix in ("203.0.113.0/24", "198.51.100.77/24", "192.0.2.7")]
    for check in (True, False):
        warnings = modules.done("protected_prefixes", check=check, prefixes=prefixes)["warnings"]
        assert len(warnings) == 2
        cut = "prefixes[1].prefix: 198.51.100.77/24 is an address within 198.51.100.0/24, which the task uses;"
        assert f"{cut} write 198.51.100.0/24, or 198.51.100.77/32." in str(warnings)
        added = "prefixes[2].prefix: 192.0.2.7 has no length and is taken for 192.0.2.7/32; write 192.0.2.7/32."
        assert added in str(warnings)
    sources = [{"prefix": "192.0.2.9"}, {"prefix": "192.0.2.99/28"}]
    (warning,) = modules.done("allowlist", entries=sources)["warnings"]
    assert "entries[1].prefix: 192.0.2.99/28 is an address within 192.0.2.96/28" in str(warning)
    assert "warnings" not in modules.done("allowlist", state="absent", entries=sources)


@pytest.mark.parametrize("field", ["http.host", "http.hots", "hots"])
def test_an_unknown_field_of_a_custom_rule_is_a_warning_until_the_service_takes_it(
    field: str, modules: Modules
) -> None:
    rules = [{"ref": "a", "action": "block", "expression": f'{field} eq "a.example"'}]
    result = modules.done("custom_rules", check=True, rules=rules)
    warning = f"Is this meant? Custom rule a reads a field that this collection does not know: '{field}'"
    assert (warning in str(result.get("warnings"))) is ("hots" in field)


@pytest.mark.parametrize(
    ("module", "values"),
    [
        ("network_firewall_rules", {"action": "block"}),
        (
            "rate_limit_rules",
            {
                "action": "block",
                "ratelimit": {"characteristics": ["ip.src", "cf.colo.id"], "period": 60, "requests_per_period": 9},
            },
        ),
    ],
)
def test_a_word_that_is_no_field_is_a_warning_wherever_rules_have_expressions(
    module: str, values: dict[str, Any], modules: Modules
) -> None:
    result = modules.run(module, check=True, rules=[{"ref": "a", "expression": 'country eq "KP"', **values}])
    assert "does not know: 'country' (did you mean ip." in str(result)


def test_a_word_that_is_no_field_of_filters_is_a_warning(modules: Modules) -> None:
    result = modules.run("protection_filter", check=True, kind="syn_flood", expression='country eq "KP"')
    assert "filters know no field" in str(result.get("warnings"))


@pytest.mark.parametrize(
    ("scope", "name", "usual"),
    [("region", "WEUR", True), ("region", "oc", True), ("region", "Europe", False), ("region", "EU-1", False),
     ("datacenter", "lax", True), ("datacenter", "FRA03", True), ("datacenter", "FRANKFURT1", False)],
)  # fmt: skip
def test_a_code_without_the_usual_form_is_a_warning(scope: str, name: str, usual: bool, modules: Modules) -> None:
    for check in (True, False):
        result = modules.done("protection_rule", check=check, kind="syn_flood", scope=scope, name=name)
        reason = f"Is this meant? SYN flood rule {scope} {name} has a code that no {scope} has; they look like"
        assert (reason in str(result.get("warnings"))) is not usual


@pytest.mark.parametrize(
    ("kind", "title"), [("syn_flood", "SYN flood filters"), ("out_of_state_tcp", "Out-of-state TCP filters")]
)
def test_lists_are_named_as_the_product_names_them(
    kind: str, title: str, service: LocalService, modules: Modules
) -> None:
    lists: dict[str, Any] = {kind: {"filters": [{"expression": "tcp.dstport eq 80", "mode": "enabled"}]}}
    service.account(ACCOUNT).seed(**lists)
    message = modules.failed("account_protection", filters=[], purge=["filters"])["msg"]
    assert f"empties_list: {title}: none of 1 would be left." in message


@pytest.mark.parametrize("check", [True, False])
def test_the_first_override_of_a_zone_hides_those_of_its_account(
    check: bool, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(ddos_l7_overrides=[override("strict", "true", L7, action="block")])
    service.zone(ZONE).seed(account_id=ACCOUNT)
    first: Any = {"overrides": [{"ref": "upload", "expression": "not ssl", "action": "block"}]}
    refused = modules.failed("ddos_l7_overrides", check=check, **first)
    assert [(risk["code"], risk["entries"]) for risk in refused["risks"]] == [("weakens_ddos_rules", ["upload"])]
    assert "override of the account strict no longer decides on all managed rules, whose own action" in refused["msg"]
    accepted = [{"code": "weakens_ddos_rules", "resource": "ddos_l7_override", "entries": ["upload"]}]
    modules.done("ddos_l7_overrides", check=check, accept_risks=accepted, **first)
    service.credentials.tokens[service.token] = grant(zone="none")
    done = modules.run("ddos_l7_overrides", check=check, **first)
    if check:
        assert "Whether there are any is not known: " in str(done["warnings"])
        assert "Zone Read (zone)" in str(done["warnings"])
    else:  # the override is there, so that nothing more is read
        assert (done["changed"], "warnings" in done) == (False, False)


UDP_FLOOD = "599dab0942ff4898ac1b7797e954e98b"  # of the categories udp and generic


@pytest.mark.parametrize("check", [True, False])
def test_an_override_of_a_category_keeps_its_rules_from_weaker_ones_behind_it(
    check: bool, service: LocalService, modules: Modules
) -> None:
    strict = override("strict", "true", L4, categories=[{"category": "generic", "action": "block"}])
    weak = override("one", "true", L4, rules=[{"id": UDP_FLOOD, "action": "log"}])
    service.account(ACCOUNT).seed(ddos_l4_overrides=[strict, weak])
    gone: Any = {"overrides": [{"ref": "strict"}], "state": "absent"}
    failed = modules.failed("ddos_l4_overrides", check=check, **gone)
    assert "warnings" not in failed
    (risk,) = failed["risks"]
    assert f"override one sets the action log for rule {UDP_FLOOD} and all destinations" in failed["msg"]
    assert risk["entries"] == ["strict"]  # of what changes


def test_a_report_has_the_message_of_a_failed_task_that_says_the_sentences_of_its_risks_once(
    service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(**EXISTING)
    options: Any = {"prefixes": [], "allowlist": [], "purge": True}
    terse = modules.failed("account_protection", **options)
    whole = modules.run("account_protection", verbose=True, **options)
    assert len(whole["risks"]) > 1 and not any("message" in risk for risk in terse["risks"])
    first, *others = host_results("lima", {}, {"account_protection": terse}).record["risks"]
    assert all(risk["message"] in first["message"] for risk in whole["risks"])
    assert {risk["message"] for risk in others} == {f"The message of {first['code']} has its sentence as well."}
    in_full = host_results("lima", {}, {"account_protection": whole}).record["risks"]
    assert [risk["message"] for risk in in_full] == [risk["message"] for risk in whole["risks"]]


def test_a_report_does_not_take_a_message_apart(service: LocalService, modules: Modules) -> None:
    """Its words may change, and they may look as if a sentence ended."""
    service.account(ACCOUNT).seed(**EXISTING)
    terse = modules.failed("account_protection", prefixes=[], allowlist=[], purge=True)
    reworded = {**terse, "msg": "In other words."}
    reported = host_results("lima", {}, {"account_protection": reworded}).record["risks"]
    assert reported[0]["message"] == "In other words." and len(reported) == len(terse["risks"])
