# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hits: how many requests each rule of a zone matched, by the events that the analytics keep.

Only the ids of rules, their actions and numbers leave the analytics. Not known is never zero.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Mapping, TypedDict

from .._api.client import Client
from .._api.neighbours import account_of
from .._api.once import once
from .._context import Context
from .._errors import ProtectionError
from .._schema.resource import ACCOUNT_OPTION, ZONE_OPTION, Object
from .._schema.rulesets import LOGGED
from .._timestamps import write_timestamp
from .ask import AccountTraffic
from .queries import PERMISSION, PERMISSION_OF_ZONE, Page, TrafficNode

NODE = TrafficNode("events", "firewallEventsAdaptiveGroups", "firewall events")
BY_RULE = NODE._replace(key="ruleId", grouped_by=("action",), measure=("count",))
EVENTS = {f"{owner}_id": BY_RULE._replace(owner=owner) for owner in ("account", "zone")}
PERMISSIONS = {ACCOUNT_OPTION: PERMISSION, ZONE_OPTION: PERMISSION_OF_ZONE}
UNLOGGED = "The rule skips without logging, so that it leaves no events."
NAMELESS = "Cloudflare shows no id of the rule."
SAMPLED = "Cloudflare samples these events, so that few hits may be missed."


class Hits(TypedDict):
    """The hits of a rule from `since` to `until`, the time that the data cover; `count` is None if
    it is not known."""

    known: bool
    count: int | None
    actions: dict[str, Any]
    since: str
    until: str
    unknown: list[str]


# The events of an account or zone, as JSON: `rules` has numbers by action, by the id of a rule;
# `cut` says what makes the time shorter, `unknown` why not all is known.
Events = Mapping[str, Any]


def read_hits(rules: list[Object], hours: float, client: Client, context: Context) -> list[Any]:
    """Rules of a zone with their hits. For a role the account is asked, once for all zones of a
    run, and the zone alone if that does not tell all."""
    events = _events_of_account(client, hours, context) if context.is_role else None
    if events is None or events["unknown"]:
        events = _read_events(client, hours)
    return [{**rule, "hits": _hits_of(rule, events)} for rule in rules]


def _events_of_account(client: Client, hours: float, context: Context) -> Events | None:
    try:
        account = account_of(client, context.zone if "account" in context.zone else None)
    except ProtectionError:
        return None
    name = f"hits {account.owner[ACCOUNT_OPTION]} {hours:g}"
    events: Events = once(account, name, lambda: _read_events(account, hours, client.now))
    return events


def _read_events(client: Client, hours: float, now: datetime | None = None) -> Events:
    """The events until now by Cloudflare's clock; what cannot be read is said."""
    ((option, identity),) = client.owner.items()
    until = now or client.now or datetime.now(timezone.utc)
    page = Page(EVENTS[option], until - timedelta(hours=hours), until)
    asking = AccountTraffic(client.ask, identity, page.since, until, nodes=(page.node,))
    (listing,) = asking.first([page]).values()
    rules: dict[str, dict[str, int]] = {}
    for row in listing.rows:
        rules.setdefault(row.destination, {})[row.outcome] = row.packets
    return {
        "rules": rules,
        "window": (write_timestamp(listing.page.since), write_timestamp(until)),
        "unknown": [text.replace(PERMISSION, PERMISSIONS[option]) for text in listing.unknown],
        "cut": listing.cut,
        "is_sampled": any(row.packets > row.samples for row in listing.rows),
    }


def _hits_of(rule: Mapping[str, Any], events: Events) -> Hits:
    identity, (since, until) = rule.get("id"), events["window"]
    actions = events["rules"].get(str(identity), {}) if identity else {}
    logs = rule.get("action") != "skip" or {**LOGGED, **rule}["logging"] == LOGGED["logging"]
    reasons = [*events["unknown"], *([] if logs else [UNLOGGED])]
    reasons += [] if identity else [NAMELESS]
    count = sum(actions.values()) if actions or not reasons else None
    few = [SAMPLED] if events["is_sampled"] and not count else []
    unknown = [*events["cut"], *reasons, *few]
    return Hits(
        known=not reasons, count=count, actions=actions, unknown=unknown, since=since, until=until
    )
