# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What hosts say against each other: a network that one lets pass and another one blocks, and
networks that two accounts protect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import (
    Comparison,
    Unread,
    parse,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    Range,
    Ranges,
    intersection,
    networks,
    range_of,
    union,
)

from .record import Conflict, HostRecord, Sources
from .results import HostResults

SOURCE = "ip.src"
Named = dict[Range, list[HostRecord]]  # the hosts that name a range


def sources_of(host: HostResults) -> Sources | None:
    """The networks that the rules of a zone, as they are planned, let pass or block as sources;
    rules that look at anything else are none of them. None if the host has no rules of a zone."""
    rules = [rule for item in host.predictions for rule in item.planned]
    if not any(item.is_of_zone for item in host.predictions):
        return None
    passed = [item for rule in rules if rule.lets_pass for item in _sources(rule.expression)]
    blocked = [item for rule in rules if rule.enforces for item in _sources(rule.expression)]
    return Sources(passed=networks(union(passed)), blocked=networks(union(blocked)))


def _sources(expression: str) -> Ranges:
    """The sources that an expression names, if it looks at nothing else."""
    try:
        tree = parse(expression)
    except Unread:
        return []
    if not isinstance(tree, Comparison) or tree.field != SOURCE:
        return []
    ranges = [range_of(token.text) for token in tree.operands]
    is_set = tree.operator in ("eq", "==", "in")
    return [item for item in ranges if item] if is_set and None not in ranges else []


def conflicts(records: Sequence[HostRecord]) -> list[Conflict]:
    """The conflicts of all hosts, in the order of their networks."""
    every = [
        *_opposed(_named(records, _passed), _named(records, _blocked)),
        *_twice(_named(records, _protected)),
    ]
    distinct = {(item["kind"], item["network"]): item for item in every}
    return [distinct[key] for key in sorted(distinct)]


def _opposed(passed: Named, blocked: Named) -> Iterator[Conflict]:
    """Networks that one host lets pass and another one blocks."""
    for common, passing, blocking in _meeting(passed, blocked):
        if len({record["host"] for record in [*passing, *blocking]}) > 1:
            yield from _conflicts("passed_and_blocked", common, passing, blocking)


def _twice(protected: Named) -> Iterator[Conflict]:
    """Networks that two accounts protect."""
    for common, ones, others in _meeting(protected, protected):
        if len({_account(record) for record in [*ones, *others]}) > 1:
            yield from _conflicts("protected_twice", common, [*ones, *others], ())


def _conflicts(
    kind: Literal["passed_and_blocked", "protected_twice"],
    common: Range,
    hosts: Iterable[HostRecord],
    against: Iterable[HostRecord],
) -> Iterator[Conflict]:
    names = [sorted({record["host"] for record in side}) for side in (hosts, against)]
    for network in networks([common]):
        yield Conflict(kind=kind, network=network, hosts=names[0], against=names[1])


def _meeting(
    ones: Named, others: Named
) -> Iterator[tuple[Range, list[HostRecord], list[HostRecord]]]:
    """What ranges of two sides have in common, with the hosts that name them."""
    behind = sorted(others)
    for range_, hosts in ones.items():
        for other in behind:
            if other[0] > range_[1]:
                break
            for common in intersection([range_], [other]):
                yield common, hosts, others[other]


def _named(records: Iterable[HostRecord], texts: Callable[[HostRecord], Iterable[str]]) -> Named:
    named: Named = {}
    for record in records:
        for range_ in filter(None, map(range_of, texts(record))):
            named.setdefault(range_, []).append(record)
    return named


def _passed(record: HostRecord) -> list[str]:
    allowed = record["coverage"]["bypassing"] if record["coverage"] else []
    return [*allowed, *(record["sources"]["passed"] if record["sources"] else [])]


def _blocked(record: HostRecord) -> list[str]:
    return record["sources"]["blocked"] if record["sources"] else []


def _protected(record: HostRecord) -> list[str]:
    return record["coverage"]["protected"] if record["coverage"] else []


def _account(record: HostRecord) -> str:
    return record["account_id"] or record["host"]
