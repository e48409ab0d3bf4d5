# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A zone's rulesets: what each operation on the whole does."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.fake_service import LocalService

from .conftest import Client
from .rulesets_sample import ENTRY_POINT, FIRST, FOREIGN, MISSING, NEW, SECOND, Rules


def without(rule: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in rule.items() if name not in names}


def test_put_erases_the_description_and_keeps_the_name(rulesets: Client, custom_rules: Rules) -> None:
    before = rulesets.result("PUT", ENTRY_POINT, {"description": "All of it", "rules": custom_rules})
    after = rulesets.result("PUT", ENTRY_POINT, {"name": before["name"], "rules": custom_rules})
    assert (before["description"], after["description"], after["name"]) == ("All of it", "", before["name"])
    assert int(after["version"]) == int(before["version"]) + 1
    assert rulesets.refused("PUT", ENTRY_POINT, {"name": "other"})["pointer"] == "/name"


def test_rules_sent_back_as_shown_stay_as_they_are(
    rulesets: Client, custom_rules: Rules, service: LocalService
) -> None:
    before = copy.deepcopy(custom_rules)
    service.clock.advance(hours=1)
    assert rulesets.result("PUT", ENTRY_POINT, {"rules": before[::-1]})["rules"] == before[::-1]
    unstamped = [without(rule, "version", "last_updated") for rule in before]
    assert rulesets.result("PUT", ENTRY_POINT, {"rules": unstamped})["rules"] == before == custom_rules


@pytest.mark.parametrize(
    ("names", "change", "same_id"),
    [
        (("ref",), {"description": "changed"}, True),  # by id
        (("id",), {"description": "changed"}, True),  # by ref
        ((), {"ref": "renamed"}, True),
        (("id",), {"ref": "renamed"}, False),
        (("id", "ref"), {"description": "changed"}, False),
        (("id", "ref"), {}, False),  # since the ref goes with it
    ],
)
def test_a_rule_is_known_by_its_id_or_ref(
    rulesets: Client,
    custom_rules: Rules,
    service: LocalService,
    names: tuple[str, ...],
    change: dict[str, Any],
    same_id: bool,
) -> None:
    old = dict(custom_rules[0])
    service.clock.advance(hours=1)
    body = {**without(old, *names, "version", "last_updated"), **change}
    new = rulesets.result("PUT", ENTRY_POINT, {"rules": [body, *custom_rules[1:]]})["rules"][0]
    assert (new["id"] == old["id"]) == same_id
    assert (new["version"], new["last_updated"] > old["last_updated"]) == ("2" if same_id else "1", True)
    assert new["ref"] == body.get("ref", new["id"])


@pytest.mark.parametrize(
    ("spoilt", "pointer"),
    [
        ([NEW, {"id": MISSING, **NEW, "ref": "other"}], "/rules/1/id"),
        ([{"id": FIRST, **NEW}, {"id": FIRST, **NEW}], "/rules/1/id"),
        ([NEW, NEW], "/rules/1/ref"),
        ([{"id": FIRST, "action": "log", "expression": "ssl"}, {**NEW, "ref": FIRST}], "/rules/1/ref"),
        ([NEW, {"ref": "other", "action": "log"}], "/rules/1/expression"),
        ([NEW, {"action": "rewrite", "expression": "ssl"}], "/rules/1/action"),
        ([NEW, {**NEW, "ref": "other", "desciption": "slip"}], "/rules/1/desciption"),
    ],
)
def test_put_is_one_transaction(rulesets: Client, custom_rules: Rules, spoilt: Rules, pointer: str) -> None:
    before = copy.deepcopy(custom_rules)
    refused = rulesets.refused("PUT", ENTRY_POINT, {"rules": spoilt})
    assert (refused["status"], refused["pointer"], custom_rules) == (400, pointer, before)


def test_a_dry_run_changes_nothing(rulesets: Client, custom_rules: Rules, zone: Any, service: LocalService) -> None:
    before, body = copy.deepcopy(zone.entry_point), {"description": "x", "rules": [NEW]}
    answer = rulesets("PUT", ENTRY_POINT, body, params={"dry_run": "true"})
    assert (answer.status_code, answer.json()["result"], answer.json()["success"]) == (200, None, True)
    assert (zone.entry_point, service.writes) == (before, [])
    for word in ("1", "True", ""):
        refused = rulesets.refused("PUT", ENTRY_POINT, body, params={"dry_run": word})
        assert refused["status"] == 400 and "dry_run" in refused["message"]
    assert rulesets("PUT", ENTRY_POINT, body, params={"dry_run": "false"}).status_code == 200
    assert zone.entry_point != before


