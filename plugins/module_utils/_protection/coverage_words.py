# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The coverage of an account in a few lines for people."""

from __future__ import annotations

from typing import Iterator

from .._text import capitalised, first_few
from .._values.address_set import Ranges, counted, intersection, networks
from .coverage import Coverage
from .modes import in_order


def coverage_in_words(coverage: Coverage) -> list[str]:
    """The coverage in a few lines for people."""
    is_off = coverage.enabled is False
    if is_off:
        sentence, reasons = _without_tcp(coverage), coverage.reasons[1:]  # the first says it, too
    else:
        sentence, reasons = _with_tcp(coverage), coverage.reasons
    while_on = ", once it is on" if is_off else ""
    return [
        sentence,
        *reasons,
        *_lines_of_addresses(coverage, while_on),
        *_lines_of_components(coverage, while_on),
    ]


def _with_tcp(coverage: Coverage) -> str:
    switch = "on" if coverage.enabled else "in an unknown state"
    effect = "not effective" if coverage.reasons else "effective"
    return f"TCP protection is {switch}, and {effect}."


def _without_tcp(coverage: Coverage) -> str:
    """A sentence on the components that do nothing while TCP protection is off."""
    switched = [component for component in coverage.components if component.is_switched]
    if len(switched) == len(coverage.components):
        return "TCP protection is off: nothing is protected."
    titles = " and ".join(component.title for component in switched)
    return f"TCP protection is off: {titles} do nothing."


def _lines_of_addresses(coverage: Coverage, while_on: str) -> Iterator[str]:
    """The numbers of addresses that are protected, excluded and allowed, with the first ones."""
    protected = "Undecided" if coverage.malformed_exclusions else "Protected"
    if all(component.is_switched for component in coverage.components):
        protected += while_on
    for title, ranges in (
        (protected, coverage.protected),
        ("Excluded", _excluded(coverage)),
        ("Allowed as sources", coverage.bypassing),
    ):
        examples = f" ({first_few(networks(ranges))})" if ranges else ""
        yield f"{title}: {counted(ranges)}{examples}."


def _lines_of_components(coverage: Coverage, while_on: str) -> Iterator[str]:
    """The modes of each component, with the number of addresses to which they apply."""
    for component in coverage.components:
        clauses = [
            f"{' or '.join(in_order(modes))} for {counted(ranges)}"
            for ranges, modes in coverage.pieces[component.kind]
        ]
        if clauses:
            title = capitalised(component.title)
            condition = while_on if component.is_switched else ""
            yield f"{title}{condition}: {'; '.join(clauses)}."


def _excluded(coverage: Coverage) -> Ranges:
    """The addresses in a protected prefix that an excluded prefix removes from protection."""
    return intersection(coverage.inside, coverage.carved_out)
