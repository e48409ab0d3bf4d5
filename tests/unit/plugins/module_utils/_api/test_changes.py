# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The audit log: who wrote what, page after page, and never a part of it for the whole."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Mapping

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.changes import read_changes
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Response
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ProtectionError, ServiceError

from tests.support.scripted import Scripted, enveloped, in_turn

NOW = datetime(2026, 11, 22, 10, tzinfo=timezone.utc)
ENTRY: Mapping[str, Any] = {
    "id": "1",
    "action": {"type": "update", "result": "success", "time": "2026-11-22T09:00:00Z"},
    "actor": {"type": "user", "context": "dash", "email": "alice@example.com"},
    "raw": {"method": "PATCH", "uri": "/accounts/0/x/abc"},
    "resource": {"id": "abc"},
}


def page(result: Any, cursor: str = "") -> Response:
    return enveloped(result, result_info={"cursor": cursor} if cursor else {})


def changes(service: Scripted, owner: str = "account_id") -> Any:
    client = Client(service, {owner: "0" * 32})
    client.now = NOW
    return read_changes(client, 24)


def entry(**parts: Mapping[str, Any]) -> Any:
    return {**ENTRY, **{name: {**ENTRY[name], **part} for name, part in parts.items()}}


def test_an_entry_says_who_wrote_what_and_how() -> None:
    service = in_turn(page([ENTRY]))
    assert changes(service) == [
        {
            "at": "2026-11-22T09:00:00Z",
            "by": "alice@example.com",
            "how": "the dashboard",
            "method": "PATCH",
            "uri": "/accounts/0/x/abc",
            "object_id": "abc",
        }
    ]
    (request,) = service.asked
    assert request.path == f"accounts/{'0' * 32}/logs/audit"
    assert (request.query["since"], request.query["before"]) == ("2026-11-21T10:00:00Z", "2026-11-22T10:01:00Z")


@pytest.mark.parametrize(
    ("actor", "by", "how"),
    [
        ({"context": "api_token", "token_name": "CI", "email": None}, "CI", "an API token CI"),
        ({"context": "api_token"}, "alice@example.com", "an API token"),
        ({"context": "api_key"}, "alice@example.com", "an API key"),
        ({"context": "of the future", "email": ""}, "user", "of the future"),
    ],
)
def test_an_actor_is_a_person_or_a_token(actor: Mapping[str, Any], by: str, how: str) -> None:
    (change,) = changes(in_turn(page([entry(actor=actor)])))
    assert (change["by"], change["how"]) == (by, how)


def test_reads_and_writes_that_failed_changed_nothing() -> None:
    entries = [entry(raw={"method": "GET"}), entry(action={"result": "failure"}), {**ENTRY, "resource": None}]
    (change,) = changes(in_turn(page(entries)))
    assert change["object_id"] is None


def test_the_pages_are_read_to_their_end() -> None:
    service = in_turn(page([ENTRY], "next"), page([ENTRY], "last"), page([]))
    assert len(changes(service)) == 2
    assert [request.query.get("cursor") for request in service.asked] == [None, "next", "last"]


def test_a_zone_asks_the_log_of_its_account() -> None:
    service = in_turn(page({"id": "z", "account": {"id": "a" * 32}}), page([]))
    assert changes(service, "zone_id") == []
    assert service.asked[1].path == f"accounts/{'a' * 32}/logs/audit"
    assert service.asked[1].query["zone_id"] == "0" * 32


@pytest.mark.parametrize("account", [None, {}, {"id": "../x"}, "a"])
def test_a_zone_without_a_usable_account_asks_nothing_more(account: Any) -> None:
    service = in_turn(page({"id": "z", "account": account}))
    with pytest.raises(ProtectionError, match="does not say its account: .* is not"):
        changes(service, "zone_id")
    assert len(service.asked) == 1


def test_another_answer_is_an_error() -> None:
    with pytest.raises(ServiceError, match="the result is not a list"):
        changes(in_turn(page(None)))
