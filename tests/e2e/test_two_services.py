# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One run over two services with equal ids and unequal answers, and with two tokens of which one may read less."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.inventories import LOCAL

ACCOUNT, ZONE, OTHER_ZONE, BLOCK_ID = "a" * 32, "b" * 32, "c" * 32, "d" * 32
BLOCK = {"ref": "admin", "action": "block", "expression": 'starts_with(http.request.uri.path, "/admin")'}
SKIP = {
    "ref": "gone",
    "action": "skip",
    "expression": "true",
    "action_parameters": {"ruleset": "current", "products": ["waf"]},
}
ANSWERED = re.compile(r"\(ray [\w-]+\)|\d{4}-\d\d-\d\dT[\d:.]+\w*|\d+(\.\d+)? s\b")  # differs from run to run
DEPLOY = {"action": "execute", "expression": 'cf.zone.plan eq "ENT"', "action_parameters": {"id": "e" * 32}}
CLOSED = {"description": "closed", "request": {"method": "GET", "path": "/admin"}, "expect": "blocked"}


def seeded(service: LocalService, *of_account: dict[str, Any], hits: int = 0) -> None:
    rulesets = [{"id": "e" * 32, "name": "Office", "rules": of_account}] if of_account else []
    deployed = [{"ref": "deploy", **DEPLOY}] if of_account else []
    service.account(ACCOUNT).seed(custom_rules=deployed, custom_rulesets=rulesets)
    for zone in (ZONE, OTHER_ZONE):
        events = [{"ruleId": BLOCK_ID, "count": hits}] if hits else []
        rules = [{"id": BLOCK_ID, **BLOCK, "description": "of a person"}]
        name = f"{zone[0]}.example"
        service.zone(zone).seed(custom_rules=rules, events=events, name=name, plan="enterprise", account_id=ACCOUNT)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[tuple[LocalService, LocalService]]:
    """Two services, and the inventory of three hosts beside them."""
    with LocalService() as first, LocalService() as second:
        seeded(first, hits=7)
        seeded(second, {**BLOCK, "ref": "asks", "action": "managed_challenge"}, SKIP)
        denied: Any = {"account_waf": "none", "analytics": "none", "zone_settings": "none"}
        hosts = {
            "one": {"edge_base_url": first.base_url, "edge_api_token": first.token, "edge_zone_id": ZONE},
            "two": {"edge_base_url": second.base_url, "edge_api_token": second.token, "edge_zone_id": ZONE},
            "three": {
                "edge_base_url": first.base_url,
                "edge_api_token": first.add_token("token-of-less", **denied),
                "edge_zone_id": OTHER_ZONE,
            },
        }
        own = {
            "edge_zone_plan": "enterprise",
            "edge_zone_account_id": ACCOUNT,
            "baseline_custom_rules": [{**BLOCK, "description": "of the baseline"}],
            "baseline_expectations": [CLOSED],
            "report_hits_hours": 24,
        }
        zones = {"zones": {"hosts": hosts, "vars": {**LOCAL, **own}}}
        (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"children": zones}}), encoding="utf-8")
        yield first, second


def play(folder: Path, name: str, *arguments: str) -> Run:
    folder.mkdir(exist_ok=True)
    inventory = folder.parent / "hosts.yml"
    playbook = REPOSITORY / "playbooks" / f"{name}.yml"
    return ansible_playbook("-i", inventory, *arguments, playbook, directory=folder)


def files(folder: Path, name: str, *arguments: str) -> dict[str, str]:
    """What a playbook writes about each host, but for times and the names of answers."""
    play(folder, name, *arguments)
    if name == "report":
        report = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
        texts = {host["host"]: json.dumps(host, indent=1) for host in report["hosts"]}
        assert report["shared_owners"] == []
    else:
        pattern = {"doctor": "bundle.json", "export": "protection.yml"}[name]
        texts = {path.parent.name: path.read_text(encoding="utf-8") for path in folder.rglob(pattern)}
    return {host: ANSWERED.sub("", text) for host, text in texts.items()}


Services = tuple[LocalService, LocalService]


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("name", ["report", "doctor", "export"])
def test_a_playbook_says_of_each_host_what_it_says_of_it_alone(tmp_path: Path, name: str) -> None:
    together = [files(tmp_path / forks, name, "-f", forks) for forks in ("1", "3")]
    alone: dict[str, str] = {}
    for host in ("one", "two", "three"):
        alone.update(files(tmp_path / host, name, "--limit", host))
    assert together == [alone, alone] and len(alone) == 3
    assert len({*alone.values()}) > 1


@pytest.mark.usefixtures("services")
def test_the_report_knows_what_each_service_and_each_token_tells(tmp_path: Path) -> None:
    records = {host: json.loads(text) for host, text in files(tmp_path / "all", "report", "-f", "1").items()}
    statuses = {host: record["status"] for host, record in records.items()}
    assert statuses == {"one": "drift", "two": "weakened", "three": "weakened"}
    assert any("gone of the ruleset Office skips" in reason for reason in records["two"]["reasons"])
    assert "Account WAF Read" in str(records["three"]["reasons"])
    assert (records["one"]["unused"], records["two"]["unused"][0]["ref"]) == ([], "admin")
    assert records["three"]["unknown_hits"]


@pytest.mark.usefixtures("services")
def test_hosts_of_two_services_with_equal_ids_are_two(tmp_path: Path) -> None:
    play(tmp_path / "all", "check_inventory").done()


def test_a_run_refuses_a_host_for_what_its_own_service_and_token_tell(services: Services, tmp_path: Path) -> None:
    first, second = services
    run = play(tmp_path / "all", "baseline", "-f", "1")
    assert run.code == 2 and "are one" not in run.output, run.output
    rules = {
        host: service.zone(zone).custom_rules[0]["description"]
        for host, (service, zone) in {"one": (first, ZONE), "two": (second, ZONE), "three": (first, OTHER_ZONE)}.items()
    }
    assert rules == {"one": "of the baseline", "two": "of a person", "three": "of a person"}, run.output
