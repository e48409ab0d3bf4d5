# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host under attack: its inventory, its state, and the playbooks that run on it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible_playbook
from tests.support.inventories import LOCAL
from tests.support.module_run import ACCOUNT, ZONE

OFFICE = {"ref": "office", "action": "block", "expression": "ip.src eq 192.0.2.9"}
TELNET = {"ref": "telnet", "action": "block", "expression": "tcp.dstport in {23 2323}"}
GEO = {"ref": "geo", "action": "managed_challenge", "expression": 'ip.src.country eq "XX"', "position": "first"}
RULE = {
    "kind": "syn_flood",
    "scope": "global",
    "mode": "monitoring",
    "rate_sensitivity": "low",
    "burst_sensitivity": "low",
}
UNDER_ATTACK: dict[str, Any] = {
    "security_level": "under_attack",
    "custom_rules": [GEO],
    "rules": [{"kind": "syn_flood", "scope": "global", "mode": "enabled", "rate_sensitivity": "high"}],
    "accept_risks": ["skips_monitoring", "stops_mitigation", "lowers_sensitivity"],
}
BASELINE: dict[str, Any] = {
    "edge_account_id": ACCOUNT,
    "edge_zone_id": ZONE,
    "baseline_rules": [RULE],
    "baseline_prefixes": [{"prefix": "203.0.113.0/24"}],
    "baseline_enabled": True,
    "baseline_custom_rules": [OFFICE],
    "baseline_network_firewall_rules": [TELNET],
    "baseline_security_level": "medium",
    "baseline_postures": {"under_attack": UNDER_ATTACK},
}
BEGIN = datetime(2027, 1, 29, 3, 0, tzinfo=UTC)
POSTURE = {"attack_posture": "under_attack", "attack_hours": 4, "attack_reason": "INC-7"}
IN = ("enabled", "high", ["geo", "office"], "under_attack")
OUT = ("monitoring", "low", ["office"], "medium")
FLOOD = [
    {"ipDestinationAddress": "203.0.113.7", "packets": 90_000, "hours_ago": 0.1},
    {
        "ipDestinationAddress": "203.0.113.7",
        "packets": 9_000,
        "hours_ago": 0.1,
        "verdict": "drop",
        "mitigationReason": "CHALLENGE_NEEDED",
        "ipSourceAddress": "198.51.100.9",
        "sourceAsn": 64496,
    },
]


def state_of(service: LocalService) -> tuple[str, str, list[str], str]:
    """The mode and the sensitivity of the rule, the custom rules and the security level."""
    rule, zone = service.account(ACCOUNT).rules["syn_flood"][0], service.zone(ZONE)
    refs = [item["ref"] for item in zone.rules_of("custom_rules")]
    return rule["mode"], rule["rate_sensitivity"], refs, zone.declared["security_level"]["value"]


class Site:
    """A host in an inventory of its own, whose variables people wrote into host_vars/berlin.yml."""

    def __init__(self, service: LocalService, folder: Path) -> None:
        self.service, self.folder, self.inventory = service, folder, folder / "inventory"
        self.own = self.inventory / "host_vars" / "berlin.yml"
        self.file = folder / "postures.yml"
        self.own.parent.mkdir(parents=True)
        hosts = {"accounts": {"hosts": {"berlin": None, "munich": None}}}
        connection = {"edge_api_token": service.token, "edge_base_url": service.base_url}
        document = {"all": {"children": hosts, "vars": {**LOCAL, **connection}}}
        (self.inventory / "hosts.yml").write_text(yaml.safe_dump(document), encoding="utf-8")
        self.describe()

    def describe(self, **more: Any) -> None:
        """Write the variables of the host."""
        self.own.write_text(yaml.safe_dump({**BASELINE, **more}), encoding="utf-8")

    def playbook(self, name: str, *arguments: str, code: int = 0) -> Run:
        scratch = self.folder / "here"
        scratch.mkdir(exist_ok=True)
        playbook = f"edgeops.protection.{name}"
        run = ansible_playbook("-i", self.inventory, "--limit", "berlin", *arguments, playbook, directory=scratch)
        assert run.code == code, (run.code, run.output)
        return run

    def attack(self, *arguments: str, code: int = 0, **variables: Any) -> str:
        """The output of the playbook on one line."""
        given = {f"attack_{name}": value for name, value in variables.items()} or POSTURE
        run = self.playbook("attack", "-e", json.dumps(given), *arguments, code=code)
        return " ".join(run.output.split())

    def scheduled(self, code: int = 0) -> bool:
        """A scheduled run; True if it changed something."""
        (task,) = self.playbook("baseline", code=code).of()
        return bool(task.result["changed"])

    def report(self) -> dict[str, Any]:
        """The record of the host in a report."""
        folder = self.folder / "here" / "report"
        self.playbook("report", "-e", json.dumps({"report_directory": str(folder)}))
        (record,) = json.loads((folder / "report.json").read_text(encoding="utf-8"))["hosts"]
        return dict(record)

    def state(self) -> tuple[str, str, list[str], str]:
        return state_of(self.service)

    def firewall(self) -> list[str]:
        return [rule["ref"] for rule in self.service.account(ACCOUNT).rules_of("network_firewall_rules")]

    def files(self) -> list[str]:
        """The files of the project, without those of the run itself."""
        found = sorted(path for path in self.folder.rglob("*") if path.is_symlink() or path.is_file())
        names = [path.relative_to(self.folder).as_posix() for path in found]
        return [name for name in names if not name.startswith("here/")]

    def entries(self) -> list[dict[str, Any]]:
        """The postures of the host in the file, with their times as texts."""
        hosts = yaml.load(self.file.read_text(encoding="utf-8"), yaml.BaseLoader) or {}
        return list(hosts.get("berlin", []))

    def block(self, *networks: str, code: int = 0, **more: Any) -> str:
        """The output of a block of sources for two hours."""
        return self.attack(block={"networks": [*networks]}, code=code, **{"hours": 2, **more})
