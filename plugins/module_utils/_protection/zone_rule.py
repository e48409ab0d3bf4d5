# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A rule as Cloudflare evaluates it, by itself: its action, its conditions, and what it skips."""

from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Sequence

from .._expressions.expression import Expression
from .._remembered import remembered
from .._schema.custom_rules import BLOCK_PARAMETERS, SKIP_PARAMETERS, UNMANAGED_SKIP_PARAMETERS
from .._schema.firewall_rules import (
    ACTIONS_BY_PRECEDENCE,
    FIREWALL_RULES,
    has_deleted_filter,
    rank_of_firewall_rule,
)
from .._schema.resource import ENFORCING, Key, Object, Resource, fields_in
from .._schema.rulesets import PARAMETERS, SKIP, deployed, skipped_rulesets
from .._values.kinds import FLAG

MOST_RULES, MOST_LISTS = 4096, 256  # that are remembered
SKIPPING = frozenset({"skip", "allow", "bypass"})
OF_SKIPS = SKIP_PARAMETERS | UNMANAGED_SKIP_PARAMETERS
# Fields that narrow what a rule matches; another field that is not declared may do so.
CONDITIONS = frozenset({"exposed_credential_check"})

# A skip of `ruleset` or `phase`, and an allow, skip this among others.
REST_OF_THE_LIST = "the remaining rules"


class ZoneRule(NamedTuple):
    """A rule as Cloudflare evaluates it, of a zone or of an account.

    `title` names it in sentences. `active` says whether requests can meet it, `stops` whether its
    action stops them; `skips` names what requests that it matches skip. Fields in `conditions` may
    narrow what it matches. `unknown` names its action, or parameters of it, if they are not known.
    `obj` is the rule as Cloudflare shows it. `of_ruleset` is the name of the custom ruleset that
    contains it, and `via` the key of the zone's rule that executes this ruleset. A rule
    `of_account` stands before those of the zone. `unless` are skips that take traffic from it, and
    `whole` is its expression with this traffic.
    """

    key: Key
    entry: str
    title: str
    action: str
    expression: Expression
    active: bool
    stops: bool
    skips: frozenset[str]
    obj: Object
    conditions: Sequence[str] = ()
    unknown: Sequence[str] = ()
    of_ruleset: str = ""
    via: Key | None = None
    of_account: bool = False
    unless: Sequence[ZoneRule] = ()
    whole: Expression | None = None

    @property
    def doubts(self) -> list[str]:
        """The parts of the rule that are not understood, in words."""
        return [*self.unknown, *(f"the field {name}" for name in self.conditions)]

    @property
    def enforces(self) -> bool:
        """Return whether the rule is active and blocks or challenges, or executes rules that do."""
        return self.active and self.stops

    @property
    def lets_pass(self) -> bool:
        """Return whether the rule is active and lets requests skip something."""
        return self.active and self.action in SKIPPING

    @property
    def terminates(self) -> bool:
        """Return whether a request that the rule matches meets no later rule; False if the action
        is not known."""
        return self.enforces or (self.lets_pass and REST_OF_THE_LIST in self.skips)

    def takes_past(self, later: ZoneRule, wholly: bool = False) -> bool:
        """Return whether requests that this rule matches skip the rule `later`, or the ruleset that
        `later` executes. Unless `wholly` is set, a part of that ruleset is enough."""
        if not self.lets_pass:
            return False
        if REST_OF_THE_LIST in self.skips:
            return True
        identity = deployed(later.obj)
        if wholly:
            return f"rulesets {identity}" in self.skips
        return identity in skipped_rulesets(self.obj)


InOrder = Callable[[Sequence[Object]], "list[ZoneRule]"]


def _firewall_rules_in_order(rules: Sequence[Object]) -> list[ZoneRule]:
    return [_firewall_rule(rule) for rule in sorted(rules, key=rank_of_firewall_rule)]


def _firewall_rule(rule: Object) -> ZoneRule:
    condition = fields_in(rule.get("filter"))
    action = str(rule.get("action"))
    entry = FIREWALL_RULES.label_of(rule)
    description = rule.get("description")
    at_rest = rule.get("paused"), condition.get("paused"), has_deleted_filter(rule)
    skips = [REST_OF_THE_LIST] if action == "allow" else []
    if action == "bypass":
        skips = [str(product) for product in rule.get("products") or ()]
    return ZoneRule(
        key=FIREWALL_RULES.key_of(rule),
        entry=entry,
        title=f"{entry} ({description})" if description else entry,
        action=action,
        expression=Expression.of_object(condition),
        active=all(FLAG.normalise(flag) == "false" for flag in at_rest),
        stops=action in ENFORCING,
        skips=frozenset(skips),
        obj=rule,
        unknown=[] if action in ACTIONS_BY_PRECEDENCE else [f"the action {action}"],
    )


