# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A custom ruleset of an account or a zone, and the rule that deploys it: what is refused before, risks, and lost answers."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import BOTS_ID, CHALLENGE, DEPLOYMENTS, SKIP
from tests.support.module_run import ACCOUNT, ZONE, Modules

MODULE = "custom_ruleset"
ENTERPRISE = 'cf.zone.plan eq "ENT"'
OF_ACCOUNT: dict[str, Any] = {"zone_id": None, "account_id": ACCOUNT}
ADMIN: dict[str, Any] = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
BLOCK_ALL: dict[str, Any] = {"ref": "all", "action": "block", "expression": "true"}
NEW: dict[str, Any] = {"name": "Bots", "rules": [ADMIN], "deploy": {"expression": "true"}}


def methods(service: LocalService) -> list[str]:
    return [f"{call.method} {call.path.rpartition('/')[2]}" for call in service.writes]


def codes(result: dict[str, Any]) -> list[str]:
    return [risk["code"] for risk in result.get("risks", ())]


def test_a_ruleset_is_made_before_its_deployment_and_removed_after_it(service: LocalService, modules: Modules) -> None:
    zone = service.zone(ZONE)
    done = modules.done(MODULE, **NEW)
    (ruleset,) = zone.custom_rulesets
    assert methods(service) == ["POST rulesets", "PUT entrypoint"]
    assert zone.custom_rules[0]["action_parameters"] == {"id": ruleset["id"]} == {"id": done["ruleset"]["id"]}
    assert done["ruleset"]["deploy"] == {"ref": "Bots", "expression": "true", "enabled": True, "position": "first"}
    assert done["zone_id"] == ZONE and "warnings" not in done
    deployment = zone.custom_rules[0]["id"]
    gone = modules.done(MODULE, name="Bots", state="absent", accept_risks=["weakens_zone", "empties_list"])
    assert methods(service)[2:] == [f"DELETE {deployment}", f"DELETE {ruleset['id']}"]
    assert (gone["ruleset"], zone.custom_rulesets, zone.custom_rules) == (None, [], [])


