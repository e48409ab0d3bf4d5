# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic of hosts in the report: as sentences and bars, and as samples of metrics.

Not known is never zero: what is not known has a sentence, and no sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from ...module_utils._protection.backtest import BacktestRecord
from ...module_utils._text import capitalised, first_few, plural
from .coverage import component_title
from .record import HostTraffic, SeenTraffic

FEW = 5  # networks of a component are shown to people
NARROWEST = 0.6  # percent of the bar: a share that is not zero can be seen


class BarPart(NamedTuple):
    """A part of a bar: its class in the style sheet, and how people call it."""

    sign: str
    words: str


# The keys are the labels of the metric.
PACKET_ACTIONS: Final[Mapping[str, BarPart]] = {
    "passed": BarPart("m", "passed"),
    "would_drop": BarPart("n", "would have been dropped"),
    "dropped": BarPart("x", "dropped"),
}
# Of the requests that a planned rule stops or may stop.
REQUEST_EFFECTS: Final[Mapping[str, BarPart]] = {
    "already": BarPart("x", "blocked already"),
    "requests": BarPart("n", "newly blocked or challenged"),
    "undecided": BarPart("u", "not known"),
}


def period(traffic: Mapping[str, Any]) -> str:
    """The time that the traffic covers, in words."""
    try:
        span = datetime.fromisoformat(traffic["until"]) - datetime.fromisoformat(traffic["since"])
    except (TypeError, ValueError):  # of a report that others made
        return f"{traffic['since']} to {traffic['until']}"
    return f"{span.total_seconds() / 3600:g} h until {traffic['until']}"


def _packet_numbers(seen: Mapping[str, Any], *actions: str) -> Iterator[str]:
    for action in actions:
        number = seen[f"{action}_packets"]
        if number or (number == 0 and "passed" in actions):
            yield f"{number:,} {PACKET_ACTIONS[action].words}"


def _would_drop_share(seen: Mapping[str, Any]) -> str:
    share = seen["would_drop_percent"]
    return f" ({share:g} % would have been)" if share else ""


def traffic_in_words(seen: SeenTraffic) -> str:
    """The traffic of a component, in a sentence or two."""
    numbers = ", ".join(_packet_numbers(seen, *PACKET_ACTIONS))
    sums = f"packets: {numbers}{_would_drop_share(seen)}." if numbers else ""
    unknown = " ".join(["Not all is known." if sums else "Not known.", *seen["unknown"]])
    return " ".join(filter(None, [sums, "" if seen["known"] else unknown]))


def networks_in_words(seen: SeenTraffic) -> Iterator[str]:
    """The networks that lost most, or would have, a sentence each."""
    for network in seen["networks"][:FEW]:
        numbers = ", ".join(_packet_numbers(network, "would_drop", "dropped"))
        yield f"{network['network']}: {numbers}{_would_drop_share(network)}"
    more = len(seen["networks"]) + seen["more_networks"] - FEW
    if more > 0:
        yield f"{plural(more, 'more network', 'more networks')} in report.json"


class ComponentTexts(NamedTuple):
    """The traffic of a component: its title, a sentence, its shares by class of the style sheet,
    and lines on networks and advice."""

    title: str
    words: str
    shares: Mapping[str, float]
    lines: list[str]


def component_texts(traffic: HostTraffic) -> Iterator[ComponentTexts]:
    """The texts of each component."""
    for name, seen in traffic["components"].items():
        lines = [*networks_in_words(seen), *seen["advice"]]
        title = capitalised(component_title(name))
        yield ComponentTexts(title, traffic_in_words(seen), _packet_shares(seen), lines)


def _packet_shares(seen: Mapping[str, Any]) -> dict[str, float]:
    """The percents of the packets; one that is not zero is wide enough to be seen."""
    numbers = {part.sign: seen[f"{name}_packets"] or 0 for name, part in PACKET_ACTIONS.items()}
    whole = sum(numbers.values())
    return {
        sign: max(NARROWEST, 100 * number / whole) for sign, number in numbers.items() if number
    }


def has_losses(traffic: HostTraffic | None) -> bool:
    """Return whether packets were dropped, would have been, or are not known."""
    seen = traffic["components"].values() if traffic else ()
    return any(
        not one["known"] or one["dropped_packets"] or one["would_drop_packets"] for one in seen
    )


def traffic_lines(traffic: HostTraffic | None) -> Iterator[str]:
    """The same in lines of text."""
    if traffic is not None:
        for texts in component_texts(traffic):
            yield f"{texts.title} in {period(traffic)}: {texts.words}"
            yield from texts.lines


def backtest_in_words(backtest: BacktestRecord) -> str:
    """A backtest in a sentence or two."""
    if backtest["requests"] is None:
        return " ".join(["Not known.", *backtest["unknown"]])
    numbers: Mapping[str, Any] = backtest
    named = {"newly_blocked": "newly be blocked or challenged", "newly_passed": "newly pass"}
    shares = {  # of what passes today, which may be nothing
        name: "" if numbers[name]["percent"] is None else f" ({numbers[name]['percent']:g} %)"
        for name in named
    }
    parts = [
        f"{numbers[name]['requests']:,}{shares[name]} would {words}"
        for name, words in named.items()
        if numbers[name]["requests"]
    ]
    if backtest["undecided"]["requests"]:
        fields = first_few(backtest["undecided"]["fields"])
        parts.append(f"{backtest['undecided']['requests']:,} are not known, without {fields}")
    whole = f"Of {backtest['requests']:,} requests, {', '.join(parts) or 'none changes'}."
    unknown = ["Not all is known.", *backtest["unknown"]] if backtest["unknown"] else []
    return " ".join([whole, *unknown])


def rule_texts(backtest: BacktestRecord) -> Iterator[ComponentTexts]:
    """The texts of each rule that would stop requests, or may."""
    idle = "stops none of them" if backtest["known"] else "not known"
    for rule in backtest["rules"]:
        numbers: Mapping[str, Any] = rule
        parts = [(part, numbers[name]) for name, part in REQUEST_EFFECTS.items() if numbers[name]]
        words = [f"{number:,} {part.words}" for part, number in parts]
        lines = [
            f"{', '.join(f'{name} {value}' for name, value in one.items() if name != 'requests')}:"
            f" {one['requests']:,}"
            for one in rule["examples"]
        ]
        shares = {part.sign: number for part, number in parts}
        yield ComponentTexts(rule["ref"], ", ".join(words) or idle, shares, lines)


def backtest_lines(backtest: BacktestRecord | None) -> Iterator[str]:
    """The same in lines of text."""
    if backtest is not None:
        yield backtest_in_words(backtest)
        for texts in rule_texts(backtest):
            yield "; ".join([f"{texts.title}: {texts.words}", *texts.lines])
