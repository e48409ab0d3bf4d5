# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of plans for rules, lists and overrides: what may keep their owner from taking them,
and what stands around them."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Mapping, Sequence

from .._errors import reading
from .._expressions.fields import FIELDS_OF_LISTS, list_uses, misused
from .._expressions.grammar import Comparison
from .._plan.plan import Check, Operation, Plan, differences, with_along
from .._protection.losses import idle_among
from .._protection.overrides import override_losses
from .._schema.account import NETWORK_FIREWALL_RULES
from .._schema.lists import IP, LIST_KINDS, LISTS, items_of
from .._schema.managed_rules import L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT, MANAGED_RULES
from .._schema.neighbours import ACCOUNT_DETAILS, ZONE
from .._schema.quotas import ALL, LIST_QUOTAS, QUOTAS, ListQuota, Quota, quota_of
from .._schema.registry import evaluated_as, expressions_in, in_order_of, lists_named_in
from .._schema.resource import CONTENTS, Object, ReadCollection, Resource, State
from .._schema.rulesets import deployed
from .._schema.zone import CUSTOM_RULES, EXECUTED_RULESETS
from .._text import Message, Unread, did_you_mean, first_few, joined, plural
from .needs import unread_of


def check_named_lists(plan: Plan, _read: ReadCollection) -> str:
    """Check that the account has the lists to which the changed rules refer from now on."""
    there = _kinds_of_lists(plan)
    clauses = [
        f"{item.title} names the list ${name}, which the account does not"
        f" have{did_you_mean(name, there)}"
        for item in _operations_on_rules(plan)
        for name in _new_lists(item)
        if name not in there
    ]
    return f"The {'; '.join(clauses)}. Correct the name, or create the list." if clauses else ""


def _kinds_of_lists(plan: Plan) -> dict[str, str]:
    """The kinds of the lists before and after a plan, by their names."""
    lists = [obj for state in (plan.before, plan.after()) for obj in state[LISTS.plural]]
    return {LISTS.label_of(obj): str(obj.get("kind")) for obj in lists}


def _in_state(item: Operation, rule: Object | None) -> Mapping[str, Sequence[Object]]:
    return {evaluated_as(item.resource).plural: [rule]} if rule else {}


def _operations_on_rules(plan: Plan) -> list[Operation]:
    """The operations of a plan on anything but items of lists, which name no list."""
    return [item for item in plan.operations if item.resource.parent is not LISTS]


def _new_lists(item: Operation) -> list[str]:
    """The names of the lists to which a rule refers from now on."""
    before = lists_named_in(_in_state(item, item.existing))
    return [name for name in lists_named_in(_in_state(item, item.planned)) if name not in before]


def check_list_kinds(plan: Plan, _read: ReadCollection) -> str:
    """Check that the changed rules look for fields in lists of their kind."""
    kinds = _kinds_of_lists(plan)
    wrong: list[str] = []
    for item in _operations_on_rules(plan):
        before = {(use.field, name) for use, name in _uses_in(item, item.existing)}
        for use, name in _uses_in(item, item.planned):
            kind = kinds.get(name, "")
            if kind and (use.field, name) not in before and misused(use, kind):
                looks = f"The {item.title} looks for {use.field} in ${name}"
                wrong.append(f"{looks}, a list of {LIST_KINDS.get(kind, kind)}; {_taken_by(kind)}.")
    return joined(" ", wrong)


def _uses_in(item: Operation, rule: Object | None) -> list[tuple[Comparison, str]]:
    """The comparisons of a rule with lists, each with the name of the list."""
    uses = [use for text in expressions_in(_in_state(item, rule)) for use in list_uses(text)]
    return [(use, use.operands[0].text[1:]) for use in uses]


def _taken_by(kind: str) -> str:
    fields = " or ".join(FIELDS_OF_LISTS.get(kind, ()))
    return f"compare it with {fields}" if fields else "no rule can refer to such a list"


def check_firewall_lists(plan: Plan, _read: ReadCollection) -> str:
    """Check that lists hold IPv4 alone if rules of the Network Firewall refer to them from now on,
    or if a plan adds items to them."""
    after, kinds, firewall = plan.after(), _kinds_of_lists(plan), NETWORK_FIREWALL_RULES
    own = [item for item in plan.operations if item.resource is firewall]
    newly = {name for item in own for name in _new_lists(item)}
    clauses = []
    for name in lists_named_in({firewall.plural: after.get(firewall.plural, ())}):
        kind, items = kinds.get(name, IP), items_of(name).plural
        added = [one.fields for one in plan.operations if one.resource.plural == items]
        objects = after.get(items, ()) if name in newly else added
        others = [str(obj[IP]) for obj in objects if ":" in str(obj.get(IP))]
        if name in newly and kind != IP:
            clauses.append(f"{name} is a list of {LIST_KINDS.get(kind, kind)}")
        elif others:
            clauses.append(f"{name} would hold {first_few(others)}")
    what = "Lists to which rules of the Network Firewall refer hold IPv4 addresses alone"
    return f"{what}, and {'; '.join(clauses)}." if clauses else ""


