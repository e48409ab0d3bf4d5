# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan in the directory of a report counts as long as the report names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.approval import is_plan, read_approved_plan
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import report_files, stale_plans
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import nothing_known

EARLIER, LATER = "2026-11-21T10:00:00+00:00", "2026-11-21T11:00:00+00:00"
PLAN_ID = "1" * 64


def record(host: str, plan_id: str | None) -> Any:
    """A host with this plan; one with None could not be read."""
    status, reasons = ("unknown", ["It was not read."]) if plan_id is None else ("drift", ["It differs."])
    own = {"generated": EARLIER, "status": status, "reasons": reasons, "plan_id": plan_id}
    return {**nothing_known(host), **own}


def write(folder: Path, generated: str, *records: Any) -> None:
    """The files of a report, over those that the folder has."""
    (folder / "plans").mkdir(exist_ok=True)
    for name, text in report_files(report_of(records, generated)):
        (folder / name).write_text(text, encoding="utf-8")


def test_a_plan_says_whose_it_is(tmp_path: Path) -> None:
    write(tmp_path, EARLIER, record("lima", PLAN_ID))
    plan = json.loads((tmp_path / "plans" / "lima.json").read_text(encoding="utf-8"))
    assert list(plan) == ["host", "generated", "report", "plan_id", "operations", "backtest"]
    assert (plan["host"], plan["generated"], plan["plan_id"]) == ("lima", EARLIER, PLAN_ID)
    assert len(plan["report"]) == 64
    assert read_approved_plan("lima", str(tmp_path / "plans" / "lima.json")).plan_id == PLAN_ID


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ([record("lima", None)], "does not know this host"),
        ([record("oslo", PLAN_ID)], "does not have this host"),
        ([record("lima", "2" * 64)], "has another plan of this host"),
        ([record("lima", PLAN_ID), record("oslo", "")], "has another plan of this host"),
    ],
)
def test_a_plan_of_an_earlier_report_is_refused(tmp_path: Path, records: list[Any], reason: str) -> None:
    write(tmp_path, EARLIER, record("lima", PLAN_ID))
    file = tmp_path / "plans" / "lima.json"
    plan = file.read_text(encoding="utf-8")
    write(tmp_path, LATER, *records)
    file.write_text(plan, encoding="utf-8")
    with pytest.raises(ValueError, match=reason):
        read_approved_plan("lima", str(file))


def test_a_damaged_report_approves_nothing(tmp_path: Path) -> None:
    write(tmp_path, EARLIER, record("lima", PLAN_ID))
    (tmp_path / "report.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match="nobody knows whether it names this plan"):
        read_approved_plan("lima", str(tmp_path / "plans" / "lima.json"))


def test_a_plan_that_was_taken_out_of_its_report_counts_by_itself(tmp_path: Path) -> None:
    write(tmp_path, EARLIER, record("lima", PLAN_ID))
    alone = tmp_path / "approved.json"
    (tmp_path / "plans" / "lima.json").rename(alone)
    assert read_approved_plan("lima", str(alone)).plan_id == PLAN_ID


def test_plans_of_hosts_that_a_report_lacks_or_does_not_know_are_stale(tmp_path: Path) -> None:
    write(tmp_path, EARLIER, record("lima", PLAN_ID), record("oslo", PLAN_ID), record("kyiv", PLAN_ID))
    (tmp_path / "plans" / "mine.json").write_text('{"of": "somebody else"}', encoding="utf-8")
    later = [record("lima", PLAN_ID), record("oslo", None)]
    names = {name for name, _text in report_files(report_of(later, LATER))}
    assert [path.name for path in stale_plans(tmp_path, names)] == ["kyiv.json", "oslo.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"plan_id": ""}'])
def test_other_files_are_no_plans(text: str) -> None:
    assert not is_plan(text)
