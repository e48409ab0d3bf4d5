# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The states that make an account unprotected, and that are meant: with their reason, until they
expire."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import IDLE
from ansible_collections.edgeops.protection.plugins.module_utils._protection.modes import (
    UNDECIDED,
    counted_networks,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import COMPONENTS
from ansible_collections.edgeops.protection.plugins.module_utils._text import capitalised
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import write_timestamp
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    Ranges,
    difference,
    intersection,
    networks,
    range_of,
    union,
)

from .._baseline.unmanaged import Consent, is_in_force, parse_entries
from .coverage import AccountCoverage, component_title
from .record import Acknowledged, AcknowledgedState, Announced

ACKNOWLEDGED = "report_acknowledged"  # the variable
PROTECTION_OFF: Final = "protection_off"
NO_PREFIX: Final = "no_protected_prefix"
UNCOVERED: Final = "uncovered"
ANNOUNCED: Final = "announced"
STATES: Sequence[AcknowledgedState] = (PROTECTION_OFF, NO_PREFIX, UNCOVERED, ANNOUNCED)
OF_NETWORKS = (UNCOVERED, ANNOUNCED)
OFF = "TCP protection is off."


@dataclass(frozen=True)
class Acknowledgement:
    """A state that is meant; if it is one of addresses, for these networks and components."""

    state: AcknowledgedState
    consent: Consent
    networks: Ranges
    components: Sequence[str]

    def record(self, text: str, ranges: Ranges) -> Acknowledged:
        """What it acknowledges, as the report lists it."""
        expires = self.consent.expires
        return Acknowledged(
            state=self.state,
            text=text,
            networks=networks(ranges),
            reason=self.consent.reason,
            expires=write_timestamp(expires) if expires else None,
        )


def parse_acknowledged(entries: Any) -> list[Acknowledgement]:
    """The entries of the variable; raises ValueError with what is wrong in one."""
    parsed = parse_entries(ACKNOWLEDGED, entries, ("state",), ("networks", "components"))
    return [_parse(*item) for item in parsed]


def _parse(name: str, entry: Mapping[str, Any], consent: Consent) -> Acknowledgement:
    state, components = entry["state"], entry.get("components") or list(COMPONENTS)
    texts = entry.get("networks") or []
    if state not in STATES:
        raise ValueError(f"{name}.state is not one of {', '.join(STATES)}.")
    if (state in OF_NETWORKS) is not bool(texts):
        verb = "needs" if state in OF_NETWORKS else "takes no"
        raise ValueError(f"{name}: the state {state} {verb} networks.")
    if not isinstance(components, list) or any(item not in COMPONENTS for item in components):
        raise ValueError(f"{name}.components is not a list of {', '.join(COMPONENTS)}.")
    if not isinstance(texts, list):
        raise ValueError(f"{name}.networks is not a list of networks.")
    ranges = [range_of(text) for text in texts]
    if None in ranges:
        wrong = texts[ranges.index(None)]
        raise ValueError(f"{name}.networks: {wrong!r} is neither an address nor a network.")
    return Acknowledgement(state, consent, union(filter(None, ranges)), components)


