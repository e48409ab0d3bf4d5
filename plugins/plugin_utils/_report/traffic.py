# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic of hosts in the report: out of the result of protection_traffic_info, as sentences,
and as samples of metrics.

Not known is never zero: what is not known has a sentence, and no sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from ansible_collections.edgeops.protection.plugins.module_utils._text import capitalised, plural
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import (
    ComponentTraffic,
    NetworkTraffic,
    TrafficRecord,
)

from .coverage import component_title
from .record import HostTraffic, SeenTraffic
from .shapes import misfit

MODULE: Final = "protection_traffic_info"
MAX_NETWORKS = 100  # of a component are in report.json
FEW = 5  # of them are shown to people

# How people call what became of packets; the keys are the labels of the metric.
ACTIONS: Final[Mapping[str, str]] = {
    "passed": "passed",
    "would_drop": "would have been dropped",
    "dropped": "dropped",
}


def read_traffic(result: Mapping[str, Any] | None) -> HostTraffic | None:
    """The traffic in a result of protection_traffic_info, None for no result or a failed one.

    Of the networks those that lost packets, or would have. Raises ValueError for another shape.
    """
    if result is None or result.get("failed") or result.get("skipped"):
        return None
    traffic = result.get("traffic")
    wrong = misfit(TrafficRecord, traffic, "traffic")
    if wrong or not isinstance(traffic, Mapping):
        raise ValueError(f"{wrong or 'traffic'} is missing or has another type")
    components = {name: _seen(record) for name, record in traffic["components"].items()}
    return HostTraffic(
        since=traffic["since"],
        until=traffic["until"],
        known=traffic["known"],
        unknown=traffic["unknown"],
        components=components,
    )


def _seen(record: ComponentTraffic) -> SeenTraffic:
    losing = [network for network in record["networks"] if _loses(network)]
    more = max(0, len(losing) - MAX_NETWORKS)
    return {**record, "networks": losing[:MAX_NETWORKS], "more_networks": more}


def _loses(network: NetworkTraffic) -> bool:
    return bool(network["dropped_packets"] or network["would_drop_packets"])


def packet_samples(hosts: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, str], float]]:
    """Packets by host, component and action, of components that are known."""
    for labels, seen in _components(hosts):
        for action in ACTIONS if seen["known"] else ():
            number = packets(seen, action)
            if number is not None:
                yield {**labels, "action": action}, number


def known_samples(hosts: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, str], float]]:
    """By host and component, whether its traffic is known."""
    for labels, seen in _components(hosts):
        yield labels, float(seen["known"])


def _components(
    hosts: Iterable[Mapping[str, Any]],
) -> Iterator[tuple[Mapping[str, str], SeenTraffic]]:
    for record in hosts:
        for name, seen in (record["traffic"] or {"components": {}})["components"].items():
            yield {"host": record["host"], "component": name}, seen


def packets(seen: ComponentTraffic | NetworkTraffic, action: str) -> int | None:
    """The packets of an action; None where that is not known."""
    numbers: Mapping[str, Any] = seen
    number: int | None = numbers[f"{action}_packets"]
    return number


def period(traffic: HostTraffic) -> str:
    """The time that the traffic covers, in words."""
    try:
        span = datetime.fromisoformat(traffic["until"]) - datetime.fromisoformat(traffic["since"])
    except (TypeError, ValueError):  # of a report that others made
        return f"{traffic['since']} to {traffic['until']}"
    return f"{span.total_seconds() / 3600:g} h until {traffic['until']}"


def in_words(seen: SeenTraffic) -> str:
    """What one component saw, in a sentence or two."""
    numbers = [
        f"{number:,} {words}"
        for number, words in ((packets(seen, name), words) for name, words in ACTIONS.items())
        if number is not None
    ]
    share = seen["would_drop_percent"]
    percent = f" ({share:g} % would have been)" if share else ""
    sums = f"packets: {', '.join(numbers)}{percent}." if numbers else ""
    unknown = " ".join(["Not all is known." if sums else "Not known.", *seen["unknown"]])
    return " ".join(filter(None, [sums, "" if seen["known"] else unknown]))


def networks_in_words(seen: SeenTraffic) -> Iterator[str]:
    """The networks that lost most, or would have, a sentence each."""
    for network in seen["networks"][:FEW]:
        numbers = [
            f"{number:,} {words}"
            for number, words in (
                (packets(network, "would_drop"), ACTIONS["would_drop"]),
                (packets(network, "dropped"), ACTIONS["dropped"]),
            )
            if number
        ]
        share = network["would_drop_percent"]
        percent = f" ({share:g} % would have been)" if share else ""
        yield f"{network['network']}: {', '.join(numbers)}{percent}"
    more = len(seen["networks"]) + seen["more_networks"] - FEW
    if more > 0:
        yield f"{plural(more, 'more network', 'more networks')} in report.json"


def sentences(traffic: HostTraffic) -> Iterator[tuple[str, str, SeenTraffic]]:
    """By component its title, what it saw, and the record."""
    for name, seen in traffic["components"].items():
        yield capitalised(component_title(name)), in_words(seen), seen
