# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A zone, and its account, beside which rules of the zone stand."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from operator import methodcaller
from typing import Any, Callable, Iterator, Mapping, Sequence, TypedDict

from .._concurrency import SharedByTasks, concurrently
from .._errors import ProtectionError, ServiceError
from .._schema.lists import LISTS
from .._schema.neighbours import (
    AUDIT_LOG,
    ONBOARDED,
    PACKET_PHASES,
    PARTS_OF_PREFIX,
    ZONE,
    ZONES,
    is_approved,
)
from .._schema.registry import RULESETS
from .._schema.resource import (
    ACCOUNT_OPTION,
    ZONE_OPTION,
    ZONE_OWNER,
    Object,
    ReadCollection,
    fields_in,
)
from .._timestamps import write_time
from .._values.kinds import identifier
from .client import MOST_PAGES, Client
from .responses import Request, error_details, open_envelope

FEW_ZONES = {"per_page": 5}  # the fewest that a page may have


def zone_of(client: Client) -> Object:
    """The zone of a client; raises ServiceError. Many tasks that share their readings find it in
    the listing of all zones."""
    shared = SharedByTasks.now()
    if shared and shared.tasks > ZONES.page_size:
        zones: Mapping[Any, Object] = shared.of(
            ("zones", client.reader), lambda: _listed_zones(client, shared.tasks)
        )
        zone = zones.get(client.owner[ZONE_OWNER.option], {})
        if fields_in(zone.get("account")).get("id"):
            return zone
    return client.read(ZONE)[0]


def _listed_zones(client: Client, tasks: int) -> Mapping[Any, Object]:
    """The zones that the credentials see, by id; none if their listing takes as many calls as a
    tenth of the tasks, or cannot be read, so that each task reads its own."""
    request = Request("GET", ZONES.path, FEW_ZONES, resource=ZONES)
    try:
        total = open_envelope(request, client.ask(request)).total
        few = total is not None and total * 10 < tasks * ZONES.page_size
        return {zone.get("id"): zone for zone in (client.read(ZONES) if few else ())}
    except ServiceError:
        return {}


def account_of(client: Client, zone: Object | None = None) -> Client:
    """The client for the account of a zone, which is read unless it is given, or of an account
    itself; raises ServiceError, and ProtectionError for a zone without an account."""
    if zone is None and ACCOUNT_OPTION in client.owner:
        return client
    account = fields_in((zone or zone_of(client)).get("account"))
    if ACCOUNT_OPTION in client.owner and account.get("id") in (None, client.owner[ACCOUNT_OPTION]):
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
    """A prefix that an account has brought, its parts, and the networks that other accounts use."""

    prefix: str
    approved: bool
    networks: list[AnnouncedNetwork]
    delegated: list[str]


def read_announced(read: ReadCollection) -> list[OnboardedPrefix]:
    """The prefixes that an account has brought; raises ServiceError."""
    prefixes = list(read(ONBOARDED))
    resources = [of(one) for one in prefixes for of in PARTS_OF_PREFIX]
    parts = list(concurrently(read, resources))
    return [_network_record(*item) for item in zip(prefixes, parts[::2], parts[1::2])]


def _network_record(
    prefix: Object, networks: Sequence[Object], delegations: Sequence[Object]
) -> OnboardedPrefix:
    """The fields are picked, since the token of the validation is a secret."""
    whole = {"cidr": prefix.get("cidr"), "on_demand": prefix}
    return OnboardedPrefix(
        prefix=str(prefix.get("cidr")),
        approved=is_approved(prefix),
        networks=[_announced_network(prefix, part) for part in networks or [whole]],
        delegated=[str(part.get("cidr")) for part in delegations],
    )


def _announced_network(prefix: Object, part: Object) -> AnnouncedNetwork:
    on_demand = part.get("on_demand") or {}
    announced = on_demand.get("advertised")
    if not isinstance(announced, bool):
        announced = is_approved(prefix) if on_demand.get("on_demand_enabled") is False else None
    since = _text_in(on_demand.get("advertised_modified_at"))
    return AnnouncedNetwork(prefix=str(part.get("cidr")), announced=announced, since=since)


