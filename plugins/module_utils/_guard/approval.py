# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task approves: one plan, by the id that its dry run returned; a plan that does something
else is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Mapping

from .._errors import OptionError
from .._plan.fingerprint import is_rest_of
from .._plan.plan import Plan
from .._schema.resource import OptionSpec
from .._text import Message, Option, joined, plural

OPTION = Option("expected_plan")
PLAN_OPTIONS: OptionSpec = {"expected_plan": {"type": "str"}}  # of every module that writes
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
        """Why this plan, which has this id, must not be applied; an empty text where it may."""
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
