# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The status of a host: the worst that applies, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._coverage.modes import UNDECIDED
from ansible_collections.edgeops.protection.plugins.module_utils._text import plural
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.addresses import (
    named,
    networks_in,
    weaker,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.operations import (
    weaker_rules,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import HostResults

# From the worst to the best.
STATUSES = ("unknown", "unprotected", "weakened", "drift", "pending", "in_order")
LABELS = {
    "unknown": "unknown",
    "unprotected": "unprotected",
    "weakened": "weakened",
    "drift": "drift",
    "pending": "pending",
    "in_order": "in order",
}
MEANINGS = {
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

    status: str
    reasons: list[str]


def assess(
    host: HostResults, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> Assessment:
    """The status of a host; `before` and `after` are the coverage of its account, None where it is
    not known."""
    applying: dict[str, list[str]] = {
        "unknown": [*host.errors, *(_not_understood(before) if before else [])],
        "unprotected": _unprotected(before) if before else [],
        "weakened": [
            *(weaker(before, after) if before and after else []),
            *weaker_rules(host.plans),
        ],
        "drift": _drift(host),
        "pending": [
            str(step.get("message")) for result in host.plans.values() for step in _pending(result)
        ],
    }
    status = next((status for status in STATUSES if applying.get(status)), "in_order")
    return Assessment(
        status, [reason for status in STATUSES for reason in applying.get(status) or ()]
    )


def worst_first(status: str) -> int:
    """Sorts statuses; one that is not known comes first."""
    return STATUSES.index(status) if status in STATUSES else -1


def pending_steps(plans: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The steps that wait for their time, each with its module."""
    return [
        {"module": module, **step} for module, result in plans.items() for step in _pending(result)
    ]


def _pending(result: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    pending = result.get("pending") or ()
    return [pending] if isinstance(pending, Mapping) else pending


def _not_understood(coverage: Mapping[str, Any]) -> list[str]:
    """Why it cannot be told whether an account is protected; parts that are not understood are no
    reason."""
    pieces = [piece for pieces in (coverage.get("modes") or {}).values() for piece in pieces]
    if coverage.get("enabled") is not None and not any(
        piece["modes"] == [UNDECIDED] for piece in pieces
    ):
        return []
    return list(coverage.get("undecided") or ["What the account protects is not known."])


def _unprotected(coverage: Mapping[str, Any]) -> list[str]:
    protected, idle = networks_in(coverage, "protected"), networks_in(coverage, "uncovered")
    reasons = list(coverage.get("reasons") or ())
    if coverage.get("enabled") is False or not protected:
        return reasons or ["There is no protected address."]
    if not idle:
        return []
    return [*reasons, f"A component does nothing for {named(idle)}."]


def _drift(host: HostResults) -> list[str]:
    number = sum(len(result.get("operations") or ()) for result in host.plans.values())
    differences = (
        [f"{plural(number, 'difference', 'differences')} from the baseline."] if number else []
    )
    codes = [str(risk.get("code")) for result in host.refused.values() for risk in result["risks"]]
    return differences + (
        [f"A run refuses the plan: {', '.join(dict.fromkeys(codes))}."] if codes else []
    )
