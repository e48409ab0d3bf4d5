# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules that requests to a zone meet beside those of its entry point: the custom rules of its
account, and the rulesets that rules execute. And the names that rules may call everything by: that
of a zone, and the prefixes of an account. They are read if a plan depends on them.

The rules of an account count for zones of the plan Enterprise alone. A ruleset that cannot be read
stands in a state as its reason.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Callable, Container, Iterable, Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import account_of
from .._api.once import read_once
from .._concurrency import concurrently
from .._context import Context
from .._errors import ProtectionError
from .._plan.plan import Plan
from .._protection.ordinary_traffic import OWN_PREFIXES, OWNER_NAMES, depends_on_owner, wide_groups
from .._schema.neighbours import ZONE
from .._schema.registry import (
    DECIDING,
    IN_ORDER,
    UNREAD,
    contents_in,
    executed_by,
    rules_in_force,
    spelt_out,
)
from .._schema.resource import (
    ACCOUNT_OPTION,
    ZONE_OPTION,
    Object,
    Resource,
    State,
    id_of_new,
    is_new,
)
from .._schema.zone import (
    CUSTOM_RULES,
    CUSTOM_RULES_OF_ACCOUNT,
    CUSTOM_RULESETS,
    ENTERPRISE,
    EXECUTED_RULESETS,
    OTHER_PLANS,
    own_rulesets,
    plan_of,
    rules_of,
    ruleset_of,
)
from .._text import Message


def with_read(plan: Plan, readings: Mapping[str, Callable[[], Sequence[Object]]]) -> Plan:
    """The plan with collections that decide about it, by plural, or the reasons why they cannot be
    read."""
    if not readings:
        return plan
    before, unread = dict(plan.before), dict(plan.unread)
    for name, read in readings.items():
        try:
            before[name] = read()
        except ProtectionError as exc:
            unread[name] = exc.message
    return plan._replace(before=before, unread=unread)


def with_way(plan: Plan, context: Context, expects: bool, client: Client) -> Plan:
    """The plan with all custom rules that requests to its zone meet.

    If it `expects` something of requests, the plan of the zone is read as well, unless it is known.
    """
    if EXECUTED_RULESETS in plan.before:
        return plan
    if CUSTOM_RULES_OF_ACCOUNT.plural in plan.before:
        rules = CUSTOM_RULES_OF_ACCOUNT
        return _with_executed(plan, {ZONE.plural: [ANY_ZONE]}, rules, context, client)
    if CUSTOM_RULES.plural not in plan.before:
        return plan
    if ZONE_OPTION not in client.owner:
        client = client.within({ZONE_OPTION: context.zone_id})
    plan_known = plan_of(context.zone)
    zones = client.zones or ([context.zone] if plan_known and context.zone.get("name") else [])
    if not zones and (expects or plan_known == ENTERPRISE):
        zones = [_read_one(client, ZONE)]
    before: State = {ZONE.plural: zones} if zones and UNREAD not in zones[0] else {}
    rulesets: list[Object] = []
    if zones and plan_of(zones[0]) not in OTHER_PLANS:
        account, of_account = _rules_of_account(client, zones[0])
        before = {**before, CUSTOM_RULES_OF_ACCOUNT.plural: of_account}
        rulesets += _executed(of_account, account)
    return _with_executed(plan, before, CUSTOM_RULES, context, client, rulesets)


def _with_executed(
    plan: Plan,
    before: State,
    rules: Resource,
    context: Context,
    client: Client,
    rulesets: Sequence[Object] = (),
) -> Plan:
    """The plan with the rulesets that rules execute, before it and after it; `rulesets` are those
    of the account of its zone."""
    states = (plan.before, plan.after())
    own = [whole_rulesets(state, rules.owner) for state in states]
    known = {ruleset["id"] for side in own for ruleset in side}
    every = [rule for state in states for rule in state[rules.plural]]
    planned = context.planned.get(EXECUTED_RULESETS, ())
    known |= {ruleset["id"] for ruleset in planned}
    others = [*_executed(every, client, known), *planned, *rulesets]
    alongside = {EXECUTED_RULESETS: [*own[1], *others]} if own[0] != own[1] else {}
    before = {**plan.before, **before, EXECUTED_RULESETS: [*own[0], *others]}
    return plan._replace(before=before, alongside={**plan.alongside, **alongside})


