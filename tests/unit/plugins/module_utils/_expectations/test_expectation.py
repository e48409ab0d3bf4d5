# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._expectations.expectation import (
    PACKET,
    REQUEST,
    needs_dns,
    parse_expectation,
    parse_expectations,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

RESOLVER = {"destination": "203.0.113.53", "destination_port": 53}


def parsed(entry: dict[str, Any], kind: str) -> Any:
    (expectation,) = parse_expectations({"expectations": [entry]}, kind)
    return expectation


def test_requests_and_packets_are_expected() -> None:
    request = parsed({"request": {"path": "/", "asn": 1}, "expect": "blocked", "rule": "a"}, REQUEST)
    assert (request.description, request.expected, request.rule, request.components) == (
        "path /, asn 1",
        "blocked",
        "a",
        [],
    )
    packet = parsed({"packet": RESOLVER, "expect": "mitigated", "description": "d"}, PACKET)
    assert (packet.description, packet.components) == ("d", ["syn_flood", "out_of_state_tcp", "dns"])
    assert packet.expected_of("dns") == "mitigated"
    one = parsed({"packet": RESOLVER, "expect": {"dns": "monitored"}}, PACKET)
    assert (one.components, one.expected_of("dns"), needs_dns([one])) == (["dns"], "monitored", True)
    assert not needs_dns([request])
    assert parse_expectations({"expectations": None}, REQUEST) == []


@pytest.mark.parametrize(
    ("entry", "kind", "problem"),
    [
        (
            {"request": {"path": "/"}, "packet": RESOLVER, "expect": "x"},
            REQUEST,
            "packet: it has a request and a packet",
        ),
        ({"packet": RESOLVER, "expect": "mitigated"}, REQUEST, "this module checks expectations of a request only"),
        ({"request": {"path": "/"}, "expect": "blocked"}, PACKET, "this module checks expectations of a packet only"),
        ({"expect": "blocked"}, REQUEST, "expectations[0]: it lacks request"),
        ({"request": {"path": "/"}, "expect": "blokced"}, REQUEST, "challenged, blocked (did you mean blocked?)"),
        ({"request": {"path": "/"}, "expect": {"dns": "x"}}, REQUEST, "expect: '{'dns': 'x'}' is not one of"),
        ({"packet": RESOLVER, "expect": {"udp": "mitigated"}}, PACKET, "expect: 'udp' is no component; there are"),
        ({"packet": RESOLVER, "expect": {}}, PACKET, "expect: it names no component"),
        ({"packet": RESOLVER, "expect": {"dns": "on"}}, PACKET, "expect.dns: 'on' is not one of mitigated"),
        (
            {"packet": RESOLVER, "expect": "mitigated", "rule": "a"},
            PACKET,
            "rule: only an expectation of a request names",
        ),
        (
            {"packet": {**RESOLVER, "destination_port": 1, "protocol": "udp"}, "expect": "mitigated"},
            PACKET,
            "no component sees",
        ),
    ],
)
def test_wrong_expectations_are_errors_with_their_place(entry: dict[str, Any], kind: str, problem: str) -> None:
    with pytest.raises(OptionError) as error:
        parsed(entry, kind)
    assert problem in error.value.message


def test_one_expectation_is_of_either_kind() -> None:
    assert parse_expectation(Option("x"), {"request": {"path": "/"}, "expect": "blocked"}).request
    with pytest.raises(OptionError, match="x: it takes either a request or a packet"):
        parse_expectation(Option("x"), {"expect": "blocked"})
