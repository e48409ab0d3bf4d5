# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rule of an account's Network Firewall has to be like beyond its shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .answers import NOT_ENTITLED, refusal
from .expressions import PACKETS
from .rule_checks import Item, Problem, check_action, check_shape

ACTIONS = ("block", "skip", "log")
OF_HIGHER_PLANS = re.compile(r"\$[a-z0-9_.]+|\b(?:ip\.(?:src|dst)\.(?:country|asnum)|cf\.colo\.\w+|sip)\b")


def of(advanced: bool) -> Callable[[Item, Item | None, str], None]:
    """The check of an account; lists and some fields take the advanced plan."""

    def check(body: Item, existing: Item | None, pointer: str) -> None:
        check_shape(body, existing, pointer, PACKETS)
        higher = OF_HIGHER_PLANS.search(body["expression"])
        if higher and not advanced:
            reason = f"not entitled to use {higher[0]}: it takes the advanced features of the Network Firewall"
            raise refusal(403, NOT_ENTITLED, reason, f"{pointer}/expression")
        check_action(body, existing, pointer, ACTIONS, problems_of)

    return check


def problems_of(action: str, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    if parameters != ({"ruleset": "current"} if action == "skip" else {}):
        yield "", "skip takes the ruleset 'current', and no other action takes anything"
