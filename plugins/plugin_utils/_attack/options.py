# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of the playbook attack, and the values of a posture that they ask for."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from ...module_utils._arguments import TEXTS, Arguments
from ...module_utils._errors import OptionError
from ...module_utils._guard.acceptance import parse_acceptances
from ...module_utils._guard.risks.registry import CODES
from ...module_utils._schema.account import COMPONENTS, TCP_KINDS
from ...module_utils._schema.resource import ACCOUNT_OPTION, OWNERS, ZONE_OPTION
from ...module_utils._specs.registry import MODULE_SPECS
from ...module_utils._text import Option, first_few
from .._baseline.posture import RISKS, no_such_posture
from .._baseline.variables import names_owner
from .._variables import errors_of, expiry_of
from .blocking import BLOCK_FORMS, BLOCKED_BY, BLOCKING, blocking_expression

VALUES = ("block", "mitigate", "sensitivity", "security_level")
ASKED: Arguments = {
    **{name: {"type": "str"} for name in ("posture", "until", "reason")},
    "over": {"type": "raw"},  # true, or a text
    "hours": {"type": "float"},
    "block": {"type": "dict", "options": dict.fromkeys(BLOCK_FORMS, TEXTS)},
    "mitigate": {**TEXTS, "choices": list(COMPONENTS)},
    "sensitivity": MODULE_SPECS["protection_rule"].options["rate_sensitivity"],
    "security_level": {**MODULE_SPECS["security_level"].options["level"], "required": False},
    "accept_risks": {"type": "list", "elements": "raw"},
    "watch": {"type": "raw"},  # as baseline_watch takes it
    "all": {"type": "bool"},
}
ATTACK: Arguments = {f"attack_{name}": argument for name, argument in ASKED.items()}
ENDS = ("attack_hours", "attack_until")
NAMED_HERE = {RISKS: "attack_accept_risks"}
NO = ("", "false", "no")
SHORTEST_ATTACK, LONGEST_ATTACK = 1 / 60, 24 * 31  # hours


def which_end(value: Any) -> str:
    """The postures that attack_over ends, as text: a name or reason, or a yes for all; empty if it
    ends none.
    """
    over = str(value or "")
    return "" if over.lower() in NO else over


WHICH_HOSTS = (
    "Which hosts are under attack? The hosts are {}. Name them by --limit, or set attack_all: true"
    " for all of them"
)


def errors_of_attack(
    hosts: Sequence[str],
    limit: Any,
    postures: Any,
    networks: Mapping[str, Any],
    options: Mapping[str, Any],
    set_names: Container[str],
) -> Iterator[OptionError]:
    """An error for each option that is missing or contradicts another. Besides the options, it
    needs the hosts of the play, the limit, the prepared postures, the variables with the user's own
    `networks`, and the names of the options that the user set.
    """
    if not (limit or "attack_all" in set_names):
        yield OptionError(Option(), WHICH_HOSTS.format(first_few(hosts)))
    yield from _errors_of_ways(options, set_names)
    yield from _errors_of_times(options, set_names)
    name = options["attack_posture"]
    if name and isinstance(postures, Mapping) and name not in postures:
        values = first_few(f"attack_{value}" for value in VALUES)
        problem = f"{no_such_posture(name, postures)}; {values} need none"
        yield OptionError(Option("attack_posture"), problem)
    risks, until, block = (
        options[f"attack_{option}"] for option in ("accept_risks", "until", "block")
    )
    yield from errors_of(
        lambda: expiry_of(Option("attack_until"), until) if until else None,
        lambda: parse_acceptances(Option(NAMED_HERE[RISKS]), risks or (), CODES),
        lambda: blocking_expression(block, networks) if block else None,
    )


def _errors_of_ways(options: Mapping[str, Any], set_names: Container[str]) -> Iterator[OptionError]:
    """An error if no option says what to do, or if two options ask for different things."""
    ways = [f"attack_{name}" for name in ("posture", *VALUES)]
    if which_end(options["attack_over"]):
        excluded = [name for name in (*ways, "attack_reason", *ENDS) if name in set_names]
        if excluded:
            problem = f"it ends postures, and goes without {first_few(excluded)}"
            yield OptionError(Option("attack_over"), problem)
    elif not any(name in set_names for name in ways):
        ways_in_words = f"set attack_posture, or {first_few(ways[1:])}, or attack_over"
        yield OptionError(Option(), f"Nothing says what to do: {ways_in_words}")


def _errors_of_times(
    options: Mapping[str, Any], set_names: Container[str]
) -> Iterator[OptionError]:
    """An error if the end of a posture is missing, set twice, too near or too far away."""
    times = [name for name in ENDS if name in set_names]
    if not which_end(options["attack_over"]) and len(times) != 1:
        ask = "Keep one of" if times else "Until when? Set one of"
        yield OptionError(Option(), f"{ask} attack_hours and attack_until")
    hours = options["attack_hours"]
    if hours is not None and not SHORTEST_ATTACK <= hours <= LONGEST_ATTACK:
        problem = f"{hours:g} is less than a minute, or more than {LONGEST_ATTACK}"
        yield OptionError(Option("attack_hours"), problem)


def asked_values(options: Mapping[str, Any], host: Mapping[str, Any], until: str) -> dict[str, Any]:
    """The values that the options ask for until a time. Raises ValueError for a wrong block, for
    example of the user's own address, and if the host has no object for these options."""
    owners = [owner for owner in OWNERS if names_owner(host, owner)]
    values: dict[str, Any] = {}
    if options["block"]:
        expression = blocking_expression(options["block"], host)
        rule = {**_blocking_rule(expression), "description": _rule_description(options, until)}
        values = {BLOCKED_BY[owner]: [rule] for owner in owners}
    if ACCOUNT_OPTION in owners:
        values.update(_mitigating_rules(options["mitigate"] or (), options["sensitivity"]))
    if options["security_level"] and ZONE_OPTION in owners:
        values["security_level"] = options["security_level"]
    if not values:
        asked = first_few(f"attack_{name}" for name in VALUES if options[name])
        raise ValueError(
            f"The host has nothing that {asked} could change. Leave it out of --limit."
        )
    return values


def _blocking_rule(expression: str) -> dict[str, Any]:
    """The rule that blocks what an expression matches; its ref depends on the expression alone,
    so that the same block again is the same rule."""
    digits = sha256(expression.encode()).hexdigest()[:8]
    return {"ref": f"attack-{digits}", "action": "block", "expression": expression, **BLOCKING}


def _rule_description(options: Mapping[str, Any], until: str) -> str:
    """The description of the rule for whoever finds it at Cloudflare: the reason, the end, and who
    made it."""
    reason = f"{options['reason']}, " if options["reason"] else ""
    return f"{reason}until {until} (edgeops.protection)"


def _mitigating_rules(mitigate: Sequence[str], level: str | None) -> dict[str, Any]:
    """The rules of components that mitigate, with this sensitivity; a sensitivity alone is for all
    components."""
    components = mitigate or (COMPONENTS if level else ())
    fields = {"scope": "global"}
    if mitigate:
        fields["mode"] = "enabled"
    if level:
        fields.update(rate_sensitivity=level, burst_sensitivity=level)
    values: dict[str, Any] = {}
    for kind in components:
        if kind in TCP_KINDS:
            values.setdefault("rules", []).append({"kind": kind, **fields})
        else:
            values["dns_rules"] = [fields]
    return values
