# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way through a module with a service that is a dictionary; what modules do is for the functional tests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._engine import perform
from ansible_collections.edgeops.protection.plugins.module_utils._errors import PlanError, ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.task import parse_task

from tests.support.connection import CONNECTION

ACCOUNT = "0" * 32
STATUS: Any = {"accept_risks": [], "enabled": True}


class Service:
    """An account whose collections are empty, and whose protection is on or off."""

    def __init__(self, enabled: bool = False, refuses: bool = False) -> None:
        self.enabled = enabled
        self.refuses = refuses
        self.asked: list[Request] = []

    @property
    def calls(self) -> int:
        return len(self.asked)

    @property
    def writes(self) -> list[Any]:
        return [(request.method, request.body) for request in self.asked if request.method != "GET"]

    def send(self, request: Request) -> Response:
        self.asked.append(request)
        if request.method != "GET" and self.refuses:
            return Response(400, {}, b'{"success": false, "errors": [{"code": 1, "message": "no"}], "result": null}')
        if request.method != "GET":
            self.enabled = request.body["enabled"]
        result: Any = {"enabled": self.enabled} if request.path.endswith("/tcp_protection_status") else []
        return Response(200, {}, json.dumps({"success": True, "errors": [], "result": result}).encode())


def run(service: Service, options: Any, module: str = "tcp_protection_status", check: bool = False) -> Any:
    warnings: list[str] = []
    task = parse_task(MODULE_SPECS[module], {**CONNECTION, **options}, {}, warnings.append)
    result = perform(task, Client(service, {"account_id": ACCOUNT}), check, warnings.append)
    return {**result, "warnings": warnings}


def test_a_run_does_what_check_mode_predicts_and_the_next_one_nothing() -> None:
    service = Service()
    predicted = run(service, STATUS, check=True)
    assert service.writes == []
    done = run(service, STATUS)
    assert service.writes == [("PATCH", {"enabled": True})]
    assert done == predicted
    assert (done["changed"], done["tcp_protection_status"]) == (True, {"enabled": True})
    assert done["diff"]["after"]["status"] == {"enabled": True}
    again = run(service, STATUS)
    assert (again["changed"], again["operations"], len(service.writes)) == (False, [], 1)


def test_a_plan_that_changes_nothing_needs_one_call() -> None:
    service = Service(enabled=True)
    assert run(service, STATUS)["operations"] == []
    assert service.calls == 1


def test_a_plan_with_a_risk_is_refused_before_any_write() -> None:
    service = Service(enabled=True)
    with pytest.raises(PlanError, match="disables_protection.*Nothing was changed") as caught:
        run(service, {**STATUS, "enabled": False})
    assert service.writes == []
    assert caught.value.details["plan_id"]
    accepted = {**STATUS, "enabled": False, "accept_risks": ["disables_protection"]}
    result = run(service, accepted)
    assert [risk["code"] for risk in result["risks"]] == ["disables_protection"]
    assert result["warnings"][0].startswith("Accepted disables_protection: ")
    assert service.writes == [("PATCH", {"enabled": False})]


def test_a_write_that_is_refused_says_how_far_it_came() -> None:
    with pytest.raises(ServiceError) as caught:
        run(Service(refuses=True), STATUS)
    details = caught.value.details
    assert (details["changed"], details["done"], [item["action"] for item in details["left"]]) == (
        False,
        [],
        ["update"],
    )


def test_a_module_that_reads_has_no_operations() -> None:
    service = Service(enabled=True)
    options = {"gather_subset": ["status", "prefixes"], "covers": None}
    assert run(service, options, "protection_info") == {
        "changed": False,
        "account_id": ACCOUNT,
        "status": {"enabled": True},
        "prefixes": [],
        "warnings": [],
    }
    assert service.calls == 2
