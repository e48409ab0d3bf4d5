# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ids that follow from names: an object more changes no other id."""

from __future__ import annotations

from typing import Any

from tests.fake_service.accounts import Account
from tests.fake_service.clock import Clock
from tests.fake_service.identity import ids_by_name

LATER: dict[str, Any] = {
    "allowlist": [{"prefix": "198.51.100.7/32"}],
    "network_firewall_rules": [{"ref": "telnet", "action": "block", "expression": "tcp.dstport eq 23"}],
    "lists": [{"name": "offices", "items": [{"ip": "192.0.2.1"}]}],
}


def ids(**contents: Any) -> list[str]:
    """The ids of the objects that the account is given last."""
    with ids_by_name():
        account = Account(Clock()).seed(**contents).seed(**LATER)
    rule, ip_list = account.rules_of("network_firewall_rules")[-1], account.ip_lists.lists[-1]
    return [account.allowlist[-1]["id"], rule["id"], ip_list["id"], ip_list["items"][-1]["id"]]


def test_an_object_more_changes_no_other_id() -> None:
    earlier: dict[str, Any] = {
        "allowlist": [{"prefix": "203.0.113.0/24"}],
        "network_firewall_rules": [{"ref": "ntp", "action": "block", "expression": "udp.srcport eq 123"}],
        "lists": [{"name": "shops", "items": [{"ip": "192.0.2.7"}]}],
    }
    assert ids(**earlier) == ids()


def test_equal_objects_have_different_ids() -> None:
    with ids_by_name():
        account = Account(Clock()).seed(prefixes=[{"prefix": "192.0.2.0/24"}] * 2)
    first, second = account.prefixes
    assert first["id"] != second["id"]


def test_ids_are_random_otherwise() -> None:
    first, second = (Account(Clock()).seed(**LATER).allowlist[0]["id"] for _account in range(2))
    assert first != second
