# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An account and a zone as variables: applying them changes nothing, and a restore brings a state back."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT as ACCOUNT_WITHOUT_DNS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT_RESOURCES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES, ENTRY_POINTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import BY_PLURAL
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import (
    Export,
    export_state,
    export_text,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_host

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import DNS, FIREWALL, WHOLE
from tests.support.baseline_runs import applied, restored, snapshot
from tests.support.host_parts import read_back, run_module
from tests.support.module_run import ACCOUNT, ZONE, Modules

OLD = "2026-01-02T03:04:05.678901+00:00"
STAMPS = {"created_on": OLD, "modified_on": OLD}
CHECK = {"username_expression": "u", "password_expression": "p"}
PURGED = ("prefixes", "allowlist", "rules", "filters")
ALL_PURGED: dict[str, Any] = {"baseline_purge": list(PURGED), **{f"baseline_{option}": [] for option in PURGED}}
RESPONSE = {"status_code": 403, "content": "no", "content_type": "text/plain"}


def connection_to(service: LocalService) -> dict[str, Any]:
    """The options of an account, its zone and the connection to the local service."""
    owners = {"account_id": ACCOUNT, "zone_id": ZONE}
    return {**owners, "api_token": service.token, "base_url": service.base_url, "call_budget": 0}


def exported(service: LocalService, resources: Sequence[Resource], purge: bool = False) -> Export:
    """The variables that describe these resources."""
    state = read_host(resources, connection_to(service), run_module)
    return export_state(state.objects, purge)


def text_of(export: Export) -> str:
    """The variables as the text of a file."""
    return export_text(export, {})


def messy(service: LocalService) -> None:
    """An account with all that no option describes."""
    service.switch(checked_against_contract=False)
    account = service.account(ACCOUNT).seed(enabled=True)
    account.prefixes[:] = [
        {"id": "p1", "prefix": "192.0.2.0/25", "comment": "", "excluded": False, **STAMPS},
        {"id": "p2", "prefix": "192.0.2.77/25", "comment": "other", "excluded": True, **STAMPS},
        {"id": "p3", "prefix": "203.0.113.x/24", "comment": "", "excluded": False, **STAMPS},
    ]
    account.allowlist[:] = [{"id": "a1", "prefix": "198.51.100.7", "comment": "", "enabled": None, **STAMPS}]
    account.rules["syn_flood"][:] = [
        {"id": "r1", "scope": "global", "name": "global", "mode": "quantum", "rate_sensitivity": "low",
         "burst_sensitivity": "low", "mitigation_type": "challenge", **STAMPS}
    ]  # fmt: skip
    account.filters["syn_flood"][:] = [{"id": "f1", "expression": "ip.dst in {oops", "mode": "disabled", **STAMPS}]


@pytest.mark.parametrize("purge", [True, False])
def test_applying_the_export_of_a_messy_account_changes_nothing(
    purge: bool, service: LocalService, modules: Modules
) -> None:
    messy(service)
    text = text_of(exported(service, ACCOUNT_WITHOUT_DNS, purge))
    variables = read_back(text)
    assert variables["baseline_ignore_ids"] == ["p3", "p2", "a1", "r1", "f1"]
    assert text.count("; baseline_ignore_ids leaves it alone.") == 5
    assert "# The prefix 192.0.2.77/25 (id p2) exists more than once; " in text
    result = applied(service, variables)
    assert (result["changed"], service.writes) == (False, [])


@pytest.mark.parametrize("enabled", [None, "false"])
def test_an_unknown_status_is_not_written(enabled: Any, service: LocalService, modules: Modules) -> None:
    service.switch(checked_against_contract=False)
    service.account(ACCOUNT).enabled = enabled
    text = text_of(exported(service, ACCOUNT_WITHOUT_DNS))
    assert "baseline_enabled" not in read_back(text)
    assert "# The TCP protection status is not known" in text


def test_rules_that_no_option_describes_are_left_to_others(service: LocalService, modules: Modules) -> None:
    rules: list[dict[str, Any]] = [
        {"ref": "a", "action": "block", "expression": "true", "exposed_credential_check": CHECK},
        {"ref": "b*", "action": "of_the_future", "expression": "true"},
    ]
    service.zone(ZONE).seed(custom_rules=rules)
    variables = exported(service, [CUSTOM_RULES], purge=True).variables
    assert variables["baseline_custom_rules_ignore"] == ["b[*]"]
    assert [rule["api_fields"] for rule in variables["baseline_custom_rules"]] == [{"exposed_credential_check": CHECK}]
    result = applied(service, {**variables, "edge_account_id": None})
    assert (result["changed"], service.writes) == (False, [])


def test_an_export_is_the_same_from_run_to_run(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**copy.deepcopy(WHOLE))
    first = text_of(exported(service, ACCOUNT_WITHOUT_DNS))
    service.account(ACCOUNT).prefixes.reverse()
    service.account(ACCOUNT).rules["syn_flood"].reverse()
    assert text_of(exported(service, ACCOUNT_WITHOUT_DNS)) == first


def test_dns_rules_are_described_if_they_were_read(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**copy.deepcopy({**WHOLE, **DNS}))
    with_dns = exported(service, ACCOUNT_RESOURCES, purge=True).variables
    without = exported(service, ACCOUNT_WITHOUT_DNS, purge=True).variables
    assert len(with_dns["baseline_dns_rules"]) == len(DNS["dns_rules"])
    assert with_dns.keys() - without.keys() == {"baseline_dns_rules"}
    assert set(with_dns["baseline_purge"]) - set(without["baseline_purge"]) == {"dns_rules"}


def test_firewall_rules_are_described_so_that_nothing_changes(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(**copy.deepcopy(FIREWALL))
    variables = exported(service, [FIREWALL_RULES]).variables
    assert len(variables["baseline_firewall_rules"]) == len(service.zone(ZONE).rules) > 0
    assert modules.done("firewall_rules", rules=variables["baseline_firewall_rules"])["changed"] is False


@pytest.mark.parametrize("plural", BY_PLURAL)
def test_every_resource_is_read_by_its_name(plural: str, service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT)
    connection, resource = connection_to(service), BY_PLURAL[plural]
    state = read_host([resource], connection, run_module)
    deploying = [ENTRY_POINTS[resource.owner].plural] if "rulesets" in plural else []
    assert (state.owners, [*state.objects]) == ({resource.owner: connection[resource.owner]}, [plural, *deploying])
    assert not service.writes


def test_dns_rules_that_a_run_names_come_back(service: LocalService) -> None:
    service.account(ACCOUNT).seed(**copy.deepcopy({**WHOLE, **DNS}))
    before = copy.deepcopy(service.account(ACCOUNT).dns_rules)
    text = snapshot(service, baseline_dns_rules=[], baseline_purge=["dns_rules"])
    applied(service, {"baseline_dns_rules": [], "baseline_purge": ["dns_rules"]})
    assert service.account(ACCOUNT).dns_rules == []
    assert restored(service, text) == ("", [])
    after = service.account(ACCOUNT).dns_rules
    assert {rule["name"]: rule["mode"] for rule in after} == {rule["name"]: rule["mode"] for rule in before}


def test_a_rule_comes_back_with_fields_that_the_collection_does_not_know(service: LocalService) -> None:
    rule = {"ref": "leaked", "action": "block", "expression": "true", "exposed_credential_check": CHECK}
    service.zone(ZONE).seed(custom_rules=[rule])
    run = {"baseline_custom_rules": [], "baseline_purge": ["custom_rules"]}
    text = snapshot(service, **run)
    applied(service, run)
    assert service.zone(ZONE).custom_rules == []
    assert restored(service, text) == ("", [])
    assert service.zone(ZONE).custom_rules[0]["exposed_credential_check"] == CHECK


def test_true_does_not_come_back_as_one(service: LocalService) -> None:
    rule = {"ref": "login", "action": "block", "expression": "true", "frob": {"a": 1}}
    service.zone(ZONE).seed(custom_rules=[copy.deepcopy(rule)])
    text = snapshot(service, baseline_custom_rules=[], baseline_purge=["custom_rules"])
    service.zone(ZONE).custom_rules[0]["frob"] = {"a": True}
    assert restored(service, text) == ("", [])
    assert repr(service.zone(ZONE).custom_rules[0]["frob"]) == "{'a': 1}"


def order(service: LocalService) -> list[str]:
    return [rule["ref"] for rule in service.zone(ZONE).custom_rules]


def test_rules_that_no_option_describes_come_back_to_their_places(service: LocalService) -> None:
    rules = [{"ref": ref, "action": "block", "expression": "true"} for ref in ("office", "login")]
    odd = [{"ref": ref, "action": "of_the_future", "expression": "true"} for ref in ("tele", "port")]
    service.zone(ZONE).seed(custom_rules=[*rules, *odd])
    text = snapshot(service, baseline_custom_rules=[], baseline_purge=["custom_rules"])
    assert restored(service, text) == ("", [])
    zone_rules = service.zone(ZONE).custom_rules
    for move in (2, 3):
        zone_rules.insert(0, zone_rules.pop(move))
        assert restored(service, text) == ("", [])
        assert order(service) == ["office", "login", "tele", "port"]
    zone_rules.insert(0, zone_rules.pop())
    service.calls.clear()
    assert restored(service, text, objects=["port"]) == ("", [])
    assert order(service) == ["office", "login", "tele", "port"]  # the others come back in front of it


@pytest.mark.parametrize(
    ("before", "run", "after"),
    [
        (["own1", "tf_a", "own2"], ["own2", "own1"], ["own2", "own1", "tf_a"]),
        (["own1", "tf_a", "own2"], ["own1"], ["own1", "tf_a"]),
        (["own1", "tf_a", "own2"], [], ["tf_a"]),
        (["tf_b", "own1", "tf_a", "own2", "own3"], ["own3", "new"], ["tf_b", "tf_a", "own3", "new"]),
    ],
)
def test_rules_come_back_where_they_stood_among_those_of_others(
    before: list[str], run: list[str], after: list[str], service: LocalService
) -> None:
    """Since a rule of others may let pass what the next rule blocks."""
    rules = {ref: {"ref": ref, "action": "block", "expression": "true"} for ref in [*before, "new"]}
    service.zone(ZONE).seed(custom_rules=[rules[ref] for ref in before])
    variables = {
        "baseline_custom_rules": [rules[ref] for ref in run],
        "baseline_purge": ["custom_rules"],
        "baseline_custom_rules_ignore": ["tf_*"],
    }
    text = snapshot(service, **variables)
    applied(service, variables)
    assert order(service) == after
    assert restored(service, text) == ("", [])
    assert order(service) == before


def test_parameters_that_a_run_replaced_come_back(service: LocalService) -> None:
    rule = {"ref": "a", "action": "block", "expression": "true",
            "action_parameters": {"response": RESPONSE, "future": {"x": 1}}}  # fmt: skip
    service.zone(ZONE).seed(custom_rules=[copy.deepcopy(rule), {"ref": "b", "action": "block", "expression": "true"}])
    given = {"response": {**RESPONSE, "status_code": 404}}
    run = {"baseline_custom_rules": [{"ref": name, "action_parameters": given} for name in ("a", "b")]}
    text = snapshot(service, **run)
    applied(service, run)
    assert restored(service, text) == ("", [])
    first, second = service.zone(ZONE).custom_rules
    assert (first["action_parameters"], second.get("action_parameters") or {}) == (rule["action_parameters"], {})


@pytest.mark.parametrize("is_logged", [True, False])
def test_a_block_that_became_a_skip_comes_back_without_its_logging(is_logged: bool, service: LocalService) -> None:
    service.zone(ZONE).seed(custom_rules=[{"ref": "a", "action": "block", "expression": "true"}])
    text = snapshot(service, baseline_custom_rules=[], baseline_purge=["custom_rules"])
    skip = {"action": "skip", "action_parameters": {"ruleset": "current"}, "logging": {"enabled": is_logged}}
    service.zone(ZONE).custom_rules[0].update(skip)
    assert restored(service, text) == ("", [])
    (after,) = service.zone(ZONE).custom_rules
    assert (after["action"], after.get("logging"), after.get("action_parameters")) == ("block", None, None)


def test_rules_that_belong_to_others_stay_theirs(service: LocalService) -> None:
    rules = [{"ref": ref, "action": "block", "expression": "true"} for ref in ("mine", "tf_a")]
    service.zone(ZONE).seed(custom_rules=rules)
    run = {"baseline_custom_rules": [], "baseline_purge": ["custom_rules"], "baseline_custom_rules_ignore": ["tf_*"]}
    text = snapshot(service, **run)
    applied(service, run)
    service.zone(ZONE).custom_rules.clear()
    service.zone(ZONE).seed(custom_rules=[{"ref": "tf_b", "action": "log", "expression": "true"}])
    assert restored(service, text) == ("", [])
    assert sorted(rule["ref"] for rule in service.zone(ZONE).custom_rules) == ["mine", "tf_b"]


def test_a_messy_account_is_restored_and_what_no_module_can_make_is_named(service: LocalService) -> None:
    messy(service)
    text = snapshot(service, **ALL_PURGED)
    applied(service, {"baseline_allowlist": [{"prefix": "198.51.100.9"}], "baseline_rules": []})
    assert restored(service, text) == ("", [])
    assert [entry["id"] for entry in service.account(ACCOUNT).allowlist] == ["a1"]
    del service.account(ACCOUNT).prefixes[1:]
    service.calls.clear()
    refusal, _unmet = restored(service, text)
    assert refusal.startswith(
        "The prefix 192.0.2.77/25 (id p2) cannot be brought back: it is a duplicate, and a module makes no second one. "
        "The prefix 203.0.113.x/24 (id p3) cannot be brought back: prefix: '203.0.113.x/24' is not a network: '203.0.113.x/24'"
    )
    assert service.writes == []
    assert restored(service, text, objects=["p2", "prefix 203.0.113.x/24"]) == ("", [])


def test_fields_that_no_module_sets_are_named(service: LocalService) -> None:
    messy(service)
    account = service.account(ACCOUNT)
    account.prefixes[:] = [{**account.prefixes[0], "tags": ["a"]}]
    text = snapshot(service, **ALL_PURGED)
    del account.prefixes[0]
    refused = "The prefix 192.0.2.0/25 (id p1) cannot be brought back: no option sets its tags. "
    assert restored(service, text)[0].startswith(refused)
    assert restored(service, text, fields=["tags"]) == ("", [])
    assert [prefix["prefix"] for prefix in account.prefixes] == ["192.0.2.0/25"]


def test_lists_that_a_run_does_not_name_are_left_alone(service: LocalService) -> None:
    items = [{"ip": "192.0.2.1"}, {"ip": "192.0.2.2"}]
    lists: list[dict[str, Any]] = [{"name": "offices", "items": items}, {"name": "blocked", "items": items}]
    account = service.account(ACCOUNT).seed(lists=lists)
    run = {"baseline_ip_lists": [{"name": "$offices", "items": [{"ip": "192.0.2.3"}, {"ip": "192.0.2.1/32", "comment": "x"}]},
                                 {"name": "more", "items": []}]}  # fmt: skip
    text = snapshot(service, **run)
    applied(service, run)
    of_others = {"baseline_ip_lists": [
        {"name": "offices", "items": [{"ip": "198.51.100.1"}, {"ip": "192.0.2.1"}], "purge": True},
        {"name": "blocked", "items": [{"ip": "198.51.100.2"}]},
        {"name": "new", "items": [{"ip": "198.51.100.3"}]},
    ]}  # fmt: skip
    applied(service, of_others)
    assert restored(service, text) == ("", [])
    assert {item["name"]: [entry["ip"] for entry in item["items"]] for item in account.ip_lists.lists} == {
        "offices": ["192.0.2.1", "198.51.100.1"],
        "blocked": ["192.0.2.1", "192.0.2.2", "198.51.100.2"],
        "new": ["198.51.100.3"],
    }
    assert account.ip_lists.list_named("offices")["items"][0]["comment"] == ""
    service.calls.clear()
    assert (restored(service, text), service.writes) == (("", []), [])


def test_a_list_that_a_run_made_stays_with_the_items_of_others(service: LocalService) -> None:
    lists = {"baseline_ip_lists": [{"name": name, "items": [{"ip": "192.0.2.1"}]} for name in ("office", "guests")]}
    text = snapshot(service, **lists)
    applied(service, lists)
    theirs = {"baseline_ip_lists": [{"name": "office", "items": [{"ip": "203.0.113.9"}]}]}
    applied(service, theirs)
    assert restored(service, text) == ("", [])
    (kept,) = service.account(ACCOUNT).ip_lists.lists
    assert (kept["name"], [item["ip"] for item in kept["items"]]) == ("office", ["203.0.113.9"])


def test_a_ruleset_that_a_run_made_stays_with_the_rules_of_others(service: LocalService) -> None:
    own, theirs = ({"ref": ref, "action": "log", "expression": "ssl"} for ref in ("own", "theirs"))
    deploy = {"expression": 'cf.zone.plan eq "ENT"'}
    names = ("Bots", "Guests")
    rulesets = {"baseline_custom_rulesets": [{"name": name, "rules": [own], "deploy": deploy} for name in names]}
    service.account(ACCOUNT)
    text = snapshot(service, **rulesets)
    applied(service, rulesets)
    applied(service, {"baseline_custom_rulesets": [{"name": "Bots", "rules": [theirs]}]})
    assert restored(service, text) == ("", [])
    (kept,) = service.account(ACCOUNT).custom_rulesets
    assert (kept["name"], [rule["ref"] for rule in kept["rules"]]) == ("Bots", ["theirs"])
    assert service.account(ACCOUNT).rules_of("custom_rules") == []  # the run made the deployments


def test_two_rulesets_of_one_name_stay_as_they_are_and_one_that_is_gone_is_named(service: LocalService) -> None:
    rule = {"action": "log", "expression": "ssl"}
    rulesets = [{"id": one * 32, "name": "Bots", "rules": [{**rule, "ref": one}]} for one in "ab"]
    account = service.account(ACCOUNT).seed(custom_rulesets=rulesets)
    run = {"baseline_custom_rulesets": [{"name": "Bots", "rules": [{**rule, "ref": "c"}]}]}
    text = snapshot(service, **run)
    assert (restored(service, text), service.writes) == (("", []), [])
    applied(service, run)
    assert [[one["ref"] for one in each["rules"]] for each in account.custom_rulesets] == [["a", "c"]]
    refused = (
        f"The custom ruleset Bots (id {'b' * 32}) cannot be brought back: it is a duplicate, and a module makes no"
    )
    assert restored(service, text)[0].startswith(refused)
    assert restored(service, text, objects=["b" * 32]) == ("", [])
    assert [[one["ref"] for one in each["rules"]] for each in account.custom_rulesets] == [["a"]]


def test_rules_that_a_run_does_not_name_are_left_alone(service: LocalService) -> None:
    rules = [{"ref": ref, "action": "block", "expression": "true"} for ref in ("own", "others", "gone")]
    service.zone(ZONE).seed(custom_rules=rules)
    run = {"baseline_custom_rules": [{"ref": "own", "action": "log"}, {**rules[0], "ref": "made"}]}
    text = snapshot(service, **run)
    applied(service, run)
    zone_rules = service.zone(ZONE).custom_rules
    zone_rules[:] = [rule for rule in zone_rules if rule["ref"] != "gone"]
    zone_rules[1]["action"] = "challenge"
    service.zone(ZONE).custom_rules.append({**zone_rules[1], "id": "f" * 32, "ref": "new"})
    assert restored(service, text) == ("", [])
    after = [(rule["ref"], rule["action"]) for rule in service.zone(ZONE).custom_rules]
    assert after == [("own", "block"), ("others", "challenge"), ("new", "challenge")]
    service.calls.clear()
    assert (restored(service, text), service.writes) == (("", []), [])


@pytest.mark.parametrize("purges", [False, True])
def test_prefixes_that_a_run_does_not_name_are_left_alone_unless_it_purges(purges: bool, service: LocalService) -> None:
    account = service.account(ACCOUNT).seed(
        enabled=True, prefixes=[{"prefix": "192.0.2.0/24", "comment": "before"}, {"prefix": "203.0.113.0/24"}]
    )
    run = {
        "baseline_prefixes": [{"prefix": "192.0.2.9/24", "comment": "run"}, {"prefix": "198.51.100.0/24"}],
        "baseline_purge": ["prefixes"] if purges else [],
    }
    text = snapshot(service, **run)
    applied(service, run)
    applied(service, {"baseline_enabled": False, "baseline_prefixes": [
        {"prefix": "203.0.113.0/24", "comment": "theirs"}, {"prefix": "233.252.0.0/24", "comment": "theirs"}
    ]})  # fmt: skip
    assert restored(service, text) == ("", [])
    after = {item["prefix"]: item["comment"] for item in account.prefixes}
    theirs = {"203.0.113.0/24": "theirs", "233.252.0.0/24": "theirs"}
    assert after == {"192.0.2.0/24": "before", **({"203.0.113.0/24": ""} if purges else theirs)}
    assert account.enabled is False  # which the run did not set
    service.calls.clear()
    assert (restored(service, text), service.writes) == (("", []), [])


def test_a_collection_that_a_run_purges_comes_back_as_a_whole(service: LocalService) -> None:
    account = service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}])
    named = read_back(snapshot(service))["baseline_source"]["named"]
    assert named["prefixes"] == [] and "dns_rules" not in named
    text = snapshot(service, **ALL_PURGED)
    assert "prefixes" not in read_back(text)["baseline_source"]["named"]
    account.prefixes.clear()
    assert restored(service, text) == ("", [])
    assert [item["prefix"] for item in account.prefixes] == ["192.0.2.0/24"]


