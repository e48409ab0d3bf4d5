# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The flows of an account, and what the analytics tell of them: chosen, grouped, ordered, summed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from ipaddress import ip_network
from typing import Any

from .clock import Clock, timestamp

Flow = dict[str, Any]

NODES = {
    "tcp": "advancedTcpProtectionNetworkAnalyticsAdaptiveGroups",
    "dns": "advancedDnsProtectionNetworkAnalyticsAdaptiveGroups",
    "events": "firewallEventsAdaptiveGroups",
    "requests": "httpRequestsAdaptiveGroups",
    "packets": "magicTransitNetworkAnalyticsAdaptiveGroups",
    "firewall": "magicFirewallNetworkAnalyticsAdaptiveGroups",
}
DAY = 24 * 60 * 60
SETTINGS = {
    "enabled": True,
    "notOlderThan": 90 * DAY,
    "maxDuration": 90 * DAY,
    "maxPageSize": 10000,
    "maxNumberOfFields": 50,
    "availableFields": ["sum_packets", "sum_bits"],
}
DEFAULTS = {
    "outcome": "pass",
    "verdict": "pass",
    "mitigationReason": "",
    "coloCode": "FRA",
    "packets": 1000,
    "bits": 0,
    "sampleInterval": 1,
    "ipSourceAddress": "198.51.100.7",
    "sourceAsn": 64500,
    "sourceCountry": "DE",
    "destinationPort": 443,
}
STEADY, HOUR = "steady", "datetimeHour"
DELAY = "delay"  # of the settings of a node, and no field of them: seconds until the analytics show a flow
MINUTES = {"datetimeMinute": 1, "datetimeFiveMinutes": 5, "datetimeFifteenMinutes": 15}
SUBNET_LENGTHS = {4: 24, 6: 64}
LEVEL = 1.96  # standard deviations on each side of an estimate, at a level of 0.95

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "neq": operator.ne,
    "gt": operator.gt,
    "geq": operator.ge,
    "lt": operator.lt,
    "leq": operator.le,
    "in": lambda value, listed: value in listed,
    "notin": lambda value, listed: value not in listed,
    "like": lambda value, pattern: fnmatchcase(value, pattern.replace("%", "*")),
    "notlike": lambda value, pattern: not fnmatchcase(value, pattern.replace("%", "*")),
}


def flow(fields: Flow, clock: Clock) -> Flow:
    """A whole flow: the dimensions that the fields give, and the others at their defaults.

    `hours_ago` may stand for `datetime`; without either, it was half an hour ago, and by hours it is as much in each
    hour that is asked for. `node` is tcp or dns.
    """
    fields = dict(fields)
    is_steady = fields.keys().isdisjoint(("datetime", "hours_ago"))
    moment = clock.now() - timedelta(hours=fields.pop("hours_ago", 0.5))
    network = ip_network(fields["ipDestinationAddress"])
    source = ip_network(fields.get("ipSourceAddress", DEFAULTS["ipSourceAddress"]))
    subnet, source_subnet = (each.supernet(new_prefix=SUBNET_LENGTHS[each.version]) for each in (network, source))
    return {
        "node": "tcp",
        "datetime": timestamp(moment),
        STEADY: is_steady,
        "ipDestinationSubnet": str(subnet),
        "ipSourceSubnet": str(source_subnet),
        **DEFAULTS,
        **{name: timestamp(value) if isinstance(value, datetime) else value for name, value in fields.items()},
    }


EVENT = {"ruleId": "", "action": "block", "source": "firewallcustom"}
REQUEST = {"requestSource": "eyeball", "clientRequestPath": "/", "botScore": 0}


def counted(node: str, defaults: Flow, fields: Flow, clock: Clock) -> Flow:
    """Events of a rule, or requests: `count` of them, as many of which are seen as `sampleInterval` says; `hours_ago` as of flows."""
    fields = dict(fields)
    is_steady = fields.keys().isdisjoint(("datetime", "hours_ago"))
    moment = clock.now() - timedelta(hours=fields.pop("hours_ago", 0.5))
    whole = {"datetime": timestamp(moment), STEADY: is_steady, **defaults, **fields}
    whole["datetime"] = timestamp(moment_of(whole["datetime"]))
    return {"node": node, "sampleInterval": 1, "bits": 0, "packets": whole.pop("count", 1), **whole}


