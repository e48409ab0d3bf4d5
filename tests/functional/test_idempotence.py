# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predict, apply, apply again: check mode predicts exactly what the run does, and the second run does nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import BY_PLURAL

from tests.fake_service import LocalService
from tests.fake_service.calls import Call
from tests.functional.host_cases import HOSTS
from tests.functional.idempotence_cases import CASES, Case
from tests.judges import cf
from tests.support.module_run import WRITING, Modules
from tests.support.sdk_types import faults_in
from tests.support.service_state import clearances, collections_of, comparable, differences, seed


def is_part_of(part: Any, whole: Any) -> bool:
    if isinstance(part, Mapping):
        return all(name in whole and is_part_of(value, whole[name]) for name, value in part.items())
    return bool(part == whole) or str(part).startswith("{")  # stands for an id


SINGLE = {name for name, resource in BY_PLURAL.items() if not resource.key}


def concerned(side: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Any]]:
    """The objects in one side of a diff, each with the name of its collection."""
    return [
        (collection, managed)
        for collection, objects in side.items()
        if collection != "coverage" and not collection.endswith("_order")
        for managed in ([objects] if collection in SINGLE else objects.values())
    ]


def turn(call: Call) -> int:
    """When a call comes: first those that make or change single objects, then those that write lists, then deletions."""
    of_rules = "/rulesets/" in call.path and (call.method == "PUT" or "/rules" in call.path.partition("/rulesets/")[2])
    return 1 if of_rules else 2 * (call.method == "DELETE")


@pytest.mark.parametrize("case", [*CASES, *HOSTS], ids=lambda case: case.name)
def test_predict_apply_apply_again(case: Case, service: LocalService, modules: Modules) -> None:
    seed(service, case.module, case.existing)
    unchanged = collections_of(service)["prefixes"][:]

    predicted = modules.done(case.module, check=True, **case.options)
    assert service.writes == []
    assert collections_of(service)["prefixes"] == unchanged
    assert [f"{item['action']} {item['resource']} {item['key']}" for item in predicted["operations"]] == [
        *case.operations
    ]
    assert predicted["changed"] is bool(case.operations)
    assert bool(predicted["plan_id"]) is bool(case.operations)
    for collection, managed in concerned(predicted["diff"]["before"]):
        assert any(is_part_of(managed, item) for item in collections_of(service)[collection])

    done = modules.done(case.module, **case.options)
    assert len(service.writes) == case.calls
    assert [*map(turn, service.writes)] == sorted(map(turn, service.writes))
    assert clearances(service) == []
    assert faults_in(service.writes) == []
    assert cf.faults_in(service.calls) == []
    assert all(call.method != "PUT" for call in service.writes if call.path.endswith("/items"))  # which replaces all
    assert differences(comparable(predicted), comparable(done)) == []
    assert (done["diff"], done["plan_id"]) == (predicted["diff"], predicted["plan_id"])
    for collection, managed in concerned(done["diff"]["after"]):
        assert any(is_part_of(managed, item) for item in collections_of(service)[collection])

    for check in (False, True):
        again = modules.done(case.module, check=check, **case.options)
        assert (again["changed"], again["operations"], again["plan_id"]) == (False, [], "")
        assert again["diff"] == {"before": {}, "after": {}}
    assert len(service.writes) == case.calls


def test_every_write_module_is_in_the_table_with_every_state() -> None:
    covered = {(case.module, case.options.get("state", "present")) for case in CASES if case.operations}
    expected = {
        (name, state)
        for name, spec in WRITING.items()
        for state in spec.options.get("state", {"choices": ["present"]})["choices"]
    }
    assert covered == expected


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.module == "firewall_rules"], ids=lambda case: case.name
)
def test_firewall_rules_need_one_call_if_the_service_takes_the_filter_as_sent(
    case: Case, service: LocalService, modules: Modules
) -> None:
    seed(service, case.module, case.existing)
    service.switch(firewall_put_updates_filter=True)
    modules.done(case.module, **case.options)
    assert len(service.writes) == min(case.calls, 1)
    assert modules.done(case.module, **case.options)["changed"] is False
