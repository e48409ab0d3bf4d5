# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects that protect less than described: those by which traffic passes that the described
state stops.

A rule of another name, or one that is cut otherwise, opens nothing, and is none of them.
"""

from __future__ import annotations

from typing import Any, Iterable, Iterator

from .._schema.lists import LISTS
from .._schema.registry import DDOS_OVERRIDES, EVALUATION, MANAGED
from .._schema.resource import State
from .coverage import Coverage
from .modes import Loss
from .overrides import DOUBTED, unlike_described
from .traffic_changes import Source, TrafficChange, TrafficChanges
from .walk import UNKNOWN
from .worse import worse

LEVELS = [managed.resource for managed in MANAGED if managed.resource.levels]
MAY_PASS = "may let traffic pass that is stopped under the baseline"
COMPARED = (*EVALUATION, LISTS, *LEVELS, *DDOS_OVERRIDES)


def weaker_records(
    existing: State, described: State, traffic: TrafficChanges
) -> list[dict[str, Any]]:
    """Records of the rules, lists, levels and overrides that protect less in an `existing` state
    than in a `described` one; `traffic` contains the changes from the existing state to the
    described one."""
    if existing == described:
        return []
    losses = [*worse(Coverage(described), Coverage(existing), *COMPARED)]
    opened = traffic.reversed
    told = _opening_losses(losses, described, existing, opened)
    further: list[dict[str, Any]] = []
    for change in opened.passes:
        if _is_untold(change.sources, told):
            beside = _losses_beside(change, losses)
            told += beside
            if not beside:
                source = change.sources[0]
                further.append(_weaker_record(source, change.certain, change.predicate))
    for part in opened.not_compared:
        if _is_untold(part.sources, told):
            further.append(
                _weaker_record(part.sources[0], False, f"{MAY_PASS}, since {part.reason}")
            )
    shown = [unlike_described(loss, described, existing) for loss in losses if loss in told]
    return [*(loss.record() for loss in shown), *further]


def _opening_losses(
    losses: Iterable[Loss], described: State, existing: State, opened: TrafficChanges
) -> list[Loss]:
    """The losses of objects that let traffic pass, or may let it pass, and the losses that a
    comparison of the traffic cannot show."""
    labels = {source.key for source in opening_sources(opened)}
    return [loss for loss in losses if loss.label in labels or _is_apart(loss)]


def opening_sources(opened: TrafficChanges) -> Iterator[Source]:
    """The objects that let traffic pass, or may let it pass, in these changes."""
    for change in opened.passes:
        yield from change.sources
    for change in opened.stopped:
        if change.family == UNKNOWN:
            yield from change.sources
    for part in opened.not_compared:
        yield from part.sources


def _is_apart(loss: Loss) -> bool:
    """Return whether a comparison of the traffic cannot show a loss: the loss of a level, or of an
    override or list that is not fully known."""
    if loss.resource in LEVELS or loss.how == DOUBTED:
        return True
    return loss.resource is LISTS and not loss.certain


def _is_untold(sources: Iterable[Source], losses: Iterable[Loss]) -> bool:
    """Return whether none of these losses is the loss of one of the objects `sources`."""
    labels = {loss.label for loss in losses}
    return labels.isdisjoint(source.key for source in sources)


def _losses_beside(change: TrafficChange, losses: Iterable[Loss]) -> list[Loss]:
    """The losses of objects that now decide before a moved object, which is a source of the change:
    they let traffic pass that the moved object stopped, or decide in its place."""
    names = {source.resource for source in change.sources}
    keys = {source.key for source in change.sources}
    beside = []
    for loss in losses:
        former = {label for _key, label in loss.deciding_before}
        if loss.resource.name in names and (not loss.how or former & keys):
            beside.append(loss)
    return beside


def _weaker_record(source: Source, certain: bool, reason: str) -> dict[str, Any]:
    return {"resource": source.resource, "key": source.key, "certain": certain, "reason": reason}
