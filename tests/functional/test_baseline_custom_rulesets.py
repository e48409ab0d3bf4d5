# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Custom rulesets of a host in the role: beside exclusive custom rules, exported, taken as a snapshot and restored."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part, host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import (
    EXPORT_OPTIONS,
    connection_of,
    export_state,
    export_text,
    exported_resources,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import (
    HostState,
    read_host,
    read_part,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import snapshot_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import read_file
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.undescribed import Undescribed

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CHALLENGE, DEPLOYMENTS
from tests.support.host_parts import RISKS, host, read_back, run_module
from tests.support.module_run import ACCOUNT, ZONE

ENTERPRISE = 'cf.zone.plan eq "ENT"'
ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
LOGIN = {"ref": "login", **CHALLENGE}
BOTS: dict[str, Any] = {"name": "Bots", "rules": [ADMIN], "deploy": {"expression": "true", "position": "first"}}
EXCLUSIVE = {"baseline_purge": ["custom_rules", "custom_rulesets"]}


def inventory(service: LocalService, of_account: bool = False) -> dict[str, Any]:
    left_out = ("edge_zone_id",) if of_account else ("edge_account_id",)
    return {name: value for name, value in host(service).items() if name not in left_out}


def part_of(service: LocalService, variables: Mapping[str, Any], of_account: bool = False) -> Part:
    return host_part("lima", {**inventory(service, of_account), **variables})


def result_of(part: Part, check: bool = False) -> dict[str, Any]:
    """The result of a run that ends well."""
    result = run_module(part, check)
    assert not result.get("failed"), result
    return result


def run(service: LocalService, variables: Mapping[str, Any], check: bool = False) -> list[str]:
    """The operations of a run of the role."""
    operations = result_of(part_of(service, variables), check)["operations"]
    return [f"{one['action']} {one['resource']} {one['key']} {one['fields'].get('position', '')}" for one in operations]


def contents(service: LocalService, of_account: bool = False) -> Any:
    """The rulesets and the entry point without what new objects have anew."""
    store: Any = service.account(ACCOUNT) if of_account else service.zone(ZONE)
    names = {each["id"]: each["name"] for each in store.custom_rulesets}

    def shown(rule: Mapping[str, Any]) -> dict[str, Any]:
        kept = {name: rule[name] for name in rule if name not in ("id", "version", "last_updated")}
        executed = names.get(rule.get("action_parameters", {}).get("id"))
        return {**kept, **({"action_parameters": executed} if executed else {})}

    rulesets = {each["name"]: (each["description"], [*map(shown, each["rules"])]) for each in store.custom_rulesets}
    return rulesets, [*map(shown, store.rules_of("custom_rules"))]


@pytest.mark.parametrize("purge", [{}, EXCLUSIVE], ids=["beside others", "purge"])
def test_rulesets_stand_beside_custom_rules(purge: dict[str, Any], service: LocalService) -> None:
    zone = service.zone(ZONE).seed(custom_rules=[{**LOGIN, "ref": "old"}])
    variables = {"baseline_custom_rules": [LOGIN], "baseline_custom_rulesets": [BOTS], **purge}
    predicted = run(service, variables, check=True)
    assert service.writes == []
    assert run(service, variables) == predicted
    assert [rule["ref"] for rule in zone.custom_rules] == ["Bots", *([] if purge else ["old"]), "login"]
    assert run(service, variables) == run(service, variables, check=True) == []


@pytest.mark.parametrize(
    ("rules", "place", "purge", "order"),
    [
        ([{**LOGIN, "position": "before Bots"}, ADMIN], "last", [], ["old", "login", "Bots", "admin"]),
        ([{**LOGIN, "position": "after Bots"}, ADMIN], "first", [], ["Bots", "login", "old", "admin"]),
        ([LOGIN, {**ADMIN, "position": "first"}], "after login", [], ["admin", "old", "login", "Bots"]),
        ([LOGIN, {"ref": "Bots"}, ADMIN], None, ["custom_rules"], ["login", "Bots", "admin"]),
        ([LOGIN, ADMIN], "after login", ["custom_rules"], ["login", "Bots", "admin"]),
    ],
)
def test_rules_are_placed_beside_a_deployment_of_the_same_run(
    rules: list[Any], place: Any, purge: list[str], order: list[str], service: LocalService
) -> None:
    zone = service.zone(ZONE).seed(custom_rules=[{**LOGIN, "ref": "old"}])
    rulesets = [{**BOTS, "deploy": {"expression": "true", "position": place}}]
    variables: dict[str, Any] = {"baseline_custom_rules": rules, "baseline_custom_rulesets": rulesets}
    variables["baseline_purge"] = purge
    predicted = run(service, variables, check=True)
    assert run(service, variables) == predicted
    assert [rule["ref"] for rule in zone.custom_rules] == order
    assert run(service, variables) == []


@pytest.mark.parametrize("purge", [False, True])
def test_a_rule_that_is_described_deploys_no_ruleset(purge: bool, service: LocalService) -> None:
    service.zone(ZONE)
    rules = {"baseline_custom_rules": [{**ADMIN, "ref": "Bots"}], "baseline_purge": purge}
    result = run_module(part_of(service, {**rules, "baseline_custom_rulesets": [BOTS]}), True)
    assert result["msg"].startswith("The custom rule Bots is described, and deploys a ruleset. Give the deployment")


PATH = 'http.request.uri.path eq "/x"'
BLOCKING: dict[str, Any] = {"name": "Bots", "rules": [{"ref": "x", "action": "block", "expression": PATH}]}
LETTING: dict[str, Any] = {
    "name": "Free",
    "rules": [{"ref": "y", "action": "skip", "action_parameters": {"phase": "current"}, "expression": PATH}],
}
SKIPPING = {"ref": "own", "action": "skip", "action_parameters": {"ruleset": "current"}, "expression": PATH}
NEXT = {"ref": "next", "action": "log", "expression": PATH}


def deployed_everywhere(ruleset: dict[str, Any], **deploy: Any) -> dict[str, Any]:
    return {**ruleset, "deploy": {"expression": "true", **deploy}}


def deployed_at(position: str) -> dict[str, Any]:
    return {"baseline_custom_rulesets": [deployed_everywhere(BLOCKING, position=position)]}


Moved = tuple[str, dict[str, Any], list[str], list[str]]  # a title, variables, refs as others left them, and afterwards
MOVED: list[Moved] = [
    ("a skip in front of a ruleset", {"baseline_custom_rules": [{"ref": "Bots"}, SKIPPING]}, ["own", "Bots"], ["Bots", "own"]),
    ("the same with a purge", {"baseline_custom_rules": [{"ref": "Bots"}, SKIPPING], "baseline_purge": ["custom_rules"]}, ["own", "Bots"], ["Bots", "own"]),
    ("a rule of others between them stays", {"baseline_custom_rules": [{"ref": "Bots"}, SKIPPING]}, ["own", "theirs", "Bots"], ["Bots", "theirs", "own"]),
    ("an order that lets nothing pass stays", {"baseline_custom_rules": [{"ref": "Bots"}, NEXT]}, ["next", "Bots"], ["next", "Bots"]),
    ("an order that stops more stays", {"baseline_custom_rules": [SKIPPING, {"ref": "Bots"}]}, ["Bots", "own"], ["Bots", "own"]),
    ("an order that no variable has stays", {"baseline_custom_rules": [SKIPPING]}, ["own", "Bots"], ["own", "Bots"]),
    ("a ruleset that is first", {"baseline_custom_rules": [SKIPPING], **deployed_at("first")}, ["own", "Bots"], ["Bots", "own"]),
    ("a ruleset before a skip", {"baseline_custom_rules": [SKIPPING], **deployed_at("before own")}, ["own", "Bots"], ["Bots", "own"]),
    ("a skip after a ruleset", {"baseline_custom_rules": [{**SKIPPING, "position": "after Bots"}]}, ["own", "Bots"], ["Bots", "own"]),
    ("a ruleset that is last", {"baseline_custom_rules": [SKIPPING], **deployed_at("last")}, ["Bots", "own"], ["Bots", "own"]),
    ("a ruleset that the list of rules places", {"baseline_custom_rules": [{"ref": "Bots"}, SKIPPING], **deployed_at("after own")},
     ["own", "Bots"], ["Bots", "own"]),
    ("two rulesets", {"baseline_custom_rulesets": [deployed_everywhere(BLOCKING), deployed_everywhere(LETTING)]}, ["Free", "Bots"], ["Bots", "Free"]),
    ("two rulesets in an exclusive list",
     {"baseline_custom_rulesets": [deployed_everywhere(BLOCKING), deployed_everywhere(LETTING)],
      "baseline_custom_rules": [{"ref": "Bots"}, {"ref": "Free"}], "baseline_purge": ["custom_rules"]}, ["Free", "Bots"], ["Bots", "Free"]),
]  # fmt: skip


@pytest.mark.parametrize(("variables", "moved", "after"), [case[1:] for case in MOVED], ids=[case[0] for case in MOVED])
def test_the_order_of_deployments_is_a_part_of_the_baseline(
    variables: dict[str, Any], moved: list[str], after: list[str], service: LocalService
) -> None:
    """A rule or a deployment that somebody moved, so that less is stopped, moves back."""
    zone = service.zone(ZONE).seed(custom_rules=[{**NEXT, "ref": "theirs"}] if "theirs" in moved else [])
    variables = {"baseline_custom_rulesets": [deployed_everywhere(BLOCKING)], **variables}
    run(service, variables)
    zone.custom_rules.sort(key=lambda rule: moved.index(rule["ref"]))
    predicted = run(service, variables, check=True)
    assert bool(predicted) is (moved != after)
    assert run(service, variables) == predicted
    assert [rule["ref"] for rule in zone.custom_rules] == after
    assert run(service, variables) == []


def test_an_exclusive_export_holds_the_order_of_deployments(service: LocalService) -> None:
    zone = service.zone(ZONE)
    run(service, {
        "baseline_custom_rules": [LOGIN, SKIPPING],
        "baseline_custom_rulesets": [deployed_everywhere(BLOCKING, position="after login")],
    })  # fmt: skip
    described = part_of(service, {"baseline_custom_rules": [], "baseline_custom_rulesets": []})
    export = export_state({**read_part(described, run_module).objects}, purge=True)
    variables = read_back(export_text(export, {}))
    assert [entry["ref"] for entry in variables["baseline_custom_rules"]] == ["login", "Bots", "own"]
    assert run(service, variables) == []
    zone.custom_rules.sort(key=lambda rule: ["own", "Bots", "login"].index(rule["ref"]))
    assert run(service, variables) != []
    assert [rule["ref"] for rule in zone.custom_rules] == ["login", "Bots", "own"]


def test_an_exclusive_list_leaves_deployments_that_the_host_does_not_describe(service: LocalService) -> None:
    zone = service.zone(ZONE).seed(**copy.deepcopy(DEPLOYMENTS))
    variables = {"baseline_custom_rules": [], "baseline_custom_rulesets": [{"name": "Bots"}], **EXCLUSIVE}
    run(service, variables)
    assert [rule["ref"] for rule in zone.custom_rules] == ["by hand"]
    unmanaged = result_of(part_of(service, variables))["unmanaged"]
    assert "custom_rule" not in [one["resource"] for one in unmanaged]


def test_an_expectation_meets_a_ruleset_that_is_planned(service: LocalService) -> None:
    service.zone(ZONE).seed(name="shop.example", plan="free", account_id=ACCOUNT)
    closed = {
        "request": {"path": "/admin", "host": "shop.example"},
        "expect": "blocked",
        "rule": "admin of the ruleset Bots",
    }
    variables = {"baseline_custom_rulesets": [BOTS], "baseline_expectations": [closed]}
    assert run(service, variables, check=True) == run(service, variables) != []
    assert run(service, variables) == []


@pytest.mark.parametrize("of_account", [False, True], ids=["zone", "account"])
def test_an_export_that_is_applied_changes_nothing(of_account: bool, service: LocalService) -> None:
    store: Any = service.account(ACCOUNT) if of_account else service.zone(ZONE)
    store.seed(**copy.deepcopy(DEPLOYMENTS))
    described: dict[str, Any] = {
        "baseline_custom_rulesets": [],
        **({} if of_account else {"baseline_custom_rules": []}),
    }
    objects = read_part(part_of(service, described, of_account), run_module).objects
    export = export_state({name: objects[name] for name in objects if "custom" in name or " of " in name}, purge=True)
    assert export.notes == []
    variables = read_back(export_text(export, {}))
    assert [len(one["rules"]) for one in variables["baseline_custom_rulesets"]] == [3, 1]
    assert result_of(part_of(service, variables, of_account))["operations"] == []
    assert service.writes == []


SHAPES = {"once": ["a"], "twice": ["b", "c"], "disabled": ["d"], "never": []}  # the refs of rules that deploy a ruleset


def deployed_in_every_shape(entry_rules: list[dict[str, Any]]) -> dict[str, Any]:
    """The rulesets and the entry point of an owner, with rules beside the deployments."""
    rulesets, rules = [], [*entry_rules]
    for number, (name, refs) in enumerate(SHAPES.items(), start=1):
        rulesets.append({"id": str(number) * 32, "name": name, "rules": [ADMIN]})
        for ref in refs:
            parameters = {"id": str(number) * 32}
            rule = {"ref": ref, "action": "execute", "expression": ENTERPRISE, "action_parameters": parameters}
            rules.append({**rule, "enabled": name != "disabled"})
    return {"custom_rulesets": rulesets, "custom_rules": rules}


@pytest.mark.parametrize("purge", [False, True])
@pytest.mark.parametrize("of_account", [False, True], ids=["zone", "account"])
def test_an_export_of_rulesets_in_every_shape_changes_nothing(
    of_account: bool, purge: bool, service: LocalService
) -> None:
    """Of a ruleset that several rules deploy, no variable describes the deployment, and a note names the rules."""
    service.account(ACCOUNT).seed(**(deployed_in_every_shape([]) if of_account else {}))
    service.zone(ZONE).seed(**({} if of_account else deployed_in_every_shape([LOGIN])))
    reached = {"api_token": service.token, "base_url": service.base_url}
    owner = {"account_id": ACCOUNT} if of_account else {"zone_id": ZONE}
    options: dict[str, Any] = {**dict.fromkeys(EXPORT_OPTIONS), **reached, **owner, "skip": []}
    connection = connection_of(options)
    state = read_host(exported_resources("lima", options), connection, run_module)
    export = export_state(state.objects, purge=purge)
    variables = read_back(export_text(export, {}))
    described = {entry["name"]: entry.get("deploy") for entry in variables["baseline_custom_rulesets"]}
    assert {name: bool(deploy) for name, deploy in described.items()} == {
        "once": True, "twice": False, "disabled": True, "never": False
    }  # fmt: skip
    notes = " ".join([*export.notes, *Undescribed(connection, [], run_module).notes(state)])
    assert ("(b, c)" in notes) if of_account else ("custom rule b " in notes and "custom rule c " in notes)
    assert result_of(part_of(service, variables, of_account))["operations"] == []
    assert service.writes == []


def test_an_export_of_a_host_with_both_has_the_rulesets_of_its_account(service: LocalService) -> None:
    service.account(ACCOUNT), service.zone(ZONE).seed(**copy.deepcopy(DEPLOYMENTS))
    reached = {"api_token": service.token, "base_url": service.base_url}
    owners = {"account_id": ACCOUNT, "zone_id": ZONE}
    options: dict[str, Any] = {**dict.fromkeys(EXPORT_OPTIONS), **reached, **owners, "skip": []}
    state = read_host(exported_resources("lima", options), connection_of(options), run_module)
    variables = read_back(export_text(export_state(state.objects, purge=True), {}))
    assert variables["baseline_custom_rulesets"] == []
    result_of(host_part("lima", {**host(service), **variables}))
    assert service.writes == []


SEEDS: list[tuple[dict[str, Any], dict[str, Any], list[str], list[str]]] = [
    ({}, {}, [], []),
    ({}, DEPLOYMENTS, [], ["The custom ruleset Bots of the zone (3 rules, deployed by the custom rule by hand) is left out: ",
                           "The custom ruleset theirs of the zone (1 rule"]),
    ({}, DEPLOYMENTS, ["custom_rulesets"], []),
    (DEPLOYMENTS, DEPLOYMENTS, [], ["The custom ruleset Bots of the zone (3 rules", "The custom ruleset theirs of",
                                    "Left out, since of the custom rules of an account the role manages those alone that"
                                    " deploy one of its rulesets by themselves: 2 custom rules of the account (office, last)."]),
    ({"custom_rules": [ADMIN, LOGIN]}, {}, [],
     ["Left out, since of the custom rules of an account the role manages those alone that"
      " deploy one of its rulesets by themselves: 2 custom rules of the account (admin, login)."]),
    ({"network_rate_limits": [ADMIN]}, {}, [],
     ["Left out, since no role or module manages them: rate limits of the Network Firewall (1, phase magic_transit_ratelimit)."]),
    ({"network_rate_limits": [ADMIN], "firewall_entitled": False}, {}, [], []),
]  # fmt: skip


@pytest.mark.parametrize(("of_account", "of_zone", "skip", "notes"), SEEDS)
def test_an_export_says_what_no_variable_of_the_host_describes(
    of_account: dict[str, Any], of_zone: dict[str, Any], skip: list[str], notes: list[str], service: LocalService
) -> None:
    service.account(ACCOUNT).seed(**copy.deepcopy(of_account))
    service.zone(ZONE).seed(**copy.deepcopy(of_zone))
    reached = {"api_token": service.token, "base_url": service.base_url}
    options = {**dict.fromkeys(EXPORT_OPTIONS), **reached, "account_id": ACCOUNT, "zone_id": ZONE, "skip": skip}
    connection = connection_of(options)
    state = read_host(exported_resources("lima", options), connection, run_module, in_part=True)
    found = Undescribed(connection, skip, run_module).notes(state)
    assert len(found) == len(notes)
    assert all(map(str.startswith, found, notes)), found


def test_an_export_says_that_what_it_leaves_out_cannot_be_read(service: LocalService) -> None:
    service.zone(ZONE).seed(**copy.deepcopy(DEPLOYMENTS))
    service.misbehave("status", path="/rulesets", status=403)
    connection = {"account_id": ACCOUNT, "zone_id": ZONE, "api_token": service.token, "base_url": service.base_url}
    (note,) = Undescribed({**connection, "retries": 0}, [], run_module).notes(HostState({}, {}))
    assert note.startswith("The custom rulesets of the zone are not known: ") and "Zone WAF" in note


@pytest.mark.parametrize("of_account", [True, False])
def test_a_deployment_with_overrides_is_named_and_left_alone(of_account: bool, service: LocalService) -> None:
    owner: Any = service.account(ACCOUNT) if of_account else service.zone(ZONE)
    parameters = {"id": "b" * 32, "overrides": {"action": "log"}}
    deployment = {
        "ref": "Bots",
        "action": "execute",
        "expression": 'cf.zone.plan eq "ENT"',
        "action_parameters": parameters,
    }
    owner.seed(custom_rules=[deployment], custom_rulesets=[{"id": "b" * 32, "name": "Bots", "rules": []}])
    objects = read_part(part_of(service, {"baseline_custom_rulesets": []}, of_account), run_module).objects
    export = export_state({name: objects[name] for name in objects if "rule" in name}, purge=True)
    assert export.variables["baseline_custom_rulesets"] == []
    assert export.variables["baseline_custom_rulesets_ignore"] == ["Bots"]
    (note,) = export.notes
    assert "cannot be described" in note and "overrides" in note


def test_an_account_comes_before_a_zone(service: LocalService) -> None:
    ruleset = {**BOTS, "deploy": {"expression": ENTERPRISE}}
    part = host_part("lima", {**host(service), "baseline_custom_rulesets": [ruleset]})
    assert result_of(part)["changed"] is True
    assert contents(service, True)[0].keys() == {"Bots"} and contents(service)[0] == {}
    assert result_of(part)["changed"] is False


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("a ruleset deleted", {"baseline_custom_rulesets": [{"name": "theirs"}], "baseline_purge": ["custom_rulesets"]}),
    ("rules changed", {"baseline_custom_rulesets": [{"name": "Bots", "description": "x", "rules": [{"ref": "login", "action": "log"}],
                                                     "deploy": {"enabled": False}}]}),
    ("a ruleset made and deployed", {"baseline_custom_rulesets": [{**BOTS, "name": "New"}]}),
    ("one deployed", {"baseline_custom_rulesets": [{"name": "theirs", "deploy": {"expression": "ssl"}}]}),
    ("one no longer deployed", {"baseline_custom_rulesets": [{"name": "Bots", "deploy": {}}]}),
    ("the deployment of a ruleset removed that the host does not name",
     {"baseline_custom_rulesets": [{**BOTS, "name": "New"}], "baseline_custom_rules": [ADMIN], "baseline_purge": ["custom_rules"]}),
    ("all of it", {"baseline_custom_rulesets": [{**BOTS, "name": "New"}], "baseline_custom_rules": [ADMIN], **EXCLUSIVE}),
]  # fmt: skip