Numbers = Mapping[str, ListQuota]  # of lists and items, by the kind of the lists


def check_list_quota(plan: Plan, read: ReadCollection) -> str:
    """Check that an account takes a plan by the number of its lists and items; one that has more
    already has a larger quota. `read` is called only if some accounts would not take it."""
    numbers = _numbers_of(plan)
    exceeded = {kind: _beyond_quotas(*numbers, quotas) for kind, quotas in LIST_QUOTAS.items()}
    some = exceeded["standard"] or exceeded["enterprise"]
    if not some:
        return ""
    not_known = f"{some}, unless it is an Enterprise account, which is not known: "
    with reading(not_known):
        (account,) = read(ACCOUNT_DETAILS)
    kind = str(account.get("type"))
    if kind not in exceeded:
        raise Unread(f"{not_known}it is of the type {kind}.")
    reason = exceeded[kind]
    return f"{reason}, since it is of the type {kind}. Remove the surplus." if reason else ""


def _numbers_of(plan: Plan) -> tuple[Numbers, Numbers]:
    """The lists and items before a plan and after it."""
    kinds = _kinds_of_lists(plan)
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    items: Counter[str] = Counter()
    for numbers, state in ((before, plan.before), (after, plan.after())):
        numbers.update(kinds[LISTS.label_of(obj)] for obj in state[LISTS.plural])
    for obj in plan.before[LISTS.plural]:
        number = obj.get("num_items")
        items[kinds[LISTS.label_of(obj)]] += int(number) if isinstance(number, (int, float)) else 0
    changed = items.copy()
    for item in with_along(plan.operations):
        if item.resource.parent is LISTS and item.action != "update":
            changed[item.resource.key[0]] += 1 if item.action == "create" else -1
    return _by_kind(before, items), _by_kind(after, changed)


def _by_kind(lists: Mapping[str, int], items: Mapping[str, int]) -> Numbers:
    own = {kind: ListQuota(lists.get(kind, 0), items.get(kind, 0)) for kind in LIST_KINDS}
    return {**own, ALL: ListQuota(*map(sum, zip(*own.values())))}


def _beyond_quotas(before: Numbers, after: Numbers, quotas: Mapping[str, ListQuota]) -> str:
    """The numbers beyond some quotas, as clauses; empty if there are none."""
    clauses = [
        f"{plural(new, noun, f'{noun}s')}{f' of {LIST_KINDS[kind]}' if kind in LIST_KINDS else ''},"
        f" where at most {most} may be"
        for kind, quota in quotas.items()
        for noun, old, new, most in zip(("list", "item"), before[kind], after[kind], quota)
        if old <= most < new
    ]
    return f"The account would have {' and '.join(clauses)}" if clauses else ""


LIST_CHECKS: Sequence[Check] = (  # of plans that know the lists of their account
    check_named_lists,
    check_list_kinds,
    check_firewall_lists,
    check_list_quota,
)


def check_quota(plan: Plan, read: ReadCollection) -> str:
    """Check that a zone takes a plan; `read` is called only if some zones would not."""
    if not any(_exceeded(plan, quota) for quota in QUOTAS.values()):
        return ""
    with reading("The quota of the zone is not checked: "):
        (zone,) = plan.before.get(ZONE.plural) or read(ZONE)
    quota = quota_of(zone)
    if quota is None:
        raise Unread("The quota of the zone's plan is not known.")
    reasons = "; ".join(_exceeded(plan, quota))
    to_do = "Leave out what the plan does not have, or choose another plan for the zone."
    return f"The zone has the plan {quota.title}: {reasons}. {to_do}" if reasons else ""


def _exceeded(plan: Plan, quota: Quota) -> list[str]:
    """The parts of a plan beyond the quota of a zone; a zone that holds more already has a larger
    quota."""
    reasons = []
    evaluated = {name: evaluated_as(one).plural for name, one in plan.resources.items()}
    for collection, most in quota.rules.items():
        if collection not in evaluated.values() or collection not in plan.before:
            continue
        planned = [item for item in plan.operations if item.planned]
        changed = [item for item in planned if evaluated[item.resource.plural] == collection]
        if not changed:
            continue
        before, after = (
            _number_of_rules(state, collection) for state in (plan.before, plan.after())
        )
        if before <= most < after:
            resource = evaluated_as(changed[0].resource)
            titles = resource.titles if most > 1 else resource.title
            reasons.append(f"it takes {most} {titles}, and {after} would be there")
        had = frozenset().union(*map(quota.lacks, plan.before[collection]))
        needs = {item.label: quota.lacks(item.planned or {}) - had for item in changed}
        for feature in sorted(frozenset().union(*needs.values())):
            named = [label for label, lacking in needs.items() if feature in lacking]
            if named:
                reasons.append(f"it does not have {feature}, which is in {first_few(named)}")
    return reasons


