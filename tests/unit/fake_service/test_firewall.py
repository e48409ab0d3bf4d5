# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A zone's firewall rules and filters: what each operation does."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Client

MISSING = "0" * 32


@pytest.fixture
def rules(zone: Any) -> list[dict[str, Any]]:
    """Three rules, the first with everything that a rule can have."""
    zone.seed(
        rules=[
            {
                "action": "bypass",
                "description": "Login",
                "priority": 10,
                "products": ["waf"],
                "ref": "one",
                "filter": {"expression": 'http.request.uri.path eq "/login"', "description": "Path", "ref": "path"},
            },
            {"action": "block", "paused": True, "filter": {"expression": "ip.src in {192.0.2.0/24}"}},
            {"action": "challenge", "description": "log in again", "filter": {"expression": "not ssl"}},
        ]
    )
    rules: list[dict[str, Any]] = zone.rules
    return rules


def whole(rule: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**rule, **changes}


def test_put_erases_omitted_fields(firewall: Client, rules: list[dict[str, Any]]) -> None:
    rule = rules[0]
    body = {"id": rule["id"], "action": "log", "filter": {"id": rule["filter"]["id"]}}
    replaced = firewall.result("PUT", f"/firewall/rules/{rule['id']}", body)
    assert replaced == {
        "id": rule["id"],
        "paused": False,
        "description": "",
        "action": "log",
        "priority": None,
        "filter": rule["filter"],
    }


def test_put_looks_at_the_filter_s_id_only(firewall: Client, rules: list[dict[str, Any]], zone: Any) -> None:
    before = dict(rules[0]["filter"])
    body = whole(rules[0], filter={"id": before["id"], "expression": "ssl", "paused": True, "description": "new"})
    assert firewall.result("PUT", f"/firewall/rules/{body['id']}", body)["filter"] == before
    assert zone.filters[0] == before


@pytest.mark.parametrize(
    ("spoilt", "status", "pointer"),
    [
        ({"id": MISSING}, 404, "/1/id"),
        ({"filter": {"id": MISSING}}, 400, "/1/filter/id"),
        ({"action": "simulate"}, 400, "/1/action"),
        ({"products": ["waf"]}, 400, "/1/products"),
    ],
)
def test_a_batch_is_one_transaction(
    firewall: Client, rules: list[dict[str, Any]], spoilt: dict[str, Any], status: int, pointer: str
) -> None:
    before = firewall.result("GET", "/firewall/rules")
    refused = firewall.refused("PUT", "/firewall/rules", [whole(rules[0], paused=True), whole(rules[1], **spoilt)])
    assert (refused["status"], refused["pointer"]) == (status, pointer)
    assert firewall.result("GET", "/firewall/rules") == before


def test_a_batch_has_25_rules_at_most(firewall: Client, zone: Any) -> None:
    zone.seed(rules=[{"action": "block", "filter": {"expression": f"ip.src eq 192.0.2.{n}"}} for n in range(26)])
    assert len(firewall.result("PUT", "/firewall/rules", zone.rules[:25])) == 25
    assert "25 items at most" in firewall.refused("PUT", "/firewall/rules", zone.rules)["message"]
