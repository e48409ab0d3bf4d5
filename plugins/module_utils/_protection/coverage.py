# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The coverage of an account: pure functions over its state.

An address is protected if it lies in a protected prefix and in no excluded one; any excluded entry
carves out its network, whatever other entries there are inside or around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._expressions.expression import Expression
from .._expressions.solve import MatchedDestinations
from .._schema.account import ALLOWLIST, DISABLED, ENABLED, MONITORING, PREFIXES, STATUS, filters_of
from .._schema.resource import Key, Object, Resource
from .._text import capitalised, excerpt
from .._timestamps import read_timestamp
from .._values.address_set import Range, Ranges, counted, difference, intersection, range_of, union
from .._values.kinds import CODE, FLAG
from .modes import (
    DATA_CENTER,
    GLOBAL,
    OFF,
    PASSING,
    SWITCHED_OFF,
    UNDECIDED,
    UNPROTECTED,
    Component,
    Loss,
    Modes,
    Piece,
    components,
    counted_networks,
    gathered,
    in_order,
    mitigation_losses,
    never_mitigated,
    no_longer_mitigated,
    union_of_modes,
    watching,
)

IDLE = frozenset([OFF, DISABLED])
UNKNOWN_STATUS = "Whether TCP protection is on is not known."


def has_flag(entry: Object, flag: str) -> bool:
    """Return whether a flag of an entry, such as `excluded`, is set."""
    return FLAG.normalise(entry.get(flag)) == "true"


@dataclass(frozen=True)
class Coverage:
    """The coverage of an account; `state` holds collections by their plural, and None or nothing
    where not known."""

    state: Mapping[str, Sequence[Object]]

    @cached_property
    def enabled(self) -> bool | None:
        """True if the account's protection is on; None if that is not known."""
        statuses = self.state.get(STATUS.plural)
        if not statuses:
            return None
        enabled = statuses[0].get("enabled")
        return enabled if isinstance(enabled, bool) else None

    @cached_property
    def inside(self) -> Ranges:
        """The addresses in protected prefixes, before exclusions are subtracted."""
        return union(network for _entry, network in self.prefixes(excluded=False))

    @cached_property
    def carved_out(self) -> Ranges:
        """The addresses in an excluded prefix."""
        return union(network for _entry, network in self.prefixes(excluded=True))

    @cached_property
    def protected(self) -> Ranges:
        """The protected addresses, as far as well-formed prefixes decide."""
        return difference(self.inside, self.carved_out)

    @cached_property
    def malformed_exclusions(self) -> Sequence[str]:
        """Excluded entries whose network is malformed: whatever is protected may be carved out by
        them."""
        entries = [entry for entry in self._prefixes if has_flag(entry, "excluded")]
        prefixes = [entry.get("prefix") for entry in entries]
        return [str(prefix) for prefix in prefixes if range_of(prefix) is None]

    @cached_property
    def bypassing(self) -> Ranges:
        """The sources that meet no rule, since an active entry of the allowlist lets them pass."""
        ranges = [range_of(entry.get("prefix")) for entry in self.active_sources]
        return union(filter(None, ranges))

    @cached_property
    def components(self) -> Sequence[Component]:
        """The components that were read."""
        return components(self.state)

    @cached_property
    def by_kind(self) -> Mapping[str, Component]:
        """The components by their kind."""
        return {component.kind: component for component in self.components}

    @cached_property
    def pieces(self) -> Mapping[str, Sequence[Piece]]:
        """By kind of component, the protected addresses by the modes that their traffic may
        meet."""
        if not self.malformed_exclusions:
            return self._pieces
        return {kind: _maybe_carved_out(pieces) for kind, pieces in self._pieces.items()}

    @cached_property
    def _pieces(self) -> Mapping[str, Sequence[Piece]]:
        return {
            component.kind: _exact(component, component.pieces(self.protected))
            for component in self.components
        }

    @cached_property
    def uncovered(self) -> Ranges:
        """The addresses in a protected prefix for which a component does nothing."""
        pieces = chain(*self._pieces.values())
        idle = [ranges for ranges, modes in pieces if modes <= IDLE]
        return union(chain(*idle))

    @property
    def active_sources(self) -> Sequence[Object]:
        """The active entries of the allowlist."""
        return [entry for entry in self._sources if has_flag(entry, "enabled")]

    @property
    def _prefixes(self) -> Sequence[Object]:
        return self.state.get(PREFIXES.plural) or []

    @property
    def _sources(self) -> Sequence[Object]:
        return self.state.get(ALLOWLIST.plural) or []

    def prefixes(self, excluded: bool) -> list[tuple[Object, Range]]:
        """The prefixes that are, or are not, excluded, each with its range; without the malformed
        ones."""
        entries = [entry for entry in self._prefixes if has_flag(entry, "excluded") is excluded]
        ranges = [(entry, range_of(entry.get("prefix"))) for entry in entries]
        return [(entry, network) for entry, network in ranges if network]

    @cached_property
    def undecided(self) -> Sequence[str]:
        """A sentence on each part that is not understood."""
        sentences = []
        if self.enabled is None:
            sentences.append(UNKNOWN_STATUS)
        if self.state.get(PREFIXES.plural) is None:
            sentences.append("The protected prefixes are not known.")
        sentences += [_of_malformed_exclusion(prefix) for prefix in self.malformed_exclusions]
        for entry in [*self._prefixes, *self._sources]:
            prefix = entry.get("prefix")
            if range_of(prefix) is None and not has_flag(entry, "excluded"):
                text = excerpt(repr(prefix))
                sentences.append(f"The prefix {text} is malformed; it counts as no network.")
        for component in self.components:
            sentences += component.undecided
        return sentences

    @cached_property
    def reasons(self) -> Sequence[str]:
        """The reasons for which the account is not effectively protected."""
        reasons = []
        if self.enabled is None:
            reasons.append(UNKNOWN_STATUS)
        elif not self.enabled:
            reasons.append("TCP protection is off.")
        if not self.protected and self.inside:
            return [*reasons, "Every protected prefix is excluded."]
        if not self.protected:
            return [*reasons, "There is no protected prefix."]
        reasons += [_of_malformed_exclusion(prefix) for prefix in self.malformed_exclusions]
        for component in self.components:
            modes = union_of_modes(modes for _ranges, modes in self.pieces[component.kind])
            if ENABLED not in modes:
                reason = _why_not(component, modes)
                reasons.append(f"{capitalised(component.title)} mitigates nothing: {reason}.")
        return reasons

    @cached_property
    def gaps(self) -> Sequence[str]:
        """A sentence on each set of protected addresses of which a component does not mitigate all
        traffic."""
        gaps = []
        for component in self.components:
            title = capitalised(component.title)
            for ranges, modes in self.pieces[component.kind]:
                if modes != {ENABLED}:
                    gaps.append(f"{title} {_does(modes)} {counted(ranges)}.")
        return gaps


