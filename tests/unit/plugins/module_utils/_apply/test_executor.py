# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan is sent call by call; what each answer says of its operations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._apply.executor import (
    Interrupted,
    apply_plan,
    changed_meanwhile,
    dry_run,
)
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES

OWNER = {"account_id": "0" * 32, "zone_id": "1" * 32}
RULE, FILTER = "a" * 32, "f" * 32


class Service:
    """Answers each call by its path and body with the first rule that matches, and keeps what it was asked."""

    def __init__(self, *answers: tuple[str, int, Any]) -> None:
        self.answers = answers
        self.asked: list[Request] = []
        self.calls = 0

    def send(self, request: Request) -> Response:
        self.asked.append(request)
        text = f"{request} {json.dumps(request.body)}"
        status, result = next((status, result) for part, status, result in self.answers if part in text)
        envelope = {"success": status < 300, "errors": result if status >= 300 else [], "result": result}
        return Response(status, {}, json.dumps(envelope).encode())


def planned(resource: Resource, entries: Sequence[Mapping[str, Any]], existing: Sequence[Any] = ()) -> Plan:
    return make_plan({resource.plural: list(existing)}, [parse_desired(resource, numbered("x", entries))])


def sent(plan: Plan, service: Service) -> tuple[list[Any], list[str]]:
    warnings: list[str] = []
    returned = apply_plan(plan, Client(service, OWNER), warnings.append)
    return list(returned.values()), warnings


def test_a_failed_call_leaves_operations_done_left_and_unknown() -> None:
    entries = [{"prefix": f"10.0.0.{number}"} for number in range(4)]
    service = Service(
        ("10.0.0.1/32", 500, [{"code": 1, "message": "late"}]),
        ("10.0.0", 200, {}),
    )
    with pytest.raises(Interrupted) as caught:
        sent(planned(ALLOWLIST, entries), service)
    interrupted = caught.value
    unknown = {item.label for item in interrupted.unknown}
    known = {item.label for item in (*interrupted.done, *interrupted.left)}
    assert unknown == {"10.0.0.1/32"}
    assert "10.0.0.0/32" in {item.label for item in interrupted.done}
    assert known | unknown == {f"10.0.0.{number}/32" for number in range(4)}
    assert {item.label: error.status for item, error in interrupted.refusals.items()} == {"10.0.0.1/32": 500}
    assert interrupted.cause.status == 500


def test_a_batch_that_fails_keeps_those_behind_it_from_being_sent() -> None:
    entries = [{"prefix": f"10.{number // 250}.{number % 250}.0/24"} for number in range(601)]
    service = Service(("10.1.50.0/24", 400, [{"code": 1, "message": "no"}]), ("prefixes", 200, []))
    with pytest.raises(Interrupted) as caught:
        sent(planned(PREFIXES, entries), service)
    assert [len(part) for part in (caught.value.done, caught.value.left, caught.value.unknown)] == [300, 301, 0]
    assert len(service.asked) == 2


def test_something_else_than_was_sent_is_warned_of() -> None:
    service = Service(("allowlist", 200, {"id": "1", "prefix": "10.0.0.1", "comment": "theirs", "enabled": True}))
    returned, warnings = sent(planned(ALLOWLIST, [{"prefix": "10.0.0.1", "comment": "ours"}]), service)
    assert (
        warnings
        == ["Cloudflare stored 'theirs' as comment of allowlist entry 10.0.0.1/32 where 'ours' was sent."] * 1
        + warnings[1:]
    )
    assert returned[0]["id"] == "1"


@pytest.mark.parametrize(("fields", "unknown"), [({}, 0), ({"action": "block"}, 1)])
def test_a_refused_nested_object_leaves_its_parent_unknown(fields: dict[str, Any], unknown: int) -> None:
    rule = {"id": RULE, "action": "log", "filter": {"id": FILTER, "expression": "a"}}
    service = Service(("/filters", 400, [{"code": 1, "message": "no"}]), ("/rules", 200, rule))
    plan = planned(FIREWALL_RULES, [{"id": RULE, "filter": {"expression": "b"}, **fields}], [rule])
    with pytest.raises(Interrupted) as caught:
        sent(plan, service)
    assert (len(caught.value.unknown), len(caught.value.left)) == (unknown, 1 - unknown)


