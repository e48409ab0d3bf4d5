# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists of addresses of an account, with their items."""

from __future__ import annotations

from typing import Any, Mapping

from ansible_collections.edgeops.protection.plugins.module_utils._api.neighbours import (
    managed_lists,
    read_ip_lists,
    with_items,
)

OFFICES: Mapping[str, Any] = {"id": "a", "name": "offices", "kind": "ip", "num_items": 7}
HOSTS: Mapping[str, Any] = {"id": "b", "name": "hosts", "kind": "hostname"}
SHOPS: Mapping[str, Any] = {"id": "c", "name": "shops", "kind": "ip"}


class Reading:
    """A client that has three lists, and one item in each."""

    def read(self, resource: Any) -> list[Mapping[str, Any]]:
        return [{"ip": "192.0.2.1", "comment": resource.within}] if resource.within else [OFFICES, HOSTS, SHOPS]


def test_lists_of_addresses_come_with_their_items() -> None:
    client: Any = Reading()
    read = read_ip_lists(client)
    assert [item["name"] for item in read] == ["offices", "shops"]
    assert read[0]["items"] == [{"ip": "192.0.2.1", "comment": "offices"}]
    assert [item["name"] for item in read_ip_lists(client, {"shops", "none"})] == ["shops"]


def test_the_items_that_were_read_are_counted() -> None:
    assert with_items(OFFICES, [])["num_items"] == 0
    assert managed_lists({"ip_lists": [HOSTS, SHOPS]}) == [SHOPS]
