# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The acceptances of the report at a moment, and the reasons why an account is unprotected all the
same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

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
    ranges_of,
    union,
)
from .._baseline.unmanaged import (
    ANNOUNCED,
    NO_PREFIX,
    PROTECTION_OFF,
    UNCOVERED,
    Accepted,
    UnmanagedObject,
    accepted_reason,
)
from .coverage import AccountCoverage, component_title
from .record import AcceptedStatus, Announced

NO_ADDRESS = "There is no protected address."


@dataclass(frozen=True)
class AcceptedNow:
    """The acceptances on a host, at a moment; an expired one is told with its status."""

    entries: Sequence[Accepted] = ()
    now: datetime | None = None

    def reason_of(self, item: UnmanagedObject) -> str | None:
        """The reason why an object that no baseline names is accepted; None if it is not."""
        return accepted_reason(item, self.entries, self.now)

    def unprotected(self, coverage: AccountCoverage) -> list[str]:
        """The reasons why an account is unprotected, without accepted ones."""
        meant = {entry.status for entry in self._in_force}
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
            *self._expired(lambda entry: any(_found(entry, coverage))),
        ]

    def unnamed(self, announced: Announced | None) -> list[str]:
        """A sentence on announced networks that no prefix names, without accepted ones;
        none if there are no such networks."""
        left = difference(_unprotected(announced), self._meant(ANNOUNCED))
        expired = self._expired(
            lambda entry: entry.status == ANNOUNCED and intersection(left, entry.networks)
        )
        return [_in_no_prefix(left), *expired] if left else []

    def records(
        self, coverage: AccountCoverage, announced: Announced | None
    ) -> list[AcceptedStatus]:
        """The statuses of an account that are accepted."""
        return [
            AcceptedStatus(
                status=entry.status,
                text=text,
                networks=networks(ranges),
                reason=entry.reason,
                expires=_until(entry.expires),
            )
            for entry in self._in_force
            if entry.status
            for text, ranges in _found(entry, coverage, announced)
        ]

    @property
    def _in_force(self) -> list[Accepted]:
        return [entry for entry in self.entries if entry.holds(self.now)]

    def _meant(self, status: str, kind: str | None = None) -> Ranges:
        """The networks for which a status is accepted; if a component is named, of this one."""
        return union(
            network
            for entry in self._in_force
            if entry.status == status and (kind is None or kind in entry.components)
            for network in entry.networks
        )

    def _expired(self, concerns: Callable[[Accepted], object]) -> list[str]:
        return [
            f"It was accepted ({entry.reason}) until {_until(entry.expires)}."
            for entry in self.entries
            if not entry.holds(self.now) and concerns(entry)
        ]


def _found(
    entry: Accepted, coverage: AccountCoverage, announced: Announced | None = None
) -> Iterator[tuple[str, Ranges]]:
    """The parts of an account with the accepted status: sentences, and addresses."""
    if entry.status == PROTECTION_OFF and coverage.enabled is False:
        yield "TCP protection is off.", coverage.protected
    elif entry.status == NO_PREFIX and not coverage.protected:
        yield NO_ADDRESS, []
    elif entry.status == ANNOUNCED:
        if meant := intersection(_unprotected(announced), entry.networks):
            yield _in_no_prefix(meant), meant
    elif entry.status == UNCOVERED:
        for kind, ranges in _idle(coverage):
            meant = intersection(ranges, entry.networks)
            if meant and kind in entry.components:
                title = capitalised(component_title(kind))
                yield f"{title} does nothing for {counted_networks(meant)}.", meant


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