def test_a_nested_object_that_was_taken_with_its_parent_is_not_sent_again() -> None:
    rule = {"id": RULE, "action": "log", "filter": {"id": FILTER, "expression": "a"}}
    service = Service(("/rules", 200, {**rule, "filter": {"id": FILTER, "expression": "b"}}))
    returned, warnings = sent(planned(FIREWALL_RULES, [{"id": RULE, "filter": {"expression": "b"}}], [rule]), service)
    assert ([item.method for item in service.asked], warnings) == (["PUT"], [])
    assert returned[0]["filter"]["expression"] == "b"


def test_a_dry_run_writes_nothing_and_names_the_object_that_is_refused() -> None:
    errors = [{"code": 1, "message": "odd", "source": {"pointer": "/rules/1/expression"}}]
    entries = [{"ref": ref, "action": "log", "expression": "x"} for ref in "ab"]
    service = Service(("entrypoint", 400, errors))
    with pytest.raises(ServiceError, match="This is about the custom rule b.$"):
        dry_run(planned(CUSTOM_RULES, entries), Client(service, OWNER))
    assert [item.query for item in service.asked] == [{"dry_run": "true"}]
    service = Service()
    dry_run(planned(ALLOWLIST, [{"prefix": "10.0.0.1"}]), Client(service, OWNER))
    assert service.asked == []


def ruleset(version: Any) -> dict[str, Any]:
    return {"id": "7" * 32, "version": version, "rules": [{"id": RULE, "ref": "a", "action": "log", "expression": "x"}]}


class Versions(Service):
    """A ruleset that is read with one version, and has another after the write."""

    def __init__(self, before: Any, after: Any) -> None:
        super().__init__()
        self.before, self.after = before, after

    def send(self, request: Request) -> Response:
        self.asked.append(request)
        if request.method == "GET" and self.before is None:
            errors = [{"code": 10003, "message": "could not find entrypoint ruleset"}]
            return Response(404, {}, json.dumps({"success": False, "errors": errors, "result": None}).encode())
        result = ruleset(self.before if request.method == "GET" else self.after)
        return Response(200, {}, json.dumps({"success": True, "errors": [], "result": result}).encode())


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ("4", "5", ""),
        ("4", "4", ""),
        ("4", "6", "read version 4 of the custom rules and wrote version 6. {}, made version 5, which"),
        ("4", "9", "read version 4 of the custom rules and wrote version 9. {}, made the versions 5 to 8, which"),
        ("7", "8", ""),
        ("7", "9", "read version 7 of the custom rules and wrote version 9. {}, made version 8, which"),
        ("7", "12", "made the versions 8 to 11, which"),
        ("400", "402", "made version 401, which"),
        (None, "1", ""),
        (None, "2", "read version 0 of the custom rules and wrote version 2. {}, made version 1, which"),
        ("draft", "7", ""),
        ("4", "draft", ""),
        ("4", "\u0666", ""),
        ("4", "9" * 18, "made the versions 5 to 999999999999999998, which"),
        ("4", "9" * 19, ""),
        ("4", "9" * 5000, ""),
    ],
)
def test_versions_that_a_write_replaced_are_warned_of(before: Any, after: Any, warning: str) -> None:
    service = Versions(before, after)
    client = Client(service, OWNER)
    warnings: list[str] = []
    existing = client.read(CUSTOM_RULES)
    plan = planned(CUSTOM_RULES, [{"ref": "b", "action": "log", "expression": "x"}], existing)
    apply_plan(plan, client, warnings.append)
    assert len(warnings) == bool(warning)
    for text in warnings:
        assert warning.format("Another writer, or an earlier attempt of this write") in text
        assert text.endswith(f"/rulesets/{'7' * 32}/versions/{int(after) - 1}.")


