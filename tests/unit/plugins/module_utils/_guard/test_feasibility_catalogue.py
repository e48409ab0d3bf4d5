# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether all that a plan names exists, read only if it names something anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.feasibility import check_catalogue
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.overrides import L4_OVERRIDES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Object, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

EXISTING = {"id": "1", "ref": "calm", "expression": "true", "categories": [{"category": "gone", "action": "block"}]}
DNS = [{"category": "dns", "action": "block"}]


def plan_of(**values: Any) -> Plan:
    desired = parse_desired(L4_OVERRIDES, [(Option(), {"ref": "calm", **values})])
    return make_plan({"ddos_l4_overrides": [EXISTING]}, [desired])


def never(resource: Resource) -> Sequence[Object]:
    raise AssertionError(f"{resource.title} is read")


def refusing(resource: Resource) -> Sequence[Object]:
    raise ServiceError("The call was refused.", {}, maybe_applied=False)  # type: ignore[typeddict-item]


def managed(resource: Resource) -> Sequence[Object]:
    assert resource.path.endswith("/rulesets/3b64149bfa6e4220bbbc2bd6db589552")
    return [{"rules": [{"id": "1", "categories": ["dns"]}]}]


def test_nothing_is_read_for_a_plan_that_names_nothing_anew() -> None:
    assert check_catalogue(plan_of(description="mine"), never) == ("", "")
    assert check_catalogue(plan_of(categories=[], action="block"), never) == ("", "")


def test_a_name_that_does_not_exist_is_refused() -> None:
    assert check_catalogue(plan_of(categories=DNS), managed) == ("", "")
    check = check_catalogue(plan_of(categories=[{"category": "dsn", "action": "block"}]), managed)
    assert check.refused.startswith("The DDoS L3/4 override calm names the category dsn, which does not exist")


def test_a_catalogue_that_cannot_be_read_is_said() -> None:
    assert check_catalogue(plan_of(categories=DNS), refusing).unknown.endswith("is not known: The call was refused.")
    odd = check_catalogue(plan_of(categories=DNS), lambda resource: [{}])
    assert odd.unknown.endswith("is not known: the managed ruleset lists no rules.")
