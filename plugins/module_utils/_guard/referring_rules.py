# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules that refer to lists of a plan: with other items, they match other traffic."""

from __future__ import annotations

from dataclasses import replace
from typing import AbstractSet, Any

from .._api.client import Client
from .._errors import ServiceError
from .._plan.plan import Plan
from .._schema.lists import LISTS, REFERENCES, items_of, references
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.owners import ZONE_OWNER
from .._schema.resource import Object
from .._schema.zone import CUSTOM_RULES
from .._text import Message, first_few
from .named_lists import names_in

UNREAD = "rules that cannot be read"  # in a state: their titles, and why


def with_referring_rules(
    plan: Plan, judged: AbstractSet[str], zone_id: str | None, client: Client
) -> Plan:
    """The plan with the rules of the account's Network Firewall, and with the custom rules of a
    zone, if rules refer to lists whose items it changes, or that are `judged`."""
    concerned = {LISTS.label_of(obj) for obj in _concerned(plan, judged) if is_referred_to(obj)}
    if not concerned:
        return plan
    readings = [(NETWORK_FIREWALL_RULES, client)]
    if zone_id:
        readings.append((CUSTOM_RULES, client.within({ZONE_OWNER.option: zone_id})))
    rules: dict[str, Any] = {}
    for resource, reader in readings:
        try:
            rules[resource.plural] = reader.read(resource)
        except ServiceError as exc:
            unread = {"title": f"{resource.title}s", "reason": exc.message}
            rules[UNREAD] = [*rules.get(UNREAD, ()), unread]
    if UNREAD not in rules and concerned.isdisjoint(names_in(rules)):
        return plan
    return replace(plan, before={**plan.before, **rules})


def is_referred_to(obj: Object) -> bool:
    """Whether rules refer to a list, or may do so where Cloudflare does not count them."""
    return REFERENCES not in obj or references(obj) > 0


def _concerned(plan: Plan, judged: AbstractSet[str]) -> list[Object]:
    """The lists of the account that are checked, or whose addresses the plan changes."""
    changed = {
        item.resource.within
        for item in plan.operations
        if item.resource.parent is LISTS and item.action != "update"
    }
    lists = plan.before.get(LISTS.plural, ())
    return [obj for obj in lists if LISTS.label_of(obj) in changed | judged]


def unread_rules(plan: Plan) -> str:
    """A warning where the plan changes lists to which rules may refer that cannot be read."""
    unread = plan.before.get(UNREAD, ())
    concerned = [obj for obj in _concerned(plan, frozenset()) if is_referred_to(obj)]
    if not unread or not concerned:
        return ""
    lists = first_few(LISTS.label_of(obj) for obj in concerned)
    titles = " and ".join(item["title"] for item in unread)
    what = f"Whether {titles} would let more pass, or stop more, with the new items of {lists}"
    return Message(f"{what} is not known: ", unread[0]["reason"])


def contents_of_plan(plan: Plan) -> dict[str, dict[str, list[Any]]]:
    """By name: the networks of the lists of a plan, `before` it and `after` it."""
    names = [LISTS.label_of(obj) for obj in plan.before.get(LISTS.plural, ())]
    if not names:
        return {}
    after = plan.after()
    return {
        name: {
            side: [item.get("ip") for item in state[items_of(name).plural]]
            for side, state in (("before", plan.before), ("after", after))
        }
        for name in names
        if items_of(name).plural in plan.before
    }
