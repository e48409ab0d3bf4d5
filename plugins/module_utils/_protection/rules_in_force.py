# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of a state as Cloudflare evaluates them, in the order in which traffic meets them."""

from __future__ import annotations

from typing import Iterable, Iterator, Mapping, Sequence

from .._expressions.expression import Expression
from .._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT, ENTERPRISE_ZONES
from .._schema.custom_rulesets import EXECUTED_RULESETS
from .._schema.ddos_overrides import L7_OVERRIDES_OF_ACCOUNT
from .._schema.firewall_rules import FIREWALL_RULES
from .._schema.lists import ListContents, contents_of, has_items, items_of
from .._schema.neighbours import ZONE
from .._schema.registry import DDOS_OVERRIDES, EVALUATION
from .._schema.resource import Object, Resource, State, fields_in, is_new
from .._schema.rulesets import EXECUTE, PARAMETERS, deployed
from .._schema.zone import OTHER_PLANS, PLAN_NAMES, plan_of
from .._values.address_set import Contents
from .._values.hostnames import in_punycode
from .._values.kinds import SAFE_ID
from .zone_rule import REST_OF_THE_LIST, InOrder, ZoneRule, _firewall_rules_in_order, in_order_of

REASON_OF_UNREAD = "unread"  # of an object in the place of several that cannot be read: the reason
SUFFIX_OF_ACCOUNT = " of the account"


IN_ORDER: Mapping[str, InOrder] = {
    **{resource.plural: in_order_of(resource) for resource in EVALUATION if resource.phase},
    FIREWALL_RULES.plural: _firewall_rules_in_order,
}


def each_in_order(resource: Resource, objects: Sequence[Object]) -> Iterator[ZoneRule]:
    """The rules of a list in the order in which traffic meets them, each made when it is asked
    for."""
    for obj in sorted(objects, key=resource.rank) if resource.rank else objects:
        yield from IN_ORDER[resource.plural]([obj])


def rules_in_force(state: State, resource: Resource = CUSTOM_RULES) -> list[ZoneRule]:
    """The rules of a state in the order in which traffic meets them. Custom rules of the account
    come before those of the zone; a rule that executes a known ruleset is replaced by the rules of
    the ruleset."""
    rules = IN_ORDER[resource.plural](state.get(resource.plural) or ())
    if resource is not CUSTOM_RULES:
        return rules
    rules_of_account = IN_ORDER[resource.plural](_custom_rules_of_account(state))
    if not rules_of_account and all(rule.action != EXECUTE for rule in rules):
        return rules
    account_chain, zone_chain = Chain(state, SUFFIX_OF_ACCOUNT), Chain(state)
    account_chain.take(map(_as_rule_of_account, rules_of_account))
    zone_chain.take(rules)
    return [*account_chain.rules, *zone_chain.rules]


def _custom_rules_of_account(state: State) -> Sequence[Object]:
    """The account's custom rules that requests to the zone meet; empty unless the zone is, or may
    be, an Enterprise zone."""
    rules = state.get(CUSTOM_RULES_OF_ACCOUNT.plural) or ()
    (zone,) = state.get(ZONE.plural) or ({},)
    return () if rules and plan_of(zone) in OTHER_PLANS else rules


def executed_rulesets(state: State) -> dict[str, list[Object]]:
    """The part of a state that contains the executed rulesets, for use in another state."""
    return {EXECUTED_RULESETS: [*state.get(EXECUTED_RULESETS, ())]}


def listed(resource: Resource, rule: ZoneRule) -> tuple[Resource, Object]:
    """The resource and the object under which results show a rule. A rule of an executed ruleset
    keeps its own fields, with the `ref` of the rule that executes the ruleset; a rule of the
    account is shown as a custom rule of the account."""
    if rule.of_account:
        ref = rule.entry[: -len(SUFFIX_OF_ACCOUNT)]
        return CUSTOM_RULES_OF_ACCOUNT, {**rule.obj, "ref": ref}
    if rule.via:
        return resource, {**rule.obj, "ref": rule.via[0]}
    return resource, rule.obj


