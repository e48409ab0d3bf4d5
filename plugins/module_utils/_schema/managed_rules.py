# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of a zone that deploy the vendor's managed rulesets, and the exceptions from them.

The vendor describes them in "Override a managed ruleset" (Ruleset Engine) and "Create exceptions"
(WAF, via API).
"""

from __future__ import annotations

from math import inf
from typing import Any, Mapping, Sequence, Tuple

from .._expressions.fields import RULE_EXPRESSION, doubts
from .._text import first_few
from .._values.kinds import as_json, identifier, mapping
from .resource import (
    ENFORCING,
    LOGGING,
    ZONE_OPTION,
    Loosened,
    Object,
    Permission,
    Semantics,
    Values,
    blocks_nobody,
    entry_point,
    fields_of_rules,
    fit_action,
    lacking,
)

EXECUTE, SKIP, LOG = "execute", "skip", "log"
PARAMETERS, OVERRIDES = "action_parameters", "overrides"
EVERY = "all its rules"
LEVEL: Mapping[str, Mapping[str, Any]] = {
    "action": {
        "type": "str",
        "choices": ["block", "challenge", "js_challenge", "managed_challenge", LOG],
    },
    "enabled": {"type": "bool"},
}
NAMED = {"categories": "category", "rules": "id"}  # lists of overrides, with the key of their items
ONE_OF: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "categories": {"category": {"type": "str", "required": True}, **LEVEL},
    "rules": {"id": {"type": "str", "required": True}, **LEVEL, "score_threshold": {"type": "int"}},
}
DEPLOYMENT: Mapping[str, Mapping[str, Any]] = {
    "id": {"type": "str"},
    "version": {"type": "str"},
    "matched_data": {
        "type": "dict",
        "options": {"public_key": {"type": "str", "required": True, "no_log": False}},
    },
    OVERRIDES: {
        "type": "dict",
        "options": {
            **LEVEL,
            **{
                name: {"type": "list", "elements": "dict", "options": options}
                for name, options in ONE_OF.items()
            },
        },
    },
}
EXCEPTION: Mapping[str, Mapping[str, Any]] = {
    "ruleset": {"type": "str", "choices": ["current"]},
    "rulesets": {"type": "list", "elements": "str"},
    "rules": {"type": "dict"},
}


def _check_parameters(parameters: Values) -> None:
    targets = [name for name in EXCEPTION if name in parameters]
    if len(targets) > 1:
        raise ValueError(f"it has {' and '.join(targets)}, and an exception takes one of them")
    for text in [*parameters.get("rulesets", ()), *parameters.get("rules", ())]:
        identifier(text)
    if "id" in parameters:
        identifier(parameters["id"])
    for rules in parameters.get("rules", {}).values():
        if not isinstance(rules, list) or not rules:
            raise ValueError("rules takes a list of the ids of rules for each ruleset")
    overrides = parameters.get(OVERRIDES, {})
    for name, key in NAMED.items():
        keys = [str(item[key]) for item in overrides.get(name, ())]
        twice = [text for text in keys if keys.count(text) > 1]
        if twice:
            raise ValueError(f"{OVERRIDES}.{name} names {twice[0]} twice")
        idle = [str(item[key]) for item in overrides.get(name, ()) if len(item) == 1]
        if idle:
            raise ValueError(f"{OVERRIDES}.{name} says nothing of {idle[0]}")


def _invalid_rule(rule: Values) -> str:
    """Return why Cloudflare would refuse a rule."""
    missing = lacking(rule, "action", "expression")
    if missing:
        return missing
    parameters = set(rule.get(PARAMETERS) or {})
    action, others = rule["action"], EXCEPTION if rule["action"] == EXECUTE else DEPLOYMENT
    wrong = sorted(parameters & others.keys())
    if wrong:
        return f"has the action {action}, which takes no {wrong[0]}"
    if action == EXECUTE and "id" not in parameters:
        return f"has the action {EXECUTE} and needs the id of a managed ruleset in {PARAMETERS}"
    if action == SKIP and not parameters:
        return f"has the action {SKIP} and needs {PARAMETERS} that say what is skipped"
    return ""


Bounds = Tuple[float, float]  # least and greatest strength
STRENGTH: Mapping[Any, Bounds] = {LOG: (0, 0), "block": (2, 2), None: (1, 2)}
CHALLENGES: Bounds = (1, 1)
OFF: Sequence[Bounds] = ((-1, -1), (-1, -1), (-inf, -inf))


def _strengths(level: Values) -> Sequence[Bounds]:
    """The strength of managed rules with these values; a value that is left out is the vendor's."""
    enabled, threshold = level.get("enabled"), level.get("score_threshold")
    if enabled is False:
        return OFF
    return (
        STRENGTH.get(level.get("action"), CHALLENGES),
        (1, 1) if enabled else (0, 1),
        (-inf, inf) if threshold is None else (-threshold, -threshold),
    )


