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
from .rulesets_sample import ENTRY_POINT, FIRST, FOREIGN, MISSING, NEW, SECOND, Rules, ids

RULESET = {"name": "mine", "kind": "zone", "phase": "http_request_firewall_custom"}


def without(rule: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in rule.items() if name not in names}


def test_seeds_are_filled_in(custom_rules: Rules, rulesets: Client) -> None:
    first, second, foreign = rulesets.result("GET", ENTRY_POINT)["rules"]
    assert [first, second, foreign] == custom_rules
    assert first == {
        "id": FIRST,
        "ref": "office",
        "action": "skip",
        "action_parameters": {"ruleset": "current"},
        "expression": "ssl",
        "description": "",
        "enabled": True,
        "logging": {"enabled": True},
        "version": "1",
        "last_updated": first["last_updated"],
    }
    assert (second["ref"], second["version"], "logging" in second) == (SECOND, "7", False)
    assert foreign["score_per_period"] == 40


def test_seeds_with_slips_are_refused(zone: Any) -> None:
    with pytest.raises(ValueError, match="needs expression"):
        zone.seed(custom_rules=[{"action": "log"}])
    with pytest.raises(ValueError, match="two rules have the ref 'new'"):
        zone.seed(custom_rules=[NEW, NEW])
    assert zone.custom_rules == [] and zone.entry_point is None


def test_without_an_entry_point_there_is_nothing(rulesets: Client, zone: Any) -> None:
    assert zone.custom_rules == rulesets.result("GET", "") == []
    refused = rulesets.refused("GET", ENTRY_POINT)
    assert (refused["status"], refused["code"]) == (404, 10003)
    assert refused["message"] == "could not find entrypoint ruleset in the http_request_firewall_custom phase"
    for method, below, body in (("GET", "", None), ("PUT", "", {}), ("DELETE", "", None), ("POST", "/rules", NEW)):
        assert rulesets.refused(method, f"/{MISSING}{below}", body)["status"] == 404


def test_an_entry_point_may_be_empty(rulesets: Client, zone: Any) -> None:
    zone.seed(custom_rules=[])
    shown = rulesets.result("GET", ENTRY_POINT)
    assert "rules" not in shown and shown.items() <= zone.entry_point.items()


def test_the_list_has_no_rules(rulesets: Client, custom_rules: Rules, zone: Any) -> None:
    assert rulesets.result("GET", "", params={"per_page": 5}) == [without(zone.entry_point, "rules")]
    assert "no further page" in rulesets.refused("GET", "", params={"cursor": "x"})["message"]


def test_put_makes_the_entry_point(rulesets: Client, zone: Any) -> None:
    made = rulesets.result("PUT", ENTRY_POINT, {"description": "All of it", "rules": [NEW]})
    assert made == rulesets.result("GET", ENTRY_POINT) == rulesets.result("GET", f"/{made['id']}") == zone.entry_point
    assert (made["kind"], made["phase"], made["version"]) == ("zone", "http_request_firewall_custom", "1")
    (rule,) = zone.custom_rules
    assert rule.items() >= {**NEW, "version": "1", "description": "", "enabled": True}.items()
    assert len(made["id"]) == len(rule["id"]) == 32


def test_post_makes_the_entry_point_once(rulesets: Client, zone: Any) -> None:
    made = rulesets.result("POST", "", {**RULESET, "description": "First", "rules": [NEW]})
    assert (made["name"], made["description"], ids(made)) == ("mine", "First", [zone.custom_rules[0]["id"]])
    refused = rulesets.refused("POST", "", RULESET)
    assert (refused["status"], refused["code"], refused["pointer"]) == (400, 20217, "/kind")
    assert refused["message"] == (
        "'zone' is not a valid value for kind because exceeded maximum number of zone rulesets "
        "for phase http_request_firewall_custom"
    )


def test_put_replaces_all_rules(rulesets: Client, custom_rules: Rules, path: str, zone: Any) -> None:
    for target in (ENTRY_POINT, path):
        written = rulesets.result("PUT", target, {"rules": [NEW]})
        assert [rule["ref"] for rule in written["rules"]] == ["new"]
    assert "rules" not in rulesets.result("PUT", ENTRY_POINT, {})
    assert zone.custom_rules == []


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


def test_fields_that_only_the_service_knows_are_accepted_back(
    rulesets: Client, custom_rules: Rules, service: LocalService
) -> None:
    service.misbehave("extra_fields", method="GET")
    shown = rulesets.result("GET", ENTRY_POINT)["rules"]
    rulesets.result("PUT", ENTRY_POINT, {"rules": shown})
    assert [without(rule, "version", "last_updated") for rule in custom_rules] == [
        without(rule, "version", "last_updated") for rule in shown
    ]
    assert custom_rules[0]["logging"]["x_region"] == custom_rules[0]["action_parameters"]["x_region"] == "WEUR"


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


