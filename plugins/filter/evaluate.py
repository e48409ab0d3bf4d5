# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.protection.plugins.module_utils._coverage.read_account import (
    read_account,
)
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._expectations.check import find
from ansible_collections.edgeops.protection.plugins.module_utils._expectations.expectation import (
    parse_expectation,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import State
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option


def evaluate(state: Any, request: Any = None, packet: Any = None) -> dict[str, Any]:
    """What becomes of a request or a packet; see evaluate.yml."""
    described = {"request": request, "packet": packet}
    for kind, value in described.items():
        if value is not None and not isinstance(value, Mapping):
            raise _error(f"{kind} is no dictionary")
    any_word = {"expect": "allowed" if packet is None else "mitigated"}
    try:
        expectation = parse_expectation(Option(), {**described, **any_word})
        (finding,) = find([expectation], _rules(state) if packet is None else read_account(state))
    except (OptionError, ValueError) as exc:
        raise _error(str(exc).lstrip(": ")) from exc
    return {
        "actual": finding.actual,
        "rule": finding.rule,
        "reasons": finding.reasons,
        "skips": finding.skips,
    }


def _rules(state: Any) -> State:
    """The custom rules of a result or of a list."""
    rules = state.get("rules") if isinstance(state, Mapping) else state
    if isinstance(rules, (str, Mapping)) or not all(
        isinstance(rule, Mapping) for rule in rules or ()
    ):
        raise ValueError("it takes the result of custom_rules_info, or a list of custom rules")
    if rules is None:
        raise ValueError("it takes the result of custom_rules_info, and this one has no rules")
    return {CUSTOM_RULES.plural: list(rules)}


def _error(problem: str) -> AnsibleFilterError:
    return AnsibleFilterError(f"edgeops.protection.evaluate: {problem}")


class FilterModule:
    """The filter of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """By name."""
        return {"evaluate": evaluate}
