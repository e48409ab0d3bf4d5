# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A zone's firewall rules and filters: what each operation does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_service import LocalService

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


def test_rules_show_their_filter(firewall: Client, rules: list[dict[str, Any]]) -> None:
    first = firewall.result("GET", "/firewall/rules")[0]
    assert first == firewall.result("GET", f"/firewall/rules/{first['id']}") == rules[0]
    assert len(first["id"]) == len(first["filter"]["id"]) == 32
    assert first["filter"]["expression"] == 'http.request.uri.path eq "/login"'
    second = firewall.result("GET", "/firewall/rules")[1]
    assert (second["priority"], second["description"]) == (None, "")
    assert second.keys().isdisjoint({"products", "ref"})


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({"action": "block"}, [1]),
        ({"description": "LOG"}, [0, 2]),
        ({"paused": "true"}, [1]),
        ({"paused": "false"}, [0, 2]),
        ({"action": "log"}, []),
    ],
)
def test_rules_are_chosen_by_the_query(
    firewall: Client, rules: list[dict[str, Any]], query: dict[str, str], numbers: list[int]
) -> None:
    assert firewall.result("GET", "/firewall/rules", params=query) == [rules[index] for index in numbers]


def test_a_rule_is_chosen_by_its_id(firewall: Client, rules: list[dict[str, Any]]) -> None:
    assert firewall.result("GET", "/firewall/rules", params={"id": rules[2]["id"]}) == [rules[2]]


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


def test_put_updates_the_filter_if_switched_on(
    firewall: Client, rules: list[dict[str, Any]], zone: Any, service: LocalService
) -> None:
    service.switch(firewall_put_updates_filter=True)
    body = whole(rules[0], filter={"id": rules[0]["filter"]["id"], "expression": "ssl", "paused": True})
    firewall.result("PUT", f"/firewall/rules/{body['id']}", body)
    assert (zone.filters[0]["expression"], zone.filters[0]["paused"]) == ("ssl", True)


def test_put_can_move_a_rule_to_another_filter(firewall: Client, rules: list[dict[str, Any]], zone: Any) -> None:
    body = whole(rules[0], filter={"id": zone.filters[1]["id"]})
    assert firewall.result("PUT", f"/firewall/rules/{body['id']}", body)["filter"] == zone.filters[1]
    refused = firewall.refused("PUT", f"/firewall/rules/{body['id']}", whole(body, filter={"id": MISSING}))
    assert (refused["status"], refused["pointer"]) == (400, "/filter/id")


def test_put_needs_the_id_of_the_path(firewall: Client, rules: list[dict[str, Any]]) -> None:
    refused = firewall.refused("PUT", f"/firewall/rules/{rules[1]['id']}", rules[0])
    assert (refused["status"], refused["pointer"]) == (400, "/id")
    refused = firewall.refused("PUT", f"/firewall/rules/{MISSING}", whole(rules[0], id=MISSING))
    assert refused["status"] == 404


@pytest.mark.parametrize("lacking", ["id", "action", "filter"])
def test_put_needs_id_action_and_filter(firewall: Client, rules: list[dict[str, Any]], lacking: str) -> None:
    body = {name: value for name, value in rules[0].items() if name != lacking}
    assert firewall.refused("PUT", f"/firewall/rules/{rules[0]['id']}", body)["pointer"] == f"/{lacking}"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("action", "simulate"),
        ("priority", 2147483648),
        ("priority", -1),
        ("description", "x" * 501),
        ("ref", "x" * 51),
        ("products", ["everything"]),
        ("colour", "red"),
    ],
)
def test_rules_keep_within_their_limits(
    firewall: Client, rules: list[dict[str, Any]], field: str, value: object
) -> None:
    refused = firewall.refused("PUT", f"/firewall/rules/{rules[0]['id']}", whole(rules[0], **{field: value}))
    assert refused["status"] == 400 and refused["pointer"].startswith(f"/{field}")


def test_products_go_with_bypass_only(firewall: Client, rules: list[dict[str, Any]]) -> None:
    refused = firewall.refused("PUT", f"/firewall/rules/{rules[0]['id']}", whole(rules[0], action="block"))
    assert (refused["status"], refused["pointer"]) == (400, "/products")


def test_a_batch_replaces_several(firewall: Client, rules: list[dict[str, Any]]) -> None:
    bodies = [whole(rule, paused=True, description="all") for rule in rules]
    assert firewall.result("PUT", "/firewall/rules", bodies) == bodies
    assert firewall.result("GET", "/firewall/rules") == bodies


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


def test_a_batch_names_each_rule_once(firewall: Client, rules: list[dict[str, Any]]) -> None:
    assert firewall.refused("PUT", "/firewall/rules", [rules[0], rules[0]])["pointer"] == "/1/id"