def _text_in(value: Any) -> str | None:
    return str(value) if value else None


AUDIT_PAGE = 1000
READS = ("GET", "HEAD", "OPTIONS")
CHANGE_WAYS: Mapping[str, str] = {
    "dash": "the dashboard",
    "api_key": "an API key",
    "api_token": "an API token",
    "oauth": "an OAuth application",
    "api": "the API",
}


class ChangeRecord(TypedDict):
    """A write that succeeded: when, by whom, and how; `uri` is what was written, and `object_id`
    the object, None if the log does not name one."""

    at: str
    by: str
    how: str
    method: str
    uri: str
    object_id: str | None


def read_changes(client: Client, hours: float) -> list[ChangeRecord]:
    """The writes of the last hours in an account and its zones, or in a zone without its account,
    the newest first; raises ServiceError, and ProtectionError for a zone that does not say its
    account."""
    until = client.now or datetime.now(timezone.utc)
    since = until - timedelta(hours=hours)
    query: dict[str, Any] = {
        "since": write_time(since),
        "before": write_time(until + timedelta(minutes=1)),
        "limit": AUDIT_PAGE,
    }
    account = account_of(client)
    if ACCOUNT_OPTION not in client.owner:
        query[ZONE_OWNER.option] = client.owner[ZONE_OWNER.option]
    entries = _log_entries(account, query)
    return [record for record in map(_change_record, entries) if record is not None]


def _log_entries(client: Client, query: Mapping[str, Any]) -> Iterator[Object]:
    """The entries page after page, each of which says where the next one begins."""
    cursor: Mapping[str, Any] = {}
    for _page in range(MOST_PAGES):
        path = client.path_to(AUDIT_LOG.path)
        request = Request("GET", path, {**query, **cursor}, resource=AUDIT_LOG)
        envelope = open_envelope(request, client.ask(request))
        if not isinstance(envelope.result, list):
            message = f"{request} got an unexpected response: the result is not a list."
            raise ServiceError(message, error_details(request, 200), False)
        yield from envelope.result
        following = envelope.info.get("cursor")
        if not following or following == cursor.get("cursor"):
            return
        cursor = {"cursor": following}


def _change_record(entry: Object) -> ChangeRecord | None:
    """An entry about a write that succeeded; None for any other."""
    action, actor, raw = (entry.get(name) or {} for name in ("action", "actor", "raw"))
    if str(raw.get("method")).upper() in READS or action.get("result") not in (None, "success"):
        return None
    context = str(actor.get("context"))
    way = CHANGE_WAYS.get(context, context)
    by_token = context == "api_token" and actor.get("token_name")
    return ChangeRecord(
        at=str(action.get("time")),
        by=str(actor.get("email") or actor.get("token_name") or actor.get("type") or "somebody"),
        how=f"{way} {actor['token_name']}" if by_token else way,
        method=str(raw.get("method")),
        uri=str(raw.get("uri")),
        object_id=_text_in((entry.get("resource") or {}).get("id")),
    )


def read_ip_lists(client: Client) -> list[dict[str, Any]]:
    """The lists of an account to which rules can refer, with their items; raises ServiceError."""
    state = client.read_state([LISTS])
    state = {**state, **client.read_state(LISTS.contents_in(state))}
    return [LISTS.semantics.assembled(obj, state) for obj in LISTS.our_objects_in(state)]


class PhaseRecord(TypedDict):
    """A phase of packets that is not evaluated, and how many rules it has."""

    phase: str
    title: str
    rules: int


def read_packet_phases(client: Client) -> list[PhaseRecord]:
    """The phases of packets that are not evaluated; raises ServiceError."""
    return [
        PhaseRecord(phase=one.phase, title=one.titles, rules=len(rules))
        for one, rules in zip(PACKET_PHASES, client.read_each(PACKET_PHASES))
    ]


# The readings beside the protection of an account, by the subset of protection_info.
BESIDE: Mapping[str, Callable[[Client], Any]] = {
    "announced": lambda client: read_announced(client.read),
    "ip_lists": read_ip_lists,
    "packet_phases": read_packet_phases,
    **{item.plural: methodcaller("read", item) for item in RULESETS if item.owner != ZONE_OPTION},
}
