# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The resources of a zone: firewall rules and WAF custom rules.

The vendor describes them in "Firewall Rules API" (deprecated) and "Create a custom rule via API"
(Rulesets API).
"""

from __future__ import annotations

from typing import AbstractSet, Any, Callable, Mapping, NamedTuple, Sequence

from .._errors import OptionError
from .._expressions.examination import FIREWALL_EXPRESSION, RULE_EXPRESSION
from .._expressions.request_fields import doubts
from .._text import Option
from .._values.kinds import CODE, FLAG, ID, PRIORITY, TEXT, Value, choice, mapping, several
from .owners import ZONE_OWNER
from .resource import Field, Key, Nested, Object, Permission, Resource, Values, Versions, Write

OWNER = ZONE_OWNER.option
PATH = "zones/{zone_id}"

PRODUCTS = ("zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf")
# Among firewall rules of equal priority, the service evaluates actions in this order.
ACTIONS_BY_PRECEDENCE = (
    "log",
    "bypass",
    "allow",
    "challenge",
    "managed_challenge",
    "js_challenge",
    "block",
)
ENFORCING = frozenset({"block", "challenge", "managed_challenge", "js_challenge"})
SKIPPING = frozenset({"skip", "allow", "bypass"})
GOING_ON = frozenset({"log", "bypass"})  # a request that matches meets the next rule as well


def _check_products(values: Values) -> dict[str, Any]:
    if values.get("products") and values.get("action", "bypass") != "bypass":
        raise OptionError(Option("products"), "only a rule with action bypass has products")
    return dict(values)


def _without_idle_products(
    rule: Values, existing: Values, named: AbstractSet[str]
) -> dict[str, Any]:
    """Products go when their rule stops bypassing; the service takes them with no other action."""
    idle = not rule.get("products") or (rule.get("action") != "bypass" and "products" not in named)
    return {name: value for name, value in rule.items() if not (idle and name == "products")}


def _invalid_firewall_rule(rule: Values) -> str:
    """Why the service would refuse a firewall rule whose products the task names."""
    if rule.get("products") and rule.get("action") != "bypass":
        return (
            f"has the action {rule.get('action')}, and only a rule with action bypass has products"
        )
    return ""


FIREWALL_FILTER = (
    Field("id", ID),
    Field("expression", FIREWALL_EXPRESSION),
    Field("paused", FLAG),
    Field("description", TEXT),
    Field("ref", TEXT),
)
FIREWALL_RULES = Resource(
    name="firewall_rule",
    plural="firewall_rules",
    title="firewall rule",
    owner=OWNER,
    path=PATH + "/firewall/rules",
    permission=Permission("Firewall Services", "zone"),
    fields=(
        Field("id", ID, required=True),
        Field("action", choice(*ACTIONS_BY_PRECEDENCE)),
        Field("priority", PRIORITY),
        Field("paused", FLAG),
        Field("description", TEXT),
        Field("products", several(*PRODUCTS)),
        Field("ref", TEXT),
        Field("filter", Value({"type": "dict"}, dict, str), fields=FIREWALL_FILTER),
    ),
    key=("id",),
    update=Write("PUT", by_id=True, batch=25, whole=True),
    page_size=100,
    read_only=("created_on", "modified_on"),
    nested=Nested(
        "filter",
        PATH + "/filters",
        Write("PUT", by_id=True, batch=25, whole=True),
        read_only=("deleted",),  # of a rule whose filter is gone
    ),
    retired=(
        "The service has retired firewall rules for this zone: manage its WAF custom rules with the"
        " module custom_rules, and migrate the rules with the role migrate_firewall_rules."
    ),
    complete=_check_products,
    normalise=_without_idle_products,
    invalid_reason=_invalid_firewall_rule,
)

CUSTOM_RULE_ACTIONS = ("block", "challenge", "js_challenge", "managed_challenge", "log", "skip")
SKIPPABLE_PHASES = ("http_ratelimit", "http_request_sbfm", "http_request_firewall_managed")
RESPONSE: Mapping[str, Mapping[str, Any]] = {
    "status_code": {"type": "int", "required": True},
    "content": {"type": "str", "required": True},
    "content_type": {"type": "str", "required": True},
}
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "ruleset": {"type": "str", "choices": ["current"]},
    "phase": {"type": "str", "choices": ["current"]},
    "phases": {"type": "list", "elements": "str", "choices": list(SKIPPABLE_PHASES)},
    "products": {"type": "list", "elements": "str", "choices": list(PRODUCTS)},
    "response": {"type": "dict", "options": RESPONSE},
}
BLOCK_PARAMETERS = {"response"}
SKIP_PARAMETERS = PARAMETERS.keys() - BLOCK_PARAMETERS
UNMANAGED_SKIP_PARAMETERS = {"rulesets", "rules"}  # kept where a rule has them
LOGGED = {
    "logging": {"enabled": True}
}  # what the service does by itself with a request that is skipped


def _check_status_code(parameters: Values) -> None:
    status = parameters.get("response", {}).get("status_code", 403)
    if not 400 <= status <= 499:
        raise ValueError(f"response.status_code is {status}, and not between 400 and 499")


def _check_nothing(parameters: Values) -> None:
    """Every value is valid."""


def _fit_action(rule: Values, existing: Values, named: AbstractSet[str]) -> dict[str, Any]:
    """Parameters and logging of a former action go, unless the task names them; a position is no
    field of the rule."""
    action_changes = rule.get("action") != existing.get("action", rule.get("action"))
    idle = {"position"} | ({"action_parameters", "logging"} - named if action_changes else set())
    kept = {name: value for name, value in rule.items() if name not in idle}
    return {**LOGGED, **kept} if kept.get("action") == "skip" else kept


def _invalid_custom_rule(rule: Values) -> str:
    """Why the service would refuse a custom rule, by the vendor's page "Custom rules: available
    skip options"."""
    missing = [name for name in ("action", "expression") if not rule.get(name)]
    if missing:
        return f"is new and needs {' and '.join(missing)}"
    parameters = set(rule.get("action_parameters") or {})
    if rule["action"] == "skip" and not parameters & (SKIP_PARAMETERS | UNMANAGED_SKIP_PARAMETERS):
        return "has the action skip and needs action_parameters that say what is skipped"
    if rule["action"] != "block" and parameters & BLOCK_PARAMETERS:
        return f"has the action {rule['action']}, and only block has a response"
    if rule["action"] != "skip" and parameters & SKIP_PARAMETERS:
        return f"has the action {rule['action']}, and only skip says what is skipped"
    return ""


