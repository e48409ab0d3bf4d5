# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Accounts and zones: read by the credentials alone, and which zone of a listing has the name of the task."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ProtectionError
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import domain, only_zone

NAME = "shop.example.com"
ID = "5" * 32


def zone(name: Any = NAME, identity: Any = ID) -> dict[str, Any]:
    return {"id": identity, "name": name, "status": "active"}


@pytest.mark.parametrize(
    "zones",
    [
        [zone()],
        [zone("Shop.Example.com")],
        [zone(identity=ID.upper())],
        [zone("a.shop.example.com", "1" * 32), zone(), zone("example.com", "2" * 32), {}],
        [zone("not a name", "1" * 32), zone(None, "2" * 32), zone()],
    ],
)
def test_the_zone_with_exactly_this_name_is_found(zones: list[dict[str, Any]]) -> None:
    assert only_zone(NAME, zones) == ID


@pytest.mark.parametrize(
    ("zones", "message"),
    [
        ([], f"zone_name: the credentials see no zone {NAME}. Check the name; the credentials need the permission Zone Read"),
        ([zone("example.com")], f"the credentials see no zone {NAME}"),
        ([zone(), zone(identity="6" * 32)], f"2 zones have the name {NAME}: {ID} (active), {'6' * 32} (active). Set zone_id"),
        ([zone(identity="../accounts")], f"Cloudflare gave the zone {NAME} an unusable id: '../accounts' is not an id"),
        ([zone(identity=None)], "an unusable id"),
    ],
)  # fmt: skip
def test_no_zone_is_guessed(zones: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(ProtectionError) as raised:
        only_zone(NAME, zones)
    assert message in raised.value.message


@pytest.mark.parametrize(
    ("value", "name"), [("example.com", NAME[5:]), (" Shop.Example.COM. ", NAME), ("localhost", "localhost")]
)
def test_a_domain_is_read_as_the_service_writes_it(value: str, name: str) -> None:
    assert domain(value) == name


@pytest.mark.parametrize("value", ["", "contains:example", "https://example.com", "example..com", "a b", []])
def test_a_malformed_domain_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="is not the name of a zone such as example.com"):
        domain(value)
