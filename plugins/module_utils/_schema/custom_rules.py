# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The WAF custom rules of a zone, and those of an account for its zones.

The vendor describes them in "Create a custom rule via API" (Rulesets API).
"""

from __future__ import annotations

from typing import AbstractSet, Any, Mapping

from .._expressions.examination import RULE_EXPRESSION
from .._expressions.expression import Expression
from .._values.kinds import mapping
from .._vendor.rules import ANSWER_OF_CUSTOM_RULE, OPTIONS_OF_ONE_ACTION
from .products import ACCOUNT_RULESETS
from .resource import ACCOUNT_OPTION, OWNERS, ZONE_OPTION, Object, Permission, Values
from .rulesets import (
    EXECUTE,
    LOGGING,
    RULE_SEMANTICS,
    SKIPPED_PRODUCTS,
    deployed,
    entry_point,
    fields_of_rules,
    lacking,
    require_once,
    response,
)

CUSTOM_RULE_ACTIONS = ("block", "challenge", "js_challenge", "managed_challenge", "log", "skip")


SKIPPABLE_PHASES = ("http_ratelimit", "http_request_sbfm", "http_request_firewall_managed")


PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "ruleset": {"type": "str", "choices": ["current"]},
    "phase": {"type": "str", "choices": ["current"]},
    "phases": {"type": "list", "elements": "str", "choices": list(SKIPPABLE_PHASES)},
    "products": {"type": "list", "elements": "str", "choices": list(SKIPPED_PRODUCTS)},
    "response": response(ANSWER_OF_CUSTOM_RULE),
}


def _parameters_of(action: str) -> AbstractSet[str]:
    return {name for name in PARAMETERS if OPTIONS_OF_ONE_ACTION[name].action == action}


BLOCK_PARAMETERS, SKIP_PARAMETERS = _parameters_of("block"), _parameters_of("skip")


UNMANAGED_SKIP_PARAMETERS = {"rulesets", "rules"}  # kept where a rule has them


def _check_parameters(parameters: Values) -> None:
    """Raise ValueError for parameters of a task that exclude each other, by the vendor's schema of
    skip rules (Rulesets API), and for a name that a list has twice."""
    if "phase" in parameters:
        for excluded in ("ruleset", "phases"):
            if parameters.get(excluded):
                raise ValueError(f"it has phase and {excluded}, and phase goes with products alone")
    require_once(parameters, "phases", "products")


def _invalid_custom_rule(rule: Values) -> str:
    """The reason why Cloudflare would refuse a custom rule, by the vendor's page "Custom rules:
    available skip options"; empty if it would not."""
    missing = lacking(rule, "action", "expression")
    if missing:
        return missing
    parameters = set(rule.get("action_parameters") or {})
    if rule["action"] == "skip" and not parameters & (SKIP_PARAMETERS | UNMANAGED_SKIP_PARAMETERS):
        return "has the action skip and needs action_parameters that say what is skipped"
    if rule["action"] != "block" and parameters & BLOCK_PARAMETERS:
        return f"has the action {rule['action']}, and only block has a response"
    if rule["action"] != "skip" and parameters & SKIP_PARAMETERS:
        return f"has the action {rule['action']}, and only skip says what is skipped"
    return ""


def _with_id(rule: Object, ids: Mapping[str, str]) -> Object:
    """A rule with the id of the ruleset that it deploys in the place of a placeholder; a rule that
    deploys none stays as it is."""
    identity = ids.get(deployed(rule))
    if not identity:
        return rule
    return {**rule, "action_parameters": {**rule["action_parameters"], "id": identity}}


CUSTOM_PHASE, CUSTOM_KIND = "http_request_firewall_custom", "custom"  # of a ruleset


WAF: Mapping[str, Permission] = {
    owner.option: Permission(f"{owner.title.capitalize()} WAF", owner.title)
    for owner in OWNERS.values()
}


_FIELDS = fields_of_rules(
    CUSTOM_RULE_ACTIONS, RULE_EXPRESSION, mapping(PARAMETERS, _check_parameters), LOGGING
)


CUSTOM_RULES = entry_point(
    name="custom_rule",
    title="custom rule",
    owner=ZONE_OPTION,
    phase=CUSTOM_PHASE,
    traffic="request",
    permission=WAF[ZONE_OPTION],
    fields=_FIELDS,
    semantics=RULE_SEMANTICS._replace(
        invalid_reason=_invalid_custom_rule,
        unusual=lambda rule: Expression.of_object(rule).doubts(),
        with_ids=_with_id,
    ),
)


ENTERPRISE_ZONES = 'cf.zone.plan eq "ENT"'


def _invalid_rule_of_account(rule: Values) -> str:
    """The reason why Cloudflare would refuse a rule of an account, by the vendor's page "Create a
    custom ruleset using the API" (account); empty if it would not."""
    expression = str(rule.get("expression") or "")
    if (rule.get("action_parameters") or {}).get("phase"):
        return "skips the rest of the phase, which rules of a zone alone can"
    if rule.get("action") != EXECUTE or _names_enterprise(Expression.of(expression)):
        return _invalid_custom_rule(rule)
    corrected = ENTERPRISE_ZONES
    if expression not in ("", "true"):
        corrected = f"({expression}) and {ENTERPRISE_ZONES}"
    return (
        f"deploys a ruleset of an account, and its expression needs {ENTERPRISE_ZONES}, since"
        f" only zones of the plan Enterprise have such rules. Set it to {corrected}"
    )


def _names_enterprise(expression: Expression) -> bool:
    """Return whether an expression asks for zones of the plan Enterprise, however it is written."""
    if expression.problem:
        return ENTERPRISE_ZONES in expression.text
    for leaf in expression.comparisons:
        values = [token.text for token in leaf.operands]
        if leaf.field == "cf.zone.plan" and leaf.operator in ("eq", "in") and values == ['"ENT"']:
            return True
    return False


# Requests to zones of the plan Enterprise meet these rules first.
CUSTOM_RULES_OF_ACCOUNT = entry_point(
    name="account_custom_rule",
    title="custom rule of the account",
    owner=ACCOUNT_OPTION,
    phase=CUSTOM_PHASE,
    product=ACCOUNT_RULESETS,
    permission=WAF[ACCOUNT_OPTION],
    fields=_FIELDS,
    semantics=CUSTOM_RULES.semantics._replace(invalid_reason=_invalid_rule_of_account),
)


ENTRY_POINTS = {ZONE_OPTION: CUSTOM_RULES, ACCOUNT_OPTION: CUSTOM_RULES_OF_ACCOUNT}