@dataclass(frozen=True)
class Acknowledging:
    """What is acknowledged at a moment; what has expired is told with the state that it
    acknowledged."""

    entries: Sequence[Acknowledgement] = ()
    now: datetime | None = None

    def unprotected(self, coverage: AccountCoverage) -> list[str]:
        """Why an account is unprotected, without what is acknowledged; empty if it is not."""
        is_off = self._is_off(coverage)
        uncovered = union(item for _kind, ranges in self._left(coverage) for item in ranges)
        if not is_off and not self._lacks_prefixes(coverage) and not uncovered:
            return []
        reasons = [text for text in coverage.reasons if is_off or text != OFF]
        if uncovered and not is_off:
            reasons.append(f"A component does nothing for {counted_networks(uncovered)}.")
        return [*(reasons or ["There is no protected address."]), *self._expired(coverage)]

    def unnamed(self, announced: Announced | None) -> list[str]:
        """Which announced networks no prefix names, without what is acknowledged, in a sentence;
        empty if there are none."""
        meant = [entry.networks for entry in self._in_force() if entry.state == ANNOUNCED]
        missing = _unprotected(announced)
        left = difference(missing, union(item for each in meant for item in each))
        if not left:
            return []
        return [f"{counted_networks(left)} are announced, and neither protected nor excluded."]

    def records(
        self, coverage: AccountCoverage, announced: Announced | None = None
    ) -> list[Acknowledged]:
        """What of an account is acknowledged."""
        return [
            entry.record(text, ranges)
            for entry in self._in_force()
            for text, ranges in _found(entry, coverage, announced)
        ]

    def _in_force(self) -> list[Acknowledgement]:
        return [entry for entry in self.entries if is_in_force(entry.consent, self.now)]

    def _has(self, state: str) -> bool:
        return any(entry.state == state for entry in self._in_force())

    def _is_off(self, coverage: AccountCoverage) -> bool:
        return coverage.enabled is False and not self._has(PROTECTION_OFF)

    def _lacks_prefixes(self, coverage: AccountCoverage) -> bool:
        meant = self._has(NO_PREFIX) or (coverage.enabled is False and self._has(PROTECTION_OFF))
        return not coverage.protected and not meant

    def _left(self, coverage: AccountCoverage) -> Iterator[tuple[str, Ranges]]:
        """By component, the addresses that it does nothing for, without acknowledged ones."""
        for kind, ranges in _idle(coverage):
            meant = [entry.networks for entry in self._in_force() if kind in entry.components]
            yield kind, difference(ranges, union(item for each in meant for item in each))

    def _expired(self, coverage: AccountCoverage) -> list[str]:
        return [
            f"It was acknowledged ({entry.consent.reason}) until"
            f" {write_timestamp(entry.consent.expires)}."
            for entry in self.entries
            if entry.consent.expires and not is_in_force(entry.consent, self.now)
            if any(True for _found_text in _found(entry, coverage))
        ]


def _idle(coverage: AccountCoverage) -> Iterator[tuple[str, Ranges]]:
    """By component, the addresses that it does nothing for; while the protection is off, that is
    what counts of the others."""
    known: list[Ranges] = []
    for kind, pieces in coverage.pieces.items():
        idle = [ranges for ranges, modes in pieces if modes - {UNDECIDED} <= IDLE]
        ranges = intersection(coverage.uncovered, union(item for each in idle for item in each))
        known.append(ranges)
        if coverage.enabled is not False or not COMPONENTS[kind].is_switched:
            yield kind, ranges
    rest = difference(coverage.uncovered, union(item for each in known for item in each))
    if rest and coverage.enabled is not False:
        yield "", rest


def _unprotected(announced: Announced | None) -> Ranges:
    texts = announced["unprotected"] if announced else []
    return union(filter(None, map(range_of, texts)))


def _found(
    entry: Acknowledgement, coverage: AccountCoverage, announced: Announced | None = None
) -> Iterator[tuple[str, Ranges]]:
    """What an entry acknowledges of an account: sentences, and addresses."""
    if entry.state == ANNOUNCED:
        return _found_announced(entry, announced)
    return FINDERS[entry.state](entry, coverage)


def _found_off(entry: Acknowledgement, coverage: AccountCoverage) -> Iterator[tuple[str, Ranges]]:
    if coverage.enabled is False:
        yield OFF, coverage.protected


def _found_no_prefix(
    entry: Acknowledgement, coverage: AccountCoverage
) -> Iterator[tuple[str, Ranges]]:
    if not coverage.protected:
        yield "There is no protected address.", []


def _found_announced(
    entry: Acknowledgement, announced: Announced | None
) -> Iterator[tuple[str, Ranges]]:
    meant = intersection(_unprotected(announced), entry.networks)
    if meant:
        yield f"{counted_networks(meant)} are announced, and neither protected nor excluded.", meant


def _found_uncovered(
    entry: Acknowledgement, coverage: AccountCoverage
) -> Iterator[tuple[str, Ranges]]:
    for kind, ranges in _idle(coverage):
        meant = intersection(ranges, entry.networks)
        if meant and kind in entry.components:
            yield (
                f"{capitalised(component_title(kind))} does nothing for {counted_networks(meant)}.",
                meant,
            )


FINDERS: Mapping[
    str, Callable[[Acknowledgement, AccountCoverage], Iterator[tuple[str, Ranges]]]
] = {PROTECTION_OFF: _found_off, NO_PREFIX: _found_no_prefix, UNCOVERED: _found_uncovered}
