# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks that traffic passes which is stopped today, or is stopped which passes today."""

from __future__ import annotations

from itertools import chain
from typing import Iterable, Sequence

from ..._protection.traffic_changes import TrafficChange, TrafficChanges
from ..._protection.walk import STOPPED, UNKNOWN
from ..._schema.registry import BY_NAME
from ..._text import capitalised, first_few
from ..finding import Entry, FinderAnswer, entries_of
from ..risks.declaration import Limits
from ..risks.rules import BLOCKS_TRAFFIC, MAY_PASS_TRAFFIC, PASSES_TRAFFIC
from .base import Change, finds


@finds(BLOCKS_TRAFFIC)
def blocks_traffic(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that requests which pass today are blocked or challenged."""
    return change.backtest


@finds(PASSES_TRAFFIC)
def passes_traffic(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that traffic passes which is blocked or challenged today."""
    traffic = traffic_of(change)
    if limits[MAY_PASS_TRAFFIC] or traffic is None:
        return None
    passing = [passed for passed in traffic.passes if passed.family in (STOPPED, UNKNOWN)]
    return passing_traffic(change, passing, traffic.unknown)


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
