# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is let in, and how the others are turned away."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_service import LocalService

from .conftest import Client

KEY = {"X-Auth-Email": LocalService.email, "X-Auth-Key": LocalService.key}


def without_token(client: Client) -> Client:
    del client.session.headers["Authorization"]
    return client


def with_token(client: Client, token: str) -> Client:
    client.session.headers["Authorization"] = f"Bearer {token}"
    return client


@pytest.mark.parametrize(
    ("headers", "status", "code", "chained"),
    [
        ({}, 403, 10000, None),
        ({"Authorization": "Bearer unknown"}, 403, 9109, None),
        ({"Authorization": "token"}, 400, 6003, 6111),
        ({"Authorization": "Bearer two words"}, 400, 6003, 6111),
        ({"X-Auth-Email": LocalService.email, "X-Auth-Key": LocalService.token}, 400, 6003, 6103),
        ({"X-Auth-Email": LocalService.email, "X-Auth-Key": "0" * 37}, 403, 10000, None),
        ({"X-Auth-Email": "other@example.com", "X-Auth-Key": LocalService.key}, 403, 10000, None),
    ],
)
def test_bad_credentials(
    firewall: Client, headers: dict[str, str], status: int, code: int, chained: int | None
) -> None:
    response = without_token(firewall)("GET", "/firewall/rules", headers=headers)
    error = response.json()["errors"][0]
    assert (response.status_code, error["code"]) == (status, code)
    assert [link["code"] for link in error.get("error_chain", [])] == ([chained] if chained else [])


@pytest.mark.parametrize("path", ["/firewall/rules", "/rulesets"])
def test_zones_take_the_key_as_well(firewall: Client, path: str) -> None:
    assert without_token(firewall).result("GET", path, headers=KEY) == []


def test_a_token_may_be_for_reading_only(protection: Client, service: LocalService, account: Any) -> None:
    with_token(protection, service.add_token("reader", protection="read"))
    assert protection.result("GET", "/prefixes") == []
    refused = protection.refused("PATCH", "/tcp_protection_status", {"enabled": True})
    assert (refused["status"], refused["code"], account.enabled) == (403, 10000, False)


@pytest.mark.parametrize(("waf", "read", "written"), [("none", 403, 403), ("read", 200, 403), ("write", 200, 200)])
def test_rulesets_are_an_area_of_their_own(
    firewall: Client, service: LocalService, zone: Any, waf: Any, read: int, written: int
) -> None:
    zone.seed(custom_rules=[])
    with_token(firewall, service.add_token("some", waf=waf))
    entry_point = "/rulesets/phases/http_request_firewall_custom/entrypoint"
    assert firewall("GET", entry_point).status_code == read
    for query in ({}, {"dry_run": "true"}):
        assert firewall("PUT", entry_point, {}, params=query).status_code == written
    assert firewall.result("GET", "/firewall/rules") == []
    with_token(firewall, service.add_token("other", firewall="none"))
    assert firewall.result("GET", "/rulesets") and firewall.refused("GET", "/firewall/rules")["code"] == 10000
