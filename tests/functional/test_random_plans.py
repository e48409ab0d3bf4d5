# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random plans against a model of the docs: predicted, applied, and applied again. `make plans` compares 2,000 of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis.strategies import booleans

from tests.conftest import RANDOM_PLANS
from tests.fake_service import LocalService
from tests.functional import plan_model as model
from tests.functional.plan_model import Item, Refused
from tests.functional.random_plans import (
    ACCOUNT_TASKS,
    ACCOUNTS,
    CUSTOM_EXISTING,
    FIREWALL_TASKS,
    KINDS,
    NOW,
    custom_tasks,
    firewalls,
)
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.service_state import comparable as comparable_result

ONE_SERVICE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
LISTED = {"protected_prefixes": "prefixes", "allowlist": "allowlist", "account_protection": ""}
SINGLE = {
    "allowlist_entry": "allowlist",
    "protection_rule": "rules",
    "protection_filter": "filters",
    "dns_protection_rule": "dns_rules",
}


Lists = dict[tuple[str, str], list[Item]]  # by collection and kind


def plans(share: float) -> settings:
    """So much of all random plans."""
    phases = (Phase.explicit, Phase.generate)  # a plan is small enough to be read as it is
    return settings(suppress_health_check=ONE_SERVICE, phases=phases, max_examples=max(1, int(RANDOM_PLANS * share)))


OTHER_PLAN = "0" * 64
FEWEST_APPLIED = 1 / 4  # of the plans; what is refused or changes nothing says less