def test_a_rule_with_neither_is_known_when_nothing_changed(rulesets: Client, custom_rules: Rules) -> None:
    body = without(custom_rules[1], "id", "ref", "version", "last_updated")
    assert rulesets.result("PUT", ENTRY_POINT, {"rules": [body]})["rules"][0]["version"] == "7"


def test_omitted_fields_of_a_rule_are_erased(rulesets: Client, custom_rules: Rules) -> None:
    body = {"id": FOREIGN, "action": "execute", "expression": "true"}
    (rule,) = rulesets.result("PUT", ENTRY_POINT, {"rules": [body]})["rules"]
    assert rule.keys() == {"id", "ref", "action", "expression", "description", "enabled", "version", "last_updated"}


@pytest.mark.parametrize(
    ("spoilt", "pointer"),
    [
        ([NEW, {"id": MISSING, **NEW, "ref": "other"}], "/rules/1/id"),
        ([{"id": FIRST, **NEW}, {"id": FIRST, **NEW}], "/rules/1/id"),
        ([NEW, NEW], "/rules/1/ref"),
        ([{"id": FIRST, "action": "log", "expression": "ssl"}, {**NEW, "ref": FIRST}], "/rules/1/ref"),
        ([NEW, {"ref": "other", "action": "log"}], "/rules/1/expression"),
        ([NEW, {"action": "execute", "expression": "ssl"}], "/rules/1/action"),
        ([NEW, {**NEW, "ref": "other", "desciption": "slip"}], "/rules/1/desciption"),
    ],
)
def test_put_is_one_transaction(rulesets: Client, custom_rules: Rules, spoilt: Rules, pointer: str) -> None:
    before = copy.deepcopy(custom_rules)
    refused = rulesets.refused("PUT", ENTRY_POINT, {"rules": spoilt})
    assert (refused["status"], refused["pointer"], custom_rules) == (400, pointer, before)


def test_a_ruleset_is_deleted_with_its_rules(rulesets: Client, path: str, zone: Any) -> None:
    response = rulesets("DELETE", path)
    assert (response.status_code, response.content, zone.custom_rules) == (204, b"", [])
    assert rulesets.refused("GET", ENTRY_POINT)["status"] == 404


WRITES = [
    ("POST", "{path}/rules", NEW),
    ("PUT", ENTRY_POINT, {"description": "x", "rules": [NEW]}),
    ("PUT", "{path}", {"rules": []}),
    ("PATCH", f"{{path}}/rules/{SECOND}", {"position": {"index": 1}}),
    ("DELETE", f"{{path}}/rules/{SECOND}", None),
    ("DELETE", "{path}", None),
]


@pytest.mark.parametrize(("method", "target", "body"), WRITES)
def test_a_dry_run_changes_nothing(
    rulesets: Client,
    custom_rules: Rules,
    path: str,
    zone: Any,
    service: LocalService,
    method: str,
    target: str,
    body: Any,
) -> None:
    before = copy.deepcopy(zone.entry_point)
    response = rulesets(method, target.format(path=path), body, params={"dry_run": "true"})
    if (method, target) == ("DELETE", "{path}"):
        assert (response.status_code, response.content) == (204, b"")
    else:
        assert (response.status_code, response.json()["result"], response.json()["success"]) == (200, None, True)
    assert (zone.entry_point, service.writes) == (before, [])
    for word in ("1", "True", ""):
        refused = rulesets.refused(method, target.format(path=path), body, params={"dry_run": word})
        assert refused["status"] == 400 and "dry_run" in refused["message"]
    assert rulesets(method, target.format(path=path), body, params={"dry_run": "false"}).status_code < 300
    assert zone.entry_point != before


def test_a_dry_run_makes_no_entry_point(rulesets: Client, zone: Any) -> None:
    for method, target, body in (("PUT", ENTRY_POINT, {"rules": [NEW]}), ("POST", "", RULESET)):
        assert rulesets.result(method, target, body, params={"dry_run": "true"}) is None
    assert zone.entry_point is None


def test_a_dry_run_checks_all_the_same(rulesets: Client, custom_rules: Rules) -> None:
    body = {"rules": [{**NEW, "expression": "(ssl"}]}
    refused = rulesets.refused("PUT", ENTRY_POINT, body, params={"dry_run": "true"})
    assert (refused["status"], refused["code"], refused["pointer"]) == (400, 20127, "/rules/0/expression")
