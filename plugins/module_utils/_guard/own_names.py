# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The names that rules may call everything by: that of a zone, and the prefixes of an account. They
are read if it depends on them which rules all plain traffic matches."""

from __future__ import annotations

from typing import Sequence

from .._api.client import Client
from .._context import Context
from .._errors import ServiceError
from .._plan.plan import Plan
from .._protection.plain import OWN_NAMES, OWN_PREFIXES, depends_on_owner, one_of
from .._schema.neighbours import ZONE
from .._schema.registry import DECIDING, contents_in, rules_in_force, spelt_out
from .._schema.resource import Object, Resource
from .._text import Message


def with_own_names(plan: Plan, context: Context, client: Client) -> Plan:
    """The plan with the name of its zone, or the prefixes of its account, if it depends on them
    which of the rules all plain traffic matches."""
    states = [(state, contents_in(state)) for state in (plan.before, plan.after())]
    known: dict[str, Sequence[Object]] = {}
    unread: dict[str, str] = {}
    for resource, _read in DECIDING:
        rules = {
            (rule.action, rule.expression, rule.active): spelt_out(rule, contents)
            for state, contents in states
            for rule in rules_in_force(state, resource)
        }
        own, _field, _words = OWN_NAMES[resource.traffic]
        groups = [[one for one in rules.values() if one.enforces]]
        groups.append([one for one in rules.values() if one.lets_pass])
        together = [one_of(group[0], group) for group in groups if group]
        if any(depends_on_owner(resource, rule) for rule in (*rules.values(), *together)):
            try:
                known[own.plural] = plan.before.get(own.plural) or _own_names(own, context, client)
            except ServiceError as exc:
                unread[own.plural] = exc.message
    if not known and not unread:
        return plan
    return plan._replace(before={**plan.before, **known}, unread={**plan.unread, **unread})


def _own_names(own: Resource, context: Context, client: Client) -> Sequence[Object]:
    if own is OWN_PREFIXES and context.prefixes is not None:
        return [{"prefix": prefix} for prefix in context.prefixes]
    if own is ZONE and client.zones:
        return client.zones
    is_owner = own.owner in client.owner
    return (client if is_owner else client.within({own.owner: context.zone_id})).read(own)


def unread_names(plan: Plan) -> list[str]:
    """Warnings of a plan with rules of which it is not known whether all plain traffic matches."""
    return [
        Message(f"A rule may match everything, since {what} not known: ", plan.unread[own.plural])
        for own, _field, what in OWN_NAMES.values()
        if own.plural in plan.unread and plan.operations
    ]