def _maybe_carved_out(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces of which any may be carved out of protection."""
    return [(ranges, modes | {UNDECIDED}) for ranges, modes in pieces]


def _exact(component: Component, pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces without a mitigation that no traffic meets, since several filters together take
    all of it before."""
    mixed = [ranges for ranges, modes in pieces if {ENABLED} < modes]
    never = never_mitigated(component, union(chain(*mixed)))
    if not never:
        return pieces
    mitigated = [(difference(ranges, never), modes) for ranges, modes in pieces]
    taken_before = [(intersection(ranges, never), modes - {ENABLED}) for ranges, modes in pieces]
    return gathered([*mitigated, *taken_before])


def _of_malformed_exclusion(prefix: str) -> str:
    return (
        f"The excluded prefix {excerpt(repr(prefix))} is malformed; it may take any address out of"
        " protection, so that no address is known to be protected."
    )


def _why_not(component: Component, modes: Modes) -> str:
    """The reason why a component that has these modes mitigates nothing."""
    if UNDECIDED in modes:
        return "what it does cannot be told"
    if MONITORING in modes:
        return "it only monitors"
    if DISABLED not in modes:
        return "there is no rule"
    kinds = " and ".join(f"{kind}s" for kind in component.deciding_kinds)
    return f"its {kinds} are disabled"


def _does(modes: Modes) -> str:
    if UNDECIDED in modes:
        return "does what cannot be told for"
    if modes == {MONITORING}:
        return "only monitors the traffic to"
    if modes <= IDLE:
        return "does nothing for"
    return f"treats traffic differently ({', '.join(in_order(modes))}) for"


class Decided(NamedTuple):
    """The traffic that a rule or filter decides for; perhaps not for all of it.

    `networks` are the protected prefixes with what of each it decides for. It decides in the data
    centers `only` (None: all) and not in those `but`; of one `beside_region`, or for a region, it
    is not known in which of them.
    """

    networks: Sequence[tuple[Range, Ranges]]
    only: frozenset[str] | None = None
    but: frozenset[str] = frozenset()
    beside_region: bool = False

    @property
    def space(self) -> Ranges:
        """The destinations of all networks that the object decides for, as one set."""
        return union(chain(*(ranges for _prefix, ranges in self.networks)))

    def may_decide_in(self, data_center: str) -> bool:
        """True if it may decide for the traffic of a data center."""
        name = data_center.casefold()
        return (self.only is None or name in self.only) and name not in self.but


def decided_by(coverage: Coverage, resource: Resource, obj: Object) -> Decided:
    """The traffic that a rule or filter decides for in a state; raises Unread."""
    kind = str(resource.component)
    if resource is filters_of(kind):
        destinations = MatchedDestinations.of(Expression.of_object(obj)).sometimes
        space = intersection(coverage.protected, destinations)
        return Decided(_prefixes_with(coverage, space))
    return _decided_by_rule(coverage, coverage.by_kind[kind], obj)


def _decided_by_rule(coverage: Coverage, component: Component, rule: Object) -> Decided:
    """The traffic that a rule decides for, since no filter does, nor a rule of a data center."""
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
    """The protected prefixes with something of a space, each with what of it; none that lies within
    another one."""
    prefixes = outermost(network for _entry, network in coverage.prefixes(excluded=False))
    shares = [(prefix, intersection([prefix], space)) for prefix in prefixes]
    return [(prefix, ranges) for prefix, ranges in shares if ranges]


def protected_since(coverage: Coverage, oldest: datetime) -> Ranges:
    """The addresses that are known to be protected without a break since then.

    A prefix that changed later may have been excluded until then.
    """
    if coverage.malformed_exclusions:
        return []
    settled: list[Range] = []
    touched: list[Range] = []
    for entry, network in coverage.prefixes(excluded=False):
        created = read_timestamp(entry.get("created_on"))
        modified = read_timestamp(entry.get("modified_on"))
        since = max(created or modified, modified) if modified else None
        if since and since <= oldest:
            settled.append(network)
        elif since is None or since != created:
            touched.append(network)
    lost = union([*touched, *coverage.carved_out])
    return difference(union(settled), lost)


def outermost(ranges: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The ranges that do not lie in another one of them, in ascending order."""
    widest_first = sorted(ranges, key=itemgetter(1), reverse=True)
    outer: list[tuple[Any, Any]] = []
    for start, end in sorted(widest_first, key=itemgetter(0)):
        if not outer or outer[-1][1] < end:
            outer.append((start, end))
    return outer


def account_losses(resource: Resource, was: Coverage, becomes: Coverage) -> Iterator[Loss]:
    """The losses of an account by its status, prefixes, allowlist, or the rules and filters of a
    component."""
    if was is becomes:
        return
    if resource is STATUS and was.enabled and becomes.enabled is False:
        yield Loss(STATUS, (), STATUS.title, "is off", how=SWITCHED_OFF)
    elif resource is PREFIXES:
        unprotected = difference(was.protected, becomes.protected)
        yield from _of_ranges(resource, unprotected, UNPROTECTED)
    elif resource is ALLOWLIST:
        passing = difference(becomes.bypassing, was.bypassing)
        yield from _of_ranges(resource, passing, PASSING)
    kind = resource.component or ""
    before, after = was.by_kind.get(kind), becomes.by_kind.get(kind)
    if before and after:
        space = intersection(was.protected, becomes.protected)
        yield from mitigation_losses(before, after, space)


def _of_ranges(resource: Resource, ranges: Ranges, how: str) -> Iterator[Loss]:
    if ranges:
        yield Loss(resource, (), resource.titles, counted_networks(ranges), how=how, ranges=ranges)


def not_monitored_before(
    was: Coverage, becomes: Coverage, resource: Resource, key: Key, space: Ranges
) -> Ranges:
    """The addresses with traffic that a rule or filter decides for in the second state, and that
    its component neither mitigates nor monitors in the first one."""
    if difference(was.bypassing, becomes.bypassing):
        return space
    before = watching(was.state, resource)
    all_mitigating = watching(becomes.state, resource)
    object_mitigating = watching(becomes.state, resource, key)
    for after in (all_mitigating, object_mitigating):
        gone = no_longer_mitigated(after, before, space) if space else {}
        space = union(chain(*gone.values()))
    return space
