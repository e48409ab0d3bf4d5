# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks of the pattern for Automation Platform: what the job plan shows is what the job apply takes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import COLLECTION, REPOSITORY, Run, ansible_playbook

PLAYBOOKS = COLLECTION / "extensions" / "patterns" / "protection" / "playbooks"
DEMO = REPOSITORY / "tests" / "demo"
DENVER = "c4d5e6f708192a3b4c5d6e7f8091a2b3"


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.load(yaml.safe_load((DEMO / "state.yml").read_text(encoding="utf-8")))
    return service


def job(
    service: LocalService, directory: Path, name: str, inventory: Path = DEMO / "inventory", **survey: object
) -> Run:
    """A job of Automation Platform, whose survey makes extra variables."""
    variables = json.dumps({"edge_base_url": service.base_url, "target": "denver", **survey})
    arguments = ("-i", inventory, PLAYBOOKS / f"{name}.yml", "-e", variables)
    return ansible_playbook(*arguments, environment={"AWX_ISOLATED_DATA_DIR": str(directory)}, directory=directory)


def test_the_lines_of_plan_are_what_apply_takes(service: LocalService, tmp_path: Path) -> None:
    planned = job(service, tmp_path, "plan").done()
    lines = re.findall(r'"msg": "(denver [0-9a-f]{64})"', planned.output)
    assert len(lines) == 1 and not service.writes
    assert (tmp_path / "report" / "report.html").exists()

    refused = job(service, tmp_path, "apply", edge_approved_plans=f"denver {'0' * 64}\nfrankfurt {'1' * 64}")
    assert refused.code != 0 and "is not the approved one" in refused.output
    assert job(service, tmp_path, "apply", edge_approved_plans="nothing").code != 0
    assert not service.writes

    job(service, tmp_path, "apply", edge_approved_plans=f"  {lines[0]}  \n").done()
    assert service.accounts[DENVER].enabled


def test_report_fails_on_the_statuses_of_its_survey_and_doctor_only_reads(
    service: LocalService, tmp_path: Path
) -> None:
    assert job(service, tmp_path, "report", edge_fail_on="").code == 0
    assert job(service, tmp_path, "report", edge_fail_on=["unprotected"]).code != 0
    job(service, tmp_path, "doctor", target="").done()
    assert {path.parent.name for path in (tmp_path / "doctor").glob("*/bundle.json")} == {
        "denver",
        "frankfurt",
        "singapore",
    }
    assert not service.writes


def test_attack_takes_the_posture_of_its_survey_and_shows_the_file(service: LocalService, tmp_path: Path) -> None:
    inventory = tmp_path / "inventory"
    shutil.copytree(DEMO / "inventory", inventory)
    wide = {"prefixes": [{"prefix": "203.0.113.0/24"}], "accept_risks": ["unprotects_addresses", "disables_protection"]}
    postures = yaml.safe_dump({"baseline_postures": {"wide": wide}})
    (inventory / "group_vars" / "accounts" / "postures.yml").write_text(postures, encoding="utf-8")
    survey = {"edge_posture": "wide", "edge_hours": "4", "edge_reason": "INC-7", "edge_ends_posture": "no"}
    taken = job(service, tmp_path, "attack", inventory, **survey).done()
    assert "203.0.113.0/24" in {item["prefix"] for item in service.accounts[DENVER].prefixes}
    shown = taken.output.partition("TASK [Show the file to commit]")[2]
    assert "denver:" in shown and "INC-7" in shown and "wide" in shown
    job(service, tmp_path, "attack", inventory, **{**survey, "edge_ends_posture": "yes"}).done()
    assert "203.0.113.0/24" not in {item["prefix"] for item in service.accounts[DENVER].prefixes}


def test_restore_takes_its_file_from_the_survey(service: LocalService, tmp_path: Path) -> None:
    missing = job(service, tmp_path, "restore", edge_snapshot="nowhere.yml", edge_accepted_risks="")
    assert missing.code != 0 and "nowhere.yml cannot be read" in missing.output
