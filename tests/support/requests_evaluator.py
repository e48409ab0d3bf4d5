# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The outcome of a request under firewall rules, and under custom rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._expressions.evaluation import decider
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import NotKnown
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Fields

PRECEDENCE = ("log", "bypass", "allow", "challenge", "managed_challenge", "js_challenge", "block")


@dataclass(frozen=True)
class Request:
    path: str = "/"
    host: str = "example.com"
    method: str = "GET"
    user_agent: str = ""
    source: str = "192.0.2.1"
    ssl: bool = True
    bot: bool = False


Matching = Callable[[str, Request], bool]  # whether an expression matches a request


@dataclass(frozen=True)
class Outcome:
    """The expressions of the rules that log the request, in their order; the products that it skips; the action that
    ends it with the id or ref of its rule, or None and None."""

    logged: tuple[str, ...] = ()
    skipped: frozenset[str] = field(default_factory=frozenset)
    action: str | None = None
    by: str | None = None


def under_firewall_rules(
    rules: Iterable[Mapping[str, Any]], request: Request, matching: Matching | None = None
) -> Outcome:
    """Priority decides, those without one come last; then the action, then the list. log and bypass go on."""
    logged: list[str] = []
    skipped: set[str] = set()
    for rule in sorted(rules, key=_turn):
        condition = rule["filter"]
        if rule.get("paused") or condition.get("paused") or condition.get("deleted"):
            continue
        if not (matching or matches)(condition["expression"], request):
            continue
        if rule["action"] == "log":
            logged.append(condition["expression"])
        elif rule["action"] == "bypass":
            skipped.update(rule.get("products") or [])
        else:
            return Outcome(tuple(logged), frozenset(skipped), rule["action"], rule["id"])
    return Outcome(tuple(logged), frozenset(skipped))


def _turn(rule: Mapping[str, Any]) -> tuple[float, int]:
    priority = rule.get("priority")
    action = rule["action"]
    return (
        float("inf") if priority is None else priority,
        PRECEDENCE.index(action) if action in PRECEDENCE else len(PRECEDENCE),
    )


def under_custom_rules(
    rules: Iterable[Mapping[str, Any]], request: Request, matching: Matching | None = None
) -> Outcome:
    """As they stand; log and a skip of nothing but products go on. A skip of the ruleset is what allow is called here."""
    logged: list[str] = []
    skipped: set[str] = set()
    for rule in rules:
        if not rule["enabled"] or not (matching or matches)(rule["expression"], request):
            continue
        if rule["action"] == "log":
            logged.append(rule["expression"])
            continue
        if rule["action"] == "skip":
            parameters = rule["action_parameters"]
            skipped.update(parameters.get("products", []))
            if parameters.get("ruleset") != "current":
                continue
        action = "allow" if rule["action"] == "skip" else rule["action"]
        return Outcome(tuple(logged), frozenset(skipped), action, rule["ref"])
    return Outcome(tuple(logged), frozenset(skipped))


def matches(expression: str, request: Request) -> bool:
    """Whether the expression matches the request, by the evaluation of the expectations, which the vendor's engine judges;
    raises SyntaxError if that is not known."""
    truth = decider(expression)(_fields_of(request))
    if isinstance(truth, NotKnown):
        raise SyntaxError(f"{expression}: {', '.join(truth.reasons)}")
    return truth


@lru_cache(maxsize=1024)
def _fields_of(request: Request) -> Fields:
    return Fields(
        {
            "http.request.uri.path": request.path.encode(),
            "http.host": request.host.encode(),
            "http.request.method": request.method.encode(),
            "http.user_agent": request.user_agent.encode(),
            "ip.src": ip_address(request.source),
            "ssl": request.ssl,
            "cf.client.bot": request.bot,
        }
    )
