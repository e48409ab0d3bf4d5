# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A run with `baseline_only: time` applies ends, steps of a rollout, postures and their ends; it tells and leaves the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.merged_host import MergedHost
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import lines
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part

from tests.fake_service import LocalService
from tests.support.host_parts import host, run_module
from tests.support.module_run import ACCOUNT, ZONE

ENDED, LATER = "2020-01-01", "2040-01-01"
ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
OFFICE = {"ref": "office", "action": "block", "expression": "ip.src eq 192.0.2.9"}
GEO = {"ref": "geo", "action": "managed_challenge", "expression": 'ip.src.country eq "XX"'}
SYN = {"kind": "syn_flood", "scope": "global"}


def part_of(service: LocalService, values: Mapping[str, Any], entries: Sequence[tuple[Option, Any]] = ()) -> Part:
    variables = {**host(service), "baseline_only": "time", **values}
    return MergedHost("lima", variables, entries, datetime.now(UTC)).part()


def run(
    service: LocalService, values: Mapping[str, Any], entries: Sequence[tuple[Option, Any]] = ()
) -> tuple[list[str], list[str]]:
    """What a run changes, and what it leaves; the dry run says the same, and the next run changes nothing."""
    part = part_of(service, values, entries)
    predicted, result, again = run_module(part, True), run_module(part, False), run_module(part, False)
    assert not result.get("failed"), result
    assert [predicted[name] for name in ("operations", "left_alone", "plan_id")] == [
        result[name] for name in ("operations", "left_alone", "plan_id")
    ]
    assert (again["changed"], again["left_alone"]) == (False, result["left_alone"])
    return titles(result["operations"]), titles(result["left_alone"])


def titles(operations: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"{operation['action']} {operation['key']}" for operation in operations]


def seed_zone(service: LocalService, *rules: Mapping[str, Any], **state: Any) -> None:
    service.zone(ZONE).seed(custom_rules=list(rules), **state)


def test_ends_are_applied_and_changes_left(service: LocalService) -> None:
    seed_zone(service, OFFICE, ADMIN, {**GEO, "ref": "by-hand"})
    values = {
        "baseline_custom_rules": [
            {**OFFICE, "expires": ENDED},
            {**ADMIN, "action": "log"},
            {**GEO, "ref": "new"},
            {**GEO, "ref": "temporary", "expires": LATER},
        ],
        "baseline_purge": ["custom_rules"],
    }
    changed, left = run(service, values)
    assert changed == ["delete office"]
    assert sorted(left) == ["create new", "create temporary", "delete by-hand", "update admin"]
    assert [rule["ref"] for rule in service.zone(ZONE).custom_rules] == ["admin", "by-hand"]


def test_the_step_of_a_rollout_is_applied_and_its_first_one_is_left(service: LocalService) -> None:
    old = (service.clock.now() - timedelta(days=9)).isoformat()
    monitoring = {"scope": "global", "name": "global", "mode": "monitoring", "modified_on": old}
    service.account(ACCOUNT).seed(
        enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}], syn_flood={"rules": [monitoring]},
        out_of_state_tcp={"rules": [{**monitoring, "mode": "disabled"}]},
    )  # fmt: skip
    rules = [{**SYN, "mode": "enabled"}, {**SYN, "kind": "out_of_state_tcp", "mode": "enabled"}]
    values = {"baseline_rules": rules, "baseline_staged_rollout": True}
    changed, left = run(service, values)
    assert (changed, left) == (["update global"], ["update global"])
    modes = [service.account(ACCOUNT).rules[kind][0]["mode"] for kind in ("syn_flood", "out_of_state_tcp")]
    assert modes == ["enabled", "disabled"]


@pytest.mark.parametrize(
    "values",
    [
        {"baseline_rules": [{**SYN, "mode": "enabled"}], "baseline_staged_rollout": False},
        {"baseline_rules": [{**SYN, "mode": "enabled", "rate_sensitivity": "high"}], "baseline_staged_rollout": True},
    ],
)
def test_a_change_that_is_more_than_a_step_is_left(values: dict[str, Any], service: LocalService) -> None:
    old = (service.clock.now() - timedelta(days=9)).isoformat()
    rule = {"scope": "global", "name": "global", "mode": "monitoring", "rate_sensitivity": "low", "modified_on": old}
    service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}], syn_flood={"rules": [rule]})
    assert run(service, values) == ([], ["update global"])


