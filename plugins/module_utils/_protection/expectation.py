# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expectations of a task for single requests and packets: the option, read before any request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence, Union

from .._arguments import Argument, read_value
from .._errors import OptionError, OptionProblems
from .._schema.account import COMPONENTS
from .._schema.resource import OptionSpec
from .._text import Message, Option

if TYPE_CHECKING:  # loaded by the tasks that expect something: Ansible compiles it in every run
    from .._expressions.operands import Fields
    from .request import Packet

ALLOWED, SKIPPED, LOGGED = "allowed", "skipped", "logged"
CHALLENGED, BLOCKED = "challenged", "blocked"
MITIGATED, MONITORED = "mitigated", "monitored"
UNPROTECTED, BYPASSED = "unprotected", "bypassed"
OF_REQUESTS = (ALLOWED, SKIPPED, LOGGED, CHALLENGED, BLOCKED)
OF_PACKETS = (MITIGATED, MONITORED, UNPROTECTED, BYPASSED)
OF_FIREWALL = (ALLOWED, SKIPPED, LOGGED, BLOCKED)  # of packets in the Network Firewall
# A request that a rule logs, or that skips the rest, is allowed as well. A packet that the Network
# Firewall lets pass meets the components, which another module checks.
PASSING = (ALLOWED, SKIPPED, LOGGED)
FULFILLING = {ALLOWED: PASSING, **{word: (word, *PASSING) for word in OF_PACKETS}}

NAME = "expectations"
EXPECTATION_OPTIONS: OptionSpec = {
    NAME: {
        "type": "list",
        "elements": "dict",
        "options": {
            "description": {"type": "str"},
            "request": {"type": "dict"},
            "packet": {"type": "dict"},
            "expect": {"type": "raw", "required": True},
            "rule": {"type": "str"},
        },
    }
}
REQUEST, PACKET = "request", "packet"
FIREWALL = "packet in the Network Firewall"
DESCRIBED_KINDS = (REQUEST, PACKET)
# The module that checks the expectations of a kind.
MODULE_OF_KIND = {
    REQUEST: "custom_rules",
    PACKET: "account_protection",
    FIREWALL: "network_firewall_rules",
}
ExpectedOutcome = Union[str, Mapping[str, str]]  # a word, or one by component


class Expectation(NamedTuple):
    """An outcome that is expected of one request, or of one packet; `rule` is the one that
    decides."""

    option: Option
    description: str
    expected: ExpectedOutcome
    request: Fields | None = None
    packet: Packet | None = None
    rule: str | None = None

    @property
    def kind(self) -> str:
        """The kind: of a request, of a packet, or of one in the Network Firewall."""
        if self.request is not None:
            return REQUEST
        return FIREWALL if self.expected in OF_FIREWALL else PACKET

    @property
    def components(self) -> Sequence[str]:
        """The components of which something is expected."""
        if isinstance(self.expected, Mapping):
            return list(self.expected)
        if self.kind == FIREWALL:
            return [""]
        return self.packet.components if self.packet else []

    def expected_of(self, component: str) -> str:
        """The outcome that is expected of a component."""
        return self.expected[component] if isinstance(self.expected, Mapping) else self.expected


def kinds_expected(entries: Any) -> set[str]:
    """The kinds of what the entries of a task expect, before they are checked; a packet in the
    Network Firewall is a packet as well."""
    known = [entry for entry in entries or () if isinstance(entry, Mapping)]
    kinds = {kind for entry in known for kind in DESCRIBED_KINDS if entry.get(kind) is not None}
    packets = [entry for entry in known if entry.get(PACKET) is not None]
    return kinds | {FIREWALL for entry in packets if str(entry.get("expect")) in OF_FIREWALL}


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
    """A warning of each expectation that another module checks."""
    warnings: list[str] = []
    for item in expectations:
        if item.kind not in kinds:
            what = f"checks expectations of a {item.kind}, not this module"
            warnings.append(Message(item.option, f": {MODULE_OF_KIND[item.kind]} {what}"))
    return warnings


def parse_expectation(option: Option, entry: Mapping[str, Any]) -> Expectation:
    """An expectation of either kind; raises OptionError."""
    kinds = [kind for kind in DESCRIBED_KINDS if entry.get(kind) is not None]
    value, rule = entry.get("expect"), entry.get("rule")
    named = (f"{name} {item}" for kind in kinds for name, item in entry[kind].items())
    description = str(entry.get("description") or ", ".join(named))
    item, problems = Expectation(option, description, "", rule=rule), OptionProblems()
    for kind in kinds:
        with problems.collected():
            item = _with_described(item, kind, entry[kind])
    if len(kinds) != 1:
        problems.add(OptionError(option, "it takes either a request or a packet"))
        problems.raise_any()
    (kind,) = kinds
    with problems.collected():
        item = item._replace(expected=_expected(option.at("expect"), kind, value))
    with problems.collected():
        if kind == PACKET and rule is not None and value not in OF_FIREWALL:
            whose = "a request, or of the Network Firewall"
            raise OptionError(option.at("rule"), f"only an expectation of {whose}, names a rule")
    problems.raise_any()
    if item.packet and not item.components:
        problem = "no component sees such a packet; DNS protection sees port 53"
        raise OptionError(option.at(PACKET), problem)
    return item


def _with_described(item: Expectation, kind: str, described: Mapping[str, Any]) -> Expectation:
    option = item.option.at(kind)
    from .request import parse_packet, parse_request  # loaded by the tasks that expect something

    if kind == REQUEST:
        return item._replace(request=parse_request(option, described))
    return item._replace(packet=parse_packet(option, described))


def _expected(option: Option, kind: str, value: Any) -> ExpectedOutcome:
    words = OF_REQUESTS if kind == REQUEST else (*OF_PACKETS, *OF_FIREWALL)
    if kind == REQUEST or not isinstance(value, Mapping):
        return str(read_value(option, {"choices": words}, value))
    of_component: Argument = {"choices": OF_PACKETS}
    fields: Argument = {"type": "dict", "options": dict.fromkeys(COMPONENTS, of_component)}
    words_of = {
        name: word for name, word in read_value(option, fields, value).items() if word is not None
    }
    if not words_of:
        raise OptionError(option, "it names no component")
    return words_of
