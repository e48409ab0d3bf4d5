# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.batch import Batch
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Fields, Items, Pairs

REQUESTS = [
    Fields({"http.host": b"a", "ssl": True, "n": 1}),
    Fields({"http.host": b"b", "ssl": True, "ip.src": ipaddress.ip_address("192.0.2.1")}),
    Fields({"http.host": b"a", "h": Pairs({b"x": Items((b"1",))}), "n": 2}),
    Fields({"ssl": False, "n": True}),
    Fields({}),
]
PARTS = [
    'http.host eq "a"',
    "ssl",
    "n eq 1",
    'any(h["x"][*] eq "1")',
    "ip.src in {192.0.2.0/24}",
    "true",
    "false",
    "n ~ 1",
]


@pytest.mark.parametrize("operator", ["and", "or", "xor"])
@pytest.mark.parametrize("negation", ["", "not "])
def test_requests_may_match_if_each_of_them_may(operator: str, negation: str) -> None:
    batch = Batch(REQUESTS)
    for one in PARTS:
        for other in PARTS:
            expression = f"{negation}({one} {operator} not {other}) and ssl or {other}"
            possible = sum(
                1 << index
                for index, fields in enumerate(REQUESTS)
                if Expression.of(expression).evaluate(fields) is not False
            )
            assert batch.matching(Expression.of(expression))[1] == possible, expression


def test_every_request_may_match_what_cannot_be_read() -> None:
    assert Batch(REQUESTS).matching(Expression.of("http.host eq")) == (0, 0b11111)
    assert Batch([]).matching(Expression.of("true")) == (0, 0)
