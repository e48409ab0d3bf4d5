# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which traffic one rule or filter decides for: destinations, and the data centers that see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Iterable, Sequence

from .._expressions.destinations import Undecided, matched
from .._schema.account import PREFIXES, filters_of
from .._schema.resource import Object, Resource
from .._timestamps import read_timestamp
from .._values.address_set import Range, Ranges, difference, intersection, range_of, union
from .._values.kinds import CODE
from .coverage import Coverage, has_flag

NONE: frozenset[str] = frozenset()
NEVER = datetime.max.replace(tzinfo=timezone.utc)


@dataclass(frozen=True)
class Decided:
    """The traffic that a rule or filter decides for; perhaps not for all of it.

    `networks` are the protected prefixes with what of each it decides for. It decides in the data
    centers `only` (None: all) and not in those `but`; of one `in_region` it is not known which
    data centers are in it.
    """

    networks: Sequence[tuple[Range, Ranges]]
    only: frozenset[str] | None = None
    but: frozenset[str] = NONE
    in_region: bool = False

    @property
    def space(self) -> Ranges:
        """The destinations that it decides for, of all networks together."""
        return union(item for _prefix, ranges in self.networks for item in ranges)

    def holds(self, data_center: str) -> bool:
        """Whether it may decide for the traffic of a data center."""
        name = data_center.casefold()
        return (self.only is None or name in self.only) and name not in self.but


def decided_by(coverage: Coverage, resource: Resource, obj: Object) -> Decided:
    """What a rule or filter decides for by the state of its account; raises Undecided."""
    if resource is filters_of(str(resource.component)):
        space = matched(str(obj.get("expression") or "")).sometimes
        return Decided(_networks(coverage, intersection(coverage.protected, space)))
    component = next(item for item in coverage.components if item.kind == resource.component)
    by_filters = union(item for one in component.filters for item in one.matches.always)
    networks = _networks(coverage, difference(coverage.protected, by_filters))
    scope, name = (str(CODE.normalise(obj.get(field))) for field in ("scope", "name"))
    if scope == "datacenter":
        return Decided(networks, only=frozenset([name]))
    others = frozenset(
        rule.label.partition(" ")[2].casefold()
        for rule in component.rules
        if rule.label.startswith("datacenter ")
    )
    return Decided(networks, but=others, in_region=scope == "region")


def _networks(coverage: Coverage, space: Ranges) -> list[tuple[Range, Ranges]]:
    """The protected prefixes that hold something of a space; none that lies within another one."""
    entries = coverage.state.get(PREFIXES.plural) or []
    ranges = [range_of(entry.get("prefix")) for entry in entries if not has_flag(entry, "excluded")]
    pieces = [(item, intersection([item], space)) for item in outermost(filter(None, ranges))]
    return [piece for piece in pieces if piece[1]]


def prefixes_since(coverage: Coverage) -> dict[Range, datetime]:
    """Since when each prefix is protected; the end of time for one that is not yet, and for one of
    which that is not known."""
    since: dict[Range, datetime] = {}
    for entry in coverage.state.get(PREFIXES.plural) or []:
        prefix = range_of(entry.get("prefix"))
        if prefix and not has_flag(entry, "excluded"):
            since[prefix] = read_timestamp(entry.get("created_on")) or NEVER
    return since


def outermost(ranges: Iterable[Range]) -> list[Range]:
    """The ranges that lie in no other one, in ascending order."""
    outer: list[Range] = []
    for first, last in sorted(ranges, key=lambda item: (item[0], -item[1])):
        if not outer or last > outer[-1][1]:
            outer.append((first, last))
    return outer


__all__ = ["Decided", "Undecided", "decided_by", "outermost", "prefixes_since"]
