# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of plans for lists, and for rules that refer to them: names, kinds, addresses and
quotas."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Mapping, NamedTuple, Sequence

from .._errors import reading
from .._expressions.lists import fields_in_place_of
from .._plan.plan import Check, Operation, Plan, with_along
from .._plan.removals import split_at_removals
from .._protection.rules_in_force import expressions_in, lists_named_in
from .._remembered import remembered
from .._schema.lists import IP, LIST_KINDS, LISTS, items_of, number_of_items, uses_of
from .._schema.neighbours import ACCOUNT_DETAILS
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.quotas import ALL, LIST_QUOTAS, ListQuota
from .._schema.registry import evaluated_as
from .._schema.resource import Object, ReadCollection, Resource, State
from .._text import Unread, did_you_mean, first_few, joined, plural
from .feasibility import two_runs
from .finders.deletions import used_in_words, used_lists


class NewUse(NamedTuple):
    """A list to which a changed rule newly refers, and the field that the rule looks for in the
    list; the field is empty if the expression does not show it.
    """

    operation: Operation
    list_name: str
    field: str


@remembered(32)  # three checks look at the uses of one plan
def _new_uses(operations: Sequence[Operation]) -> Sequence[NewUse]:
    """The lists to which changed rules newly refer: each list once without a field, and once with
    each field that the rules look for in it.
    """
    uses: list[NewUse] = []
    for operation in operations:
        if operation.resource.parent is LISTS:
            continue
        before = _uses_in(operation, operation.existing)
        for list_name, field in _uses_in(operation, operation.planned):
            if (list_name, field) not in before:
                uses.append(NewUse(operation, list_name, field))
    return uses


def _uses_in(operation: Operation, rule: Object | None) -> Mapping[tuple[str, str], None]:
    """The lists to which a rule refers: each once without a field, and once with each field that
    the rule looks for in it; empty if the rule is None.
    """
    if not rule:
        return {}
    expressions = expressions_in({evaluated_as(operation.resource).plural: [rule]})
    names: dict[tuple[str, str], None] = {}
    fields: dict[tuple[str, str], None] = {}
    for expression in expressions:
        for name in expression.lists:
            names[name, ""] = None
        fields.update(dict.fromkeys(expression.list_uses))
    return {**names, **fields}


def check_named_lists(plan: Plan, _read: ReadCollection) -> str:
    """A message about lists to which changed rules newly refer and that the account does not have;
    empty if the account has all of them.
    """
    names = _kinds_of_lists(plan)
    clauses = []
    for use in _uses_of_no_list(plan):
        name = use.list_name
        lacking = f"the list ${name}, which the account does not have{did_you_mean(name, names)}"
        clauses.append(f"{use.operation.title} names {lacking}")
    return f"The {'; '.join(clauses)}. Correct the name, or create the list." if clauses else ""


def newly_used_lists(plan: Plan) -> list[str]:
    """The lists to which changed rules newly refer."""
    return [use.list_name for use in _new_uses(plan.operations) if not use.field]


def _uses_of_no_list(plan: Plan) -> list[NewUse]:
    """The new uses of lists that the account does not have."""
    names = _kinds_of_lists(plan)
    uses = _new_uses(plan.operations)
    return [use for use in uses if not use.field and use.list_name not in names]


def lacking_lists(plan: Plan) -> list[Mapping[str, str]]:
    """The lists to which changed rules newly refer and that the account does not have, by resource
    and key; empty if its lists are not known."""
    if LISTS.plural not in plan.before:
        return []
    names = dict.fromkeys(use.list_name for use in _uses_of_no_list(plan))
    return [{"resource": LISTS.name, "key": name} for name in names]


def _kinds_of_lists(plan: Plan) -> dict[str, str]:
    """The kinds of the lists before and after a plan, by their names."""
    lists_before, lists_after = plan.before[LISTS.plural], plan.after()[LISTS.plural]
    lists = [*lists_before, *lists_after]
    return {LISTS.label_of(obj): str(obj.get("kind")) for obj in lists}