POSTURE = {
    "until": "2039-01-01T00:00:00Z",
    "security_level": "under_attack",
    "custom_rules": [{**GEO, "position": "first"}],
}
PURGED = {"baseline_purge": ["custom_rules"]}


@pytest.mark.parametrize("exclusive", [{}, PURGED], ids=["beside others", "exclusive"])
def test_a_posture_is_taken_and_taken_back(exclusive: dict[str, Any], service: LocalService) -> None:
    """Its rule stands first, though a new rule of the baseline, in front of it or behind it, is left."""
    seed_zone(service, OFFICE, security_level={"value": "medium"})
    values = {
        "baseline_custom_rules": [{**ADMIN, "position": "first"} if not exclusive else ADMIN, OFFICE],
        "baseline_security_level": "medium",
        **exclusive,
    }
    changed, left = run(service, values, [(Option("baseline_posture"), POSTURE)])
    assert sorted(changed) == ["create geo", "update security_level"]
    assert left == ["create admin"]
    assert [rule["ref"] for rule in service.zone(ZONE).custom_rules] == ["geo", "office"]
    over = {**POSTURE, "until": "2021-01-01T00:00:00Z"}
    changed, left = run(service, values, [(Option("baseline_posture"), over)])
    assert sorted(changed) == ["delete geo", "update security_level"]
    assert left == ["create admin"]
    assert service.zone(ZONE).declared["security_level"]["value"] == "medium"


def test_an_unapproved_value_of_an_object_of_a_posture_is_left(service: LocalService) -> None:
    """The posture sets the level; that somebody set it by hand, and that the baseline changed, is no posture."""
    seed_zone(service, security_level={"value": "low"})
    over = {**POSTURE, "until": "2021-01-01T00:00:00Z"}
    values = {"baseline_custom_rules": [], "baseline_security_level": "medium"}
    assert run(service, values, [(Option("baseline_posture"), over)]) == ([], ["update security_level"])


def test_an_expectation_of_a_change_that_is_left_refuses_nothing(service: LocalService) -> None:
    request = {"method": "GET", "host": "shop.example", "path": "/admin", "source": "192.0.2.9"}
    seed_zone(service, OFFICE)
    values = {
        "edge_zone_name": "", "edge_zone_plan": "free",
        "baseline_custom_rules": [{**OFFICE, "expires": ENDED}, ADMIN],
        "baseline_expectations": [{"request": {**request, "source": "192.0.2.7"}, "expect": "blocked"}],
    }  # fmt: skip
    assert run(service, values) == (["delete office"], ["create admin"])
    broken = {**values, "baseline_expectations": [{"request": {**request, "path": "/"}, "expect": "blocked"}]}
    seed_zone(service, OFFICE)
    result = run_module(part_of(service, broken), False)
    assert "1 expectation is not met" in result["msg"]


def test_a_host_with_changes_that_are_left_says_so(service: LocalService) -> None:
    seed_zone(service)
    result = run_module(part_of(service, {"baseline_custom_rules": [ADMIN]}), False)
    assert (
        lines("lima", result)[-1] == "lima: 1 change waits for a whole run of the baseline: create custom rule admin."
    )


def test_an_approved_plan_is_a_whole_one(service: LocalService) -> None:
    part = part_of(service, {"baseline_custom_rules": [ADMIN]})
    result = run_module(Part(part.module, {**part.options, "expected_plan": "0" * 64}, part.context), True)
    assert result["msg"].startswith("baseline_only: it goes without baseline_expected_plan")


def test_a_report_shows_all_that_differs(service: LocalService) -> None:
    seed_zone(service)
    part = part_of(service, {"baseline_custom_rules": [ADMIN]})
    result = run_module(Part(part.module, part.options, part.context._replace(reports=True)), True)
    assert titles(result["operations"]) == ["create admin"]
    assert "left_alone" not in result
