# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The status of a host: the worst that applies, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._coverage.modes import UNDECIDED
from ansible_collections.edgeops.protection.plugins.module_utils._text import plural

from .._baseline.unmanaged import weakening
from .coverage import AccountCoverage, weaker
from .expected import refusing, unmet_reasons
from .record import STATUSES, Status, unaccepted
from .results import HostResults
from .zone_rules import weaker_rules

MEANINGS: Final[Mapping[str, str]] = {
    "unknown": "It could not be read, so nobody knows whether it is protected.",
    "unprotected": (
        "The protection is off, protects no address, or a component does nothing for protected"
        " addresses."
    ),
    "weakened": "It protects less than its baseline describes.",
    "drift": "It differs from its baseline, and protects no less.",
    "pending": "It matches its baseline, but for steps that wait for their time.",
    "in_order": "It matches its baseline.",
}


class Assessment(NamedTuple):
    """A status, and the sentences that give it, those of worse statuses first."""

    status: Status
    reasons: list[str]


def assess(
    host: HostResults, before: AccountCoverage | None, after: AccountCoverage | None
) -> Assessment:
    """The status of a host; `before` and `after` are the coverage of its account, None if it is not
    known."""
    rules = [rule for item in host.predictions for rule in item.rules]
    applying: dict[Status, list[str]] = {
        "unknown": [*host.errors, *host.unread, *(_not_understood(before) if before else [])],
        "unprotected": host.acknowledging.unprotected(before) if before else [],
        "weakened": [
            *(weaker(before, after) if before and after else []),
            *weaker_rules(rules),
            *(sentence for item in host.predictions for sentence in item.weaker),
            *(text for item in host.predictions for text in unmet_reasons(item.expectations)),
            *host.acknowledging.unnamed(host.announced),
            *weakening(unaccepted([obj for item in host.predictions for obj in item.unmanaged])),
        ],
        "drift": _drift(host),
        "pending": [step["message"] for item in host.predictions for step in item.pending],
    }
    reasons = [reason for status in STATUSES for reason in applying.get(status, ())]
    return Assessment(
        next((status for status in STATUSES if applying.get(status)), "in_order"), reasons
    )


def worst_first(status: Status) -> int:
    """The place of a status in the order from the worst to the best."""
    return STATUSES.index(status)


def _not_understood(coverage: AccountCoverage) -> list[str]:
    """Why it cannot be told whether an account is protected; it can, if only parts are
    not understood."""
    pieces = [piece for pieces in coverage.pieces.values() for piece in pieces]
    if coverage.enabled is not None and not any(modes == {UNDECIDED} for _ranges, modes in pieces):
        return []
    return list(coverage.undecided or ["What the account protects is not known."])


def _drift(host: HostResults) -> list[str]:
    number = sum(len(item.operations) for item in host.predictions)
    differences = (
        [f"{plural(number, 'difference', 'differences')} from the baseline."] if number else []
    )
    refused = [item for item in host.predictions if item.is_refused]
    expected = [item for one in host.predictions for item in refusing(one.expectations)]
    risks = [risk["code"] for item in refused for risk in item.risks]
    codes = dict.fromkeys([*risks, *expected])
    return differences + ([f"A run refuses the plan: {', '.join(codes)}."] if codes else [])