@pytest.fixture
def outcomes(record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """How many plans of a test were applied, refused, or changed nothing; docs/evidence.md has the numbers."""
    counted: Counter[str] = Counter()
    yield counted
    record_property("plans", dict(counted))
    assert counted["applied"] >= FEWEST_APPLIED * counted.total(), counted


def applied(
    service: LocalService, modules: Modules, outcomes: Counter[str], module: str, options: Item, refused: bool
) -> Item | None:
    """Predict, apply what was predicted and nothing else, and apply again; the result, or None where the task fails.

    Every risk is accepted when it is met.
    """
    note(f"{module} {options} {service.document()}")
    service.calls.clear()
    predicted = modules.run(module, check=True, **options)
    if predicted.get("risks") and predicted.get("failed"):
        assert modules.failed(module, **options)["msg"] == predicted["msg"]
        codes = [risk["code"] for risk in predicted["risks"]]
        options = {**options, "accept_risks": codes}
        predicted = modules.run(module, check=True, **options)
    assert service.writes == []
    assert bool(predicted.get("failed")) is refused, predicted
    if not refused and predicted["changed"]:
        assert modules.failed(module, **options, expected_plan=OTHER_PLAN)["plan_id"] == predicted["plan_id"]
        assert service.writes == []
        options = {**options, "expected_plan": predicted["plan_id"]}
    result = modules.run(module, **options)
    if refused:
        assert (result.get("failed"), result["msg"], service.writes) == (True, predicted["msg"], [])
        outcomes["refused"] += 1
        return None
    assert not result.get("failed"), result
    assert comparable_result(without_warnings(result)) == comparable_result(without_warnings(predicted))
    assert result["changed"] is bool(service.writes)
    service.calls.clear()
    again = modules.done(module, **options)
    assert (again["changed"], again["operations"], service.writes) == (False, [], [])
    assert again["diff"] == {"before": {}, "after": {}}
    outcomes["applied" if result["changed"] else "unchanged"] += 1
    return result


def without_warnings(result: Item) -> Item:
    return {name: value for name, value in result.items() if name != "warnings"}


def comparable(items: list[Item], before: list[Item]) -> list[str]:
    """Objects in any order; those that are new without their ids, and without what the service chose for them."""
    ids = {item["id"] for item in before}
    chosen = {"id", "mitigation_type"}
    return sorted(
        repr(sorted(model.shown({name: value for name, value in item.items() if name not in chosen}).items()))
        + str(item.get("id") if item.get("id") in ids else "")
        for item in items
    )


def lists_of(service: LocalService) -> Lists:
    """The lists of the account, by collection and kind."""
    account = service.account(ACCOUNT)
    return deepcopy(
        {
            ("prefixes", ""): account.prefixes,
            ("allowlist", ""): account.allowlist,
            ("dns_rules", ""): account.dns_rules,
            **{("rules", kind): account.rules[kind] for kind in KINDS},
            **{("filters", kind): account.filters[kind] for kind in KINDS},
        }
    )


def entries_of(module: str, options: Item, collection: str, kind: str) -> list[Item] | None:
    """The entries of the task for a list; None where it says nothing of the list."""
    if module in SINGLE:
        entry = {name: value for name, value in options.items() if name not in ("state", "staged_rollout")}
        return [entry] if SINGLE[module] == collection and options.get("kind", "") == kind else None
    named = options.get("entries") if module == "allowlist" else options.get(collection)
    if named is None or collection not in (LISTED.get(module) or collection):
        return None
    return [entry for entry in named if entry.get("kind", "") == kind]


def lists_after(module: str, options: Item, before: Lists) -> Lists:
    """What the model says of each list."""
    after, purge = dict(before), options.get("purge")
    for (collection, kind), existing in before.items():
        entries = entries_of(module, options, collection, kind)
        if entries is not None:
            after[collection, kind] = model.list_after(
                collection,
                existing,
                entries,
                NOW,
                absent=options.get("state") == "absent",
                purge=purge if isinstance(purge, bool) else collection in (purge or ()),
                rollout=bool(options.get("staged_rollout")),
            )
    return after


def pending_in(module: str, options: Item, lists: Lists) -> int:
    """How many rules and filters the model leaves to be enabled by another run."""
    if not options.get("staged_rollout") or options.get("state") == "absent":
        return 0
    return sum(
        model.pending(collection, entries_of(module, options, collection, kind) or (), items)
        for (collection, kind), items in lists.items()
    )


@given(existing=ACCOUNTS, task=ACCOUNT_TASKS)
@plans(0.45)
def test_a_random_plan_for_an_account(
    existing: Item, task: tuple[str, Item], service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    service.reset()
    service.clock.set(NOW)
    service.account(ACCOUNT).seed(**existing)
    module, options = task
    before, enabled = lists_of(service), service.account(ACCOUNT).enabled
    expected: Lists | None = None
    with suppress(Refused):
        expected = before if module == "tcp_protection_status" else lists_after(module, options, before)
        enabled = options.get("enabled", enabled) if module != "allowlist_entry" else enabled
    result = applied(service, modules, outcomes, module, options, expected is None)
    after = lists_of(service)
    for name, items in (expected or before).items():
        assert comparable(after[name], before[name]) == comparable(items, before[name])
    assert expected is None or service.account(ACCOUNT).enabled == enabled
    if result and expected:
        pending = result.get("pending", [])
        assert len([pending] if isinstance(pending, dict) else pending) == pending_in(module, options, expected)


@given(existing=firewalls(), rules=FIREWALL_TASKS, with_filters=booleans())
@plans(0.2)
def test_a_random_plan_for_firewall_rules(
    existing: list[Item],
    rules: list[Item],
    with_filters: bool,
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
) -> None:
    service.reset()
    service.switch(firewall_put_updates_filter=with_filters)
    zone = service.zone(ZONE).seed(rules=existing)
    expected: list[Item] | None = None
    before = deepcopy(zone.rules)
    with suppress(Refused):
        expected = model.firewall_after(before, rules)
    result = applied(service, modules, outcomes, "firewall_rules", {"rules": rules}, expected is None)
    assert model.shown(zone.rules) == model.shown(before if expected is None else expected)
    if result:
        stored = {rule["id"]: rule for rule in zone.rules}
        assert result["rules"] == [stored[rule["id"]] for rule in rules]
        changed = {key for key in stored if model.shown(stored[key]) != model.shown(by_id(before)[key])}
        assert changed <= result["diff"]["after"].get("firewall_rules", {}).keys()


def by_id(rules: list[Item]) -> dict[str, Item]:
    return {rule["id"]: rule for rule in rules}


@given(existing=CUSTOM_EXISTING, task=custom_tasks())
@plans(0.35)
def test_a_random_plan_for_custom_rules(
    existing: list[Item], task: dict[str, Any], service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    service.reset()
    zone = service.zone(ZONE).seed(custom_rules=existing)
    before = deepcopy(zone.custom_rules)
    expected: list[Item] | None = None
    with suppress(Refused):
        model.check_positions(before, task["rules"], task["state"])
        expected = model.custom_after(before, task["rules"], task["state"])
    result = applied(service, modules, outcomes, "custom_rules", task, expected is None)
    after = zone.custom_rules
    assert comparable(after, before) == comparable(before if expected is None else expected, before)
    if expected is None:
        assert after == before
    else:
        order = [rule["ref"] for rule in after]
        model.check_order([rule["ref"] for rule in before], task["rules"], task["state"], order)
        codes = [risk["code"] for risk in (result or {}).get("risks", ())]
        assert ("weakens_zone" in codes) is model.weakens_zone(before, expected)
