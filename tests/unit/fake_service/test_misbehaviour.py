# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each way for a call to go wrong, as a client meets it."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.fake_service import LocalService

from .conftest import Client

ENTRY = {"prefix": "192.0.2.1", "comment": "", "enabled": True}


STATUS = {"status": 504, "errors": [{"message": "gateway timeout"}], "messages": None, "headers": {"Retry-After": "7"}}


@pytest.mark.parametrize(
    ("kind", "settings", "answered", "applied"),
    [
        ("status", STATUS, 504, False),
        ("html", {"status": 522}, 522, False),
        ("success_false_200", {}, 200, False),
        ("redirect", {"location": "http://elsewhere.example/", "status": 307}, 307, False),
        ("raw", {"body": "[]"}, 200, False),
        ("lost_before", {}, None, False),
        ("lost_after", {}, None, True),
        ("status_after", {"status": 502}, 502, True),
        ("empty", {"status": 204}, 204, True),
        ("truncated", {}, 200, True),
        ("cut_body", {}, None, True),
        ("slow", {"seconds": 30}, None, True),
        ("drip", {"interval": 0.0001}, 200, True),
        ("no_result_info", {}, 200, True),
        ("null_result", {}, 200, True),
        ("extra_fields", {}, 200, True),
        ("missing_fields", {"fields": ["id"]}, 200, True),
        ("headers", {"headers": {"X-Odd": "1"}}, 200, True),
        ("member", {"members": {"success": "1e400"}}, 200, True),
        ("entry", {"fields": {"id": "1e400"}}, 200, True),
    ],
)
def test_each_kind_answers_and_applies_as_it_says(
    protection: Client, service: LocalService, account: Any, kind: str, settings: Any, answered: Any, applied: bool
) -> None:
    service.misbehave(kind, times=1, **settings)
    try:
        status = protection("POST", "/allowlist", ENTRY, timeout=0.3).status_code
    except requests.RequestException:
        status = None
    assert (status, len(account.allowlist), service.calls[0].maybe_applied) == (answered, int(applied), applied)
    assert (service.calls[0].fault, protection("GET", "/allowlist").status_code) == (kind, 200)


def test_a_fault_has_to_be_known(service: LocalService) -> None:
    with pytest.raises(ValueError, match="lost_after"):
        service.misbehave("explode")
    with pytest.raises(TypeError):
        service.misbehave("slow")
    with pytest.raises(TypeError):
        service.misbehave("slow", seconds=1, colour="red")
    assert service.faults == []
