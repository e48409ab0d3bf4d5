# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wire: connections kept alive, TLS, and an end."""

from __future__ import annotations

import datetime
import time

from tests.fake_service import LocalService

from .conftest import Client


def test_all_calls_of_a_session_share_a_connection(protection: Client, firewall: Client, service: LocalService) -> None:
    protection.result("GET", "/prefixes")
    protection.refused("POST", "/prefixes", {"prefix": "192.0.2.0/24"})
    protection("PUT", "/nothing", {"body": "x" * 100_000})
    firewall.result("DELETE", "/firewall/rules")
    assert len({call.connection for call in service.calls}) == 1


def test_answers_on_a_kept_connection_do_not_wait(protection: Client) -> None:
    protection.result("GET", "/tcp_protection_status")
    started = time.monotonic()
    for dummy in range(20):
        protection.result("PATCH", "/tcp_protection_status", {"enabled": True})
    assert (time.monotonic() - started) / 20 < 0.03


def test_a_chunked_body_is_read(protection: Client, service: LocalService) -> None:
    chunks = iter([b'{"prefix": "192.0.2.1", ', b'"comment": "", "enabled": true}'])
    headers = {"Content-Type": "application/json"}
    assert protection.result("POST", "/allowlist", data=chunks, headers=headers)["prefix"] == "192.0.2.1"
    assert protection.result("GET", "/allowlist")
    assert len({call.connection for call in service.calls}) == 1


def test_every_answer_has_the_date_of_the_clock_and_a_ray(protection: Client, service: LocalService) -> None:
    service.clock.set(datetime.datetime(2031, 5, 6, 7, 8, 9, tzinfo=datetime.UTC))
    first, second = protection("GET", "/prefixes"), protection("GET", "/nothing")
    assert first.headers["Date"].startswith("Tue, 06 May 2031 07:08:") and first.headers["Date"].endswith("GMT")
    assert first.headers["CF-RAY"] != second.headers["CF-RAY"]
