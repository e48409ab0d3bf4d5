# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host whose account is not that of its zone: each playbook that reads both says so, and keeps nothing of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_playbook
from tests.support.inventories import write_inventory
from tests.support.module_run import ACCOUNT, ZONE

OTHER_ACCOUNT = "9e107d9d372bb6826bd81d3542a419d6"
SENTENCE = f"{ACCOUNT} is not the account of the zone shop.example, which is {OTHER_ACCOUNT} (Other Ltd)."
SNAPSHOT = {
    "baseline_source": {"account_id": ACCOUNT, "zone_id": ZONE},
    "baseline_snapshot": {"prefixes": [], "custom_rules": []},
}
PLAYBOOKS: dict[str, dict[str, Any]] = {
    "baseline": {},
    "report": {"report_fail_on": ["unknown"]},
    "export": {},
    "doctor": {},
    "attack": {"attack_block": {"networks": ["198.51.100.0/24"]}, "attack_hours": 1, "attack_reason": "INC-7"},
    "restore": {"restore_file": "snapshot.yml"},
}


def _reason_in_report(folder: Path) -> str:
    """The first reason of the host in the report, of which a line on the screen has the beginning alone."""
    (record,) = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))["hosts"]
    assert record["status"] == "unknown"
    return str(record["reasons"][0])


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_each_playbook_says_that_the_account_is_not_that_of_the_zone(
    playbook: str, service: LocalService, tmp_path: Path
) -> None:
    service.account(ACCOUNT)
    service.account(OTHER_ACCOUNT).seed(name="Other Ltd")
    service.zone(ZONE).seed(name="shop.example", account_id=OTHER_ACCOUNT)
    lima = {"edge_account_id": ACCOUNT, "edge_zone_id": ZONE, "baseline_enabled": True, "baseline_custom_rules": []}
    inventory = write_inventory(tmp_path, service, {"accounts": {"lima": lima}})
    (tmp_path / "snapshot.yml").write_text(yaml.safe_dump(SNAPSHOT), encoding="utf-8")
    folders = {f"{name}_directory": str(tmp_path / name) for name in ("report", "export", "doctor")}
    options: dict[str, Any] = {
        **folders,
        "baseline_snapshot_directory": str(tmp_path / "snapshots"),
        **PLAYBOOKS[playbook],
    }
    if playbook == "restore":
        options["restore_file"] = str(tmp_path / "snapshot.yml")
    run = ansible_playbook(
        "-i", inventory, "--limit", "lima", "-e", json.dumps(options), REPOSITORY / "playbooks" / f"{playbook}.yml"
    )
    assert run.code == 2, run.output
    reason = _reason_in_report(tmp_path) if playbook == "report" else run.output
    assert SENTENCE in reason, run.output
    assert not service.writes
    assert [path.name for path in tmp_path.rglob("lima*")] == []
