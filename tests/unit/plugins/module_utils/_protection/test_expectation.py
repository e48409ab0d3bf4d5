# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import (
    checked_elsewhere,
    parse_expectations,
)

RESOLVER = {"destination": "203.0.113.53", "destination_port": 53}


def parsed(entry: dict[str, Any]) -> Any:
    (expectation,) = parse_expectations({"expectations": [entry]})
    return expectation


def test_requests_and_packets_are_expected() -> None:
    request = parsed({"request": {"path": "/", "asn": 1}, "expect": "blocked", "rule": "a"})
    assert (request.description, request.expected, request.rule, request.components) == (
        "path /, asn 1",
        "blocked",
        "a",
        [],
    )
    packet = parsed({"packet": RESOLVER, "expect": "mitigated", "description": "d"})
    assert (packet.description, packet.components) == ("d", ["syn_flood", "out_of_state_tcp", "dns"])
    assert packet.expected_of("dns") == "mitigated"
    one = parsed({"packet": RESOLVER, "expect": {"dns": "monitored"}})
    assert (one.components, one.expected_of("dns")) == (["dns"], "monitored")
    assert parse_expectations({"expectations": None}) == []


def test_expectations_of_the_other_kind_are_warned_of() -> None:
    request = parsed({"request": {"path": "/"}, "expect": "blocked"})
    assert checked_elsewhere([request], ("request",)) == []
    (warning,) = checked_elsewhere([request], ("packet",))
    assert warning == "expectations[0]: custom_rules checks expectations of a request, not this module"
    packet = parsed({"packet": RESOLVER, "expect": "blocked", "rule": "reflection"})
    (warning,) = checked_elsewhere([packet], ("packet",))
    assert warning.startswith("expectations[0]: network_firewall_rules checks expectations of a packet in the")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"request": {"path": "/"}, "packet": RESOLVER, "expect": "x"}, "expectations[0]: it takes either a request or a packet, or the"),
        ({"expect": "blocked"}, "expectations[0]: it takes either a request or a packet, or the"),
        ({"request": {"path": "/"}, "expect": "blokced"}, "challenged, blocked (did you mean blocked?)"),
        ({"request": {"path": "/"}, "expect": {"dns": "x"}}, "expect: it is a dictionary; write one of allowed, skipped"),
        ({"packet": RESOLVER, "expect": {"udp": "mitigated"}}, "expect.udp: there is no such field; the fields are syn_flood, out_of_state_tcp, dns"),
        ({"packet": RESOLVER, "expect": {}}, "expect: it names no component"),
        ({"packet": RESOLVER, "expect": {"dns": "on"}}, "expect.dns: 'on' is none of mitigated"),
        ({"packet": RESOLVER, "expect": "mitigated", "rule": "a"}, "rule: only an expectation of a request, or of the Network Firewall, names"),
        ({"packet": {**RESOLVER, "destination_port": 1, "protocol": "udp"}, "expect": "mitigated"}, "no component sees"),
    ],
)  # fmt: skip
def test_wrong_expectations_are_errors_with_their_place(entry: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError) as error:
        parsed(entry)
    assert problem in error.value.message
