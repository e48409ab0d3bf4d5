# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The numbers of lists and items that an account may have, and those of a plan."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Mapping

from .._errors import reading
from .._plan.plan import Plan, with_along
from .._plan.removals import split_at_removals, two_runs
from .._remembered import remembered
from .._schema.lists import LIST_KINDS, LISTS, number_of_items, uses_of
from .._schema.neighbours import ACCOUNT_DETAILS
from .._schema.quotas import ALL, LIST_QUOTAS, ListQuota
from .._schema.resource import ReadCollection, Resource, State
from .._text import Unread, plural
from .list_uses import kinds_of_lists

Numbers = Mapping[str, ListQuota]  # of lists and items, by the kind of the lists


def check_list_quota(plan: Plan, read: ReadCollection) -> str:
    """The reason why the account would reject a plan for the number of its lists and items; empty
    if there is none. An account that already has more must have a larger quota. `read` is called
    only if some types of accounts would reject the plan.
    """
    exceeded = _beyond_each_quota(plan)
    possible_reason = exceeded["standard"] or exceeded["enterprise"]
    if not possible_reason:
        return ""
    not_known = f"{possible_reason}, unless it is an Enterprise account, which is not known: "
    with reading(not_known):
        (account,) = read(ACCOUNT_DETAILS)
    account_type = str(account.get("type"))
    if account_type not in exceeded:
        raise Unread(f"{not_known}it is of the type {account_type}.")
    reason = exceeded[account_type]
    if not reason:
        return ""
    return f"{reason}, since it is of the type {account_type}. {_advice_on_quota(plan)}"


def _advice_on_quota(plan: Plan) -> str:
    """The way to room for what a plan makes; by two runs if rules refer to the lists that it
    removes."""
    _made, removals = split_at_removals(plan.operations)
    lists = [removal for removal in (*removals, *plan.waiting) if removal.resource is LISTS]
    names = [removal.label for removal in lists if uses_of(removal.existing or {}) > 0]
    return two_runs(names) if names else "Remove the surplus."


@remembered(32)  # before the type of the account is read, and in the check
def _beyond_each_quota(plan: Plan) -> Mapping[str, str]:
    """The numbers that exceed the quota of a type of account, as clauses, by this type; empty if no
    quota is exceeded.
    """
    before, most = _numbers_before(plan), _most_numbers(plan)
    return {
        account_type: _beyond_quotas(before, most, quotas)
        for account_type, quotas in LIST_QUOTAS.items()
    }


def resources_of_list_checks(plan: Plan) -> list[Resource]:
    """The collections that the checks of lists look up for this plan."""
    if LISTS.plural not in plan.before:
        return []
    return [ACCOUNT_DETAILS] if any(_beyond_each_quota(plan).values()) else []


def _numbers_before(plan: Plan) -> Numbers:
    """The numbers of lists and items before a plan."""
    return _by_kind(_kinds_in(plan, plan.before), _items_before(plan))


def _most_numbers(plan: Plan) -> Numbers:
    """The numbers of lists and items before the removals at the end of a plan, where it has most of
    them."""
    made, _removals = split_at_removals(plan.operations)
    state, items = plan._replace(operations=tuple(made)).after(), _items_before(plan)
    for operation in with_along(made):
        resource, action = operation.resource, operation.action
        if resource.parent is not LISTS:
            continue
        (kind,) = resource.key
        if action == "create":
            items[kind] += 1
        elif action == "delete":
            items[kind] -= 1
    return _by_kind(_kinds_in(plan, state), items)


def _kinds_in(plan: Plan, state: State) -> Counter[str]:
    """The number of lists of each kind in a state of a plan."""
    kinds = kinds_of_lists(plan)
    return Counter(kinds[LISTS.label_of(obj)] for obj in state[LISTS.plural])


def _items_before(plan: Plan) -> Counter[str]:
    """The number of items before a plan, by the kind of their lists."""
    kinds = kinds_of_lists(plan)
    items: Counter[str] = Counter()
    for obj in plan.before[LISTS.plural]:
        items[kinds[LISTS.label_of(obj)]] += number_of_items(obj)
    return items


def _by_kind(lists: Mapping[str, int], items: Mapping[str, int]) -> Numbers:
    numbers: dict[str, ListQuota] = {}
    for kind in LIST_KINDS:
        numbers[kind] = ListQuota(lists.get(kind, 0), items.get(kind, 0))
    totals = map(sum, zip(*numbers.values()))
    return {**numbers, ALL: ListQuota(*totals)}


def _beyond_quotas(before: Numbers, after: Numbers, quotas: Mapping[str, ListQuota]) -> str:
    """Clauses on the numbers in `after` that exceed the `quotas` and those in `before`; empty if
    none do.
    """
    clauses: list[str] = []
    for kind, quota in quotas.items():
        clauses += _beyond_quota(kind, before[kind], after[kind], quota)
    return f"The account would have {' and '.join(clauses)}" if clauses else ""


def _beyond_quota(
    kind: str, before: ListQuota, after: ListQuota, quota: ListQuota
) -> Iterator[str]:
    of_kind = f" of {LIST_KINDS[kind]}" if kind in LIST_KINDS else ""
    for noun, old, new, most in zip(("list", "item"), before, after, quota):
        if old <= most < new:
            yield f"{plural(new, noun, f'{noun}s')}{of_kind}, where at most {most} may be"
