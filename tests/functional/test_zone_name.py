# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A zone that a task names by its domain: one call finds its id, and no other zone is ever taken for it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._concurrency import shared_by_tasks

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CUSTOM, FIREWALL, RULE_1
from tests.support.module_run import ACCOUNT, AREA_B, ZONE, Modules

NAME = "shop.example.com"
OTHER = "9" * 32
OPTIONS: dict[str, dict[str, Any]] = {
    "firewall_rules": {"rules": [{"id": RULE_1, "action": "block"}]},
    "custom_rules": {"rules": [{"ref": "login", "action": "block"}]},
    "ddos_l7_overrides": {"overrides": [{"ref": "calm", "expression": "not ssl", "action": "block"}]},
    "custom_rulesets": {"rulesets": [{"name": "Bots"}]},
    "custom_ruleset": {"name": "Bots", "rules": []},
    "rate_limit_rules": {"rules": [], "purge": True},
    "managed_rules": {"rules": [], "purge": True},
    "security_level": {"level": "high"},
}


@pytest.fixture
def named(service: LocalService) -> LocalService:
    """Two zones with the same rules and different names."""
    for identity, name in ((ZONE, NAME), (OTHER, "other.example.com")):
        service.zone(identity).seed(**FIREWALL, **CUSTOM, name=name)
    return service


def run(service: LocalService, module: str, check: bool = False, **options: Any) -> dict[str, Any]:
    given = {"zone_id": None, "zone_name": NAME, **OPTIONS.get(module, {}), **options}
    return Modules(service).run(module, check, verbose=True, **given)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("module", AREA_B)
def test_a_name_does_what_the_id_does_with_one_call_more(
    module: str, check: bool, named: LocalService, modules: Modules
) -> None:
    by_id = modules.done(module, check=True, **OPTIONS.get(module, {}))
    calls = len(named.calls)
    named.calls.clear()
    by_name = run(named, module, check)
    assert not by_name.get("failed"), by_name
    writes = by_name["changed"] and not check
    again = writes and module.startswith("custom_ruleset")  # the list is read again after a creation
    known = module == "ddos_l7_overrides"  # its zone, whose plan the task of an id has to read
    assert by_name["calls"] == len(named.calls) == calls + 1 - known + writes + again
    assert (named.calls[0].path, named.calls[0].query["name"]) == ("/zones", NAME)
    assert not [call.path for call in named.calls if OTHER in call.path]
    assert by_name.get("operations") == by_id.get("operations")
    assert run(named, module)["changed"] is (check and by_name["changed"])


@pytest.mark.parametrize("spelling", ["Shop.Example.COM", "shop.example.com.", " shop.example.com "])
def test_other_spellings_of_a_domain_name_the_same_zone(spelling: str, named: LocalService) -> None:
    assert run(named, "custom_rules_info", zone_name=spelling)["rules"]
    assert named.calls[0].query["name"] == NAME


@pytest.mark.parametrize("spelling", ["münchen.example", "MÜNCHEN.example", "xn--mnchen-3ya.example"])
def test_a_domain_has_letters_or_punycode(spelling: str, named: LocalService) -> None:
    named.zone(ZONE).seed(name="münchen.example")
    assert run(named, "custom_rules_info", zone_name=spelling)["rules"]
    assert named.calls[0].query["name"] == "münchen.example"


@pytest.mark.parametrize(("action", "code"), [("skip", "skips_everything"), ("block", "blocks_everything")])
def test_a_rule_for_a_zone_in_punycode_is_for_all_of_it(action: str, code: str, named: LocalService) -> None:
    named.zone(ZONE).seed(name="münchen.example")
    expression = 'http.host in {"xn--mnchen-3ya.example" "www.xn--mnchen-3ya.example"}'
    parameters = {"action_parameters": {"ruleset": "current"}} if action == "skip" else {}
    wide = {"ref": "wide", "action": action, "expression": expression, "position": "first", **parameters}
    refused = run(named, "custom_rules", zone_name=None, zone_id=ZONE, rules=[wide])
    assert code in {risk["code"] for risk in refused["risks"]}
    narrow = {**wide, "expression": 'http.host eq "xn--mnchen.example"'}
    result = run(named, "custom_rules", check=True, zone_name=None, zone_id=ZONE, rules=[narrow])
    assert code not in {risk["code"] for risk in result.get("risks") or []}


def test_a_name_that_the_token_does_not_see_says_which_permission_shows_it(named: LocalService) -> None:
    named.add_token("blind-token", zone="none")
    assert "the permission Zone Read (zone)" in run(named, "custom_rules", api_token="blind-token")["msg"]
    named.misbehave("status", status=403)
    result = run(named, "custom_rules")
    assert "the permission Zone Read (zone)" in result["msg"]
    assert (result["error"]["path"], result["calls"]) == ("zones", 1)
    assert named.writes == []


def test_a_task_that_names_a_zone_ignores_the_zone_of_the_environment(
    named: LocalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUDFLARE_ZONE_ID", OTHER)
    run(named, "custom_rules")
    assert [call.path.split("/")[2] for call in named.writes] == [ZONE]
    run(named, "custom_rules", zone_name=None)
    assert [call.path.split("/")[2] for call in named.writes] == [ZONE, OTHER]


def test_no_zone_anywhere_names_all_ways_to_give_one(named: LocalService) -> None:
    assert run(named, "custom_rules", zone_name=None)["msg"] == (
        "zone_id: no zone is named; give zone_id or zone_name, or set the environment variable CLOUDFLARE_ZONE_ID"
    )
    assert named.calls == []


@pytest.mark.parametrize(("tasks", "others", "listed"), [(51, 0, True), (50, 0, False), (51, 300, False)])
def test_many_tasks_find_their_zones_in_the_listing_if_it_takes_few_calls(
    tasks: int, others: int, listed: bool, service: LocalService, modules: Modules
) -> None:
    zones = [f"{number:032x}" for number in range(16, 18 + others)]
    for identity in zones:
        service.zone(identity).seed(account_id=ACCOUNT)
    with shared_by_tasks(tasks):
        for identity in zones[:2]:
            modules.done("ddos_l7_overrides", check=True, zone_id=identity, **OPTIONS["ddos_l7_overrides"])
    paths = [call.path for call in service.calls]
    assert paths.count("/zones") == (2 if listed else tasks > 50)
    assert [f"/zones/{identity}" in paths for identity in zones[:2]] == [not listed] * 2