@pytest.mark.parametrize("owner", [{}, OF_ACCOUNT], ids=["zone", "account"])
def test_rules_of_others_and_fields_of_the_future_stay(
    owner: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    store: Any = service.account(ACCOUNT) if owner else service.zone(ZONE)
    deployed = [
        {**rule, "expression": ENTERPRISE} if "of_the_future" in rule else rule for rule in DEPLOYMENTS["custom_rules"]
    ]
    store.seed(**{**DEPLOYMENTS, "custom_rules": deployed})
    entry_point, before = store.rules_of("custom_rules"), deepcopy(store.custom_rulesets)
    others = deepcopy([entry_point[0], entry_point[2]])
    task: dict[str, Any] = {
        "name": "Bots",
        "rules": [{"ref": "login", "enabled": False}],
        "deploy": {"enabled": False},
        "accept_risks": ["weakens_zone"],
    }
    modules.lawful(MODULE, **owner, **task)
    assert [entry_point[0], entry_point[2]] == others
    assert (entry_point[1]["enabled"], entry_point[1]["of_the_future"]) == (False, 1)
    bots, theirs = store.custom_rulesets
    assert bots["rules"][:2] == before[0]["rules"][:2] and theirs == before[1]
    assert bots["description"] == "bots" and bots["rules"][2]["enabled"] is False
    assert len(service.writes) == 2 and service.breaches == []


@pytest.mark.parametrize(
    "expression", ['cf.zone.plan  eq "ENT" and ssl', 'ssl and cf.zone.plan=="ENT"', 'cf.zone.plan in {"ENT"}']
)
def test_the_plan_may_be_written_in_another_form(expression: str, modules: Modules) -> None:
    deploy = {"expression": expression}

    modules.lawful(MODULE, **OF_ACCOUNT, **{**NEW, "deploy": deploy})


@pytest.mark.parametrize(
    ("deploy", "words"),
    [
        ({"expression": "ssl"}, f"its expression needs {ENTERPRISE}, since only zones of the plan Enterprise have such rules. Set it to (ssl) and"),
        ({"expression": "true"}, f"Set it to {ENTERPRISE}."),
        ({"expression": 'cf.zone.plan eq "PRO"'}, f'Set it to (cf.zone.plan eq "PRO") and {ENTERPRISE}.'),
        ({"enabled": True}, f"Set it to {ENTERPRISE}."),
    ],
)  # fmt: skip
def test_a_deployment_of_an_account_needs_the_plan_in_its_expression(
    deploy: dict[str, Any], words: str, service: LocalService, modules: Modules
) -> None:
    account = service.account(ACCOUNT)
    for check in (True, False):
        failed = modules.failed(MODULE, check, **OF_ACCOUNT, **{**NEW, "deploy": deploy})
        assert (
            "The custom rule of the account Bots deploys a ruleset of an account" in failed["msg"]
            and words in failed["msg"]
        )
    assert (service.writes, account.custom_rulesets) == ([], [])
    expression = f'cf.zone.name eq "shop.example"  and {ENTERPRISE}'
    done = modules.done(MODULE, **OF_ACCOUNT, **{**NEW, "deploy": {"expression": expression}})
    assert (done["account_id"], done["ruleset"]["deploy"]["expression"]) == (ACCOUNT, expression)
    assert modules.done(MODULE, **OF_ACCOUNT, **{**NEW, "deploy": {"expression": expression}})["changed"] is False


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"account_id": ACCOUNT}, "account_id: it stands beside zone_id; a ruleset is of one of them. Leave out the other one"),
        ({"rules": [], "state": "absent"}, "rules: it names no rule. Leave it out to delete the ruleset, or set state to present"),
        ({"name": " "}, "name: it is empty"),
        ({"deploy": {"expression": "("}}, "deploy.expression: "),
        ({"deploy": {"position": "above"}}, "deploy.position: 'above' is not first"),
        ({"rules": [{"ref": "a"}, {"ref": "a"}]}, "rules[1]: Bots a is named here and in rules[0]"),
        ({"rules": [{"ref": "a", "position": "first"}], "purge": True}, "rules[0].position: with purge the order"),
        ({"rules": [{"ref": "a"}], "ignore": [""]}, "ignore[0]: it is empty"),
        ({"rules": [{"ref": "new"}]}, "The rule new of the ruleset Bots is new and needs action and expression."),
        ({"name": "Office", "rules": [], "deploy": {"enabled": True}}, "The custom rule Office is new and needs expression."),
        ({"name": "theirs", "deploy": {"ref": "office", "expression": "true"}},
         "The rule office is there, and does not execute the ruleset theirs. Give its deployment another ref, in deploy."),
        ({"name": "theirs", "deploy": {"expression": "true", "position": "after nobody"}}, "names the ref nobody, which is not there."),
    ],
)  # fmt: skip
def test_wrong_options_are_told_before_anything_is_written(
    options: dict[str, Any], words: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(**DEPLOYMENTS)
    assert words in modules.failed(MODULE, **{"name": "Bots", **options})["msg"]
    assert service.writes == []


@pytest.mark.parametrize("executed", [(0,), (1,), (0, 1)], ids=["the first", "the second", "both"])
def test_all_rulesets_of_a_name_go_with_their_deployments(
    executed: tuple[int, ...], service: LocalService, modules: Modules
) -> None:
    rulesets = [{"id": one * 32, "name": "Bots", "rules": [{**ADMIN, "ref": one}]} for one in "ab"]
    deploy = {"action": "execute", "expression": "true"}
    rules = [{**deploy, "ref": f"by {one}", "action_parameters": {"id": rulesets[one]["id"]}} for one in executed]
    zone = service.zone(ZONE).seed(custom_rules=rules, custom_rulesets=rulesets)
    if len(executed) > 1:
        assert (
            "and a rule executes one that is not the oldest: by 1. Delete all but one of them"
            in modules.failed(MODULE, name="Bots", deploy={"enabled": True})["msg"]
        )
    task: dict[str, Any] = {"name": "Bots", "state": "absent", "accept_risks": ["weakens_zone", "empties_list"]}
    modules.lawful(MODULE, **task)
    assert (zone.custom_rules, zone.custom_rulesets) == ([], [])


def test_a_ruleset_that_two_rules_execute_is_left_to_people(service: LocalService, modules: Modules) -> None:
    both = [{**DEPLOYMENTS["custom_rules"][1], "ref": ref} for ref in ("one", "two")]
    zone = service.zone(ZONE).seed(**{**DEPLOYMENTS, "custom_rules": both})
    message = modules.failed(MODULE, name="Bots", deploy={"enabled": True})["msg"]
    assert (
        "The ruleset Bots is executed by more than one rule (one, two). Keep one of them, or leave out deploy."
        in message
    )
    assert modules.done(MODULE, name="Bots", rules=[{"ref": "agents", "description": "none"}])["changed"]
    accepted = ["weakens_zone", "empties_list", "mass_deletion"]
    modules.done(MODULE, name="Bots", state="absent", accept_risks=accepted)  # both, and then the ruleset
    assert zone.custom_rules == [] and [each["name"] for each in zone.custom_rulesets] == ["theirs"]


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (NEW, "The zone takes 10 custom rulesets, and 11 would be there. Remove 1 or more."),
        ({"name": "r1", "rules": [{**ADMIN, "ref": f"n{number}"} for number in range(101)]},
         "The zone takes 100 rules of the ruleset r1, and 101 would be there."),
        ({"name": "r1", "rules": [ADMIN] + [{**ADMIN, "ref": f"n{number}"} for number in range(5)], "deploy": {"expression": "true"}},
         "The zone has the plan Free: it takes 5 custom rules, and 7 would be there."),
        ({"name": "r1", "rules": [{**ADMIN, "expression": 'http.host matches "a"'}], "deploy": {"expression": "true"}},
         "it does not have the operator matches, which is in r1 admin."),
    ],
)  # fmt: skip
def test_quotas_are_known_before(task: dict[str, Any], words: str, service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(plan="free", custom_rulesets=[{"name": f"r{number}"} for number in range(10)])
    assert words in modules.failed(MODULE, True, **task)["msg"]
    assert words in modules.failed(MODULE, **task)["msg"]
    assert service.writes == []


def test_rules_of_a_new_ruleset_count_if_a_rule_executes_it(service: LocalService, modules: Modules) -> None:
    four = [{**ADMIN, "ref": f"n{number}"} for number in range(4)]
    service.zone(ZONE).seed(plan="free", custom_rules=four)
    words = "The zone has the plan Free: it takes 5 custom rules, and 6 would be there."
    assert words in modules.failed(MODULE, True, **NEW)["msg"] and words in modules.failed(MODULE, **NEW)["msg"]
    assert service.writes == []
    idle = {**NEW, "deploy": None, "rules": four}
    assert modules.done(MODULE, True, **idle)["operations"] == modules.done(MODULE, **idle)["operations"] != []
    assert modules.done(MODULE, name="Bots", rules=[ADMIN])["changed"]  # which nothing executes


RISKS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("a rule that blocks everything", {"rules": [BLOCK_ALL]}, ["blocks_everything"]),
    ("a rule that blocks everything, disabled", {"rules": [{**BLOCK_ALL, "enabled": False}]}, []),
    ("a skip of everything", {"rules": [{**BLOCK_ALL, **SKIP, "action_parameters": {"products": ["bic"]}, "expression": "true"}]},
     ["skips_everything"]),
    ("the rules deleted that stop", {"rules": [{"ref": "agents"}, {"ref": "login"}], "state": "absent"}, ["weakens_zone"]),
    ("the rules turned into log", {"rules": [{"ref": "agents", "action": "log"}, {"ref": "login", "action": "log"}]}, ["weakens_zone"]),
    ("the ruleset deleted", {"state": "absent"}, ["weakens_zone"]),
    ("the deployment disabled", {"deploy": {"enabled": False}}, ["weakens_zone"]),
    ("the deployment without a request", {"deploy": {"expression": "false"}}, ["weakens_zone"]),
    ("a description", {"description": "new"}, []),
]  # fmt: skip


