# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whoever takes protection away by hand from a host in order is found by the report, and nobody is blamed who does not:
random changes against a small model of docs/report.md. `make plans` compares 1,000."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import BY_OWNER, codes_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import HostRecord
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results
from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.models.plan_model import Item
from tests.evidence.models.random_holes import Change, accounts, changed, key_of, zones
from tests.evidence.models.random_plans import plans
from tests.evidence.models.traffic_model import (
    custom_in_order,
    is_unprotected,
    lets_pass_too_much,
    loses,
    rule_lacks,
)
from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC).isoformat()
RED = ("unprotected", "weakened")


@pytest.fixture
def outcomes(record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """How many changes took protection away, which docs/evidence.md shows; neither kind may be rare."""
    counted: Counter[str] = Counter()
    yield counted
    record_property("holes", dict(counted))
    assert all(counted[end] >= counted.total() // 10 for end in ("found", "harmless")), counted


def hold(service: LocalService, state: Item) -> None:
    service.reset()
    service.switch(checked_against_contract=False)
    lists: Item = {kind: {name: state[name][kind] for name in ("rules", "filters")} for kind in state["rules"]}
    service.account(ACCOUNT).seed(
        enabled=state["enabled"], prefixes=state["prefixes"], allowlist=state["allowlist"], **lists
    )


def task_of(baseline: Item, purge: bool) -> Item:
    """The options of account_protection for a baseline."""
    several = {
        name: [{"kind": kind, **item} for kind, items in baseline[name].items() for item in items]
        for name in ("rules", "filters")
    }
    lists = {**{name: baseline[name] for name in ("prefixes", "allowlist")}, **several}
    purged = [name for name in lists if lists[name]] if purge else []
    return {"enabled": True, **lists, "purge": purged, "accept_risks": list(codes_of(BY_OWNER["account_id"]))}


def record_of(module: str, result: Item) -> HostRecord:
    assert not result.get("failed"), result
    return host_record(host_results("lima", {}, {module: result}), NOW)


def has_hole(baseline: Item, existing: Item, made: list[Change], purged: list[str]) -> bool:
    """What the page says: the baseline's objects protect less than described, a purge would take away what protects less,
    or an object that no baseline names would take protection away by itself."""
    strange = [change for change in made if change.before is None and change.where[0] not in purged]
    after = existing
    for change in made:
        if change not in strange:
            after = changed(after, Change(change.where, change.after, change.before))
    return loses(after, existing) or any(loses(baseline, changed(baseline, change)) for change in strange)


@given(state=accounts(), purge=st.booleans())
@plans(1.2)
def test_a_hole_in_an_account_is_found_and_nobody_else_is_blamed(
    state: tuple[Item, list[Change]], purge: bool, service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    baseline, made = state
    existing = baseline
    for change in made:
        existing = changed(existing, change)
    task = task_of(baseline, purge)
    hold(service, existing)
    record = record_of("account_protection", modules.run("account_protection", check=True, **task))
    hole = has_hole(baseline, existing, made, task["purge"])
    unprotected = is_unprotected(existing)
    assert (record["status"] in RED) == (hole or unprotected), (record["status"], record["reasons"], baseline, made)
    assert (record["status"] == "unprotected") == unprotected, (record["reasons"], baseline, made)
    strange = [change for change in made if change.before is None and change.where[0] not in task["purge"]]
    expected = {key_of(change.after or {}): loses(baseline, changed(baseline, change)) for change in strange}
    named = {blame_key(item): item["weakens"] for item in record["unmanaged"]}
    assert named == {" ".join(dict.fromkeys(key)).lower(): hole for key, hole in expected.items()}, (baseline, made)
    outcomes["found" if hole else "harmless"] += 1


def blame_key(item: Any) -> str:
    return str(item["key"]).lower()


@given(zone=zones(), exact=st.booleans())
@plans(0.5)
def test_a_hole_in_a_zone_is_found_and_nobody_else_is_blamed(
    zone: tuple[list[Item], list[Item]], exact: bool, service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    baseline, existing = zone
    service.reset()
    service.zone(ZONE).seed(custom_rules=existing)
    state = "exact" if exact else "present"
    result = modules.run(
        "custom_rules", check=True, rules=baseline, state=state, accept_risks=list(codes_of(BY_OWNER["zone_id"]))
    )
    record = record_of("custom_rules", result)
    in_order = custom_in_order(existing)
    by_ref, described = ({rule.key: rule for rule in rules} for rules in (in_order, custom_in_order(baseline)))
    lacking = any(rule_lacks(rule, by_ref.get(ref)) for ref, rule in described.items())
    hand = next((index for index, rule in enumerate(in_order) if rule.key == "hand"), None)
    behind = [described[rule.key] for rule in in_order[hand + 1 :]] if hand is not None else []
    passing = hand is not None and lets_pass_too_much(in_order[hand], behind)
    if lacking or passing:
        assert record["status"] == "weakened", (record["reasons"], baseline, existing)
    elif record["status"] == "weakened":  # what is not proven may take protection away, and is said so
        assert all(" may " in reason for reason in record["reasons"] if "difference" not in reason), record["reasons"]
        outcomes["not proven"] += 1
    outcomes["found" if lacking or passing else "harmless"] += 1
