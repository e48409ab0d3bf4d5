# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules that requests to a zone meet beside those of its entry point: the custom rules of its
account, and the rulesets that rules execute. What cannot be read stands in a state as its reason.

The rules of an account count for zones of the plan Enterprise alone.
"""

from __future__ import annotations

from typing import Iterable, Mapping

from .._api.client import Client
from .._api.neighbours import account_of
from .._api.once import read_once
from .._concurrency import concurrently
from .._context import Context
from .._errors import ProtectionError
from .._plan.plan import Plan
from .._schema.neighbours import ZONE
from .._schema.registry import IN_ORDER, UNREAD, executed_by
from .._schema.resource import ACCOUNT_OPTION, Object, Resource
from .._schema.zone import (
    CUSTOM_RULES,
    CUSTOM_RULES_OF_ACCOUNT,
    CUSTOM_RULESETS,
    OTHER_PLANS,
    plan_of,
    ruleset_of,
)


def with_way(plan: Plan, context: Context, expects: bool, client: Client) -> Plan:
    """The plan with all custom rules that requests to its zone meet.

    If it `expects` something of requests, the plan of the zone is read as well, unless it is known.
    """
    if CUSTOM_RULES.plural not in plan.before or CUSTOM_RULESETS in plan.before:
        return plan
    zones = client.zones or ([context.zone] if plan_of(context.zone) else [])
    zones = zones or ([_read(client, ZONE)] if expects else [])
    before = {**plan.before, **({ZONE.plural: zones} if zones and UNREAD not in zones[0] else {})}
    rules = [*plan.before[CUSTOM_RULES.plural], *plan.after()[CUSTOM_RULES.plural]]
    rulesets = _executed(rules, client)
    if zones and plan_of(zones[0]) not in OTHER_PLANS:
        account, of_account = _rules_of_account(client, zones[0])
        before[CUSTOM_RULES_OF_ACCOUNT.plural] = of_account
        rulesets += _executed(of_account, account)
    before[CUSTOM_RULESETS] = rulesets
    return plan._replace(before=before)


def _rules_of_account(client: Client, zone: Object) -> tuple[Client, list[Object]]:
    """The custom rules of the account of a zone, and a client for it."""
    if UNREAD in zone or not plan_of(zone):
        return client, [{UNREAD: zone.get(UNREAD, "the zone does not say its plan")}]
    try:
        account = account_of(client, zone if "account" in zone else None)
        return account, read_once(account, CUSTOM_RULES_OF_ACCOUNT)
    except ProtectionError as exc:
        return client, [{UNREAD: exc.message.rstrip(".")}]


def _executed(rules: Iterable[Object], client: Client) -> list[Object]:
    """The rulesets that rules of an account or zone execute."""
    (owner,) = client.owner
    in_order = IN_ORDER[CUSTOM_RULES.plural]([rule for rule in rules if UNREAD not in rule])
    ids = dict.fromkeys(filter(None, map(executed_by, in_order)))
    resources = [ruleset_of(owner, one) for one in ids]
    rulesets = zip(ids, concurrently(lambda item: _read(client, item), resources))
    return [{**(obj if _has_rules(obj) else ODD), "id": one} for one, obj in rulesets]


ODD = {UNREAD: "its rules are not a list of objects"}


def _has_rules(ruleset: Object) -> bool:
    rules = ruleset.get("rules") or []
    return isinstance(rules, list) and all(isinstance(rule, Mapping) for rule in rules)


def _read(client: Client, resource: Resource) -> Object:
    try:
        return (read_once if resource.owner == ACCOUNT_OPTION else Client.read)(client, resource)[0]
    except ProtectionError as exc:
        return {UNREAD: exc.message.rstrip(".")}
