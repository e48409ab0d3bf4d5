# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The IP Access rules that let traffic pass, of an account or a zone."""

from __future__ import annotations

from typing import Any, Mapping

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.neighbours import read_access_rules

OFFICE: Mapping[str, Any] = {
    "id": "a",
    "mode": "whitelist",
    "configuration": {"target": "ip_range", "value": "203.0.113.0/24"},
    "notes": None,
    "created_on": "2026-01-01T00:00:00Z",
}


class Reading:
    """A client of an account or zone with these access rules."""

    def __init__(self, owner: str, *rules: Mapping[str, Any]) -> None:
        self.owner = {owner: "0" * 32}
        self.asked: list[Any] = []
        self._rules = rules

    def read(self, resource: Any, query: Mapping[str, str]) -> list[Mapping[str, Any]]:
        self.asked.append((resource.path.split("/")[0], resource.permission.describe("GET"), query))
        return list(self._rules)


@pytest.mark.parametrize(
    ("owner", "path", "permission"),
    [
        ("account_id", "accounts", "Account Firewall Access Rules Read (account)"),
        ("zone_id", "zones", "Firewall Services Read (zone)"),
    ],
)
def test_the_rules_of_an_owner_are_asked_for(owner: str, path: str, permission: str) -> None:
    client: Any = Reading(owner, OFFICE)
    (rule,) = read_access_rules(client)
    assert client.asked == [(path, permission, {"mode": "whitelist"})]
    assert (rule["target"], rule["value"], rule["notes"]) == ("ip_range", "203.0.113.0/24", "")
    assert rule["since"] == "2026-01-01T00:00:00Z"


def test_a_service_that_ignores_the_mode_does_not_make_a_block_a_hole() -> None:
    client: Any = Reading("zone_id", {**OFFICE, "mode": "block"}, {"id": "b", "mode": "whitelist"})
    (rule,) = read_access_rules(client)
    assert (rule["id"], rule["value"], rule["since"]) == ("b", "None", None)
