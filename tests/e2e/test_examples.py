# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples in the modules' documentation run as they stand, and each of them has something to do or to show."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE, MODULE_SPECS

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import PER_ADDRESS
from tests.support.ansible_run import REPOSITORY, ansible_playbook

ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353"
ZONE = "5c2a81f0f7ae4b2d9b1e6f3a7d904c11"
MODULES = sorted({*MODULE_SPECS} - {HOST_MODULE})

# Every module that is about an account has one of its own, which starts like this.
EXISTING: dict[str, Any] = {
    "enabled": False,
    "prefixes": [{"prefix": "203.0.113.0/24"}, {"prefix": "203.0.113.64/28", "excluded": True}],
    "allowlist": [{"prefix": "198.51.100.99", "comment": "former supplier"}],
    "syn_flood": {"rules": [{"mode": "disabled"}], "filters": [{"expression": "tcp.dstport in {22}"}]},
    "out_of_state_tcp": {"rules": [{"mode": "enabled"}]},
    "onboarded": [{"cidr": "203.0.113.0/24"}],
    "network_firewall_rules": [{"ref": "former", "action": "log", "expression": "ip.len lt 40"}],
    "lists": [{"name": "former", "items": [{"ip": "192.0.2.99"}]}],
    "traffic": [
        {"ipDestinationAddress": "203.0.113.7", "packets": 1_200_000, "sampleInterval": 1000, "hours_ago": 0.1},
        {
            "ipDestinationAddress": "203.0.113.7",
            "packets": 50_000,
            "sampleInterval": 1000,
            "verdict": "drop",
            "mitigationReason": "NOT_FOUND",
            "hours_ago": 0.1,
        },
        {
            "ipDestinationAddress": "203.0.113.53",
            "packets": 4_000_000,
            "sampleInterval": 1000,
            "hours_ago": 0.1,
            "node": "dns",
        },
    ],
}
RULES: list[dict[str, Any]] = [
    {"id": "f2d427378e7542acb295380d352e2ebd", "action": "challenge", "filter": {"expression": 'http.request.uri.path eq "/login"'}},
    {"id": "14217d7bd5ab435e84b1bd468bf4fb9f", "action": "allow", "filter": {"expression": "ip.src in {192.0.2.0/24}"}},
    {"action": "block", "filter": {"expression": "ip.src in {203.0.113.0/24}"}},
]  # fmt: skip
TRIAL: dict[str, Any] = {"ref": "trial", "action": "log", "expression": "ssl", "ratelimit": PER_ADDRESS}


FILTERS = {path.stem: path for path in sorted((REPOSITORY / "plugins" / "filter").glob("*.yml"))}


SHOWN = ("msg", "rules", "prefixes", "filters", "announced", "known")
PLUGINS = [*MODULES, *FILTERS]


def account_of(module: str) -> str:
    """The account that a module's examples name themselves, or else one of the module's own."""
    return ACCOUNT if module == "tcp_protection_status" else f"{PLUGINS.index(module):032x}"


def examples(module: str) -> list[dict[str, Any]]:
    if module in FILTERS:
        documented = yaml.safe_load(FILTERS[module].read_text(encoding="utf-8"))["EXAMPLES"]
    else:
        documented = import_module(f"ansible_collections.edgeops.protection.plugins.modules.{module}").EXAMPLES
    tasks: list[dict[str, Any]] = yaml.safe_load(documented)
    return tasks


def play(module: str, service: LocalService) -> dict[str, Any]:
    """A module's examples, with the account and the credentials that they leave out."""
    reader = "protection_info" if module in FILTERS else module
    owner_id = {} if MODULE_SPECS[reader].owner == "zone_id" else {"account_id": account_of(module)}
    return {
        "name": module,
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"edge_api_token": service.token, "edge_zone_id": ZONE},
        "module_defaults": {
            "group/edgeops.protection.all": {"api_token": "{{ edge_api_token }}", "base_url": service.base_url},
            f"edgeops.protection.{reader}": owner_id,
        },
        "tasks": examples(module),
    }


def test_every_example_runs_and_has_something_to_do(service: LocalService, tmp_path: Path) -> None:
    playbook = tmp_path / "examples.yml"
    service.zone(ZONE).seed(rules=RULES, rate_limit_rules=[TRIAL], account_id=ACCOUNT)
    for module in PLUGINS:
        service.account(account_of(module)).seed(**EXISTING)
    # A filter for networks that nobody protects cannot work, which the module would say.
    service.account(account_of("protection_filter")).seed(prefixes=[{"prefix": "192.0.2.0/24"}])
    playbook.write_text(yaml.safe_dump([play(module, service) for module in PLUGINS]), encoding="utf-8")
    run = ansible_playbook(
        *("-i", "localhost,", "-c", "local", "-e", "ansible_python_interpreter={{ ansible_playbook_python }}"), playbook
    ).done()
    warnings = [line for line in run.output.splitlines() if "[WARNING]" in line]
    assert [line for line in warnings if "Accepted" not in line] == []
    documented = [task["name"] for module in PLUGINS for task in examples(module)]
    assert [task.task for task in run.tasks] == documented
    for task in run.tasks:
        result = {**task.result, **task.result.get("traffic", {})}
        shown = {name: value for name, value in result.items() if name in SHOWN or "edgeops" in name}
        reads = not task.action.startswith("edgeops.protection.") or task.action.endswith("_info")
        assert task.result.get("changed") or (reads and shown and all(shown.values())), task
