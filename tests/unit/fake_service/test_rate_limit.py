# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate limit, by the service's own clock."""

from __future__ import annotations

from tests.fake_service import LocalService

from .conftest import Client


def statuses(client: Client, calls: int) -> list[int]:
    return [client("GET", "/prefixes").status_code for dummy in range(calls)]


def test_calls_beyond_the_limit_are_refused(protection: Client, service: LocalService) -> None:
    service.rate_limit(calls=2, seconds=300, retry_after=300)
    assert statuses(protection, 3) == [200, 200, 429]
    response = protection("GET", "/prefixes")
    assert response.json()["errors"][0]["code"] == 971
    assert 299 <= int(response.headers["Retry-After"]) <= 300
    assert [call.fault for call in service.calls][-1] == "rate_limit" and not service.calls[-1].maybe_applied


def test_the_block_ends(protection: Client, service: LocalService) -> None:
    service.rate_limit(calls=1, seconds=300, retry_after=30)
    assert statuses(protection, 2) == [200, 429]
    service.clock.advance(seconds=29)
    assert statuses(protection, 1) == [429]
    service.clock.advance(seconds=2)
    assert statuses(protection, 2) == [200, 429]


def test_every_answer_tells_the_calls_left(protection: Client, service: LocalService) -> None:
    assert "Ratelimit" not in protection("GET", "/prefixes").headers
    service.rate_limit(calls=3, seconds=60)
    headers = protection("GET", "/prefixes").headers
    assert headers["Ratelimit"].startswith('"default";r=2;t=')
    assert headers["Ratelimit-Policy"] == '"default";q=3;w=60'
