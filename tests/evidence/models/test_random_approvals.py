# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random plans are approved, somebody else changes the state, and the approved plan is applied: whatever is applied is
what was approved. `make plans` tries 1,000 of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.evidence.models.plan_model import Item
from tests.evidence.models.random_plans import ACCOUNT_TASKS, ACCOUNTS, KINDS, NOW, plans
from tests.evidence.models.random_zones import FIREWALL_TASKS, custom_plans, firewalls
from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules

STAMPS = ("created_on", "modified_on", "version", "last_updated")  # set by the service at each change
OTHER: dict[str, Any] = {  # by field, the values that somebody else may give it
    "comment": ["by hand", ""],
    "description": ["by hand", ""],
    "excluded": [True, False],
    "enabled": [True, False],
    "paused": [True, False],
    "mode": ["enabled", "monitoring", "disabled"],
    "rate_sensitivity": ["low", "high"],
    "action": ["log", "block", "challenge"],
    "priority": [1, 2, None],
    "future": [{"by": "somebody"}, 7],
}
NUMBERS = st.integers(0, 20)
CHANGES = st.lists(
    st.tuples(st.sampled_from(["set", "set", "set", "first", "delete"]), NUMBERS, NUMBERS, NUMBERS), max_size=3
)
Collections = list[list[Item]]


def change(collections: Collections, changes: Iterable[tuple[str, int, int, int]]) -> None:
    """Let somebody else change, delete or move objects."""
    for kind, number, field, choice in changes:
        places = [(items, index) for items in collections for index in range(len(items))]
        if not places:
            return
        items, index = places[number % len(places)]
        if kind == "delete":
            del items[index]
        elif kind == "first":
            items.insert(0, items.pop(index))
        else:
            names = [name for name in OTHER if name in items[index] or name == "future"]
            values = OTHER[names[field % len(names)]]
            items[index][names[field % len(names)]] = values[choice % len(values)]


def by_id(collections: Collections) -> dict[str, Item]:
    """The objects without what the service sets at each change."""
    every = (item for items in collections for item in items)
    return {
        item["id"]: {name: value for name, value in item.items() if name not in STAMPS} for item in deepcopy([*every])
    }


def whole(diff: Item) -> Item:
    """A diff without the coverage, which objects that the plan leaves alone change too."""
    return {side: {name: value for name, value in diff[side].items() if name != "coverage"} for side in diff}


def begin(service: LocalService) -> None:
    """An empty service, in which somebody else may set fields that its contract does not have."""
    service.reset()
    service.switch(checked_against_contract=False)
    service.clock.set(NOW)


def approve_and_apply(
    service: LocalService,
    modules: Modules,
    module: str,
    options: Item,
    collections: Callable[[], Collections],
    changes: list[tuple[str, int, int, int]],
    outcomes: Counter[str],
) -> None:
    """Predict, change the state, apply with the approval of the prediction, and compare."""
    predicted = modules.run(module, check=True, **options)
    if predicted.get("failed") and predicted.get("risks"):
        options = {**options, "accept_risks": [risk["code"] for risk in predicted["risks"]]}
        predicted = modules.run(module, check=True, **options)
    assume(not predicted.get("failed") and predicted["changed"])
    approved = by_id(collections())
    change(collections(), changes)
    before = by_id(collections())
    service.calls.clear()
    result = modules.run(module, **options, expected_plan=predicted["plan_id"])
    after = by_id(collections())
    if result.get("failed") or not result["changed"]:
        assert service.writes == []
        assert before != approved or list(before) != list(approved)
        outcomes["refused" if result.get("failed") else "not needed"] += 1
        return
    assert whole(result["diff"]) == whole(predicted["diff"])
    assert result["operations"] == predicted["operations"]
    touched = [identity for identity, obj in before.items() if after.get(identity) != obj]
    assert [before[identity] for identity in touched] == [approved[identity] for identity in touched]
    outcomes["applied after a change" if before != approved else "applied"] += 1


@pytest.fixture
def outcomes(record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """What became of the approvals of a test, of which neither the refused nor the applied ones are too few."""
    counted: Counter[str] = Counter()
    yield counted
    record_property("approvals", dict(counted))
    applied = counted["applied"] + counted["applied after a change"]
    assert min(counted["refused"], applied) >= counted.total() // 100, counted


@given(existing=ACCOUNTS, task=ACCOUNT_TASKS, changes=CHANGES)
@plans(0.6)
def test_an_approved_plan_for_an_account(
    existing: Item,
    task: tuple[str, Item],
    changes: list[tuple[str, int, int, int]],
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
) -> None:
    begin(service)
    account = service.account(ACCOUNT).seed(**existing)

    def collections() -> Collections:
        kinds = [lists[kind] for lists in (account.rules, account.filters) for kind in KINDS]
        return [account.prefixes, account.allowlist, *kinds, account.dns_rules]

    approve_and_apply(service, modules, *task, collections, changes, outcomes)


@given(existing=firewalls(), task=FIREWALL_TASKS, changes=CHANGES)
@plans(0.5)
def test_an_approved_plan_for_firewall_rules(
    existing: list[Item],
    task: Item,
    changes: list[tuple[str, int, int, int]],
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
) -> None:
    begin(service)
    zone = service.zone(ZONE).seed(rules=existing)
    approve_and_apply(service, modules, "firewall_rules", task, lambda: [zone.rules], changes, outcomes)


@given(plan=custom_plans(), changes=CHANGES)
@plans(0.6)
def test_an_approved_plan_for_custom_rules(
    plan: tuple[list[Item], Item],
    changes: list[tuple[str, int, int, int]],
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
) -> None:
    existing, task = plan
    begin(service)
    zone = service.zone(ZONE).seed(custom_rules=existing)
    approve_and_apply(service, modules, "custom_rules", task, lambda: [zone.custom_rules], changes, outcomes)