SKIP_ALL: dict[str, Any] = {**SKIP, "ref": "all", "expression": "true"}
WITHIN: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("new", [ADMIN], {"rules": [{**SKIP_ALL, "position": "first"}]}),
    ("enabled", [{**SKIP_ALL, "enabled": False}, ADMIN], {"rules": [{"ref": "all", "enabled": True}]}),
    ("widened", [{**SKIP_ALL, "expression": "ip.src eq 192.0.2.1"}, ADMIN], {"rules": [{"ref": "all", "expression": "true"}]}),
    ("moved to an earlier place", [ADMIN, SKIP_ALL, {"ref": "last", **CHALLENGE}],
     {"rules": [{"ref": "all"}, {"ref": "admin"}, {"ref": "last"}], "purge": True}),
]  # fmt: skip


@pytest.mark.parametrize("owner", [{}, OF_ACCOUNT], ids=["zone", "account"])
@pytest.mark.parametrize(("how", "rules", "task"), WITHIN, ids=[case[0] for case in WITHIN])
def test_a_skip_of_everything_within_a_ruleset_is_a_risk(
    how: str, rules: list[Any], task: dict[str, Any], owner: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    store: Any = service.account(ACCOUNT) if owner else service.zone(ZONE)
    others = [{**CHALLENGE, "ref": f"other-{number}"} for number in range(9)]
    rulesets = [{"id": BOTS_ID, "name": "Bots", "rules": rules}, {"id": "a" * 32, "name": "Others", "rules": others}]
    deploy = {"action": "execute", "expression": ENTERPRISE if owner else "true"}
    deployed = [{**deploy, "ref": one["name"], "action_parameters": {"id": one["id"]}} for one in rulesets]
    store.seed(custom_rules=deployed, custom_rulesets=rulesets)
    failed = modules.failed(MODULE, True, **owner, name="Bots", **task)
    assert [risk["code"] for risk in failed["risks"]] == ["skips_everything"]
    assert f"({how}): every request matches" in failed["msg"]
    assert modules.done(MODULE, **owner, name="Bots", **task, accept_risks=["skips_everything"])["changed"]


@pytest.mark.parametrize("owner", [{}, OF_ACCOUNT], ids=["zone", "account"])
@pytest.mark.parametrize(("task", "expected"), [case[1:] for case in RISKS], ids=[case[0] for case in RISKS])
def test_rules_of_a_ruleset_are_judged_where_it_is_executed(
    task: dict[str, Any], expected: list[str], owner: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    store: Any = service.account(ACCOUNT) if owner else service.zone(ZONE)
    deploy = {
        "ref": "bots",
        "action": "execute",
        "expression": ENTERPRISE if owner else "true",
        "action_parameters": {"id": BOTS_ID},
    }
    store.seed(custom_rules=[deploy], custom_rulesets=DEPLOYMENTS["custom_rulesets"])
    if owner and "deploy" in task and "expression" in task["deploy"]:
        task = {**task, "deploy": {"expression": f"false and {ENTERPRISE}"}}
    run = modules.failed if expected else modules.done
    predicted = run(MODULE, True, **owner, name="Bots", **task)
    assert [code for code in codes(predicted) if code != "empties_list"] == expected
    if expected:
        assert codes(modules.failed(MODULE, **owner, name="Bots", **task)) == codes(predicted)
        assert service.writes == []
        assert modules.done(MODULE, **owner, name="Bots", accept_risks=codes(predicted), **task)["changed"]


def test_a_risk_can_be_accepted_for_one_rule(modules: Modules) -> None:
    failed = modules.failed(MODULE, **{**NEW, "rules": [BLOCK_ALL]})
    assert "all of the ruleset Bots (new): every request matches, and would be blocked by it" in failed["msg"].replace(
        "custom rule ", ""
    )
    (risk,) = failed["risks"]
    bound = {"code": risk["code"], **risk["objects"][0], "entries": risk["entries"], "reason": "a trial"}
    del bound["key"]
    assert modules.done(MODULE, **{**NEW, "rules": [BLOCK_ALL]}, accept_risks=[bound])["changed"]


def test_a_ruleset_that_nothing_deploys_is_no_risk(modules: Modules) -> None:
    assert modules.done(MODULE, name="Bots", rules=[BLOCK_ALL])["changed"]
    assert codes(modules.failed(MODULE, name="Bots", deploy={"expression": "true"})) == ["blocks_everything"]
    assert modules.done(MODULE, name="Bots", deploy={"expression": "ip.src in {192.0.2.0/24}"})["changed"]


def test_a_list_that_the_account_does_not_have_is_refused(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(lists=[{"name": "offices", "kind": "ip", "items": []}])
    service.zone(ZONE).seed(account_id=ACCOUNT)
    task: dict[str, Any] = {"name": "Bots", "rules": [{**ADMIN, "expression": "ip.src in $office"}]}
    words = "The rule admin of the ruleset Bots names the list $office, which the account does not have (did you mean offices?)"
    assert words in modules.failed(MODULE, **task, deploy={"expression": "true"})["msg"]
    assert service.writes == []


@pytest.mark.parametrize("kind", ["lost_before", "lost_after"])
@pytest.mark.parametrize("number", [1, 2], ids=["the ruleset", "its deployment"])
@pytest.mark.parametrize("approved", [False, True])
def test_a_lost_answer_is_recovered(
    kind: str, number: int, approved: bool, service: LocalService, modules: Modules
) -> None:
    zone = service.zone(ZONE).seed(custom_rules=[ADMIN])
    predicted = modules.done(MODULE, True, **NEW)
    service.misbehave(kind, method=("POST", "PUT")[number - 1], times=1)
    options = {"expected_plan": predicted["plan_id"]} if approved else {}
    done = modules.done(MODULE, retries=0, **NEW, **options)
    assert sorted(item["key"] for item in done["operations"]) == sorted(item["key"] for item in predicted["operations"])
    assert [each["name"] for each in zone.custom_rulesets] == ["Bots"]
    assert [rule["ref"] for rule in zone.custom_rules] == ["admin", "Bots"]
    assert modules.done(MODULE, **NEW)["changed"] is False


def test_a_ruleset_without_its_deployment_is_said(service: LocalService, modules: Modules) -> None:
    service.misbehave("status", method="PUT", status=403, times=1)
    failed = modules.failed(MODULE, **NEW)
    assert [item["resource"] for item in failed["done"]] == ["custom_ruleset", "custom_ruleset_rule"]
    assert [item["resource"] for item in failed["left"]] == ["custom_rule"]
    assert [item["resource"] for item in modules.done(MODULE, **NEW)["operations"]] == ["custom_rule"]


def test_unmanaged_rules_are_judged_in_their_ruleset(service: LocalService, modules: Modules) -> None:
    skip = {"ref": "pass", **SKIP, "expression": "true"}
    rules = [skip, ADMIN, {"ref": "other", **CHALLENGE}]
    service.zone(ZONE).seed(custom_rulesets=[{"name": "Bots", "rules": rules}])
    records = modules.done(MODULE, True, name="Bots", rules=[ADMIN])["unmanaged"]
    assert [(item["resource"], item["key"], item["weakens"]) for item in records] == [
        ("custom_ruleset_rule", "Bots pass", True),
        ("custom_ruleset_rule", "Bots other", False),
    ]


def test_an_empty_deployment_takes_the_ruleset_out_of_service(service: LocalService, modules: Modules) -> None:
    zone = service.zone(ZONE).seed(**DEPLOYMENTS)
    task: dict[str, Any] = {"name": "Bots", "deploy": {}, "accept_risks": ["weakens_zone"]}
    assert modules.lawful(MODULE, **task)["ruleset"]["deploy"] is None
    assert [rule["ref"] for rule in zone.custom_rules] == ["office", "last"] and len(zone.custom_rulesets) == 2


def test_a_rule_of_an_account_skips_no_phase(service: LocalService, modules: Modules) -> None:
    skip = {"ref": "office", **SKIP, "action_parameters": {"phase": "current"}}
    message = modules.failed(MODULE, **OF_ACCOUNT, name="Bots", rules=[skip])["msg"]
    assert (
        "The rule office of the ruleset Bots skips the rest of the phase, which rules of a zone alone can." in message
    )
    assert service.writes == []


def test_a_text_in_place_of_a_deployment_is_its_expression(modules: Modules) -> None:
    failed = modules.failed(MODULE, True, **OF_ACCOUNT, **{**NEW, "deploy": "true"})
    assert "deploy: 'true' is a text; write {expression: true}" in failed["msg"]
