# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The terms on which a task takes a plan: its risks, its approval, and evidence and expectations.

A task approves one plan by the id that its dry run returned; a plan that does something else is
refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Mapping, NamedTuple, Sequence, TypedDict

from .._errors import OptionError, OptionProblems
from .._plan.fingerprint import is_rest_of
from .._plan.plan import Plan
from .._protection.expectation import Expectation
from .._schema.resource import OptionSpec
from .._text import Message, Option, joined, plural
from .acceptance import Acceptance
from .risks.account import monitoring_time
from .risks.base import Limits

OPTION = Option("expected_plan")
PLAN_ID = re.compile(r"(?:[0-9a-f]{64})?")


@dataclass(frozen=True)
class Approval:
    """`expected` is the id of the approved plan, empty where no change is approved, None where any
    plan is.

    `begun` is the approved plan once it is being applied: what is left of it is approved with it.
    """

    expected: str | None = None
    begun: Plan | None = None

    def refusal(self, plan: Plan, identity: str) -> str:
        """The reason why this plan, which has this id, must not be applied; empty if it may."""
        if self.expected is None or not plan.operations or identity == self.expected:
            return ""
        if self.begun is not None:
            return "" if is_rest_of(plan, self.begun) else joined(" ", (_LEFT, _REVIEW))
        operations = plural(len(plan.operations), "operation", "operations")
        approved = (
            Message(OPTION, f" is {self.expected}")
            if self.expected
            else Message("an empty ", OPTION, " approves none")
        )
        own = f"it has {operations} and the plan_id {identity}"
        return Message(f"The plan is not the approved one: {own}, and ", approved, ". ", _REVIEW)

    def while_applying(self, plan: Plan) -> Approval:
        """The approval for what is left of this plan."""
        return replace(self, begun=plan)


_LEFT = Message(
    "What is left is not a part of the plan that ",
    OPTION,
    " approves, since the existing state is another one now.",
)
_REVIEW = Message(
    "Review the operations, and give their plan_id as ", OPTION, " if they are meant."
)


def parse_approval(options: Mapping[str, Any]) -> Approval:
    """The approval of a task; raises OptionError for a text that is not a plan_id."""
    text = options.get("expected_plan")
    if text is None:
        return Approval()
    expected = str(text).strip().lower()
    if not PLAN_ID.fullmatch(expected):
        raise OptionError(
            OPTION,
            f"'{text}' is not a plan_id, which has 64 hexadecimal digits, or is empty for a plan"
            " without operations",
        )
    return Approval(expected)


HIGHEST_HOURS = 24 * 90  # which no account keeps its analytics for
EVIDENCE = Option("rollout_evidence")
ROLLOUT_EVIDENCE: OptionSpec = {
    "rollout_evidence": {
        "type": "dict",
        "options": {
            "hours": {"type": "float", "default": 24.0},
            "max_would_drop_percent": {"type": "float", "default": 0.1},
            "max_would_drop_packets": {"type": "int"},
        },
    }
}


class EvidenceLimits(NamedTuple):
    """A task asks the traffic of some hours, of which so much may be lost."""

    hours: float
    max_percent: float
    max_packets: int | None

    @property
    def time(self) -> timedelta:
        """The time to look back, and for which an object monitors at least."""
        return timedelta(hours=self.hours)

    @property
    def allowed(self) -> str:
        """The limits, in a sentence."""
        percent = f"{self.max_percent:g} %"
        if self.max_packets is None:
            return percent
        return f"{percent} and {plural(self.max_packets, 'packet', 'packets')}"


def parse_evidence(options: Mapping[str, Any]) -> EvidenceLimits | None:
    """The option as it is set, None if it is left out; raises OptionError."""
    chosen = options.get("rollout_evidence")
    if chosen is None:
        return None
    hours, percent = chosen["hours"], chosen["max_would_drop_percent"]
    packets = chosen["max_would_drop_packets"]
    checks = {
        "hours": (hours, 0 < hours <= HIGHEST_HOURS, f"above 0 and at most {HIGHEST_HOURS}"),
        "max_would_drop_percent": (percent, 0 <= percent <= 100, "between 0 and 100"),
        "max_would_drop_packets": (packets, packets is None or packets >= 0, "0 or more"),
    }
    problems = OptionProblems()
    for name, (value, fits, bounds) in checks.items():
        with problems.collected():
            if not fits:
                raise OptionError(EVIDENCE.at(name), f"{value} is not {bounds}")
    problems.raise_any()
    return EvidenceLimits(hours, percent, packets)


class Pending(TypedDict):
    """A rule or filter that is to be enabled, and the `reason` why it is not yet: `time`,
    `evidence` or `unknown`.

    `not_before` is None until it is known since when it monitors. What would have been dropped is
    None if the traffic was not asked for, or is not known; `networks` are those concerned.
    """

    resource: str
    key: str
    mode: str
    reason: str
    not_before: str | None
    would_drop_percent: float | None
    would_drop_packets: int | None
    networks: list[str]
    advice: list[str]
    message: str


ANY_PLAN = Approval()


@dataclass(frozen=True)
class Terms:
    """The terms on which a task takes a plan: limits of risks, accepted risks, the approved plan,
    expectations, and evidence and stages of a rollout."""

    limits: Limits
    accepted: Sequence[Acceptance] = ()
    approval: Approval = ANY_PLAN
    evidence: EvidenceLimits | None = None
    expectations: Sequence[Expectation] = ()
    is_staged: bool = False

    @property
    def monitoring(self) -> timedelta:
        """The time for which a rule or filter monitors before it is enabled."""
        least = monitoring_time(self.limits)
        return max(least, self.evidence.time) if self.evidence else least
