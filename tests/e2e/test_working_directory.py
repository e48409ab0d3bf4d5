# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Relative paths are those of the process's working directory: ansible-runner starts it in a folder of its own, whatever
$PWD says, and whichever folder has the playbook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_environment, run_program
from tests.support.inventories import write_inventory

ACCOUNT = "a" * 32
OLD, NEW = {"prefix": "192.0.2.0/24", "comment": "old"}, {"prefix": "192.0.2.0/24", "comment": "new"}


@pytest.fixture
def service(service: LocalService) -> LocalService:
    rules = {"rules": [{"scope": "global", "name": "global", "mode": "monitoring"}]}
    service.account(ACCOUNT).seed(enabled=True, prefixes=[OLD], syn_flood=rules, out_of_state_tcp=rules)
    return service


class Runner:
    """ansible-runner with a project of its own; its working directory and $PWD are two others."""

    def __init__(self, service: LocalService, folder: Path) -> None:
        self.project = folder / "private" / "project"
        self.others = [folder / "started", folder / "elsewhere"]
        self._folder = folder
        for path in (self.project, *self.others, folder / "home", folder / "private" / "inventory"):
            path.mkdir(parents=True)
        host = {"edge_account_id": ACCOUNT, "baseline_prefixes": [NEW]}
        write_inventory(folder / "private" / "inventory", service, {"accounts": {"lima": host}})

    def run(self, playbook: str, **variables: Any) -> subprocess.CompletedProcess[str]:
        """A playbook of the collection with these variables."""
        started, elsewhere = self.others
        plain = ansible_environment(str(self._folder / "home"))
        del plain["ANSIBLE_CALLBACKS_ENABLED"]  # ansible-runner has a callback of its own
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        file = self._folder / f"{playbook}.json"
        file.write_text(json.dumps(variables), encoding="utf-8")
        words: list[str | Path] = ["ansible-runner", "run", self._folder / "private"]
        words += ["-p", REPOSITORY / "playbooks" / f"{playbook}.yml", "--cmdline", f"-e @{file}"]
        environment = {**plain, "PATH": path, "PWD": str(elsewhere), "RECORD_TO": str(self._folder / "record")}
        return run_program(words, started, environment)

    def files(self) -> set[str]:
        """The files of the project."""
        return {str(path.relative_to(self.project)) for path in self.project.rglob("*") if path.is_file()}


def test_every_relative_path_is_one_of_the_process(service: LocalService, tmp_path: Path) -> None:
    runner = Runner(service, tmp_path)

    exported = runner.run("export", export_directory="exported")
    assert exported.returncode == 0, exported.stdout
    files = {"exported/lima/protection.yml", "exported/.protection.schema.json"}
    assert runner.files() == files

    reported = runner.run("report", report_directory="nightly")
    assert reported.returncode == 0, reported.stdout
    report = {
        f"nightly/{name}"
        for name in ("report.json", "report.md", "report.html", "report.prom", "report.xml", "report.sarif")
    }
    plan = "nightly/plans/lima.json"
    assert runner.files() == {*files, *report, plan}
    compared = runner.run("report", report_directory="compared", report_previous="nightly/report.json")
    assert compared.returncode == 0, compared.stdout
    assert json.loads((runner.project / "compared" / "report.json").read_text(encoding="utf-8"))["previous"]

    before = runner.files()
    done = runner.run("baseline", baseline_snapshot_directory="snapshots", baseline_expected_plan=plan)
    assert done.returncode == 0, done.stdout
    assert service.account(ACCOUNT).prefixes[0]["comment"] == "new"
    (snapshot,) = runner.files() - before
    assert snapshot.startswith("snapshots/lima/")

    restored = runner.run("restore", restore_file=snapshot)
    assert restored.returncode == 0, restored.stdout
    assert service.account(ACCOUNT).prefixes[0]["comment"] == "old"
    assert [list(folder.iterdir()) for folder in runner.others] == [[], []]
