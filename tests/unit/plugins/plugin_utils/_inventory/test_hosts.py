# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import plan_of, why_not_served
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._inventory.hosts import (
    Directory,
    Selection,
    account_names,
    age_of_cache,
    group_of_zones,
    hosts_of,
    hyphenated,
    longer_names,
    zone_names,
)

ONE, TWO = "1a2b3c" + "0" * 26, "1a2b3c" + "1" * 26


@pytest.mark.parametrize(
    ("name", "hyphens"),
    [
        ("Example GmbH & Co. KG", "example-gmbh-co-kg"),
        ("  two__words  ", "two-words"),
        ("\u041c\u043e\u0441\u043a\u0432\u0430 1", "\u043c\u043e\u0441\u043a\u0432\u0430-1"),
        ("\u6771\u4eac", "\u6771\u4eac"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940"),
        ("Cafe\u0301", "caf\u00e9"),
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
        ([("a" * 32, "All"), ("b" * 32, "localhost")], ["all-aaaaaa", "localhost-bbbbbb"]),
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


@pytest.mark.parametrize(
    ("zones", "names"),
    [
        ([("a" * 32, "Example.COM"), ("b" * 32, "example.org")], ["example.com", "example.org"]),
        ([("a" * 32, "example.com"), ("b" * 32, "example.com")], ["example.com-aaaaaa", "example.com-bbbbbb"]),
        ([("a" * 32, None), ("b" * 32, "{{ 6 * 7 }}/..")], ["zone-aaaaaa", "6-7"]),
        ([("a" * 32, ".."), ("b" * 32, ".")], ["zone-aaaaaa", "zone-bbbbbb"]),
    ],
)
def test_host_names_of_zones_are_their_domains(zones: list[tuple[str, str]], names: list[str]) -> None:
    assert list(zone_names({"id": identity, "name": name} for identity, name in zones).values()) == names


SHOP, OTHER_SHOP = "a" * 32, "b" * 32
GMBH, LTD = {"id": "1" * 32, "name": "Example GmbH"}, {"id": "2" * 32, "name": "Other, Ltd"}


@pytest.mark.parametrize(
    ("statuses", "accounts", "names"),
    [
        (("active", "pending"), (GMBH, LTD), ["shop.example", "shop.example-other-ltd"]),
        (("moved", "active"), (GMBH, LTD), ["shop.example-example-gmbh", "shop.example"]),
        (("active", "pending"), (GMBH, {}), ["shop.example", "shop.example-bbbbbb"]),
        (("active", "pending"), (GMBH, GMBH), ["shop.example", "shop.example-example-gmbh"]),
        (("pending", "pending"), (GMBH, LTD), ["shop.example-example-gmbh", "shop.example-other-ltd"]),
        (("active", "active"), (GMBH, LTD), ["shop.example-example-gmbh", "shop.example-other-ltd"]),
        (("pending", "pending"), (LTD, LTD), ["shop.example-other-ltd-aaaaaa", "shop.example-other-ltd-bbbbbb"]),
    ],
)
def test_the_zone_that_is_active_has_the_name(
    statuses: tuple[str, str], accounts: tuple[dict[str, str], dict[str, str]], names: list[str]
) -> None:
    zones = [
        {"id": identity, "name": "shop.example", "status": status, "account": account}
        for identity, status, account in zip((SHOP, OTHER_SHOP), statuses, accounts, strict=True)
    ]
    assert [*zone_names(zones).values()] == names
    longer = [name for name in names if name != "shop.example" and "shop.example" in names]
    assert [*longer_names(zones)] == longer


def test_a_zone_with_a_longer_name_is_told() -> None:
    zones = [
        {"id": SHOP, "name": "shop.example", "status": "active", "account": GMBH},
        {"id": OTHER_SHOP, "name": "shop.example", "status": "pending", "account": LTD},
    ]
    assert [*longer_names(zones).values()] == [
        "The zone shop.example of the account Other, Ltd is the host shop.example-other-ltd, since another zone of this name is"
        " active. The status of this one is pending."
    ]


def test_the_group_of_an_accounts_zones_is_a_name_that_ansible_takes() -> None:
    assert group_of_zones("caf\u00e9-2-\u0939\u093f") == "zones_of_caf\u00e9_2_\u0939_"


def test_patterns_that_match_nothing_are_named() -> None:
    owner = {"id": "a" * 32, "name": "Example"}
    directory = Directory([], [{"id": "b" * 32, "name": "example.com", "account": owner}])
    selection = Selection(["example", "exmaple"], ["*.com", "b" * 32, "*.net"])
    assert selection.unmatched(directory) == ["exmaple", "*.net"]
    assert Selection().unmatched(directory) == []


@pytest.mark.parametrize("identity", [None, "", 7, {"id": "a" * 32}, ["a" * 32]])
def test_an_item_without_an_id_is_refused(identity: object) -> None:
    with pytest.raises(ValueError, match="an account or zone without an id"):
        hosts_of(Directory([{"id": identity, "name": ""}], []), Selection())
    with pytest.raises(ValueError, match="lists example.com without an id"):
        hosts_of(Directory([], [{"id": identity, "name": "example.com"}]), Selection())


@pytest.mark.parametrize("odd", ["free", ["free"], 7, None])
def test_a_plan_and_an_account_that_are_no_objects_are_not_known(odd: object) -> None:
    zone = {"id": "b" * 32, "name": "example.com", "plan": odd, "account": odd}
    (host,) = hosts_of(Directory([], [zone]), Selection())
    assert (host.variables["edge_zone_plan"], host.variables["edge_zone_account_id"]) == (None, None)


@pytest.mark.parametrize(
    ("accounts", "zones", "names"),
    [
        (["example-*"], [], ["example-bank"]),
        (["Example *"], [], ["example-bank"]),
        (["example-bank"], None, ["example-bank", "shop.example-example-bank"]),
        ([], ["shop.example-e*"], ["shop.example-example-bank"]),
        ([], ["shop.example"], ["shop.example-corp", "shop.example-example-bank"]),
        (["other-*"], [], []),
    ],
)
def test_patterns_select_by_names_of_hosts_as_well(
    accounts: list[str], zones: list[str] | None, names: list[str]
) -> None:
    bank, corp = {"id": "a" * 32, "name": "Example Bank"}, {"id": "d" * 32, "name": "Corp"}
    directory = Directory(
        [bank, corp],
        [
            {"id": "b" * 32, "name": "shop.example", "account": bank},
            {"id": "c" * 32, "name": "shop.example", "account": corp},
        ],
    )
    selection = Selection(accounts, zones)
    assert [host.name for host in hosts_of(directory, selection)] == names
    assert selection.unmatched(directory) == ([] if names else accounts)


@pytest.mark.parametrize(
    ("seconds", "age"), [(0, ""), (3599, ""), (-60, ""), (3600, "1 hour old"), (260_000, "72 hours old")]
)
def test_lists_that_are_older_than_an_hour_are_told_with_their_age(seconds: int, age: str) -> None:
    sentences = age_of_cache(1_000_000, 1_000_000 + seconds)
    assert [age in sentence for sentence in sentences] == [True] * bool(age)


PLANS: list[dict[str, Any]] = [
    *(
        {"plan": {"legacy_id": plan, "name": f"{plan.title()} Website"}}
        for plan in ("free", "pro", "business", "enterprise")
    ),
    *({"plan": plan} for plan in ({"name": "Enterprise Website"}, {}, None)),
]
STATUSES: list[dict[str, Any]] = [
    *(
        {"status": status}
        for status in ("active", "pending", "moved", "initializing", "deactivated", "read only", None)
    ),
    *({"status": "active", "paused": paused} for paused in (True, False, None)),
]


@pytest.mark.parametrize("fields", [{}, *PLANS, *STATUSES], ids=str)
def test_roles_know_of_a_zone_what_cloudflare_lists(fields: dict[str, Any]) -> None:
    listed = {"id": ONE, "name": "shop.example", "account": {"id": TWO, "name": "Example"}, **fields}
    hosts = hosts_of(Directory(zones=[listed]), Selection())
    assert [host.group for host in hosts] == ["accounts", "zones"]
    variables = {**hosts[1].variables, "baseline_custom_rules": [], "edge_api_token": "x" * 40}
    zone = host_part("shop.example", variables).context.host.zone
    assert (plan_of(zone), why_not_served(zone)) == (plan_of(listed), why_not_served(listed))
    assert zone["account"] == {"id": TWO}
