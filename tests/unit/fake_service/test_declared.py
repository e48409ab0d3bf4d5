# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A row is all that a plain setting or list needs: state documents, routes and permission follow from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from flask import Flask
from openapi_spec_validator import validate

from tests.fake_service import declared
from tests.fake_service.admission import check_answers
from tests.fake_service.contract import API, DOCUMENT, Contract
from tests.fake_service.current import SERVICE
from tests.fake_service.declared import Declared
from tests.fake_service.declared_routes import area_of, views_of
from tests.fake_service.service import Service

from .conftest import ACCOUNT, ZONE

BOTS = Declared(
    name="bot_management",
    path="zones/{zone_id}/bot_management",
    permission="Zone Settings",
    fields={"fight_mode": {"type": "boolean"}, "enable_js": {"type": "boolean"}},
    defaults={"fight_mode": False, "enable_js": True},
    method="PUT",
)
ALERTS = Declared(
    name="alert_policies",
    path="accounts/{account_id}/alerting/v3/policies",
    permission="DDoS Protection",
    fields={"name": {"type": "string"}, "enabled": {"type": "boolean"}},
    required=("name",),
    defaults={"name": "", "enabled": True, "modified_on": None},
    is_list=True,
)
POLICIES = f"{API}/accounts/{ACCOUNT}/alerting/v3/policies"
BOT_MANAGEMENT = f"{API}/zones/{ZONE}/bot_management"


class Client:
    """Calls of the routes of two rows; there is no contract."""

    def __init__(self) -> None:
        self.service = Service()
        self.service.switch(checked_against_contract=False)
        application = Flask("declared", static_folder=None)
        application.register_blueprint(area_of((BOTS, ALERTS)))
        check_answers(application)
        self._client = application.test_client()

    def __call__(self, method: str, path: str, body: Any = None, token: str = "") -> dict[str, Any]:
        answer = self._client.open(
            path,
            method=method,
            json=body,
            headers={"Authorization": f"Bearer {token or self.service.token}"},
            environ_overrides={SERVICE: self.service},
        )
        content: dict[str, Any] = answer.get_json()
        return content


@pytest.fixture
def client() -> Iterator[Client]:
    with patch.object(declared, "DECLARED", (BOTS, ALERTS)):
        yield Client()


def test_a_setting_is_read_and_replaced(client: Client) -> None:
    client.service.zone(ZONE).seed(bot_management={"enable_js": False})
    assert client("GET", BOT_MANAGEMENT)["result"] == {"fight_mode": False, "enable_js": False}
    assert client("PUT", BOT_MANAGEMENT, {"fight_mode": True})["result"] == {"fight_mode": True, "enable_js": True}
    assert client.service.zone(ZONE).document()["bot_management"]["fight_mode"] is True


def test_a_setting_that_is_not_editable_stays(client: Client) -> None:
    client.service.zone(ZONE).seed(bot_management={"editable": False})
    assert "bot_management is not editable for this zone" in str(client("PUT", BOT_MANAGEMENT, {})["errors"])


def test_objects_of_a_list_come_change_and_go(client: Client) -> None:
    account = client.service.account(ACCOUNT).seed(alert_policies=[{"name": "attack"}])
    created = client("POST", POLICIES, {"name": "outage"})["result"]
    assert [policy["name"] for policy in client("GET", POLICIES)["result"]] == ["attack", "outage"]
    one_policy = f"{POLICIES}/{created['id']}"
    assert client("PATCH", one_policy, {"enabled": False})["result"]["enabled"] is False
    assert client("GET", POLICIES)["result"][1]["modified_on"] >= created["modified_on"]
    assert client("DELETE", one_policy)["success"] is True
    assert client("DELETE", one_policy)["errors"]
    assert [policy["name"] for policy in account.declared["alert_policies"]] == ["attack"]


def test_a_permission_is_needed(client: Client) -> None:
    client.service.account(ACCOUNT)
    token = client.service.add_token("reading-token", protection="read")
    assert client("GET", POLICIES, token=token)["success"] is True
    assert client("POST", POLICIES, {"name": "outage"}, token=token)["success"] is False


def test_a_field_that_the_row_lacks_is_refused(client: Client) -> None:
    with pytest.raises(ValueError, match="alert_policies have no colour"):
        client.service.account(ACCOUNT).seed(alert_policies=[{"colour": "red"}])


def test_the_contract_has_an_operation_for_each_route_and_takes_the_fields_of_the_row(client: Client) -> None:
    contract = Contract()
    validate(contract.spec.read_value(), base_uri=DOCUMENT.as_uri())
    routes = {(method, f"/{path}") for row in (BOTS, ALERTS) for method, path in views_of(row)}
    assert routes <= contract.operations()
    bodies = {
        path: item[method]["requestBody"]["content"]["application/json"]["schema"]
        for path, item in declared.contract_paths()
        for method in ("put", "post", "patch")
        if method in item
    }
    assert [(body["required"], [*body["properties"]]) for body in bodies.values()] == [
        ([], ["fight_mode", "enable_js"]),
        (["name"], ["name", "enabled"]),
        ([], ["name", "enabled", "id"]),
    ]
