# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The coverage of an account out of the result of a module, and what the report says of it.

A module may run in another process, so that its result is text by the time that the report reads
it; from here on a coverage is sets of addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Any, Final, Literal, NamedTuple, TypedDict, get_args

from ...module_utils._protection.modes import OFF, UNDECIDED, Modes, Piece, in_order
from ...module_utils._schema.account import COMPONENTS, ENABLED
from ...module_utils._values import address_set
from ...module_utils._values.address_set import Ranges

# From the best to the worst, and then what nobody expects to be protected.
AddressClass = Literal["covered", "partial", "monitored", "undecided", "uncovered", "excluded"]
CLASSES: Final[tuple[AddressClass, ...]] = get_args(AddressClass)
CLASS_LABELS: Final[Mapping[AddressClass, str]] = {
    "covered": "mitigated",
    "partial": "mitigated in part",
    "monitored": "only monitored",
    "undecided": "not understood",
    "uncovered": "not covered",
    "excluded": "excluded",
}
Family = Literal["ipv4", "ipv6"]
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)
SETS = {  # of addresses, with their titles
    "protected": "Protected",
    "uncovered": "Not covered",
    "excluded": "Excluded",
    "bypassing": "Allowed as sources",
}

# Addresses by how they are treated: every component mitigates covered ones, and one component does
# nothing for uncovered ones.
ClassCounts = dict[AddressClass, int]
AddressCounts = dict[Family, ClassCounts]


class ComponentPiece(TypedDict):
    """Addresses whose traffic meets the same modes of a component."""

    modes: list[str]
    addresses: Annotated[str, "their number in words"]


class CoverageRecord(TypedDict):
    """The protection of an account now."""

    enabled: bool | None
    effective: bool
    addresses: AddressCounts
    protected: list[str]
    excluded: list[str]
    uncovered: list[str]
    bypassing: Annotated[list[str], "sources that the allowlist lets pass"]
    components: dict[str, list[ComponentPiece]]
    gaps: list[str]
    undecided: list[str]


class ModesNow(TypedDict):
    """The modes that a prefix has in a component, and those that it has after a run; none if it is
    not protected."""

    now: list[str]
    planned: list[str]


class PrefixRecord(TypedDict):
    """A prefix that is protected, now or after a run, with its modes by component."""

    prefix: str
    components: dict[str, ModesNow]


