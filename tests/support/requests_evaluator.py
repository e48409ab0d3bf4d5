# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a request meets: a small evaluator of rules, and of the part of the rules language that it needs.

Fields: http.request.uri.path, http.host, http.request.method, http.user_agent, ip.src
Comparisons: eq ==  ne !=  contains  matches ~  in {...}
Values: "quoted text", with a backslash before a quote or backslash; addresses, networks and ranges a..b
Without a comparison: true, ssl, cf.client.bot
Combinations, the tightest first: parentheses, not !, and, xor, or
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PRECEDENCE = ("log", "bypass", "allow", "challenge", "managed_challenge", "js_challenge", "block")
FIELDS = {
    "http.request.uri.path": "path",
    "http.host": "host",
    "http.request.method": "method",
    "http.user_agent": "user_agent",
    "ip.src": "source",
}
FLAGS = {"ssl": "ssl", "cf.client.bot": "bot"}
TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([(){}~]|==|!=|!)|([\w.:/]+))')


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
    """Whether `request` is one of those of `expression`. Raises SyntaxError for what is not in the subset."""
    parser = _Parser(_tokens(expression), request)
    result = parser.either()
    if parser.tokens:
        raise SyntaxError(f"{parser.tokens[0]} is too much in {expression}")
    return result


def _tokens(expression: str) -> list[str]:
    tokens: list[str] = []
    rest = expression.strip()
    while rest:
        token_match = TOKEN.match(rest)
        if not token_match:
            raise SyntaxError(f"unreadable: {rest}")
        tokens.append(token_match[0].strip())
        rest = rest[token_match.end() :].lstrip()
    return tokens


class _Parser:
    """Each method takes the tokens of its part from the front, and says whether the request matches it."""

    def __init__(self, tokens: list[str], request: Request) -> None:
        self.tokens = tokens
        self.request = request

    def either(self) -> bool:
        results = [self.one()]
        while self.next_is("or"):
            results.append(self.one())
        return any(results)

    def one(self) -> bool:
        result = self.both()
        while self.next_is("xor"):
            result ^= self.both()
        return result

    def both(self) -> bool:
        results = [self.single()]
        while self.next_is("and"):
            results.append(self.single())
        return all(results)

    def single(self) -> bool:
        if self.next_is("not") or self.next_is("!"):
            return not self.single()
        if self.next_is("("):
            result = self.either()
            self.must_be(")")
            return result
        return self.comparison()

    def comparison(self) -> bool:
        name = self.take()
        if name == "true":
            return True
        if name in FLAGS:
            return bool(getattr(self.request, FLAGS[name]))
        if name not in FIELDS:
            raise SyntaxError(f"{name} is not a field")
        value = getattr(self.request, FIELDS[name])
        operator = self.take()
        if operator == "in":
            members = self.members()
            return any(_among(name, value, member) for member in members)
        if operator not in COMPARISONS:
            raise SyntaxError(f"{operator} is not a comparison")
        return COMPARISONS[operator](name, value, self.take())

    def members(self) -> Sequence[str]:
        self.must_be("{")
        members = []
        while not self.next_is("}"):
            members.append(self.take())
        return members

    def take(self) -> str:
        if not self.tokens:
            raise SyntaxError("the expression ends too early")
        return self.tokens.pop(0)

    def next_is(self, word: str) -> bool:
        if self.tokens[:1] != [word]:
            return False
        self.tokens.pop(0)
        return True

    def must_be(self, word: str) -> None:
        if not self.next_is(word):
            raise SyntaxError(f"{word} is missing before {self.tokens[:1]}")


ESCAPE = re.compile(r'\\(?:(["\\])|x([0-9a-fA-F]{2})|([0-7]{3})|.)', re.DOTALL)


def _unquoted(token: str) -> str:
    if not token.startswith('"'):
        raise SyntaxError(f"{token} is not a quoted text")
    return ESCAPE.sub(_unescaped, token[1:-1])


def _unescaped(escape: re.Match[str]) -> str:
    character, hexadecimal, octal = escape.groups()
    if not (character or hexadecimal or octal):
        raise SyntaxError(f"{escape[0]} is no escape")
    return str(character) if character else chr(int(hexadecimal, 16) if hexadecimal else int(octal, 8))


def _among(name: str, value: str, token: str) -> bool:
    if name != "ip.src":
        return value == _unquoted(token)
    address = ipaddress.ip_address(value)
    first, dots, last = token.partition("..")
    if not dots:
        return address in ipaddress.ip_network(token)
    low, high = ipaddress.ip_address(first), ipaddress.ip_address(last)
    return address.version == low.version and int(low) <= int(address) <= int(high)


def _equal(name: str, value: str, token: str) -> bool:
    if name == "ip.src" and ("/" in token or ".." in token):
        raise SyntaxError(f"{token} is more than one address")
    return _among(name, value, token)


def _different(name: str, value: str, token: str) -> bool:
    return not _equal(name, value, token)


def _contains(name: str, value: str, token: str) -> bool:
    return _unquoted(token) in value


def _matches(name: str, value: str, token: str) -> bool:
    """In a regular expression, a backslash is dropped before a quote only."""
    if not token.startswith('"'):
        raise SyntaxError(f"{token} is not a quoted text")
    return re.search(token[1:-1].replace('\\"', '"'), value) is not None


COMPARISONS: dict[str, Callable[[str, str, str], bool]] = {
    "eq": _equal,
    "==": _equal,
    "ne": _different,
    "!=": _different,
    "contains": _contains,
    "matches": _matches,
    "~": _matches,
}