def _blocks_nobody(rule: Object) -> bool:
    return rule.get("action") == "skip" or FLAG.normalise(rule.get("enabled", True)) == "false"


def _unusual_custom_rule(rule: Values) -> str:
    """Whether a rule reads fields that are not known here; the service may know them."""
    return doubts(str(rule.get("expression") or ""))


CUSTOM_RULES = Resource(
    name="custom_rule",
    plural="custom_rules",
    title="custom rule",
    owner=OWNER,
    path=PATH + "/rulesets/phases/http_request_firewall_custom/entrypoint",
    permission=Permission("Zone WAF", "zone"),
    fields=(
        Field("ref", Value(CODE.option, CODE.parse, str), required=True),
        Field("action", choice(*CUSTOM_RULE_ACTIONS)),
        Field("expression", RULE_EXPRESSION),
        Field("description", TEXT, default=""),
        Field("enabled", FLAG, default=True, absent_default=True),
        Field("action_parameters", mapping(PARAMETERS, _check_status_code), absent_default={}),
        Field(
            "logging",
            mapping({"enabled": {"type": "bool", "required": True}}, _check_nothing),
            absent_default=LOGGED["logging"],
        ),
    ),
    key=("ref",),
    create=Write("PUT"),
    update=Write("PUT"),
    delete=Write("PUT"),
    read_only=("version", "last_updated"),
    list_field="rules",
    kept_fields=("description",),
    versions=Versions("version", PATH + "/rulesets/{id}/versions/{version}"),
    normalise=_fit_action,
    invalid_reason=_invalid_custom_rule,
    unusual=_unusual_custom_rule,
    protects_nobody=_blocks_nobody,
)


REST_OF_THE_LIST = (  # what a skip of `ruleset` or `phase`, and an allow, skips among others
    "the remaining rules"
)


