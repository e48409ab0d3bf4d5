# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables, and docs/performance.md around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .measure import Measured
from .processes import REPOSITORY

PAGE = REPOSITORY / "docs" / "performance.md"

TEXT = """\
# Performance

`make bench` compares the collection with other ways to do the same work, and writes this page:

```console
$ make bench
```

## Ratios

{summary}

{table}

A ratio says how long this collection takes, as a part of what the other way takes: with 0.5 it takes half as long. It
is the median of {runs} rounds, or of a single one where a round takes minutes; the span is from the lowest to the
highest. In a round each way runs once, one after the other, and every other round goes through them backwards. "10 x"
means that the other way was run for a tenth of the work and counted ten times. Memory is that of the largest process
of `ansible-playbook`, in MiB above the other way's. What is in seconds is what the work takes more than the other way.

- A run is a whole `ansible-playbook`, with Ansible's default settings and a local connection. A play without
  tasks runs in each round too, and the median of its time is taken off. What takes little is done several times in a
  run, for another account each time.
- Where nothing is to do, what is measured is one *more* task: a play with several of them less a play with one. What
  a play pays once, for loading the collection and what it is built on, is in the line about the first task.
- The script on requests is a whole process too, from the start of its Python to its end, and does its work for one
  account. It compares the existing with the desired state, and checks nothing else.
- The noop action is an action plugin that does nothing: no task takes less.
- The module on the vendor's SDK only reads.
- The service is the [local one](local_service.md), in a process of its own. It keeps the entries in memory, and answers
  as late as the line says. It does not check requests in these runs, because that takes longer than answering.
- Under the rate limit, the service takes 120 calls in 6 s, in place of 1,200 in 300 s, and refuses everybody who makes
  more. A run in which it refuses a call counts as failed. In shorter windows, it would be the processors' time that
  decides. The time is from the first to the last call that the service saw: before the first one, Ansible validates the
  variables of all hosts, which takes as long where windows last 300 s, and is little there. The least time is that of the
  windows which the calls need: a run needs the first calls of its last window only at once.
  [The call budget](call_budget.md) lets the calls go.
- Planning and the report are measured by the processor's time of a process of their own. Of the prefixes, one in a
  hundred is new, one changes and one goes; the hosts of the report have every status in turn.

## Coverage

Before a task applies a plan, it computes [the coverage before and after](coverage.md). These are the seconds that this
takes if every exclusion moves:

{coverage}

## The machine

{machine}

Other machines have other seconds, and much the same ratios. For orientation, the medians of the seconds here:

{seconds}
"""


def ratios(results: Sequence[Measured]) -> list[str]:
    """The table of ratios, line by line."""
    return [
        "| work | against | ratio | span | limit | met |",
        "|---|---|---|---|---|---|",
        *(
            f"| {work(item)} | {against(item)} | {value(item, item.median)} "
            f"| {value(item, min(item.values))} to {value(item, max(item.values))} "
            f"| {'' if item.row.at_most is None else limit(item)} | {met(item)} |"
            for item in results
        ),
    ]


def work(item: Measured) -> str:
    return item.row.work + (", peak memory" if item.row.memory else "")


def against(item: Measured) -> str:
    times = item.row.times
    return f"{times:g} x {item.row.against}" if times != 1 else item.row.against


def value(item: Measured, number: float) -> str:
    """A ratio with two digits that say something, MiB, or seconds."""
    if item.row.memory:
        return f"{number:+.0f} MiB"
    if item.row.added:
        return f"{number:+.1f} s"
    return f"{number:.2g}" if abs(number) < 10 else f"{number:.0f}"


def limit(item: Measured) -> str:
    if item.row.added:
        return f"+{item.row.at_most:g} s"
    return f"+{item.row.at_most:g} MiB" if item.row.memory else f"{item.row.at_most:g}"


def met(item: Measured) -> str:
    return "" if item.row.at_most is None else "yes" if item.met else "no"


def seconds(results: Sequence[Measured]) -> list[str]:
    """What the ratios were made of."""
    rows = [
        f"| {item.row.work} | {against(item)} | {item.seconds[0]:.3g} | {item.seconds[1]:.3g} |"
        for item in results
        if not item.row.memory
    ]
    return ["| work | against | this collection | the other way |", "|---|---|---|---|", *rows]


def summary(results: Sequence[Measured]) -> str:
    """How many of the limits are met."""
    limited = [item for item in results if item.row.at_most is not None]
    return f"{sum(item.met for item in limited)} of {len(limited)} limits are met."


def page(results: Sequence[Measured], runs: int, coverage: Sequence[str], machine: Mapping[str, str]) -> str:
    """The whole page."""
    return TEXT.format(
        summary=summary(results),
        table="\n".join(ratios(results)),
        runs=runs,
        coverage="\n".join(coverage),
        machine="\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in machine.items())]),
        seconds="\n".join(seconds(results)),
    )


def write(text: str, path: Path = PAGE) -> None:
    path.write_text(text, encoding="utf-8")
