# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hits of each rule of a zone, by the events of the analytics. Of events only the ids of
rules, their actions and numbers leave the analytics. Not known is never zero.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Mapping, Sequence, TypedDict

from .._api.client import Client
from .._api.neighbours import account_of
from .._concurrency import read_once
from .._context import Context
from .._errors import ProtectionError
from .._schema.resource import ACCOUNT_OPTION, Object
from .._schema.rulesets import LOGGED
from .._timestamps import write_timestamp
from .ask import AccountTraffic
from .queries import RowsPage, TrafficNode

NODE = TrafficNode("events", "firewallEventsAdaptiveGroups", "firewall events")
BY_RULE = NODE._replace(key="ruleId", grouped_by=("action",), measure=("count",))
OF_ZONE = NODE._replace(owner="zone", measure=("count",), of_requests=True)
EVENTS = {f"{owner}_id": BY_RULE._replace(owner=owner) for owner in ("account", "zone")}
UNLOGGED = "The rule skips without logging, so that it leaves no events."
NAMELESS = "Cloudflare shows no id of the rule."
SAMPLED = "Cloudflare samples these events, so that few hits may be missed."


class Hits(TypedDict):
    """The number of times that a rule matched between `since` and `until`, the time that the data
    cover. `count` is None if it is not known.
    """

    known: bool
    count: int | None
    actions: dict[str, Any]
    since: str
    until: str
    unknown: list[str]


class Events(TypedDict):
    """The firewall events of an account or zone, as JSON. `rules` has the numbers of events by rule
    id and then by action, `window` the two moments between which they lie, `cut` the settings that
    shorten this time, and `unknown` the reasons why some events are not known.
    """

    rules: dict[str, dict[str, int]]
    window: Sequence[str]
    unknown: Sequence[str]
    cut: Sequence[str]
    is_sampled: bool


def read_hits(rules: list[Object], hours: float, client: Client, context: Context) -> list[Any]:
    """The rules of a zone, each with its hits. If a role runs the module, the events of the account
    are read once for all of its zones; those of one zone are read only if these are incomplete.
    """
    events = _events_of_account(client, hours, context) if context.is_role else None
    if events is None or events["unknown"]:
        events = _read_events(client, hours)
    return [{**rule, "hits": _hits_of(rule, events)} for rule in rules]


def _events_of_account(client: Client, hours: float, context: Context) -> Events | None:
    zone = context.host.zone if "account" in context.host.zone else None
    try:
        account = account_of(client, zone)
    except ProtectionError:
        return None
    owner, name = account.owner[ACCOUNT_OPTION], f"hits {hours:g}"
    now = client.now
    events: Events = read_once(
        account.credentials_hash, owner, name, lambda: _read_events(account, hours, now)
    )
    return events


def _read_events(client: Client, hours: float, now: datetime | None = None) -> Events:
    """The firewall events of the last hours, up to now by Cloudflare's clock; `unknown` lists what
    could not be read."""
    ((option, identity),) = client.owner.items()
    until = now or client.now or datetime.now(timezone.utc)
    page = RowsPage(EVENTS[option], until - timedelta(hours=hours), until)
    owner = AccountTraffic(client.ask, identity, page.since, until, nodes=(page.node,))
    (listing,) = owner.read([page]).values()
    rules: dict[str, dict[str, int]] = {}
    for row in listing.rows:
        actions = rules.setdefault(row.destination, {})
        actions[row.outcome] = row.packets
    return Events(
        rules=rules,
        window=(write_timestamp(listing.page.since), write_timestamp(until)),
        unknown=listing.unknown,
        cut=listing.cut,
        is_sampled=any(row.packets > row.samples for row in listing.rows),
    )


def _hits_of(rule: Mapping[str, Any], events: Events) -> Hits:
    identity = rule.get("id")
    actions = events["rules"].get(str(identity), {}) if identity else {}
    reasons = list(events["unknown"])
    if not _leaves_events(rule):
        reasons.append(UNLOGGED)
    if not identity:
        reasons.append(NAMELESS)
    count = sum(actions.values()) if actions or not reasons else None
    unknown = [*events["cut"], *reasons]
    if events["is_sampled"] and not count:
        unknown.append(SAMPLED)
    since, until = events["window"]
    return Hits(
        known=not reasons, count=count, actions=actions, unknown=unknown, since=since, until=until
    )


def _leaves_events(rule: Mapping[str, Any]) -> bool:
    if rule.get("action") != "skip":
        return True
    logging = {**LOGGED, **rule}["logging"]
    return bool(logging == LOGGED["logging"])