def _weakens(was: Values, becomes: Values) -> bool | None:
    """True if managed rules with other values stop less; None if that depends on the vendor's."""
    pairs = [pair for pair in zip(_strengths(was), _strengths(becomes)) if pair[0] != pair[1]]
    if any(after[1] < before[0] for before, after in pairs):
        return True
    return None if any(after[0] < before[1] for before, after in pairs) else False


def levels_of_deployment(rule: Object) -> dict[str, Values]:
    """The values that the overrides of a rule give, by words for the managed rules."""
    parameters = rule.get(PARAMETERS)
    overrides = parameters.get(OVERRIDES) if isinstance(parameters, Mapping) else None
    levels: dict[str, Values] = {EVERY: overrides if isinstance(overrides, Mapping) else {}}
    for name, key in NAMED.items():
        items = levels[EVERY].get(name)
        for item in items if isinstance(items, list) else ():
            if isinstance(item, Mapping):
                what = "the category" if key == "category" else "the rule"
                levels[f"{what} {item.get(key)}"] = {**levels[EVERY], **item}
    return levels


def deployed(rule: Object) -> str:
    """The id of the ruleset that a rule executes; empty if it executes none."""
    parameters = rule.get(PARAMETERS)
    if rule.get("action") != EXECUTE or not isinstance(parameters, Mapping):
        return ""
    return str(parameters.get("id") or "")


def skipped_rulesets(rule: Object) -> list[str]:
    """The ids of the rulesets that an exception names, or of which it names rules."""
    parameters = rule.get(PARAMETERS)
    named = parameters if rule.get("action") == SKIP and isinstance(parameters, Mapping) else {}
    return [str(item) for name in ("rulesets", "rules") for item in named.get(name) or ()]


def _loosened(was: Object, becomes: Object) -> Loosened | None:
    """The way in which a rule deploys less than another one."""
    if deployed(was) != deployed(becomes):
        return Loosened(f"deploys the ruleset {deployed(becomes)} in place of {deployed(was)}")
    first, second = levels_of_deployment(was), levels_of_deployment(becomes)
    weakened = {
        name: _weakens(first.get(name, first[EVERY]), second.get(name, second[EVERY]))
        for name in {**second, **first}
    }
    certain = [name for name in weakened if weakened[name]]
    names = certain or [name for name in weakened if weakened[name] is None]
    if not names:
        return None
    verb = "weakens" if certain else "may weaken"
    return Loosened(f"{verb} {first_few(names)} by its overrides", bool(certain))


MANAGED_RULES = entry_point(
    name="managed_rule",
    title="rule for managed rules",
    plural_title="rules for managed rules",
    owner=ZONE_OPTION,
    phase="http_request_firewall_managed",
    traffic="request",
    enforcing=ENFORCING | {EXECUTE},
    permission=Permission("Zone WAF", "zone"),
    fields=(
        *fields_of_rules(
            (EXECUTE, SKIP),
            RULE_EXPRESSION,
            mapping({**DEPLOYMENT, **EXCEPTION}, _check_parameters)._replace(normalise=as_json),
        ),
        LOGGING,
    ),
    semantics=Semantics(
        normalise=fit_action,
        invalid_reason=_invalid_rule,
        unusual=lambda rule: doubts(str(rule.get("expression") or "")),
        protects_nobody=blocks_nobody,
        loosened=_loosened,
    ),
)
