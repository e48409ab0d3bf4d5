# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two playbooks in one command: the second one sees what the first one has written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fake_service import LocalService
from tests.support.ansible_run import ansible_playbook
from tests.support.inventories import write_inventory

ACCOUNT, ZONE = "a" * 32, "b" * 32
BLOCK = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
CLOSED = {"name": "Closed", "rules": [BLOCK], "deploy": {"expression": 'cf.zone.plan eq "ENT"'}}
ADMIN = {"source": "203.0.113.9", "method": "GET", "host": "shop.example", "path": "/admin"}
LIMIT = {
    "ref": "login",
    "action": "block",
    "expression": 'http.request.uri.path eq "/login"',
    "ratelimit": {
        "characteristics": ["cf.colo.id", "ip.src"],
        "period": 60,
        "requests_per_period": 9,
        "mitigation_timeout": 60,
    },
}
HOSTS: dict[str, Any] = {
    "corp": {"edge_account_id": ACCOUNT, "baseline_custom_rulesets": [CLOSED]},
    "shop": {
        "edge_zone_id": ZONE,
        "baseline_rate_limit_rules": [LIMIT],
        "baseline_expectations": [{"description": "admin", "request": ADMIN, "expect": "blocked"}],
    },
}


def test_a_report_behind_a_baseline_reports_what_it_has_made(service: LocalService, tmp_path: Path) -> None:
    service.account(ACCOUNT)
    service.zone(ZONE).seed(name="shop.example", plan="enterprise", account_id=ACCOUNT)
    inventory = write_inventory(tmp_path, service, {"accounts": HOSTS})
    directory = tmp_path / "report"
    both = ("playbooks/baseline.yml", "playbooks/report.yml")
    run = ansible_playbook("-i", inventory, "-e", f"report_directory={directory}", *both)
    statuses = {host["host"]: host["status"] for host in json.loads((directory / "report.json").read_text())["hosts"]}
    assert statuses["shop"] == "in_order", run.output
