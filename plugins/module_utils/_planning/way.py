# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way of requests through custom rules: those of the zone and of its account, and the rulesets
that they execute."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import AbstractSet, Callable, Container, Iterable, Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import account_of, zone_of
from .._concurrency import concurrently, read_once
from .._context import Context
from .._errors import ProtectionError
from .._plan.plan import Plan
from .._protection.rules_in_force import IN_ORDER, REASON_OF_UNREAD, executed_by
from .._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT, ENTRY_POINTS
from .._schema.custom_rulesets import EXECUTED_RULESETS, ruleset_of, whole_rulesets
from .._schema.neighbours import ZONE
from .._schema.products import objects_if_entitled
from .._schema.resource import (
    ACCOUNT_OPTION,
    NO_ITEMS,
    ZONE_OPTION,
    Key,
    Object,
    Resource,
    State,
    is_new,
)
from .._schema.zone import ENTERPRISE, OTHER_PLANS, plan_of

RULES_OF_ACCOUNT = "Whether rules of the account of the zone decide is not known"


@dataclass(frozen=True)
class ReadingContext:
    """A client and the caller of its run; `weakened` are lists, and overrides of an account, that
    objects which nobody names may weaken; `task_keys` are the keys of the objects that the task
    names, by plural. If it `decides`, more than the names in rules matters, and `expected_lists`
    are those that expectations name."""

    client: Client
    context: Context
    weakened: AbstractSet[str]
    task_keys: Mapping[str, AbstractSet[Key]]
    decides: bool
    expected_lists: Sequence[str] = ()

    @cached_property
    def account(self) -> Client:
        """The client for the account of the host, or of its zone; raises ProtectionError."""
        return account_of(self.client)

    def read_of_account(self, resource: Resource) -> Sequence[Object]:
        """The objects of a collection of the account, as they will be in the turn of this host;
        raises ProtectionError."""
        planned = self.planned_of(self.account).get(resource.plural)
        if planned is None:
            return self.account.read(resource)
        if resource.contents:
            self.account.read(resource)  # from which the client knows ids, as those of lists
        return planned

    def planned_of(self, account: Client) -> State:
        """The collections of an account that its host will have changed before."""
        accounts = self.context.fleet.accounts
        return accounts.get(account.owner.get(ACCOUNT_OPTION, ""), NO_ITEMS)


def with_way(plan: Plan, reading_context: ReadingContext, evaluates: bool) -> Plan:
    """The plan with all custom rules that requests to its zone meet.

    If it `evaluates` requests, or a report judges the zone, the plan of the zone is read as well,
    unless it is known.
    """
    client = reading_context.client
    of_zone = ENTRY_POINTS[ZONE_OPTION].plural in plan.before
    of_account = ENTRY_POINTS[ACCOUNT_OPTION].plural in plan.before
    if EXECUTED_RULESETS in plan.before or not (of_zone or of_account):
        return plan
    if not of_zone:
        return _with_executed(plan, {ZONE.plural: [ANY_ZONE]}, client)
    zone_plan = plan_of(reading_context.context.host.zone)
    is_report = reading_context.context.reports and not zone_plan
    zone = _zone_without_reading(reading_context, zone_plan)
    is_needed = evaluates or is_report or of_account or zone_plan == ENTERPRISE
    if zone is None and is_needed:
        zone = _read_first(lambda: [zone_of(client)])
        if is_report and REASON_OF_UNREAD in zone:
            plan = _with_unread_account(plan, f"{zone[REASON_OF_UNREAD]}.")
    before: dict[str, Sequence[Object]] = {}
    if zone is not None and REASON_OF_UNREAD not in zone:
        before[ZONE.plural] = client.zones or [zone]
    rulesets: list[Object] = []
    if zone is not None and not of_account and plan_of(zone) not in OTHER_PLANS:
        account, rules = _rules_of_account(reading_context, zone)
        before[CUSTOM_RULES_OF_ACCOUNT.plural] = rules
        rulesets = _executed_of_account(rules, account, reading_context)
    return _with_executed(plan, before, client, rulesets)


def _zone_without_reading(reading_context: ReadingContext, zone_plan: str) -> Object | None:
    """The zone as this run has read it, or as its caller knows it; None if neither knows it."""
    if reading_context.client.zones:
        return reading_context.client.zones[0]
    zone = reading_context.context.host.zone
    return zone if zone_plan and zone.get("name") else None


def _with_unread_account(plan: Plan, reason: str) -> Plan:
    """The plan, which says for this `reason` that it is not known whether rules of the account
    decide.
    """
    reasons = {RULES_OF_ACCOUNT: reason}
    unread = {**plan.unread, CUSTOM_RULES_OF_ACCOUNT.plural: reasons}
    return plan._replace(unread=unread)


