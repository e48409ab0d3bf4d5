# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each answer is kept as it came, and shown without what is private."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT_RESOURCES, PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import AUDIT_LOG, ONBOARDED, ZONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    OF_CONNECTION,
    parts_to_read,
    settings_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import (
    ANALYTICS,
    RETRIES,
    HostAnswer,
    ask_all,
    redacted,
    resources_to_read,
    seconds_ahead,
    shown_name,
)

from tests.support.ansible_run import REPOSITORY

NOW = datetime(2027, 1, 29, 9, 15, tzinfo=timezone.utc)
ACCOUNT, ZONE_ID, TOKEN = "a" * 32, "b" * 32, "token-of-nobody"
URL = "https://api.example/client/v4"
LIST, RULES = PREFIXES, CUSTOM_RULES
NO_RULES = {"success": False, "errors": [{"code": 10003, "message": "could not find entrypoint"}]}


def answered(resource: Resource, status: int, document: Any) -> HostAnswer:
    return HostAnswer(resource, Request("GET", "x", resource=resource), Response(status, {}, b""), document)


@pytest.mark.parametrize(
    ("resource", "status", "document", "is_success"),
    [
        (LIST, 200, {"success": True, "result": []}, True),
        (LIST, 200, {"success": False, "result": []}, False),
        (LIST, 200, [], False),
        (LIST, 404, NO_RULES, False),
        (RULES, 404, NO_RULES, True),
        (RULES, 404, {"success": False, "errors": [{"code": 7003}]}, False),
    ],
)
def test_a_success_brings_what_was_asked_for(resource: Resource, status: int, document: Any, is_success: bool) -> None:
    assert answered(resource, status, document).is_success is is_success


def test_codes_of_chains_count_and_odd_ones_do_not() -> None:
    errors = [{"code": 6003, "error_chain": [{"code": 6111}]}, {"code": "x"}, {"code": True}, {"message": "y"}, 5]
    answer = answered(LIST, 400, {"errors": errors})
    assert answer.codes == [6003, 6111]


@pytest.mark.parametrize(("result", "number"), [([{"id": "1"}, 5], 1), ({"id": "1"}, 1), (None, 0), ("x", 0), ([], 0)])
def test_objects_are_those_of_any_result(result: Any, number: int) -> None:
    assert len(answered(LIST, 200, {"result": result}).objects) == number


def test_the_list_within_an_object_is_its_objects() -> None:
    assert answered(RULES, 200, {"result": {"rules": [{"ref": "a"}]}}).objects == [{"ref": "a"}]
    assert answered(RULES, 200, {"result": {"id": "x"}}).objects == []


def test_a_header_date_is_compared_with_the_end_of_the_call() -> None:
    assert seconds_ahead("Fri, 29 Jan 2027 09:15:10 GMT", NOW + timedelta(seconds=2)) == 8.5
    assert seconds_ahead("soon", NOW) is None


def test_the_wait_for_a_turn_is_no_difference_of_clocks() -> None:
    moments = [NOW, NOW + timedelta(seconds=60)]
    date = {"date": "Fri, 29 Jan 2027 09:16:00 GMT"}
    (answer,) = ask_all(
        lambda _request: Response(200, date, b"{}"), [LIST], {"account_id": ACCOUNT}, lambda: moments.pop(0), {}
    )
    assert answer.seconds_ahead == 0.5


def test_every_resource_of_an_owner_is_read_once() -> None:
    of_account = resources_to_read("account_id")
    assert {resource.path for resource in (*ACCOUNT_RESOURCES, ONBOARDED, AUDIT_LOG, ANALYTICS)} <= {
        resource.path for resource in of_account
    }
    assert {ZONE.path, CUSTOM_RULES.path, FIREWALL_RULES.path} <= {item.path for item in resources_to_read("zone_id")}
    assert len({resource.path for resource in of_account}) == len(of_account)
    assert not [resource.path for resource in of_account if resource.path.count("{") > 1]


