# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of plans for lists, and for rules that refer to them: names, kinds, addresses and
quotas."""

from __future__ import annotations

from collections import Counter
from typing import Mapping, Sequence

from .._errors import reading
from .._expressions.fields import FIELDS_OF_LISTS, misused
from .._plan.plan import Check, Operation, Plan, with_along
from .._protection.rules_in_force import expressions_in, lists_named_in
from .._remembered import remembered
from .._schema.lists import IP, LIST_KINDS, LISTS, items_of
from .._schema.neighbours import ACCOUNT_DETAILS
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.quotas import ALL, LIST_QUOTAS, ListQuota
from .._schema.registry import evaluated_as
from .._schema.resource import Object, ReadCollection, Resource
from .._text import Unread, did_you_mean, first_few, joined, plural


@remembered(32)  # three checks look at the uses of one plan
def _new_uses(operations: Sequence[Operation]) -> Sequence[tuple[Operation, str, str]]:
    """The lists to which changed rules refer from now on: each with its operation and the field
    that the rule looks for in it, and once without a field, which not every expression tells."""
    return [
        (item, *use)
        for item in operations
        if item.resource.parent is not LISTS
        for before in [_uses_in(item, item.existing)]
        for use in _uses_in(item, item.planned)
        if use not in before
    ]


def _uses_in(item: Operation, rule: Object | None) -> Mapping[tuple[str, str], None]:
    """The lists of a rule, each without a field and with those that the rule looks for in it."""
    if not rule:
        return {}
    expressions = expressions_in({evaluated_as(item.resource).plural: [rule]})
    names: dict[tuple[str, str], None] = {}
    fields: dict[tuple[str, str], None] = {}
    for expression in expressions:
        names.update(dict.fromkeys((name, "") for name in expression.lists))
        fields.update(dict.fromkeys(expression.list_uses))
    return {**names, **fields}


def check_named_lists(plan: Plan, _read: ReadCollection) -> str:
    """Check that the account has the lists to which the changed rules refer from now on."""
    there = _kinds_of_lists(plan)
    clauses = [
        f"{item.title} names the list ${name}, which the account does not"
        f" have{did_you_mean(name, there)}"
        for item, name, field in _new_uses(plan.operations)
        if not field and name not in there
    ]
    return f"The {'; '.join(clauses)}. Correct the name, or create the list." if clauses else ""


def _kinds_of_lists(plan: Plan) -> dict[str, str]:
    """The kinds of the lists before and after a plan, by their names."""
    lists = [obj for state in (plan.before, plan.after()) for obj in state[LISTS.plural]]
    return {LISTS.label_of(obj): str(obj.get("kind")) for obj in lists}


def check_list_kinds(plan: Plan, _read: ReadCollection) -> str:
    """Check that the changed rules look for fields in lists of their kind."""
    kinds = _kinds_of_lists(plan)
    wrong = [
        f"The {item.title} looks for {field} in ${name}, {_with_fields(kinds[name])}."
        for item, name, field in _new_uses(plan.operations)
        if name in kinds and misused(field, kinds[name])
    ]
    return joined(" ", wrong)


def _with_fields(kind: str) -> str:
    fields = " or ".join(FIELDS_OF_LISTS.get(kind, ()))
    advice = f"compare it with {fields}" if fields else "no rule can refer to such a list"
    return f"a list of {LIST_KINDS.get(kind, kind)}; {advice}"


def check_firewall_lists(plan: Plan, _read: ReadCollection) -> str:
    """Check that lists hold IPv4 alone if rules of the Network Firewall refer to them from now on,
    or if a plan adds items to them."""
    after, kinds, firewall = plan.after(), _kinds_of_lists(plan), NETWORK_FIREWALL_RULES
    newly = {name for item, name, _field in _new_uses(plan.operations) if item.resource is firewall}
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
    exceeded = _beyond_each_quota(plan)
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


@remembered(32)  # before the type of the account is read, and in the check
def _beyond_each_quota(plan: Plan) -> Mapping[str, str]:
    """By the type of an account, the numbers beyond its quota, as clauses; empty if none are."""
    numbers = _numbers_of(plan)
    return {kind: _beyond_quotas(*numbers, quotas) for kind, quotas in LIST_QUOTAS.items()}


def resources_of_list_checks(plan: Plan) -> list[Resource]:
    """The collections that the checks of a plan for lists look up."""
    if LISTS.plural not in plan.before:
        return []
    return [ACCOUNT_DETAILS] if any(_beyond_each_quota(plan).values()) else []


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


LIST_CHECKS: Sequence[Check] = (
    check_named_lists,
    check_list_kinds,
    check_firewall_lists,
    check_list_quota,
)


def checks_of_lists(plan: Plan) -> Sequence[Check]:
    """The checks of a plan that knows the lists of its account; none of any other."""
    return LIST_CHECKS if LISTS.plural in plan.before else ()
