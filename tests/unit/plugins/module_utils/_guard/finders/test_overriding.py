# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides that set everything to block, and changes after which nothing is treated differently, by tables."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.lost_rules import (
    weakens_managed_rules,
    weakens_rate_limits,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.rulesets import weakens_zone
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.wide_rules import (
    blocks_everything,
    skips_everything,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.ddos_overrides import (
    L4_OVERRIDES,
    L7_OVERRIDES,
    L7_OVERRIDES_OF_ACCOUNT,
)
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


def override(ref: str = "o", expression: str = "true", **values: Any) -> dict[str, Any]:
    return {"ref": ref, "expression": expression, "enabled": True, **values}


def of_category(name: str, **values: Any) -> dict[str, Any]:
    return {"categories": [{"category": name, **values}]}


HALVES = "ip.src in {0.0.0.0/2}", "ip.src in {64.0.0.0/2}"
CATEGORY: dict[str, Any] = {"categories": [{"category": "wordpress", "action": "block"}]}
BLOCKING = [
    ("everything", MANAGED_RULES, [deploy()], [deploy(action="block")]),
    ("a category", MANAGED_RULES, [deploy()], [deploy(**CATEGORY)]),
    ("by a new deployment", MANAGED_RULES, [], [deploy(action="block")]),
    ("an override that is widened to everything", MANAGED_RULES, [deploy(expression=ADMIN, action="block")], [deploy(action="block")]),
    ("DDoS rules", L7_OVERRIDES, [], [override(action="block")]),
    ("DDoS rules of a category", L7_OVERRIDES, [override(sensitivity="low")], [override(sensitivity="low", **of_category("botnets", action="block"))]),
    ("DDoS rules for packets", L4_OVERRIDES, [], [override(action="block")]),
    ("DDoS rules for TCP", L4_OVERRIDES, [], [override(expression='ip.proto eq "tcp"', action="block")]),
    ("DDoS rules for two parts of the addresses", L7_OVERRIDES, [override("a", HALVES[0], action="block")],
     [override("a", HALVES[0], action="block"), override("b", HALVES[1], action="block")]),
    ("DDoS rules behind an override for a path", L7_OVERRIDES, [override("a", ADMIN, action="block")],
     [override("a", ADMIN, action="block"), override("b", action="block")]),
    ("DDoS rules that were essentially off", L7_OVERRIDES, [override(action="block", sensitivity="eoff")], [override(action="block", sensitivity="default")]),
    ("DDoS rules by an override that goes from the front", L7_OVERRIDES, [override("a", action="managed_challenge"), override("b", action="block")],
     [override("b", action="block")]),
]  # fmt: skip
HARMLESS = [
    ("a rule of its own", MANAGED_RULES, [deploy()], [deploy(rules=[{"id": "5" * 32, "action": "block"}])]),
    ("everything, for a path", MANAGED_RULES, [deploy()], [deploy(), deploy("n", ADMIN, action="block")]),
    ("everything, as before", MANAGED_RULES, [deploy(action="block")], [deploy("n", action="block")]),
    ("everything, which is switched off", MANAGED_RULES, [deploy()], [deploy(), deploy("n", action="block", enabled=False)]),
    ("a deployment with another ref", MANAGED_RULES, [deploy()], [deploy("n")]),
    ("a deployment that is split", MANAGED_RULES, [deploy()], [deploy("n", ADMIN), deploy("o", f"not {ADMIN}")]),
    ("DDoS rules, as before", L7_OVERRIDES, [override(action="block")], [override("n", action="block")]),
    ("DDoS rules of a category that blocks with all others", L7_OVERRIDES, [override(action="block")],
     [override(action="block", **of_category("botnets", action="block"))]),
    ("DDoS rules, for a path", L7_OVERRIDES, [], [override(expression=ADMIN, action="block")]),
    ("DDoS rules for packets of a port", L4_OVERRIDES, [], [override(expression="udp.dstport in {53}", action="block")]),
    ("DDoS rules that are challenged", L7_OVERRIDES, [], [override(action="managed_challenge")]),
    ("one DDoS rule", L7_OVERRIDES, [], [override(rules=[{"id": "5" * 32, "action": "block"}])]),
    ("DDoS rules by an override that is off", L7_OVERRIDES, [], [override(action="block", enabled=False)]),
    ("DDoS rules by an override that is essentially off", L7_OVERRIDES, [], [override(action="block", sensitivity="eoff")]),
    ("DDoS rules behind an override of all that logs", L7_OVERRIDES, [override("a", action="log")],
     [override("a", action="log"), override("b", action="block")]),
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


@pytest.mark.parametrize(
    ("before", "after", "entries", "words"),
    [
        ([], [override("a", action="block"), override("n", ADMIN, action="log")], ["a"],
         "HTTP DDoS override a sets all managed rules to block for all plain traffic, whatever each managed rule does by itself."),
        ([], [override("a", **of_category("botnets", action="block"))], ["a"], "HTTP DDoS override a sets the category botnets to block"),
        ([override("a", HALVES[0], action="block")], [override("a", HALVES[0], action="block"), override("b", HALVES[1], action="block")], ["b"],
         "HTTP DDoS override a sets all managed rules to block, HTTP DDoS override b sets"),
        ([override("b", "ssl", action="log")], [], ["b"], "HTTP DDoS override of the account x sets all managed rules to block"),
    ],
)  # fmt: skip
def test_an_override_of_ddos_rules_is_named(
    before: list[dict[str, Any]], after: list[dict[str, Any]], entries: list[str], words: str
) -> None:
    of_account = [override("x", action="block")] if not after else []
    existing = [{"id": f"{number:032x}", **values} for number, values in enumerate(before)]
    state = {L7_OVERRIDES.plural: existing, L7_OVERRIDES_OF_ACCOUNT.plural: of_account}
    plan = make_plan(state, [parse_desired(L7_OVERRIDES, numbered("overrides", after), exclusive=True)])
    found = blocks_everything.find(change_from(plan), Limits())
    assert found and [entry.text for entry in found[2]] == entries
    assert words in found[0]


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
