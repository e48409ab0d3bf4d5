# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules that no baseline names are judged beside the deployments of the rulesets that it does name."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context, HostOfInventory
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part

from tests.fake_service import LocalService
from tests.support.host_parts import host, run_module
from tests.support.module_run import ACCOUNT, ZONE, Modules

BOTS = "b" * 32
CURL = {"ref": "curl", "action": "block", "expression": 'http.user_agent eq "curl"'}
ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
RULESET = {"id": BOTS, "name": "Bots", "rules": [{"id": "c" * 32, **CURL}]}
ALL = {"zone": "true", "account": 'cf.zone.plan eq "ENT"'}
PASSES = "lets requests pass that custom rule curl of the ruleset Bots would stop"
Hole = tuple[str, Any, str]


def skip(condition: str = "", **parameters: Any) -> dict[str, Any]:
    return {"ref": "byhand", "action": "skip", "expression": condition, "action_parameters": parameters}


def deployment(**parameters: Any) -> dict[str, Any]:
    return {"ref": "Bots", "action": "execute", "action_parameters": {"id": BOTS, **parameters}}


def holes(service: LocalService, owner: str, *rules: Mapping[str, Any], **variables: Any) -> list[Hole]:
    """The objects that weaken a host, or do too much, with these rules of its entry point; in a prediction as after runs."""
    store: Any = service.account(ACCOUNT) if owner == "account" else service.zone(ZONE)
    conditions = [f"{ALL[owner]} and {rule['expression']}" if rule.get("expression") else ALL[owner] for rule in rules]
    entry_point = [
        {**rule, "expression": one.replace("true and ", "")} for rule, one in zip(rules, conditions, strict=True)
    ]
    store.seed(custom_rules=copy.deepcopy(entry_point), custom_rulesets=[copy.deepcopy(RULESET)])
    described = {"name": "Bots", "rules": [CURL], "deploy": {"expression": ALL[owner]}}
    left_out = "edge_zone_id" if owner == "account" else "edge_account_id"
    own = {name: value for name, value in host(service).items() if name != left_out}
    part = host_part("lima", {**own, "baseline_custom_rulesets": [described], **variables})
    found = []
    for check in (True, False, False):
        result = run_module(part, check)
        assert not result.get("failed"), result
        found.append([(one["key"], one["weakens"], one["reason"]) for one in result["unmanaged"] if one["reason"]])
    assert found[0] == found[1] == found[2] and service.writes == []
    return found[0]


@pytest.mark.parametrize("owner", ["zone", "account"])
@pytest.mark.parametrize(
    ("rule", "weakens", "reason"),
    [
        (skip(ruleset="current"), True, PASSES),
        (skip('http.user_agent in {"curl" "wget"}', ruleset="current"), True, PASSES),
        (skip('http.request.uri.path eq "/x"', ruleset="current"), None, PASSES.replace("lets", "may let")),
        (skip(rulesets=[BOTS]), True, f"skips rulesets {BOTS} for every request"),
        (skip("ip.src eq 192.0.2.1", rulesets=[BOTS]), None, f"may skip rulesets {BOTS} for requests"),
        (skip(rules={BOTS: ["c" * 32]}), True, f"skips rules {BOTS} {'c' * 32} for every request"),
        (skip(phase="current"), True, PASSES),
    ],
)
def test_an_unnamed_skip_in_front_of_a_deployment_is_a_hole(
    owner: str, rule: dict[str, Any], weakens: Any, reason: str, service: LocalService
) -> None:
    assert holes(service, owner, rule, deployment()) == [("byhand", weakens, reason)]


@pytest.mark.parametrize("owner", ["zone", "account"])
@pytest.mark.parametrize(
    "rules",
    [
        [deployment()],
        [deployment(), skip(ruleset="current")],
        [skip('http.user_agent eq "x"', ruleset="current"), deployment()],
        [{"ref": "byhand", "action": "block", "expression": "ip.src eq 192.0.2.1"}, deployment()],
    ],
)
def test_other_rules_beside_a_deployment_are_no_holes(
    owner: str, rules: list[dict[str, Any]], service: LocalService
) -> None:
    assert holes(service, owner, *rules) == []


@pytest.mark.parametrize("owner", ["zone", "account"])
@pytest.mark.parametrize("beside", [{}, {"baseline_custom_rules": []}, {"baseline_custom_rules": [{"ref": "Bots"}]}])
@pytest.mark.parametrize("overrides", [{"action": "log"}, {"rules": [{"id": "c" * 32, "enabled": False}]}])
def test_a_deployment_with_overrides_may_do_less(
    owner: str, beside: dict[str, Any], overrides: dict[str, Any], service: LocalService
) -> None:
    found = holes(service, owner, deployment(overrides=overrides), **(beside if owner == "zone" else {}))
    assert found == [("Bots", None, "may let requests pass, since the action parameter overrides is not understood")]


def test_custom_rules_of_a_host_stand_beside_its_deployments(service: LocalService) -> None:
    rules = [skip(CURL["expression"], ruleset="current"), ADMIN, deployment()]
    assert holes(service, "zone", *rules, baseline_custom_rules=[ADMIN]) == [("byhand", True, PASSES)]


def test_custom_rules_of_a_zone_hide_nothing_of_its_account(service: LocalService) -> None:
    rules = [skip(ruleset="current"), deployment()]
    zone = {"edge_zone_id": ZONE, "baseline_custom_rules": []}
    assert holes(service, "account", *rules, **zone) == [("byhand", True, PASSES)]


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"action": "block"}, "blocks every request"),
        ({"action": "managed_challenge"}, "challenges every request"),
        (
            {"action": "block", "expression": "not ip.src in {192.0.2.0/24}"},
            "blocks every request but those from 192.0.2.0/24",
        ),
        ({"action": "block", "expression": "ip.src in {192.0.2.0/24}"}, ""),
    ],
)
def test_an_unnamed_rule_of_an_account_that_stops_all_traffic_is_told(
    rule: dict[str, Any], reason: str, service: LocalService, modules: Modules
) -> None:
    told = [(False, reason)] if reason else []
    rules = [deployment(), {"ref": "byhand", **rule}]
    assert holes(service, "account", *rules) == [("byhand", *one) for one in told]
    service.zone(ZONE).seed(account_id=ACCOUNT, name="shop.example", plan="enterprise")
    known_zone = {"plan": {"legacy_id": "enterprise"}, "account": {"id": ACCOUNT}}
    known = Context(is_role=True, host=HostOfInventory(zone=known_zone))
    records = modules.run("custom_rules", True, known, rules=[])["unmanaged"]
    assert [(one["weakens"], one["reason"]) for one in records] == told
