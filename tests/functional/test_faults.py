# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every fault at every kind of call ends in a state that the user can tell, and the page that says so is up to date."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from tests.fake_service import LocalService
from tests.functional.fault_cases import CALLS, FAULTS, PAGE, Outcome, outcome, section
from tests.support.misbehaviour import Misbehaviour
from tests.support.service_state import assert_no_duplicates_and_no_clearance

SHOWN = (Path(__file__).parents[2] / "docs" / "faults.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.words)
def test_the_user_sees_what_the_service_holds_and_the_page_says_so(
    fault: Misbehaviour, service: LocalService, waits: list[float]
) -> None:
    ended = {}
    for call, times in product(CALLS, (1, None)):
        ended[call.words, times] = outcome(service, fault, call, times)
        assert_is_true(ended[call.words, times])
        assert_no_duplicates_and_no_clearance(service)
    assert section(fault, ended) in SHOWN


def assert_is_true(ended: Outcome) -> None:
    if ended.seen != "not known":
        assert ended.state == ("desired" if ended.seen == "done" else "unchanged")
    if "operations" in ended.result and ended.result.get("failed"):
        parts = [item for part in ("done", "unknown", "left") for item in ended.result[part]]
        assert parts == ended.result["operations"]
    assert (ended.message == "") == (ended.seen == "done")


def test_the_page_has_nothing_else() -> None:
    assert SHOWN.startswith(PAGE)
    assert re.findall("^## (.*)$", SHOWN, re.MULTILINE) == [fault.words for fault in FAULTS]