class ZoneRule(NamedTuple):
    """A rule of a zone as the service evaluates it.

    `title` names it in sentences. `active` says whether requests can meet it, `skips` what a
    request that it matches does not meet.
    """

    key: Key
    entry: str
    title: str
    action: str
    expression: str
    active: bool
    skips: frozenset[str]

    @property
    def enforces(self) -> bool:
        """Whether it blocks or challenges."""
        return self.active and self.action in ENFORCING

    @property
    def lets_pass(self) -> bool:
        """Whether it takes requests past something."""
        return self.active and self.action in SKIPPING

    @property
    def terminates(self) -> bool:
        """Whether a request that it matches meets no rule after it; not where the action is
        unknown."""
        return self.enforces or (self.lets_pass and REST_OF_THE_LIST in self.skips)


def firewall_order(priority: Any, action: Any) -> tuple[bool, float, int]:
    """Sorts firewall rules as the service evaluates them; equal ones keep the order of the list."""
    number = (
        priority if isinstance(priority, (int, float)) and not isinstance(priority, bool) else None
    )
    precedence = [*ACTIONS_BY_PRECEDENCE, action].index(action)  # an unknown action comes last
    return (number is None, number or 0, precedence)


def _firewall_rules_in_order(rules: Sequence[Object]) -> list[ZoneRule]:
    def order(rule: Object) -> tuple[bool, float, int]:
        return firewall_order(rule.get("priority"), rule.get("action"))

    return [_firewall_rule(rule) for rule in sorted(rules, key=order)]


def _firewall_rule(rule: Object) -> ZoneRule:
    nested = rule.get("filter")
    condition = nested if isinstance(nested, Mapping) else {}
    action = str(rule.get("action"))
    entry = FIREWALL_RULES.label_of(rule)
    description = rule.get("description")
    products = rule.get("products") if action == "bypass" else None
    return ZoneRule(
        key=FIREWALL_RULES.key_of(rule),
        entry=entry,
        title=f"{entry} ({description})" if description else entry,
        action=action,
        expression=str(condition.get("expression") or ""),
        active=all(FLAG.normalise(value) == "false" for value in _reasons_to_rest(rule, condition)),
        skips=frozenset([REST_OF_THE_LIST] if action == "allow" else map(str, products or [])),
    )


def _reasons_to_rest(rule: Object, condition: Object) -> Sequence[Any]:
    return (rule.get("paused"), condition.get("paused"), condition.get("deleted"))


def _custom_rules_in_order(rules: Sequence[Object]) -> list[ZoneRule]:
    return [
        ZoneRule(
            key=CUSTOM_RULES.key_of(rule),
            entry=CUSTOM_RULES.label_of(rule),
            title=CUSTOM_RULES.label_of(rule),
            action=str(rule.get("action")),
            expression=str(rule.get("expression") or ""),
            active=CUSTOM_RULES.field("enabled").normalised(rule) != "false",
            skips=frozenset(
                _skipped(rule.get("action_parameters")) if rule.get("action") == "skip" else ()
            ),
        )
        for rule in rules
    ]


def _skipped(parameters: Any) -> list[str]:
    """What the parameters of a skip name; the rest of the phase is more than the rest of the
    list."""
    named: list[str] = []
    for name, value in parameters.items() if isinstance(parameters, Mapping) else ():
        if name in ("ruleset", "phase"):
            named += [REST_OF_THE_LIST, name] if name == "phase" else [REST_OF_THE_LIST]
        elif name in SKIP_PARAMETERS | UNMANAGED_SKIP_PARAMETERS:
            named += (
                [f"{name} {item}" for item in value]
                if isinstance(value, (list, tuple, Mapping))
                else [name]
            )
    return named


# The rules of a zone in the order in which requests meet them, by what the service lists.
EVALUATION: Sequence[tuple[Resource, Callable[[Sequence[Object]], list[ZoneRule]]]] = (
    (FIREWALL_RULES, _firewall_rules_in_order),
    (CUSTOM_RULES, _custom_rules_in_order),
)


def keys_in_order(resource: Resource, objects: Sequence[Object]) -> list[Key] | None:
    """The keys of a collection as the service evaluates it; None where order does not matter."""
    for other, in_order in EVALUATION:
        if other.plural == resource.plural:
            return [rule.key for rule in in_order(objects)]
    return [resource.key_of(item) for item in objects] if resource.list_field else None
