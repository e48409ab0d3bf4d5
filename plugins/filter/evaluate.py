# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ..plugin_utils import _bytecode  # noqa: F401  # isort: skip  # pylint: disable=unused-import

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._arguments import NEEDED, Arguments, list_of, result_argument
from ..module_utils._errors import OptionError
from ..module_utils._protection.account_state import read_account
from ..module_utils._protection.expectation import (
    ALLOWED,
    BLOCKED,
    KINDS_OF_TRAFFIC,
    MITIGATED,
    PACKETS,
    Expectation,
    parse_expectation,
)
from ..module_utils._protection.expected import find
from ..module_utils._schema.custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT
from ..module_utils._schema.custom_rulesets import EXECUTED_RULESETS
from ..module_utils._schema.lists import items_of
from ..module_utils._schema.neighbours import ZONE
from ..module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ..module_utils._schema.resource import State
from ..module_utils._schema.zone import ENTERPRISE
from ..module_utils._text import Option
from ..plugin_utils._variables import errors_of, read_call, require_none


def evaluate(
    state: Any,
    request: Any = None,
    packet: Any = None,
    network_firewall: Any = None,
    lists: Any = None,
    account_rules: Any = None,
    rulesets: Any = None,
    every: Any = None,
    traffic: Any = None,
    expect: Any = None,
) -> dict[str, Any]:
    """The outcome of a request or a packet, or of all that match an expression; see
    evaluate.yml."""
    objects = {
        "rules": [] if packet or traffic == PACKETS else _objects(state, "rules"),
        "network_firewall": _objects(network_firewall, "rules"),
        "account_rules": _objects(account_rules, "rules"),
        "rulesets": _objects(rulesets, "rulesets"),
        "lists": _objects(lists, "ip_lists"),
    }
    of_all = {"every": every, "traffic": traffic, "expect": expect}
    arguments = {"request": request, "packet": packet, **of_all, **objects}
    checks: list[Callable[[], Any]] = [partial(read_call, CALL, **arguments)]
    if isinstance(request or {}, Mapping) and isinstance(packet or {}, Mapping):
        checks.append(partial(_question, arguments))
    if packet is not None:
        checks.append(partial(read_account, state))
    try:
        require_none(errors_of(*checks), {}, {})
        call = read_call(CALL, **arguments)
        question = _question(call)
        rules = _rules_that_decide(state, call)
        (finding,) = find([question], {**rules, **_contents(call["lists"] or [])})
    except (OptionError, ValueError) as exc:
        problem = str(exc).lstrip(": ")
        raise AnsibleFilterError(f"edgeops.protection.evaluate: {problem}") from None
    names = OF_ALL_TRAFFIC if every is not None else OF_SINGLE_TRAFFIC
    return {name: getattr(finding, name) for name in names}


OF_SINGLE_TRAFFIC = ("actual", "rule", "reasons", "skips")  # names in an answer
OF_ALL_TRAFFIC = (*OF_SINGLE_TRAFFIC, "met", "example")
RULES = list_of(
    result_argument(
        [field.name for field in CUSTOM_RULES.fields],
        ref=NEEDED,
        action={"type": "str"},
        expression={"type": "str"},
    )
)
CALL: Arguments = {
    "request": {"type": "dict"},
    "packet": {"type": "dict"},
    "every": {"type": "str"},
    "traffic": {"choices": [*KINDS_OF_TRAFFIC]},
    "expect": {"type": "raw"},
    "rules": {**RULES, "required": True},
    "network_firewall": RULES,
    "account_rules": {**RULES, "default": []},
    "rulesets": {**list_of(result_argument(["rules"], id=NEEDED)), "default": []},
    "lists": list_of(result_argument(["items"], name=NEEDED)),
}


def _objects(value: Any, key: str) -> Any:
    """The objects of a result, or of a list; all of them where Jinja gives them one by one."""
    objects = value.get(key, value) if isinstance(value, Mapping) else value
    return list(objects) if isinstance(objects, Iterator) else objects


def _question(call: Mapping[str, Any]) -> Expectation:
    """The request or packet as an expectation of any outcome. The Network Firewall sees packets
    that no component sees."""
    is_of_components = call["packet"] is not None and call["network_firewall"] is None
    described = {"request": call["request"], "packet": call["packet"]}
    if call["every"] is not None:
        of_all = {name: call[name] for name in ("every", "traffic")}
        return parse_expectation(
            Option(), {**described, **of_all, "expect": call["expect"] or BLOCKED}
        )
    word = MITIGATED if is_of_components else ALLOWED
    question = parse_expectation(Option(), {**described, "expect": word})
    if question.packet and question.packet.components:
        return question._replace(expected=MITIGATED)
    return question


def _rules_that_decide(state: Any, call: Mapping[str, Any]) -> State:
    """The state of which a question is asked."""
    if call["traffic"] == PACKETS:
        return {NETWORK_FIREWALL_RULES.plural: call["network_firewall"] or []}
    return _rules(call) if call["packet"] is None else _account(state, call)


def _account(state: Any, call: Mapping[str, Any]) -> State:
    """An account, with the rules of its Network Firewall if they are given."""
    rules = call["network_firewall"]
    firewall = {} if rules is None else {NETWORK_FIREWALL_RULES.plural: rules}
    return {**read_account(state), **firewall}


def _rules(call: Mapping[str, Any]) -> State:
    """The custom rules of a result or of a list, with those of the account and what both
    execute."""
    account_rules = call["account_rules"]
    zone = {"plan": {"legacy_id": ENTERPRISE}} if account_rules else {}
    return {
        CUSTOM_RULES.plural: call["rules"],
        CUSTOM_RULES_OF_ACCOUNT.plural: account_rules,
        EXECUTED_RULESETS: [{"kind": "custom", **ruleset} for ruleset in call["rulesets"]],
        ZONE.plural: [zone],
    }


def _contents(lists: Sequence[Mapping[str, Any]]) -> State:
    """The items of lists."""
    return {items_of(str(obj["name"])).plural: obj.get("items") or () for obj in lists}


class FilterModule:
    """The filter of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """By name."""
        return {"evaluate": evaluate}
