# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ways to do a piece of work, run in turns, and what their ratios are.

pyperf measures one command after the other. Here a ratio is made of runs that follow each other, so that what else the
machine does meets both, and a run is more than a command: it prepares the service and checks its state afterwards.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

EMPTY = "an empty play"
MIB = 2**20


@dataclass(frozen=True)
class Taken:
    """What one run took: seconds, the peak memory, in bytes, of the largest of its processes, the processors' seconds,
    and the calls of the service."""

    seconds: float
    peak: int = 0
    processor: float = 0.0
    calls: int = 0


@dataclass(frozen=True)
class Way:
    """One way to do a piece of work.

    A run does it `parts` times over; with `in_play` the run is a playbook's, whose start is no part of the work.
    """

    run: Callable[[], Taken]
    parts: int = 1
    in_play: bool = False

    def share(self, taken: Taken, start: float) -> Taken:
        """What one part took; of a play, without the seconds of its start."""
        seconds = taken.seconds - (start if self.in_play else 0.0)
        return replace(taken, seconds=seconds / self.parts, processor=taken.processor / self.parts)


def by_processor(way: Way) -> Way:
    """The way with the seconds of the processors, which other programs on the machine change little."""

    def run() -> Taken:
        taken = way.run()
        return replace(taken, seconds=taken.processor)

    return replace(way, run=run)


@dataclass(frozen=True)
class Row:
    """A line of the table: our way, called by the work it does, against another, `times` of which make the same work.

    docs/performance.md has those that are `chief`, the unfavourable ones among them; the page of the details has all.
    """

    work: str
    against: str
    at_most: float
    times: float = 1
    unit: str = ""  # of what is needed more: MiB, calls or s; empty for a ratio
    of_processors: bool = False  # the ratio is that of the processors' seconds
    chief: bool = False

    def value(self, taken: Mapping[str, Taken]) -> float:
        """The ratio of the seconds, or the MiB of memory or the seconds that are needed more."""
        one, other = taken[self.work], taken[self.against]
        if self.unit == "MiB":
            return (one.peak - other.peak) / MIB
        if self.unit == "calls":
            return one.calls - other.calls
        if self.unit == "s":
            return one.seconds - other.seconds
        return self.seconds(one) / (self.seconds(other) * self.times)

    def seconds(self, taken: Taken) -> float:
        """The seconds that count: those on the clock, or those of the processors."""
        return taken.processor if self.of_processors else taken.seconds


@dataclass(frozen=True)
class Case:
    """Ways that are measured together, and the lines that come of it.

    What takes minutes is measured in at most `rounds` rounds.
    """

    name: str
    ways: Mapping[str, Way]
    rows: Sequence[Row]
    rounds: int | None = None


@dataclass(frozen=True)
class Measured:
    """A line of the table with its value in every round, and the seconds of its ways."""

    row: Row
    values: Sequence[float]
    seconds: tuple[float, float] = (0.0, 0.0)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def met(self) -> bool:
        return self.median <= self.row.at_most


def measured(case: Case, runs: int) -> list[Measured]:
    """Run all ways of a case in turns, so often, every other time in the opposite order."""
    rounds: list[Mapping[str, Taken]] = []
    names = list(case.ways)
    for number in range(min(runs, case.rounds or runs)):
        taken = {name: case.ways[name].run() for name in (reversed(names) if number % 2 else names)}
        rounds.append(taken)
    start = statistics.median(taken[EMPTY].seconds for taken in rounds) if EMPTY in names else 0.0
    shares = [{name: case.ways[name].share(taken[name], start) for name in names} for taken in rounds]
    return [lines(row, shares) for row in case.rows]


def lines(row: Row, rounds: Sequence[Mapping[str, Taken]]) -> Measured:
    seconds = [statistics.median(row.seconds(taken[name]) for taken in rounds) for name in (row.work, row.against)]
    return Measured(row, [row.value(taken) for taken in rounds], (seconds[0], seconds[1] * row.times))
