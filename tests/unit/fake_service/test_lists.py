# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of an account: operations that take their time, one at once, pages by cursor, and refusals."""

from __future__ import annotations

import pytest
import requests

from tests.fake_service import LocalService

from .conftest import ACCOUNT, ZONE, Client

OFFICE = {"name": "office", "items": [{"ip": "192.0.2.1", "comment": "door"}, {"ip": "198.51.100.0/24"}]}


@pytest.fixture
def lists(service: LocalService) -> Client:
    service.account(ACCOUNT).seed(lists=[OFFICE])
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {service.token}"
    return Client(session, f"{service.base_url}/accounts/{ACCOUNT}/rules/lists")


def identity(service: LocalService, name: str = "office") -> str:
    return str(service.account(ACCOUNT).ip_lists.list_named(name)["id"])


def test_a_list_in_use_stays(service: LocalService, lists: Client) -> None:
    zone = service.zone(ZONE)
    zone.seed(custom_rules=[{"ref": "a", "action": "block", "expression": "ip.src in $office"}])
    assert lists.result("GET", "")[0]["num_referencing_filters"] == 1
    assert "in use" in lists.refused("DELETE", f"/{identity(service)}")["message"]
    zone.custom_rules.clear()
    gone = identity(service)
    assert lists.result("DELETE", f"/{gone}") == {"id": gone}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([{"ip": "10.0.0.0/7"}], "wider than /8"),
        ([{"ip": "2000::/3"}], "wider than /12"),
        ([{"ip": "192.0.2.1/24"}], "host bits"),
        ([{"ip": f"192.0.2.{number}"} for number in range(10, 14)], "would have more"),
    ],
)
def test_refused_items(service: LocalService, lists: Client, body: object, message: str) -> None:
    service.account(ACCOUNT).ip_lists.most = {"": (5, 5)}
    assert message in lists.refused("POST", f"/{identity(service)}/items", body)["message"]
