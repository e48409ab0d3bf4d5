# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A zone, and its account, beside which rules of the zone stand."""

from __future__ import annotations

from functools import partial
from operator import methodcaller
from typing import Any, Callable, Mapping, Sequence, TypedDict

from .._concurrency import SharedByTasks, concurrently
from .._errors import ProtectionError, ServiceError
from .._schema.lists import LISTS
from .._schema.neighbours import ONBOARDED, PACKET_PHASES, PARTS_OF_PREFIX, ZONE, ZONES, is_approved
from .._schema.products import objects_if_entitled
from .._schema.registry import RULESETS
from .._schema.resource import (
    ACCOUNT_OPTION,
    ZONE_OPTION,
    ZONE_OWNER,
    Object,
    ReadCollection,
    Resource,
    fields_in,
)
from .._values.kinds import identifier
from .client import Client
from .responses import Request, open_envelope

FEW_ZONES = {"per_page": 5}  # the fewest that a page may have


def zone_of(client: Client) -> Object:
    """The zone of a client; raises ServiceError. No call is made if the zone was looked up by its
    name. If many tasks share their readings, the zone comes from one listing of all zones.
    """
    for zone in client.zones:
        if fields_in(zone.get("account")).get("id"):
            return zone
    shared = SharedByTasks.current()
    if shared and shared.tasks > ZONES.page_size:
        key = ("zones", client.credentials_hash)
        zones = shared.made_once(key, lambda: _listed_zones(client, shared.tasks))
        zone = zones.get(client.owner[ZONE_OWNER.option], {})
        account = fields_in(zone.get("account"))
        if account.get("id"):
            return zone
    return client.read(ZONE)[0]


def _listed_zones(client: Client, tasks: int) -> Mapping[Any, Object]:
    """The zones that the credentials can see, by id. It is empty if the listing fails, or if it
    needs more than a call for ten tasks; each task then reads its own zone.
    """
    request = Request("GET", ZONES.path, FEW_ZONES, resource=ZONES)
    try:
        total = open_envelope(request, client.ask(request)).total
        if total is None or total * 10 >= tasks * ZONES.page_size:
            return {}
        return {zone.get("id"): zone for zone in client.read(ZONES)}
    except ServiceError:
        return {}


def account_of(client: Client, zone: Object | None = None) -> Client:
    """A client for the account of a zone, or `client` itself if it is one for that account. The
    zone is read unless it is given. Raises ServiceError, and ProtectionError for a zone without an
    account.
    """
    is_of_account = ACCOUNT_OPTION in client.owner
    if zone is None and is_of_account:
        return client
    zone = zone or zone_of(client)
    account = fields_in(zone.get("account"))
    if is_of_account and account.get("id") in (None, client.owner[ACCOUNT_OPTION]):
        return client
    try:
        identity = identifier(account.get("id"))
    except ValueError as exc:
        raise ProtectionError(f"The zone does not say its account: {exc}.") from exc
    return client.within({ACCOUNT_OPTION: identity})


class AnnouncedNetwork(TypedDict):
    """A part of an onboarded prefix; `announced` is None if Cloudflare does not say."""

    prefix: str
    announced: bool | None
    since: str | None


class OnboardedPrefix(TypedDict):
    """A prefix that an account has onboarded: its parts, and the networks that are delegated to
    other accounts."""

    prefix: str
    approved: bool
    networks: list[AnnouncedNetwork]
    delegated: list[str]


def read_announced(read: ReadCollection) -> list[OnboardedPrefix]:
    """The prefixes that an account has onboarded; raises ServiceError."""
    prefixes = list(read(ONBOARDED))
    networks_of, delegations_of = PARTS_OF_PREFIX
    resources: list[Resource] = []
    for prefix in prefixes:
        resources += [networks_of(prefix), delegations_of(prefix)]
    listings = iter(list(concurrently(read, resources)))
    records: list[OnboardedPrefix] = []
    for prefix in prefixes:
        networks = next(listings)
        delegations = next(listings)
        records.append(_prefix_record(prefix, networks, delegations))
    return records


def _prefix_record(
    prefix: Object, networks: Sequence[Object], delegations: Sequence[Object]
) -> OnboardedPrefix:
    """The record of a prefix; its fields are picked, since its validation token is a secret."""
    whole_prefix = {"cidr": prefix.get("cidr"), "on_demand": prefix}
    return OnboardedPrefix(
        prefix=str(prefix.get("cidr")),
        approved=is_approved(prefix),
        networks=[_announced_network(prefix, network) for network in networks or [whole_prefix]],
        delegated=[str(delegation.get("cidr")) for delegation in delegations],
    )


def _announced_network(prefix: Object, network: Object) -> AnnouncedNetwork:
    on_demand = network.get("on_demand") or {}
    announced = on_demand.get("advertised")
    if not isinstance(announced, bool):
        is_always = on_demand.get("on_demand_enabled") is False
        announced = is_approved(prefix) if is_always else None
    since = text_or_none(on_demand.get("advertised_modified_at"))
    return AnnouncedNetwork(prefix=str(network.get("cidr")), announced=announced, since=since)


def text_or_none(value: Any) -> str | None:
    """A value as text; None if it is missing or empty."""
    return str(value) if value else None


def read_ip_lists(client: Client) -> list[dict[str, Any]]:
    """The lists of an account to which rules can refer, with their items; raises ServiceError."""
    lists = client.read_state([LISTS])
    items = client.read_state(LISTS.contents_in(lists))
    state = {**lists, **items}
    return [LISTS.semantics.assembled(obj, state) for obj in LISTS.our_objects_in(state)]


class PhaseRecord(TypedDict):
    """A phase of packets whose rules the evaluation does not know, and the number of these
    rules."""

    phase: str
    title: str
    rules: int


def read_packet_phases(client: Client) -> list[PhaseRecord]:
    """The phases of packets whose rules the evaluation does not know; one to which the account is
    not entitled has none. Raises ServiceError."""
    records: list[PhaseRecord] = []
    readings = [partial(client.read, resource) for resource in PACKET_PHASES]
    rules_of_phases = concurrently(objects_if_entitled, readings)
    for resource, rules in zip(PACKET_PHASES, rules_of_phases):
        records.append(PhaseRecord(phase=resource.phase, title=resource.titles, rules=len(rules)))
    return records


# The readings beside the protection of an account, by the subset of protection_info.
ACCOUNT_READINGS: Mapping[str, Callable[[Client], Any]] = {
    "announced": lambda client: read_announced(client.read),
    "ip_lists": read_ip_lists,
    "packet_phases": read_packet_phases,
    **{
        resource.plural: methodcaller("read", resource)
        for resource in RULESETS
        if resource.owner != ZONE_OPTION
    },
}
