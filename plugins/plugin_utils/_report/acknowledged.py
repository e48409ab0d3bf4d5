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

from ansible.module_utils.common.validation import check_type_list

from ...module_utils._protection.coverage import IDLE
from ...module_utils._protection.modes import UNDECIDED, counted_networks
from ...module_utils._schema.account import COMPONENTS
from ...module_utils._text import capitalised
from ...module_utils._timestamps import write_timestamp
from ...module_utils._values.address_set import (
    Ranges,
    difference,
    intersection,
    networks,
    range_of,
    ranges_of,
    union,
)
from .._baseline.unmanaged import Consent, consents, is_in_force, parse_entries
from .._variables import NEEDED, TEXTS
from .coverage import AccountCoverage, component_title
from .record import Acknowledged, AcknowledgedState, Announced

ACKNOWLEDGED = "report_acknowledged"  # the variable
PROTECTION_OFF: Final = "protection_off"
NO_PREFIX: Final = "no_protected_prefix"
UNCOVERED: Final = "uncovered"
ANNOUNCED: Final = "announced"
ACKNOWLEDGED_STATES: Sequence[AcknowledgedState] = (PROTECTION_OFF, NO_PREFIX, UNCOVERED, ANNOUNCED)
OF_NETWORKS = (UNCOVERED, ANNOUNCED)
NO_ADDRESS = "There is no protected address."


@dataclass(frozen=True)
class Acknowledgement:
    """A state that is meant; if it is one of addresses, for these networks and components."""

    state: AcknowledgedState
    consent: Consent
    networks: Ranges
    components: Sequence[str]

    def found_in(
        self, coverage: AccountCoverage, announced: Announced | None = None
    ) -> Iterator[tuple[str, Ranges]]:
        """The acknowledged parts of an account: sentences, and addresses."""
        if self.state == PROTECTION_OFF and coverage.enabled is False:
            yield "TCP protection is off.", coverage.protected
        elif self.state == NO_PREFIX and not coverage.protected:
            yield NO_ADDRESS, []
        elif self.state == ANNOUNCED:
            if meant := intersection(_unprotected(announced), self.networks):
                yield _in_no_prefix(meant), meant
        elif self.state == UNCOVERED:
            for kind, ranges in _idle(coverage):
                meant = intersection(ranges, self.networks)
                if meant and kind in self.components:
                    title = capitalised(component_title(kind))
                    yield f"{title} does nothing for {counted_networks(meant)}.", meant


ACKNOWLEDGED_ARGUMENT = consents(
    state={**NEEDED, "choices": list(ACKNOWLEDGED_STATES)},
    networks=TEXTS,
    components={**TEXTS, "choices": list(COMPONENTS)},
)


def parse_acknowledged(entries: Any) -> list[Acknowledgement]:
    """The entries of the variable; raises ValueError with what is wrong in one."""
    return [
        _acknowledgement(*item)
        for item in parse_entries(ACKNOWLEDGED, ACKNOWLEDGED_ARGUMENT, entries)
    ]


def _acknowledgement(name: str, entry: Mapping[str, Any], consent: Consent) -> Acknowledgement:
    state, texts = entry["state"], check_type_list(entry.get("networks") or [])
    if (state in OF_NETWORKS) is not bool(texts):
        verb = "needs" if state in OF_NETWORKS else "takes no"
        raise ValueError(f"{name}: the state {state} {verb} networks.")
    for text in texts:
        if range_of(text) is None:
            raise ValueError(f"{name}.networks: {text!r} is neither an address nor a network.")
    components = check_type_list(entry.get("components") or list(COMPONENTS))
    return Acknowledgement(state, consent, ranges_of(texts), components)


@dataclass(frozen=True)
class Acknowledging:
    """The acknowledgements at a moment; an expired one is told with its state."""

    entries: Sequence[Acknowledgement] = ()
    now: datetime | None = None

    def unprotected(self, coverage: AccountCoverage) -> list[str]:
        """The reasons why an account is unprotected, without acknowledged ones."""
        meant = {entry.state for entry in self._in_force}
        off_is_meant = coverage.enabled is False and PROTECTION_OFF in meant
        is_off = coverage.enabled is False and not off_is_meant
        has_prefixes = coverage.protected or off_is_meant or NO_PREFIX in meant
        uncovered = union(
            network
            for kind, ranges in _idle(coverage)
            for network in difference(ranges, self._meant(UNCOVERED, kind))
        )
        if not is_off and has_prefixes and not uncovered:
            return []
        # That it is off is the first reason of an account that is.
        reasons = list(coverage.reasons[1:] if off_is_meant else coverage.reasons)
        if uncovered and not is_off:
            reasons.append(f"A component does nothing for {counted_networks(uncovered)}.")
        return [
            *(reasons or [NO_ADDRESS]),
            *self._expired(lambda entry: any(entry.found_in(coverage))),
        ]

    def unnamed(self, announced: Announced | None) -> list[str]:
        """A sentence on announced networks that no prefix names, without acknowledged ones;
        none if there are no such networks."""
        left = difference(_unprotected(announced), self._meant(ANNOUNCED))
        expired = self._expired(
            lambda entry: entry.state == ANNOUNCED and intersection(left, entry.networks)
        )
        return [_in_no_prefix(left), *expired] if left else []

    def records(self, coverage: AccountCoverage, announced: Announced | None) -> list[Acknowledged]:
        """The states of an account that are acknowledged."""
        return [
            Acknowledged(
                state=entry.state,
                text=text,
                networks=networks(ranges),
                reason=entry.consent.reason,
                expires=_until(entry.consent.expires),
            )
            for entry in self._in_force
            for text, ranges in entry.found_in(coverage, announced)
        ]

    @property
    def _in_force(self) -> list[Acknowledgement]:
        return [entry for entry in self.entries if is_in_force(entry.consent, self.now)]

    def _meant(self, state: str, kind: str | None = None) -> Ranges:
        """The networks for which a state is meant; if a component is named, of this one."""
        return union(
            network
            for entry in self._in_force
            if entry.state == state and (kind is None or kind in entry.components)
            for network in entry.networks
        )

    def _expired(self, concerns: Callable[[Acknowledgement], object]) -> list[str]:
        return [
            f"It was acknowledged ({entry.consent.reason}) until {_until(entry.consent.expires)}."
            for entry in self.entries
            if not is_in_force(entry.consent, self.now) and concerns(entry)
        ]


def _idle(coverage: AccountCoverage) -> Iterator[tuple[str, Ranges]]:
    """By component, the addresses that it does nothing for; while the protection is off, that is
    what counts of the others."""
    rest = coverage.uncovered
    for kind, pieces in coverage.pieces.items():
        idle = union(item for each, modes in pieces if modes - {UNDECIDED} <= IDLE for item in each)
        rest = difference(rest, idle)
        if coverage.enabled is not False or not COMPONENTS[kind].is_switched:
            yield kind, intersection(coverage.uncovered, idle)
    if rest and coverage.enabled is not False:
        yield "", rest


def _unprotected(announced: Announced | None) -> Ranges:
    return ranges_of(announced["unprotected"] if announced else [])


def _in_no_prefix(ranges: Ranges) -> str:
    return f"{counted_networks(ranges)} are announced, and neither protected nor excluded."


def _until(expires: datetime | None) -> str | None:
    return write_timestamp(expires) if expires else None
