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
from .rulesets_sample import ENTRY_POINT, FIRST, MISSING, NEW, Rules


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
