# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every fault at every kind of call ends in a state that the user can tell, and the page that says so is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fake_service import LocalService
from tests.functional.fault_cases import CALLS, FAULTS, outcome, page
from tests.support.misbehaviour import Call, Misbehaviour
from tests.support.service_state import assert_no_duplicates_and_no_clearance

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"


@pytest.mark.parametrize("times", [1, None], ids=["once", "again and again"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.words)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.words)
def test_the_user_sees_what_the_service_holds(
    call: Call, fault: Misbehaviour, times: int | None, service: LocalService, waits: list[float]
) -> None:
    ended = outcome(service, fault, call, times)
    if ended.seen != "not known":
        assert ended.state == ("desired" if ended.seen == "done" else "unchanged")
    if "operations" in ended.result and ended.result.get("failed"):
        parts = [item for part in ("done", "unknown", "left") for item in ended.result[part]]
        assert parts == ended.result["operations"]
    assert (ended.message == "") == (ended.seen == "done")
    assert_no_duplicates_and_no_clearance(service)


def test_the_page_is_up_to_date(service: LocalService, waits: list[float]) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(service)
