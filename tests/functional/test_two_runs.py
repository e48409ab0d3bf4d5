# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Somebody else writes between the reading and the writing of a run: nothing of theirs is lost without a word."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils import _run_results
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, error_details
from ansible_collections.edgeops.protection.plugins.module_utils._apply import executor, recovery
from ansible_collections.edgeops.protection.plugins.module_utils._errors import PlanError, ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._guard import guard, rule_plans
from ansible_collections.edgeops.protection.plugins.module_utils._planning import planner, preparation
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import (
    NOT_KNOWN,
    UNFINISHED,
    host_outcome,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part

from tests.fake_service import LocalService
from tests.fake_service.zones import Zone
from tests.support.host_parts import host, run_module
from tests.support.module_run import ACCOUNT, ZONE, Modules, warnings_of

Rules = list[dict[str, Any]]
A, B, C = ({"ref": ref, "action": "log", "expression": f'http.request.uri.path eq "/{ref}"'} for ref in "abc")
BLOCK = {**B, "action": "block"}
NEW = {**A, "ref": "new", "expression": 'http.request.uri.path eq "/new"'}
MANY = [
    NEW,
    *({**NEW, "ref": f"new{n}", "expression": f'http.request.uri.path eq "/new{n}"'} for n in range(3)),
]  # which are written with the whole list
SHOWN = ["new log", "new0 log", "new1 log", "new2 log"]
WRITES = "PUT|POST|PATCH|DELETE"


def meanwhile(service: LocalService, rules: Callable[[Rules], Rules]) -> Zone:
    """Another writer replaces the custom rules before the next write."""
    zone = service.zone(ZONE)

    def replace() -> None:
        changed = rules([dict(rule) for rule in zone.custom_rules])
        zone.custom_rules.clear()
        zone.seed(custom_rules=changed)

    service.misbehave("meanwhile", method=WRITES, times=1, action=replace)
    return zone


@pytest.fixture
def zone(service: LocalService) -> Zone:
    return service.zone(ZONE).seed(custom_rules=[A, B])


def shown(rules: Rules) -> list[str]:
    return [f"{rule['ref']} {rule['action']}" for rule in rules]


PUT_BACK: list[tuple[str, Callable[[Rules], Rules], list[str], list[str]]] = [
    ("added", lambda rules: [C, *rules], ["c log", "a log", "b log"], ["create c"]),
    ("changed", lambda rules: [rules[0], {**rules[1], "action": "block"}], ["a log", "b block"], ["update b"]),
    ("moved", lambda rules: rules[::-1], ["b log", "a log"], ["update a"]),
    ("all of it", lambda rules: [C, {**rules[1], "action": "block"}, rules[0]], ["c log", "b block", "a log"], ["create c", "update b", "update a"]),
]  # fmt: skip


@pytest.mark.parametrize(("what", "change", "end", "put_back"), PUT_BACK, ids=lambda value: str(value)[:10])
def test_what_another_writer_changed_is_put_back(
    what: str,
    change: Callable[[Rules], Rules],
    end: list[str],
    put_back: list[str],
    service: LocalService,
    modules: Modules,
    zone: Zone,
) -> None:
    options: dict[str, Any] = {"rules": MANY}
    predicted = modules.done("custom_rules", check=True, **options)
    meanwhile(service, change)
    result = modules.done("custom_rules", **options)
    assert shown(zone.custom_rules) == [*end, *SHOWN] == shown(result["rules"])
    assert (result["operations"], result["plan_id"]) == (predicted["operations"], predicted["plan_id"])
    assert [f"{item['action']} {item['key']}" for item in result["put_back"]] == put_back
    assert warnings_of(result) == (
        "Another writer made version 2 of the custom rules, which this run replaced by version 3. "
        f"The module puts back what that changed: {', '.join(put_back)}."
    )
    first, second = [call.method for call in service.calls if call.method != "GET"]
    assert (first, second) == ("PUT", {1: "PATCH", 3: "PUT"}[len(put_back)] if what != "added" else "POST")
    assert modules.done("custom_rules", **options)["changed"] is False
    assert "put_back" not in modules.done("custom_rules", **options)


@pytest.mark.parametrize(("what", "change", "end", "put_back"), PUT_BACK, ids=lambda value: str(value)[:10])
def test_a_plan_of_few_operations_replaces_nothing_of_another_writer(
    what: str,
    change: Callable[[Rules], Rules],
    end: list[str],
    put_back: list[str],
    service: LocalService,
    modules: Modules,
    zone: Zone,
) -> None:
    options: dict[str, Any] = {"rules": MANY[:3]}
    predicted = modules.done("custom_rules", check=True, **options)
    meanwhile(service, change)
    result = modules.done("custom_rules", **options)
    assert shown(zone.custom_rules) == [*end, *SHOWN[:3]] == shown(result["rules"])
    assert (result["operations"], result["plan_id"]) == (predicted["operations"], predicted["plan_id"])
    assert "put_back" not in result and warnings_of(result) == ""
    assert [call.method for call in service.writes] == ["POST"] * 3


def test_two_runs_that_change_two_fields_of_one_rule_keep_both(
    service: LocalService, modules: Modules, zone: Zone
) -> None:
    meanwhile(service, lambda rules: [rules[0], {**rules[1], "description": "theirs"}])
    result = modules.done("custom_rules", rules=[{"ref": "b", "enabled": False}])
    assert [(rule["description"], rule["enabled"]) for rule in zone.custom_rules] == [("", True), ("theirs", False)]
    assert [(item["key"], item["fields"]) for item in result["put_back"]] == [("b", {"description": "theirs"})]
    assert "The module puts back what that changed: update b." in warnings_of(result)


def test_a_rule_that_is_moved_keeps_what_another_writer_gave_it(
    service: LocalService, modules: Modules, zone: Zone
) -> None:
    meanwhile(service, lambda rules: [rules[0], {**rules[1], "description": "theirs"}])
    result = modules.done("custom_rules", rules=[B, A], purge=True)
    assert [(rule["ref"], rule["description"]) for rule in zone.custom_rules] == [("b", "theirs"), ("a", "")]
    assert "put_back" not in result
    assert [call.body for call in service.writes] == [{"position": {"after": ""}}]


def test_a_second_plan_that_is_refused_is_made_again(service: LocalService, modules: Modules, zone: Zone) -> None:
    other = {**C, "ref": "other", "expression": 'http.request.uri.path eq "/other"'}
    meanwhile(service, lambda rules: [*rules, C, other])
    again = {**C, "id": "c" * 32}
    service.misbehave("meanwhile", method="POST", times=1, action=lambda: zone.seed(custom_rules=[again]) and None)
    result = modules.done("custom_rules", rules=MANY)
    assert sorted(shown(zone.custom_rules)) == sorted(["a log", "b log", "c log", "other log", *SHOWN])
    assert [item["key"] for item in result["put_back"]] == ["other"]


@pytest.mark.parametrize(
    ("desired", "change", "end"),
    [
        ([{**NEW, "position": "after a"}], lambda rules: rules[1:], ["b log", "new log"]),  # its neighbour goes
        ([{"ref": "b", "enabled": False}], lambda rules: rules[:1], ["a log", "b log"]),  # the rule itself goes
        ([NEW], lambda rules: [*rules, {**NEW, "action": "block"}], ["a log", "b log", "new log"]),  # it is there
    ],
)
def test_a_call_that_comes_too_late_is_planned_again(
    desired: Rules,
    change: Callable[[Rules], Rules],
    end: list[str],
    service: LocalService,
    modules: Modules,
    zone: Zone,
) -> None:
    meanwhile(service, change)
    task: dict[str, Any] = {"rules": [{**B, **rule} for rule in desired], "accept_risks": ["weakens_zone"]}
    result = modules.run("custom_rules", **task)
    if "position" in desired[0]:
        assert result["failed"] and "names the ref a, which is not there" in result["msg"]
    else:
        assert shown(zone.custom_rules) == end == shown(result["rules"])
        assert "planned" in warnings_of(result) and "again" in warnings_of(result)


def test_a_list_of_which_a_rule_is_gone_is_planned_again(service: LocalService, modules: Modules, zone: Zone) -> None:
    meanwhile(service, lambda rules: rules[1:])
    result = modules.done("custom_rules", rules=MANY)
    assert shown(zone.custom_rules) == ["b log", *SHOWN] == shown(result["rules"])
    assert "put_back" not in result
    assert "The module read again and planned new, new0, new1, new2 again." in warnings_of(result)


def test_a_rule_that_both_changed_keeps_the_value_of_this_run(
    service: LocalService, modules: Modules, zone: Zone
) -> None:
    meanwhile(service, lambda rules: [rules[0], {**rules[1], "description": "theirs"}, C])
    result = modules.done("custom_rules", rules=[{"ref": "b", "description": "ours"}])
    assert [rule["description"] for rule in zone.custom_rules] == ["", "ours", ""]
    assert "put_back" not in result
    assert (
        "Another writer changed the custom rule b as well: it made it {'description': 'theirs'}; "
        "this run's value stays: {'description': 'ours'}."
    ) in warnings_of(result)


def test_a_rule_that_the_task_names_keeps_what_another_writer_gave_it_beside(
    service: LocalService, modules: Modules, zone: Zone
) -> None:
    meanwhile(service, lambda rules: [rules[0], {**rules[1], "description": "theirs", "enabled": False}])
    result = modules.done("custom_rules", rules=[*MANY, {"ref": "b", "enabled": True}])
    assert [(rule["description"], rule["enabled"]) for rule in zone.custom_rules[:2]] == [("", True), ("theirs", True)]
    assert (
        "Another writer changed the custom rule b: it made it {'enabled': False}; the task's value stays:"
        " {'enabled': True}."
    ) in warnings_of(result)


def test_what_another_writer_changes_in_a_rule_and_stays_is_told_as_put_back_alone(
    service: LocalService, modules: Modules, zone: Zone
) -> None:
    meanwhile(service, lambda rules: [rules[0], {**rules[1], "description": "theirs"}])
    result = modules.done("custom_rules", rules=[*MANY, {"ref": "b", "enabled": True}])
    assert [rule["description"] for rule in zone.custom_rules[:2]] == ["", "theirs"]
    assert "Another writer changed" not in warnings_of(result)


@pytest.mark.parametrize("news", [[NEW], MANY])
def test_a_purge_removes_what_another_writer_added_and_names_it(
    news: Rules, service: LocalService, modules: Modules, zone: Zone
) -> None:
    meanwhile(service, lambda rules: [*rules, C])
    result = modules.done("custom_rules", rules=[A, *news], purge=True)
    assert shown(zone.custom_rules) == ["a log", *SHOWN[: len(news)]] == shown(result["rules"])
    assert "put_back" not in result
    assert warnings_of(result) == "The custom rule c, which another writer added, is deleted by the purge."


def test_a_second_plan_with_a_risk_is_refused_with_the_acceptance(service: LocalService, modules: Modules) -> None:
    zone = service.zone(ZONE).seed(custom_rules=[A, BLOCK])

    def weaken(rules: Rules) -> Rules:
        return [rules[0], {**rules[1], "action": "log"}]

    meanwhile(service, weaken)
    options: dict[str, Any] = {"rules": MANY}
    approved = modules.done("custom_rules", check=True, **options)["plan_id"]
    result = modules.failed("custom_rules", **options, expected_plan=approved)
    assert [risk["code"] for risk in result["risks"]] == ["weakens_zone"]
    assert ([item["key"] for item in result["done"]], [item["key"] for item in result["left"]]) == (
        ["new", "new0", "new1", "new2"],
        ["b"],
    )
    assert "weakens_zone" in result["msg"] and "accept_risks" in result["msg"]
    assert shown(zone.custom_rules) == ["a log", "b block", *SHOWN]
    del zone.custom_rules[2:]
    meanwhile(service, weaken)
    result = modules.done("custom_rules", **options, expected_plan=approved, accept_risks=["weakens_zone"])
    assert shown(zone.custom_rules) == ["a log", "b log", *SHOWN]
    assert [risk["code"] for risk in result["risks"]] == ["weakens_zone"]


RESPONSE = {"status_code": 403, "content": "no", "content_type": "text/plain"}
X1, X2 = ({**A, "ref": ref, "expression": f'http.request.uri.path eq "/{ref}"'} for ref in ("x1", "x2"))
# The rules before, the options, what another writer makes of the rules, why no second plan can be made, and what is left.
NO_SECOND_PLAN: list[tuple[Rules, dict[str, Any], Callable[[Rules], Rules], str, list[str], str]] = [
    (
        [A, BLOCK],
        {"rules": [{"ref": "b", "action_parameters": {"response": RESPONSE}}, *MANY]},
        lambda rules: [rules[0], {**rules[1], "action": "log"}, C],
        "The custom rule b has the action log, and only block has a response.",
        ["create c"],
        "Another writer changed the custom rule b as well: it made it {'action': 'log'",
    ),
    (
        [X1, X2, A],
        {"rules": [{"ref": "x1"}, {"ref": "x2"}, {**A, "action": "block"}, *MANY], "purge": True, "ignore": ["x*", "c"]},
        lambda rules: [rules[1], rules[0], rules[2], C],
        "The task names custom rules that it ignores, and that stand in another order: x2, x1.",
        ["update x1", "create c"],
        "",
    ),
]  # fmt: skip


@pytest.mark.parametrize("of_host", [False, True], ids=["module", "host"])
@pytest.mark.parametrize("row", NO_SECOND_PLAN, ids=["response", "order of ignored rules"])
def test_a_second_plan_that_cannot_be_made_says_what_was_written_and_what_is_lost(
    row: tuple[Rules, dict[str, Any], Callable[[Rules], Rules], str, list[str], str],
    of_host: bool,
    service: LocalService,
    modules: Modules,
) -> None:
    before, options, change, reason, left, by_both = row
    service.zone(ZONE).seed(custom_rules=before)
    module = "custom_rules"
    if of_host:
        module = "host"
        names = {"rules": "custom_rules", "ignore": "custom_rules_ignore"}
        purge = ["custom_rules"] if options.get("purge") else []
        options = {names.get(name, name): value for name, value in {**options, "purge": purge}.items()}
    predicted = modules.done(module, check=True, **options)
    zone = meanwhile(service, change)
    result = modules.failed(module, **options)
    assert reason in result["msg"] and "does not put back changes of another writer that are left" in result["msg"]
    assert "Nothing was changed" not in result["msg"]
    assert sorted(map(str, result["done"])) == sorted(map(str, predicted["operations"]))
    assert [f"{item['action']} {item['key']}" for item in result["left"]] == left
    assert (result["unknown"], result["changed"]) == ([], True)
    assert result["plan_id"] == predicted["plan_id"]
    assert (
        "Another writer made version 2 of the custom rules, which this run replaced by version 3. "
        f"The module does not put back what that changed: {', '.join(left)}."
    ) in warnings_of(result)
    assert by_both in warnings_of(result)
    assert "c log" not in shown(zone.custom_rules)
    assert host_outcome(result) == UNFINISHED


NO_ANSWER = error_details(Request("GET", "/"), None)
WHERE = {  # by the step that raises: the function, and the number of its calls after the first write that pass
    "the planner of the second plan": (planner, "make_plan", 0),
    "the reading of the second plan": (rule_plans, "resources_of_checks", 0),
    "the expectations of the second plan": (preparation, "expected_results", 0),
    "the guard of the second plan": (guard, "check_plan", 0),
    "the versions that others wrote": (recovery, "as_others_left", 0),
    "the differences between versions": (recovery, "putting_back", 0),
    "the answers": (executor, "match_results", 0),
    "the lists in the answers": (executor, "spread_nested", 0),
    "the result": (_run_results, "operation_records", 0),
    "the coverage of the result": (_run_results, "protection_results", 0),
}
ERRORS = [PlanError("It breaks."), ValueError("It breaks."), ServiceError("It breaks.", NO_ANSWER, maybe_applied=False)]
# A call that Cloudflare refuses has written nothing.
RAISING = [(place, error) for place in WHERE for error in ERRORS if (place, error) != ("the answers", ERRORS[2])]


@pytest.mark.parametrize(
    ("place", "error"), RAISING, ids=lambda value: str(value) if isinstance(value, str) else type(value).__name__
)
def test_whatever_raises_after_the_first_write_says_what_was_written(
    place: str, error: Exception, service: LocalService, modules: Modules, zone: Zone, monkeypatch: pytest.MonkeyPatch
) -> None:
    predicted = modules.done("custom_rules", check=True, rules=MANY)["operations"]
    module, name, calls = WHERE[place]
    function, number = getattr(module, name), count()

    def breaking(*arguments: Any, **keywords: Any) -> Any:
        if service.writes and next(number) >= calls:
            raise error
        return function(*arguments, **keywords)

    monkeypatch.setattr(module, name, breaking)
    meanwhile(service, lambda rules: [*rules, C])
    result = modules.failed("custom_rules", rules=MANY)
    assert "It breaks." in result["msg"] and "Nothing was changed" not in result["msg"]
    done, left, unknown = (result[name] for name in ("done", "left", "unknown"))
    assert [*done, *unknown, *left] == result["operations"]
    written = [item for item in (*done, *unknown) if item["key"] != "c"]
    assert sorted(map(str, written)) == sorted(map(str, predicted))
    assert host_outcome(result) in (UNFINISHED, NOT_KNOWN)
    assert ("This is a fault of the collection" in result["msg"]) is isinstance(error, ValueError)


def test_a_run_ends_although_others_go_on_to_write(
    service: LocalService, modules: Modules, zone: Zone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "MOST_SECOND_PLANS", 2)
    numbers = count()
    service.misbehave(
        "meanwhile", method=WRITES, action=lambda: zone.seed(custom_rules=[{**C, "ref": f"c{next(numbers)}"}])
    )
    result = modules.done("custom_rules", rules=[A, B, NEW], purge=True)
    assert [call.method for call in service.writes] == ["POST", "DELETE", "DELETE"]
    assert "so that this run stops after 2 second plans. A change of theirs may be lost" in warnings_of(result)


@pytest.mark.parametrize(("writes", "made"), [(1, "version 2"), (3, "the versions 2 to 4")])
def test_a_version_that_cannot_be_read_is_said_with_its_number(
    writes: int, made: str, service: LocalService, modules: Modules, zone: Zone, waits: list[float]
) -> None:
    def write() -> None:
        for number in range(writes):
            zone.seed(custom_rules=[{**C, "ref": f"theirs-{number}"}])

    service.misbehave("meanwhile", method="PUT", times=1, action=write)
    service.misbehave("status", method="GET", path="/versions/", status=403)
    result = modules.done("custom_rules", rules=MANY)
    assert f"read version 1 of the custom rules and wrote version {2 + writes}" in warnings_of(result)
    assert f"another writer made {made}, which cannot be read: GET zones/{ZONE}/rulesets/" in warnings_of(result)
    assert "A change of that writer may be lost." in warnings_of(result)
    assert "put_back" not in result


@pytest.mark.parametrize(
    ("rules", "calls", "end"),
    [
        (MANY, 2, ["a log", "b log", *SHOWN]),
        (MANY[:2], 2, ["a log", "b log", *SHOWN[:2]]),  # the first one is found where it was made
        ([{"ref": "b", "action": "block"}], 2, ["a log", "b block"]),
        ([{"ref": "b", "expires": "2020-01-31"}], 2, ["a log"]),  # the second one is answered with 404
    ],
)
def test_a_lost_answer_is_no_other_writer(
    rules: Rules, calls: int, end: list[str], service: LocalService, modules: Modules, waits: list[float], zone: Zone
) -> None:
    service.misbehave("lost_after", method=WRITES, times=1)
    result = modules.done("custom_rules", rules=rules)
    assert "put_back" not in result
    assert shown(zone.custom_rules) == end
    assert len(service.writes) == calls


def test_an_answer_with_the_list_as_it_was_is_said_and_shown(
    service: LocalService, modules: Modules, zone: Zone
) -> None:
    as_it_was = {"success": True, "errors": [], "messages": [], "result": zone.entry_point}
    options: dict[str, Any] = {"rules": [NEW, {**B, "action": "block"}]}
    service.misbehave("raw", method=WRITES, times=1, body=json.dumps(as_it_was), status=200)
    result = modules.done("custom_rules", **options)
    assert shown(result["rules"]) == ["a log", "b log"]
    assert "The answer of Cloudflare lacks the custom rule new, which was written." in warnings_of(result)
    assert "Cloudflare stored 'log' as action of custom rule b where 'block' was sent." in warnings_of(result)
    service.misbehave("raw", method=WRITES, times=1, body=json.dumps(as_it_was), status=200)
    result = modules.done("custom_rules", rules=[{"ref": "a"}], state="absent")
    assert shown(result["rules"]) == ["a log", "b log"]
    assert "The answer of Cloudflare still has the custom rule a, which was deleted." in warnings_of(result)
    assert "in another order" not in warnings_of(result)
    reordered = {
        **(zone.entry_point or {}),
        "rules": [{**rule, "action": "block"} for rule in reversed(zone.custom_rules)],
    }
    body = json.dumps({**as_it_was, "result": reordered})
    service.misbehave("raw", method=WRITES, times=1, body=body, status=200)
    result = modules.done("custom_rules", rules=[{**A, "action": "block"}, {**B, "action": "block"}])
    assert "The answer of Cloudflare has the custom rules in another order than was sent." in warnings_of(result)


OBJECTS: list[tuple[str, dict[str, Any], str, dict[str, Any], dict[str, Any]]] = [
    ("protected_prefixes", {"prefixes": [{"prefix": "10.0.0.0/24", "comment": "ours"}]}, "prefixes", {"prefix": "10.0.0.0/24"}, {"comment": "ours"}),
    ("allowlist_entry", {"prefix": "10.0.0.1", "comment": "ours"}, "allowlist", {"prefix": "10.0.0.1/32"}, {"comment": "ours"}),
    ("dns_protection_rule", {"scope": "global", "rate_sensitivity": "high"}, "dns_rules", {"scope": "global"}, {"rate_sensitivity": "high"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "options", "collection", "theirs", "values"), OBJECTS, ids=lambda value: str(value)[:20]
)
@pytest.mark.parametrize("is_older", [True, False])
def test_of_two_objects_that_were_created_at_the_same_time_the_older_one_stays(
    is_older: bool,
    module: str,
    options: dict[str, Any],
    collection: str,
    theirs: dict[str, Any],
    values: dict[str, Any],
    service: LocalService,
    modules: Modules,
) -> None:
    account = service.account(ACCOUNT)
    made: list[str] = []

    def create() -> None:
        account.seed(**{collection: [theirs]})
        made.append(getattr(account, collection)[-1]["id"])

    path = {"dns_rules": "dns_protection/rules"}.get(collection, f"configs/{collection}")
    stage = {"method": "POST"} if is_older else {"method": "GET", "path": f"{path}$", "skip": 1}
    service.misbehave("meanwhile", times=1, action=create, **stage)
    result = modules.done(module, **options)
    objects = getattr(account, collection)
    assert [one["id"] in made for one in objects] == ([True] if is_older else [False, True])
    assert {**objects[0], **values} == objects[0]
    assert f"at the same time. The older one has the id {objects[0]['id']} and stays; this run" in warnings_of(result)
    assert ("deletes the one that it made" if is_older else "leaves both") in warnings_of(result)
    again = modules.done(module, **options)
    assert again["changed"] is not is_older  # those that are left twice are duplicates by then
    assert len(objects) == 1
    assert modules.done(module, **options)["changed"] is False


RULESET: dict[str, Any] = {"name": "Bots", "rules": [A, B], "deploy": {"expression": 'http.host eq "a.example"'}}
RULESETS_OF_ZONE = "/rulesets$"


def their_ruleset(service: LocalService, *rules: dict[str, Any], **fields: Any) -> Callable[[], Any]:
    """Another writer creates a ruleset of the same name."""
    return lambda: service.zone(ZONE).seed(custom_rulesets=[{"name": "Bots", "rules": rules, "id": "c" * 32, **fields}])


def rulesets_of(service: LocalService) -> list[tuple[bool, list[str]]]:
    """The rulesets: whether another writer made it, and its rules; the first one is the only one that a rule executes."""
    zone = service.zone(ZONE)
    (executed,) = [rule["action_parameters"]["id"] for rule in zone.custom_rules if rule["action"] == "execute"]
    ordered = sorted(zone.custom_rulesets, key=lambda one: one["id"] != executed)
    assert executed == ordered[0]["id"]
    return [(one["id"] == "c" * 32, [rule["ref"] for rule in one["rules"]]) for one in ordered]


@pytest.mark.parametrize("is_modified", [False, True])
def test_a_ruleset_that_another_writer_made_before_is_used(
    is_modified: bool, service: LocalService, modules: Modules
) -> None:
    theirs = their_ruleset(service, C, BLOCK)

    def create() -> None:
        theirs()
        if is_modified:  # its last_updated is no longer the time of its creation
            ruleset = service.zone(ZONE).custom_rulesets[-1]
            service.misbehave("meanwhile", method="GET", path=RULESETS_OF_ZONE, times=1, action=lambda: modify(ruleset))

    def modify(ruleset: dict[str, Any]) -> None:
        ruleset.update(version="2", last_updated=service.zone(ZONE).clock.timestamp())

    service.misbehave("meanwhile", method="POST", path=RULESETS_OF_ZONE, times=1, action=create)
    result = modules.done("custom_ruleset", accept_risks=["weakens_zone"], **RULESET)
    assert rulesets_of(service) == [(True, ["c", "b", "a"])]
    assert [rule["ref"] for rule in result["ruleset"]["rules"]] == ["c", "b", "a"]
    assert "this run uses that one, and deletes the one that it made." in warnings_of(result)
    assert modules.done("custom_ruleset", **RULESET)["changed"] is False


def test_a_ruleset_that_another_writer_made_later_is_left_and_goes_in_the_next_run(
    service: LocalService, modules: Modules
) -> None:
    service.misbehave(
        "meanwhile", method="GET", path=RULESETS_OF_ZONE, skip=1, times=1, action=their_ruleset(service, A, C)
    )
    result = modules.done("custom_ruleset", **RULESET)
    assert rulesets_of(service) == [(False, ["a", "b"]), (True, ["a", "c"])]
    assert "stays; this run leaves both." in warnings_of(result)
    predicted = modules.done("custom_ruleset", check=True, **RULESET)
    result = modules.done("custom_ruleset", **RULESET)
    assert predicted["operations"] == result["operations"]
    (deletion,) = result["operations"]
    assert [rule["ref"] for rule in deletion["before"]["rules"]] == ["a", "c"]
    assert f"The younger one, with the id {'c' * 32}, is deleted; the older one does not have" in warnings_of(result)
    assert warnings_of(result).endswith("these rules of it, or has other values: c.")
    assert rulesets_of(service) == [(False, ["a", "b"])]
    assert modules.done("custom_ruleset", **RULESET)["changed"] is False


def test_of_rulesets_of_unknown_age_both_stay_and_are_named(service: LocalService, modules: Modules) -> None:
    theirs = their_ruleset(service, C, version="7")  # whose first version Cloudflare no longer keeps
    service.misbehave("meanwhile", method="POST", path=RULESETS_OF_ZONE, times=1, action=theirs)
    failed = modules.failed("custom_ruleset", **RULESET)
    ids = ", ".join(sorted(one["id"] for one in service.zone(ZONE).custom_rulesets))
    words = f"holds custom ruleset Bots more than once (ids {ids}), and does not tell which is the oldest."
    assert words in failed["msg"]
    assert {item["key"] for item in failed["done"]} == {"Bots", "Bots a", "Bots b"}
    assert [len(one["rules"]) for one in service.zone(ZONE).custom_rulesets] == [1, 2]
    assert words in modules.failed("custom_ruleset", True, **RULESET)["msg"]


def test_a_ruleset_that_is_listed_late_is_not_made_again(service: LocalService, modules: Modules) -> None:
    empty = json.dumps({"success": True, "errors": [], "messages": [], "result": [], "result_info": {"cursors": {}}})
    service.misbehave("raw", method="GET", path=RULESETS_OF_ZONE, skip=1, times=1, body=empty, status=200)
    modules.done("custom_ruleset", **RULESET)
    assert rulesets_of(service) == [(False, ["a", "b"])]


def test_a_listing_that_fails_after_a_creation_is_said(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.misbehave("status", method="GET", path=RULESETS_OF_ZONE, skip=1, status=403)
    result = modules.done("custom_ruleset", **RULESET)
    assert "created the custom ruleset Bots at the same time is not known: GET zones/" in warnings_of(result)
    assert rulesets_of(service) == [(False, ["a", "b"])]


def test_a_ruleset_that_is_not_listed_yet_is_deployed_if_that_of_another_writer_cannot_be_read(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    theirs = {"id": "c" * 32, "name": "Bots", "kind": "custom", "phase": "http_request_firewall_custom", "version": "1"}
    listing = {"success": True, "errors": [], "messages": [], "result": [theirs], "result_info": {"cursors": {}}}
    service.misbehave("raw", method="GET", path=RULESETS_OF_ZONE, skip=1, times=1, body=json.dumps(listing), status=200)
    service.misbehave("status", method="GET", path="/rulesets/c+$", status=403)
    assert "at the same time is not known: GET zones/" in warnings_of(modules.done("custom_ruleset", **RULESET))
    assert rulesets_of(service) == [(False, ["a", "b"])]


@pytest.mark.parametrize("purge", [True, False])
def test_a_younger_ruleset_of_a_name_that_a_rule_executes_is_left_to_people(
    purge: bool, service: LocalService, modules: Modules
) -> None:
    deployment = {"ref": "office", "action": "execute", "expression": "true", "action_parameters": {"id": "c" * 32}}
    service.zone(ZONE).seed(custom_rulesets=[{"name": "Bots", "rules": [A]}], custom_rules=[deployment])
    their_ruleset(service, C)()
    failed = modules.failed("custom_ruleset", **{**RULESET, "purge": purge})
    assert (
        f"{'c' * 32}), and a rule executes one that is not the oldest: office. Delete all but one of them"
        in failed["msg"]
    )
    assert service.writes == []


SKIP = {**C, "action": "skip", "action_parameters": {"phase": "current"}}
IN_PLAN_ORDER: list[tuple[str, Rules, list[str]]] = [
    ("first", [{**BLOCK, "ref": "x", "position": "first"}, {**SKIP, "position": "first"}], ["x", "c", "a", "b"]),
    ("three", [{**ref, "position": "first"} for ref in ({**BLOCK, "ref": "x"}, SKIP, NEW)], ["x", "c", "new", "a", "b"]),
    ("after", [{**BLOCK, "ref": "x", "position": "after a"}, {**SKIP, "position": "after a"}], ["a", "x", "c", "b"]),
    ("behind one at the front", [{**BLOCK, "ref": "x", "position": "first"}, {**SKIP, "position": "first"},
                                 {**NEW, "position": "after x"}], ["x", "new", "c", "a", "b"]),
    ("before", [{**BLOCK, "ref": "x", "position": "before b"}, {**SKIP, "position": "before b"}], ["a", "x", "c", "b"]),
    ("last", [{**BLOCK, "ref": "x"}, SKIP], ["a", "b", "x", "c"]),
]  # fmt: skip
LATER_FAULTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a refused call": ("status", {"skip": 1, "status": 503}),
    "a lost answer": ("lost_after", {}),
    "a lost second answer": ("lost_after", {"skip": 1}),
}


@pytest.mark.parametrize("as_role", [False, True], ids=["module", "role"])
@pytest.mark.parametrize("fault", LATER_FAULTS)
@pytest.mark.parametrize(("what", "rules", "order"), IN_PLAN_ORDER, ids=[case[0] for case in IN_PLAN_ORDER])
def test_a_second_plan_keeps_the_order_of_the_first_one(
    what: str,
    rules: Rules,
    order: list[str],
    fault: str,
    as_role: bool,
    service: LocalService,
    modules: Modules,
    zone: Zone,
    waits: list[float],
) -> None:
    kind, options = LATER_FAULTS[fault]
    service.misbehave(kind, method="POST", times=1, **options)
    variables = {**host(service), "edge_account_id": None, "baseline_custom_rules": rules}
    part = host_part("lima", variables)
    accepted = ["skips_everything", "blocks_everything"]
    result = run_module(part, False) if as_role else modules.done("custom_rules", rules=rules, accept_risks=accepted)
    assert not result.get("failed"), result
    assert [rule["ref"] for rule in zone.custom_rules] == order
    assert len([item for item in result["operations"] if item["action"] == "create"]) == len(rules)


def test_a_second_plan_puts_a_rule_behind_what_another_writer_appended(
    service: LocalService, modules: Modules, zone: Zone
) -> None:
    def append() -> None:
        changed = [*map(dict, zone.custom_rules), {**A, "ref": "theirs"}]
        zone.custom_rules.clear()
        zone.seed(custom_rules=changed)

    service.misbehave("lost_after", method="POST", times=1)
    service.misbehave("meanwhile", method="GET", skip=1, times=1, action=append)
    modules.done("custom_rules", rules=[{**NEW, "position": "first"}, SKIP], accept_risks=["skips_everything"])
    assert [rule["ref"] for rule in zone.custom_rules] == ["new", "a", "b", "theirs", "c"]
