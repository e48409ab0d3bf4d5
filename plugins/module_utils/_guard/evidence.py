# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Evidence before mitigation: whether the traffic speaks for enabling a rule or filter.

Network by network, so that a small one is not hidden by a large one. Not known counts as too much.
"""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

from .._coverage.deciding import Decided
from .._errors import OptionError, OptionProblems
from .._schema.resource import OptionSpec
from .._text import Option, first_few, plural
from .._traffic.evidence import Evidence, Sums, grouped, summed, too_few
from .._traffic.rows import Row
from .._values.address_set import (
    INSIDE,
    Range,
    Ranges,
    intersection,
    networks,
    position_in,
    range_of,
    subnet_of,
    union,
)
from .enabling import Verdict, not_known

HIGHEST_HOURS = 24 * 90  # which no account keeps its analytics for
OPTION = Option("rollout_evidence")
ROLLOUT_EVIDENCE: OptionSpec = {
    "rollout_evidence": {
        "type": "dict",
        "options": {
            "hours": {"type": "float", "default": 24.0},
            "max_would_drop_percent": {"type": "float", "default": 0.1},
            "max_would_drop_packets": {"type": "int"},
        },
    }
}


class EvidenceLimits(NamedTuple):
    """What a task asks of the traffic: for how many hours, and how much of it may be lost."""

    hours: float
    max_percent: float
    max_packets: int | None

    @property
    def time(self) -> timedelta:
        """How far to look back, and how long an object monitors at least."""
        return timedelta(hours=self.hours)

    def exceeded(self, sums: Sums) -> bool:
        """Whether too much would have been dropped."""
        share = 100 * sums.would_drop > Fraction(str(self.max_percent)) * sums.total
        return share or (self.max_packets is not None and sums.would_drop > self.max_packets)

    @property
    def allowed(self) -> str:
        """The limits, in a sentence."""
        packets = (
            f" and {plural(self.max_packets, 'packet', 'packets')}"
            if self.max_packets is not None
            else ""
        )
        return f"{self.max_percent:g} %{packets}"


def parse_evidence(options: Mapping[str, Any]) -> EvidenceLimits | None:
    """What the option says, None where a task does not ask; raises OptionError."""
    chosen = options.get("rollout_evidence")
    if chosen is None:
        return None
    hours, percent = chosen["hours"], chosen["max_would_drop_percent"]
    packets = chosen["max_would_drop_packets"]
    checks = {
        "hours": (hours, 0 < hours <= HIGHEST_HOURS, f"above 0 and at most {HIGHEST_HOURS}"),
        "max_would_drop_percent": (percent, 0 <= percent <= 100, "between 0 and 100"),
        "max_would_drop_packets": (packets, packets is None or packets >= 0, "0 or more"),
    }
    problems = OptionProblems()
    for name, (value, fits, bounds) in checks.items():
        with problems.collected():
            if not fits:
                raise OptionError(OPTION.at(name), f"{value} is not {bounds}")
    problems.raise_any()
    return EvidenceLimits(hours, percent, packets)


class Share(NamedTuple):
    """What would be lost of the traffic to one network."""

    ranges: Ranges
    sums: Sums

    @property
    def percent(self) -> float:
        """Of a hundred packets."""
        return self.sums.percent or 0.0


def judge(decided: Decided, evidence: Evidence, limits: EvidenceLimits) -> Verdict:
    """Whether the traffic to each network that an object decides for lost no more than allowed."""
    space = decided.space
    if not space:
        return not_known("It decides for no protected address.", [])
    rows = [row for row in evidence.rows if _is_decided(row, decided, space)]
    shares = [*_by_prefix(rows, decided), *_by_subnet(rows, decided, space)]
    exceeding = [share for share in shares if limits.exceeded(share.sums)]
    sums = summed(rows)
    advice = Evidence(evidence.component, rows, ()).advice()
    if exceeding:
        worst = max(exceeding, key=lambda share: share.percent)
        ranges = union(item for share in exceeding for item in share.ranges)
        message = _too_much(worst, ranges, limits)
        return Verdict("evidence", message, worst.percent, sums.would_drop, ranges, advice)
    thin = [share for share in _by_prefix(rows, decided) if not share.sums.known]
    if evidence.unknown or thin:
        ranges = space if evidence.unknown else union(item for one in thin for item in one.ranges)
        return not_known(" ".join([*evidence.unknown, *_too_thin(thin)]), ranges)
    percent = max(share.percent for share in shares)
    return Verdict("", "", percent, sums.would_drop, [], advice)


def _is_decided(row: Row, decided: Decided, space: Ranges) -> bool:
    destination = range_of(row.destination)
    is_inside = destination is not None and position_in(destination, space) == INSIDE
    return is_inside and decided.holds(row.data_center)


def _by_prefix(rows: Iterable[Row], decided: Decided) -> list[Share]:
    """By protected prefix, those without traffic as well."""
    prefixes = [prefix for prefix, _ranges in decided.networks]
    groups = grouped(rows, lambda row: _holder(row, prefixes))
    return [Share(ranges, summed(groups.get(prefix, ()))) for prefix, ranges in decided.networks]


def _holder(row: Row, prefixes: Sequence[Range]) -> Range | None:
    """The prefix that a row's destination lies in; they are disjoint and in order."""
    (first, _last), low, high = range_of(row.destination) or (0, 0), 0, len(prefixes)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if prefixes[middle][0] > first else (middle + 1, high)
    return prefixes[low - 1] if low else None


def _by_subnet(rows: Iterable[Row], decided: Decided, space: Ranges) -> list[Share]:
    """By subnet; by data center too, where it is not known which of them are concerned."""

    def key(row: Row) -> tuple[Range, str]:
        destination = range_of(row.destination) or (0, 0)
        return subnet_of(destination), row.data_center if decided.in_region else ""

    return [
        Share(intersection([subnet], space), summed(group))
        for (subnet, _data_center), group in grouped(rows, key).items()
    ]


def _too_much(worst: Share, ranges: Ranges, limits: EvidenceLimits) -> str:
    named, every = networks(worst.ranges), networks(ranges)
    more = len(every) - len(named)
    networks_more = plural(more, "more network", "more networks")
    others = f" (and too many to {networks_more})" if more > 0 else ""
    return (
        f"Within {limits.hours:g} h, {worst.percent:g} % of the packets to {first_few(named)}"
        f" would have been dropped, {plural(worst.sums.would_drop, 'packet', 'packets')}{others};"
        f" {limits.allowed} may be."
    )


def _too_thin(thin: Sequence[Share]) -> list[str]:
    """The prefixes of whose traffic too little was seen, a sentence."""
    if not thin:
        return []
    silent = [text for share in thin if not share.sums.samples for text in networks(share.ranges)]
    few = [share for share in thin if share.sums.samples]
    sentences = [f"The analytics saw no traffic to {first_few(silent)}."] if silent else []
    return sentences + [
        f"{too_few(share.sums.samples).rstrip('.')}, to {first_few(networks(share.ranges))}."
        for share in few[:3]
    ]
