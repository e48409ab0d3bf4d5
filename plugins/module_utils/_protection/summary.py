# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Coverage as results show it: summaries, comparisons, and the answer for one address or
network."""

from __future__ import annotations

from typing import Any, Mapping, TypedDict

from .._arguments import Arguments, list_of, read_value, result_argument
from .._errors import OptionError
from .._schema.account import ALLOWLIST, COLLECTIONS, COMPONENTS, PREFIXES, STATUS, TCP_KINDS
from .._schema.resource import State
from .._text import Option, capitalised, first_few
from .._values.address_set import (
    Range,
    Ranges,
    count,
    counted,
    difference,
    intersection,
    networks,
    part_in,
    range_of,
)
from .coverage import Coverage
from .modes import (
    LESS,
    PASSING,
    SWITCHED_OFF,
    UNMITIGATED,
    UNPROTECTED,
    Decider,
    Loss,
    in_order,
    ranges_of_losses,
    union_of_modes,
)
from .worse import OF_ACCOUNT, worse


class AddressSet(TypedDict):
    """A set of addresses: its networks, and how many addresses they hold."""

    networks: list[str]
    addresses: int


class AddressesByModes(AddressSet):
    """Addresses whose traffic meets the same modes, from enabled to off."""

    modes: list[str]


class PrefixCoverage(TypedDict):
    """One protected prefix: its protected addresses, what is excluded from it, and its modes by
    component."""

    prefix: str
    addresses: int
    excluded: list[str]
    modes: dict[str, list[str]]


class CoverageSummary(TypedDict):
    """The coverage of an account; `modes` has, by component, sets of addresses with the modes that
    apply to them."""

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
    """The coverage before and after a plan; `before` has no `prefixes`."""

    before: dict[str, Any]
    after: CoverageSummary
    newly_unprotected: list[str]
    newly_protected: list[str]
    newly_bypassing: list[str]
    newly_mitigated: list[MitigatedTraffic]
    weaker: list[str]


class MitigatedTraffic(TypedDict):
    """Traffic that a component mitigates after a plan and not before it; `part` names the part of
    it, and is empty for all of it."""

    component: str
    networks: list[str]
    part: str


class Parts(TypedDict):
    """A network in parts: protected, excluded from a protected prefix, and in no protected prefix.

    `undecided` is what lies in a protected prefix while a malformed excluded prefix may carve it
    out.
    """

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
    """A set of addresses as results show it."""
    return AddressSet(networks=networks(ranges), addresses=count(ranges))


def coverage_in_words(coverage: Coverage) -> list[str]:
    """The coverage in a few lines for people."""
    switch = "on" if coverage.enabled else "in an unknown state"
    effective = "not effective" if coverage.reasons else "effective"
    is_off = coverage.enabled is False
    lines = [_without_tcp(coverage) if is_off else f"TCP protection is {switch}, and {effective}."]
    lines += [reason for reason in coverage.reasons if not reason.startswith("TCP protection is")]
    while_on = ", once it is on" if is_off else ""
    still_on = "" if any(not item.is_switched for item in coverage.components) else while_on
    protected = "Undecided" if coverage.malformed_exclusions else "Protected"
    for title, ranges in (
        (protected + still_on, coverage.protected),
        ("Excluded", intersection(coverage.inside, coverage.carved_out)),
        ("Allowed as sources", coverage.bypassing),
    ):
        first = f" ({first_few(networks(ranges))})" if ranges else ""
        lines.append(f"{title}: {counted(ranges)}{first}.")
    for item in coverage.components:
        modes = [
            f"{' or '.join(in_order(modes))} for {counted(ranges)}"
            for ranges, modes in coverage.pieces[item.kind]
        ]
        when = while_on if item.is_switched else ""
        lines += [f"{capitalised(item.title)}{when}: {'; '.join(modes)}."] if modes else []
    return lines


def _without_tcp(coverage: Coverage) -> str:
    """A sentence on the components that do nothing while TCP protection is off."""
    if all(item.is_switched for item in coverage.components):
        return "TCP protection is off: nothing is protected."
    idle = " and ".join(item.title for item in coverage.components if item.is_switched)
    return f"TCP protection is off: {idle} do nothing."


def summarise(coverage: Coverage) -> CoverageSummary:
    """The coverage as results show it."""
    return CoverageSummary(
        summary=coverage_in_words(coverage),
        effective=not coverage.reasons,
        reasons=list(coverage.reasons),
        gaps=list(coverage.gaps),
        undecided=list(coverage.undecided),
        enabled=coverage.enabled,
        protected=address_set(coverage.protected),
        excluded=address_set(intersection(coverage.inside, coverage.carved_out)),
        uncovered=address_set(coverage.uncovered),
        bypassing=address_set(coverage.bypassing),
        modes={
            kind: [
                AddressesByModes(modes=in_order(modes), **address_set(ranges))
                for ranges, modes in pieces
            ]
            for kind, pieces in coverage.pieces.items()
        },
        prefixes=_coverage_by_prefix(coverage),
    )


def _coverage_by_prefix(coverage: Coverage) -> list[PrefixCoverage]:
    return [
        PrefixCoverage(
            prefix=entry["prefix"],
            addresses=count(part_in(network, coverage.protected)),
            excluded=networks(part_in(network, coverage.carved_out)),
            modes={
                kind: in_order(
                    union_of_modes(modes for ranges, modes in pieces if part_in(network, ranges))
                )
                for kind, pieces in coverage.pieces.items()
            },
        )
        for entry, network in coverage.prefixes(excluded=False)
    ]


def compare_coverage(
    before: Coverage, after: Coverage, described: Coverage | None = None
) -> CoverageChange:
    """The result `coverage` of a module that writes; `described` is another state after it that the
    one before is weaker than, or not."""
    gained = list(worse(after, before, *OF_ACCOUNT))
    weaker = list(worse(described, before, *OF_ACCOUNT)) if described else gained
    return CoverageChange(
        before={name: value for name, value in summarise(before).items() if name != "prefixes"},
        after=summarise(after),
        newly_unprotected=networks(ranges_of_losses(worse(before, after, PREFIXES))),
        newly_protected=networks(ranges_of_losses(gained, UNPROTECTED)),
        newly_bypassing=networks(ranges_of_losses(worse(before, after, ALLOWLIST))),
        newly_mitigated=[
            MitigatedTraffic(
                component=str(loss.resource.component),
                networks=networks(list(loss.ranges)),
                part=loss.label,
            )
            for loss in gained
            if loss.how == UNMITIGATED
        ],
        weaker=[
            words.format(capitalised(_title_of(loss)), loss.label, loss.reason)
            for how, words in WEAKER.items()
            for loss in weaker
            if loss.how in how
        ],
    )


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


def diff_facts(coverage: Coverage, other: Coverage) -> dict[str, Any]:
    """The facts of a coverage for a diff; of its addresses those that the other coverage does not
    have."""
    return {
        "effective": not coverage.reasons,
        "protected": networks(difference(coverage.protected, other.protected)),
        "bypassing": networks(difference(coverage.bypassing, other.bypassing)),
        **{
            item.title: {
                " or ".join(in_order(modes)): counted(ranges)
                for ranges, modes in coverage.pieces[item.kind]
            }
            for item in coverage.components
        },
    }


def answer(coverage: Coverage, network: str) -> NetworkAnswer:
    """The protection of an address or a network; raises ValueError for a text that is neither."""
    range_ = range_of(network)
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
            excluded=address_set(
                intersection(intersection(coverage.inside, coverage.carved_out), [range_])
            ),
            outside=address_set(difference([range_], coverage.inside)),
        ),
        protected_by=_prefixes_around(coverage, range_, excluded=False),
        excluded_by=_prefixes_around(coverage, range_, excluded=True),
        modes={item.kind: item.deciders(range_) for item in coverage.components},
    )


def _prefixes_around(coverage: Coverage, range_: Range, excluded: bool) -> list[str]:
    """The prefixes that contain the network or a part of it, the widest first."""
    around = [
        (first - last, str(entry["prefix"]))
        for entry, (first, last) in coverage.prefixes(excluded)
        if first <= range_[1] and range_[0] <= last
    ]
    return [text for _size, text in sorted(around)]


KIND: Arguments = {"kind": {"choices": list(TCP_KINDS), "required": True}}
COLLECTIONS_OF_RESULT: Arguments = {
    name: list_of(
        result_argument(
            [field.name for resource in resources for field in resource.fields],
            **(KIND if len(resources) > 1 else {}),
            **{name: {"type": "raw"} for name in resources[0].key},
        )
    )
    for name, resources in COLLECTIONS.items()
}
OWN_ACCOUNT = result_argument(
    status={"type": "dict"}, enabled={"type": "bool"}, **COLLECTIONS_OF_RESULT
)


def read_account(account: Any) -> State:
    """The collections that `account` contains; others are unknown. Raises OptionError.

    Takes the result of protection_info or account_protection, or {enabled, prefixes, allowlist,
    rules, filters, dns_rules} as account_protection takes them; fields that an entry leaves out
    have the default of a new object.
    """
    if isinstance(account, Mapping):
        account = account.get("protection", account)
    read_value(Option("account"), OWN_ACCOUNT, account)
    enabled = account.get("enabled")
    status = account.get("status") or ({} if enabled is None else {"enabled": enabled})
    state = {STATUS.plural: [status]} if status else {}
    for name, resources in COLLECTIONS.items():
        for resource in resources if account.get(name) is not None else ():
            own = [entry for entry in account[name] if entry.get("kind") in (None, resource.kind)]
            named = (
                {field: entry[field] for field in entry if entry[field] is not None}
                for entry in own
            )
            state[resource.plural] = [{**resource.defaults(), **entry} for entry in named]
    if not state:
        raise OptionError(
            Option("account"), f"it says nothing of {', '.join(['status', *COLLECTIONS])}"
        )
    return state
