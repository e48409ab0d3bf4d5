# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accounts and zones that a token sees."""

from __future__ import annotations

import pytest
import requests

from tests.fake_service import LocalService

from .conftest import ACCOUNT, ZONE, Client


@pytest.fixture
def directory(service: LocalService, session: requests.Session) -> Client:
    service.account(ACCOUNT).seed(name="Example Frankfurt")
    service.zone(ZONE).seed(name="shop.example.com", plan="pro", account_id=ACCOUNT)
    return Client(session, service.base_url)


def test_an_account_has_its_name_and_type(directory: Client) -> None:
    (account,) = directory.result("GET", "/accounts")
    assert (account["id"], account["name"], account["type"]) == (ACCOUNT, "Example Frankfurt", "enterprise")


def test_a_zone_has_its_account_and_plan(directory: Client) -> None:
    (zone,) = directory.result("GET", "/zones")
    assert zone == directory.result("GET", f"/zones/{ZONE}")
    assert (zone["name"], zone["plan"]["legacy_id"], zone["account"]) == (
        "shop.example.com",
        "pro",
        {"id": ACCOUNT, "name": "Example Frankfurt"},
    )


def test_zones_are_found_by_name_and_by_account(service: LocalService, directory: Client) -> None:
    service.zone("a" * 32).seed(name="other.example.com")
    assert [zone["id"] for zone in directory.result("GET", "/zones?name=shop.example.com")] == [ZONE]
    assert [zone["id"] for zone in directory.result("GET", f"/zones?account.id={ACCOUNT}")] == [ZONE]
    assert directory.result("GET", "/zones?name=nowhere.example") == []


def test_pages_hold_twenty_unless_the_query_says_otherwise(service: LocalService, directory: Client) -> None:
    for number in range(60):
        service.account(f"{number:032x}")
    assert [len(directory.result("GET", f"/accounts?page={page}")) for page in (1, 4)] == [20, 1]
    assert len(directory.result("GET", "/accounts?per_page=50")) == 50
    assert directory.refused("GET", "/accounts?per_page=51")["status"] == 400


def test_a_token_sees_only_its_accounts_and_zones(service: LocalService, directory: Client) -> None:
    service.add_token("zones-only", account_settings="none")
    service.add_token("elsewhere", only=["b" * 32])
    for token, accounts, zones in (("zones-only", 0, 1), ("elsewhere", 0, 0)):
        directory.session.headers["Authorization"] = f"Bearer {token}"
        assert (len(directory.result("GET", "/accounts")), len(directory.result("GET", "/zones"))) == (accounts, zones)
    assert directory.refused("GET", f"/zones/{ZONE}")["status"] == 403