@pytest.mark.parametrize(
    ("expression", "is_refused"),
    [
        ("ip.src in $partners", True),
        ("ip.src in $partners and not ip.src in $offices", True),
        ("ip.src in $offices", False),
        ("ip.src in $cf.botnetcc", False),  # one of the vendor's
    ],
)
def test_a_dry_run_refuses_a_list_that_is_not_there(
    rulesets: Client, custom_rules: Rules, service: LocalService, expression: str, is_refused: bool
) -> None:
    service.account("a" * 32).seed(lists=[{"name": "offices", "kind": "ip"}])
    body = {"rules": [*custom_rules, {**NEW, "expression": expression}]}
    answer = rulesets("PUT", ENTRY_POINT, body, params={"dry_run": "true"}).json()
    pointers = [error["source"]["pointer"] for error in answer["errors"]]
    assert pointers == ([f"/rules/{len(custom_rules)}/expression"] if is_refused else [])


def test_every_version_is_kept_with_its_rules(rulesets: Client, custom_rules: Rules, zone: Any) -> None:
    first = copy.deepcopy(zone.entry_point)
    second = copy.deepcopy(rulesets.result("PUT", ENTRY_POINT, {"rules": [NEW]}))
    assert rulesets("PUT", ENTRY_POINT, {"rules": []}, params={"dry_run": "true"}).status_code == 200
    for path in (ENTRY_POINT, f"/{first['id']}"):
        listed = rulesets.result("GET", f"{path}/versions")
        assert [each["version"] for each in listed] == [first["version"], second["version"]]
        assert not any("rules" in each for each in listed)
        assert [rulesets.result("GET", f"{path}/versions/{each['version']}") for each in listed] == [first, second]
        assert rulesets.refused("GET", f"{path}/versions/99")["status"] == 404


def test_an_entry_point_that_is_not_there_has_no_version(rulesets: Client) -> None:
    assert rulesets.result("GET", "/phases/ddos_l7/entrypoint/versions") == []
    assert rulesets.refused("GET", "/phases/ddos_l7/entrypoint/versions/1")["status"] == 404


PLACES = [
    (None, 3), ({"after": ""}, 3), ({"before": ""}, 0), ({"after": FIRST}, 1), ({"before": FOREIGN}, 2), ({"index": 4}, 3),
]  # fmt: skip


@pytest.mark.parametrize(("position", "index"), PLACES)
def test_a_rule_is_added_moved_and_deleted_by_itself(
    rulesets: Client, custom_rules: Rules, zone: Any, position: Any, index: int
) -> None:
    path, others = f"/{zone.entry_point['id']}/rules", copy.deepcopy(custom_rules)
    placed = {"position": position} if position else {}
    assert rulesets("POST", path, {**NEW, **placed}, params={"dry_run": "true"}).json()["result"] is None
    added = rulesets.result("POST", path, {**NEW, **placed})
    assert ([rule["ref"] for rule in added["rules"]].index("new"), added["version"]) == (index, "2")
    one = f"{path}/{added['rules'][index]['id']}"
    changed = rulesets.result("PATCH", one, {**NEW, "action": "block", "position": {"before": ""}})
    assert (changed["rules"][0]["action"], changed["rules"][0]["version"], changed["version"]) == ("block", "2", "3")
    moved = rulesets.result("PATCH", one, {"position": {"after": SECOND}})
    assert (moved["rules"][2]["action"], moved["rules"][2]["version"]) == ("block", "2")
    gone = rulesets.result("DELETE", one)
    assert (gone["rules"], gone["version"]) == (others, "5")
    assert len(rulesets.result("GET", f"{path.removesuffix('/rules')}/versions")) == 5


@pytest.mark.parametrize(
    ("method", "target", "body", "status", "pointer"),
    [
        ("PUT", FIRST, NEW, 405, None),
        ("PATCH", MISSING, NEW, 404, None),
        ("DELETE", MISSING, None, 404, None),
        ("PATCH", FIRST, {"description": "x"}, 400, "/action"),  # what is left out is erased
        ("PATCH", FIRST, {**NEW, "ref": "leaked"}, 400, "/ref"),
        ("PATCH", FIRST, {"position": {}}, 400, "/position"),
        ("PATCH", FIRST, {"position": {"before": "", "after": ""}}, 400, "/position"),
        ("PATCH", FIRST, {"position": {"after": MISSING}}, 400, "/position/after"),
        ("PATCH", FIRST, {"position": {"index": 4}}, 400, "/position/index"),
        ("PATCH", FIRST, {"position": {"index": 0}}, 400, "/position/index"),
        ("POST", "", {**NEW, "ref": "office"}, 400, "/ref"),
        ("POST", "", {"ref": "new", "action": "log"}, 400, "/expression"),
        ("POST", "", {**NEW, "colour": "red"}, 400, "/colour"),
    ],
)
def test_a_call_for_one_rule_is_refused_and_changes_nothing(
    rulesets: Client, custom_rules: Rules, zone: Any, method: str, target: str, body: Any, status: int, pointer: str
) -> None:
    before = copy.deepcopy(zone.entry_point)
    path = f"/{before['id']}/rules/{target}".rstrip("/")
    refused = rulesets.refused(method, path, body)
    assert (refused["status"], refused["pointer"], zone.entry_point) == (status, pointer, before)
