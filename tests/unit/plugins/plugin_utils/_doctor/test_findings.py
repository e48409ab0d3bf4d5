# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings: there, not there, or not known with the reason; and what is odd in answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import ACCOUNTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import HostAnswer
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.findings import (
    Assumption,
    assumptions,
    observe,
    permissions_of,
    products_of,
)

LIMITS = {"Ratelimit": '"default";r=9;t=9', "Ratelimit-Policy": '"default";q=1200;w=300'}
INFO = {"page": 1, "per_page": 1000, "count": 1, "total_count": 1}
GRANTED: dict[str, Any] = {"success": True, "result": []}
RULE: dict[str, Any] = {
    "id": "r1", "ref": "a", "action": "skip", "expression": "true", "enabled": True, "version": "1",
    "last_updated": "2027-01-29T09:15:02Z", "action_parameters": {"ruleset": "current"},
}  # fmt: skip
FIREWALL: dict[str, Any] = {
    "id": "1" * 32, "action": "block", "filter": {"id": "2" * 32, "expression": "true", "paused": False, "deleted": True}
}  # fmt: skip


def answer(
    resource: Resource,
    document: Any,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    ahead: float | None = 0.0,
) -> HostAnswer:
    return HostAnswer(
        resource,
        Request("GET", "x", resource=resource),
        Response(status, LIMITS if headers is None else headers, b""),
        document,
        "",
        ahead,
    )


def refusal(code: int) -> dict[str, Any]:
    return {"success": False, "errors": [{"code": code, "message": "of 192.0.2.1"}]}


def problems(answer: HostAnswer) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, problem in observe(answer):
        found.setdefault(name, []).extend([problem] if problem else [])
    return found


def of_objects(resource: Resource, *objects: dict[str, Any]) -> dict[str, list[str]]:
    result: Any = {"id": "x", "rules": list(objects)} if resource.is_ordered else list(objects)
    return problems(
        answer(resource, {"success": True, "errors": [], "messages": [], "result": result, "result_info": INFO})
    )


@pytest.mark.parametrize("assumption", assumptions(), ids=lambda item: item.name)
def test_an_assumption_is_a_sentence_with_a_consequence(assumption: Assumption) -> None:
    assert assumption.statement[0].isupper() and assumption.statement.endswith(".")
    assert assumption.otherwise[0].isupper() and assumption.otherwise.endswith(".")
    assert "|" not in assumption.statement + assumption.source + assumption.otherwise  # cells of a table
    assert [item.name for item in assumptions()].count(assumption.name) == 1


@pytest.mark.parametrize(
    ("answers", "permission", "product"),
    [
        ([answer(PREFIXES, GRANTED)], True, True),
        ([answer(PREFIXES, refusal(10000), 403), answer(ALLOWLIST, GRANTED)], True, True),
        ([answer(PREFIXES, refusal(10000), 403)], False, None),
        ([answer(PREFIXES, refusal(8888), 403)], None, False),
        ([answer(PREFIXES, refusal(1), 500), answer(ALLOWLIST, refusal(10000), 403)], False, None),
        ([answer(PREFIXES, refusal(971), 429)], None, None),
        ([HostAnswer(PREFIXES, Request("GET", "x", resource=PREFIXES), problem="lost")], None, None),
    ],
)
def test_answers_decide_permission_and_product(
    answers: list[HostAnswer], permission: bool | None, product: bool | None
) -> None:
    read, write = permissions_of(answers)
    assert (read.available, products_of(answers)[0].available) == (permission, product)
    assert write.name == "DDoS Protection Write (account)" and write.available is None
    assert bool(read.reason) is (permission is not True)


@pytest.mark.parametrize(
    ("resource", "item"), [(CUSTOM_RULES, RULE), (FIREWALL_RULES, FIREWALL)], ids=["custom", "firewall"]
)
def test_an_object_with_only_what_it_always_has_is_as_expected(resource: Resource, item: dict[str, Any]) -> None:
    seen = of_objects(resource, item)
    assert "types" in seen and not any(seen.values())


@pytest.mark.parametrize(
    ("changed", "assumption", "problem"),
    [
        ({"action_parameters": {"phases": ["x"], "odd": 1}}, "fields_known", "unknown field action_parameters.odd"),
        ({"ref": "A"}, "keys", ""),
    ],
)
def test_an_odd_object_is_counted(changed: dict[str, Any], assumption: str, problem: str) -> None:
    seen = of_objects(CUSTOM_RULES, RULE, {**RULE, "ref": "b", **changed})
    assert " ".join(seen[assumption]).startswith(problem) and bool(seen[assumption]) is bool(problem)


def test_only_what_the_collection_writes_must_be_known_to_its_fields() -> None:
    seen = of_objects(ACCOUNTS, {"id": "1" * 32, "name": "x", "type": "enterprise", "settings": {}})
    assert "fields_known" not in seen and not any(seen.values())


def page(result: Any = ({"id": "x"},), **others: Any) -> dict[str, Any]:
    info = others.get("info", INFO)
    return {"success": True, "errors": [], "messages": [], "result": list(result), "result_info": info}


@pytest.mark.parametrize(
    ("odd", "assumption", "problem"),
    [
        (answer(PREFIXES, page(), headers={}), "rate_limit_headers", "no Ratelimit and no Ratelimit-Policy"),
        (answer(PREFIXES, page(), headers={**LIMITS, "Ratelimit-Policy": '"burst";q=10;w=60, "day";q=9000;w=300'}),
         "rate_limit", "10 calls in 60 s"),
        (answer(PREFIXES, page(info={**INFO, "total_count": True})), "totals", "no total_count"),
    ],
)  # fmt: skip
def test_an_answer_with_a_problem_names_it(odd: HostAnswer, assumption: str, problem: str) -> None:
    assert problem in problems(odd)[assumption][0]
