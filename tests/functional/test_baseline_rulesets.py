# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rulesets of a host in the role: exported and applied, taken as a snapshot and restored, expected of packets."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import export_state, export_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_part

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CUSTOM, EXCEPTIONS, L4_OVERRIDES, L7_LOGGED, PACKETS, RATES
from tests.support.baseline_runs import applied, restored, snapshot
from tests.support.host_parts import host, read_back, run_module
from tests.support.module_run import ACCOUNT, RULESETS, ZONE

EXISTING: Mapping[str, Mapping[str, Any]] = {
    "network_firewall_rules": PACKETS,
    "ddos_l4_overrides": L4_OVERRIDES,
    "ddos_l7_overrides": L7_LOGGED,
    "custom_rules": CUSTOM,
    "rate_limit_rules": RATES,
    "managed_rules": EXCEPTIONS,
}
ACCOUNTS = ("network_firewall_rules", "ddos_l4_overrides")


def seed(service: LocalService, module: str, unknown: bool = True) -> None:
    """An existing list; a rule with an unknown field is one that the service takes back, and not anew."""
    owner: Any = service.account(ACCOUNT) if module in ACCOUNTS else service.zone(ZONE)
    listed: Any = copy.deepcopy(EXISTING[module][module])
    for rule in () if unknown else listed:
        rule.get("ratelimit", {}).pop("of_the_future", None)
    owner.seed(**{module: [rule for rule in listed if unknown or "score_per_period" not in rule]})


def rules(service: LocalService, module: str) -> list[dict[str, Any]]:
    """The rules of the service without what a new one has anew."""
    owner: Any = service.account(ACCOUNT) if module in ACCOUNTS else service.zone(ZONE)
    listed = owner.rules_of(module)
    return [{name: rule[name] for name in rule if name not in ("id", "version", "last_updated")} for rule in listed]


def test_every_ruleset_is_here() -> None:
    assert set(EXISTING) == set(RULESETS)


@pytest.mark.parametrize("module", EXISTING)
def test_an_export_that_is_applied_changes_nothing(module: str, service: LocalService) -> None:
    seed(service, module)
    part = host_part("lima", {**host(service), f"baseline_{module}": []})
    export = export_state({module: read_part(part, run_module).objects[module]}, purge=True)
    variables = read_back(export_text(export, {}))
    assert len(variables[f"baseline_{module}"]) == len(rules(service, module)) and export.notes == []
    assert variables["baseline_purge"] == [module]
    assert applied(service, variables)["changed"] is False
    assert service.writes == []


@pytest.mark.parametrize("module", EXISTING)
def test_a_snapshot_brings_rules_back_as_they_were(module: str, service: LocalService) -> None:
    seed(service, module, unknown=False)
    before = rules(service, module)
    variables = {f"baseline_{module}": [{"ref": before[0]["ref"]}], "baseline_purge": [module]}
    text = snapshot(service, **variables)
    owner = {"account_id": ACCOUNT} if module in ACCOUNTS else {"zone_id": ZONE}
    assert owner.items() <= read_back(text)["baseline_source"].items()  # else no restore takes it
    applied(service, variables)
    assert len(rules(service, module)) == 1
    assert restored(service, text) == ("", [])
    assert rules(service, module) == before


def test_expectations_of_the_network_firewall_need_no_rules_in_the_baseline(service: LocalService) -> None:
    seed(service, "network_firewall_rules")
    packet = {"destination": "203.0.113.1", "source": "198.51.100.1", "protocol": "tcp", "destination_port": 23}
    expectation = {"packet": packet, "expect": "blocked", "rule": "telnet"}
    (checked,) = applied(service, {"baseline_expectations": [expectation]})["expectations"]
    assert (checked["actual"], checked["rule"], checked["met"]) == ("blocked", "telnet", True)
    assert service.writes == []
