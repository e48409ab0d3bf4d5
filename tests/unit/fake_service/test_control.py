# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service's controls over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.fake_service import LocalService

from .conftest import ACCOUNT, Client


@pytest.fixture
def control(service: LocalService, session: requests.Session) -> Client:
    return Client(session, service.control_url)


def test_calls_are_read_and_forgotten(control: Client, protection: Client, service: LocalService) -> None:
    protection.result("GET", "/prefixes")
    (call,) = control("GET", "/calls").json()
    assert (call["method"], call["status"], call["authorization"]) == ("GET", 200, "bearer")
    control("DELETE", "/calls")
    assert service.calls == []


def test_faults_are_set_and_cleared(control: Client, protection: Client) -> None:
    fault = {"kind": "status", "status": 503, "path": "/prefixes$", "times": 1}
    assert control("POST", "/faults", fault).json()["kind"] == "status"
    assert protection("GET", "/prefixes").status_code == 503
    assert control("GET", "/faults").json()[0]["seen"] == 1
    control("DELETE", "/faults")
    assert control("GET", "/faults").json() == []
    refused = control("POST", "/faults", {"kind": "explode"})
    assert refused.status_code == 400 and "explode" in refused.json()["error"]


def test_the_state_is_read_and_replaced(control: Client, protection: Client, account: Any) -> None:
    account.seed(prefixes=[{"prefix": "192.0.2.0/24"}])
    state = control("GET", "/state").json()
    assert state["accounts"][ACCOUNT]["prefixes"] == account.prefixes
    text = f"accounts:\n  {ACCOUNT}:\n    allowlist:\n      - prefix: 198.51.100.1\n"
    assert control("PUT", "/state", data=text).status_code == 200
    assert protection.result("GET", "/prefixes") == []
    assert protection.result("GET", "/allowlist")[0]["prefix"] == "198.51.100.1"
    control("PUT", "/state", state)
    assert control("GET", "/state").json() == state


def test_accounts_and_zones_change_as_in_the_dashboard(control: Client, service: LocalService) -> None:
    service.account(ACCOUNT).seed(name="Acme", prefixes=[{"prefix": "192.0.2.0/24"}])
    service.zone("b" * 32).seed(name="blog.example")
    zone = {"name": "shop.example", "status": "pending"}
    amended = {"accounts": {ACCOUNT: {"name": "Ajax"}}, "zones": {"b" * 32: None, "c" * 32: zone}}
    assert control("PATCH", "/state", amended).status_code == 200
    account = service.account(ACCOUNT)
    assert (account.name, len(account.prefixes), [*service.zones]) == ("Ajax", 1, ["c" * 32])
    assert service.zone("c" * 32).status == "pending"
    refused = control("PATCH", "/state", {"tokens": {}})
    assert refused.status_code == 400 and "tokens" in refused.json()["error"]


def test_control_is_outside_the_api(control: Client, service: LocalService) -> None:
    service.misbehave("status", status=500)
    service.rate_limit(0, 60)
    assert control("GET", "/state", headers={"Authorization": None}).status_code == 200
    assert service.calls == []
