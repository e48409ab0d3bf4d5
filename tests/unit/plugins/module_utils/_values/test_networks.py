# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Networks as the standard library takes them, sorted, and found to overlap."""

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    added_length,
    cut_host_bits,
    networks_overlap,
    normalise_network,
    parse_network,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import NETWORK
from hypothesis import given
from hypothesis import strategies as st

NETWORKS = st.tuples(st.ip_addresses(), st.integers(0, 128)).map(
    lambda pair: f"{pair[0]}/{min(pair[1], pair[0].max_prefixlen)}"
)


def test_networks_sort_before_their_subsets() -> None:
    texts = ["192.0.2.64/28", "2001:db8::/32", "192.0.2.0/24", "odd", "192.0.2.0/28"]
    assert sorted(texts, key=normalise_network) == [
        "odd", "192.0.2.0/24", "192.0.2.0/28", "192.0.2.64/28", "2001:db8::/32",
    ]  # fmt: skip


@given(one=NETWORKS, other=NETWORKS)
def test_networks_overlap_as_the_standard_library_says(one: str, other: str) -> None:
    networks = [ipaddress.ip_network(text, strict=False) for text in (one, other)]
    expected = networks[0].version == networks[1].version and networks[0].overlaps(networks[1])
    assert networks_overlap(one, other) is expected


ADDRESSES = ("0.0.0.0", "10.0.0.0", "192.0.2.0", "192.0.2.7", "255.255.255.255", "192.0.2.07", "192.0.2")
ADDRESSES_V6 = ("::", "2001:db8::", "2001:db8::1", "2001:DB8::", "2001:db8:0::", "::ffff:192.0.2.0", "2001:db8:::")
LENGTHS = ("", *(f"/{length}" for length in (0, 1, 8, 23, 24, 25, 31, 32, 33, 48, 64, 127, 128, 129)), "/08", "/", "/x")


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("address", ADDRESSES + ADDRESSES_V6)
def test_a_network_is_what_the_standard_library_takes_it_for(address: str, length: str) -> None:
    text = address + length
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        is_short = address == "192.0.2" and length in ("/23", "/24")
        assert normalise_network(text) == (normalise_network(f"192.0.2.0{length}") if is_short else (0, 0, 0, text))
        with pytest.raises(ValueError, match="is not a network"):
            NETWORK.parse(text)
    else:
        assert normalise_network(text) == (network.version, int(network.network_address), network.prefixlen, "")
        assert NETWORK.parse(text) == str(network)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("198.51.100.77/24", "198.51.100.77/24 is an address within 198.51.100.0/24, which the task uses;"),
        (
            "2001:db8::7/48",
            "is an address within 2001:db8::/48, which the task uses; write 2001:db8::/48, or 2001:db8::7/128",
        ),
        ("2001:DB8::/32", ""),
        (" 192.0.2.0/24 ", ""),
        ("192.0.2.7/32", ""),
        ("192.0.2.7", ""),
        ("192.0.2.7/255.255.255.0", ""),
        ("nothing/24", ""),
    ],
)
def test_bits_that_are_cut_off_are_said(text: str, remark: str) -> None:
    assert (remark in cut_host_bits(text)) and bool(cut_host_bits(text)) == bool(remark)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("192.0.2.7", "192.0.2.7 has no length and is taken for 192.0.2.7/32; write 192.0.2.7/32"),
        ("2001:DB8::7", "2001:DB8::7 has no length and is taken for 2001:db8::7/128; write 2001:db8::7/128"),
        ("192.0.2.7/32", ""),
        ("192.0.2", ""),
    ],
)
def test_a_length_that_is_added_is_said(text: str, remark: str) -> None:
    assert added_length(text) == remark


@pytest.mark.parametrize(
    ("text", "words"), [("198.51.100.0/48", "/48 is too long for IPv4"), ("::/129", "/129 is too long for IPv6")]
)
def test_a_length_beyond_the_addresses_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"^'{text}' is not a network: {words}$"):
        parse_network(text)
