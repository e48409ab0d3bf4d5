# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The first override of a zone hides those of its account, which is said."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._guard.hidden import SENTENCE, hidden_overrides
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.overrides import L4_OVERRIDES, L7_OVERRIDES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

FIRST = {"ref": "upload", "expression": "true", "action": "block"}


def said(resource: Resource, existing: list[dict[str, Any]], **values: Any) -> str:
    desired = parse_desired(resource, [(Option(), {**FIRST, **values})])
    return hidden_overrides(make_plan({resource.plural: existing}, [desired]))


def test_the_first_override_of_a_zone_hides_those_of_its_account() -> None:
    assert said(L7_OVERRIDES, []) == SENTENCE


def test_no_other_override_hides_any() -> None:
    assert said(L7_OVERRIDES, [{"id": "1", **FIRST}], action="challenge") == ""
    assert said(L7_OVERRIDES, [{"id": "1", **FIRST}], ref="second") == ""
    assert said(L4_OVERRIDES, []) == ""
