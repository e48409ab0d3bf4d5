# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rows of the analytics, summed up: what passed, was dropped, and would have been dropped; and how
many requests each rule of a zone matched, by the events that the analytics keep.

Numbers are estimates, since Cloudflare samples. Not known is never zero. Of events only the ids of
rules, their actions and numbers leave the analytics.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Hashable, Iterable, Mapping, Sequence, TypedDict, TypeVar

from .._api.client import Client
from .._api.neighbours import account_of
from .._concurrency import once
from .._context import Context
from .._errors import ProtectionError
from .._schema.resource import ACCOUNT_OPTION, ZONE_OPTION, Object
from .._schema.rulesets import LOGGED
from .._text import first_few
from .._timestamps import write_timestamp
from .._values.address_set import Ranges, intersection, range_of
from .ask import AccountTraffic, Heaviest
from .queries import (
    ADVICE,
    CHALLENGE,
    DROP,
    FEWEST_SAMPLES,
    NOTHING_SEEN,
    PASS,
    PERMISSION,
    PERMISSION_OF_ZONE,
    Page,
    Row,
    Traffic,
    TrafficNode,
    concerns,
    node_of,
    percentage,
    too_few,
)

GroupKey = TypeVar("GroupKey", bound=Hashable)


class PacketNumbers(TypedDict):
    """Packets by what was done with them; None where none were seen, which is no zero."""

    passed_packets: int | None
    dropped_packets: int | None
    would_drop_packets: int | None
    would_drop_percent: float | None


class NetworkTraffic(TypedDict):
    """The traffic to one network as results show it."""

    network: str
    passed_packets: int | None
    dropped_packets: int | None
    would_drop_packets: int | None
    would_drop_percent: float | None
    data_centers: dict[str, Any]
    known: bool


class ComponentTraffic(PacketNumbers):
    """The traffic that one component saw, as results show it."""

    sample_interval: int | None
    known: bool
    unknown: list[str]
    reasons: dict[str, Any]
    advice: list[str]
    networks: list[NetworkTraffic]


class TrafficRecord(TypedDict):
    """The traffic of an account as results show it."""

    since: str
    until: str
    known: bool
    unknown: list[str]
    components: dict[str, ComponentTraffic]


class HeavyTraffic(TypedDict):
    """One of the heaviest as results show it."""

    value: str
    packets: int


class TopTraffic(TypedDict):
    """The heaviest traffic that was dropped, or would have been, as results show it."""

    known: bool
    unknown: list[str]
    sources: list[HeavyTraffic]
    source_networks: list[HeavyTraffic]
    asns: list[HeavyTraffic]
    countries: list[HeavyTraffic]
    ports: list[HeavyTraffic]


class TopRecord(TrafficRecord):
    """The traffic of an account with the heaviest of it."""

    top: TopTraffic


@dataclass(frozen=True)
class Sums:
    """Packets by what was done with them; `samples` is how many of them were seen."""

    passed: int = 0
    dropped: int = 0
    would_drop: int = 0
    samples: int = 0

    @property
    def total(self) -> int:
        """The number of all packets."""
        return self.passed + self.dropped + self.would_drop

    @property
    def percent(self) -> float | None:
        """The percentage that would have been dropped; None if none were seen."""
        return percentage(self.would_drop, self.total)

    def record(self) -> PacketNumbers:
        """The numbers as results show them."""
        return PacketNumbers(
            passed_packets=self.passed if self.samples else None,
            dropped_packets=self.dropped if self.samples else None,
            would_drop_packets=self.would_drop if self.samples else None,
            would_drop_percent=self.percent,
        )

    @property
    def sample_interval(self) -> int | None:
        """Of how many packets one was seen."""
        return max(1, round(self.total / self.samples)) if self.samples else None

    @property
    def known(self) -> bool:
        """True if so many were seen that the share says something."""
        return self.samples >= FEWEST_SAMPLES


def action_of(row: Row) -> str:
    """`passed`, `dropped` or `would_drop`; empty where the words are not known."""
    if row.outcome == DROP:
        return "dropped"
    if row.outcome != PASS or row.verdict not in (PASS, DROP):
        return ""
    return "would_drop" if row.verdict == DROP else "passed"


def summed(rows: Iterable[Row]) -> Sums:
    """The sums over some rows."""
    packets = {"passed": 0, "dropped": 0, "would_drop": 0, "": 0}
    samples = 0
    for row in rows:
        packets[action_of(row)] += row.packets
        samples += row.samples
    return Sums(packets["passed"], packets["dropped"], packets["would_drop"], samples)