def restore(service: LocalService, text: str) -> list[str]:
    """The operations of a restore of a snapshot, which leaves nothing different."""
    part = read_file(read_back(text), "file.yml").part("lima", inventory(service), RISKS)
    operations = result_of(part)["operations"]
    assert result_of(part, check=True)["operations"] == []
    return [f"{one['action']} {one['resource']} {one['key']}" for one in operations]


@pytest.mark.parametrize("variables", [case[1] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_a_snapshot_brings_rulesets_back_as_they_were(variables: dict[str, Any], service: LocalService) -> None:
    seeded = copy.deepcopy(DEPLOYMENTS)
    del seeded["custom_rules"][1]["of_the_future"], seeded["custom_rulesets"][0]["rules"][1]["score_per_period"]
    service.zone(ZONE).seed(**seeded)
    before = contents(service)
    variables = {"baseline_custom_rules": [], **variables}
    changing = part_of(service, variables)
    text = snapshot_text(changing, read_part(changing, run_module))
    assert run(service, variables) != [] and contents(service) != before
    restore(service, text)
    assert contents(service) == before


BOTS_OF_THE_PAST = {"name": "Bots", "rules": [LOGIN], "deploy": {"expression": "true"}, "expires": "2026-01-31"}


@pytest.mark.parametrize(
    "variables",
    [
        {"baseline_custom_rulesets": [{"name": "Bots", "expires": "2026-01-31"}]},
        {"baseline_custom_rulesets": [BOTS_OF_THE_PAST]},
        {"baseline_custom_rulesets": [BOTS_OF_THE_PAST], "baseline_custom_rules": []},
    ],
    ids=["absent", "expired", "expired beside custom rules"],
)
@pytest.mark.parametrize("made_anew", [False, True])
def test_a_ruleset_that_a_run_took_away_comes_back_with_all_of_its_rules(
    made_anew: bool, variables: dict[str, Any], service: LocalService
) -> None:
    """Also if a later run has made an empty one of its name."""
    seeded = copy.deepcopy(DEPLOYMENTS)
    del seeded["custom_rules"][1]["of_the_future"], seeded["custom_rulesets"][0]["rules"][1]["score_per_period"]
    (deployment,) = (rule for rule in seeded["custom_rules"] if rule["action"] == "execute")
    deployment["action_parameters"]["overrides"] = {"action": "log"}
    service.zone(ZONE).seed(**seeded)
    before = contents(service)
    taking = part_of(service, variables)
    text = snapshot_text(taking, read_part(taking, run_module))
    assert "delete custom_ruleset Bots " in run(service, variables)
    if made_anew:
        run(service, {"baseline_custom_rulesets": [{"name": "Bots"}]})
    restore(service, text)
    assert contents(service) == before
    assert restore(service, text) == []


def test_unmanaged_rulesets_are_judged_by_their_deployment(service: LocalService) -> None:
    skip = {"ref": "pass", "action": "skip", "action_parameters": {"phase": "current"}, "expression": "true"}
    rulesets = [{"id": "a" * 32, "name": "Pass", "rules": [skip]}, {"id": "b" * 32, "name": "Idle", "rules": [skip]}]
    execute = {"ref": "pass", "action": "execute", "expression": "true", "action_parameters": {"id": "a" * 32}}
    service.zone(ZONE).seed(custom_rules=[execute], custom_rulesets=rulesets)

    def unmanaged(**variables: Any) -> list[tuple[str, bool | None]]:
        return [(item["key"], item["weakens"]) for item in result_of(part_of(service, variables), True)["unmanaged"]]

    deployed = {**BOTS, "deploy": {"expression": "true"}}
    assert unmanaged(baseline_custom_rulesets=[deployed]) == [("Pass", True), ("Idle", False)]
    assert [key for key, _weakens in unmanaged(baseline_custom_rules=[])] == ["pass"]
    named = [{"name": "Pass", "rules": [skip]}]
    assert unmanaged(baseline_custom_rules=[], baseline_custom_rulesets=named) == [("Idle", False)]


def test_a_ruleset_that_expired_is_gone(service: LocalService) -> None:
    zone = service.zone(ZONE).seed(**copy.deepcopy(DEPLOYMENTS))
    variables = {
        "baseline_custom_rulesets": [
            {"name": "Bots", "expires": "2026-01-31", "rules": [LOGIN], "deploy": {"expression": "true"}}
        ]
    }
    assert run(service, variables, check=True) == run(service, variables)
    assert [each["name"] for each in zone.custom_rulesets] == ["theirs"]
    assert run(service, variables) == []


def test_a_deployment_that_somebody_disabled_is_set_back(service: LocalService) -> None:
    zone = service.zone(ZONE)
    variables = {"baseline_custom_rulesets": [BOTS]}
    run(service, variables)
    zone.custom_rules[0]["enabled"] = False
    result = result_of(part_of(service, variables), True)
    assert [item["key"] for item in result["weaker"]] == ["admin of the ruleset Bots"]
    assert run(service, variables, check=True) == run(service, variables) == ["update custom_rule Bots "]
    assert zone.custom_rules[0]["enabled"] is True
    assert run(service, variables) == []


def test_deployments_go_in_the_order_of_their_rules(service: LocalService) -> None:
    """So that a plan is the same in each process."""
    names = ["Bots", "Scanners", "Office", "Partners", "Shop"]
    for name in names:
        deployed: dict[str, Any] = {**BOTS, "name": name, "deploy": {"expression": "true", "position": "last"}}
        run(service, {"baseline_custom_rulesets": [deployed]})
    nothing: dict[str, Any] = {"baseline_custom_rules": [], "baseline_custom_rulesets": [], **EXCLUSIVE}
    deleted = [operation.split()[2] for operation in run(service, nothing, check=True) if " custom_rule " in operation]
    assert deleted == [str(rule["ref"]) for rule in service.zone(ZONE).custom_rules]
