# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expectations of a task for single requests and packets, or all of them: the option, read before
any request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence, Union

from .._arguments import Argument, read_value
from .._errors import OptionError, OptionProblems
from .._schema.account import COMPONENTS
from .._schema.resource import OptionSpec
from .._text import Message, Option

if TYPE_CHECKING:  # loaded by the tasks that expect something: Ansible compiles it in every run
    from .._expressions.expression import Expression
    from .._expressions.operands import Fields
    from .request import Packet

ALLOWED, SKIPPED, LOGGED = "allowed", "skipped", "logged"
CHALLENGED, BLOCKED = "challenged", "blocked"
MITIGATED, MONITORED = "mitigated", "monitored"
UNPROTECTED, BYPASSED = "unprotected", "bypassed"
OF_REQUESTS = (ALLOWED, SKIPPED, LOGGED, CHALLENGED, BLOCKED)
PACKET_OUTCOMES = (MITIGATED, MONITORED, UNPROTECTED, BYPASSED)
OF_FIREWALL = (ALLOWED, SKIPPED, LOGGED, BLOCKED)  # of packets in the Network Firewall
# A request that a rule logs, or that skips the rest, is allowed as well. A packet that the Network
# Firewall lets pass meets the components, which another module checks.
PASSING = (ALLOWED, SKIPPED, LOGGED)
FULFILLING = {ALLOWED: PASSING, **{word: (word, *PASSING) for word in PACKET_OUTCOMES}}

REQUEST, PACKET = "request", "packet"
FIREWALL = "packet in the Network Firewall"
EVERY = "every"
DESCRIBED_KINDS = (REQUEST, PACKET)
REQUESTS, PACKETS = "requests", "packets"
KINDS_OF_TRAFFIC: Mapping[str, str] = {REQUESTS: REQUEST, PACKETS: PACKET}  # of `every`

NAME = "expectations"
EXPECTATION_OPTIONS: OptionSpec = {
    NAME: {
        "type": "list",
        "elements": "dict",
        "options": {
            "description": {"type": "str"},
            "request": {"type": "dict"},
            "packet": {"type": "dict"},
            "every": {"type": "str"},
            "traffic": {"choices": [*KINDS_OF_TRAFFIC]},
            "expect": {"type": "raw", "required": True},
            "rule": {"type": "str"},
        },
    }
}
# The module that checks the expectations of a kind.
MODULE_OF_KIND = {
    REQUEST: "custom_rules",
    PACKET: "account_protection",
    FIREWALL: "network_firewall_rules",
}
ExpectedOutcome = Union[str, Mapping[str, str]]  # a word, or one by component


class Expectation(NamedTuple):
    """An outcome that a task expects of one request, of one packet, or of all traffic that matches
    `every`; `rule` is the rule that must decide (None: any)."""

    option: Option
    description: str
    expected: ExpectedOutcome
    request: Fields | None = None
    packet: Packet | None = None
    rule: str | None = None
    every: Expression | None = None
    traffic: str = REQUEST  # of `every`

    @property
    def kind(self) -> str:
        """The kind of traffic: a request, a packet, or a packet in the Network Firewall."""
        if self.request is not None or (self.every is not None and self.traffic == REQUEST):
            return REQUEST
        return FIREWALL if self.expected in OF_FIREWALL else PACKET

    @property
    def components(self) -> Sequence[str]:
        """The names of the components whose outcome is expected; "" stands for the Network
        Firewall."""
        if isinstance(self.expected, Mapping):
            return list(self.expected)
        if self.kind == FIREWALL:
            return [""]
        return self.packet.components if self.packet else []

    def expected_of(self, component: str) -> str:
        """The outcome that is expected of a component."""
        return self.expected[component] if isinstance(self.expected, Mapping) else self.expected


def kinds_expected(entries: Any) -> set[str]:
    """The kinds of traffic in the unchecked expectations of a task; an expectation of the Network
    Firewall counts as both kinds of packets."""
    kinds = set()
    for entry in entries or ():
        if isinstance(entry, Mapping):
            kinds.update(_kinds_of_traffic(entry))
            is_packet = PACKET in _kinds_of_traffic(entry)
            if is_packet and str(entry.get("expect")) in OF_FIREWALL:
                kinds.add(FIREWALL)
    return kinds


def _described_kinds(entry: Mapping[str, Any]) -> list[str]:
    """The kinds of traffic that an entry describes: a request or a packet; both if the entry is
    wrong."""
    return [kind for kind in DESCRIBED_KINDS if entry.get(kind) is not None]


def _kinds_of_traffic(entry: Mapping[str, Any]) -> list[str]:
    """The kinds of traffic that an entry describes, or matches by its expression."""
    kinds = _described_kinds(entry)
    if entry.get(EVERY) is not None:
        kinds.append(KINDS_OF_TRAFFIC.get(str(entry.get("traffic")), REQUEST))
    return kinds


