# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.acknowledged import (
    Acknowledging,
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