def zone_values(state: State) -> dict[str, bytes]:
    """The values of the fields that the zone decides for all its requests, as far as the state
    contains them. A name with letters beyond ASCII is left out, since the vendor does not say how
    rules see it."""
    (zone,) = state.get(ZONE.plural) or ({},)
    plan, zone_name = PLAN_NAMES.get(plan_of(zone)), str(zone.get("name") or "")
    values = {"cf.zone.plan": plan, "cf.zone.name": zone_name if zone_name.isascii() else ""}
    return {name: text.encode() for name, text in values.items() if text}


def host_of_zone(state: State) -> str:
    """The host of requests to the zone's own name; `example.com` if the zone is not known."""
    (zone,) = state.get(ZONE.plural) or ({},)
    return in_punycode(str(zone.get("name") or "example.com"))


def executed_by(rule: ZoneRule) -> str:
    """The id of the ruleset that an active rule executes without overrides; empty for any other
    rule."""
    identity = deployed(rule.obj) if rule.active else ""
    if not identity or [*rule.obj[PARAMETERS]] != ["id"]:
        return ""
    if SAFE_ID.fullmatch(identity) or is_new(identity):
        return identity
    return ""


def in_enterprise(expression: Expression) -> Expression:
    """The expression, under the assumption that requests go to an Enterprise zone; only these meet
    rules of an account."""
    return expression.assuming(Expression.of(ENTERPRISE_ZONES))


def _as_rule_of_account(rule: ZoneRule) -> ZoneRule:
    """The rule, as a rule of the account's entry point: its title names the account, and it matches
    only requests to Enterprise zones."""
    title = f"{rule.entry}{SUFFIX_OF_ACCOUNT}"
    rule = rule._replace(expression=in_enterprise(rule.expression))
    if REASON_OF_UNREAD in rule.obj:
        title = f"any{SUFFIX_OF_ACCOUNT}"
        doubt = f"what the custom rules{SUFFIX_OF_ACCOUNT} do ({rule.obj[REASON_OF_UNREAD]})"
        rule = rule._replace(expression=Expression.of("true"), unknown=[doubt], conditions=())
    return rule._replace(key=(title,), entry=title, title=title, of_account=True)


def title_in_ruleset(entry: str, ruleset_name: str) -> str:
    """The title of the rule `entry` of an executed ruleset."""
    return f"{entry} of the ruleset {ruleset_name}"


class Chain:
    """The rules that requests meet in an account, or in a zone, one after the other.

    A skip of the rest of a ruleset, other than the last one, ends nothing by itself: instead, the
    skipped rules get narrower expressions. Skips of rulesets or rules by id are treated in the same
    way.
    """

    def __init__(self, state: State, title_suffix: str = "") -> None:
        rulesets = state.get(EXECUTED_RULESETS) or ()
        self._rulesets = {str(ruleset.get("id")): ruleset for ruleset in rulesets}
        self._title_suffix, self._values = title_suffix, zone_values(state)
        self._of_account = bool(title_suffix)
        self._skips: list[ZoneRule] = []
        self.rules: list[ZoneRule] = []

    def take(self, rules: Iterable[ZoneRule], executing: ZoneRule | None = None) -> None:
        """Add the rules of an entry point, or those of the ruleset that the rule `executing`
        executes."""
        passed: list[ZoneRule] = []  # skips of the rest of this ruleset
        for rule in rules:
            skips = [skip for skip in self._skips if _is_meant(skip, rule, executing)]
            rule = _unless(rule, [*passed, *skips])
            inner = None if executing else self._executed(rule)
            if inner is not None:
                self.take(inner, rule)
            elif rule.active and rule.action == "skip":
                self._take_skip(rule, passed, bool(executing))
            else:
                self.rules.append(rule)

    def _take_skip(self, rule: ZoneRule, passed: list[ZoneRule], is_inner: bool) -> None:
        self._skips.append(rule)
        if self._of_account and "phase" in rule.skips:
            rule = rule._replace(unknown=[*rule.unknown, "the action parameter phase"])
        elif not (is_inner or self._of_account) or "phase" in rule.skips:
            self.rules.append(rule)
            return
        if REST_OF_THE_LIST in rule.skips:
            passed.append(rule)
        self.rules.append(rule._replace(skips=rule.skips - {REST_OF_THE_LIST}))

    def _executed(self, rule: ZoneRule) -> list[ZoneRule] | None:
        """The rules of the ruleset that a rule executes; None if the rule executes none, or its
        ruleset is not known."""
        ruleset = self._rulesets.get(executed_by(rule), {})
        if REASON_OF_UNREAD in ruleset:
            doubt = f"the ruleset {ruleset['id']} that it executes ({ruleset[REASON_OF_UNREAD]})"
            obj = {**rule.obj, REASON_OF_UNREAD: ruleset[REASON_OF_UNREAD]}
            self.rules.append(rule._replace(unknown=[doubt], obj=obj))
            return []
        if ruleset.get("kind") != "custom":
            return None
        from .._expressions.operands import Fields  # loaded if there is such a rule

        truth = rule.expression.evaluate(Fields(self._values))
        name = str(ruleset.get("name"))
        inner_rules = IN_ORDER[CUSTOM_RULES.plural](ruleset.get("rules") or ())
        return [self._inner_rule(rule, inner, truth, name) for inner in inner_rules]

    def _inner_rule(
        self, executing: ZoneRule, inner: ZoneRule, truth: object, ruleset_name: str
    ) -> ZoneRule:
        """The rule `inner` of an executed ruleset, as requests meet it; `truth` says whether the
        executing rule matches all requests to the zone, none, or some."""
        title = title_in_ruleset(inner.entry, ruleset_name) + self._title_suffix
        expression = inner.expression
        if truth is not True:
            expression = executing.expression.and_(inner.expression)
        whole = executing.whole and executing.whole.and_(inner.expression)
        return inner._replace(
            key=(title, executing.entry),
            entry=title,
            title=title,
            expression=expression,
            active=inner.active and truth is not False,
            conditions=[*executing.conditions, *inner.conditions],
            of_ruleset=ruleset_name,
            via=None if self._of_account else executing.key,
            unless=executing.unless,
            whole=whole,
            of_account=self._of_account,
        )


