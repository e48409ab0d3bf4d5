# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists, a page at a time."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Client


@pytest.fixture
def full(account: Any) -> Any:
    return account.seed(
        prefixes=[{"prefix": f"192.0.2.{n}", "comment": str(n % 3)} for n in reversed(range(60))],
        syn_flood={"rules": [{"scope": "region", "name": name} for name in ("WEUR", "EEUR", "WNAM")]},
    )


def listed(client: Client, path: str, **query: Any) -> tuple[list[str], dict[str, int]]:
    answer = client("GET", path, params=query).json()
    return [item.get("prefix", item.get("name")) for item in answer["result"]], answer["result_info"]


def test_25_a_page_by_default(protection: Client, full: Any) -> None:
    shown, info = listed(protection, "/prefixes")
    assert len(shown) == 25
    assert info == {"page": 1, "per_page": 25, "count": 25, "total_count": 60, "total_pages": 3}


def test_pages_together_are_the_list(protection: Client, full: Any) -> None:
    pages = [listed(protection, "/prefixes", page=page, per_page=40) for page in (1, 2, 3)]
    assert [info["count"] for dummy, info in pages] == [40, 20, 0]
    assert sorted(prefix for shown, dummy in pages for prefix in shown) == sorted(
        item["prefix"] for item in full.prefixes
    )


def test_an_empty_list_has_no_pages(protection: Client) -> None:
    assert listed(protection, "/prefixes") == (
        [],
        {"page": 1, "per_page": 25, "count": 0, "total_count": 0, "total_pages": 0},
    )


def test_prefixes_come_by_prefix_and_rules_as_they_were_made(protection: Client, full: Any) -> None:
    assert listed(protection, "/prefixes")[0][:3] == ["192.0.2.0", "192.0.2.1", "192.0.2.10"]
    assert listed(protection, "/syn_protection/rules")[0] == ["WEUR", "EEUR", "WNAM"]


def test_the_order_can_be_chosen(protection: Client, full: Any) -> None:
    assert listed(protection, "/prefixes", direction="DESC")[0][0] == "192.0.2.9"
    assert listed(protection, "/syn_protection/rules", order="name")[0] == ["EEUR", "WEUR", "WNAM"]
    assert listed(protection, "/syn_protection/rules", direction="DESC")[0] == ["WNAM", "EEUR", "WEUR"]
    assert "'colour'" in protection.refused("GET", "/prefixes", params={"order": "colour"})["message"]


def test_a_thousand_at_once(protection: Client, account: Any) -> None:
    account.seed(prefixes=[{"prefix": f"10.{n // 256}.{n % 256}.0/24"} for n in range(1000)])
    shown, info = listed(protection, "/prefixes", per_page=1000)
    assert (len(shown), info["total_pages"]) == (1000, 1)
