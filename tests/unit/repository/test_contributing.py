# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CONTRIBUTING.md, .ci/run and the workflows name the same targets of make, and folders that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def targets_of_workflow(name: str) -> set[str]:
    workflow: Any = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
    job = next(iter(workflow["jobs"].values()))
    words = {word for target in job["strategy"]["matrix"]["target"] for word in target.split()}
    return {re.sub(r"-\d\.\d+$", "", word) for word in words}  # matrix-2.19 is a part of matrix


def targets_in(text: str) -> set[str]:
    return {word for words in re.findall(r"`make ([a-z0-9 -]+)`", text) for word in words.split()}


def test_ci_runs_the_targets_of_a_change() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    local = {
        word
        for words in re.findall(r"^make ([a-z0-9 -]+?)(?: 2?>.*)?$", script, re.MULTILINE)
        for word in words.split()
    }
    table = PAGE.partition("For every change")[2].partition("To work on it")[0]
    first_cells = "\n".join(line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `"))
    assert targets_of_workflow("ci.yml") == local == targets_in(first_cells)


def test_the_weekly_workflow_runs_all_evidence() -> None:
    sessions = (ROOT / "tests" / "sessions" / "running.py").read_text(encoding="utf-8")
    evidence = {name.replace("_", "-") for name in re.findall(r"tags=EVIDENCE\)\ndef (\w+)", sessions)}
    table = PAGE.partition("And `tests/evidence`")[2].partition("A change needs no new evidence")[0]
    assert len(evidence) >= 8
    assert targets_of_workflow("weekly.yml") >= evidence | {"targets-all", "matrix-all"}
    assert evidence - {"every-row"} <= targets_in(table)


def test_the_folders_that_the_page_names_exist() -> None:
    folders = {
        name
        for cell in re.findall(r"^\| (`[a-z].*?) \|", PAGE, re.MULTILINE)
        for name in re.findall(r"`([\w/]+)`", cell)
    }
    assert folders >= {"plugins/modules", "tests/unit", "tests/evidence/models"}
    assert [name for name in sorted(folders) if "/" in name and not (ROOT / name).is_dir()] == []
    assert {f"tests/evidence/{path.name}" for path in (ROOT / "tests" / "evidence").iterdir() if path.is_dir()} - {
        "tests/evidence/__pycache__"
    } <= folders
