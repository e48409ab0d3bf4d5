# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every resource in one table, and the order in which requests and packets meet their rules.

All that speaks of "all resources", "all rulesets" or "all lists" derives from it.
"""

from __future__ import annotations

from typing import Any, Callable, Container, Iterable, Mapping, NamedTuple, Sequence

from .._expressions.fields import lists_in, with_contents
from .._expressions.grammar import expression_of
from .._remembered import remembered
from .._values.kinds import FLAG, SAFE_ID
from . import account, neighbours, zone
from .lists import LISTS, WHOLE_LISTS, ListContents, contents_of, items_of
from .managed_rules import L4_OVERRIDES, L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT, MANAGED_RULES
from .rate_limits import RATE_LIMIT_RULES
from .resource import ENFORCING, ZONE_OPTION, Key, Object, Resource, State, fields_in, is_new
from .rulesets import EXECUTE, PARAMETERS, deployed, skipped_rulesets

SKIPPING = frozenset({"skip", "allow", "bypass"})
# Fields that narrow what a rule matches; another one that is not known may do so.
CONDITIONS = frozenset({"exposed_credential_check"})

# A skip of `ruleset` or `phase`, and an allow, skip this among others.
REST_OF_THE_LIST = "the remaining rules"


class ZoneRule(NamedTuple):
    """A rule as Cloudflare evaluates it, of a zone or of an account.

    `title` names it in sentences. `active` says whether requests can meet it, `stops` whether its
    action stops them, `skips` what a request that it matches does not meet. Fields in `conditions`
    may narrow what it matches. `unknown` names its action, and parameters of it, if they are not
    known. `obj` is the rule as Cloudflare shows it. A rule of another ruleset is there `via` the
    rule of the zone with this key; a custom rule `of_account` stands before those of the zone.
    If skips take traffic from it, `unless` has them, and `whole` the expression with this traffic.
    """

    key: Key
    entry: str
    title: str
    action: str
    expression: str
    active: bool
    stops: bool
    skips: frozenset[str]
    obj: Object
    conditions: Sequence[str] = ()
    unknown: Sequence[str] = ()
    via: Key | None = None
    of_account: bool = False
    unless: Sequence[ZoneRule] = ()
    whole: str = ""

    @property
    def doubts(self) -> list[str]:
        """All of it that is not understood, for sentences."""
        return [*self.unknown, *(f"the field {name}" for name in self.conditions)]

    @property
    def enforces(self) -> bool:
        """Return whether it blocks or challenges, or deploys rules that do."""
        return self.active and self.stops

    @property
    def lets_pass(self) -> bool:
        """Return whether it takes requests past something."""
        return self.active and self.action in SKIPPING

    @property
    def terminates(self) -> bool:
        """Return whether a request that it matches meets no rule after it; not where the action is
        unknown."""
        return self.enforces or (self.lets_pass and REST_OF_THE_LIST in self.skips)

    def takes_past(self, other: ZoneRule, wholly: bool = False) -> bool:
        """Return whether a request that it matches does not meet a rule behind it in the list, or,
        unless `wholly` is asked for, not all that this rule deploys."""
        if not self.lets_pass:
            return False
        skipped, identity = skipped_rulesets(self.obj), deployed(other.obj)
        is_skipped = f"rulesets {identity}" in self.skips if wholly else identity in skipped
        return REST_OF_THE_LIST in self.skips or is_skipped


def _firewall_rules_in_order(rules: Sequence[Object]) -> list[ZoneRule]:
    return [_firewall_rule(rule) for rule in sorted(rules, key=zone.rank_of_firewall_rule)]


def _firewall_rule(rule: Object) -> ZoneRule:
    condition = fields_in(rule.get("filter"))
    action = str(rule.get("action"))
    entry = zone.FIREWALL_RULES.label_of(rule)
    description = rule.get("description")
    products = rule.get("products") if action == "bypass" else None
    at_rest = rule.get("paused"), condition.get("paused"), condition.get("deleted")
    return ZoneRule(
        key=zone.FIREWALL_RULES.key_of(rule),
        entry=entry,
        title=f"{entry} ({description})" if description else entry,
        action=action,
        expression=expression_of(condition),
        active=all(FLAG.normalise(value) == "false" for value in at_rest),
        stops=action in ENFORCING,
        skips=frozenset([REST_OF_THE_LIST] if action == "allow" else map(str, products or [])),
        obj=rule,
        unknown=[] if action in zone.ACTIONS_BY_PRECEDENCE else [f"the action {action}"],
    )


MOST_RULES, MOST_LISTS = 4096, 256  # that are remembered


def in_order_of(resource: Resource) -> Callable[[Sequence[Object]], list[ZoneRule]]:
    """Reads the rules of an entry point, which Cloudflare evaluates as it lists them."""

    declared = [field.name for field in resource.fields if not field.narrows]
    known = frozenset([*declared, *resource.read_only, "id", "categories", "logging"])
    actions = ENFORCING | resource.enforcing | {"skip", "log"}

    def read(rule: Object) -> ZoneRule:
        action, label = str(rule.get("action")), resource.label_of(rule)
        skipped, unknown = _skipped(rule.get("action_parameters")) if action == "skip" else ([], [])
        if action not in actions:  # one that deploys a ruleset may do something beside that
            beside = [name for name in (rule[PARAMETERS] if deployed(rule) else ()) if name != "id"]
            odd = [f"the action parameter {name}" for name in beside]
            unknown = odd or [f"the action {action}"]
        return ZoneRule(
            key=resource.key_of(rule),
            entry=label,
            title=label,
            action=action,
            expression=expression_of(rule),
            active=resource.field("enabled").normalised(rule) != "false",
            stops=action in resource.enforcing,
            skips=frozenset(skipped),
            obj=rule,
            conditions=sorted(name for name in rule if name not in known and rule[name]),
            unknown=unknown,
        )

    of_rule = remembered(MOST_RULES)(read)  # a plan is looked at in many ways
    of_list = remembered(MOST_LISTS)(lambda rules: tuple(map(of_rule, rules)))
    return lambda rules: [*of_list(rules)]


def phase_of(resource: Resource) -> str:
    """The rules of an entry point, as a skip names them."""
    return f"phases {resource.phase}"


def _skipped(parameters: Any) -> tuple[list[str], list[str]]:
    """Names in the parameters of a skip, and the parameters that are not known; the rest of the
    phase is more than the rest of the list."""
    named: list[str] = []
    unknown: list[str] = [] if parameters else ["what it skips"]
    for name, value in fields_in(parameters).items():
        if name in ("ruleset", "phase") and value == "current":
            named += [REST_OF_THE_LIST, name] if name == "phase" else [REST_OF_THE_LIST]
        elif name in (zone.SKIP_PARAMETERS | zone.UNMANAGED_SKIP_PARAMETERS) - {"ruleset", "phase"}:
            named += _skipped_items(name, value)
        else:
            unknown.append(f"the action parameter {name}")
    return named, unknown


def _skipped_items(name: str, value: Any) -> list[str]:
    """The items of a parameter; those of lists by ruleset with their ruleset."""
    if isinstance(value, Mapping):
        lists = {key: own if isinstance(own, list) else [own] for key, own in value.items()}
        value = [f"{key} {item}" for key, own in lists.items() for item in own]
    return [f"{name} {item}" for item in value] if isinstance(value, (list, tuple)) else [name]


InOrder = Callable[[Sequence[Object]], "list[ZoneRule]"]


class Managed(NamedTuple):
    """A resource that a baseline manages: the module that writes it, and the option of this module
    that holds its objects.

    `in_order` puts rules that a request or packet meets one after the other into this order; they
    `decide` if nothing but them decides what becomes of it.
    """

    resource: Resource
    module: str
    option: str
    in_order: InOrder | None = None
    decide: bool = True


def _evaluated(resource: Resource, module: str, decide: bool = True) -> Managed:
    return Managed(resource, module, "rules", in_order_of(resource), decide)


# In the order in which a baseline applies them.
MANAGED: Sequence[Managed] = (
    Managed(WHOLE_LISTS, "ip_lists", "lists"),
    Managed(account.STATUS, "account_protection", "enabled"),
    *(
        Managed(resource, "account_protection", option)
        for option, resources in account.COLLECTIONS.items()
        for resource in resources
    ),
    _evaluated(account.NETWORK_FIREWALL_RULES, "network_firewall_rules"),
    Managed(L4_OVERRIDES, "ddos_l4_overrides", "overrides"),
    *(Managed(item, "custom_rulesets", "rulesets") for item in zone.WHOLE_RULESETS.values()),
    Managed(zone.FIREWALL_RULES, "firewall_rules", "rules", _firewall_rules_in_order),
    _evaluated(zone.CUSTOM_RULES, "custom_rules"),
    _evaluated(RATE_LIMIT_RULES, "rate_limit_rules", decide=False),
    _evaluated(MANAGED_RULES, "managed_rules", decide=False),
    Managed(L7_OVERRIDES, "ddos_l7_overrides", "overrides"),
    Managed(zone.SECURITY_LEVEL, "security_level", "level"),
)


def managed_of(owners: Container[str]) -> list[Managed]:
    """The resources of an account, a zone or both; of custom rulesets, which both may have, those
    of the account."""
    own = [item for item in MANAGED if item.resource.owner in owners]
    first = {item.module: item.resource.owner for item in reversed(own)}
    return [item for item in own if first[item.module] == item.resource.owner]


# Resources that are read alone: what stands beside the protection of accounts and zones.
READ_ONLY: Sequence[Resource] = neighbours.NEIGHBOURS
OF_ACCOUNT_ALONE = (L7_OVERRIDES_OF_ACCOUNT, zone.CUSTOM_RULES_OF_ACCOUNT)  # for its zones
MODULES = tuple(dict.fromkeys(item.module for item in MANAGED))
_OTHERS = (LISTS, *zone.CUSTOM_RULESETS.values(), items_of(""), *OF_ACCOUNT_ALONE)
_NAMED = (*(item.resource for item in MANAGED), *_OTHERS, zone.rules_of(ZONE_OPTION, ""))
BY_NAME: Mapping[str, Resource] = {item.name: item for item in _NAMED}  # the name of results
BY_PLURAL: Mapping[str, Resource] = {item.resource.plural: item.resource for item in MANAGED}
# The entry points of phases.
RULESETS = tuple(item.resource for item in MANAGED if item.resource.is_ordered)
DDOS_OVERRIDES = tuple(item.resource for item in MANAGED if item.option == "overrides")
EVALUATION: Sequence[tuple[Resource, InOrder]] = tuple(
    (item.resource, item.in_order) for item in MANAGED if item.in_order
)
DECIDING: Sequence[tuple[Resource, InOrder]] = tuple(
    (item.resource, item.in_order) for item in MANAGED if item.in_order and item.decide
)

IN_ORDER: Mapping[str, InOrder] = {resource.plural: read for resource, read in EVALUATION}
_OF_PHASE = {one.phase: one for one, _read in EVALUATION if one.phase}


def evaluated_as(resource: Resource) -> Resource:
    """The rules of its phase that traffic meets, among which those of this resource stand; any
    other resource itself."""
    return resource if resource.plural in IN_ORDER else _OF_PHASE.get(resource.phase, resource)


def rules_in_force(state: State, resource: Resource = zone.CUSTOM_RULES) -> list[ZoneRule]:
    """The rules of a state in the order in which traffic meets them: custom rules of the account
    before those of the zone, and in the place of a rule that executes a ruleset the rules of
    that, if the state has them."""
    rules = IN_ORDER[resource.plural](state.get(resource.plural) or ())
    if resource is not zone.CUSTOM_RULES:
        return rules
    (shown,) = state.get(neighbours.ZONE.plural) or ({},)
    is_other = zone.plan_of(shown) in zone.OTHER_PLANS  # which does not meet rules of its account
    of_account = () if is_other else state.get(zone.CUSTOM_RULES_OF_ACCOUNT.plural)
    if not of_account and all(rule.action != EXECUTE for rule in rules):
        return rules
    first, then = Chain(state, OF_ACCOUNT), Chain(state)
    first.take(map(_of_account, IN_ORDER[resource.plural](of_account or ())))
    then.take(rules)
    return [*first.rules, *then.rules]


def executed_rulesets(state: State) -> dict[str, list[Object]]:
    """The rulesets that rules of a state execute, for another state."""
    return {zone.EXECUTED_RULESETS: [*state.get(zone.EXECUTED_RULESETS, ())]}


def listed(resource: Resource, rule: ZoneRule) -> tuple[Resource, Object]:
    """The object of a state by which a rule is there; one of an account is there by itself."""
    if rule.of_account:
        return zone.CUSTOM_RULES_OF_ACCOUNT, {**rule.obj, "ref": rule.entry[: -len(OF_ACCOUNT)]}
    return resource, {**rule.obj, "ref": rule.via[0]} if rule.via else rule.obj


UNREAD = "unread"  # of an object in the place of others that cannot be read: the reason
OF_ACCOUNT = " of the account"


def zone_values(state: State) -> dict[str, bytes]:
    """The values of the fields that requests have by their zone, as far as the state knows it."""
    (shown,) = state.get(neighbours.ZONE.plural) or ({},)
    plan = zone.PLAN_NAMES.get(zone.plan_of(shown))
    values = {"cf.zone.plan": plan, "cf.zone.name": shown.get("name")}
    return {name: str(value).encode() for name, value in values.items() if value}


def executed_by(rule: ZoneRule) -> str:
    """The id of the ruleset that a rule executes as it is; empty for any other rule."""
    identity = deployed(rule.obj) if rule.active else ""
    if not identity or [*rule.obj[PARAMETERS]] != ["id"]:
        return ""
    return identity if SAFE_ID.fullmatch(identity) or is_new(identity) else ""


def _of_account(rule: ZoneRule) -> ZoneRule:
    """A rule of the entry point of an account, which requests to Enterprise zones alone meet."""
    title = f"{rule.entry}{OF_ACCOUNT}"
    rule = rule._replace(expression=rule.expression.replace(zone.ENTERPRISE_ZONES, "true"))
    if UNREAD in rule.obj:
        title = f"any{OF_ACCOUNT}"
        doubt = f"what the custom rules{OF_ACCOUNT} do ({rule.obj[UNREAD]})"
        rule = rule._replace(expression="true", unknown=[doubt], conditions=())
    return rule._replace(key=(title,), entry=title, title=title, of_account=True)


class Chain:
    """The rules that requests meet in an account, or in a zone, one after the other.

    A skip of the rest of a ruleset that is not the last one becomes a part of the expressions of
    the rules that it skips, and itself ends nothing; so do skips of rulesets and rules by their
    ids.
    """

    def __init__(self, state: State, of: str = "") -> None:
        rulesets = state.get(zone.EXECUTED_RULESETS) or ()
        self._rulesets = {str(obj.get("id")): obj for obj in rulesets}
        self._of, self._values = of, zone_values(state)
        self._skips: list[ZoneRule] = []
        self.rules: list[ZoneRule] = []

    def take(self, rules: Iterable[ZoneRule], by: ZoneRule | None = None) -> None:
        """Take the rules of an entry point, or those of a ruleset that a rule executes."""
        passed: list[ZoneRule] = []  # skips of the rest of this ruleset
        for rule in rules:
            skips = [one for one in self._skips if _is_meant(one, rule, by)]
            rule = _unless(rule, [*passed, *skips])
            inner = None if by else self._executed(rule)
            if inner is not None:
                self.take(inner, rule)
            elif rule.active and rule.action == "skip":
                self._take_skip(rule, passed, bool(by))
            else:
                self.rules.append(rule)

    def _take_skip(self, rule: ZoneRule, passed: list[ZoneRule], is_inner: bool) -> None:
        self._skips.append(rule)
        if self._of and "phase" in rule.skips:
            rule = rule._replace(unknown=[*rule.unknown, "the action parameter phase"])
        elif not (is_inner or self._of) or "phase" in rule.skips:
            self.rules.append(rule)
            return
        passed += [rule] if REST_OF_THE_LIST in rule.skips else []
        self.rules.append(rule._replace(skips=rule.skips - {REST_OF_THE_LIST}))

    def _executed(self, rule: ZoneRule) -> list[ZoneRule] | None:
        """The rules of the ruleset that a rule executes; None if it is any other rule, or the
        ruleset is not known."""
        ruleset = self._rulesets.get(executed_by(rule), {})
        if UNREAD in ruleset:
            doubt = f"the ruleset {ruleset['id']} that it executes ({ruleset[UNREAD]})"
            obj = {**rule.obj, UNREAD: ruleset[UNREAD]}
            self.rules.append(rule._replace(unknown=[doubt], obj=obj))
            return []
        if ruleset.get("kind") != "custom":
            return None
        from .._expressions.evaluation import decider  # loaded if there is such a rule
        from .._expressions.operands import Fields

        truth = decider(rule.expression)(Fields(self._values))
        of = f" of the ruleset {ruleset.get('name')}{self._of}"
        return [
            one._replace(
                key=(f"{one.entry}{of}", rule.entry),
                entry=f"{one.entry}{of}",
                title=f"{one.entry}{of}",
                expression=one.expression if truth is True else _conjunction(rule, one),
                active=one.active and truth is not False,
                conditions=[*rule.conditions, *one.conditions],
                via=None if self._of else rule.key,
                unless=rule.unless,
                whole=rule.whole and _conjunction(rule._replace(expression=rule.whole), one),
                of_account=bool(self._of),
            )
            for one in IN_ORDER[zone.CUSTOM_RULES.plural](ruleset.get("rules") or ())
        ]


def _conjunction(rule: ZoneRule, other: ZoneRule) -> str:
    return f"({rule.expression}) and ({other.expression})"


def beyond(rule: ZoneRule, others: Sequence[ZoneRule]) -> str:
    """An expression for what a rule matches and none of the others."""
    return " and not ".join(f"({one.expression})" for one in (rule, *others))


def _unless(rule: ZoneRule, skips: Sequence[ZoneRule]) -> ZoneRule:
    """A rule that requests meet unless one of these matches."""
    certain = [one for one in skips if not one.conditions]
    conditions = [*rule.conditions, *(name for one in skips for name in one.conditions)]
    if not certain:
        return rule._replace(conditions=conditions)
    return rule._replace(
        expression=beyond(rule, certain),
        conditions=conditions,
        unless=[*rule.unless, *certain],
        whole=rule.whole or rule.expression,
    )


def _is_meant(skip: ZoneRule, rule: ZoneRule, by: ZoneRule | None) -> bool:
    """True if a skip names a rule by its id, or the ruleset that the rule executes."""
    parameters = skip.obj.get("action_parameters") or {}
    if by is None:
        return executed_by(rule) in (parameters.get("rulesets") or ())
    rules = fields_in(parameters.get("rules"))
    return rule.obj.get("id") in (rules.get(executed_by(by)) or ())


def title_of_resource(name: str) -> str:
    """The title of the resource with this name; the name itself if there is none."""
    return BY_NAME[name].title if name in BY_NAME else name


def title_of_operation(operation: Mapping[str, Any]) -> str:
    """The title of the object of a listed operation, with its key if it has one."""
    title, key = title_of_resource(operation["resource"]), str(operation["key"])
    return title if key == operation["resource"] else f"{title} {key}"


def expressions_in(state: State) -> list[str]:
    """The expressions of the rules of a state."""
    read = [resource for resource, _read in EVALUATION if resource.plural in state]
    return [rule.expression for resource in read for rule in rules_in_force(state, resource)]


def lists_named_in(state: State) -> list[str]:
    """The names of the lists that the rules of a state refer to."""
    return lists_in(*expressions_in(state))


def spelt_out(rule: ZoneRule, lists: ListContents) -> ZoneRule:
    """A rule with the contents of the lists that it refers to."""
    return rule._replace(expression=with_contents(rule.expression, lists)) if lists else rule


def contents_in(state: State) -> ListContents:
    """The contents of the lists that the rules of a state refer to, by name; none of a list whose
    items the state does not have."""
    items = {name: state.get(items_of(name).plural) for name in lists_named_in(state)}
    return {name: contents_of(known) for name, known in items.items() if known is not None}