@pytest.mark.parametrize(
    ("before", "after", "age", "versions"),
    [
        ("4", "5", 2.0, ("4", "5")),
        ("5", "4", 2.0, ("5", "4")),
        ("400", "400", 9.0, None),
        ("4", "draft", 9.0, None),
        ("draft", "5", 9.0, None),
        ("4", "5", 1.9, None),
    ],
)
def test_a_list_that_another_writer_changed_since_it_was_read_is_noticed(
    before: str, after: str, age: float, versions: tuple[str, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Versions(before, after)
    client = Client(service, OWNER)
    plan = planned(CUSTOM_RULES, [{"ref": "b", "action": "log", "expression": "x"}], client.read(CUSTOM_RULES))
    service.before = after
    monkeypatch.setattr(client, "age_of", lambda resource: age)
    sentence = changed_meanwhile(plan, client)
    expected = "The plan is made for version {} of the custom rules, and another writer has made version {}. The"
    assert sentence.startswith(expected.format(*versions)) if versions else sentence == ""
    assert len(service.asked) == 1 + (age >= 2 and before != "draft")


BEFORE: dict[str, Any] = {"id": FILTER, "expression": "a", "paused": False, "description": "d"}


@pytest.mark.parametrize(
    ("stored", "named", "warnings"),
    [
        ({}, {"expression": "b"}, []),
        ({"expression": "b"}, {"expression": "b"}, []),
        ({"paused": True}, {"expression": "b"}, ["paused was False and is True. The module keeps this value."]),
        ({"expression": "c"}, {"expression": "b"}, ["expression was 'a' and is 'c'. The module replaces this value."]),
        (
            {"expression": "c", "paused": True},
            {"expression": "b"},
            ["expression was 'a' and is 'c'. The module replaces", "paused was False and is True. The module keeps"],
        ),
        ({"id": "0" * 32, "expression": "c"}, {"expression": "b"}, []),
        ({"id": "f" * 31 + "g", "expression": "c"}, {"expression": "b"}, []),
    ],
)
def test_a_change_of_a_nested_object_by_another_writer_is_warned_of(
    stored: dict[str, Any], named: dict[str, Any], warnings: list[str]
) -> None:
    rule = {"id": RULE, "action": "log", "filter": BEFORE}
    service = Service(("/rules", 200, {**rule, "filter": {**BEFORE, **stored}}), ("/filters", 200, {**BEFORE, **named}))
    dummy, warned = sent(planned(FIREWALL_RULES, [{"id": RULE, "filter": named}], [rule]), service)
    others = sorted(text for text in warned if text.startswith("Another writer"))
    assert len(others) == len(warnings)
    for text, end in zip(others, warnings):
        assert f"changed the filter of firewall rule {RULE} after the module read it: {end}" in text


def test_another_writer_is_noticed_beside_objects_without_nested_ones() -> None:
    rules: list[dict[str, Any]] = [
        {"id": "1" * 32, "action": "log", "filter": None},
        {"id": "2" * 32, "action": "log", "filter": BEFORE},
    ]
    stored = [{**rules[0], "action": "block"}, {**rules[1], "action": "block", "filter": {**BEFORE, "paused": True}}]
    entries = [{"id": rule["id"], "action": "block"} for rule in rules]
    dummy, warnings = sent(planned(FIREWALL_RULES, entries, rules), Service(("/rules", 200, stored)))
    assert len(warnings) == 1
    assert f"changed the filter of firewall rule {'2' * 32}" in warnings[0]


def test_nested_objects_are_sent_at_their_own_path_each_once() -> None:
    ids = ["1" * 32, "2" * 32, "3" * 32, "4" * 32]
    other = {**BEFORE, "id": "e" * 32}
    rules: list[dict[str, Any]] = [
        {"id": ids[0], "action": "log", "filter": BEFORE},
        {"id": ids[1], "action": "log", "filter": None},
        {"id": ids[2], "action": "log", "filter": BEFORE},
        {"id": ids[3], "action": "log", "filter": other},
    ]
    entries: list[dict[str, Any]] = [
        {"id": ids[0], "action": "block", "filter": {"expression": "b"}},
        {"id": ids[1], "action": "block"},
        {"id": ids[2], "action": "block", "filter": {"paused": True}},
        {"id": ids[3], "action": "block", "filter": {"description": "e"}},
    ]
    stored = [{**BEFORE, "expression": "b", "paused": True, "ref": "new"}, {**other, "description": "e"}]
    service = Service(("/filters", 200, stored), ("/rules", 200, [{**rule, "action": "block"} for rule in rules]))
    returned, warnings = sent(planned(FIREWALL_RULES, entries, rules), service)
    assert [request.path.rsplit("/", 1)[-1] for request in service.asked] == ["rules", "filters"]
    assert service.asked[1].body == [{**BEFORE, "expression": "b", "paused": True}, {**other, "description": "e"}]
    assert [rule["filter"] for rule in returned] == [stored[0], None, stored[0], stored[1]]
    assert warnings == []


def test_a_nested_object_is_updated_if_the_service_returned_nothing() -> None:
    rule = {"id": RULE, "action": "log", "filter": BEFORE}
    service = Service(("/filters", 200, None), ("/rules", 200, None))
    returned, dummy = sent(planned(FIREWALL_RULES, [{"id": RULE, "filter": {"expression": "b"}}], [rule]), service)
    assert service.asked[1].body == {**BEFORE, "expression": "b"}
    assert [item["filter"] for item in returned] == [{**BEFORE, "expression": "b"}]
    assert [item["action"] for item in returned] == ["log"]
