# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks that traffic passes which is stopped today, or is stopped which passes today."""

from __future__ import annotations

from itertools import chain
from typing import Iterable, Sequence

from ..._protection.traffic_changes import TrafficChange, TrafficChanges
from ..._protection.walk import CHECKED, COUNTED, SKIPPED, STOPPED, UNKNOWN
from ..._schema.registry import BY_NAME, DECIDING, EVALUATION
from ..._schema.resource import Resource
from ..._text import capitalised, first_few
from ..finding import Entry, FinderAnswer, entries_of
from ..risks.declaration import Limits
from ..risks.rules import BLOCKS_TRAFFIC, MAY_PASS_TRAFFIC, PASSES_TRAFFIC
from .base import Change, finds

DECIDING_NOTHING = [resource for resource in EVALUATION if resource not in DECIDING]


@finds(BLOCKS_TRAFFIC)
def blocks_traffic(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that requests which pass today are blocked or challenged."""
    return change.backtest


@finds(PASSES_TRAFFIC)
def passes_traffic(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that traffic passes which is blocked or challenged today, or may be by what it
    newly skips."""
    traffic = traffic_of(change)
    if limits[MAY_PASS_TRAFFIC] or traffic is None:
        return None
    passing = [passed for passed in traffic.passes if _may_be_stopped_today(passed)]
    return passing_traffic(change, passing, traffic.unknown)


def _may_be_stopped_today(passed: TrafficChange) -> bool:
    """Return whether traffic that passes is stopped today, or may be by rules or products that a
    rule newly takes it past. That these themselves stop less is another risk."""
    if passed.family in (STOPPED, UNKNOWN):
        return True
    is_skip = passed.family in (COUNTED, CHECKED, SKIPPED) and not passed.is_softer
    return is_skip and not is_due_alone(passed, DECIDING_NOTHING)


def is_due_alone(passed: TrafficChange, resources: Iterable[Resource]) -> bool:
    """Return whether objects of these resources are the only reason why traffic passes."""
    names = {resource.name for resource in resources}
    return all(source.resource in names for source in passed.sources)


def traffic_of(change: Change) -> TrafficChanges | None:
    """The traffic that a plan treats differently; None for a task without rules."""
    return change.traffic.changes if change.traffic else None


def passing_traffic(
    change: Change, passing: Sequence[TrafficChange], unknown: Iterable[str] = ()
) -> FinderAnswer:
    """The risk that some traffic passes, or that this is not known, for the reasons in `unknown`;
    None if there is neither.
    """
    reasons = [passed.sentence for passed in passing]
    reasons += [f"it is not known whether more passes ({reason})" for reason in unknown]
    if not reasons:
        return None
    sources = dict.fromkeys(chain.from_iterable(passed.sources for passed in passing))
    entries = [Entry(BY_NAME[one.resource], (one.key,), one.key) for one in sources]
    return f"{capitalised(first_few(reasons))}.", [], entries or entries_of(change.plan.operations)