def beyond(rule: ZoneRule, earlier: Sequence[ZoneRule]) -> Expression:
    """An expression for the traffic that a rule matches and none of the `earlier` rules match."""
    return rule.expression.without(*(earlier_rule.expression for earlier_rule in earlier))


def _unless(rule: ZoneRule, skips: Sequence[ZoneRule]) -> ZoneRule:
    """The rule, limited to requests that none of these skips match."""
    conditions = [*rule.conditions]
    for skip in skips:
        conditions += skip.conditions
    certain = [skip for skip in skips if not skip.conditions]
    if not certain:
        return rule._replace(conditions=conditions)
    return rule._replace(
        expression=beyond(rule, certain),
        conditions=conditions,
        unless=[*rule.unless, *certain],
        whole=rule.whole or rule.expression,
    )


def _is_meant(skip: ZoneRule, rule: ZoneRule, executing: ZoneRule | None) -> bool:
    """Return whether a skip names a rule by its id, or names the ruleset that the rule executes.
    `executing` is the rule that executes the ruleset of `rule` (None: it is in no such ruleset)."""
    parameters = skip.obj.get("action_parameters") or {}
    if executing is None:
        return executed_by(rule) in (parameters.get("rulesets") or ())
    rules = fields_in(parameters.get("rules"))
    return rule.obj.get("id") in (rules.get(executed_by(executing)) or ())


def expressions_in(state: State) -> list[Expression]:
    """The expressions of the rules and the overrides of a state."""
    expressions: list[Expression] = []
    for resource in EVALUATION:
        if resource.plural in state:
            expressions += [rule.expression for rule in rules_in_force(state, resource)]
    for resource in (*DDOS_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT):
        expressions += map(Expression.of_object, state.get(resource.plural) or ())
    return expressions


def lists_named_in(state: State) -> list[str]:
    """The names of the lists that the rules and the overrides of a state refer to."""
    names: dict[str, None] = {}
    for expression in expressions_in(state):
        names.update(dict.fromkeys(expression.lists))
    return [*names]


def spelt_out(rule: ZoneRule, lists: ListContents) -> ZoneRule:
    """The rule, with the contents of the lists that its expression refers to in place of their
    names."""
    return rule._replace(expression=rule.expression.with_lists(lists)) if lists else rule


def contents_in(state: State) -> ListContents:
    """The contents, by name, of the lists that the rules of a state refer to; lists whose items the
    state does not contain are left out."""
    contents: dict[str, Contents] = {}
    for name in lists_named_in(state) if has_items(state) else ():
        entries = state.get(items_of(name).plural)
        if entries is not None:
            contents[name] = contents_of(entries)
    return contents
