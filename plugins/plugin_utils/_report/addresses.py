# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How an account treats its addresses, in classes that add up: the bars of the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._coverage.modes import UNDECIDED
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    COMPONENTS,
    ENABLED,
    MONITORING,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import capitalised, first_few
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    IPV6,
    Ranges,
    counted,
    difference,
    intersection,
    networks,
    range_of,
    union,
)

Coverage = Mapping[str, Any]  # the coverage of an account, as results show it

# From the best to the worst, and then what nobody expects to be protected.
CLASSES = ("covered", "monitored", "undecided", "uncovered", "excluded")
FAMILIES = ("ipv4", "ipv6")


def ranges_of(networks: Iterable[str]) -> Ranges:
    """Networks in CIDR notation as a set of addresses."""
    return union(filter(None, map(range_of, networks)))


def networks_in(coverage: Coverage, name: str) -> Ranges:
    """One of the sets of addresses of a coverage."""
    return ranges_of((coverage.get(name) or {}).get("networks") or ())


def classes(coverage: Coverage) -> dict[str, Ranges]:
    """The addresses of an account by class.

    An address is `covered` if every component mitigates all of its traffic, `uncovered` if one of
    them does nothing, `undecided` if what one of them does is not understood, and `monitored`
    otherwise.
    """
    protected, idle = networks_in(coverage, "protected"), networks_in(coverage, "uncovered")
    excluded = networks_in(coverage, "excluded")
    if not coverage.get("enabled"):
        unsure = coverage.get("enabled") is None
        split = {UNDECIDED if unsure else "uncovered": protected, "excluded": excluded}
        return {name: split.get(name, []) for name in CLASSES}
    covered = protected
    unclear: Ranges = []
    for pieces in (coverage.get("modes") or {}).values():
        covered = intersection(covered, _with(pieces, lambda modes: modes == [ENABLED]))
        unclear = union([*unclear, *_with(pieces, lambda modes: UNDECIDED in modes)])
    covered = difference(covered, idle) if coverage.get("modes") else []
    undecided = difference(unclear, idle)
    monitored = difference(protected, union([*covered, *undecided, *idle]))
    return dict(zip(CLASSES, (covered, monitored, undecided, idle, excluded), strict=True))


def counts(ranges: Mapping[str, Ranges]) -> dict[str, dict[str, int]]:
    """By family and class, how many addresses there are."""
    return {
        family: {
            name: sum(last - first + 1 for first, last in _of_family(ranges[name], family))
            for name in CLASSES
        }
        for family in FAMILIES
    }


def mitigates(coverage: Coverage) -> bool:
    """Whether any component mitigates any traffic; one that the status switches does so only while
    it is on."""
    return any(
        ENABLED in piece["modes"]
        for kind, pieces in (coverage.get("modes") or {}).items()
        for piece in pieces
        if coverage.get("enabled") or not _is_switched(kind)
    )


def weaker(before: Coverage, after: Coverage) -> list[str]:
    """How an account protects less before a plan than after it, a sentence each; empty if it does
    not."""
    missing = difference(networks_in(after, "protected"), networks_in(before, "protected"))
    passing = difference(networks_in(before, "bypassing"), networks_in(after, "bypassing"))
    sentences = (
        [f"{named(missing)} are not protected, and the baseline protects them."] if missing else []
    )
    sentences += (
        [f"The allowlist lets {named(passing)} pass, and the baseline does not."] if passing else []
    )
    for kind, desired in (after.get("modes") or {}).items():
        pieces = (before.get("modes") or {}).get(kind) or ()
        less = union(
            item
            for piece in pieces
            for better in desired
            if strength(piece["modes"]) < strength(better["modes"]) >= 2
            for item in intersection(ranges_of(piece["networks"]), ranges_of(better["networks"]))
        )
        title = capitalised(COMPONENTS[kind].title if kind in COMPONENTS else kind)
        sentences += (
            [f"{title}: the baseline mitigates more of the traffic to {named(less)}."]
            if less
            else []
        )
    return sentences


def strength(modes: Iterable[str]) -> int:
    """How much traffic with these modes is mitigated: 3 all of it, 2 some of it, 1 it is monitored,
    0 not at all."""
    modes = [mode for mode in modes if mode != UNDECIDED]
    if ENABLED in modes:
        return 3 if modes == [ENABLED] else 2
    return 1 if MONITORING in modes else 0


def named(ranges: Ranges) -> str:
    """How many addresses these are, and the first networks."""
    return f"{counted(ranges)} ({first_few(networks(ranges))})"


def component_title(kind: str) -> str:
    """What people call a component."""
    return COMPONENTS[kind].title if kind in COMPONENTS else kind


def _is_switched(kind: str) -> bool:
    return kind not in COMPONENTS or COMPONENTS[kind].is_switched


def _with(pieces: Iterable[Mapping[str, Any]], condition: Any) -> Ranges:
    return union(
        item
        for piece in pieces
        if condition(piece["modes"])
        for item in ranges_of(piece["networks"])
    )


def _of_family(ranges: Ranges, family: str) -> Ranges:
    return [item for item in ranges if (item[0] >= IPV6) is (family == "ipv6")]
