# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.coverage import read_coverage
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import MEANINGS, assess, worst_first
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import STATUSES
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import HostResults, host_results

UPDATE = {"action": "update", "resource": "custom_rule", "key": "login", "fields": {"description": "x"}, "before": {}}
STEP = {"resource": "x", "key": "y", "mode": "enabled", "not_before": None, "message": "It waits."}


def host(**result: Any) -> HostResults:
    return host_results("lima", {}, {"custom_rules": {"changed": False, "plan_id": "", "operations": [], **result}})


@pytest.mark.parametrize(
    ("results", "status", "reasons"),
    [
        (host(), "in_order", []),
        (host(pending=STEP), "pending", ["It waits."]),
        (host(operations=[UPDATE], pending=STEP), "drift", ["1 difference from the baseline.", "It waits."]),
        (HostResults("lima", errors=["It is closed."]), "unknown", ["It is closed."]),
        (HostResults("lima", unread=["The announced networks are not known."]), "unknown", None),
    ],
)
def test_the_worst_status_applies_and_its_reasons_come_first(
    results: HostResults, status: str, reasons: list[str] | None
) -> None:
    assessment = assess(results, None)
    assert assessment.status == status
    assert reasons is None or assessment.reasons == reasons


def test_every_status_has_a_meaning_and_a_place() -> None:
    assert set(MEANINGS) == set(STATUSES)
    assert sorted(STATUSES, key=worst_first) == list(STATUSES)


def test_an_account_whose_status_is_not_known_is_unknown() -> None:
    coverage = read_coverage({"enabled": None, "undecided": ["Nobody knows."]})
    assessment = assess(host(), coverage)
    assert (assessment.status, assessment.reasons[0]) == ("unknown", "Nobody knows.")
