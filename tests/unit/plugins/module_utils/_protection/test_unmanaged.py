# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that no task names and that take protection away, and objects that protect less than described;
tests/functional/test_report_holes.py and test_report_lists.py have more of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Dict

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import (
    Desired,
    DesiredObject,
    parse_desired,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.all_unmanaged import (
    MOST_SINGLE_ITEMS,
    unmanaged_items,
    unmanaged_lists,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.ordinary_traffic import OWN_PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._protection.unmanaged import (
    UnmanagedInResult,
    unmanaged_records,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    DNS_RULES,
    FILTERS,
    PREFIXES,
    RULES,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.ddos_overrides import L4_OVERRIDES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ZONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource, State
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

from tests.support.changes import weaker_in
from tests.support.coverage_model import HALF, Entry, account_state, filter_
from tests.support.coverage_model import rule as protection_rule

NETWORK = "192.0.2.0/24"
DESCRIBED = account_state(
    syn_flood_rules=[protection_rule("enabled")],
    out_of_state_tcp_rules=[protection_rule("monitoring")],
    dns_rules=[protection_rule("enabled")],
)
TEXT = "256 IPv4 addresses (192.0.2.0/24)"
LESS = f"so that SYN flood protection mitigates less for {TEXT}"


def excluded(prefix: str) -> Entry:
    return {"prefix": prefix, "excluded": True}


def source(prefix: str, enabled: bool = True) -> Entry:
    return {"prefix": prefix, "enabled": enabled}


CASES: list[tuple[Resource, Entry, bool | None, str]] = [
    (PREFIXES, excluded("0.0.0.0/0"), True, f"excludes {TEXT}"),
    (PREFIXES, excluded("anything"), None, "is malformed, and may exclude protected addresses"),
    (PREFIXES, {"prefix": "198.51.100.0/24", "excluded": False}, False, ""),
    (ALLOWLIST, source("203.0.113.9/32"), True, "lets 1 IPv4 address (203.0.113.9/32) pass as sources"),
    (ALLOWLIST, source("203.0.113.9/32", False), False, ""),
    (ALLOWLIST, source("anything"), None, "is malformed, and may let sources pass"),
    (RULES[0], protection_rule("monitoring", "datacenter", "lax"), True, f"is monitoring, {LESS}: in data center LAX"),
    (RULES[0], protection_rule("enabled", "region", "WEUR"), False, ""),
    (RULES[0], protection_rule("new", "region", "WEUR"), None, "is not understood, so that SYN flood protection may mitigate less"),
    (RULES[1], protection_rule("disabled", "region", "WEUR"), False, ""),
    (FILTERS[0], filter_("disabled", "ip.dst eq 198.51.100.1"), False, ""),
    (FILTERS[0], filter_("enabled", "tcp.dstport eq 443"), False, ""),
    (FILTERS[1], filter_("enabled", HALF), False, ""),
]  # fmt: skip


def unmanaged(state: dict[str, Any], *named: tuple[Resource, list[Any]]) -> list[UnmanagedInResult]:
    """The records on the objects of a state of which a task names these."""
    desired = [Desired(item, {item.key_of(obj): DesiredObject(obj) for obj in objects}) for item, objects in named]
    return unmanaged_records(desired, state)


def described(*resources: Resource) -> list[tuple[Resource, list[Any]]]:
    return [(item, DESCRIBED[item.plural]) for item in resources]


EVERYTHING = described(PREFIXES, *RULES, DNS_RULES)


@pytest.mark.parametrize(("resource", "obj", "weakens", "reason"), CASES)
def test_one_more_object_weakens_or_not(resource: Resource, obj: Entry, weakens: bool | None, reason: str) -> None:
    obj = {**obj, "modified_on": "2026-11-20T00:00:00Z"}
    state = {**DESCRIBED, resource.plural: [*DESCRIBED.get(resource.plural, []), obj]}
    named = [(resource, DESCRIBED.get(resource.plural, [])), (STATUS, []), *EVERYTHING]
    record, *others = unmanaged(state, *named)
    assert all(other == record for other in others)
    assert record == {
        "resource": resource.name,
        "key": resource.label_of(obj),
        "weakens": weakens,
        "reason": reason,
        "since": "2026-11-20T00:00:00Z",
    }


def test_prefixes_count_as_they_are_if_none_is_named() -> None:
    prefixes = [{"prefix": NETWORK, "excluded": False}, excluded("192.0.2.128/25")]
    port = filter_("disabled", "tcp.dstport eq 443")
    state = {**DESCRIBED, "prefixes": prefixes, FILTERS[0].plural: [port]}
    *others, record = unmanaged(state, (PREFIXES, []), (FILTERS[0], []), *described(*RULES))
    assert [other["weakens"] for other in others] == [False, False]
    assert record["reason"].endswith("mitigates less for 128 IPv4 addresses (192.0.2.0/25): to port 443")


def test_a_filter_that_an_enabled_one_precedes_takes_nothing() -> None:
    enabled, disabled = filter_("enabled", "tcp.dstport in {443}"), filter_("disabled", "tcp.dstport eq 443")
    state = {**DESCRIBED, FILTERS[0].plural: [enabled, disabled]}
    (record,) = unmanaged(state, (FILTERS[0], [enabled]), *EVERYTHING)
    assert record["weakens"] is False


Rule = Dict[str, Any]
HOST = 'http.host eq "a"'


def rule(ref: str, action: str, expression: str, **others: Any) -> Rule:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **others}


def skip(expression: str, ref: str = "pass", **parameters: Any) -> Rule:
    return rule(ref, "skip", expression, action_parameters=parameters or {"ruleset": "current"})


LOGIN = rule("login", "block", HOST)
FORM = rule("form", "managed_challenge", "ip.src in {192.0.2.0/24}")
SKIPS: list[tuple[list[Rule], bool | None, str]] = [
    ([skip("ip.src in {192.0.2.0/25}"), LOGIN], None, "may let requests pass that custom rule login would stop"),
    ([skip('http.host matches "a{2}"'), LOGIN], False, ""),
    ([skip('http.user_agent matches "a{2}"'), LOGIN], None, "may let requests pass that custom rule login would stop"),
    ([skip('http.host eq "b"'), LOGIN], False, ""),
    ([LOGIN, skip("true")], False, ""),
    ([skip("true")], False, ""),
    ([skip("false"), LOGIN], False, ""),
    ([LOGIN, skip("false", products=["waf"])], False, ""),
    ([{**skip("true"), "enabled": False}, LOGIN], False, ""),
    ([rule("pass", "log", "true"), LOGIN], False, ""),
    ([rule("pass", "block", "true"), LOGIN], False, "blocks every request"),
    ([LOGIN, rule("pass", "challenge", "ssl")], False, "challenges every GET request over HTTPS"),
    ([rule("pass", "block", 'http.host eq "other.example"')], False, ""),
    ([LOGIN, skip("true", products=["waf"])], True, "skips products waf for every request"),
    ([LOGIN, skip(HOST, products=["waf"])], False, ""),
    ([LOGIN, skip('http.host eq "b"', products=["waf"])], None, "may skip products waf for requests"),
    ([skip(HOST, products=["waf"], ruleset="current"), LOGIN], True, "lets requests pass that custom rule login would stop"),
    ([skip("true"), {**LOGIN, "enabled": False}], False, ""),
    ([LOGIN, skip("ip.src in {0.0.0.0/0}", products=["waf"])], True, "skips products waf for every request from 0.0.0.0/0"),
    ([rule("pass", "execute", "true"), LOGIN], None, "may let requests pass, since the action execute is not understood"),
    ([rule("pass", "execute", "false"), LOGIN], False, ""),
    ([{**rule("pass", "execute", "true"), "enabled": False}, LOGIN], False, ""),
    ([LOGIN, rule("pass", "serve", HOST)], False, ""),
    ([LOGIN, rule("pass", "serve", "ssl")], None, "may let requests pass, since the action serve is not understood"),
    ([LOGIN, skip("ssl", engines=["a"])], None, "may let requests pass, since the action parameter engines is not understood"),
    ([LOGIN, skip("ssl", ruleset="next")], None, "may let requests pass, since the action parameter ruleset is not understood"),
    ([rule("pass", "log", HOST, until="dawn"), LOGIN], None, "may let requests pass, since the field until is not understood"),
    ([rule("pass", "block", HOST, until="dawn"), LOGIN], False, ""),
    ([{**skip('http.host eq "b"', engines=["a"]), "until": "dawn"}, LOGIN], None,
     "may let requests pass, since the action parameter engines, the field until are not understood"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "weakens", "reason"), SKIPS)
def test_a_rule_that_nobody_names(rules: list[Rule], weakens: bool | None, reason: str) -> None:
    zone = [{"name": "shop.example"}]
    records = unmanaged({CUSTOM_RULES.plural: rules, ZONE.plural: zone}, (CUSTOM_RULES, [LOGIN, FORM]))
    assert [(item["key"], item["weakens"], item["reason"]) for item in records] == [("pass", weakens, reason)]


def test_a_rule_of_the_network_firewall_is_about_packets() -> None:
    telnet = rule("telnet", "block", "tcp.dstport eq 23")
    state = {NETWORK_FIREWALL_RULES.plural: [skip("true"), telnet]}
    (record,) = unmanaged(state, (NETWORK_FIREWALL_RULES, [telnet]))
    assert record["reason"] == "lets packets pass that Network Firewall rule telnet would stop"


def test_a_block_of_an_own_prefix_by_hand_is_told() -> None:
    prefixes = [{"prefix": "198.51.100.0/24", "excluded": False}]
    swapped = rule("swapped", "block", "ip.dst in {198.51.100.0/24}")
    state = {NETWORK_FIREWALL_RULES.plural: [swapped], OWN_PREFIXES.plural: prefixes}
    (record,) = unmanaged(state, (NETWORK_FIREWALL_RULES, []))
    assert (record["weakens"], record["reason"]) == (False, "blocks every TCP packet to 198.51.100.0/24")


@pytest.mark.parametrize("number", [0, 1])
def test_narrow_blocks_by_hand_that_are_wide_together_are_told(number: int) -> None:
    halves = rule("one", "block", "ip.src in {0.0.0.0/2}"), rule("other", "block", "ip.src in {64.0.0.0/2}")
    records = unmanaged({CUSTOM_RULES.plural: [*halves]}, (CUSTOM_RULES, [halves[1]] * number))
    reasons = [f"blocks every request from 0.0.0.0/1, together with {name}" for name in ("other", "one")]
    assert [(record["weakens"], record["reason"]) for record in records] == [(False, one) for one in reasons][
        : 2 - number
    ]


def test_a_skip_by_hand_without_parameters_is_not_understood() -> None:
    state = {
        NETWORK_FIREWALL_RULES.plural: [rule("pass", "skip", "true"), rule("telnet", "block", "tcp.dstport eq 23")]
    }
    (record,) = unmanaged(state, (NETWORK_FIREWALL_RULES, state[NETWORK_FIREWALL_RULES.plural][1:]))
    assert (record["weakens"], record["reason"]) == (
        None,
        "may let packets pass, since what it skips is not understood",
    )


@pytest.mark.parametrize(
    ("expression", "weakens"), [("udp and tcp.dstport eq 23", True), ("tcp and tcp.dstport eq 23", False)]
)
def test_a_named_block_that_no_packet_can_match_is_no_protection(expression: str, weakens: bool) -> None:
    telnet, impossible = rule("telnet", "block", "tcp.dstport eq 23"), rule("telnet", "block", expression)
    records = weaker_in({NETWORK_FIREWALL_RULES.plural: [impossible]}, {NETWORK_FIREWALL_RULES.plural: [telnet]})
    assert [record["reason"] for record in records] == ["matches fewer packets than described"] * weakens


def test_a_wide_skip_by_hand_before_others_is_told() -> None:
    wide, other = skip("ip.src in {0.0.0.0/1}"), rule("other", "block", HOST)
    first, _second = unmanaged({CUSTOM_RULES.plural: [wide, other]}, (CUSTOM_RULES, []))
    assert (first["weakens"], first["reason"]) == (False, "lets every request from 0.0.0.0/1 skip the remaining rules")


@pytest.mark.parametrize(
    ("resource", "expression", "reason"),
    [
        (CUSTOM_RULES, 'http.host eq "a"', "may match everything, since the name of the zone is not known"),
        (CUSTOM_RULES, 'http.host eq "a" and http.request.uri.path eq "/"', ""),
        (NETWORK_FIREWALL_RULES, "ip.dst in {192.0.2.0/24}", "may match everything, since the protected prefixes are not known"),
    ],
)  # fmt: skip
def test_a_rule_by_hand_may_be_wide_if_the_names_cannot_be_read(
    resource: Resource, expression: str, reason: str
) -> None:
    (record,) = unmanaged({resource.plural: [rule("a", "block", expression)]}, (resource, []))
    assert (record["weakens"], record["reason"]) == (False, reason)


def test_a_wide_rule_behind_a_described_one_that_does_as_much_is_met_by_nothing() -> None:
    closed, wide = rule("closed", "block", "true"), rule("wide", "block", "ssl")
    (record,) = unmanaged({CUSTOM_RULES.plural: [closed, wide]}, (CUSTOM_RULES, [closed]))
    assert (record["weakens"], record["reason"]) == (False, "")


def test_the_addresses_of_a_list_make_a_rule_by_hand_wide() -> None:
    by_list = rule("wide", "block", "ip.src in $all")
    state = {CUSTOM_RULES.plural: [by_list], items_of("all").plural: [{"ip": "0.0.0.0/1"}]}
    (record,) = unmanaged(state, (CUSTOM_RULES, []))
    assert record["reason"] == "blocks every request from 0.0.0.0/1"


def test_firewall_rules_count_in_the_order_of_their_evaluation() -> None:
    def firewall(number: int, action: str, priority: int) -> Rule:
        condition = {"expression": "true", "paused": False}
        return {"id": f"{number:032x}", "action": action, "priority": priority, "paused": False, "filter": condition}

    for priority, weakens in ((1, True), (9, False)):
        rules = [firewall(1, "block", 5), firewall(2, "allow", priority)]
        (record,) = unmanaged({FIREWALL_RULES.plural: rules}, (FIREWALL_RULES, rules[:1]))
        assert record["weakens"] is weakens


@pytest.mark.parametrize("paused", [True, "true"])
@pytest.mark.parametrize("place", ["rule", "filter"])
def test_flags_are_compared_as_values(paused: Any, place: str) -> None:
    on: Rule = {"id": "a" * 32, "action": "block", "paused": False, "filter": {"expression": "ssl"}}
    off = {**on, "paused": paused} if place == "rule" else {**on, "filter": {"expression": "ssl", "paused": paused}}
    (record,) = weaker_in({FIREWALL_RULES.plural: [off]}, {FIREWALL_RULES.plural: [on]})
    assert record["reason"] == "is off, and the baseline turns it on"


SSL = rule("tls", "block", "ssl")
CHANGES: list[tuple[list[Rule], list[Rule], list[tuple[bool, str]]]] = [
    ([LOGIN], [LOGIN], []),
    ([rule("login", "block", "false")], [LOGIN], [(True, "matches fewer requests than described")]),
    ([rule("login", "block", HOST + " and ssl")], [LOGIN], [(True, "matches fewer requests than described")]),
    ([rule("login", "block", 'http.host eq "b"')], [LOGIN], [(True, "matches fewer requests than described")]),
    ([rule("login", "block", "ssl")], [LOGIN], [(False, "may match fewer requests than described")]),
    ([rule("login", "block", HOST + " or ssl")], [LOGIN], []),
    ([rule("login", "block", 'http.host in {"a"}')], [LOGIN], []),
    ([rule("login", "log", "false")], [LOGIN], [(True, "has the action log, and the baseline says block")]),
    ([skip(HOST), LOGIN], [{**skip(HOST), "enabled": False}, LOGIN], [(True, "lets requests pass, and the baseline does not")]),
    ([skip(HOST)], [{**skip(HOST), "enabled": False}], []),
    ([skip(HOST)], [rule("pass", "block", HOST)], [(True, "has the action skip, and the baseline says block")]),
    ([LOGIN], [{**LOGIN, "enabled": False}], []),
    ([LOGIN], [skip(HOST, "login")], []),
    ([skip("true"), SSL], [skip(HOST), SSL], [(True, "lets more requests pass than described")]),
    ([skip("ssl"), SSL], [skip(HOST), SSL], [(False, "may let more requests pass than described")]),
    ([skip("true")], [skip(HOST)], []),
    ([skip(HOST + " and ssl")], [skip(HOST)], []),
    ([skip(HOST, ruleset="current", products=["waf"])], [skip(HOST)], [(True, "skips more than described (products waf)")]),
    ([skip(HOST), LOGIN], [LOGIN, skip(HOST)], [(True, "lets requests pass that custom rule login would stop")]),
    ([LOGIN, skip(HOST)], [skip(HOST), LOGIN], []),
    ([skip('http.host eq "b"'), LOGIN], [LOGIN, skip('http.host eq "b"')], []),
    ([skip(HOST), LOGIN], [LOGIN], [(True, "lets requests pass that custom rule login would stop")]),
    ([LOGIN, skip(HOST)], [LOGIN], []),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "lacks"), CHANGES)
def test_a_rule_enforces_less_before_a_plan(before: list[Rule], after: list[Rule], lacks: list[Any]) -> None:
    records = weaker_in({CUSTOM_RULES.plural: before}, {CUSTOM_RULES.plural: after})
    assert [(item["certain"], item["reason"]) for item in records] == lacks
    assert {item["resource"] for item in records} <= {"custom_rule"}


WEAK = {"ref": "weak", "expression": "true", "action": "log"}
STRICT = {"ref": "strict", "expression": "true", "action": "block"}


def test_an_override_that_logs_is_a_hole_unless_a_named_one_decides_before_it() -> None:
    (record,) = unmanaged({L4_OVERRIDES.plural: [WEAK]}, (L4_OVERRIDES, []))
    assert (record["weakens"], record["reason"]) == (True, "sets the action log for all managed rules")
    (record,) = unmanaged({L4_OVERRIDES.plural: [STRICT, WEAK]}, (L4_OVERRIDES, [STRICT]))
    assert record["weakens"] is False


@pytest.mark.parametrize(
    "values",
    [
        {"action": "interactive"},
        {"sensitivity": "paranoid"},
        {"categories": [{"category": "udp", "action": "interactive"}]},
        {"categories": [{"category": "udp", "enabled": False}]},
        {"action": "block", "action_parameters": {"overrides": {"enabled": False}}},
        {"other_rule": {"action": "log"}},
    ],
)
def test_an_override_that_is_not_understood_may_let_more_pass(values: Rule) -> None:
    override = {"ref": "odd", "expression": "true", **values}
    (record,) = unmanaged({L4_OVERRIDES.plural: [override]}, (L4_OVERRIDES, []))
    assert (record["weakens"], record["reason"]) == (None, "is not understood, and may let more of an attack pass")
    (record,) = unmanaged({L4_OVERRIDES.plural: [{**override, "enabled": False}]}, (L4_OVERRIDES, []))
    assert record["weakens"] is False


def test_an_override_that_lets_more_pass_than_described_is_weaker() -> None:
    weak, strict = ({"ddos_l7_overrides": [item]} for item in (WEAK, {**WEAK, "action": "block"}))
    (record,) = weaker_in(weak, strict)
    assert (record["resource"], record["key"], record["certain"]) == ("ddos_l7_override", "weak", True)
    assert weaker_in(strict, weak) == []


ITEMS = items_of("office")
LIST_RULES = [
    {"ref": "pass", "action": "skip", "expression": "ip.src in $office", "action_parameters": {"ruleset": "current"}},
    {"ref": "wall", "action": "block", "expression": "ip.src in {192.0.2.0/24}"},
]


def state_of(*addresses: str, rules: Any = None, **fields: Any) -> dict[str, Any]:
    office = {"id": "c", "name": "office", "kind": "ip", "num_referencing_filters": 1, **fields}
    items = [{"ip": ip, "modified_on": "2026-11-20T00:00:00Z"} for ip in addresses]
    return {
        LISTS.plural: [office],
        ITEMS.plural: items,
        "network_firewall_rules": LIST_RULES if rules is None else rules,
    }


def desired_of(*addresses: str) -> list[Desired]:
    items = [(Option("items", index), {"ip": ip}) for index, ip in enumerate(addresses)]
    return [parse_desired(LISTS, [(Option(), {"name": "office"})]), parse_desired(ITEMS, items)]


def lists_beside(desired: Sequence[Desired], state: State) -> list[Any]:
    """The records of lists if all rules of the state are those of the task."""
    return [*unmanaged_lists(desired, state, state)]


def test_an_item_is_a_hole_unless_named_items_have_its_addresses() -> None:
    desired = desired_of("192.0.2.0/28")
    (record,) = lists_beside(desired, state_of("192.0.2.0/28", "192.0.2.9", "192.0.2.99"))
    assert record == {
        "resource": "ip_list_item",
        "key": "office 192.0.2.99",
        "weakens": True,
        "reason": "lets packets pass that Network Firewall rule wall would stop, by the Network Firewall rule pass",
        "since": "2026-11-20T00:00:00Z",
    }
    assert [item["ip"] for item in unmanaged_items(desired[1], state_of("192.0.2.0/28", "192.0.2.9"))] == ["192.0.2.9"]


def test_many_items_are_judged_together() -> None:
    many = [f"192.0.2.{number}" for number in range(MOST_SINGLE_ITEMS + 1)]
    records = lists_beside(desired_of(), state_of(*many))
    assert {record["weakens"] for record in records} == {None}
    assert len(records) == len(many)
    assert lists_beside(desired_of(), state_of(*many, rules=LIST_RULES[1:], num_referencing_filters=0)) == []


def test_a_list_of_another_kind_is_not_judged() -> None:
    desired = [parse_desired(LISTS, [])]
    assert lists_beside(desired, state_of(kind="redirect")) == []
    assert [record["key"] for record in lists_beside(desired, state_of())] == ["office"]


def test_a_plan_that_takes_items_from_a_skip_mends_a_weaker_list() -> None:
    (record,) = weaker_in(state_of("192.0.2.9"), state_of())
    assert (record["key"], record["certain"]) == ("office", True)
    assert record["reason"].startswith("has 192.0.2.9, otherwise than described, and lets packets pass")
    assert weaker_in(state_of(), state_of("192.0.2.9")) == []
