# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The summary of the mutants that `make mutants` tries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.evidence.mutants.report import FUNCTIONAL, UNIT, main

KILLED_BY_UNIT = f"status 1 {UNIT}/module_utils/_plan/test_plan.py::test_a"
KILLED_BY_FUNCTIONAL = f"signal 14 {FUNCTIONAL}/test_idempotence.py::test_b[status]"


def test_the_summary_says_which_kind_of_tests_kills_how_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    all_kills: list[list[str]] = [
        [KILLED_BY_UNIT],
        [KILLED_BY_UNIT, KILLED_BY_FUNCTIONAL],
        [KILLED_BY_FUNCTIONAL],
        [KILLED_BY_FUNCTIONAL],
        [],
    ]
    lines: list[str] = []
    for number, kills in enumerate(all_kills):
        how = kills[0] if kills else ""
        lines.append(json.dumps({"mutant": f"plan.py: {number} -> {number}!", "how": how, "kills": kills}))
    (tmp_path / "plan.py.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert main(str(tmp_path)) == 1
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if line.startswith("Killed by")] == [
        "Killed by functional tests: 2.",
        "Killed by functional tests and unit tests: 1.",
        "Killed by unit tests: 1.",
    ]
    assert "SURVIVED: plan.py: 4 -> 4!" in printed
