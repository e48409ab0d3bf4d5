# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module that asks the analytics: its options, and the clock that it goes by."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Response
from ansible_collections.edgeops.protection.plugins.module_utils._context import TASK
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError, OptionErrors
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

from tests.support.scripted import Scripted

SPEC = MODULE_SPECS["protection_traffic_info"]
OPTIONS: dict[str, Any] = {"hours": 24.0, "prefixes": None, "components": ["dns"]}
NOTHING = b'{"data": {"viewer": {"accounts": [{"dns": []}]}}, "errors": null}'


def test_no_resource_is_read() -> None:
    assert list(SPEC.reads(OPTIONS, (), {})) == [] and not SPEC.writes


@pytest.mark.parametrize("hours", [0, -1, 24 * 366 + 1, float("inf"), float("nan")])
def test_hours_have_bounds(hours: float) -> None:
    with pytest.raises(OptionError, match=r"hours: .* is not above 0 and at most 8784"):
        SPEC.reads({**OPTIONS, "hours": hours}, (), {})


def test_all_errors_are_reported_at_once() -> None:
    with pytest.raises(OptionErrors) as caught:
        SPEC.reads({**OPTIONS, "hours": -1, "prefixes": ["192.0.2.0/24", "somewhere", ""]}, (), {})
    assert [str(error.option.name({})) for error in caught.value.errors] == ["hours", "prefixes[1]", "prefixes[2]"]


def test_prefixes_are_not_empty() -> None:
    with pytest.raises(OptionError, match="prefixes: it names no network"):
        SPEC.reads({**OPTIONS, "prefixes": []}, (), {})


@pytest.mark.parametrize(
    ("behind", "queries"), [(timedelta(minutes=1), 1), (timedelta(hours=2), 2), (-timedelta(hours=2), 2)]
)
def test_the_services_clock_counts(behind: timedelta, queries: int) -> None:
    now = (datetime.now(timezone.utc) - behind).replace(microsecond=0)
    answer = Response(200, {"Date": now.strftime("%a, %d %b %Y %H:%M:%S GMT")}, NOTHING)
    service = Scripted(lambda _query: answer)
    traffic = SPEC.look(OPTIONS, Client(service, {"account_id": "0" * 32}), {}, TASK)["traffic"]
    assert service.calls == queries
    until = datetime.fromisoformat(traffic["until"])
    assert abs(until - now) <= timedelta(minutes=2)
