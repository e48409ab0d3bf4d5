# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sets of addresses obey the laws of sets, against Python's networks as the model."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    EVERYTHING,
    Ranges,
    complement,
    count,
    counted,
    difference,
    intersection,
    network_ranges,
    networks,
    overlaps,
    position_in,
    range_of,
    union,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.support.coverage_model import ADDRESSES, NETWORKS, holds


def in_set(ranges: Ranges, address: str) -> bool:
    return bool(intersection(ranges, set_of([address])))


def set_of(texts: list[str]) -> Ranges:
    return union(filter(None, map(range_of, texts)))


@given(st.lists(NETWORKS, max_size=8), st.lists(NETWORKS, max_size=8))
def test_sets_of_addresses_obey_the_laws_of_sets(some: list[str], others: list[str]) -> None:
    one, other = set_of(some), set_of(others)
    assert union([*one, *other]) == complement(intersection(complement(one), complement(other)))
    for address in ADDRESSES:
        in_one, in_other = (any(holds(text, address) for text in texts) for texts in (some, others))
        assert in_set(one, address) is in_one
        assert in_set(complement(one), address) is not in_one
        assert in_set(intersection(one, other), address) is (in_one and in_other)
        assert in_set(difference(one, other), address) is (in_one and not in_other)
    assert [overlaps(text, one) for text in others] == [bool(intersection(set_of([text]), one)) for text in others]
    assert count(one) + count(complement(one)) == count(EVERYTHING)
    assert set_of(networks(one)) == one
    parsed: list[Any] = [ipaddress.ip_network(text, strict=False) for text in some]
    expected = [
        str(network)
        for version in (4, 6)
        for network in ipaddress.collapse_addresses(item for item in parsed if item.version == version)
    ]
    assert networks(one) == expected


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ([], "no addresses"),
        (["192.0.2.1"], "1 IPv4 address"),
        (["192.0.2.0/24", "2001:db8::1"], "256 IPv4 addresses and 1 IPv6 address"),
        (["2001:db8::/48"], "65536 IPv6 /64 networks"),
        (["2001:db8::/64", "2001:db8:1::1"], "more than 1 IPv6 /64 network"),
    ],
)
def test_how_many_addresses_as_people_say_it(texts: list[str], sentence: str) -> None:
    assert counted(set_of(texts)) == sentence


def test_the_widest_networks_of_a_set_have_their_length() -> None:
    lengths = [
        (version, length)
        for version, length, dummy in network_ranges(set_of(["192.0.2.0/25", "192.0.2.128/26", "::/0"]))
    ]
    assert lengths == [(4, 25), (4, 26), (6, 0)]


@given(network=NETWORKS, texts=st.lists(NETWORKS))
def test_a_network_lies_inside_of_a_set_outside_or_across_its_edge(network: str, texts: list[str]) -> None:
    ranges, space = set_of([network]), set_of(texts)
    inside, outside = not difference(ranges, space), not intersection(ranges, space)
    assert position_in(ranges[0], space) == ("inside" if inside else "outside" if outside else "straddling")


def test_a_union_joins_neighbours_below_zero() -> None:
    assert union([(-1, 5), (-2, -2)]) == [(-2, 5)]
