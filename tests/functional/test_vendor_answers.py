# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers by the types of the vendor's SDK, at random: they are read, exported and reported, and kept on a write, whatever
of them the collection does not know."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._apply.executor import MOST_SINGLE
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import (
    EXPORT_OPTIONS,
    connection_of,
    export_state,
    export_text,
    exported_resources,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import HostState, read_host

from tests.fake_service import LocalService
from tests.judges.sdk_answers import STATES, Answers
from tests.support.baseline_runs import applied
from tests.support.host_parts import RISKS, read_back, run_module
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.reported_host import assessed, predicted
from tests.support.sampled_rows import EVERY_ROW
from tests.support.service_state import collections_of

Item = dict[str, Any]
SEEDS = range(STATES if EVERY_ROW else 6)
OF_ZONES = ("custom_rules", "rate_limit_rules", "managed_rules", "ddos_l7_overrides")
# The actions of the phases that the collection manages; what another one does is not known.
UNDERSTOOD = {"block", "challenge", "js_challenge", "managed_challenge", "log", "skip", "execute", "ddos_dynamic"}
OF_ACCOUNTS = ("network_firewall_rules", "ddos_l4_overrides")


def hold(service: LocalService, answers: Answers) -> None:
    """Let the service have random objects of the types, of all that the SDK describes."""
    service.switch(checked_against_contract=False)
    service.account(ACCOUNT).seed(**{name: [] for name in OF_ACCOUNTS})
    service.zone(ZONE).seed(account_id=ACCOUNT, plan="enterprise", **{name: [] for name in OF_ZONES})
    service.zone(ZONE).rules[:] = answers.objects("firewall_rules")
    collections = collections_of(service)
    for name in ("prefixes", "allowlist"):
        collections[name][:] = answers.objects(name)
    for kind in ("syn_flood", "out_of_state_tcp"):
        for part in ("rules", "filters"):
            collections[f"{kind}_{part}"][:] = answers.objects(f"{kind}.{part}")
    for name in (*OF_ACCOUNTS, *OF_ZONES):
        rules_of(service, name)[:] = answers.objects("rules")


def rules_of(service: LocalService, name: str) -> list[Item]:
    """The rules of a ruleset as the service holds them, the list itself."""
    owner = service.account(ACCOUNT) if name in OF_ACCOUNTS else service.zone(ZONE)
    return owner.rules_of(name)


def read(service: LocalService) -> HostState:
    reached = {"api_token": service.token, "base_url": service.base_url, "account_id": ACCOUNT, "zone_id": ZONE}
    options: dict[str, Any] = {**dict.fromkeys(EXPORT_OPTIONS), **reached, "skip": []}
    return read_host(exported_resources("lima", options), connection_of(options), run_module)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_export_of_generated_answers_changes_nothing(seed: int, service: LocalService) -> None:
    hold(service, Answers(Random(seed)))
    state = read(service)
    export = export_state(state.objects, purge=True)
    variables = read_back(export_text(export, state.owners))
    assert applied(service, variables)["changed"] is False
    assert service.writes == []


INFO = ("protection_info", "custom_rules_info", "firewall_rules_info", "protection_traffic_info")


@pytest.mark.parametrize("seed", SEEDS)
def test_info_modules_show_generated_answers_whole(seed: int, service: LocalService, modules: Modules) -> None:
    hold(service, Answers(Random(seed)))
    for module in INFO:
        modules.done(module)
    rules = modules.done("custom_rules_info")["rules"]
    assert rules == service.zone(ZONE).custom_rules


@pytest.mark.parametrize("seed", SEEDS)
def test_a_report_on_generated_answers_tells_all_that_nobody_names(seed: int, service: LocalService) -> None:
    hold(service, Answers(Random(seed)))
    service.account(ACCOUNT).enabled = True
    record = predicted(service, **{f"baseline_{name}": [] for name in NEW})
    status, _reasons = assessed(record)
    told = {entry["key"]: entry["weakens"] for entry in record["unmanaged"]}
    for name in NEW:
        for rule in rules_of(service, name):
            key = rule.get("ref", rule["id"])
            assert key in told, (name, rule)
            matches = rule.get("enabled", True) and "$office" not in rule.get("expression", "")  # which does not exist
            if rule["action"] not in UNDERSTOOD and matches:
                assert told[key] is not False, (name, rule)
    assert not (status == "in_order" and None in told.values())


EXPRESSION = 'http.host eq "new.example"'
LIMIT = {"characteristics": ["cf.colo.id", "ip.src"], "period": 60, "requests_per_period": 9, "mitigation_timeout": 60}
# By the module of the rulesets, the option that holds a new rule, and the rule without its ref.
NEW: Mapping[str, tuple[str, Item]] = {
    "custom_rules": ("rules", {"action": "block", "expression": EXPRESSION}),
    "rate_limit_rules": ("rules", {"action": "block", "expression": EXPRESSION, "ratelimit": LIMIT}),
    "managed_rules": (
        "rules",
        {"action": "skip", "action_parameters": {"ruleset": "current"}, "expression": EXPRESSION},
    ),
    "ddos_l7_overrides": ("overrides", {"expression": EXPRESSION, "sensitivity": "default"}),
    "ddos_l4_overrides": ("overrides", {"expression": "ip.dst in {192.0.2.0/24}", "sensitivity": "default"}),
    "network_firewall_rules": ("rules", {"action": "block", "expression": "ip.src in {198.51.100.0/24}"}),
}
OF_THE_SERVICE = {"id", "version", "last_updated"}


def without_stamps(rules: list[Item]) -> list[Item]:
    return [{name: value for name, value in rule.items() if name not in OF_THE_SERVICE} for rule in rules]


@pytest.mark.parametrize("module", NEW)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_write_keeps_generated_rules_whole(module: str, seed: int, service: LocalService, modules: Modules) -> None:
    """So many rules are new that all of them are sent."""
    hold(service, Answers(Random(seed)))
    before = rules_of(service, module)[:]
    option, rule = NEW[module]
    rules = [{"ref": f"new {number}", **rule} for number in range(MOST_SINGLE + 1)]
    options: Item = {option: rules}
    result = modules.run(module, accept_risks=RISKS, **options)
    (sent,) = [call.body["rules"] for call in service.writes if call.method == "PUT"]
    assert without_stamps(sent)[: len(before)] == without_stamps(before), result
