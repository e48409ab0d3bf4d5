# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The zone of a host, read once: whether it is of the account of the host, and whether Cloudflare
serves it."""

from __future__ import annotations

from typing import Any, Mapping

from .._api.client import Client
from .._api.neighbours import zone_of
from .._context import Context
from .._errors import OptionError, ProtectionError
from .._plan.plan import Plan
from .._plan.rollout import EvidenceLimits, Target
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.neighbours import ZONE
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.quotas import quota_of
from .._schema.resource import ACCOUNT_OPTION, LOG, ZONE_OPTION, Object, State, fields_in
from .._schema.zone import STATUS, plan_of, why_not_served
from .._text import Option

SERVED = "Whether Cloudflare serves the zone is not known"
OF_ACCOUNT = "Whether the zone is of the account of its host is not known"
NO_ANSWER = "Cloudflare does not say it."
NOT_SERVED = "not_served"  # of a result
LOGGING_ON_ALL_PLANS = (NETWORK_FIREWALL_RULES.plural,)  # of an account


def with_zone(plan: Plan, client: Client, context: Context) -> Plan:
    """The plan of a host with its zone; raises OptionError if that is a zone of another account.

    The zone is what the inventory knows of it if it cannot be read, and for a run of the role on a
    zone alone whose plan is known. A report says if it is not known whether Cloudflare serves it.
    """
    has_account = ACCOUNT_OPTION in client.owner
    if not (has_account or context.is_role):
        return plan
    zone, reason = context.host.zone, NO_ANSWER
    if has_account or context.reports or not (plan_of(zone) and zone.get("name")):
        zone, reason = _read_zone(client, context)
    doubts: dict[str, str] = {}
    if has_account and not is_of_account(zone, client.owner[ACCOUNT_OPTION]):
        doubts[OF_ACCOUNT] = reason
    if context.reports and not zone.get(STATUS):
        doubts[SERVED] = reason
    before = {**plan.before, ZONE.plural: [zone]} if zone.get("name") else plan.before
    unread = {**plan.unread, NOT_SERVED: doubts} if doubts else plan.unread
    return plan._replace(before=before, unread=unread)


def doubt_on_account(client: Client, context: Context) -> str:
    """A sentence if a reading of an account and a zone cannot tell whether they belong together;
    empty if they do. Raises OptionError for a zone of another account."""
    zone, reason = _read_zone(client, context)
    if is_of_account(zone, client.owner[ACCOUNT_OPTION]):
        return ""
    return f"{OF_ACCOUNT}: {reason}"


def stages_that_log(
    stages: Mapping[Target, EvidenceLimits], client: Client, context: Context
) -> dict[Target, EvidenceLimits]:
    """The stages of those rules that can log: the plan of a zone may withhold it. If that plan is
    not known, Cloudflare tells."""
    zone: Object = {}
    if ZONE_OPTION in client.owner:
        zone = context.host.zone if plan_of(context.host.zone) else _read_zone(client, context)[0]
    quota = quota_of(zone)
    if quota is None or not quota.lacks(CUSTOM_RULES, {"action": LOG}):
        return {**stages}
    return {target: stages[target] for target in stages if target[0] in LOGGING_ON_ALL_PLANS}


def _read_zone(client: Client, context: Context) -> tuple[Object, str]:
    """The zone, which the client keeps, and a reason for the values of the zone that are not known.
    If reading it fails, the zone is what the inventory knows.
    """
    try:
        client.zones = [zone_of(client)]
        return client.zones[0], NO_ANSWER
    except ProtectionError as exc:
        return context.host.zone, exc.message


def is_of_account(zone: Object, account_id: str) -> bool:
    """Return whether a zone is of this account; False if the zone does not name its account. Raises
    OptionError if it names another account.
    """
    account = fields_in(zone.get("account"))
    identity = str(account.get("id") or "")
    if identity and identity.lower() != account_id.lower():
        title = f"{identity} ({account['name']})" if account.get("name") else identity
        name = zone.get("name") or "of this host"
        problem = (
            f"{account_id} is not the account of the zone {name}, which is {title}. Lists and"
            " rulesets of another account would decide about this zone. Correct the id, or make"
            " a host of each. Nothing was changed."
        )
        raise OptionError(Option(ACCOUNT_OPTION), problem)
    return bool(identity)


def account_in(state: State) -> str:
    """The id of the account of the zone in a state; empty if it is not known."""
    (zone,) = state.get(ZONE.plural) or ({},)
    return str(fields_in(zone.get("account")).get("id") or "")


def not_served(state: State) -> Mapping[str, Any]:
    """The result for a zone that Cloudflare does not serve, with the reason; empty for any
    other.
    """
    for zone in state.get(ZONE.plural, ()):
        cause = why_not_served(zone)
        if cause:
            subject = "Cloudflare does not serve the zone"
            return {NOT_SERVED: f"{subject}, since {cause}: no rule of it stops a request."}
    return {}
