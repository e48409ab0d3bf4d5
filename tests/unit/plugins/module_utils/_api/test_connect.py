# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clients of checked settings: with a budget or none, and of an owner that goes by its name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.connect import client_of_owner, connected
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import BOUNDS, Settings, parse_settings
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ProtectionError

ZONE, ACCOUNT = "a" * 32, "b" * 32


@pytest.fixture
def settings() -> Settings:
    options: dict[str, Any] = {name: default for name, (_type, default, _least) in BOUNDS.items()}
    options.update(base_url="http://127.0.0.1:9/client/v4", api_token="t" * 40, ca_path=None, validate_certs=True)
    return parse_settings({**options, "account_id": ACCOUNT}, "account_id", {}, lambda text: None)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANSIBLE_HOME", str(tmp_path))
    return tmp_path / "edgeops.protection"


class Answers:
    """Answers every request with this list."""

    calls = 0

    def __init__(self, listed: Sequence[Any]) -> None:
        self._listed = listed
        self.requests: list[Request] = []

    def send(self, request: Request) -> Response:
        self.requests.append(request)
        count = len(self._listed)
        info = {"page": 1, "per_page": 50, "count": count, "total_count": count}
        body = {"success": True, "errors": [], "messages": [], "result": self._listed, "result_info": info}
        return Response(200, {}, json.dumps(body).encode())


def test_a_client_has_the_owner_of_the_settings_and_has_sent_nothing(settings: Settings, home: Path) -> None:
    with connected(settings, lambda text: None) as client:
        assert (client.owner, client.calls) == ({"account_id": ACCOUNT}, 0)
        assert client_of_owner(client, settings) is client
    assert len(list(home.iterdir())) == 1


@pytest.mark.parametrize(("calls", "period"), [(0, 300.0), (1200, 0.0)])
def test_without_a_budget_no_turns_are_kept(settings: Settings, home: Path, calls: int, period: float) -> None:
    with connected(replace(settings, call_budget=calls, call_budget_period=period), lambda text: None):
        assert not home.exists()


def test_a_state_that_cannot_be_used_is_warned_of(settings: Settings, home: Path) -> None:
    home.write_text("no folder")
    warnings: list[str] = []
    with connected(settings, warnings.append):
        assert len(warnings) == 1
        assert warnings[0].startswith("The call budget is not shared: ")


def test_an_owner_that_goes_by_its_name_is_looked_up(settings: Settings) -> None:
    answers = Answers([{"id": ZONE, "name": "example.com"}])
    client = client_of_owner(Client(answers, {}), replace(settings, owner={}, owner_name="example.com"))
    assert client.owner == {"zone_id": ZONE}
    assert [(request.path, request.query["name"]) for request in answers.requests] == [("zones", "example.com")]


def test_a_name_that_no_owner_has_ends_the_module(settings: Settings) -> None:
    with pytest.raises(ProtectionError, match=r"^zone_name: the credentials see no zone example.com\."):
        client_of_owner(Client(Answers([]), {}), replace(settings, owner={}, owner_name="example.com"))
