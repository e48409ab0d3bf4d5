# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random plans for lists of addresses against a model of the docs: predicted, applied, and applied again."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis.strategies import booleans, integers

from tests.evidence.models import list_model
from tests.evidence.models.plan_model import Item, Refused, comparable
from tests.evidence.models.plan_run import CONSENTS, Run, applied
from tests.evidence.models.random_lists import list_plans
from tests.evidence.models.random_plans import NOW, plans
from tests.evidence.models.risk_model import risks_in
from tests.support.module_run import ACCOUNT


@given(plan=list_plans(), consent=CONSENTS)
@plans(1)
@pytest.mark.fewest(empties_list=0.01, mass_deletion=0.003, removes_referenced_list=0.003, unmet=0.008)
@pytest.mark.fewest(referenced=0.02, expired=0.02, exact=0.05, refused=0.02)
def test_a_random_plan_for_lists(plan: tuple[list[Item], str, Item], consent: str, run: Run) -> None:
    existing, module, options = plan
    lists = run.begin().account(ACCOUNT).seed(lists=existing).ip_lists.lists
    before = deepcopy(lists)
    expected: list[Item] | None = None
    with suppress(Refused):
        expected = list_model.lists_after(module, options, before, NOW)
    if expected is not None and list_model.lost_references(before, expected)[0]:
        run.outcomes["referenced"] += check_refused(run, module, options)
        assert lists == before
        return
    result = applied(run, module, options, expected is None, consent)
    if expected is None or result is None:
        assert lists == before
        return
    assert list_model.compared(lists, before) == list_model.compared(expected, before)
    assert risks_in(result) == list_model.list_risks(before, expected, options)
    run.outcomes["expired"] += bool(result.get("expired"))
    run.outcomes["exact"] += result["changed"] and options["state"] == "exact"
    shown = result["lists"] if module == "ip_lists" else [result["list"]] if result["list"] else []
    stored = {each["name"]: each for each in lists}
    for each in shown:
        items = each["items"] if module == "ip_lists" else result["items"]
        assert each["num_items"] == len(items) == len(stored[each["name"]]["items"])
        assert comparable(items, items) == comparable(stored[each["name"]]["items"], items)


@given(plan=list_plans(), skip=integers(0, 2), is_lasting=booleans())
@plans(0.5)
@pytest.mark.fewest(failed=0.02, recovered=0.02)
def test_a_random_plan_whose_operation_fails(
    plan: tuple[list[Item], str, Item], skip: int, is_lasting: bool, run: Run
) -> None:
    """An operation that fails once is made up for; one that fails again is told, and the next run does what is left."""
    existing, module, options = plan
    lists = run.begin().account(ACCOUNT).seed(lists=existing).ip_lists.lists
    before = deepcopy(lists)
    options, predicted = accepted(run, module, options)
    expected = [] if predicted.get("failed") else list_model.lists_after(module, options, before, NOW)
    run.service.misbehave("failed_operation", times=None if is_lasting else 1, skip=skip)
    result = run.modules.run(module, **options)
    failures = sum(operation.status == "failed" for operation in run.service.account(ACCOUNT).ip_lists.operations)
    run.service.faults.clear()
    if predicted.get("failed"):
        assert (result["failed"], result["msg"], lists) == (True, predicted["msg"], before)
        run.outcomes["refused"] += 1
        return
    assert bool(result.get("failed")) is (failures > 1), result
    if failures > 1:
        assert "could not be completed" in result["msg"]
        parts = [item for part in ("done", "unknown", "left") for item in result[part]]
        assert sorted(map(str, parts)) == sorted(map(str, result["operations"]))
        run.modules.done(module, **options)
    assert list_model.compared(lists, before) == list_model.compared(expected, before)
    assert run.modules.done(module, **options)["operations"] == []
    run.outcomes["applied" if predicted["changed"] else "unchanged"] += 1
    run.outcomes.update({"failed": failures > 1, "recovered": failures == 1})


def accepted(run: Run, module: str, options: Item) -> tuple[Item, Item]:
    """The options with all risks accepted that can be, and what check mode then says."""
    predicted = run.modules.run(module, check=True, **options)
    codes = [risk["code"] for risk in predicted.get("risks", ()) if predicted.get("failed")]
    options = {**options, "accept_risks": codes} if codes else options
    return options, run.modules.run(module, check=True, **options)


def check_refused(run: Run, module: str, options: Item) -> bool:
    """A list goes only if no rule refers to it; the plan is refused before anything is written, in check mode too."""
    for check in (True, False):
        failed = run.modules.failed(module, check=check, **options)
        assert "removes_referenced_list" in {risk["code"] for risk in failed["risks"]}
        assert run.service.writes == []
    return True
