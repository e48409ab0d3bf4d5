# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rule that deploys managed rules, or an exception from them, has to be like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .rule_checks import Item, Problem, check_action, check_shape

ACTIONS = ("execute", "skip")
OVERRIDE_ACTIONS = ("block", "challenge", "js_challenge", "managed_challenge", "log")
DEPLOYMENT = ("id", "version", "matched_data", "overrides")
EXCEPTION = ("ruleset", "rulesets", "rules")
KEYS = {"categories": "category", "rules": "id"}


def check(body: Item, existing: Item | None, pointer: str) -> None:
    """Refuse a rule that the phase would not take; existing is the one that it replaces."""
    check_shape(body, existing, pointer)
    check_action(body, existing, pointer, ACTIONS, problems_of)


def problems_of(action: str, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    return problems_of_deployment(parameters) if action == "execute" else problems_of_exception(parameters)


def problems_of_deployment(parameters: Mapping[str, Any]) -> Iterator[Problem]:
    yield from ((f"/{name}", "execute has no such parameter") for name in parameters if name not in DEPLOYMENT)
    if not isinstance(parameters.get("id"), str) or len(parameters["id"]) != 32:
        yield "/id", "it is the id of a managed ruleset"
    overrides = parameters.get("overrides", {})
    yield from problems_of_override("/overrides", overrides, tuple(KEYS))
    for name, key in KEYS.items():
        entries = overrides.get(name, [])
        for index, entry in enumerate(entries):
            more = (key, "score_threshold") if name == "rules" else (key,)
            yield from problems_of_override(f"/overrides/{name}/{index}", entry, more)
        if len({entry.get(key) for entry in entries}) < len(entries):
            yield f"/overrides/{name}", f"a {key} stands there twice"


def problems_of_override(place: str, override: Mapping[str, Any], others: tuple[str, ...]) -> Iterator[Problem]:
    for name in override:
        if name not in ("action", "enabled", *others):
            yield f"{place}/{name}", "there is no such field"
    if override.get("action", "block") not in OVERRIDE_ACTIONS:
        yield f"{place}/action", f"there are only {', '.join(OVERRIDE_ACTIONS)}"
    if not isinstance(override.get("enabled", True), bool):
        yield f"{place}/enabled", "it is true or false"


def problems_of_exception(parameters: Mapping[str, Any]) -> Iterator[Problem]:
    yield from ((f"/{name}", "skip has no such parameter here") for name in parameters if name not in EXCEPTION)
    if parameters.keys().isdisjoint(EXCEPTION):
        yield "", f"skip needs one of {', '.join(EXCEPTION)}"
    if "ruleset" in parameters and len(parameters) > 1:
        yield "/ruleset", "it stands alone"
    if parameters.get("ruleset", "current") != "current":
        yield "/ruleset", "it can be 'current' only"
    if not isinstance(parameters.get("rulesets", []), list):
        yield "/rulesets", "it is a list of ids"
    rules = parameters.get("rules", {})
    if not isinstance(rules, dict) or not all(isinstance(ids, list) and ids for ids in rules.values()):
        yield "/rules", "it has a list of ids of rules by the id of a ruleset"
