# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of plans for lists, and for rules that refer to them: names, kinds, addresses and
quotas."""

from __future__ import annotations

from typing import Mapping, Sequence

from .._expressions.lists import fields_in_place_of
from .._plan.plan import Check, Plan
from .._protection.rules_in_force import lists_named_in
from .._schema.lists import IP, LIST_KINDS, LISTS, items_of
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import Object, ReadCollection
from .._text import did_you_mean, first_few, joined
from .finders.deletions import used_in_words, used_lists
from .list_quota import check_list_quota
from .list_uses import NewUse, kinds_of_lists, new_uses


def check_named_lists(plan: Plan, _read: ReadCollection) -> str:
    """A message about lists to which changed rules newly refer and that the account does not have;
    empty if the account has all of them.
    """
    names = kinds_of_lists(plan)
    clauses = []
    for use in _uses_of_no_list(plan):
        name = use.list_name
        lacking = f"the list ${name}, which the account does not have{did_you_mean(name, names)}"
        clauses.append(f"{use.operation.title} names {lacking}")
    return f"The {'; '.join(clauses)}. Correct the name, or create the list." if clauses else ""


def _uses_of_no_list(plan: Plan) -> list[NewUse]:
    """The new uses of lists that the account does not have."""
    names = kinds_of_lists(plan)
    uses = new_uses(plan.operations)
    return [use for use in uses if not use.field and use.list_name not in names]


def lacking_lists(plan: Plan) -> list[Mapping[str, str]]:
    """The lists to which changed rules newly refer and that the account does not have, by resource
    and key; empty if its lists are not known."""
    if LISTS.plural not in plan.before:
        return []
    names = dict.fromkeys(use.list_name for use in _uses_of_no_list(plan))
    return [{"resource": LISTS.name, "key": name} for name in names]


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
    kinds = kinds_of_lists(plan)
    sentences = []
    for use in new_uses(plan.operations):
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
        for use in new_uses(plan.operations)
        if use.operation.resource is NETWORK_FIREWALL_RULES
    }
    clauses = []
    firewall_rules = after.get(NETWORK_FIREWALL_RULES.plural, ())
    kinds = kinds_of_lists(plan)
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
