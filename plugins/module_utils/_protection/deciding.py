# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic of an account that one rule or filter decides for."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple, Sequence

from .._expressions.expression import Expression
from .._expressions.solve import MatchedDestinations
from .._schema.account import filters_of
from .._schema.resource import Object, Resource
from .._values.address_set import Range, Ranges, difference, intersection, union
from .._values.kinds import CODE
from .coverage import Coverage, outermost
from .modes import DATA_CENTER, GLOBAL, Component


class Decided(NamedTuple):
    """The traffic that a rule or filter may decide for.

    `networks` are the protected prefixes, each with the addresses in it that are concerned. `only`
    are the data centers concerned (None: all), and `but` are data centers that are not.
    `beside_region`: rules for regions exist, and the data centers of their regions are not known.
    """

    networks: Sequence[tuple[Range, Ranges]]
    only: frozenset[str] | None = None
    but: frozenset[str] = frozenset()
    beside_region: bool = False

    @property
    def space(self) -> Ranges:
        """All destination addresses that are concerned, as one set."""
        return union(chain(*(ranges for _prefix, ranges in self.networks)))

    def may_decide_in(self, data_center: str) -> bool:
        """Return whether the rule or filter may decide for traffic in a data center."""
        name = data_center.casefold()
        return (self.only is None or name in self.only) and name not in self.but


def decided_by(coverage: Coverage, resource: Resource, obj: Object) -> Decided:
    """The traffic that the rule or filter `obj` may decide for; raises Unread if its expression
    cannot be read."""
    kind = str(resource.component)
    if resource is filters_of(kind):
        destinations = MatchedDestinations.of(Expression.of_object(obj)).sometimes
        space = intersection(coverage.protected, destinations)
        return Decided(_prefixes_with(coverage, space))
    return _decided_by_rule(coverage, coverage.by_kind[kind], obj)


def _decided_by_rule(coverage: Coverage, component: Component, rule: Object) -> Decided:
    """The traffic that reaches a rule: no filter decides for it, nor does the rule of another data
    center."""
    by_filters = [component_filter.matches.always for component_filter in component.filters]
    space = difference(coverage.protected, union(chain(*by_filters)))
    networks = _prefixes_with(coverage, space)
    if CODE.normalise(rule.get("scope")) == DATA_CENTER:
        name = CODE.normalise(rule.get("name"))
        return Decided(networks, only=frozenset([str(name)]))
    data_centers = [sibling for sibling in component.rules if sibling.scope == DATA_CENTER]
    scopes = {sibling.scope for sibling in component.rules}
    return Decided(
        networks,
        but=frozenset(sibling.place.casefold() for sibling in data_centers),
        beside_region=bool(scopes - {GLOBAL, DATA_CENTER}),
    )


def _prefixes_with(coverage: Coverage, space: Ranges) -> list[tuple[Range, Ranges]]:
    """The outermost protected prefixes that overlap `space`, each with the part of `space` in
    it."""
    prefixes = outermost(network for _entry, network in coverage.prefixes(excluded=False))
    shares = [(prefix, intersection([prefix], space)) for prefix in prefixes]
    return [(prefix, ranges) for prefix, ranges in shares if ranges]
