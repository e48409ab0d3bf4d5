# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way of requests through custom rules: those of the zone and of its account, and the rulesets
that they execute."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import AbstractSet, Callable, Container, Iterable, Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import account_of, zone_of
from .._concurrency import concurrently, once
from .._context import Context
from .._errors import ProtectionError
from .._plan.plan import Plan
from .._protection.rules_in_force import IN_ORDER, UNREAD, executed_by
from .._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT, ENTRY_POINTS
from .._schema.custom_rulesets import EXECUTED_RULESETS, ruleset_of, whole_rulesets
from .._schema.neighbours import ZONE
from .._schema.resource import ACCOUNT_OPTION, ZONE_OPTION, Key, Object, Resource, State, is_new
from .._schema.zone import ENTERPRISE, OTHER_PLANS, plan_of

RULES_OF_ACCOUNT = "Whether rules of the account of the zone decide is not known"


@dataclass(frozen=True)
class Asked:
    """A client and the caller of its run; `judged` are lists, and overrides of an account, that
    objects which nobody names may weaken; `named` are the keys of the objects that the task names,
    by plural. If it `decides`, more than the names in rules matters."""

    client: Client
    context: Context
    judged: AbstractSet[str]
    named: Mapping[str, AbstractSet[Key]]
    decides: bool

    @cached_property
    def account(self) -> Client:
        """The client for the account of the host, or of its zone; raises ProtectionError."""
        return account_of(self.client)


def with_way(plan: Plan, asked: Asked, evaluates: bool) -> Plan:
    """The plan with all custom rules that requests to its zone meet.

    If it `evaluates` requests, or a report judges the zone, the plan of the zone is read as well,
    unless it is known.
    """
    client, context = asked.client, asked.context
    of_zone, of_account = (
        ENTRY_POINTS[owner].plural in plan.before for owner in (ZONE_OPTION, ACCOUNT_OPTION)
    )
    if EXECUTED_RULESETS in plan.before or not (of_zone or of_account):
        return plan
    if not of_zone:
        return _with_executed(plan, {ZONE.plural: [ANY_ZONE]}, client)
    plan_known = plan_of(context.zone)
    zones = client.zones or ([context.zone] if plan_known and context.zone.get("name") else [])
    judges = context.reports and not plan_known
    if not zones and (evaluates or judges or of_account or plan_known == ENTERPRISE):
        zones = [_read_one(lambda: [zone_of(client)])]
        if judges and UNREAD in zones[0]:
            reasons = {RULES_OF_ACCOUNT: f"{zones[0][UNREAD]}."}
            unread = {**plan.unread, CUSTOM_RULES_OF_ACCOUNT.plural: reasons}
            plan = plan._replace(unread=unread)
    before: State = {ZONE.plural: zones} if zones and UNREAD not in zones[0] else {}
    rulesets: list[Object] = []
    if zones and plan_of(zones[0]) not in OTHER_PLANS and not of_account:
        account, rules = _rules_of_account(client, zones[0])
        before = {**before, CUSTOM_RULES_OF_ACCOUNT.plural: rules}
        rulesets += _executed(rules, account, ACCOUNT_OPTION)
    return _with_executed(plan, before, client, rulesets)


def _with_executed(
    plan: Plan, before: State, client: Client, rulesets: Sequence[Object] = ()
) -> Plan:
    """The plan with the rulesets that its rules execute, before it and after it; `rulesets` are
    others that its zone meets."""
    states = (plan.before, plan.after())
    own = [
        [one for owner in ENTRY_POINTS for one in whole_rulesets(state, owner)] for state in states
    ]
    known = {ruleset["id"] for side in own for ruleset in side}
    others = list(rulesets)
    for owner, rules in ENTRY_POINTS.items():
        if owner in client.owner:
            every = [rule for state in states for rule in state.get(rules.plural, ())]
            others += _executed(every, client, owner, known)
    alongside = {EXECUTED_RULESETS: [*own[1], *others]} if own[0] != own[1] else {}
    before = {**plan.before, **before, EXECUTED_RULESETS: [*own[0], *others]}
    return plan._replace(before=before, alongside={**plan.alongside, **alongside})


# Stands for the zones of an account, if its own rules change.
ANY_ZONE: Object = {"plan": {"legacy_id": ENTERPRISE}}


def _rules_of_account(client: Client, zone: Object) -> tuple[Client, list[Object]]:
    """The custom rules of the account of a zone, and a client for it."""
    if UNREAD in zone or not plan_of(zone):
        return client, [{UNREAD: zone.get(UNREAD, "the zone does not say its plan")}]
    try:
        account = account_of(client, zone if "account" in zone else None)
        return account, _read_once(account, CUSTOM_RULES_OF_ACCOUNT)
    except ProtectionError as exc:
        return client, [{UNREAD: exc.message.rstrip(".")}]


def _read_once(client: Client, resource: Resource) -> list[Object]:
    """All objects of a resource, as the first worker of this run has read them; raises
    ServiceError."""
    path = client.path_to(resource.path)
    return list(once(client.reader, path, lambda: client.read(resource)))


def _executed(
    rules: Iterable[Object], client: Client, owner: str, known: Container[str] = ()
) -> list[Object]:
    """The rulesets that rules of an account or zone execute, beside those that are known."""
    in_order = IN_ORDER[CUSTOM_RULES.plural]([rule for rule in rules if UNREAD not in rule])
    named = dict.fromkeys(filter(None, map(executed_by, in_order)))
    ids = [one for one in named if one not in known and not is_new(one)]
    resources = [ruleset_of(owner, one) for one in ids]
    read = _read_once if owner == ACCOUNT_OPTION else Client.read
    rulesets = zip(ids, concurrently(lambda one: _read_one(lambda: read(client, one)), resources))
    return [{**(obj if _has_rules(obj) else ODD), "id": one} for one, obj in rulesets]


ODD = {UNREAD: "its rules are not a list of objects"}


def _has_rules(ruleset: Object) -> bool:
    rules = ruleset.get("rules") or []
    return isinstance(rules, list) and all(isinstance(rule, Mapping) for rule in rules)


def _read_one(read: Callable[[], Sequence[Object]]) -> Object:
    try:
        return read()[0]
    except ProtectionError as exc:
        return {UNREAD: exc.message.rstrip(".")}


def read_names(own: Resource, client: Client) -> Sequence[Object]:
    """The zone of a client, or another collection of its owner; raises ServiceError."""
    return client.zones or [zone_of(client)] if own is ZONE else client.read(own)
