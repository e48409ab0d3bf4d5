# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import (
    LABELS,
    STATUSES,
    Column,
    Counted,
    HostRecord,
    Metric,
    is_known,
    refused,
    severity,
    shown_as,
    unaccepted,
)


def test_the_worst_status_is_the_most_severe() -> None:
    assert [severity(status) for status in STATUSES] == list(reversed(range(len(STATUSES))))
    assert set(LABELS) == set(STATUSES)


@pytest.mark.parametrize(("plan_id", "known"), [(None, False), ("", True), ("a" * 64, True)])
def test_a_host_that_was_read_has_a_plan_id(plan_id: Any, known: bool) -> None:
    assert is_known({"plan_id": plan_id}) is known


def test_an_object_that_may_weaken_counts_until_it_is_accepted() -> None:
    objects: Any = [
        {"key": str(weakens), "weakens": weakens, "accepted": accepted}
        for weakens, accepted in ((True, None), (None, None), (False, None), (True, "tests"))
    ]
    assert [item["key"] for item in unaccepted(objects)] == ["True", "None"]


def test_a_risk_that_nobody_accepts_is_refused() -> None:
    risks: Any = [{"accepted": True}, {"accepted": False}, {"accepted": False}]
    assert refused(risks) == 2


@pytest.mark.parametrize("kind", [Column, Metric, Counted])
def test_a_host_is_shown_by_keys_that_its_record_has(kind: Any) -> None:
    keys = {key for key, _shown in shown_as(kind)}
    assert keys and keys <= set(HostRecord.__annotations__)


def test_a_noun_goes_with_its_number() -> None:
    counted = [item for _key, item in shown_as(Counted)]
    assert all(item.in_words(1) == f"1 {item.noun(1)}" for item in counted)
    assert all(item.in_words(2) == f"2 {item.noun(2)}" for item in counted)
