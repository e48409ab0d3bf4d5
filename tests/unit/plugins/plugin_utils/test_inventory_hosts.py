# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils.inventory_hosts import (
    Directory,
    Selection,
    account_names,
    hosts_of,
    hyphenated,
)

ONE, TWO = "1a2b3c" + "0" * 26, "1a2b3c" + "1" * 26


@pytest.mark.parametrize(
    ("name", "hyphens"),
    [
        ("Example GmbH & Co. KG", "example-gmbh-co-kg"),
        ("  two__words  ", "two-words"),
        ("\u041c\u043e\u0441\u043a\u0432\u0430 1", "\u043c\u043e\u0441\u043a\u0432\u0430-1"),
        ("\u6771\u4eac", "\u6771\u4eac"),
        ("!!!", ""),
    ],
)
def test_a_name_becomes_letters_digits_and_hyphens(name: str, hyphens: str) -> None:
    assert hyphenated(name) == hyphens


@pytest.mark.parametrize(
    ("accounts", "names"),
    [
        ([(ONE, "Example"), (TWO, "Other")], ["example", "other"]),
        ([("a" * 32, "Example"), ("b" * 32, "example")], ["example-aaaaaa", "example-bbbbbb"]),
        ([(ONE, "Example"), (TWO, "Example!")], ["example-" + ONE, "example-" + TWO]),
        ([("a" * 32, "!!!")], ["account-aaaaaa"]),
        ([("a" * 32, "Example"), ("b" * 32, "Example"), ("c" * 32, "Example-AAAAAA")],
         ["example-" + "a" * 32, "example-bbbbbb", "example-aaaaaa-" + "c" * 32]),
    ],
)  # fmt: skip
def test_host_names_of_accounts_are_unique(accounts: list[tuple[str, str]], names: list[str]) -> None:
    host_names = account_names({"id": identity, "name": name} for identity, name in accounts)
    assert list(host_names.values()) == names


def test_an_account_gives_way_to_a_zone_of_its_name() -> None:
    accounts = [{"id": "a" * 32, "name": "Corp"}]
    zones = [{"id": "b" * 32, "name": "corp", "account": accounts[0]}]
    assert [host.name for host in hosts_of(Directory(accounts, zones), Selection())] == ["corp-aaaaaa", "corp"]


def test_a_zone_without_an_account_is_a_host_all_the_same() -> None:
    (host,) = hosts_of(Directory([], [{"id": "b" * 32, "name": "example.com"}]), Selection())
    assert (host.name, host.parent_group, host.variables["edge_zone_account"]) == ("example.com", None, None)