@pytest.mark.parametrize(("row", "owner"), [("an account", "account_id"), ("a zone", "zone_id")])
def test_the_page_names_all_that_is_read(row: str, owner: str) -> None:
    page = (REPOSITORY / "docs" / "doctor.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith(f"| {row} |"))
    resources = resources_to_read(owner)
    assert f"| {len(resources)} |" in line
    names = [HostAnswer(resource, Request("GET", "x")).about for resource in resources]
    assert [name for name in names if name not in line] == []


@pytest.mark.parametrize(
    ("variables", "modules"),
    [
        ({"edge_account_id": ACCOUNT}, ["account_protection"]),
        ({"edge_zone_id": ZONE_ID}, ["custom_rules"]),
        ({"edge_zone_name": "shop.example"}, ["custom_rules"]),
        ({"edge_account_id": ACCOUNT, "baseline_zone_id": ZONE_ID}, ["account_protection", "custom_rules"]),
    ],
)
def test_an_account_and_a_zone_are_read_as_far_as_the_host_has_them(
    variables: dict[str, Any], modules: list[str]
) -> None:
    parts = parts_to_read("frankfurt", {**variables, "edge_api_token": TOKEN, "edge_base_url": URL})
    assert [part.module for part in parts] == modules
    settings = [settings_of(part, RETRIES, lambda text: None) for part in parts]
    assert {item.base_url for item in settings} == {URL}


def test_options_of_the_role_beat_those_of_the_inventory() -> None:
    values = {"edge_account_id": ACCOUNT, "edge_api_token": TOKEN, "baseline_timeout": 7, "baseline_base_url": URL}
    (part,) = parts_to_read("frankfurt", {**values, "edge_base_url": "https://other.example/client/v4"})
    settings = settings_of(part, RETRIES, lambda text: None)
    assert (settings.timeout, settings.base_url, settings.retries) == (7.0, URL, 1)


def test_only_variables_of_the_connection_are_read() -> None:
    assert "edge_api_token" in OF_CONNECTION and "baseline_ca_path" in OF_CONNECTION
    assert not [name for name in OF_CONNECTION if name.endswith(("rules", "prefixes", "risks"))]


NAMES = [
    ("x_region", "x_region"),
    ("managed-challenge", "managed-challenge"),
    ("023e105f4ecef8ad9ca31a8372d0c353", "(a text of 32 characters)"),
    ("192.0.2.1", "(a text of 9 characters)"),
    ("a b", "(a text of 3 characters)"),
    ("AS64500", "(a text of 7 characters)"),
    ("", "(a text of 0 characters)"),
    (5, "(int)"),
    (None, "(NoneType)"),
]


@pytest.mark.parametrize(("name", "expected"), NAMES, ids=[str(name) for name, _expected in NAMES])
def test_only_a_short_word_is_shown(name: object, expected: str) -> None:
    assert shown_name(name) == expected


TEXTS = [
    ("No route for 192.0.2.0/24", "No route for (address)"),
    ("No route for 2001:db8:f0::/48", "No route for (address)"),
    ("the zone shop.example.com is unknown", "the zone (name) is unknown"),
    ("write to alice@example.com", "write to (e-mail)"),
    ("account 023e105f4ecef8ad9ca31a8372d0c353", "account (id)"),
    ("object 31c70c65-9f81-4669-94ed-1e1e041e7b06", "object (id)"),
    ("token Sn3lZJTBX6kkg7OdcBUAxOO963GEIyGQqnFTOFYY", "token (text)"),
    ("at 12:30:05", "at (address)"),  # as if it were one
    ("Authentication error", "Authentication error"),
    ("line\none\x1b[31m", "line one\\x1b[31m"),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS, ids=[text for text, _expected in TEXTS])
def test_a_private_part_of_a_text_becomes_a_word(text: str, expected: str) -> None:
    assert redacted(text) == expected
