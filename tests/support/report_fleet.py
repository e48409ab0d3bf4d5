# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet of hosts for the report, of every status: results of the modules over the local service, in check mode."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import HostResults

from tests.fake_service import LocalService
from tests.support.inventories import write_inventory
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.reports import read_results

KINDS = ("syn_flood", "out_of_state_tcp")
PREFIXES = [{"prefix": "192.0.2.0/24", "comment": "office"}, {"prefix": "2001:db8::/48"}]
HIDDEN = {"prefix": "192.0.2.64/28", "excluded": True}
SUPPLIER = "<script>document.title = 'run'</script> \u202etext that runs backwards"
BLOCKED = "login from blocked networks <b>1</b>"
RULE = "79141684506f886b51651495564cf76d"


def account(mode: str = "enabled", **others: Any) -> dict[str, Any]:
    """An account as the service holds it, with a global rule of each kind."""
    rules = {kind: {"rules": [{"scope": "global", "name": "global", "mode": mode}]} for kind in KINDS}
    return {"enabled": True, "prefixes": PREFIXES, **rules, **others}


def baseline(mode: str = "enabled", **others: Any) -> dict[str, Any]:
    """The options of account_protection that describe such an account."""
    rules = [{"kind": kind, "scope": "global", "mode": mode} for kind in KINDS]
    return {"enabled": True, "prefixes": PREFIXES, "rules": rules, "staged_rollout": True, **others}


# By status: what the service holds, and the options of account_protection.
ACCOUNTS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "unprotected": (account(out_of_state_tcp={"rules": []}, prefixes=[*PREFIXES, HIDDEN]), baseline(purge=["prefixes"])),
    "weakened": (account(prefixes=[*PREFIXES, HIDDEN]), baseline(purge=["prefixes"])),
    "drift": (
        account(allowlist=[{"prefix": "198.51.100.7", "comment": SUPPLIER, "enabled": False}]),
        baseline(allowlist=[{"prefix": "8.0.0.0/8"}], purge=["allowlist"]),
    ),
    "pending": (account("monitoring"), baseline()),
    "in_order": (account(), baseline()),
}  # fmt: skip


def hosts_of_every_status() -> dict[str, HostResults]:
    """A host of each status; the one that drifts has a plan that a run refuses, the weakened one has a zone."""
    hosts = {}
    with LocalService() as service:
        modules = Modules(service)
        for status, (existing, desired) in ACCOUNTS.items():
            service.reset()
            service.account(ACCOUNT).seed(**existing)
            result = modules.run("account_protection", check=True, **desired)
            record: dict[str, Any] = {"host": status, "account_id": ACCOUNT, "results": {"account_protection": result}}
            if result.get("risks"):
                codes = [risk["code"] for risk in result["risks"]]
                predicted = modules.run("account_protection", check=True, **desired, accept_risks=codes)
                record.update(
                    results={"account_protection": predicted}, failures=[{**result, "module": "account_protection"}]
                )
            if status == "weakened":
                record.update(zone_id=ZONE, results={**record["results"], "firewall_rules": _zone(service, modules)})
            hosts[status] = read_results(record)
        service.reset()
        service.account(ACCOUNT)
        service.misbehave("status", method="GET", status=403)
        failed = modules.run("account_protection", check=True, retries=0, enabled=True)
    return {"unknown": read_results({"host": "unknown", "account_id": ACCOUNT, "failures": [failed]}), **hosts}


BLOCK = {"ref": "login", "action": "block", "expression": "ip.src eq 192.0.2.1"}


def write_fleet(folder: Path, service: LocalService, **more: Mapping[str, Any]) -> Path:
    """Write the inventory of an account of each status, one with wrong variables, one without credentials, one without an
    id, and a zone; and of more hosts."""
    hosts: dict[str, Mapping[str, Any]] = {}
    for number, (status, (existing, desired)) in enumerate(ACCOUNTS.items(), start=1):
        service.account(f"{number:032x}").seed(**existing)
        variables = {f"baseline_{name}": value for name, value in desired.items()}
        hosts[status] = {"edge_account_id": f"{number:032x}", **variables}
    service.zone("e" * 32).seed(custom_rules=[BLOCK])
    hosts["zone"] = {"edge_zone_id": "e" * 32, "baseline_custom_rules": [BLOCK]}
    hosts["broken"] = {"edge_account_id": "f" * 32, "baseline_allowlist": [{"prefix": "192.0.2/24"}]}
    hosts["closed"] = {"edge_account_id": "f" * 32, "edge_api_token": "of-nobody"}
    hosts["empty"] = {}
    return write_inventory(folder, service, {"accounts": {**hosts, **more}}, baseline_retries=0)


def _zone(service: LocalService, modules: Modules) -> dict[str, Any]:
    rule = {"id": RULE, "action": "log", "description": BLOCKED, "filter": {"expression": "ip.src in {198.51.0.0/24}"}}
    service.zone(ZONE).seed(rules=[rule])
    return modules.run("firewall_rules", check=True, rules=[{"id": RULE, "action": "block", "priority": 1}])


def fleet(number: int) -> list[HostResults]:
    """So many hosts, of every status in turn, from `host-0000`."""
    kinds = list(hosts_of_every_status().values())
    return [
        kind.having(host=f"host-{position:04}")
        for position, kind in ((position, kinds[position % len(kinds)]) for position in range(number))
    ]
