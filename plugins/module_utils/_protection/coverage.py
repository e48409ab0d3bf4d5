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
from typing import Any, Iterable, Mapping, Sequence

from .._schema.account import ALLOWLIST, DISABLED, ENABLED, MONITORING, PREFIXES, STATUS
from .._schema.resource import Object
from .._text import capitalised, excerpt
from .._timestamps import read_timestamp
from .._values.address_set import Range, Ranges, counted, difference, intersection, range_of, union
from .._values.kinds import FLAG
from .components import components
from .lost_mitigation import never_mitigated
from .modes import OFF, UNDECIDED, Component, Modes, Piece, gathered, in_order, union_of_modes

IDLE = frozenset([OFF, DISABLED])
UNKNOWN_STATUS = "Whether TCP protection is on is not known."


def has_flag(entry: Object, flag: str) -> bool:
    """Return whether a flag of an entry, such as `excluded`, is set."""
    return FLAG.normalise(entry.get(flag)) == "true"


@dataclass(frozen=True)
class Coverage:
    """The protection of an account as its `state` gives it. `state` contains each collection under
    its plural name; a collection that is not known is missing or None."""

    state: Mapping[str, Sequence[Object]]

    @cached_property
    def enabled(self) -> bool | None:
        """Return whether the account's protection is on; None if that is not known."""
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
        """The addresses in excluded prefixes."""
        return union(network for _entry, network in self.prefixes(excluded=True))

    @cached_property
    def protected(self) -> Ranges:
        """The addresses in a protected prefix and in no excluded one; malformed prefixes are
        ignored."""
        return difference(self.inside, self.carved_out)

    @cached_property
    def malformed_exclusions(self) -> Sequence[str]:
        """The excluded prefixes that are malformed. Since they may exclude any address, no address
        is certain to be protected."""
        entries = [entry for entry in self._prefixes if has_flag(entry, "excluded")]
        prefixes = [entry.get("prefix") for entry in entries]
        return [str(prefix) for prefix in prefixes if range_of(prefix) is None]

    @cached_property
    def bypassing(self) -> Ranges:
        """The source addresses that bypass all rules by active entries of the allowlist."""
        ranges = [range_of(entry.get("prefix")) for entry in self.active_sources]
        return union(filter(None, ranges))

    @cached_property
    def components(self) -> Sequence[Component]:
        """The protection components whose rules are known."""
        return components(self.state)

    @cached_property
    def by_kind(self) -> Mapping[str, Component]:
        """The components by their kind."""
        return {component.kind: component for component in self.components}

    @cached_property
    def pieces(self) -> Mapping[str, Sequence[Piece]]:
        """For each kind of component, the protected addresses, divided by the modes that their
        traffic may meet."""
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
        """The protected addresses for which at least one component does nothing."""
        pieces = chain(*self._pieces.values())
        idle = [ranges for ranges, modes in pieces if modes <= IDLE]
        return union(chain(*idle))

    @property
    def active_sources(self) -> Sequence[Object]:
        """The entries of the allowlist that are enabled."""
        return [entry for entry in self._sources if has_flag(entry, "enabled")]

    @property
    def _prefixes(self) -> Sequence[Object]:
        return self.state.get(PREFIXES.plural) or []

    @property
    def _sources(self) -> Sequence[Object]:
        return self.state.get(ALLOWLIST.plural) or []

    def prefixes(self, excluded: bool) -> list[tuple[Object, Range]]:
        """The prefixes that are excluded, or those that are not, each with its range; malformed
        prefixes are left out."""
        entries = [entry for entry in self._prefixes if has_flag(entry, "excluded") is excluded]
        ranges = [(entry, range_of(entry.get("prefix"))) for entry in entries]
        return [(entry, network) for entry, network in ranges if network]

    @cached_property
    def undecided(self) -> Sequence[str]:
        """A sentence on each part of the state that is not known or not understood."""
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
        """The reasons, as sentences, why the account is not effectively protected; empty if it is
        protected."""
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
        """A sentence for each component and each set of protected addresses whose traffic the
        component does not fully mitigate."""
        gaps = []
        for component in self.components:
            title = capitalised(component.title)
            for ranges, modes in self.pieces[component.kind]:
                if modes != {ENABLED}:
                    gaps.append(f"{title} {_does(modes)} {counted(ranges)}.")
        return gaps


def _maybe_carved_out(pieces: Sequence[Piece]) -> list[Piece]:
    """The same pieces, each with the additional mode UNDECIDED, since its addresses may be
    excluded."""
    return [(ranges, modes | {UNDECIDED}) for ranges, modes in pieces]


def _exact(component: Component, pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces, with the mode `enabled` removed for addresses whose traffic is never mitigated,
    since several filters together already match all of it."""
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
    """The reason, as a clause, why a component with these modes mitigates nothing."""
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


def protected_since(coverage: Coverage, oldest: datetime) -> Ranges:
    """The addresses that are certain to have been protected without a break since `oldest`.

    A prefix that was changed after `oldest` may have been excluded before the change.
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
    """The ranges that are not contained in another of the ranges, in ascending order."""
    widest_first = sorted(ranges, key=itemgetter(1), reverse=True)
    outer: list[tuple[Any, Any]] = []
    for start, end in sorted(widest_first, key=itemgetter(0)):
        if not outer or outer[-1][1] < end:
            outer.append((start, end))
    return outer
