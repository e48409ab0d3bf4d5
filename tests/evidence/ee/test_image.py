# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the execution environment holds runs the playbooks, started by ansible-runner as Automation Platform starts it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, run_program

# Where `make ee` has installed what the image gets.
PROGRAMS, COLLECTIONS = (Path(os.environ[f"IMAGE_{name}"]) for name in ("PROGRAMS", "COLLECTIONS"))
DEMO = REPOSITORY / "tests" / "demo"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """That of a container: the paths of the image, and a home of its own."""
    image = {"ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS), "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "0"}
    return {"PATH": f"{PROGRAMS}:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8", **image}


def test_ansible_runner_runs_the_playbooks(tmp_path: Path, environment: dict[str, str]) -> None:
    private = tmp_path / "private"
    shutil.copytree(DEMO / "inventory", private / "inventory")
    (private / "project").mkdir()
    with LocalService() as service:
        service.load(yaml.safe_load((DEMO / "state.yml").read_text(encoding="utf-8")))
        variables = json.dumps({"edge_base_url": service.base_url})
        for name, options in (("check_inventory", ""), ("doctor", ""), ("report", ""), ("baseline", "--check ")):
            words = ("run", private, "-p", f"edgeops.protection.{name}", "--cmdline", f"{options}-e '{variables}'")
            finished = run_program([PROGRAMS / "ansible-runner", *words], tmp_path, environment)
            assert finished.returncode == 0, finished.stdout
        assert service.calls and not service.writes and not service.breaches
    report = json.loads((private / "project" / "report" / "report.json").read_text(encoding="utf-8"))
    assert {host["host"] for host in report["hosts"]} == {"denver", "frankfurt", "singapore"}


def test_the_parser_of_expressions_is_there(tmp_path: Path, environment: dict[str, str]) -> None:
    code = "import octorules_wirefilter, requests; print(octorules_wirefilter.parse_expression('ssl')['fields'])"
    finished = run_program([PROGRAMS / "python", "-c", code], tmp_path, environment)
    assert (finished.returncode, finished.stdout) == (0, "['ssl']\n")
