# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of a zone that execute managed rulesets, and the exceptions from them.

The vendor describes them in "Override a managed ruleset" (Ruleset Engine) and "Create exceptions"
(WAF, via API).
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Mapping, Sequence

from .._expressions.examination import RULE_EXPRESSION
from .._expressions.expression import Expression
from .._values.kinds import as_json, choice, identifier, keyed, mapping
from .products import MANAGED_WAF
from .resource import ENFORCING, LOG, ZONE_OPTION, Permission, Values, without
from .rulesets import (
    EXECUTE,
    LOGGING,
    OVERRIDES,
    PARAMETERS,
    RULE_SEMANTICS,
    SKIP,
    entry_point,
    fields_of_rules,
    lacking,
    require_once,
)

THRESHOLD = "score_threshold"
LEVEL: Mapping[str, Mapping[str, Any]] = {
    "action": choice("block", "challenge", "js_challenge", "managed_challenge", LOG).option,
    "enabled": {"type": "bool"},
}
ONE_OF = {
    "categories": keyed("category", str, {"category": {"type": "str", "required": True}, **LEVEL}),
    "rules": keyed(
        "id",
        identifier,
        {"id": {"type": "str", "required": True}, **LEVEL, THRESHOLD: {"type": "int"}},
    ),
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
        "options": {**LEVEL, **{name: value.option for name, value in ONE_OF.items()}},
    },
}
EXCEPTION: Mapping[str, Mapping[str, Any]] = {
    "ruleset": {"type": "str", "choices": ["current"]},
    "rulesets": {"type": "list", "elements": "str"},
    "rules": {"type": "dict"},
}


def _check_exception(parameters: Values) -> None:
    mentioned = [name for name in EXCEPTION if name in parameters]
    targets = [name for name in mentioned if parameters[name]]
    if "ruleset" in targets and len(targets) > 1:
        raise ValueError(f"it has {' and '.join(targets)}, and ruleset stands alone")
    if mentioned and not targets:
        raise ValueError(f"{' and '.join(mentioned)} names nothing")
    require_once(parameters, "rulesets")
    rules_by_ruleset = parameters.get("rules", {})
    for rules in rules_by_ruleset.values():
        if not isinstance(rules, list) or not rules:
            raise ValueError("rules takes a list of the ids of rules for each ruleset")
    require_once(rules_by_ruleset, *rules_by_ruleset)


PARAMETERS_AS_GIVEN = mapping({**DEPLOYMENT, **EXCEPTION}, _check_exception)


Parse = Callable[[Any], Any]


def _parsed_with(parsers: Mapping[str, Parse], values: Values) -> dict[str, Any]:
    parsed = dict(values)
    for name, parse in parsers.items():
        if name in parsed:
            parsed[name] = parse(parsed[name])
    return parsed


def _identifiers(values: Sequence[Any]) -> list[str]:
    return [identifier(str(value)) for value in values]


PARSERS: Mapping[str, Parse] = {
    "id": identifier,
    "rulesets": _identifiers,
    "rules": lambda rules: {identifier(key): _identifiers(rules[key]) for key in rules},
    OVERRIDES: partial(_parsed_with, {name: value.parse for name, value in ONE_OF.items()}),
}


def _parse_parameters(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Parameters of a task, with the ids in lower case, as Cloudflare has them, and without targets
    that name nothing."""
    parsed = _parsed_with(PARSERS, PARAMETERS_AS_GIVEN.parse(value))
    return {name: parsed[name] for name in parsed if parsed[name] or name not in EXCEPTION}


def _normalise_parameters(value: Any) -> str:
    """The parameters as a text that is equal if they mean the same: the latest version is that of a
    deployment without one."""
    is_latest = isinstance(value, Mapping) and value.get("version") == "latest"
    return as_json(without(value, "version") if is_latest else value)


def _invalid_rule(rule: Values) -> str:
    """The reason why Cloudflare would refuse a rule; empty if it would not."""
    missing = lacking(rule, "action", "expression")
    if missing:
        return missing
    parameters = set(rule.get(PARAMETERS) or {})
    action = rule["action"]
    wrong_parameters = EXCEPTION if action == EXECUTE else DEPLOYMENT
    wrong = sorted(parameters & wrong_parameters.keys())
    if wrong:
        return f"has the action {action}, which takes no {wrong[0]}"
    if action == EXECUTE and "id" not in parameters:
        return f"has the action {EXECUTE} and needs the id of a managed ruleset in {PARAMETERS}"
    if action == SKIP and not parameters:
        return f"has the action {SKIP} and needs {PARAMETERS} that say what is skipped"
    return ""


MANAGED_RULES = entry_point(
    name="managed_rule",
    title="rule for managed rules",
    owner=ZONE_OPTION,
    phase="http_request_firewall_managed",
    traffic="request",
    product=MANAGED_WAF,
    enforcing=ENFORCING | {EXECUTE},
    permission=Permission("Zone WAF", "zone"),
    fields=fields_of_rules(
        (EXECUTE, SKIP),
        RULE_EXPRESSION,
        PARAMETERS_AS_GIVEN._replace(parse=_parse_parameters, normalise=_normalise_parameters),
        LOGGING,
    ),
    semantics=RULE_SEMANTICS._replace(
        invalid_reason=_invalid_rule, unusual=lambda rule: Expression.of_object(rule).doubts()
    ),
)