def in_order_of(resource: Resource) -> InOrder:
    """A function that turns the rules of an entry point into ZoneRules, in the order in which
    Cloudflare lists and evaluates them."""
    declared = [field.name for field in resource.fields if not field.narrows]
    declared += [*resource.read_only, "id", "categories", "logging"]
    without_effect = frozenset(declared)
    is_of_packets = resource.traffic == "packet"

    def zone_rule(rule: Object) -> ZoneRule:
        action = str(rule.get("action"))
        label = resource.label_of(rule)
        enabled = resource.field("enabled").normalised(rule)
        conditions = [name for name in rule if name not in without_effect and rule[name]]
        if action in ENFORCING:
            conditions += [f"{PARAMETERS}.{name}" for name in unknown_parameters(rule)]
        skips: list[str] = []
        if action == SKIP:
            skips, unknown = _skipped_names(rule.get("action_parameters"))
        else:
            unknown = _unknown_action(resource, rule)
        expression = Expression.of_object(rule)
        return ZoneRule(
            key=resource.key_of(rule),
            entry=label,
            title=label,
            action=action,
            expression=expression.of_packets() if is_of_packets else expression,
            active=enabled != "false",
            stops=action in resource.enforcing,
            skips=frozenset(skips),
            obj=rule,
            conditions=sorted(conditions),
            unknown=unknown,
        )

    remembered_rule = remembered(MOST_RULES)(zone_rule)  # a plan is looked at in many ways
    remembered_rules = remembered(MOST_LISTS)(lambda rules: tuple(map(remembered_rule, rules)))
    return lambda rules: [*remembered_rules(rules)]


def unknown_parameters(rule: Object) -> list[str]:
    """The names of the action parameters of a rule that are not understood. Those of a rule that
    blocks or challenges may narrow it; a skip may skip more by them."""
    parameters, action = fields_in(rule.get(PARAMETERS)), rule.get("action")
    if not parameters:
        return []
    if action in ENFORCING:  # parameters of a skip do nothing there
        return [name for name in parameters if name not in BLOCK_PARAMETERS | OF_SKIPS]
    if action != SKIP:
        return []
    return [name for name in parameters if not _is_understood(name, parameters[name])]


def _is_understood(name: str, setting: Any) -> bool:
    """Return whether a parameter of a skip says what is skipped."""
    if name in ("ruleset", "phase"):
        return bool(setting == "current")
    return name in OF_SKIPS


def _unknown_action(resource: Resource, rule: Object) -> list[str]:
    """The names of the unknown parts of an action other than skip; empty if it is known."""
    action = str(rule.get("action"))
    if action in ENFORCING | resource.enforcing | {"log"}:
        return []
    parameters = rule[PARAMETERS] if deployed(rule) else ()
    additional = [f"the action parameter {name}" for name in parameters if name != "id"]
    return additional or [f"the action {action}"]


def _skipped_names(parameters: Any) -> tuple[list[str], list[str]]:
    """The names of what a skip skips, and the names of its parameters that are not known."""
    skips: list[str] = []
    unknown: list[str] = [] if parameters else ["what it skips"]
    for name, setting in fields_in(parameters).items():
        if not _is_understood(name, setting):
            unknown.append(f"the action parameter {name}")
        elif name == "ruleset":
            skips.append(REST_OF_THE_LIST)
        elif name == "phase":
            skips += [REST_OF_THE_LIST, name]
        else:
            skips += _skipped_members(name, setting)
    return skips, unknown


def _skipped_members(name: str, setting: Any) -> list[str]:
    """The members of a parameter of a skip, each preceded by the parameter's name and, if the
    members are listed by ruleset, by the ruleset."""
    if isinstance(setting, Mapping):
        members: list[str] = []
        for ruleset, rules in setting.items():
            in_list = rules if isinstance(rules, list) else [rules]
            members += [f"{name} {ruleset} {rule}" for rule in in_list]
        return members
    if isinstance(setting, (list, tuple)):
        return [f"{name} {member}" for member in setting]
    return [name]