def test_lists_come_back_with_their_items(service: LocalService) -> None:
    lists: list[dict[str, Any]] = [
        {
            "name": "offices",
            "description": "work",
            "items": [{"ip": "192.0.2.1", "comment": "door"}, {"ip": "192.0.2.2"}],
        },
        {"name": "moved", "kind": "redirect"},
    ]
    account = service.account(ACCOUNT).seed(lists=lists)
    variables = {"baseline_ip_lists": [{"name": "offices", "items": [], "purge": True}], "baseline_purge": ["ip_lists"]}
    text = snapshot(service, **variables)
    account.ip_lists.list_named("offices").update(description="", items=[])
    account.ip_lists.seed([{"name": "new"}])
    assert restored(service, text) == ("", [])
    items = account.ip_lists.list_named("offices")["items"]
    assert [(item["ip"], item["comment"]) for item in items] == [("192.0.2.1", "door"), ("192.0.2.2", "")]
    assert [item["name"] for item in account.ip_lists.lists] == ["offices", "moved"]


def test_a_list_that_a_run_took_away_comes_back_with_its_items(service: LocalService) -> None:
    items = [{"ip": "192.0.2.1", "comment": "door"}, {"ip": "192.0.2.2"}]
    account = service.account(ACCOUNT).seed(lists=[{"name": "offices", "items": items}, {"name": "theirs"}])
    run = {"baseline_ip_lists": [{"name": "theirs"}], "baseline_purge": ["ip_lists"]}
    text = snapshot(service, **run)
    applied(service, run)
    assert [item["name"] for item in account.ip_lists.lists] == ["theirs"]
    assert restored(service, text) == ("", [])
    assert [item["name"] for item in account.ip_lists.lists] == ["theirs", "offices"]
    kept = account.ip_lists.list_named("offices")["items"]
    assert [(item["ip"], item["comment"]) for item in kept] == [("192.0.2.1", "door"), ("192.0.2.2", "")]
    service.calls.clear()
    assert (restored(service, text), service.writes) == (("", []), [])