def grouped(rows: Iterable[Row], key: Callable[[Row], GroupKey]) -> dict[GroupKey, list[Row]]:
    """The rows by what they have in common."""
    groups: dict[GroupKey, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


@dataclass(frozen=True)
class Evidence:
    """The rows that count for one component, and what is not known of them."""

    component: str
    rows: Sequence[Row]
    unknown: Sequence[str]

    def within(self, space: Ranges) -> Evidence:
        """The same evidence for the destinations in a space alone."""
        ranges = [(row, range_of(row.destination)) for row in self.rows]
        rows = [row for row, range_ in ranges if range_ and intersection([range_], space)]
        return Evidence(self.component, rows, self.unknown)

    def reasons(self) -> dict[str, int]:
        """The packets that were or would have been dropped, by reason."""
        dropping = [row for row in self.rows if action_of(row) in ("dropped", "would_drop")]
        groups = grouped(dropping, lambda row: row.reason or "unknown")
        packets = {reason: sum(row.packets for row in rows) for reason, rows in groups.items()}
        return dict(sorted(packets.items(), key=lambda item: (-item[1], item[0])))

    def advice(self) -> list[str]:
        """Advice about packets that would have been dropped, a sentence for each reason."""
        reasons = {row.reason for row in self.rows if action_of(row) == "would_drop"}
        advice = [text for reason, text in ADVICE.items() if reason in reasons]
        if any(reason.startswith(CHALLENGE) for reason in reasons):
            advice.append(CHALLENGED)
        return advice


CHALLENGED = "CHALLENGE: clients would be challenged; lower the sensitivities if they are your own."


def evidence_of(traffic: Traffic, component: str) -> Evidence:
    """The evidence of an account's traffic on one component."""
    name = node_of(component).name
    own = traffic.rows.get(name, ())
    rows = [row for row in own if action_of(row) == "passed" or concerns(component, row.reason)]
    unknown = list(traffic.unknown.get(name, ["The analytics were not asked."]))
    odd = sorted({f"{row.outcome}/{row.verdict}" for row in rows if not action_of(row)})
    malformed = sorted({row.destination for row in rows if range_of(row.destination) is None})
    if odd:
        unknown.append(f"Outcome and verdict are not understood: {first_few(odd)}.")
    if malformed:
        unknown.append(f"Destinations are not understood: {first_few(malformed)}.")
    if not rows and not unknown:
        unknown.append(NOTHING_SEEN)
    return Evidence(component, rows, unknown)


def traffic_record(
    traffic: Traffic, components: Sequence[str], prefixes: Sequence[str] | None
) -> TrafficRecord:
    """The traffic as results show it; networks are the prefixes, or else the subnets that traffic
    went to."""
    evidence = {component: evidence_of(traffic, component) for component in components}
    records = {name: component_record(own, prefixes) for name, own in evidence.items()}
    unknown = [reason for record in records.values() for reason in record["unknown"]]
    return TrafficRecord(
        since=write_timestamp(traffic.since),
        until=write_timestamp(traffic.until),
        known=all(record["known"] for record in records.values()),
        unknown=list(dict.fromkeys(unknown)),
        components=records,
    )


def top_record(heaviest: Heaviest) -> dict[str, Any]:
    """The heaviest traffic as results show it, the heaviest first."""
    unknown = list(dict.fromkeys(heaviest.unknown))
    lists = {
        name: [HeavyTraffic(value=value, packets=number) for value, number in values.items()]
        for name, values in heaviest.packets.items()
    }
    return {"known": not unknown, "unknown": unknown, **lists}


def component_record(evidence: Evidence, prefixes: Sequence[str] | None) -> ComponentTraffic:
    """The evidence of one component as results show it."""
    sums = summed(evidence.rows)
    few = bool(evidence.rows) and not sums.known
    unknown = [*evidence.unknown, *([too_few(sums.samples)] if few else [])]
    return ComponentTraffic(
        **sums.record(),
        sample_interval=sums.sample_interval,
        known=not unknown,
        unknown=unknown,
        reasons=evidence.reasons(),
        advice=evidence.advice(),
        networks=[
            network_record(network, rows, bool(evidence.unknown))
            for network, rows in by_network(evidence, prefixes).items()
        ],
    )


def by_network(evidence: Evidence, prefixes: Sequence[str] | None) -> Mapping[str, Sequence[Row]]:
    """The rows by prefix, or else by subnet; those that would lose most come first."""
    groups: dict[str, list[Row]] = grouped(evidence.rows, lambda row: row.destination)
    if prefixes is not None:
        spaces = {prefix: range_of(prefix) for prefix in prefixes}
        groups = {
            prefix: list(evidence.within([space] if space else []).rows)
            for prefix, space in spaces.items()
        }
    return dict(sorted(groups.items(), key=lambda item: -summed(item[1]).would_drop))


def network_record(network: str, rows: Sequence[Row], is_unknown: bool) -> NetworkTraffic:
    """One network as results show it; `data_centers` has the packets that would have been
    dropped."""
    sums = summed(rows)
    would_drop = [row for row in rows if action_of(row) == "would_drop"]
    by_data_center = sorted(grouped(would_drop, lambda row: row.data_center).items())
    return NetworkTraffic(
        network=network,
        **sums.record(),
        data_centers={name: sum(row.packets for row in own) for name, own in by_data_center},
        known=sums.known and not is_unknown,
    )


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
    events: Events = once(account.reader, name, lambda: _read_events(account, hours, client.now))
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
