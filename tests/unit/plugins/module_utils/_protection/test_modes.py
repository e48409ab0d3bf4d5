# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which mode applies to which addresses of a component, and what decides on it."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.components import component, components
from ansible_collections.edgeops.protection.plugins.module_utils._protection.modes import in_order
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import count, range_of

from tests.support.coverage_model import HALF, Entry, account_state, filter_, rule

ALL = [range_of("192.0.2.0/24") or (0, 0)]
PART = "tcp.dstport eq 80"
MODES: list[tuple[str, list[Entry], list[Entry], dict[str, int]]] = [
    ("nothing is off", [], [], {"off": 256}),
    ("a global rule decides", [rule("enabled")], [], {"enabled": 256}),
    ("upper and lower case do not differ", [rule("Enabled", "GLOBAL")], [], {"enabled": 256}),
    ("a rule for one region leaves the others off", [rule("enabled", "region", "WEUR")], [], {"enabled or off": 256}),
    ("scopes differ", [rule("enabled"), rule("disabled", "datacenter", "lax")], [], {"enabled or disabled": 256}),
    ("scopes that do not differ", [rule("enabled"), rule("enabled", "region", "WEUR")], [], {"enabled": 256}),
    ("a filter beats a rule", [rule("enabled")], [filter_("disabled", HALF)], {"enabled": 128, "disabled": 128}),
    ("a filter beats the rule of any scope", [rule("enabled", "datacenter", "lax")], [filter_("monitoring", "true")], {"monitoring": 256}),
    ("an enabled filter is asked first", [], [filter_("disabled", HALF), filter_("enabled", HALF)], {"enabled": 128, "off": 128}),
    ("a monitoring filter before a disabled one", [], [filter_("disabled", HALF), filter_("monitoring", HALF)], {"monitoring": 128, "off": 128}),
    ("a filter for some traffic", [rule("enabled")], [filter_("disabled", PART)], {"enabled or disabled": 256}),
    ("a filter that matches nothing here", [rule("enabled")], [filter_("disabled", "ip.dst eq 198.51.100.1")], {"enabled": 256}),
    ("an expression that is not understood", [rule("enabled")], [filter_("disabled", "ip.dst in $list")], {"enabled or undecided": 256}),
    ("a mode that is not known", [rule("aggressive")], [], {"undecided": 256}),
    ("a scope that is not known", [rule("enabled"), rule("enabled", "planet", "mars")], [], {"enabled or undecided": 256}),
    ("a filter with a mode that is not known", [rule("enabled")], [filter_("new", HALF)], {"enabled": 128, "enabled or undecided": 128}),
    ("two global rules with different modes", [rule("enabled"), rule("disabled")], [], {"enabled or disabled or undecided": 256}),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "filters", "modes"), [row[1:] for row in MODES], ids=[row[0] for row in MODES])
def test_which_mode_applies(rules: list[Entry], filters: list[Entry], modes: dict[str, int]) -> None:
    protection = component("syn_flood", account_state(syn_flood_rules=rules, syn_flood_filters=filters))
    assert {" or ".join(in_order(of)): count(ranges) for ranges, of in protection.pieces(ALL)} == modes
    assert bool(protection.undecided) is any("undecided" in words for words in modes)


@pytest.mark.parametrize(
    ("address", "deciders"),
    [
        ("192.0.2.1", [("monitoring", "filter tcp.dstport eq 80", "some"), ("disabled", f"filter {HALF}", "all")]),
        ("192.0.2.129", [("monitoring", "filter tcp.dstport eq 80", "some"), ("monitoring", "rule region WEUR", "some"),
         ("enabled", "rule global", "all")]),
        ("192.0.2.200", [("enabled", "filter ip.dst eq 192.0.2.200", "all")]),
    ],
)  # fmt: skip
def test_deciders_are_named_in_the_order_of_precedence(address: str, deciders: list[tuple[str, str, str]]) -> None:
    rules = [rule("monitoring", "region", "WEUR"), rule("enabled")]
    filters = [filter_("disabled", HALF), filter_("monitoring", PART), filter_("enabled", "ip.dst eq 192.0.2.200")]
    state = account_state(syn_flood_rules=rules, syn_flood_filters=filters)
    network = range_of(address)
    assert network
    decided = component("syn_flood", state).deciders(network)
    assert [(item["mode"], item["decided_by"], item["traffic"]) for item in decided] == deciders
    assert component("out_of_state_tcp", state).deciders(network) == [
        {"mode": "off", "decided_by": None, "traffic": "all"}
    ]


def test_a_component_whose_rules_and_filters_are_not_known_is_undecided() -> None:
    protection = component("out_of_state_tcp", {})
    assert protection.undecided == ["The rules and filters of out-of-state TCP protection are not known."]
    assert [in_order(modes) for dummy, modes in protection.pieces(ALL)] == [["off", "undecided"]]


def test_a_component_without_filters_is_decided_by_its_rules() -> None:
    protection = component("dns", {"dns_rules": [rule("enabled"), rule("monitoring", "region", "WEUR")]})
    assert [in_order(modes) for dummy, modes in protection.pieces(ALL)] == [["enabled", "monitoring"]]
    assert (protection.title, protection.deciding_kinds, protection.is_switched) == ("DNS protection", ("rule",), False)
    assert component("dns", {}).undecided == ["The rules of DNS protection are not known."]


def test_a_component_that_was_not_read_on_demand_is_left_out() -> None:
    assert [item.kind for item in components(account_state())] == ["syn_flood", "out_of_state_tcp"]
    assert [item.kind for item in components({})] == ["syn_flood", "out_of_state_tcp"]
    read = components(account_state(dns_rules=[]))
    assert [(item.kind, item.is_switched) for item in read][1:] == [("out_of_state_tcp", True), ("dns", False)]