def parse_expectations(options: Mapping[str, Any]) -> Sequence[Expectation]:
    """The expectations of a task; raises OptionError."""
    problems = OptionProblems()
    expectations = []
    for position, entry in enumerate(options.get(NAME) or ()):
        with problems.collected():
            if entry is not None:  # it could be read
                expectations.append(parse_expectation(Option(NAME, position), entry))
    problems.raise_any()
    return expectations


def checked_elsewhere(expectations: Sequence[Expectation], kinds: Sequence[str]) -> list[str]:
    """A warning for each expectation of another kind than `kinds`, which another module checks."""
    warnings: list[str] = []
    for expectation in expectations:
        kind = expectation.kind
        if kind not in kinds:
            text = f": {MODULE_OF_KIND[kind]} checks expectations of a {kind}, not this module"
            warnings.append(Message(expectation.option, text))
    return warnings


def parse_expectation(option: Option, entry: Mapping[str, Any]) -> Expectation:
    """The expectation in an entry, of a request, a packet or all matching traffic; raises
    OptionError."""
    given = [name for name in (*DESCRIBED_KINDS, EVERY) if entry.get(name) is not None]
    problems = OptionProblems()
    expectation = Expectation(option, _description(entry), "", rule=entry.get("rule"))
    for kind in _described_kinds(entry):
        with problems.collected():
            expectation = _with_described(expectation, kind, entry[kind])
    with problems.collected():
        expectation = _with_every(expectation, entry)
    if len(given) != 1:
        problem = "it takes either a request or a packet, or the expression of every one"
        problems.add(OptionError(option, problem))
        problems.raise_any()
    (kind,) = _kinds_of_traffic(entry)
    value = entry.get("expect")
    with problems.collected():
        at_expect = option.at("expect")
        expected = _expected(at_expect, kind, value, is_every=EVERY in given)
        expectation = expectation._replace(expected=expected)
    with problems.collected():
        _check_rule(expectation, kind, value)
    problems.raise_any()
    if expectation.packet and not expectation.components:
        problem = "no component sees such a packet; DNS protection sees port 53"
        raise OptionError(option.at(PACKET), problem)
    return expectation


def _check_rule(expectation: Expectation, kind: str, value: Any) -> None:
    """Raise OptionError if an expectation names a rule, and expectations of its kind cannot."""
    if expectation.rule is None:
        return
    option = expectation.option.at("rule")
    if expectation.every is not None:
        raise OptionError(option, "several rules may decide about every request or packet")
    if kind == PACKET and value not in OF_FIREWALL:
        whose = "a request, or of the Network Firewall"
        raise OptionError(option, f"only an expectation of {whose}, names a rule")


def _with_every(expectation: Expectation, entry: Mapping[str, Any]) -> Expectation:
    """The expectation with the parsed expression `every`, if the entry has one; raises
    OptionError."""
    if entry.get(EVERY) is None:
        if entry.get("traffic") is not None:
            problem = "it says what every is about, which the expectation lacks"
            raise OptionError(expectation.option.at("traffic"), problem)
        return expectation
    from .request import parse_every  # loaded by the tasks that expect something

    (kind,) = _kinds_of_traffic({**entry, **dict.fromkeys(DESCRIBED_KINDS)})
    at_every = expectation.option.at(EVERY)
    expression = parse_every(at_every, entry[EVERY], of_packets=kind == PACKET)
    return expectation._replace(every=expression, traffic=kind)


def _description(entry: Mapping[str, Any]) -> str:
    """The description in an entry; without one, the values that describe its request or packet."""
    if entry.get("description"):
        return str(entry["description"])
    texts = [f"every {entry[EVERY]}"] if entry.get(EVERY) is not None else []
    for kind in _described_kinds(entry):
        texts += [f"{name} {value}" for name, value in entry[kind].items()]
    return ", ".join(texts)


def _with_described(
    expectation: Expectation, kind: str, described: Mapping[str, Any]
) -> Expectation:
    option = expectation.option.at(kind)
    from .request import parse_packet, parse_request  # loaded by the tasks that expect something

    if kind == REQUEST:
        return expectation._replace(request=parse_request(option, described))
    return expectation._replace(packet=parse_packet(option, described))


def _expected(option: Option, kind: str, value: Any, is_every: bool) -> ExpectedOutcome:
    words: Sequence[str] = OF_REQUESTS
    if kind == PACKET:
        words = OF_FIREWALL if is_every else (*PACKET_OUTCOMES, *OF_FIREWALL)
    if kind == REQUEST or is_every or not isinstance(value, Mapping):
        return str(read_value(option, {"choices": words}, value))
    of_component: Argument = {"choices": PACKET_OUTCOMES}
    fields: Argument = {"type": "dict", "options": dict.fromkeys(COMPONENTS, of_component)}
    outcomes = read_value(option, fields, value)
    outcomes = {name: outcome for name, outcome in outcomes.items() if outcome is not None}
    if not outcomes:
        raise OptionError(option, "it names no component")
    return outcomes
