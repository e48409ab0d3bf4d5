# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A part of a listing is never taken for the whole: no export has it, and no report says that it is in order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.inventories import write_inventory

PREFIXES = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"]
NO_TOTALS, EMPTY = {"result_info": "{}"}, {"result_info": "{}", "result": "[]"}
FAULTS: dict[str, list[dict[str, Any]]] = {  # of the pages of one prefix each, by host
    "whole": [],
    "without_totals": [{"kind": "member", "members": NO_TOTALS, "skip": 1}],
    "empty_page": [{"kind": "member", "members": EMPTY, "skip": 1}],
    "refused": [{"kind": "status", "status": 403, "skip": 1}],
}
READ = ["whole", "without_totals"]
REASONS = {"empty_page": "ends after 1 of 3", "refused": "of the listing, and a part is"}


@pytest.fixture
def service() -> Iterator[LocalService]:
    """Accounts with three prefixes, and with these faults."""
    with LocalService() as service:
        for number, faults in enumerate(FAULTS.values(), start=1):
            service.account(f"{number:032x}").seed(prefixes=[{"prefix": prefix} for prefix in PREFIXES])
            path = f"{number:032x}/.*prefixes$"
            service.misbehave("page_cap", path=path, cap=1)
            for fault in faults:
                service.misbehave(**fault, path=path)
        yield service
        assert not service.writes


def play(service: LocalService, folder: Path, name: str) -> Run:
    hosts = {
        host: {"edge_account_id": f"{number:032x}", "baseline_prefixes": [{"prefix": PREFIXES[0]}]}
        for number, host in enumerate(FAULTS, start=1)
    }
    directory = {f"{name}_directory": str(folder / name)}
    inventory = write_inventory(folder, service, {"accounts": hosts}, baseline_retries=0, **directory)
    return ansible_playbook("-i", inventory, REPOSITORY / "playbooks" / f"{name}.yml")


def test_an_export_has_no_part_of_a_listing(service: LocalService, tmp_path: Path) -> None:
    run = play(service, tmp_path, "export")
    assert run.code == 2, run.output
    files = {path.parent.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in tmp_path.glob("export/*/*")}
    assert sorted(files) == READ, run.output
    for document in files.values():
        assert [entry["prefix"] for entry in document["baseline_prefixes"]] == PREFIXES
    failures = {host: result["msg"] for host, result in run.tasks[0].result["hosts"].items()}
    assert sorted(failures) == sorted(REASONS), run.output
    for host, reason in REASONS.items():
        assert reason in failures[host]


def test_a_report_of_a_part_of_a_listing_is_unknown(service: LocalService, tmp_path: Path) -> None:
    run = play(service, tmp_path, "report")
    assert run.code == 0, run.output
    document = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    records = {record["host"]: record for record in document["hosts"]}
    for host, reason in REASONS.items():
        assert records[host]["status"] == "unknown"
        assert reason in " ".join(records[host]["reasons"])
    whole, without_totals = (records[host] for host in READ)
    assert whole["status"] == without_totals["status"] != "unknown"
    assert whole["coverage"] == without_totals["coverage"]
