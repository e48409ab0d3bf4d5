# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of calls."""

from __future__ import annotations

import hashlib
from dataclasses import asdict

from tests.fake_service import LocalService

from .conftest import ACCOUNT, Client


def test_a_call_is_logged_whole(protection: Client, service: LocalService) -> None:
    protection("PATCH", "/tcp_protection_status", {"enabled": True}, headers={"User-Agent": "a test"})
    (call,) = service.calls
    assert (call.number, call.method, call.status, call.maybe_applied, call.fault) == (1, "PATCH", 200, True, None)
    assert call.path == f"/accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/tcp_protection_status"
    assert (call.query, call.body) == ({}, {"enabled": True})
    assert (call.headers["User-Agent"], call.headers["Content-Type"]) == ("a test", "application/json")


def test_queries_are_dicts(firewall: Client, service: LocalService) -> None:
    firewall("DELETE", "/firewall/rules", params={"id": ["a", "b"]})
    firewall("GET", "/firewall/rules", params={"page": 2})
    assert [call.query for call in service.calls] == [{"id": ["a", "b"]}, {"page": "2"}]


def test_writes_leave_reads_out(protection: Client, service: LocalService) -> None:
    protection("GET", "/prefixes")
    protection("DELETE", "/prefixes")
    protection("POST", "/prefixes", {})
    assert [(call.method, call.maybe_applied) for call in service.writes] == [("DELETE", True), ("POST", False)]


def test_no_secret_is_kept(protection: Client, service: LocalService) -> None:
    protection("GET", "/prefixes")
    key = {"Authorization": None, "X-Auth-Email": service.email, "X-Auth-Key": service.key}
    protection("GET", "/prefixes", headers=key)
    protection("GET", "/prefixes", headers={**key, "Authorization": "Bearer both"})
    protection("GET", "/prefixes", headers={"Authorization": None})
    assert [call.authorization for call in service.calls] == ["bearer", "key", "bearer+key", None]
    digests = [hashlib.sha256(secret.encode()).hexdigest() for secret in (service.token, service.key, "both")]
    assert [call.authorization_digest for call in service.calls] == [*digests, None]
    logged = str([asdict(call) for call in service.calls])
    assert service.token not in logged and service.key not in logged


def test_a_body_that_is_no_json_is_logged_as_it_came(protection: Client, service: LocalService) -> None:
    protection("POST", "/prefixes", data="not json")
    assert service.calls[0].body == "not json"


def test_calls_are_logged_however_they_end(protection: Client, service: LocalService) -> None:
    protection("GET", "/nothing")
    protection("GET", "/prefixes", headers={"Authorization": "Bearer unknown"})
    assert [(call.status, call.maybe_applied) for call in service.calls] == [(404, False), (403, False)]
