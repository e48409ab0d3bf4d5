# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rules refer to is removed last, unless its room is needed and no rule refers to it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.order import orders
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part, host_part

from tests.fake_service import LocalService
from tests.fake_service.ip_lists import MOST
from tests.support.fleets import Fleet
from tests.support.host_parts import host, lawful_part, run_module
from tests.support.module_run import ACCOUNT, ZONE

FULL = [{"name": f"list{number}", "items": []} for number in range(10)]
RENAMED = [*FULL[1:], {"name": "new", "items": []}]


def part(service: LocalService, **variables: Any) -> Part:
    account = {**host(service), "edge_zone_id": None}
    return host_part("lima", {**account, "baseline_purge": True, **variables})


def keys(result: dict[str, Any], resource: str) -> list[tuple[str, str]]:
    operations = result["operations"]
    return [(each["action"], each["key"]) for each in operations if each["resource"] == resource]


def test_a_list_to_which_no_rule_refers_makes_room(service: LocalService) -> None:
    account = service.account(ACCOUNT)
    account.seed(type="standard", lists=FULL)
    account.ip_lists.most = MOST["standard"]
    result = lawful_part(part(service, baseline_ip_lists=RENAMED))
    assert keys(result, "ip_list") == [("delete", "list0"), ("create", "new")]


def test_a_list_to_which_rules_refer_has_no_room_beside_it(service: LocalService) -> None:
    account = service.account(ACCOUNT)
    account.seed(type="standard", lists=FULL)
    account.ip_lists.most = MOST["standard"]
    rule = {"ref": "listed", "action": "block", "expression": "ip.src in $list0"}
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[rule])
    failed = run_module(part(service, baseline_ip_lists=RENAMED), False)
    assert "The account would have 11 lists, where at most 10 may be" in failed["msg"]
    assert not service.writes


LISTED = {"ref": "listed", "action": "block", "expression": "ip.src in $list0"}
PLAIN = {"ref": "plain", "action": "block", "expression": "ip.src eq 192.0.2.1"}
ADDRESS = [{"ip": "192.0.2.2"}]
IN_NEW = {**LISTED, "expression": "ip.src in $new"}
IN_FILLED = {**LISTED, "expression": "ip.src in $list1"}
FILLING = [{**FULL[1], "items": ADDRESS}, *RENAMED[1:]]


def crowded(service: LocalService) -> None:
    """Have an account that has no room for a list beside those that it has."""
    account = service.account(ACCOUNT)
    account.seed(type="standard", lists=FULL)
    account.ip_lists.most = MOST["standard"]


@pytest.mark.parametrize("owner", ["the zone", "a ruleset"])
def test_rules_that_need_nothing_new_make_room(owner: str, service: LocalService) -> None:
    crowded(service)
    rules: list[dict[str, Any]] = [LISTED, PLAIN]
    ruleset = {"name": "shared", "rules": rules}
    if owner == "the zone":
        service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=rules)
        variables: dict[str, Any] = {"edge_zone_id": ZONE, "baseline_custom_rules": [PLAIN]}
    else:
        service.account(ACCOUNT).seed(custom_rulesets=[ruleset])
        variables = {"baseline_custom_rulesets": [{**ruleset, "rules": [PLAIN], "purge": True}]}
    result = lawful_part(part(service, baseline_ip_lists=RENAMED, **variables))
    order = [(each["action"], each["key"].split()[-1]) for each in result["operations"]]
    assert order == [("delete", "listed"), ("delete", "list0"), ("create", "new")]


@pytest.mark.parametrize(("rule", "lists"), [(IN_NEW, RENAMED), (IN_FILLED, FILLING)], ids=["new", "filled"])
def test_rules_that_need_something_new_make_no_room(
    rule: dict[str, Any], lists: list[dict[str, Any]], service: LocalService
) -> None:
    crowded(service)
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[LISTED, PLAIN])
    variables = {"baseline_ip_lists": lists, "baseline_custom_rules": [rule, PLAIN]}
    failed = run_module(part(service, edge_zone_id=ZONE, **variables), False)
    assert "Rules still refer to list0, which the plan removes. Make room by another" in failed["msg"]
    assert not service.writes


@pytest.mark.parametrize(("number", "first"), [(6000, "create"), (6001, "delete")])
def test_items_of_a_list_to_which_no_rule_refers_make_room(number: int, first: str) -> None:
    lists = [{"id": "1", "name": "old", "kind": "ip", "num_items": number, "num_referencing_filters": 0}]
    gone = [parse_desired(LISTS, [(Option(), {"name": "new"})], exclusive=True)]
    items = [(Option("items", index), {"ip": f"192.0.{index >> 8}.{index & 255}"}) for index in range(4000)]
    state = {LISTS.plural: lists, items_of("new").plural: []}
    plan = make_plan(state, [*gone, parse_desired(items_of("new"), items)])
    assert plan.operations[0].action == first


