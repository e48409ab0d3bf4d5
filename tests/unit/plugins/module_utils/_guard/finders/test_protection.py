# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a finder says of a change of the protection; which change carries which risk is a table of the functional tests."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.base import Change
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.registry import find_risks
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.unprotecting import unprotects_addresses
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import ALL_RISKS
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.worse import worse
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    FILTERS,
    PREFIXES,
    RULES,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    intersection,
    range_of,
    union,
)
from hypothesis import given

from tests.support.changes import changes_of
from tests.support.coverage_model import ADDRESSES, Entry, account_state, filter_, protects, rule
from tests.support.coverage_model import PREFIXES as PREFIX_LISTS


@given(PREFIX_LISTS, PREFIX_LISTS)
def test_a_plan_that_protects_more_carries_no_risk_for_its_addresses(before: list[Entry], after: list[Entry]) -> None:
    was, becomes = Coverage({"prefixes": before}), Coverage({"prefixes": after})
    change = Change(Plan({}, ()), was, becomes, worse)
    actual = unprotects_addresses.find(change, Limits())
    lost = [address for address in ADDRESSES if protects(before, address) and not protects(after, address)]
    ranges = [] if actual is None else actual[1]
    assert [address for address in ADDRESSES if intersection(ranges, union(filter(None, [range_of(address)])))] == lost
    assert (actual is None) is (not lost)
    if not lost:
        assert find_risks(change, Limits(), ALL_RISKS) == []


def test_objects_that_disable_the_protection_are_named_and_new_ones_are_not() -> None:
    state = account_state(syn_flood_rules=[{"id": "1", **rule("enabled")}])
    change = changes_of(
        state,
        parse_desired(STATUS, numbered("status", [{"enabled": False}])),
        parse_desired(RULES[0], numbered("rules", [{**rule("disabled")}, {**rule("disabled", "region", "WEUR")}])),
        parse_desired(ALLOWLIST, numbered("entries", [{"prefix": "198.51.100.7"}])),
    )
    (risk,) = find_risks(change, Limits(), ALL_RISKS)
    assert (risk.code, risk.record()["entries"]) == (
        "disables_protection",
        ["tcp_protection_status", "syn_flood global"],
    )
    assert risk.message.startswith("TCP protection would be switched off; SYN flood protection would have no working")


def test_objects_that_stop_mitigation_are_named_and_others_of_the_plan_are_not() -> None:
    existing = [
        {"id": str(number), **item} for number, item in enumerate([rule("enabled"), rule("enabled", "region", "WEUR")])
    ]
    rules = [{"scope": "global", "mode": "monitoring"}, {"scope": "region", "name": "WEUR", "rate_sensitivity": "high"}]
    change = changes_of(
        account_state(syn_flood_rules=existing),
        parse_desired(RULES[0], numbered("rules", rules)),
        parse_desired(FILTERS[0], numbered("filters", [filter_("monitoring", "ip.dst in {192.0.2.0/24}")])),
        parse_desired(RULES[1], numbered("rules", [rule("monitoring")])),
    )
    (risk,) = find_risks(change, Limits(), ALL_RISKS)
    assert (risk.code, sorted(risk.record()["entries"])) == (
        "stops_mitigation",
        ["syn_flood global", "syn_flood ip.dst in {192.0.2.0/24}"],
    )


def test_a_rule_that_goes_is_named_if_it_stops_mitigation() -> None:
    existing = [{"id": "1", **rule("monitoring")}, {"id": "2", **rule("enabled", "region", "WEUR")}]
    entries = [{"scope": "region", "name": "WEUR"}]
    gone = parse_desired(RULES[0], numbered("rules", entries), absent=True)
    (risk,) = find_risks(changes_of(account_state(syn_flood_rules=existing), gone), Limits(), ALL_RISKS)
    assert (risk.code, risk.record()["entries"]) == ("stops_mitigation", ["syn_flood region WEUR"])


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [(True, True, ["stops_mitigation"]), (True, False, ["disables_protection"]), (False, True, []), (False, False, [])],
)
def test_no_mitigation_stops_while_the_status_is_off(before: bool, after: bool, codes: list[str]) -> None:
    state = account_state(status=[{"enabled": before}], syn_flood_rules=[{"id": "1", **rule("enabled")}])
    change = changes_of(
        state,
        parse_desired(STATUS, numbered("status", [{"enabled": after}])),
        parse_desired(RULES[0], numbered("rules", [rule("monitoring")])),
    )
    assert [risk.code for risk in find_risks(change, Limits(), ALL_RISKS)] == codes


def test_only_prefixes_that_take_addresses_out_of_protection_are_named() -> None:
    prefixes = [{"id": "1", "prefix": "192.0.2.0/24", "excluded": False}]
    excluded = [{"prefix": prefix, "excluded": True} for prefix in ("192.0.2.8/29", "203.0.113.0/24")]
    change = changes_of(
        account_state(prefixes=prefixes),
        parse_desired(PREFIXES, numbered("prefixes", excluded)),
        parse_desired(ALLOWLIST, numbered("entries", [{"prefix": "192.0.2.9"}])),
    )
    risks = {risk.code: risk.record()["entries"] for risk in find_risks(change, Limits(), ALL_RISKS)}
    assert risks["unprotects_addresses"] == ["192.0.2.8/29"]
