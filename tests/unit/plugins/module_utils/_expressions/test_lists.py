# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists that expressions refer to."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import (
    MOST_SPELT_OUT,
    lists_in,
    with_contents,
)
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import matches_every_request
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import EVERYTHING, range_of

OFFICE: Any = [range_of("192.0.2.0/24")]


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("ip.src in $office", ["office"]),
        ("not ip.src in $office and (ip.src in $shops or ip.src in $office)", ["office", "shops"]),
        ('http.host eq "$office"', []),
        ("ip.src in $cf.malware", []),
        ("ip.src in {192.0.2.1}", []),
        ('ip.src in $office and "', []),
    ],
)
def test_lists_of_the_account_are_found_outside_of_texts(expression: str, names: list[str]) -> None:
    assert lists_in(expression) == names


@pytest.mark.parametrize(
    ("expression", "spelt_out"),
    [
        ("ip.src in $office", "ip.src in {192.0.2.0/24}"),
        ("ip.src in $office or not ip.src in $office", "ip.src in {192.0.2.0/24} or not ip.src in {192.0.2.0/24}"),
        ('http.host eq "$office" or ip.src in $shops', 'http.host eq "$office" or ip.src in $shops'),
        ("ip.src in $empty", "ip.src in {}"),
    ],
)
def test_known_lists_are_spelt_out(expression: str, spelt_out: str) -> None:
    assert with_contents(expression, {"office": OFFICE, "empty": []}) == spelt_out


def test_a_long_list_stays_a_name() -> None:
    long: Any = [range_of(f"10.{number >> 8}.{number & 255}.1") for number in range(MOST_SPELT_OUT + 1)]
    assert with_contents("ip.src in $long", {"long": long}) == "ip.src in $long"


def test_a_list_that_is_everything_is_everything() -> None:
    assert not matches_every_request("ip.src in $all")
    assert matches_every_request(with_contents("ip.src in $all", {"all": EVERYTHING}))
    assert not matches_every_request(with_contents("ip.src in $all", {"all": EVERYTHING[:1]}))


def test_a_list_without_addresses_matches_nothing() -> None:
    assert matches_every_request(with_contents("not ip.src in $empty", {"empty": []}))
