# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of plans for lists, and for rules that refer to lists."""

from __future__ import annotations

from collections import Counter
from typing import Mapping, Sequence

from .._errors import Unread
from .._expressions.fields import FIELDS_OF_LISTS, misused
from .._expressions.grammar import Comparison
from .._expressions.lists import list_uses
from .._plan.plan import Operation, Plan
from .._schema.account import NETWORK_FIREWALL_RULES
from .._schema.lists import IP, KINDS, LISTS, MOST_ITEMS, items_of
from .._schema.registry import evaluated_as, expressions_in, lists_named_in
from .._schema.resource import Object, ReadCollection
from .._text import did_you_mean, first_few, joined
from .feasibility import Check


def check_named_lists(plan: Plan, _read: ReadCollection) -> str:
    """Check that the account has the lists to which the changed rules refer from now on."""
    if LISTS.plural not in plan.before:
        return ""
    there = _kinds_of_lists(plan)
    clauses = [
        f"{item.title} names the list ${name}, which the account does not"
        f" have{did_you_mean(name, there)}"
        for item in plan.operations
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


def _new_lists(item: Operation) -> list[str]:
    """The names of the lists to which a rule refers from now on."""
    before = lists_named_in(_in_state(item, item.existing))
    return [name for name in lists_named_in(_in_state(item, item.planned)) if name not in before]


def check_list_kinds(plan: Plan, _read: ReadCollection) -> str:
    """Check that the changed rules look for fields in lists of their kind."""
    if LISTS.plural not in plan.before:
        return ""
    kinds = _kinds_of_lists(plan)
    wrong: list[str] = []
    for item in plan.operations:
        before = {(use.field, name) for use, name in _uses_in(item, item.existing)}
        for use, name in _uses_in(item, item.planned):
            kind = kinds.get(name, "")
            if kind and (use.field, name) not in before and misused(use, kind):
                looks = f"The {item.title} looks for {use.field} in ${name}"
                wrong.append(f"{looks}, a list of {KINDS.get(kind, kind)}; {_taken_by(kind)}.")
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
    if LISTS.plural not in plan.before:
        return ""
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
            clauses.append(f"{name} is a list of {KINDS.get(kind, kind)}")
        elif others:
            clauses.append(f"{name} would hold {first_few(others)}")
    what = "Lists to which rules of the Network Firewall refer hold IPv4 addresses alone"
    return f"{what}, and {'; '.join(clauses)}." if clauses else ""


def check_list_items(plan: Plan, _read: ReadCollection) -> str:
    """Warn of a plan that gives the lists of an account more items than most accounts may have;
    this one may have a larger quota."""
    changes = [(item.resource, item.action) for item in plan.operations]
    changes += [(other.resource, "delete") for item in plan.operations for other in item.along]
    of_items = Counter(action for resource, action in changes if resource.parent is LISTS)
    more = of_items["create"] - of_items["delete"]
    numbers = [obj.get("num_items") for obj in plan.before.get(LISTS.plural, ())]
    before = sum(int(number) for number in numbers if isinstance(number, (int, float)))
    if before <= MOST_ITEMS < before + more:
        raise Unread(
            f"The lists of the account would have {before + more} items together, and most"
            f" accounts may have {MOST_ITEMS}. Cloudflare may refuse them."
        )
    return ""


LIST_CHECKS: Sequence[Check] = (
    check_named_lists,
    check_list_kinds,
    check_firewall_lists,
    check_list_items,
)