def _with_executed(
    plan: Plan, before: State, client: Client, rulesets: Sequence[Object] = ()
) -> Plan:
    """The plan with the rulesets that its rules execute, in the states before and after it;
    `rulesets` are further rulesets that requests to its zone meet.
    """
    after = plan.after()
    whole_before, whole_after = _whole_rulesets(plan.before), _whole_rulesets(after)
    whole_ids = {ruleset["id"] for ruleset in (*whole_before, *whole_after)}
    executed = list(rulesets)
    for owner, entry_point in ENTRY_POINTS.items():
        if owner in client.owner:
            rules_before = plan.before.get(entry_point.plural, ())
            rules_after = after.get(entry_point.plural, ())
            rules = [*rules_before, *rules_after]
            executed += _executed(rules, client, owner, whole_ids)
    completed = {**plan.before, **before, EXECUTED_RULESETS: [*whole_before, *executed]}
    return with_rulesets_after(plan._replace(before=completed))


def with_rulesets_after(plan: Plan) -> Plan:
    """The plan with the rulesets that rules execute after it, if it knows those before it."""
    if EXECUTED_RULESETS not in plan.before:
        return plan
    alongside = {**plan.alongside}
    alongside.pop(EXECUTED_RULESETS, None)
    whole_before, whole_after = _whole_rulesets(plan.before), _whole_rulesets(plan.after())
    if whole_before != whole_after:
        known_ids = {ruleset["id"] for ruleset in whole_before}
        executed = [
            ruleset for ruleset in plan.before[EXECUTED_RULESETS] if ruleset["id"] not in known_ids
        ]
        alongside[EXECUTED_RULESETS] = [*whole_after, *executed]
    return plan._replace(alongside=alongside)


def _whole_rulesets(state: State) -> list[Object]:
    """The custom rulesets of an account or a zone that the state has with their rules."""
    rulesets: list[Object] = []
    for owner in ENTRY_POINTS:
        rulesets += whole_rulesets(state, owner)
    return rulesets


# Stands for the zones of an account, if its own rules change.
ANY_ZONE: Object = {"plan": {"legacy_id": ENTERPRISE}}


def _rules_of_account(
    reading_context: ReadingContext, zone: Object
) -> tuple[Client, Sequence[Object]]:
    """The custom rules of the account of a zone, and a client for it."""
    client, resource = reading_context.client, CUSTOM_RULES_OF_ACCOUNT
    if REASON_OF_UNREAD in zone or not plan_of(zone):
        return client, [
            {REASON_OF_UNREAD: zone.get(REASON_OF_UNREAD, "the zone does not say its plan")}
        ]
    try:
        account = account_of(client, zone if "account" in zone else None)
        planned = reading_context.planned_of(account).get(resource.plural)
        if planned is None:
            return account, objects_if_entitled(partial(_read_once, account, resource))
        return account, planned
    except ProtectionError as exc:
        return client, [{REASON_OF_UNREAD: exc.message.rstrip(".")}]


def _executed_of_account(
    rules: Sequence[Object], account: Client, reading_context: ReadingContext
) -> list[Object]:
    """The rulesets that custom rules of the account of a zone execute."""
    planned = reading_context.planned_of(account).get(EXECUTED_RULESETS, ())
    ids = {ruleset["id"] for ruleset in planned}
    executed_ids = set(map(executed_by, IN_ORDER[CUSTOM_RULES.plural](rules))) if planned else ids
    executed = [ruleset for ruleset in planned if ruleset["id"] in executed_ids]
    return [*executed, *_executed(rules, account, ACCOUNT_OPTION, ids)]


def _read_once(client: Client, resource: Resource) -> list[Object]:
    """All objects of a resource; they are read once in a play, by any worker. Raises
    ServiceError.
    """
    path, owner = client.path_to(resource.path), client.owner[resource.owner]
    return list(read_once(client.credentials_hash, owner, path, lambda: client.read(resource)))


def _executed(
    rules: Iterable[Object], client: Client, owner: str, known_ids: Container[str] = ()
) -> list[Object]:
    """The rulesets that rules of an account or zone execute, without those with known ids."""
    readable = [rule for rule in rules if REASON_OF_UNREAD not in rule]
    executed_ids = dict.fromkeys(map(executed_by, IN_ORDER[CUSTOM_RULES.plural](readable)))
    ids = [
        identity
        for identity in executed_ids
        if identity and identity not in known_ids and not is_new(identity)
    ]
    read = _read_once if owner == ACCOUNT_OPTION else Client.read

    def read_ruleset(identity: str) -> Object:
        resource = ruleset_of(owner, identity)
        ruleset = _read_first(lambda: read(client, resource))
        return {**(ruleset if _has_rules(ruleset) else ODD), "id": identity}

    return list(concurrently(read_ruleset, ids))


ODD = {REASON_OF_UNREAD: "its rules are not a list of objects"}


def _has_rules(ruleset: Object) -> bool:
    rules = ruleset.get("rules") or []
    return isinstance(rules, list) and all(isinstance(rule, Mapping) for rule in rules)


def _read_first(read: Callable[[], Sequence[Object]]) -> Object:
    try:
        return read()[0]
    except ProtectionError as exc:
        return {REASON_OF_UNREAD: exc.message.rstrip(".")}


def read_names(resource: Resource, client: Client) -> Sequence[Object]:
    """The objects from which the names of an owner are known: its zone, or another collection of
    the owner; raises ServiceError.
    """
    if resource is ZONE:
        return client.zones or [zone_of(client)]
    return client.read(resource)
