# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The first day with accounts and zones as people have them: after an export of all that the inventory plugin finds, a run has
nothing to do, and every host is in order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible_playbook

WITHOUT_MAGIC_TRANSIT = {"entitled": False, "dns_entitled": False, "firewall_entitled": False}
ACCOUNTS: dict[str, dict[str, Any]] = {
    "1" * 32: {"name": "Acme GmbH", **WITHOUT_MAGIC_TRANSIT},
    "2" * 32: {"name": "Acme Media", **WITHOUT_MAGIC_TRANSIT},
    "3" * 32: {
        "name": "Acme Network",
        "enabled": True,
        "prefixes": [{"prefix": "192.0.2.0/24"}],
        **{kind: {"rules": [{"scope": "global", "mode": "enabled"}]} for kind in ("syn_flood", "out_of_state_tcp")},
    },
}
PLANS = ("free", "pro", "business", "enterprise")
OFFICES = {"name": "offices", "items": [{"ip": "198.51.100.0/24"}]}
BOTS = {"id": "b" * 32, "name": "Bots"}


def rule(action: str, expression: str, **fields: Any) -> dict[str, Any]:
    return {"action": action, "expression": expression, **fields}


def rules_of(number: int) -> list[dict[str, Any]]:
    """Custom rules with an exception by a list, with rules without a ref and disabled ones in some zones, and a ruleset
    that two rules deploy in others."""
    rules = [
        rule("skip", "ip.src in $offices", ref="office", action_parameters={"ruleset": "current"}),
        rule("block", 'http.request.uri.path eq "/admin"', ref="admin"),
    ]
    if number % 2:
        rules.append(rule("managed_challenge", 'http.request.uri.path eq "/login"'))
    if number % 3 == 1:
        rules.append(rule("block", 'http.request.uri.path eq "/old"', ref="old", enabled=False))
    if number % 4 == 2:
        for name in ("north", "south"):
            expression = f'http.host eq "{name}.example"'
            rules.append(rule("execute", expression, ref=name, action_parameters={"id": BOTS["id"]}))
    return rules


@pytest.fixture
def folder(tmp_path: Path, service: LocalService) -> Path:
    """The inventory of somebody new: a file of the plugin, and the credentials."""
    for identity, fields in ACCOUNTS.items():
        service.account(identity).seed(lists=[OFFICES], **fields)
    for number in range(12):
        inner = [rule("block", 'http.request.uri.path eq "/bots"', ref="inner")]
        rulesets = [{**BOTS, "rules": inner}] if number % 4 == 2 else []
        service.zone(f"{number + 256:032x}").seed(
            name=f"zone{number:02}.example",
            plan=PLANS[number % len(PLANS)],
            account_id=[*ACCOUNTS][number % len(ACCOUNTS)],
            custom_rulesets=rulesets,
            custom_rules=rules_of(number),
        )
    files = {
        "edgeops.yml": {"plugin": "edgeops.protection.accounts"},
        "group_vars/all.yml": {"edge_base_url": service.base_url, "edge_api_token": service.token},
    }
    for name, content in files.items():
        path = tmp_path / "inventory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return tmp_path


def play(folder: Path, service: LocalService, playbook: str, *options: str) -> Run:
    environment = {"CLOUDFLARE_API_TOKEN": service.token, "CLOUDFLARE_BASE_URL": service.base_url}
    words = ("-i", "inventory", f"edgeops.protection.{playbook}", *options)
    return ansible_playbook(*words, directory=folder, environment=environment).done()


def test_all_hosts_are_in_order_after_an_export(folder: Path, service: LocalService) -> None:
    play(folder, service, "export", "-e", "export_directory=inventory/host_vars")
    run = play(folder, service, "baseline", "--check")
    assert "\n15 hosts: 15 in order, 0 would change, 0 refused, 0 not reached.\n" in run.output
    run = play(folder, service, "report")
    assert "\n15 hosts: 15 in order.\n" in run.output
    assert "All 12 zones enforce rules." in run.output or "; all 12 zones enforce rules." in run.output
    report = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
    assert {host["host"] for host in report["hosts"] if host["enforces"] is None} == {
        "acme-gmbh", "acme-media", "acme-network"
    }  # fmt: skip
    assert not service.writes


def test_zones_of_one_plan_share_a_file(folder: Path, service: LocalService) -> None:
    plugin = {"plugin": "edgeops.protection.accounts", "keyed_groups": [{"key": "edge_zone_plan", "prefix": "plan"}]}
    (folder / "inventory" / "edgeops.yml").write_text(yaml.safe_dump(plugin), encoding="utf-8")
    group_vars = folder / "inventory" / "group_vars"
    group_vars.joinpath("zones").mkdir()
    shares = {"export_group": "plan_{{ edge_zone_plan }}"}
    group_vars.joinpath("zones", "main.yml").write_text(yaml.safe_dump(shares), encoding="utf-8")
    play(folder, service, "export", "-e", "export_directory=inventory/host_vars")
    assert {path.name for path in group_vars.glob("plan_*")} == {f"plan_{plan}.yml" for plan in PLANS}
    run = play(folder, service, "baseline", "--check")
    assert "\n15 hosts: 15 in order, 0 would change, 0 refused, 0 not reached.\n" in run.output
    assert not service.writes
