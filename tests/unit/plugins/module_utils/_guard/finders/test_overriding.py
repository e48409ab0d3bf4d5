# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides that set everything to block, and changes after which nothing is treated differently, by tables."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.rulesets import (
    blocks_everything,
    skips_everything,
    weakens_managed_rules,
    weakens_rate_limits,
    weakens_zone,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.managed_rules import MANAGED_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.rate_limits import RATE_LIMIT_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource

from tests.support.changes import change_from

MANAGED = "efb7b8c949ac4650a09736fc376e9aee"
ADMIN = 'http.request.uri.path eq "/admin"'
FINDERS = (weakens_zone, skips_everything, blocks_everything, weakens_rate_limits, weakens_managed_rules)


def codes(resource: Resource, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[str]:
    """The codes of a plan that makes a list of rules another one."""
    state = {resource.plural: [{"id": f"{number:032x}", **rule} for number, rule in enumerate(before)]}
    plan = make_plan(state, [parse_desired(resource, numbered("rules", after), exclusive=True)])
    change = change_from(plan)
    return [finder.risk.code for finder in FINDERS if finder.find(change, Limits())]


def deploy(ref: str = "m", expression: str = "true", **overrides: Any) -> dict[str, Any]:
    parameters = {"id": MANAGED, **({"overrides": overrides} if overrides else {})}
    return {"ref": ref, "action": "execute", "expression": expression, "enabled": True, "action_parameters": parameters}


def block(ref: str, expression: str) -> dict[str, Any]:
    return {"ref": ref, "action": "block", "expression": expression, "enabled": True}


def skip(ref: str, expression: str) -> dict[str, Any]:
    return {**block(ref, expression), "action": "skip", "action_parameters": {"ruleset": "current"}}


CATEGORY: dict[str, Any] = {"categories": [{"category": "wordpress", "action": "block"}]}
BLOCKING = [
    ("everything", MANAGED_RULES, [deploy()], [deploy(action="block")]),
    ("a category", MANAGED_RULES, [deploy()], [deploy(**CATEGORY)]),
    ("by a new deployment", MANAGED_RULES, [], [deploy(action="block")]),
    ("an override that is widened to everything", MANAGED_RULES, [deploy(expression=ADMIN, action="block")], [deploy(action="block")]),
]  # fmt: skip
HARMLESS = [
    ("a rule of its own", MANAGED_RULES, [deploy()], [deploy(rules=[{"id": "5" * 32, "action": "block"}])]),
    ("everything, for a path", MANAGED_RULES, [deploy()], [deploy(), deploy("n", ADMIN, action="block")]),
    ("everything, as before", MANAGED_RULES, [deploy(action="block")], [deploy("n", action="block")]),
    ("everything, which is switched off", MANAGED_RULES, [deploy()], [deploy(), deploy("n", action="block", enabled=False)]),
    ("a deployment with another ref", MANAGED_RULES, [deploy()], [deploy("n")]),
    ("a deployment that is split", MANAGED_RULES, [deploy()], [deploy("n", ADMIN), deploy("o", f"not {ADMIN}")]),
    ("a block of everything with another ref", CUSTOM_RULES, [block("a", "true")], [block("b", "true")]),
    ("a block of everything that is split", CUSTOM_RULES, [block("a", "true")], [block("b", ADMIN), block("c", f"not {ADMIN}")]),
    ("a skip of everything with another ref", CUSTOM_RULES, [skip("a", "true"), block("x", ADMIN)], [skip("b", "true"), block("x", ADMIN)]),
    ("a half that is empty", CUSTOM_RULES, [block("a", ADMIN)], [block("a", f"{ADMIN} and ssl and not ssl"), block("b", ADMIN)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("resource", "before", "after"), [row[1:] for row in BLOCKING], ids=[row[0] for row in BLOCKING]
)
def test_an_override_that_sets_everything_to_block_is_a_risk(
    resource: Resource, before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    assert codes(resource, before, after) == ["blocks_everything"]


@pytest.mark.parametrize(
    ("resource", "before", "after"), [row[1:] for row in HARMLESS], ids=[row[0] for row in HARMLESS]
)
def test_a_change_after_which_nothing_is_treated_otherwise_is_no_risk(
    resource: Resource, before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    assert codes(resource, before, after) == []


def test_a_skip_of_rate_limits_weakens_them() -> None:
    limit: dict[str, Any] = {"ref": "l", "action": "block", "expression": ADMIN, "enabled": True}
    limit["ratelimit"] = {
        "characteristics": ["ip.src"],
        "period": 60,
        "requests_per_period": 5,
        "mitigation_timeout": 60,
    }
    skipping = {**skip("s", ADMIN), "action_parameters": {"phases": ["http_ratelimit"]}}
    state = {CUSTOM_RULES.plural: [], RATE_LIMIT_RULES.plural: [{"id": "1" * 32, **limit}]}
    plan = make_plan(state, [parse_desired(CUSTOM_RULES, numbered("rules", [skipping]))])
    found = weakens_rate_limits.find(change_from(plan), Limits())
    assert found and [entry.text for entry in found[2]] == ["s"]