def check_deleted_lists(plan: Plan, _read: ReadCollection) -> str:
    """A message about lists that a plan deletes though rules refer to them, which Cloudflare
    refuses (Lists API); empty if there are none.
    """
    deleted = [
        operation.existing or {}
        for operation in plan.operations
        if operation.action == "delete" and operation.resource is LISTS
    ]
    used = used_lists(plan, deleted)
    if not used:
        return ""
    return (
        f"Cloudflare deletes no list that rules refer to: {used_in_words(used)}. Change these rules"
        " first, also disabled ones; a playbook does it in one run, with the hosts of their zones."
    )


def check_list_kinds(plan: Plan, _read: ReadCollection) -> str:
    """A message about changed rules that look for a field in a list whose kind does not have this
    field; empty if there are none.
    """
    kinds = _kinds_of_lists(plan)
    sentences = []
    for use in _new_uses(plan.operations):
        kind = kinds.get(use.list_name)
        if kind is None:
            continue
        fields = fields_in_place_of(use.field, kind)
        if fields is not None:
            place = f"${use.list_name}, {_with_fields(kind, fields)}"
            sentences.append(f"The {use.operation.title} looks for {use.field} in {place}.")
    return joined(" ", sentences)


def _with_fields(kind: str, fields: Sequence[str]) -> str:
    advice = "no rule can refer to such a list"
    if fields:
        advice = f"compare it with {' or '.join(fields)}"
    return f"a list of {LIST_KINDS.get(kind, kind)}; {advice}"


def check_firewall_lists(plan: Plan, _read: ReadCollection) -> str:
    """A message about lists with items other than IPv4 to which rules of the Network Firewall newly
    refer, or to which the plan adds such items; empty if there are none.
    """
    after = plan.after()
    newly_used = {
        use.list_name
        for use in _new_uses(plan.operations)
        if use.operation.resource is NETWORK_FIREWALL_RULES
    }
    clauses = []
    firewall_rules = after.get(NETWORK_FIREWALL_RULES.plural, ())
    kinds = _kinds_of_lists(plan)
    for name in lists_named_in({NETWORK_FIREWALL_RULES.plural: firewall_rules}):
        kind = kinds.get(name, IP)
        if name in newly_used and kind != IP:
            clauses.append(f"{name} is a list of {LIST_KINDS.get(kind, kind)}")
            continue
        plural_of_items = items_of(name).plural
        items: Sequence[Object] = _changed_items(plan, plural_of_items)
        if name in newly_used:
            items = after.get(plural_of_items, ())
        addresses = [str(item.get(IP)) for item in items]
        ipv6 = [address for address in addresses if ":" in address]
        if ipv6:
            clauses.append(f"{name} would hold {first_few(ipv6)}")
    subject = "Lists to which rules of the Network Firewall refer hold IPv4 addresses alone"
    if not clauses:
        return ""
    return f"{subject}, and {'; '.join(clauses)}."


def _changed_items(plan: Plan, collection: str) -> Sequence[Object]:
    return [
        operation.fields for operation in plan.operations if operation.resource.plural == collection
    ]


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
    return f"{reason}, since it is of the type {account_type}. {_advice(plan)}" if reason else ""


def _advice(plan: Plan) -> str:
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
    kinds = _kinds_of_lists(plan)
    return Counter(kinds[LISTS.label_of(obj)] for obj in state[LISTS.plural])


def _items_before(plan: Plan) -> Counter[str]:
    """The number of items before a plan, by the kind of their lists."""
    kinds = _kinds_of_lists(plan)
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


LIST_CHECKS: Sequence[Check] = (
    check_named_lists,
    check_deleted_lists,
    check_list_kinds,
    check_firewall_lists,
    check_list_quota,
)


def checks_of_lists(plan: Plan) -> Sequence[Check]:
    """The checks of lists for a plan; empty if the plan does not know the lists of its account."""
    return LIST_CHECKS if LISTS.plural in plan.before else ()
