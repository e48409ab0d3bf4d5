# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import (
    parse_expiry,
    read_date,
    read_timestamp,
    started_before,
    write_timestamp,
)

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-02T12:00:00Z",
        "2026-01-02 12:00:00",
        "2026-01-02t12:00:00.000000000z",
        "2026-01-02T17:30:00+05:30",
        "2026-01-02T12:00:00.000000999Z",
    ],
)
def test_a_timestamp_may_have_any_precision_and_offset(text: str) -> None:
    assert read_timestamp(text) == NOON


@pytest.mark.parametrize(
    "value",
    [
        None,
        0,
        1767355200,
        True,
        [],
        {},
        "",
        "soon",
        "2026-01-02",
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+23:59",
        "1970-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59-23:59",
        "10000000000000000000-01-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-02T24:60:00Z",
        "2026-01-02T12:00:00+99:99",
        "\uff12026-01-02T12:00:00Z",
        "2026-01-02T12:00:00²Z",
    ],
)
def test_an_impossible_time_is_unknown(value: object) -> None:
    assert read_timestamp(value) is None


@pytest.mark.parametrize(
    "header", ["Fri, 02 Jan 2026 12:00:00 GMT", "Fri, 02 Jan 2026 17:30:00 +0530", "2 Jan 2026 12:00"]
)
def test_a_date_names_a_time(header: Any) -> None:
    assert read_date(header) == NOON


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "now",
        "0",
        "Mon, 01 Jan 0001 00:00:00 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Fri, 31 Dec 10000000000000000000 23:59:59 GMT",
        "Fri, 02 Jan " + "2" * 5000 + " 12:00:00 GMT",
        "Fri, 99 Jan 2026 12:00:00 GMT",
        "Fri, 02 Jan 2026 12:00:00 +999999999999",
        "Fri, ² Jan 2026 12:00:00 GMT",
    ],
)
def test_an_impossible_date_is_unknown(header: Any) -> None:
    assert read_date(header) is None


@pytest.mark.parametrize(
    ("now", "value", "started"),
    [
        (NOON, "2026-01-02T11:00:00Z", NOON - timedelta(hours=1)),
        (NOON, "2026-01-02T12:04:00Z", NOON + timedelta(minutes=4)),
        (NOON, "2026-01-02T12:06:00Z", None),
        (NOON, "2099-01-01T00:00:00Z", None),
        (NOON, "0001-01-01T00:00:00Z", None),
        (NOON, None, None),
        (None, "2026-01-02T11:00:00Z", None),
    ],
)
def test_something_that_began_has_not_begun_in_the_future(
    now: datetime | None, value: object, started: datetime | None
) -> None:
    assert started_before(now, value) == started


@pytest.mark.parametrize(
    ("text", "expiry"),
    [
        ("2026-01-01", "2026-01-02T00:00:00+00:00"),
        (" 2026-12-31 ", "2027-01-01T00:00:00+00:00"),
        ("9999-12-31", "9999-12-31T23:59:59+00:00"),
        ("2026-01-02T12:00:00Z", "2026-01-02T12:00:00+00:00"),
        ("2026-01-02 12:00:00.9+01:00", "2026-01-02T11:00:00+00:00"),
    ],
)
def test_a_date_expires_at_its_end_and_a_time_at_that_time(text: str, expiry: str) -> None:
    assert write_timestamp(parse_expiry(text)) == expiry
