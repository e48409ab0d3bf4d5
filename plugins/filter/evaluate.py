# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._errors import OptionError
from ..module_utils._protection.expectation import (
    ALLOWED,
    MITIGATED,
    Expectation,
    parse_expectation,
)
from ..module_utils._protection.expected import find
from ..module_utils._protection.summary import read_account
from ..module_utils._schema.account import NETWORK_FIREWALL_RULES
from ..module_utils._schema.lists import items_of
from ..module_utils._schema.neighbours import ZONE
from ..module_utils._schema.resource import State
from ..module_utils._schema.zone import (
    CUSTOM_RULES,
    CUSTOM_RULES_OF_ACCOUNT,
    ENTERPRISE,
    EXECUTED_RULESETS,
)
from ..module_utils._specs.arguments import Arguments
from ..module_utils._text import Option
from ..plugin_utils._variables import read_call


def evaluate(
    state: Any,
    request: Any = None,
    packet: Any = None,
    network_firewall: Any = None,
    lists: Any = None,
    account_rules: Any = None,
    rulesets: Any = None,
) -> dict[str, Any]:
    """The outcome of a request or a packet; see evaluate.yml."""
    try:
        described = read_call(DESCRIBED, request=request, packet=packet)
        expectation = _question(described, network_firewall is not None)
        if packet is None:
            known = _rules(state, account_rules, rulesets)
        else:
            known = _account(state, network_firewall)
        (finding,) = find([expectation], {**known, **_contents(lists)})
    except (OptionError, ValueError) as exc:
        raise _error(str(exc).lstrip(": ")) from None
    return {
        "actual": finding.actual,
        "rule": finding.rule,
        "reasons": finding.reasons,
        "skips": finding.skips,
    }


def _question(described: Mapping[str, Any], has_firewall: bool) -> Expectation:
    """The request or packet as an expectation of any outcome. The Network Firewall sees packets
    that no component sees."""
    is_packet = described["packet"] is not None
    word = MITIGATED if is_packet and not has_firewall else ALLOWED
    question = parse_expectation(Option(), {**described, "expect": word})
    seen = question.packet.components if question.packet else ()
    return question._replace(expected=MITIGATED) if seen else question


def _account(state: Any, network_firewall: Any) -> State:
    """An account, with the rules of its Network Firewall if they are given."""
    account = read_account(state)
    if network_firewall is None:
        return account
    rules = _objects(network_firewall, "rules", "network_firewall")
    return {**account, NETWORK_FIREWALL_RULES.plural: rules}


def _rules(state: Any, account_rules: Any, rulesets: Any) -> State:
    """The custom rules of a result or of a list, with those of the account and what both
    execute."""
    first = _objects(account_rules or [], "rules", "account_rules")
    executed = _objects(rulesets or [], "rulesets", "rulesets")
    return {
        CUSTOM_RULES.plural: _objects(state, "rules", ""),
        CUSTOM_RULES_OF_ACCOUNT.plural: first,
        EXECUTED_RULESETS: [{"kind": "custom", **obj} for obj in executed],
        ZONE.plural: [{"plan": {"legacy_id": ENTERPRISE}} if first else {}],
    }


def _contents(lists: Any) -> State:
    """The items of the lists of a result, or of a list of lists."""
    if lists is None:
        return {}
    objects = _objects(lists, "ip_lists", "lists")
    return {items_of(str(obj.get("name"))).plural: obj.get("items") or () for obj in objects}


DESCRIBED: Arguments = {"request": {"type": "dict"}, "packet": {"type": "dict"}}
TAKES = {
    "": "the result of custom_rules_info, or a list of custom rules",
    "network_firewall": "the result of network_firewall_rules, or a list of its rules",
    "account_rules": "a list of the rules in the entry point of the account",
    "rulesets": "a list of custom rulesets, each with its id, name and rules",
    "lists": "the result of protection_info with its subset ip_lists, or a list of lists",
}


def _objects(value: Any, key: str, argument: str) -> list[Mapping[str, Any]]:
    """The objects of a result, or of a list."""
    takes = f"{argument or 'it'} takes {TAKES[argument]}"
    objects = value.get(key) if isinstance(value, Mapping) else value
    if objects is None:
        raise ValueError(f"{takes}, and this one has no {key}")
    if isinstance(objects, (str, Mapping)) or not isinstance(objects, Iterable):
        raise ValueError(takes)
    objects = list(objects)
    if not all(isinstance(obj, Mapping) for obj in objects):
        raise ValueError(takes)
    return objects


def _error(problem: str) -> AnsibleFilterError:
    return AnsibleFilterError(f"edgeops.protection.evaluate: {problem}")


class FilterModule:
    """The filter of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """By name."""
        return {"evaluate": evaluate}
