# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All checks of a plan are asked, and what each of them says is kept."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard import feasibility as registry
from ansible_collections.edgeops.protection.plugins.module_utils._guard.feasibility import Feasibility
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan


def test_every_check_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Feasibility("Too many."), Feasibility(unknown="Not read.")]
    monkeypatch.setattr(registry, "CHECKS", [lambda plan, read, item=item: item for item in found])
    assert registry.check_feasibility(Plan({}, ()), lambda resource: []) == found


def test_a_plan_without_operations_is_feasible_and_asks_nobody() -> None:
    found = registry.check_feasibility(Plan({"custom_rules": []}, ()), lambda resource: pytest.fail(resource.plural))
    assert set(found) == {Feasibility()}
