# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import (
    Comparison,
    addresses_of,
    leaves,
    numbers_of,
    parse,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import complement, range_of, union


@pytest.mark.parametrize(
    ("operand", "first", "last"),
    [
        ("192.0.2.1", "192.0.2.1", "192.0.2.1"),
        ("192.0.2.0/24", "192.0.2.0", "192.0.2.255"),
        ("192.0.2.6/31", "192.0.2.6", "192.0.2.7"),
        ("0.0.0.0/0", "0.0.0.0", "255.255.255.255"),
        ("192.0.2.9..198.51.100.1", "192.0.2.9", "198.51.100.1"),
        ("192.0.2.9..192.0.2.9", "192.0.2.9", "192.0.2.9"),
        ("2001:DB8::1", "2001:db8::1", "2001:db8::1"),
        ("2001:db8::/32", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ],
)
def test_a_set_names_the_addresses_from_the_first_to_the_last(operand: str, first: str, last: str) -> None:
    (comparison,) = leaves(parse(f"ip.dst in {{{operand} 203.0.113.7}}"))
    assert isinstance(comparison, Comparison)
    named = [(range_of(first) or (0, 0))[0], (range_of(last) or (0, 0))[1]]
    assert addresses_of(comparison) == union([(named[0], named[1]), *filter(None, [range_of("203.0.113.7")])])


@pytest.mark.parametrize(
    ("condition", "numbers"),
    [
        ("eq 7", [(7, 7)]),
        ("ne 7", [(0, 6), (8, 9)]),
        ("ne 0", [(1, 9)]),
        ("ne 9", [(0, 8)]),
        ("lt 7", [(0, 6)]),
        ("lt 0", []),
        ("le 7", [(0, 7)]),
        ("gt 7", [(8, 9)]),
        ("gt 9", []),
        ("ge 7", [(7, 9)]),
        ("eq 20", []),
        ("in {1 3..5}", [(1, 1), (3, 5)]),
        ("in {5..20}", [(5, 9)]),
    ],
)
def test_the_numbers_from_0_to_9_that_meet_a_condition(condition: str, numbers: list[tuple[int, int]]) -> None:
    comparison = parse(f"tcp.dstport {condition}")
    assert isinstance(comparison, Comparison)
    assert numbers_of(comparison, 0, 9) == numbers


@pytest.mark.parametrize("network", ["192.0.2.0/24", "2001:db8::/32", "::/0"])
def test_the_addresses_that_meet_a_condition(network: str) -> None:
    inside = parse(f"ip.dst in {{{network}}}")
    assert isinstance(inside, Comparison)
    assert addresses_of(inside) == [range_of(network)]
    other = parse("ip.dst ne 192.0.2.1")
    assert isinstance(other, Comparison)
    assert addresses_of(other) == complement([range_of("192.0.2.1") or (0, 0)])