@dataclass(frozen=True)
class AccountCoverage:
    """The protection of an account's addresses; `enabled` is None if that is not known.

    `pieces` has, by component, sets of protected addresses with the modes that their traffic may
    meet.
    """

    enabled: bool | None
    effective: bool
    protected: Ranges
    excluded: Ranges
    uncovered: Ranges
    bypassing: Ranges
    pieces: Mapping[str, Sequence[Piece]] = field(default_factory=dict)
    reasons: Sequence[str] = ()
    gaps: Sequence[str] = ()
    undecided: Sequence[str] = ()
    prefixes: Sequence[str] = ()  # those that protect, as far as a result names them

    def modes_of(self, kind: str, prefix: str) -> Modes:
        """The modes that the traffic to a prefix meets in a component; none if the prefix is not
        protected."""
        network = address_set.range_of(prefix)
        modes: set[str] = set()
        for ranges, piece_modes in self.pieces.get(kind) or ():
            if network and address_set.intersection(ranges, [network]):
                modes |= piece_modes
        if self.enabled or not modes or not _is_switched(kind):
            return frozenset(modes)
        return frozenset([UNDECIDED if self.enabled is None else OFF])

    def classes(self) -> dict[str, Ranges]:
        """The protected addresses by class, and the excluded ones.

        An address is `covered` if every component mitigates all of its traffic and the allowlist
        lets less than half of its family pass; `uncovered` if a component does nothing for it;
        `undecided` if the modes of a component are not understood; `partial` if a component
        mitigates some of its traffic; `monitored` otherwise.
        """
        classes: dict[str, Ranges] = {name: [] for name in CLASSES}
        classes["excluded"] = self.excluded
        if self.enabled:
            classes.update(self._classes_while_on())
        else:
            off: AddressClass = "undecided" if self.enabled is None else "uncovered"
            classes[off] = self.protected
        return classes

    def _classes_while_on(self) -> dict[str, Ranges]:
        covered = address_set.difference(self.protected if self.pieces else [], self._half_passed)
        undecided: Ranges = []
        mitigated: Ranges = []
        for pieces in self.pieces.values():
            fully = _having(pieces, lambda modes: modes == {ENABLED})
            covered = address_set.intersection(covered, fully)
            undecided = [*undecided, *_having(pieces, lambda modes: UNDECIDED in modes)]
            mitigated = [*mitigated, *_having(pieces, lambda modes: ENABLED in modes)]
        classes = {"uncovered": self.uncovered}
        classes["covered"] = address_set.difference(covered, self.uncovered)
        unclear = address_set.union(undecided)
        classes["undecided"] = address_set.difference(unclear, self.uncovered)
        classes["partial"] = _unclassified(address_set.union(mitigated), classes)
        classes["monitored"] = _unclassified(self.protected, classes)
        return classes

    @property
    def mitigated(self) -> Ranges:
        """The addresses for which attacks are mitigated, at least in part."""
        classes = self.classes()
        return address_set.union([*classes["covered"], *classes["partial"]])

    @property
    def _half_passed(self) -> Ranges:
        """The address families (IPv4, IPv6) for which the allowlist lets half of all sources pass,
        or more.
        """
        passed = []
        for family in address_set.EVERYTHING:
            sources = address_set.intersection(self.bypassing, [family])
            if 2 * address_set.count(sources) >= address_set.count([family]):
                passed.append(family)
        return passed

    def counts(self) -> AddressCounts:
        """The numbers of addresses by family and class."""
        classes = self.classes()
        return {
            family: {name: _count_of_family(classes[name], family) for name in CLASSES}
            for family in FAMILIES
        }

    def record(self) -> CoverageRecord:
        """The coverage in the form in which the report shows it."""
        return CoverageRecord(
            enabled=self.enabled,
            effective=self.effective,
            addresses=self.counts(),
            protected=address_set.networks(self.protected),
            excluded=address_set.networks(self.excluded),
            uncovered=address_set.networks(self.uncovered),
            bypassing=address_set.networks(self.bypassing),
            components={kind: _piece_records(pieces) for kind, pieces in self.pieces.items()},
            gaps=list(self.gaps),
            undecided=list(self.undecided),
        )

    @property
    def mitigates(self) -> bool:
        """Return whether any component mitigates traffic. A component that the status of the
        account switches on and off counts only while the status is on.
        """
        for kind, pieces in self.pieces.items():
            is_working = self.enabled or not _is_switched(kind)
            if is_working and any(ENABLED in modes for _ranges, modes in pieces):
                return True
        return False


def _piece_records(pieces: Iterable[Piece]) -> list[ComponentPiece]:
    return [
        ComponentPiece(modes=in_order(modes), addresses=address_set.counted(ranges))
        for ranges, modes in pieces
    ]


def read_coverage(coverage: Mapping[str, Any]) -> AccountCoverage:
    """The coverage of an account, read from the form in which results show it."""
    sets = {name: _shown_ranges(coverage.get(name)) for name in SETS}
    pieces = {
        kind: [(_shown_ranges(piece), frozenset(piece["modes"])) for piece in pieces_of_kind]
        for kind, pieces_of_kind in (coverage.get("modes") or {}).items()
    }
    return AccountCoverage(
        enabled=coverage.get("enabled"),
        effective=bool(coverage.get("effective")),
        **sets,
        pieces=pieces,
        reasons=list(coverage.get("reasons") or ()),
        gaps=list(coverage.get("gaps") or ()),
        undecided=list(coverage.get("undecided") or ()),
        prefixes=[str(prefix["prefix"]) for prefix in coverage.get("prefixes") or ()],
    )


