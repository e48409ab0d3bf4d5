# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists that expressions refer to."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import parse
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.lists import (
    MOST_SPELT_OUT,
    lists_in,
    with_contents,
)
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import matches_every_request
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    EVERYTHING,
    Contents,
    range_of,
)

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
    assert with_contents(expression, {"office": Contents(OFFICE), "empty": Contents()}) == spelt_out


OTHERS = {
    "systems": Contents(numbers=frozenset([64501, 64500])),
    "shops": Contents(hostnames=frozenset(["shop.example.com", "*.example.net"])),
    "exact": Contents(hostnames=frozenset(["a.example.com"])),
}


@pytest.mark.parametrize(
    ("expression", "spelt_out"),
    [
        ("ip.src.asnum in $systems", "ip.src.asnum in {64500 64501}"),
        (
            "ssl and not http.host in $shops",
            'ssl and not (http.host in {"shop.example.com"} or http.host wildcard "*.example.net")',
        ),
        (
            "lower(http.host) in $exact or ip.src.asnum in $systems",
            '(lower ( http.host ) in {"a.example.com"}) or ip.src.asnum in {64500 64501}',
        ),
        ('any(http.request.headers["x"][*] in $exact)', 'any(http.request.headers["x"][*] in $exact)'),
    ],
)
def test_lists_of_other_kinds_are_spelt_out_by_their_kind(expression: str, spelt_out: str) -> None:
    assert with_contents(expression, OTHERS) == spelt_out
    parse(spelt_out)


def test_a_wildcard_stands_for_all_below_it() -> None:
    contents = Contents(hostnames=frozenset(["*.example.net", "*.b.example.com", "example.com"]))
    names = ["a.example.net", "a.b.example.net", "example.net", "b.example.com", "*.c.example.net", "*.example.com"]
    assert [contents.has_hostname(name) for name in names] == [True, True, False, False, True, False]
    others = contents.without(Contents(hostnames=frozenset(["*.example.com", "x.example.net"])))
    assert others.hostnames == {"*.example.net", "example.com"}


def test_a_long_list_stays_a_name() -> None:
    long: Any = [range_of(f"10.{number >> 8}.{number & 255}.1") for number in range(MOST_SPELT_OUT + 1)]
    assert with_contents("ip.src in $long", {"long": Contents(long)}) == "ip.src in $long"


def test_a_list_that_is_everything_is_everything() -> None:
    assert not matches_every_request(Expression.of("ip.src in $all"))
    assert matches_every_request(Expression.of(with_contents("ip.src in $all", {"all": Contents(EVERYTHING)})))
    assert not matches_every_request(Expression.of(with_contents("ip.src in $all", {"all": Contents(EVERYTHING[:1])})))


def test_a_list_without_addresses_matches_nothing() -> None:
    assert matches_every_request(Expression.of(with_contents("not ip.src in $empty", {"empty": Contents()})))