def test_a_batch_has_25_rules_at_most(firewall: Client, zone: Any) -> None:
    zone.seed(rules=[{"action": "block", "filter": {"expression": f"ip.src eq 192.0.2.{n}"}} for n in range(26)])
    assert len(firewall.result("PUT", "/firewall/rules", zone.rules[:25])) == 25
    assert "25 items at most" in firewall.refused("PUT", "/firewall/rules", zone.rules)["message"]


def test_rules_are_created_on_filters_that_exist(firewall: Client, zone: Any) -> None:
    zone.seed(filters=[{"expression": "ssl"}])
    body = {"action": "block", "filter": {"id": zone.filters[0]["id"]}}
    created = firewall.result("POST", "/firewall/rules", [body])
    assert zone.rules == created and created[0]["filter"] == zone.filters[0]
    refused = firewall.refused("POST", "/firewall/rules", [body, whole(body, filter={"id": MISSING})])
    assert (refused["status"], refused["pointer"], len(zone.rules)) == (400, "/1/filter/id", 1)


def test_priorities_are_changed_alone(firewall: Client, rules: list[dict[str, Any]]) -> None:
    changed = firewall.result("PATCH", f"/firewall/rules/{rules[0]['id']}", {"priority": 7})
    assert (changed["priority"], changed["description"]) == (7, "Login")
    desired = [{"id": rule["id"], "priority": index} for index, rule in enumerate(rules)]
    assert [rule["priority"] for rule in firewall.result("PATCH", "/firewall/rules", desired)] == [0, 1, 2]
    refused = firewall.refused("PATCH", "/firewall/rules", [desired[0], {"id": MISSING, "priority": 1}])
    assert (refused["status"], refused["pointer"]) == (404, "/1/id")
    assert firewall.refused("PATCH", "/firewall/rules", [{"priority": 1}])["pointer"] == "/0/id"


def test_deleting_a_rule_leaves_its_filter(firewall: Client, rules: list[dict[str, Any]], zone: Any) -> None:
    doomed = rules[0]["id"]
    assert firewall.result("DELETE", f"/firewall/rules/{doomed}") == [{"id": doomed}]
    assert (len(zone.rules), len(zone.filters)) == (2, 3)
    assert firewall.refused("DELETE", f"/firewall/rules/{doomed}")["status"] == 404


def test_deleting_a_rule_takes_its_filter_along_when_asked(
    firewall: Client, rules: list[dict[str, Any]], zone: Any
) -> None:
    firewall.result("DELETE", f"/firewall/rules/{rules[0]['id']}", {"delete_filter_if_unused": True})
    assert len(zone.filters) == 2


def test_several_rules_are_deleted_by_id_and_none_without(
    firewall: Client, rules: list[dict[str, Any]], zone: Any
) -> None:
    assert firewall.result("DELETE", "/firewall/rules") == []
    doomed = [rules[0]["id"], rules[2]["id"]]
    assert firewall.result("DELETE", "/firewall/rules", params={"id": [*doomed, MISSING]}) == [
        {"id": identifier} for identifier in doomed
    ]
    assert len(zone.rules) == 1


def test_filters_are_made_and_replaced(firewall: Client, zone: Any) -> None:
    created = firewall.result("POST", "/filters", [{"expression": "ssl", "description": "TLS", "ref": "tls"}])
    assert created == zone.filters
    body = {"id": created[0]["id"], "expression": "not ssl"}
    replaced = firewall.result("PUT", f"/filters/{body['id']}", body)
    assert replaced == {**body, "paused": False, "description": ""}
    assert firewall.result("GET", f"/filters/{body['id']}") == replaced
    again = firewall.result("PUT", "/filters", [whole(body, paused=True)])
    assert again[0]["paused"] is True
    assert firewall.refused("PUT", "/filters", [whole(body, id=MISSING)])["status"] == 404


def test_a_replaced_filter_shows_in_its_rules(firewall: Client, rules: list[dict[str, Any]]) -> None:
    body = {"id": rules[0]["filter"]["id"], "expression": "ssl"}
    firewall.result("PUT", f"/filters/{body['id']}", body)
    assert firewall.result("GET", f"/firewall/rules/{rules[0]['id']}")["filter"]["expression"] == "ssl"


def test_filters_are_chosen_by_the_query(firewall: Client, rules: list[dict[str, Any]], zone: Any) -> None:
    for query in ({"expression": "LOGIN"}, {"ref": "path"}, {"description": "path"}, {"id": zone.filters[0]["id"]}):
        assert firewall.result("GET", "/filters", params=query) == [zone.filters[0]]


def test_a_filter_in_use_cannot_be_deleted(firewall: Client, rules: list[dict[str, Any]], zone: Any) -> None:
    used = rules[0]["filter"]["id"]
    zone.seed(filters=[{"expression": "ssl"}])
    free = zone.filters[-1]["id"]
    assert firewall.refused("DELETE", f"/filters/{used}")["status"] == 400
    assert firewall.refused("DELETE", "/filters", params={"id": [free, used]})["status"] == 400
    assert len(zone.filters) == 4
    assert firewall.result("DELETE", f"/filters/{free}") == {"id": free}
    assert len(zone.filters) == 3
