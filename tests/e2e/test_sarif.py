# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings as SARIF, through the playbooks: each on the line of the variable that is meant, if ansible-core knows it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import ENCODER

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_playbook
from tests.support.inventories import write_inventory
from tests.support.report_schema import validate_sarif

ZONE = "b" * 32
VARIABLES = {
    "group_vars/zones.yml": """
---
partner: {ref: partner, action: skip, expression: ip.src eq 192.0.2.7, action_parameters: {ruleset: current}}
baseline_custom_rules:
  - {ref: network, action: block, expression: "ip.src in {192.0.2.0/24}"}
  - "{{ partner }}"
  - ref: all
    action: block
    expression: ssl
""",
    "host_vars/lima.yml": """
---
baseline_securty_level: high
baseline_rate_limit_rules:
  - {ref: often, action: blok}
""",
}


@pytest.fixture
def inventory(service: LocalService, tmp_path: Path) -> Path:
    hosts = {"zones": {"lima": {"edge_zone_id": "c" * 32}, "oslo": {"edge_zone_id": ZONE}}}
    service.zone(ZONE).seed(custom_rules=[])
    for name, text in VARIABLES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.lstrip(), encoding="utf-8")
    return write_inventory(tmp_path, service, hosts)


def lines_in(path: Path) -> dict[tuple[str, str], str]:
    """The place of each finding by its rule and its object."""
    (run,) = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return {(item["ruleId"], _name(item["locations"][0])): _place(item["locations"][0]) for item in run["results"]}


def _name(location: dict[str, Any]) -> str:
    return " ".join(one["fullyQualifiedName"] for one in location["logicalLocations"])


def _place(location: dict[str, Any]) -> str:
    place = location["physicalLocation"]
    return f"{place['artifactLocation']['uri']}:{place['region']['startLine']}"


def known(place: str) -> str:
    return place if ENCODER else "inventory:1"  # ansible-core before 2.19 does not know it


def test_a_report_names_the_line_of_each_rule_that_cannot_work_or_is_a_risk(
    inventory: Path, service: LocalService
) -> None:
    service.zone(ZONE).seed(
        custom_rules=[
            {"ref": "network", "action": "block", "expression": "ip.src in {192.0.2.0/24}", "enabled": True},
            {"ref": "partner", "action": "log", "expression": "ip.src eq 192.0.2.7", "enabled": True},
        ]
    )
    folder = inventory.parent
    ansible_playbook("-i", inventory, REPOSITORY / "playbooks" / "report.yml", directory=folder).done()
    places = lines_in(folder / "report" / "report.sarif")
    assert places["ineffective/shadowed", "oslo/custom_rule/partner"] == known("group_vars/zones.yml:5")
    assert places["risk/blocks_everything", "oslo/all"] == known("group_vars/zones.yml:6")
    assert places["unknown", "lima"] == known("host_vars/lima.yml:2")  # that of the first of two mistakes


def test_the_plan_of_a_branch_has_its_findings_on_the_lines_of_its_files(
    inventory: Path, service: LocalService
) -> None:
    existing = {"ref": "network", "action": "block", "expression": "ip.src in {192.0.0.0/16}", "enabled": True}
    service.zone(ZONE).seed(custom_rules=[existing])
    folder, expected = inventory.parent, {"request": {"path": "/", "source": "192.0.0.1"}, "expect": "blocked"}
    host = {"edge_zone_id": ZONE, "baseline_expectations": [{**expected, "description": "network"}]}
    (folder / "host_vars" / "oslo.yml").write_text(yaml.safe_dump(host), encoding="utf-8")
    play = REPOSITORY / "playbooks" / "report.yml"
    ansible_playbook("-i", inventory, play, "-e", "report_plan=true", directory=folder).done()
    validate_sarif(json.loads((folder / "report" / "plan.sarif").read_text(encoding="utf-8")))
    places = lines_in(folder / "report" / "plan.sarif")
    assert places["traffic/passes", "oslo"] == known("group_vars/zones.yml:4")
    assert places["expectation", "oslo"] == known("host_vars/oslo.yml:2")
    assert places["risk/blocks_everything", "oslo"] == known("group_vars/zones.yml:6")
    assert places["unknown", "lima"] == known("host_vars/lima.yml:2")


def test_check_inventory_writes_its_mistakes_if_a_file_is_named(inventory: Path) -> None:
    folder = inventory.parent
    play = partial(
        ansible_playbook, "-i", inventory, REPOSITORY / "playbooks" / "check_inventory.yml", directory=folder
    )
    assert play().code
    assert play("--check", "-e", "check_sarif=check.sarif").code
    assert not [*folder.glob("**/*.sarif")]
    assert play("-e", "check_sarif=check.sarif").code
    nowhere = " ".join(play("-e", "check_sarif=nowhere/check.sarif").output.split())
    assert "check_sarif: nowhere/check.sarif cannot be written: No such file or directory." in nowhere
    assert "Errno" not in nowhere and "baseline_securty_level: there is no such variable" in nowhere
    (run,) = json.loads((folder / "check.sarif").read_text(encoding="utf-8"))["runs"]
    found = {item["message"]["text"].split()[0].rstrip(":"): item for item in run["results"]}
    assert {name: (item["ruleId"], _place(item["locations"][0])) for name, item in found.items()} == {
        "baseline_securty_level": ("mistake", known("host_vars/lima.yml:2")),
        "baseline_rate_limit_rules[0].action": ("mistake", known("host_vars/lima.yml:4")),
        "baseline_custom_rules[1]": ("doubt", known("group_vars/zones.yml:5")),  # behind the block
    }
    assert {item["ruleId"]: item["level"] for item in run["results"]} == {"mistake": "error", "doubt": "warning"}
    (folder / "host_vars" / "lima.yml").write_text("---\n", encoding="utf-8")
    warned = play("-e", "check_sarif=check.sarif").done()
    assert "2 hosts were checked; none has a mistake; see the warnings." in warned.output
    (folder / "group_vars" / "zones.yml").write_text("---\n", encoding="utf-8")
    play("-e", "check_sarif=check.sarif").done()
    assert lines_in(folder / "check.sarif") == {}
