# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Advanced TCP Protection: what each operation does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_service import LocalService

from .conftest import Client

RULE = {"scope": "region", "name": "WEUR", "mode": "monitoring", "rate_sensitivity": "low", "burst_sensitivity": "high"}
LISTS: dict[str, dict[str, Any]] = {
    "/prefixes": {"prefix": "192.0.2.7/24", "comment": "edge", "excluded": True},
    "/allowlist": {"prefix": "2001:DB8::1", "comment": "", "enabled": False},
    "/syn_protection/rules": {**RULE, "mitigation_type": "retransmit"},
    "/syn_protection/filters": {"expression": "ip.dst in {192.0.2.0/24}", "mode": "monitoring"},
    "/tcp_flow_protection/rules": RULE,
    "/tcp_flow_protection/filters": {"expression": "tcp.dstport eq 443", "mode": "disabled"},
}
every_list = pytest.mark.parametrize("path", LISTS)


def prefixes(count: int) -> list[dict[str, Any]]:
    return [{"prefix": f"10.{n // 256}.{n % 256}.0/24", "comment": "", "excluded": False} for n in range(count)]


def test_a_bulk_add_is_one_transaction(protection: Client, account: Any, service: LocalService) -> None:
    service.switch(refuse_duplicates=True)
    account.seed(prefixes=[{"prefix": "10.0.1.0/24"}])
    refused = protection.refused("POST", "/prefixes/bulk", prefixes(3))
    assert (refused["status"], refused["pointer"]) == (409, "/1")
    assert [item["prefix"] for item in account.prefixes] == ["10.0.1.0/24"]


@every_list
def test_duplicates_are_accepted_unless_switched_off(protection: Client, service: LocalService, path: str) -> None:
    first, second = (protection.result("POST", path, LISTS[path]) for dummy in range(2))
    assert first["id"] != second["id"]
    service.switch(refuse_duplicates=True)
    assert protection.refused("POST", path, LISTS[path])["status"] == 409