def test_items_that_no_rule_meets_make_room_for_others() -> None:
    lists = [{"id": "1", "name": "old", "kind": "ip", "num_items": 10000, "num_referencing_filters": 0}]
    state: dict[str, Any] = {LISTS.plural: lists, items_of("old").plural: [{"id": "2", "ip": "192.0.2.1"}]}
    plan = make_plan(state, [parse_desired(items_of("old"), [(Option(), {"ip": "192.0.2.2"})], exclusive=True)])
    assert [operation.action for operation in plan.operations] == ["delete", "create"]
    used = {**state, LISTS.plural: [{**lists[0], "num_referencing_filters": 1}]}
    plan = make_plan(used, [parse_desired(items_of("old"), [(Option(), {"ip": "192.0.2.2"})], exclusive=True)])
    assert [operation.action for operation in plan.operations] == ["create", "delete"]


@pytest.mark.parametrize("number", [9, 10])
def test_a_ruleset_to_which_no_rule_refers_makes_room(number: int, service: LocalService) -> None:
    rules = [{"ref": "admin", "action": "block", "expression": "ip.src eq 192.0.2.1"}]
    rulesets = [{"name": f"set{index}", "rules": rules} for index in range(number)]
    service.account(ACCOUNT).seed(custom_rulesets=rulesets)
    wanted = [*rulesets[1:], {"name": "new", "rules": rules}]
    result = lawful_part(part(service, baseline_custom_rulesets=wanted))
    of_rulesets = [("create", "new"), ("delete", "set0")]
    assert keys(result, "account_custom_ruleset") == (of_rulesets if number < 10 else of_rulesets[::-1])


def addresses(first: int, number: int) -> list[dict[str, str]]:
    return [{"ip": f"10.{first}.{index >> 8}.{index & 255}"} for index in range(number)]


def test_a_zone_makes_room_for_items(service: LocalService) -> None:
    service.account(ACCOUNT).seed(type="standard", lists=[{"name": "list0", "items": addresses(0, 6000)}])
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[LISTED, PLAIN])
    shared = {**host(service), "edge_account_id": None, "edge_zone_id": None, "baseline_purge": True}
    new = {"name": "new", "items": addresses(1, 4001), "purge": True}
    lima = {**shared, "edge_account_id": ACCOUNT, "baseline_ip_lists": [new]}
    zone = {**shared, "edge_zone_id": ZONE, "baseline_custom_rules": [PLAIN]}
    fleet = Fleet({"lima": lima, "zone": zone})
    predictions = fleet.predicted()
    assert orders(predictions)["lima"]["room"] == ["zone"]
    done = fleet.done(predictions)
    assert not any(result.get("failed") for result in done.values())
    for name in done:
        assert done[name]["operations"] == predictions[name].result["operations"]
    assert [listed["name"] for listed in service.account(ACCOUNT).ip_lists.lists] == ["new"]


DEPLOYMENT = {"expression": 'cf.zone.plan eq "ENT"'}


def test_a_ruleset_that_rules_stop_deploying_makes_room(service: LocalService) -> None:
    rulesets = [{"name": f"set{index}", "rules": [PLAIN]} for index in range(10)]
    service.account(ACCOUNT).seed()
    deployed = {**rulesets[0], "deploy": DEPLOYMENT}
    lawful_part(part(service, baseline_custom_rulesets=[deployed, *rulesets[1:]]))
    wanted = [*rulesets[1:], {"name": "new", "rules": [PLAIN]}]
    result = lawful_part(part(service, baseline_custom_rulesets=wanted))
    assert keys(result, "account_custom_ruleset") == [("delete", "set0"), ("create", "new")]


def test_a_new_ruleset_in_the_place_of_a_deployed_one_has_no_room(service: LocalService) -> None:
    rulesets = [{"name": f"set{index}", "rules": [PLAIN]} for index in range(10)]
    service.account(ACCOUNT).seed()
    deployed = {**rulesets[0], "deploy": DEPLOYMENT}
    lawful_part(part(service, baseline_custom_rulesets=[deployed, *rulesets[1:]]))
    service.calls.clear()
    wanted = [*rulesets[1:], {"name": "new", "rules": [PLAIN], "deploy": DEPLOYMENT}]
    for check_mode in (True, False):
        failed = run_module(part(service, baseline_custom_rulesets=wanted), check_mode)
        assert "takes 10 custom rulesets, and 11 would be there. Rules still refer to set0," in failed["msg"]
    assert not service.writes
