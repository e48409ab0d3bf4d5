# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.unmanaged import parse_accepted
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.acknowledged import (
    Acknowledging,
    accepted_risks,
    expiring,
    parse_acknowledged,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.coverage import AccountCoverage

NOON = datetime(2026, 6, 30, 12, tzinfo=timezone.utc)
NETWORK = range_of("192.0.2.0/24") or (0, 0)
REASON = {"reason": "tests", "expires": "2026-07-01"}


def acknowledging(*entries: Any, now: datetime = NOON) -> Acknowledging:
    return Acknowledging(parse_acknowledged([{**REASON, **entry} for entry in entries]), now)


def coverage(**others: Any) -> AccountCoverage:
    values: dict[str, Any] = {"enabled": True, "effective": True, "protected": [NETWORK], "excluded": []}
    return AccountCoverage(**{**values, "uncovered": [], "bypassing": [], **others})


OFF = coverage(enabled=False, reasons=["TCP protection is off."])
EMPTY = coverage(protected=[], reasons=["There is no protected prefix."])
IDLE = coverage(
    uncovered=[NETWORK],
    pieces={"syn_flood": [([NETWORK], frozenset(["off"]))], "out_of_state_tcp": [([NETWORK], frozenset(["enabled"]))]},
)


@pytest.mark.parametrize(
    ("state", "entry"),
    [
        (OFF, {"state": "protection_off"}),
        (EMPTY, {"state": "no_protected_prefix"}),
        (IDLE, {"state": "uncovered", "networks": ["192.0.2.0/24"]}),
        (IDLE, {"state": "uncovered", "networks": ["192.0.2.0/23"], "components": ["syn_flood"]}),
    ],
)
def test_an_accepted_state_is_a_reason_once_the_acceptance_expires(
    state: AccountCoverage, entry: dict[str, Any]
) -> None:
    assert Acknowledging().unprotected(state)
    assert acknowledging(entry).unprotected(state) == []
    (record,) = acknowledging(entry).records(state)
    assert (record["state"], record["reason"]) == (entry["state"], "tests")
    later = acknowledging(entry, now=NOON + timedelta(days=2))
    assert later.unprotected(state)[-1].startswith("It was acknowledged (tests) until 2026-07-02")
    assert later.records(state) == []


@pytest.mark.parametrize(
    ("state", "entry"),
    [
        (OFF, {"state": "no_protected_prefix"}),
        (IDLE, {"state": "uncovered", "networks": ["192.0.2.0/25"]}),
        (IDLE, {"state": "uncovered", "networks": ["192.0.2.0/24"], "components": ["out_of_state_tcp"]}),
    ],
)
def test_an_entry_for_something_else_acknowledges_nothing(state: AccountCoverage, entry: dict[str, Any]) -> None:
    assert acknowledging(entry).unprotected(state)


def test_an_account_in_order_needs_no_entry() -> None:
    assert Acknowledging().unprotected(coverage()) == []
    assert acknowledging({"state": "protection_off"}).records(coverage()) == []


def test_announced_networks_are_acknowledged_one_by_one() -> None:
    announced: Any = {"networks": [], "unprotected": ["192.0.2.0/24"], "not_known": []}
    half = acknowledging({"state": "announced", "networks": ["192.0.2.0/25"]})
    (sentence,) = half.unnamed(announced)
    assert "192.0.2.128/25" in sentence
    assert Acknowledging().unnamed(None) == []


NOW = datetime(2026, 11, 21, 10, tzinfo=timezone.utc)
SOON, LATER, OVER = "2026-12-01", "2026-12-24", "2026-11-20"


def parts(**options: Any) -> list[Part]:
    return [
        Part("account_protection", options),
        Part("custom_rules", {"accept_risks": options.get("accept_risks", [])}),
    ]


def test_accepted_risks_in_force_keep_their_reason_and_their_end() -> None:
    elements = [
        "empties_list",
        {"code": "broad_allowlist", "networks": ["8.0.0.0/8"], "reason": "OPS-1", "expires": SOON},
        {"code": "mass_deletion", "expires": OVER},
    ]
    forever, bound = accepted_risks(parts(accept_risks=elements), NOW)
    assert (forever["code"], forever["expires"], forever["networks"]) == ("empties_list", None, [])
    assert bound == {
        "code": "broad_allowlist",
        "networks": ["8.0.0.0/8"],
        "entries": [],
        "reason": "OPS-1",
        "expires": "2026-12-02T00:00:00+00:00",
    }


def test_ends_within_two_weeks_are_listed_once_the_first_end_first() -> None:
    options = {
        "prefixes": [{"prefix": "192.0.2.0/24", "expires": "2026-11-22T08:00:00+01:00"}, {"prefix": "198.51.100.0/24"}],
        "allowlist": [{"prefix": "203.0.113.7", "expires": when} for when in (LATER, OVER, "no date")],
        "accept_risks": [{"code": "broad_allowlist", "expires": SOON}],
    }
    accepted = parse_accepted([{"resource": "allowlist_entry", "keys": ["8.*"], "reason": "probes", "expires": SOON}])
    states = parse_acknowledged([{"state": "uncovered", "networks": ["8.8.8.8"], "reason": "lab", "expires": SOON}])
    listed = expiring(parts(**options), accepted, NOW, states)
    assert [(item["title"], item["key"], item["expires"]) for item in listed] == [
        ("protected prefix", "192.0.2.0/24", "2026-11-22T07:00:00+00:00"),
        ("accepted allowlist_entry", "8.*", "2026-12-02T00:00:00+00:00"),
        ("accepted risk", "broad_allowlist", "2026-12-02T00:00:00+00:00"),
        ("acknowledged state", "uncovered 8.8.8.8/32", "2026-12-02T00:00:00+00:00"),
    ]


def test_a_malformed_acceptance_is_left_to_the_module_that_refuses_it() -> None:
    wrong = parts(accept_risks=["no_risk"])
    assert accepted_risks(wrong, NOW) == []
    assert expiring(wrong, [], NOW) == []
