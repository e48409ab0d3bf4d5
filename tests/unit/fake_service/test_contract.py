# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract: that it is one, that the routes keep to it, and that a breach of it is noticed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from flask import Request
from jsonschema_path import SchemaPath
from openapi_spec_validator import validate
from werkzeug.wrappers import Response

from tests.fake_service import LocalService
from tests.fake_service.application import application
from tests.fake_service.contract import API, DOCUMENT, Contract, Problem

from .conftest import Client

OPERATIONS = sorted(Contract.shared().operations())
ACCOUNT, ZONE = "1" * 32, "2" * 32
PATHS = (
    f"/accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/prefixes",
    f"/accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/allowlist",
    f"/zones/{ZONE}/rulesets/phases/http_request_firewall_custom/entrypoint",
)
A_PREFIX = {"prefix": "192.0.2.0/24", "comment": "", "excluded": False}


def test_the_document_is_valid_openapi() -> None:
    spec = Contract.shared().spec
    validate(spec.read_value(), base_uri=DOCUMENT.as_uri())


def test_routes_and_document_describe_the_same_operations() -> None:
    routes = {
        (method, re.sub(r"<(\w+)>", r"{\1}", rule.rule.removeprefix(API)))
        for rule in application().url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD"}
        if rule.rule.startswith(API)
    }
    assert routes == Contract.shared().operations()


def test_every_object_in_a_request_is_closed_to_unknown_fields() -> None:
    parts = [Contract.shared().spec / "paths" / pattern / method.lower() for method, pattern in OPERATIONS]
    bodies = [
        operation / "requestBody" / "content" / "application/json" / "schema"
        for operation in parts
        if "requestBody" in operation
    ]
    objects = [schema for body in bodies for schema in objects_in(body)]
    assert len(objects) >= len(bodies) > 10
    opened = [schema for schema in objects if (schema / "additionalProperties").read_value() is not False]
    # The rules of a ruleset are sent back as they were shown, with whatever the service showed.
    rules = [body / "properties" / "rules" / "items" for body in bodies if "rules" in body / "properties"]
    rules += [body for body in bodies if "position" in body / "properties"]
    assert {*map(str, opened)} == {str(schema) for rule in rules for schema in (rule, rule / "properties" / "logging")}


def objects_in(schema: SchemaPath) -> Iterator[SchemaPath]:
    if "properties" in schema:
        yield schema
        for field in schema / "properties":
            yield from objects_in(field)
    if "items" in schema:
        yield from objects_in(schema / "items")
    for part in schema / "allOf" if "allOf" in schema else ():
        yield from objects_in(part)


def test_answers_that_differ_in_ids_and_times_are_examined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    examined: list[int] = []
    examine = Contract._answer_problems

    def counted(contract: Contract, request: Request, answer: Response) -> list[Problem]:
        examined.append(answer.status_code)
        return examine(contract, request, answer)

    monkeypatch.setattr(Contract, "_answer_problems", counted)
    monkeypatch.setattr(Contract.shared(), "_examined", {})
    for _time in range(2):
        with LocalService() as service:
            service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24"}], allowlist=[{"prefix": "198.51.100.7"}])
            service.zone(ZONE).seed(custom_rules=[{"action": "block", "expression": "true"}])
            headers = {"Authorization": f"Bearer {service.token}"}
            for path in PATHS:
                assert requests.get(service.base_url + path, headers=headers, timeout=10).ok
    assert examined == [200] * len(PATHS)


@pytest.mark.parametrize(
    ("body", "pointer", "reason"),
    [
        ({**A_PREFIX, "note": 1}, "/note", "is not a field"),
        ({"prefix": "192.0.2.0/24", "comment": ""}, "/excluded", "is required"),
        ({**A_PREFIX, "comment": None}, "/comment", "not of type 'string'"),
        ({**A_PREFIX, "prefix": "203.0.113/24"}, "/prefix", "network"),
        ([A_PREFIX], "", "not of type 'object'"),
    ],
)
def test_a_body_outside_the_contract_is_refused_naming_the_field(
    protection: Client, service: Any, body: Any, pointer: str, reason: str
) -> None:
    refused = protection.refused("POST", "/prefixes", body)
    assert (refused["status"], refused["pointer"]) == (400, pointer)
    assert refused["code"] >= 1000 and reason in refused["message"]
    assert service.breaches[0].side == "request" and reason in service.breaches[0].problems[0]
    assert service.account("023e105f4ecef8ad9ca31a8372d0c353").prefixes == []


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"per_page": 9}, "per_page"),
        ({"per_page": 1001}, "per_page"),
        ({"per_page": "many"}, "per_page"),
        ({"page": 0}, "page"),
        ({"direction": "up"}, "direction"),
        ({"limit": 5}, "'limit' is not known"),
    ],
)
def test_a_query_outside_the_contract_is_refused_naming_the_parameter(
    protection: Client, query: dict[str, Any], reason: str
) -> None:
    refused = protection.refused("GET", "/prefixes", params=query)
    assert refused["status"] == 400 and reason in refused["message"]


def test_an_answer_that_breaks_the_contract_is_a_500_and_is_recorded(
    protection: Client, account: Any, service: Any
) -> None:
    account.prefixes.append({"prefix": "192.0.2.0/24"})
    refused = protection.refused("GET", "/prefixes")
    assert refused["status"] == 500 and "/result/0/id: is required" in refused["message"]
    assert [(breach.side, breach.method, breach.path.split("/")[-1]) for breach in service.breaches] == [
        ("answer", "GET", "prefixes")
    ]
    service.breaches.clear()


def test_a_crash_of_the_service_is_recorded_too(protection: Client, account: Any, service: Any) -> None:
    account.prefixes = None
    refused = protection.refused("GET", "/prefixes")
    assert refused["status"] == 500 and "TypeError" in refused["message"]
    assert "Traceback" in service.breaches[0].problems[0]
    service.breaches.clear()