SUBNET = 1 << 64  # people count IPv6 addresses in networks of this size
FAMILY_TITLES: Final[Mapping[Family, str]] = {"ipv4": "IPv4", "ipv6": "IPv6"}


def amount(family: str, number: int) -> str:
    """A number of addresses as text; IPv6 addresses are counted in /64 networks if they fill at
    least one.
    """
    if family == "ipv6" and number >= SUBNET:
        return f"{number // SUBNET:,} /64"
    return f"{number:,}"


class MitigatedShare(NamedTuple):
    """The number of addresses for which attacks are mitigated (`covered`), the number of protected
    addresses, and both in words.
    """

    covered: int
    protected: int
    words: str


def mitigated_shares(addresses: AddressCounts) -> Iterator[MitigatedShare]:
    """The mitigated share of each family that has protected addresses."""
    for family, title in FAMILY_TITLES.items():
        numbers = addresses[family]
        protected = sum(numbers.values()) - numbers["excluded"]
        if protected:
            unit = SUBNET if family == "ipv6" and protected >= SUBNET else 1
            noun = "/64 networks of protected" if unit == SUBNET else "protected"
            covered_in_words = _in_units(numbers["covered"], unit)
            words = f"{covered_in_words} of {_in_units(protected, unit)} {noun} {title} addresses"
            if numbers["partial"]:
                words += f" ({_in_units(numbers['partial'], unit)} in part)"
            yield MitigatedShare(numbers["covered"], protected, words)


def _in_units(number: int, unit: int) -> str:
    return f"{number // unit:,}" if number >= unit or not number else "less than 1"


def component_title(kind: str) -> str:
    """The name that people give a component."""
    return COMPONENTS[kind].title if kind in COMPONENTS else kind


def _is_switched(kind: str) -> bool:
    return kind not in COMPONENTS or COMPONENTS[kind].is_switched


def _shown_ranges(shown: Mapping[str, Any] | None) -> Ranges:
    """A set of addresses, read from the form in which results show it; empty for None."""
    return address_set.ranges_of((shown or {}).get("networks") or ())


def _having(pieces: Iterable[Piece], condition: Callable[[Modes], bool]) -> Ranges:
    """The addresses of the pieces whose modes meet a condition."""
    addresses: Ranges = []
    for ranges, modes in pieces:
        if condition(modes):
            addresses += ranges
    return address_set.union(addresses)


def _unclassified(ranges: Ranges, classes: Mapping[str, Ranges]) -> Ranges:
    """The addresses that are in none of these classes."""
    classified = address_set.union(chain.from_iterable(classes.values()))
    return address_set.difference(ranges, classified)


def _count_of_family(ranges: Ranges, family: Family) -> int:
    is_ipv6 = family == "ipv6"
    number = 0
    for start, end in ranges:
        if (start >= address_set.IPV6) is is_ipv6:
            number += end - start + 1
    return number


def prefix_records(before: AccountCoverage, after: AccountCoverage) -> list[PrefixRecord]:
    """A record of each prefix after a run, then of each network that is protected now and that no
    prefix contains after the run.
    """
    after_a_run = address_set.ranges_of(after.prefixes)
    only_now = address_set.networks(address_set.difference(before.protected, after_a_run))
    kinds = dict.fromkeys([*before.pieces, *after.pieces])
    records = []
    for prefix in (*after.prefixes, *only_now):
        components = {}
        for kind in kinds:
            now = in_order(before.modes_of(kind, prefix))
            planned = in_order(after.modes_of(kind, prefix))
            components[kind] = ModesNow(now=now, planned=planned)
        records.append(PrefixRecord(prefix=prefix, components=components))
    return records