def _number_of_rules(state: State, plural: str) -> int:
    """The number of rules; those of the rulesets that custom rules execute count as well."""
    rulesets = state.get(EXECUTED_RULESETS, ()) if plural == CUSTOM_RULES.plural else ()
    executed = {*map(deployed, state[plural])}
    inner = sum(len(obj.get("rules") or ()) for obj in rulesets if str(obj["id"]) in executed)
    return len(state[plural]) + inner


def check_catalogue(plan: Plan, read: ReadCollection) -> str:
    """Check that all that a plan names exists; `read` is called only if it names something anew."""
    every = plan.resources.values()
    return " ".join(filter(None, (_check_names(plan, one, read) for one in every)))


def _check_names(plan: Plan, resource: Resource, read: ReadCollection) -> str:
    catalogue = resource.catalogue
    if not catalogue:
        return ""
    own = [item for item in plan.operations if item.resource.plural == resource.plural]
    naming = [item for item in own if catalogue.names(item.fields)]
    if not naming:
        return ""
    not_known = f"Whether all that the {resource.titles} name exists is not known: "
    named = resource.catalogue_object()
    if named.plural in plan.unread:
        raise Unread(Message(not_known, plan.unread[named.plural]))
    try:
        with reading(not_known):
            (listed,) = plan.before.get(named.plural) or read(named)
        clauses = [
            f"{item.title} {clause}"
            for item in naming
            for known in [catalogue.faults(item.existing or {}, listed)]
            for clause in catalogue.faults(item.planned or {}, listed)
            if clause not in known
        ]
    except Unread:
        raise
    except ValueError as exc:
        raise Unread(f"{not_known}{exc}.") from exc
    return f"The {'; '.join(clauses)}. Correct them." if clauses else ""


def idle_exceptions(plan: Plan) -> str:
    """A warning of exceptions from managed rules that the plan changes and that do nothing."""
    changed = [item for item in plan.operations if item.resource is MANAGED_RULES]
    if not changed:
        return ""
    rules = in_order_of(MANAGED_RULES)(plan.after()[MANAGED_RULES.plural])
    keys = {item.key for item in changed}
    idle = [rule.title for rule in idle_among(rules) if rule.key in keys]
    ones = f"exception {idle[0]} does" if len(idle) == 1 else f"exceptions {first_few(idle)} do"
    why = f"no rule behind executes what {'it skips' if len(idle) == 1 else 'they skip'}"
    return f"The {ones} nothing, since {why}." if idle else ""


def hidden_overrides(plan: Plan) -> str:
    """A warning for a plan that hides overrides of an account, or has them applied, without the
    risk weakens_ddos_rules; empty for any other."""
    states = (plan.before, plan.after())
    had, has = (bool(state.get(L7_OVERRIDES.plural)) for state in states)
    overrides = plan.before.get(L7_OVERRIDES_OF_ACCOUNT.plural, ())
    if had is has or not overrides or override_losses(L7_OVERRIDES, *states):
        return ""
    moment, what = ("loses its last", "in force") if had else ("gets its first", "hidden")
    labels = first_few(map(L7_OVERRIDES_OF_ACCOUNT.label_of, overrides))
    outcome = f"those of its account are {what} in the zone: {labels}."
    return f"The zone {moment} HTTP DDoS override. From then on, {outcome}"


def _lost_with_duplicates(plan: Plan) -> Iterator[str]:
    """Warnings of rules that go with a ruleset of which there is an older one, and that this one
    has not, or has otherwise."""
    after = plan.after()
    for item in plan.operations:
        contents = (item.existing or {}).get(CONTENTS) if item.action == "delete" else None
        if not contents or not item.resource.contents:
            continue
        rules = item.resource.contents(item.existing or {})
        stays = {rules.key_of(rule): rule for rule in after.get(rules.plural, ())}
        lost = [
            str(rule.get("ref"))
            for rule in contents
            if differences(rules.fields, stays.get(rules.key_of(rule)), rules.managed(rule))
        ]
        if lost and item.key in map(item.resource.key_of, after[item.resource.plural]):
            yield (
                f"Cloudflare holds the {item.title} more than once. The younger one, with the id"
                f" {(item.existing or {}).get('id')}, is deleted; the older one does not have these"
                f" rules of it, or has other values: {first_few(lost)}."
            )


def warnings_of_rules(plan: Plan) -> list[str]:
    """Warnings of a plan that changes more than its objects, or may, since not all is known."""
    of_rules = [*filter(None, (hidden_overrides(plan), idle_exceptions(plan)))]
    return [*of_rules, *_lost_with_duplicates(plan), *unread_of(plan)]


def checks_of(plan: Plan) -> Sequence[Check]:
    """The checks of a plan that are of rules, lists or overrides."""
    of_lists = LIST_CHECKS if LISTS.plural in plan.before else ()
    return (check_quota, check_catalogue, *of_lists)
