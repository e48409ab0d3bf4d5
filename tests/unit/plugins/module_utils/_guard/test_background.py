# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What decides about a plan beside its objects is in its state, and told if it is not known."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._context import TASK, Context
from ansible_collections.edgeops.protection.plugins.module_utils._guard.surroundings import (
    warnings_of_surroundings,
    with_surroundings,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option


class Nobody:
    """A client that has nothing to read."""

    def __init__(self) -> None:
        self.owner = {"zone_id": "b" * 32}

    def read(self, resource: Any) -> list[dict[str, Any]]:
        return [{"account": None}]


NOBODY: Any = Nobody()


def plan_of(expression: str) -> Plan:
    rule = {"ref": "a", "action": "block", "expression": expression}
    return make_plan({"custom_rules": []}, [parse_desired(CUSTOM_RULES, [(Option(), rule)])])


def test_a_plan_that_names_nothing_else_stays_as_it_is() -> None:
    plan = plan_of("ip.src eq 192.0.2.1")
    assert with_surroundings(plan, Context(lists={"office": ["192.0.2.1"]}), frozenset(), NOBODY) is plan
    assert warnings_of_surroundings(plan) == []


def test_a_list_that_the_task_knows_is_in_the_state() -> None:
    plan = with_surroundings(
        plan_of("ip.src in $office"), Context(lists={"office": ["192.0.2.1"]}), frozenset(), NOBODY
    )
    assert plan.after()["items of office"] == [{"ip": "192.0.2.1"}]
    assert warnings_of_surroundings(plan) == []


def test_a_list_that_nobody_can_read_is_told() -> None:
    (warning,) = warnings_of_surroundings(with_surroundings(plan_of("ip.src in $office"), TASK, frozenset(), NOBODY))
    assert warning.startswith("What the lists office hold is not known: The zone does not say its account")
