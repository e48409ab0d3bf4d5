# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic of hosts in the report: out of the result of protection_traffic_info, as sentences,
and as samples of metrics.

Not known is never zero: what is not known has a sentence, and no sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import KINDS
from ansible_collections.edgeops.protection.plugins.module_utils._text import capitalised, plural
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import (
    ComponentTraffic,
    NetworkTraffic,
    TrafficRecord,
)
from jinja2 import Environment, Template
from markupsafe import Markup

from .._baseline.variables import ACCOUNT, Part, connection_options
from .coverage import component_title
from .record import HostTraffic, SeenTraffic, misfit

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


SIGNS: Final = {"passed": "m", "would_drop": "n", "dropped": "x"}  # classes of the style sheet
NARROWEST = 0.6  # percent of the bar: a share that is not zero can be seen


@lru_cache(maxsize=1)
def _template() -> Template:
    path = Path(__file__).parent / "page" / "traffic.html.j2"
    return Environment(autoescape=True).from_string(path.read_text(encoding="utf-8"))


def traffic_part(traffic: HostTraffic | None) -> Markup:
    """The part of a host's details, empty where nobody asked for its traffic."""
    if traffic is None:
        return Markup("")
    components = [
        {
            "title": title,
            "bar": Markup(_bar(seen)),
            "words": words,
            "networks": list(networks_in_words(seen)),
            "advice": seen["advice"],
        }
        for title, words, seen in sentences(traffic)
    ]
    legend = [(SIGNS[name], words) for name, words in ACTIONS.items()]
    page = _template().render(period=period(traffic), components=components, legend=legend)
    return Markup(page)


def _bar(seen: SeenTraffic) -> str:
    """Passed, would have been dropped, dropped; it is made of numbers alone, and the words beside
    it say the same."""
    numbers = {name: packets(seen, name) or 0 for name in ACTIONS}
    whole = sum(numbers.values())
    if not whole:
        return ""
    shares = {
        name: max(NARROWEST, 100 * number / whole) for name, number in numbers.items() if number
    }
    scale, position, rectangles = 100 / sum(shares.values()), 0.0, []
    for name, share in shares.items():
        width = share * scale
        rectangles.append(
            f'<rect class="{SIGNS[name]}" x="{position:.4g}%" width="{width:.4g}%" height="100%"/>'
        )
        position += width
    return f'<svg class="bar" aria-hidden="true">{"".join(rectangles)}</svg>'


def traffic_lines(traffic: HostTraffic | None) -> Iterator[str]:
    """The same in lines of text."""
    if traffic is None:
        return
    for title, words, seen in sentences(traffic):
        yield f"{title} in {period(traffic)}: {words}"
        yield from networks_in_words(seen)
        yield from seen["advice"]


TRAFFIC_HOURS = "report_traffic_hours"  # the variable


def traffic_task(parts: Sequence[Part], hours: Any) -> Part | None:
    """The module that asks for so many hours of a host's traffic; None for no hours, and for a host
    without an account.

    DNS protection counts if the baseline describes it. Raises ValueError for what is not a number.
    """
    account = next((part for part in parts if part.module == ACCOUNT), None)
    number = _number(hours)
    if account is None or not number:
        return None
    components = [*KINDS, *(["dns"] if account.options.get("dns_rules") else [])]
    options = {**connection_options(account), "hours": number, "components": components}
    names = {**account.names, "hours": TRAFFIC_HOURS}
    return Part(MODULE, options, account.context._replace(names=names))


def _number(hours: Any) -> float:
    """The hours, 0 for none at all."""
    if hours is None or hours == "":
        return 0.0
    try:
        return float(hours)
    except (TypeError, ValueError) as exc:
        raise ValueError(f"{TRAFFIC_HOURS}: {hours!r} is not a number of hours.") from exc
