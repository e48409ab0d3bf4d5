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
from typing import Annotated, Any, Final, Literal, TypedDict, get_args

from ...module_utils._protection.modes import OFF, UNDECIDED, Modes, Piece, in_order
from ...module_utils._schema.account import COMPONENTS, ENABLED
from ...module_utils._values.address_set import (
    EVERYTHING,
    IPV6,
    Ranges,
    count,
    counted,
    difference,
    intersection,
    networks,
    range_of,
    ranges_of,
    union,
)

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
        network = range_of(prefix)
        modes = frozenset(
            mode
            for ranges, own in self.pieces.get(kind) or ()
            if network and intersection(ranges, [network])
            for mode in own
        )
        if self.enabled or not modes or not _is_switched(kind):
            return modes
        return frozenset([UNDECIDED if self.enabled is None else OFF])

    def classes(self) -> dict[str, Ranges]:
        """The protected addresses by class, and the excluded ones.

        An address is `covered` if every component mitigates all of its traffic, and the allowlist
        lets less than half of its family pass, `uncovered` if a component does nothing, `undecided`
        if what one of them does is not understood, `partial` if one of them mitigates some of it,
        and `monitored` otherwise.
        """
        if not self.enabled:
            off = UNDECIDED if self.enabled is None else "uncovered"
            split = {off: self.protected}
        else:
            covered = difference(self.protected if self.pieces else [], self._passed_by_half)
            unclear: Ranges = []
            for pieces in self.pieces.values():
                covered = intersection(covered, _having(pieces, lambda modes: modes == {ENABLED}))
                unclear = union([*unclear, *_having(pieces, lambda modes: UNDECIDED in modes)])
            split = {
                "covered": difference(covered, self.uncovered),
                "undecided": difference(unclear, self.uncovered),
                "uncovered": self.uncovered,
            }
            every = [piece for pieces in self.pieces.values() for piece in pieces]
            for name, ranges in (
                ("partial", _having(every, lambda modes: ENABLED in modes)),
                ("monitored", self.protected),
            ):
                others = union(item for ranges in split.values() for item in ranges)
                split[name] = difference(ranges, others)
        return {name: {**split, "excluded": self.excluded}.get(name, []) for name in CLASSES}

    @property
    def _passed_by_half(self) -> Ranges:
        """The families of which the allowlist lets half of all sources pass, or more."""
        passing = {family: intersection(self.bypassing, [family]) for family in EVERYTHING}
        return [item for item, part in passing.items() if 2 * count(part) >= count([item])]

    def counts(self) -> AddressCounts:
        """The numbers of addresses by family and class."""
        classes = self.classes()
        return {
            family: {name: _count_of_family(classes[name], family) for name in CLASSES}
            for family in FAMILIES
        }

    def record(self) -> CoverageRecord:
        """The coverage as the report has it."""
        return CoverageRecord(
            enabled=self.enabled,
            effective=self.effective,
            addresses=self.counts(),
            protected=networks(self.protected),
            excluded=networks(self.excluded),
            uncovered=networks(self.uncovered),
            bypassing=networks(self.bypassing),
            components={
                kind: [
                    ComponentPiece(modes=in_order(modes), addresses=counted(ranges))
                    for ranges, modes in pieces
                ]
                for kind, pieces in self.pieces.items()
            },
            gaps=list(self.gaps),
            undecided=list(self.undecided),
        )

    @property
    def mitigates(self) -> bool:
        """Return whether any component mitigates traffic; one that the status switches does so only
        while it is on."""
        return any(
            ENABLED in modes
            for kind, pieces in self.pieces.items()
            for _ranges, modes in pieces
            if self.enabled or not _is_switched(kind)
        )


def read_coverage(coverage: Mapping[str, Any]) -> AccountCoverage:
    """A coverage as results show it."""
    return AccountCoverage(
        enabled=coverage.get("enabled"),
        effective=bool(coverage.get("effective")),
        **{name: _addresses_of(coverage.get(name)) for name in SETS},
        pieces={
            kind: [(_addresses_of(piece), frozenset(piece["modes"])) for piece in pieces]
            for kind, pieces in (coverage.get("modes") or {}).items()
        },
        reasons=list(coverage.get("reasons") or ()),
        gaps=list(coverage.get("gaps") or ()),
        undecided=list(coverage.get("undecided") or ()),
        prefixes=[str(item["prefix"]) for item in coverage.get("prefixes") or ()],
    )


SUBNET = 1 << 64  # people count IPv6 addresses in networks of this size
FAMILY_TITLES: Final[Mapping[Family, str]] = {"ipv4": "IPv4", "ipv6": "IPv6"}


def amount(family: str, number: int) -> str:
    """A number of addresses; IPv6 in /64 networks, where it is at least one."""
    if family == "ipv6" and number >= SUBNET:
        return f"{number // SUBNET:,} /64"
    return f"{number:,}"


def mitigated_shares(addresses: AddressCounts) -> Iterator[tuple[int, int, str]]:
    """By family, the number of addresses for which attacks are mitigated, that of the protected
    ones, and both in words."""
    for family, title in FAMILY_TITLES.items():
        numbers = addresses[family]
        whole = sum(numbers.values()) - numbers["excluded"]
        if whole:
            unit = SUBNET if family == "ipv6" and whole >= SUBNET else 1
            noun = "/64 networks of protected" if unit == SUBNET else "protected"
            covered, every, partial = (
                f"{number // unit:,}" if number >= unit or not number else "less than 1"
                for number in (numbers["covered"], whole, numbers["partial"])
            )
            more = f" ({partial} in part)" if numbers["partial"] else ""
            yield numbers["covered"], whole, f"{covered} of {every} {noun} {title} addresses{more}"


def component_title(kind: str) -> str:
    """The name that people give a component."""
    return COMPONENTS[kind].title if kind in COMPONENTS else kind


def _is_switched(kind: str) -> bool:
    return kind not in COMPONENTS or COMPONENTS[kind].is_switched


def _addresses_of(shown: Mapping[str, Any] | None) -> Ranges:
    """A set of addresses as results show it."""
    return ranges_of((shown or {}).get("networks") or ())


def _having(pieces: Iterable[Piece], condition: Callable[[Modes], bool]) -> Ranges:
    return union(item for ranges, modes in pieces if condition(modes) for item in ranges)


def _count_of_family(ranges: Ranges, family: Family) -> int:
    return sum(last - first + 1 for first, last in ranges if (first >= IPV6) is (family == "ipv6"))


def prefix_records(before: AccountCoverage, after: AccountCoverage) -> list[PrefixRecord]:
    """The prefixes that there are after a run, and then what is protected now only."""
    others = networks(difference(before.protected, ranges_of(after.prefixes)))
    kinds = dict.fromkeys([*before.pieces, *after.pieces])
    return [
        PrefixRecord(
            prefix=prefix,
            components={
                kind: ModesNow(
                    now=in_order(before.modes_of(kind, prefix)),
                    planned=in_order(after.modes_of(kind, prefix)),
                )
                for kind in kinds
            },
        )
        for prefix in (*after.prefixes, *others)
    ]
