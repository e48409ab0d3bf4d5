# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Coverage as results show it: summaries, comparisons, and the answer for one address or
network."""

from __future__ import annotations

from typing import Any, Sequence, TypedDict

from .._schema.account import ALLOWLIST, COMPONENTS, PREFIXES
from .._text import capitalised
from .._values.address_set import (
    Range,
    Ranges,
    count,
    counted,
    difference,
    intersection,
    is_network,
    networks,
    part_in,
    range_of,
)
from .coverage import Coverage
from .coverage_words import _excluded, coverage_in_words
from .modes import (
    LESS,
    PASSING,
    SWITCHED_OFF,
    UNMITIGATED,
    UNPROTECTED,
    Decider,
    Loss,
    Piece,
    in_order,
    ranges_of_losses,
    union_of_modes,
)
from .worse import RESOURCES_OF_ACCOUNT, worse


class AddressSet(TypedDict):
    """A set of addresses in results: its networks, and the number of addresses."""

    networks: list[str]
    addresses: int


class AddressesByModes(AddressSet):
    """Addresses whose traffic meets the same modes, which are listed from enabled to off."""

    modes: list[str]


class PrefixCoverage(TypedDict):
    """A protected prefix: its number of protected addresses, the networks excluded from it, and its
    modes by component."""

    prefix: str
    addresses: int
    excluded: list[str]
    modes: dict[str, list[str]]


class CoverageSummary(TypedDict):
    """The protection of an account as results show it; `modes` lists, for each component, sets of
    addresses with the modes that apply to them."""

    summary: list[str]
    effective: bool
    reasons: list[str]
    gaps: list[str]
    undecided: list[str]
    enabled: bool | None
    protected: AddressSet
    excluded: AddressSet
    uncovered: AddressSet
    bypassing: AddressSet
    modes: dict[str, list[AddressesByModes]]
    prefixes: list[PrefixCoverage]


class CoverageChange(TypedDict):
    """The protection of an account before and after a plan; `before` does not list the
    `prefixes`."""

    before: dict[str, Any]
    after: CoverageSummary
    newly_unprotected: list[str]
    newly_protected: list[str]
    newly_bypassing: list[str]
    newly_mitigated: list[MitigatedTraffic]
    weaker: list[str]


class MitigatedTraffic(TypedDict):
    """Traffic that a component mitigates after a plan, but not before it; `part` says in words
    which part of the traffic to the networks that is (empty: all of it)."""

    component: str
    networks: list[str]
    part: str


class Parts(TypedDict):
    """A network, divided into protected addresses, excluded addresses, and those outside every
    protected prefix. `undecided` are addresses in a protected prefix that a malformed excluded
    prefix may exclude."""

    protected: AddressSet
    undecided: AddressSet
    excluded: AddressSet
    outside: AddressSet


class NetworkAnswer(TypedDict):
    """The protection of an address or a network."""

    network: str
    protected: bool
    parts: Parts
    protected_by: list[str]
    excluded_by: list[str]
    modes: dict[str, list[Decider]]


def address_set(ranges: Ranges) -> AddressSet:
    """The addresses in the form that results show."""
    return AddressSet(networks=networks(ranges), addresses=count(ranges))


def summarise(coverage: Coverage) -> CoverageSummary:
    """The protection of an account as results show it."""
    return CoverageSummary(
        summary=coverage_in_words(coverage),
        effective=not coverage.reasons,
        reasons=list(coverage.reasons),
        gaps=list(coverage.gaps),
        undecided=list(coverage.undecided),
        enabled=coverage.enabled,
        protected=address_set(coverage.protected),
        excluded=address_set(_excluded(coverage)),
        uncovered=address_set(coverage.uncovered),
        bypassing=address_set(coverage.bypassing),
        modes={kind: _addresses_by_modes(pieces) for kind, pieces in coverage.pieces.items()},
        prefixes=_coverage_by_prefix(coverage),
    )


def _addresses_by_modes(pieces: Sequence[Piece]) -> list[AddressesByModes]:
    return [
        AddressesByModes(modes=in_order(modes), **address_set(ranges)) for ranges, modes in pieces
    ]


def _coverage_by_prefix(coverage: Coverage) -> list[PrefixCoverage]:
    return [
        PrefixCoverage(
            prefix=entry["prefix"],
            addresses=count(part_in(network, coverage.protected)),
            excluded=networks(part_in(network, coverage.carved_out)),
            modes={
                kind: _modes_within(network, pieces) for kind, pieces in coverage.pieces.items()
            },
        )
        for entry, network in coverage.prefixes(excluded=False)
    ]


def _modes_within(network: Range, pieces: Sequence[Piece]) -> list[str]:
    """The modes that apply to at least a part of a network."""
    return in_order(union_of_modes(modes for ranges, modes in pieces if part_in(network, ranges)))


def compare_coverage(
    before: Coverage, after: Coverage, described: Coverage | None = None
) -> CoverageChange:
    """The result `coverage` of a module that writes. Its `weaker` contains a sentence on each way
    in which `before` protects less than `described` or, if that is None, less than `after`."""
    gained = list(worse(after, before, *RESOURCES_OF_ACCOUNT))
    weaker = list(worse(described, before, *RESOURCES_OF_ACCOUNT)) if described else gained
    summary = dict(summarise(before))
    del summary["prefixes"]
    return CoverageChange(
        before=summary,
        after=summarise(after),
        newly_unprotected=networks(ranges_of_losses(worse(before, after, PREFIXES))),
        newly_protected=networks(ranges_of_losses(gained, UNPROTECTED)),
        newly_bypassing=networks(ranges_of_losses(worse(before, after, ALLOWLIST))),
        newly_mitigated=[_mitigated(loss) for loss in gained if loss.how == UNMITIGATED],
        weaker=_weaker_sentences(weaker),
    )


def _mitigated(loss: Loss) -> MitigatedTraffic:
    return MitigatedTraffic(
        component=str(loss.resource.component),
        networks=networks(list(loss.ranges)),
        part=loss.label,
    )


def _weaker_sentences(losses: Sequence[Loss]) -> list[str]:
    """A sentence for each loss, in the order of the kinds of losses."""
    sentences = []
    for kinds, words in WEAKER.items():
        for loss in losses:
            if loss.how in kinds:
                title = capitalised(_title_of(loss))
                sentences.append(words.format(title, loss.label, loss.reason))
    return sentences


# Words for the component, for the rule or the part of the traffic, and for the loss.
WEAKER = {
    (SWITCHED_OFF,): "The protection is off, and the baseline turns it on.",
    (UNPROTECTED,): "{2} are not protected, and the baseline protects them.",
    (PASSING,): "The allowlist lets {2} pass, and the baseline does not.",
    (UNMITIGATED,): "{0}: the baseline mitigates more of the traffic to {2}.",
    LESS: "{0}: the {1} is less sensitive than the baseline says ({2}).",
}


def _title_of(loss: Loss) -> str:
    kind = loss.resource.component
    return COMPONENTS[kind].title if kind else loss.resource.title


def diff_facts(coverage: Coverage, compared: Coverage) -> dict[str, Any]:
    """Facts about a coverage for a diff; only addresses that `compared` lacks are included."""
    facts: dict[str, Any] = {
        "effective": not coverage.reasons,
        "protected": networks(difference(coverage.protected, compared.protected)),
        "bypassing": networks(difference(coverage.bypassing, compared.bypassing)),
    }
    for component in coverage.components:
        facts[component.title] = {
            " or ".join(in_order(modes)): counted(ranges)
            for ranges, modes in coverage.pieces[component.kind]
        }
    return facts


def answer(coverage: Coverage, network: str) -> NetworkAnswer:
    """The protection of an address or a network; raises ValueError for a text that is neither."""
    range_ = range_of(network) if is_network(network) else None
    if range_ is None:
        raise ValueError(f"'{network}' is neither an address nor a network")
    inside = intersection(coverage.protected, [range_])
    protected, undecided = ([], inside) if coverage.malformed_exclusions else (inside, [])
    return NetworkAnswer(
        network=networks([range_])[0],
        protected=protected == [range_],
        parts=Parts(
            protected=address_set(protected),
            undecided=address_set(undecided),
            excluded=address_set(intersection(_excluded(coverage), [range_])),
            outside=address_set(difference([range_], coverage.inside)),
        ),
        protected_by=_overlapping_prefixes(coverage, range_, excluded=False),
        excluded_by=_overlapping_prefixes(coverage, range_, excluded=True),
        modes={component.kind: component.deciders(range_) for component in coverage.components},
    )


def _overlapping_prefixes(coverage: Coverage, range_: Range, excluded: bool) -> list[str]:
    """The prefixes that are `excluded` (or that are not) and overlap a network, the widest
    first."""
    start, end = range_
    by_size = []
    for entry, (prefix_start, prefix_end) in coverage.prefixes(excluded):
        if prefix_start <= end and start <= prefix_end:
            by_size.append((prefix_start - prefix_end, str(entry["prefix"])))
    return [prefix for _size, prefix in sorted(by_size)]
