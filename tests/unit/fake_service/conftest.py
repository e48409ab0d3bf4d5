# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A local service for each test, and a client that speaks to it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import cloudflare
import pytest
import requests

from tests.fake_service import LocalService

from .rulesets_sample import EXISTING, Rules

ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353"
ZONE = "372e67954025e0ba6aaa6d586b9e0b59"


class Client:
    """Calls the API under one path, over one session."""

    def __init__(self, session: requests.Session, root: str) -> None:
        self.session = session
        self.root = root

    def __call__(self, method: str, path: str, body: Any = None, **options: Any) -> requests.Response:
        options.setdefault("timeout", 5)
        return self.session.request(method, self.root + path, json=body, allow_redirects=False, **options)

    def result(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """The result of a call that has to succeed."""
        response = self(method, path, body, **options)
        assert response.status_code == 200, response.text
        return response.json().get("result")

    def refused(self, method: str, path: str, body: Any = None, **options: Any) -> dict[str, Any]:
        """Status, code, message and pointer of the first error of a call that has to fail."""
        response = self(method, path, body, **options)
        answer = response.json()
        assert answer["success"] is False and answer["result"] is None, response.text
        first = answer["errors"][0]
        pointer = first.get("source", {}).get("pointer")
        return {"status": response.status_code, "code": first["code"], "message": first["message"], "pointer": pointer}


@pytest.fixture
def service() -> Iterator[LocalService]:
    with LocalService() as service:
        yield service
    assert [breach for breach in service.breaches if breach.side == "answer"] == []


@pytest.fixture
def session(service: LocalService) -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {service.token}"
        yield session


@pytest.fixture
def account(service: LocalService) -> Any:
    return service.account(ACCOUNT)


@pytest.fixture
def zone(service: LocalService) -> Any:
    return service.zone(ZONE)


@pytest.fixture
def protection(service: LocalService, session: requests.Session, account: Any) -> Client:
    """The client of the account's Advanced TCP Protection."""
    return Client(session, f"{service.base_url}/accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs")


@pytest.fixture
def firewall(service: LocalService, session: requests.Session, zone: Any) -> Client:
    """The client of the zone's firewall rules and filters."""
    return Client(session, f"{service.base_url}/zones/{ZONE}")


@pytest.fixture
def rulesets(service: LocalService, session: requests.Session, zone: Any) -> Client:
    """The client of the zone's rulesets."""
    return Client(session, f"{service.base_url}/zones/{ZONE}/rulesets")


@pytest.fixture
def custom_rules(zone: Any) -> Rules:
    """The existing list of the zone's custom rules."""
    rules: Rules = zone.seed(custom_rules=copy.deepcopy(EXISTING)).custom_rules
    return rules


@pytest.fixture
def sdk(service: LocalService, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for variable in ("API_KEY", "EMAIL"):  # they would be sent instead of the token
        monkeypatch.delenv("CLOUDFLARE_" + variable, raising=False)
    with cloudflare.Cloudflare(api_token=service.token, base_url=service.base_url, max_retries=0) as client:
        yield client