def event(fields: Flow, clock: Clock) -> Flow:
    return counted("events", EVENT, fields, clock)


def past_request(fields: Flow, clock: Clock) -> Flow:
    return counted("requests", REQUEST, fields, clock)


def moment_of(text: Any) -> datetime:
    """The moment of a flow or of a filter."""
    return datetime.fromisoformat(str(text).replace("Z", "+00:00"))


def matches(row: Flow, conditions: Mapping[str, Any]) -> bool:
    """Whether a flow meets a filter, by the names of its fields."""
    return all(_meets(row, name, wanted) for name, wanted in conditions.items())


def _meets(row: Flow, name: str, wanted: Any) -> bool:
    if name == "AND":
        return all(matches(row, part) for part in wanted)
    if name == "OR":
        return any(matches(row, part) for part in wanted)
    dimension, dummy, comparison = name.partition("_")
    value = row.get(dimension, "")
    if dimension == "datetime":
        value, wanted = moment_of(value), moment_of(wanted)
    return bool(COMPARISONS[comparison](value, wanted)) if comparison else bool(value == wanted)


def by_hours(flows: Iterable[Flow], conditions: Mapping[str, Any]) -> list[Flow]:
    """The flows with their hours; a steady one is one of each hour that is asked for."""
    since, until = (moment_of(conditions[name]) for name in ("datetime_geq", "datetime_lt"))
    first = since.replace(minute=0, second=0, microsecond=0)
    hours = [first + timedelta(hours=number) for number in range(math.ceil((until - first) / timedelta(hours=1)))]
    parts = []
    for each in flows:
        own = [moment_of(each["datetime"]).replace(minute=0, second=0, microsecond=0)]
        for hour in hours if each.get(STEADY) else own:
            packets = max(1, each["packets"] // len(hours)) if each.get(STEADY) else each["packets"]
            parts.append({**each, "packets": packets, HOUR: timestamp(hour)})
    return parts


def arrived(flows: Iterable[Flow], delay: float, now: datetime) -> list[Flow]:
    """The flows that the analytics show by now, each with its minutes; what is as much in each hour is there at once."""
    latest = now - timedelta(seconds=delay)
    shown = [each for each in flows if each.get(STEADY) or moment_of(each["datetime"]) <= latest]
    return [{**each, **_times(moment_of(each["datetime"]))} for each in shown]


def _times(moment: datetime) -> Flow:
    """A moment by its dimensions, each the beginning of so many minutes."""
    hour = moment.replace(minute=0, second=0, microsecond=0)
    return {name: timestamp(moment - (moment - hour) % timedelta(minutes=minutes)) for name, minutes in MINUTES.items()}


def groups(flows: Iterable[Flow], dimensions: Sequence[str], order: Sequence[str], limit: int) -> list[Flow]:
    """The flows as rows with sums, one for each combination of the dimensions."""
    by_key: dict[tuple[Any, ...], list[Flow]] = {}
    for each in flows:
        by_key.setdefault(tuple(each.get(name, "") for name in dimensions), []).append(each)
    rows = [_row(dict(zip(dimensions, key, strict=True)), members) for key, members in by_key.items()]
    for item in reversed(order):
        name, dummy, direction = item.rpartition("_")
        rows.sort(key=lambda row, name=name: _sort_key(row, name), reverse=direction == "DESC")  # type: ignore[misc]
    return rows[:limit]


def _sort_key(row: Flow, name: str) -> Any:
    part, dummy, field = name.partition("_")
    return row[part][field] if field else row["count"] if name == "count" else row["dimensions"][name]


def _row(dimensions: Flow, members: Sequence[Flow]) -> Flow:
    sums = {name: sum(member[name] for member in members) for name in ("packets", "bits")}
    samples = sum(max(1, member["packets"] // member["sampleInterval"]) for member in members)

    def confidence(_info: Any, level: float) -> Flow:
        estimates = {name: _estimate(value, samples) for name, value in sums.items()}
        return {"level": level, "sum": estimates, "count": estimates["packets"]}

    return {"dimensions": dimensions, "sum": sums, "count": sums["packets"], "confidence": confidence}


def _estimate(value: int, samples: int) -> Flow:
    margin = LEVEL * value / math.sqrt(samples)
    return {
        "estimate": value,
        "lower": max(0, value - margin),
        "upper": value + margin,
        "sampleSize": samples,
        "isValid": samples > 0,
    }
