# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A zone beside the host of its account: an object that the baseline of the account names is none that no baseline names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_playbook
from tests.support.host_parts import LOGIN_LIMIT
from tests.support.inventories import write_inventory
from tests.support.module_run import ACCOUNT, ZONE

OTHER_ACCOUNT = "9e107d9d372bb6826bd81d3542a419d6"
SKIP = {"action": "skip", "action_parameters": {"ruleset": "current"}}
WALL = {"ref": "wall", "action": "block", "expression": "ip.src in {192.0.2.0/24}"}
OFFICE = {"name": "office", "items": [{"ip": f"{first}.0.0.0/8"} for first in range(64, 256)]}
OPEN = {
    "ref": "open",
    "action": "skip",
    "expression": "true",
    "action_parameters": {"ruleset": "current", "phases": ["http_ratelimit"]},
}
BOTS = {"name": "bots", "rules": [OPEN], "deploy": {"ref": "bots", "expression": 'cf.zone.plan eq "ENT"'}}
ACCEPTED = {"baseline_accept_risks": ["skips_everything", "passes_traffic", "weakens_rate_limits"]}
OF_ACCOUNT = {**ACCEPTED, "baseline_ip_lists": [OFFICE], "baseline_custom_rulesets": [BOTS]}
ZONE_HOST: dict[str, Any] = {
    **ACCEPTED,
    "edge_zone_id": ZONE,
    "baseline_custom_rules": [{**SKIP, "ref": "pass", "expression": "ip.src in $office"}, WALL],
    "baseline_rate_limit_rules": [LOGIN_LIMIT],
}
HOLES = [("account_custom_rule", "open of the ruleset bots"), ("ip_list", "office")]
INVENTORIES: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "the account names both": ({"edge_account_id": ACCOUNT, **OF_ACCOUNT}, []),
    "the account names them in other letters": ({"edge_account_id": ACCOUNT.upper(), **OF_ACCOUNT}, []),
    "another account names both": ({"edge_account_id": OTHER_ACCOUNT, **OF_ACCOUNT}, HOLES),
    "the account names the list": ({"edge_account_id": ACCOUNT, "baseline_ip_lists": [OFFICE]}, HOLES[:1]),
    "the ruleset lacks the rule": (
        {"edge_account_id": ACCOUNT, "baseline_ip_lists": [], "baseline_custom_rulesets": [{**BOTS, "rules": []}]},
        HOLES,
    ),
}


@pytest.fixture
def folder(service: LocalService, tmp_path: Path) -> Path:
    """A folder for inventories of an account and its zone, as their baselines have made them."""
    service.account(ACCOUNT), service.account(OTHER_ACCOUNT)
    service.zone(ZONE).seed(name="shop.example", account_id=ACCOUNT)
    inventory = _inventory(tmp_path, service, INVENTORIES["the account names both"][0])
    ansible_playbook("-i", inventory, REPOSITORY / "playbooks" / "baseline.yml").done()
    return tmp_path


def _inventory(folder: Path, service: LocalService, account: dict[str, Any]) -> Path:
    groups = {"accounts": {"hamburg": account}, "zones": {"shop": ZONE_HOST}}
    return write_inventory(folder, service, groups)


def test_the_zone_tells_of_objects_that_neither_its_baseline_nor_that_of_its_account_names(
    folder: Path, service: LocalService
) -> None:
    for account, holes in INVENTORIES.values():
        inventory = _inventory(folder, service, account)
        options = ("-i", inventory, "--limit", "shop", "-e", f"report_directory={folder}/report")
        run = ansible_playbook(*options, REPOSITORY / "playbooks" / "report.yml")
        report = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
        (record,) = [host for host in report["hosts"] if host["host"] == "shop"]
        assert [(item["resource"], item["key"]) for item in record["unmanaged"]] == holes, run.output
        assert record["status"] == ("weakened" if holes else "in_order"), record["reasons"]


def test_a_run_of_the_baseline_tells_the_same(folder: Path, service: LocalService) -> None:
    inventory = _inventory(folder, service, INVENTORIES["the account names both"][0])
    run = ansible_playbook("-i", inventory, "--limit", "shop", REPOSITORY / "playbooks" / "baseline.yml")
    assert run.code == 0 and "no baseline names it" not in run.output