def whole_rulesets(state: State, owner: str) -> list[Object]:
    """The custom rulesets of a state that has their rules, each by the ids that rules may name."""
    rulesets: list[Object] = []
    for obj in own_rulesets(state, owner):
        name = CUSTOM_RULESETS[owner].label_of(obj)
        rules = state.get(rules_of(owner, name).plural)
        ids = filter(None, (obj.get("id"), id_of_new(name))) if rules is not None else ()
        rulesets += [{**obj, "id": identity, "rules": rules} for identity in ids]
    return rulesets


# Stands for the zones of an account, if its own rules change.
ANY_ZONE: Object = {"plan": {"legacy_id": ENTERPRISE}}


def _rules_of_account(client: Client, zone: Object) -> tuple[Client, list[Object]]:
    """The custom rules of the account of a zone, and a client for it."""
    if UNREAD in zone or not plan_of(zone):
        return client, [{UNREAD: zone.get(UNREAD, "the zone does not say its plan")}]
    try:
        account = account_of(client, zone if "account" in zone else None)
        return account, read_once(account, CUSTOM_RULES_OF_ACCOUNT)
    except ProtectionError as exc:
        return client, [{UNREAD: exc.message.rstrip(".")}]


def _executed(rules: Iterable[Object], client: Client, known: Container[str] = ()) -> list[Object]:
    """The rulesets that rules of an account or zone execute, beside those that are known."""
    (owner,) = client.owner
    in_order = IN_ORDER[CUSTOM_RULES.plural]([rule for rule in rules if UNREAD not in rule])
    named = dict.fromkeys(filter(None, map(executed_by, in_order)))
    ids = [one for one in named if one not in known and not is_new(one)]
    resources = [ruleset_of(owner, one) for one in ids]
    rulesets = zip(ids, concurrently(lambda item: _read_one(client, item), resources))
    return [{**(obj if _has_rules(obj) else ODD), "id": one} for one, obj in rulesets]


ODD = {UNREAD: "its rules are not a list of objects"}


def _has_rules(ruleset: Object) -> bool:
    rules = ruleset.get("rules") or []
    return isinstance(rules, list) and all(isinstance(rule, Mapping) for rule in rules)


def _read_one(client: Client, resource: Resource) -> Object:
    try:
        return (read_once if resource.owner == ACCOUNT_OPTION else Client.read)(client, resource)[0]
    except ProtectionError as exc:
        return {UNREAD: exc.message.rstrip(".")}


def with_own_names(plan: Plan, context: Context, client: Client) -> Plan:
    """The plan with the name of its zone, or the prefixes of its account, if it depends on them
    which of the rules all plain traffic matches."""
    both = (plan.before, plan.after()) if plan.operations else (plan.before,)
    states = [(state, contents_in(state)) for state in both]
    readings: dict[str, Callable[[], Sequence[Object]]] = {}
    for resource, _read in DECIDING:
        rules = {
            (rule.action, rule.expression, rule.active): spelt_out(rule, contents)
            for state, contents in states
            for rule in rules_in_force(state, resource)
        }
        own, _field, _words = OWNER_NAMES[resource.traffic]
        wide = chain(*wide_groups(resource, rules.values()))
        if any(depends_on_owner(resource, rule) for rule in wide):
            readings[own.plural] = partial(_own_names, own, plan, context, client)
    return with_read(plan, readings)


def _own_names(own: Resource, plan: Plan, context: Context, client: Client) -> Sequence[Object]:
    if plan.before.get(own.plural):
        return plan.before[own.plural]
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
        for own, _field, what in OWNER_NAMES.values()
        if own.plural in plan.unread and plan.operations
    ]
