# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Custom rules as one ordered list: what stays of foreign rules, where new ones go, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CUSTOM, FIREWALL, RULE_1, SKIP
from tests.support.module_run import ZONE, Modules

BLOCK = {"action": "block", "expression": "ip.src in {203.0.113.0/24}"}
RESPONSE = {"status_code": 403, "content": "no", "content_type": "text/plain"}


@pytest.fixture(autouse=True)
def seeded(service: LocalService) -> None:
    service.zone(ZONE).seed(**FIREWALL, **CUSTOM)


def refs(service: LocalService) -> list[str]:
    return [rule["ref"] for rule in service.zone(ZONE).custom_rules]


def test_foreign_rules_survive_with_ids_order_and_unknown_fields(service: LocalService, modules: Modules) -> None:
    before = deepcopy(service.zone(ZONE).custom_rules)
    modules.done("custom_rules", rules=[{"ref": "new", **BLOCK}, {"ref": "login", "description": "forms"}])
    after = service.zone(ZONE).custom_rules
    assert [rule["ref"] for rule in after] == ["office", "login", "last", "new"]
    assert [after[0], after[2]] == [before[0], before[2]]
    assert after[2]["score_per_period"] == 40.0
    assert after[1] == {**before[1], "description": "forms", "version": "2", "last_updated": after[1]["last_updated"]}


def test_every_call_reads_once_and_writes_once(service: LocalService, modules: Modules) -> None:
    rules = [{"ref": "last"}, {"ref": "new", **BLOCK}, {"ref": "office"}]
    modules.done("custom_rules", rules=rules, purge=True, accept_risks=["weakens_zone"])
    assert [call.method for call in service.calls] == ["GET", "PUT"]
    (call,) = service.writes
    assert [(rule["ref"], "id" in rule) for rule in call.body["rules"]] == [
        ("last", True),
        ("new", False),
        ("office", True),
    ]
    assert not any({"version", "last_updated", "position"} & rule.keys() for rule in call.body["rules"])


def test_the_description_of_the_ruleset_goes_along(service: LocalService, modules: Modules) -> None:
    (entry_point,) = service.zone(ZONE).entry_points.values()
    entry_point["description"] = "ours"
    modules.done("custom_rules", rules=[{"ref": "new", **BLOCK}])
    assert [stored["description"] for stored in service.zone(ZONE).entry_points.values()] == ["ours"]


@pytest.mark.parametrize(
    ("positions", "order"),
    [
        ([None, None], "xyzab"),
        (["first", "first"], "abxyz"),
        (["last", "first"], "bxyza"),
        (["before y", "before y"], "xabyz"),
        (["after y", "after y"], "xyabz"),
        (["after x", "before a"], "xbayz"),
        (["after x", "after a"], "xabyz"),
        (["before x", "first"], "baxyz"),
        (["after x", "before a", "after x"], "xbacyz"),
        (["first", "before a", "first"], "bacxyz"),
        (["last", "before a", "last"], "xyzbac"),
        (["before y", "after a", "before y"], "xabcyz"),
        (["after x", "after a", "after x"], "xacbyz"),
        (["after x", "after x", "before b"], "xacbyz"),
        (["first", "after x", "first"], "acxbyz"),
    ],
)
def test_new_rules_go_to_their_positions_and_those_with_one_position_stand_in_the_order_of_the_task(
    positions: Sequence[str | None], order: str, service: LocalService, modules: Modules
) -> None:
    service.reset()
    service.zone(ZONE).seed(custom_rules=[{"ref": ref, **BLOCK} for ref in "xyz"])
    rules = [{"ref": ref, **BLOCK, "position": position} for ref, position in zip("abc", positions, strict=False)]
    done = modules.lawful("custom_rules", rules=rules)
    assert refs(service) == [rule["ref"] for rule in done["rules"]] == [*order]
    assert done["diff"]["after"]["custom_rules_order"] == [*order]


def test_a_position_beside_a_rule_further_down_in_the_task_is_refused_with_what_to_do(modules: Modules) -> None:
    rules = [{"ref": "a", **BLOCK, "position": "before b"}, {"ref": "b", **BLOCK}]
    message = modules.failed("custom_rules", rules=rules)["msg"]
    assert "The position of custom rule a names the ref b, which comes later in the task; move it up." in message


def test_a_rule_that_exists_is_not_moved_by_its_position(modules: Modules) -> None:
    assert modules.done("custom_rules", rules=[{"ref": "last", "position": "first"}])["changed"] is False


@pytest.mark.parametrize(("existing", "desired", "order"), [("aXb", "anb", "aXnb"), ("abcXd", "dabc", "dabcX")])
def test_ignored_rules_stay_where_they_are(
    existing: str, desired: str, order: str, service: LocalService, modules: Modules
) -> None:
    service.reset()
    zone = service.zone(ZONE).seed(custom_rules=[{"ref": ref, **BLOCK} for ref in existing])
    ignored = [rule for rule in deepcopy(zone.custom_rules) if rule["ref"].isupper()]
    options: dict[str, Any] = {
        "rules": [{"ref": ref, **BLOCK} for ref in desired],
        "purge": True,
        "ignore": ["[A-Z]"],
        "accept_risks": ["weakens_zone", "mass_deletion"],
    }
    result = modules.done("custom_rules", **options)
    assert "".join(refs(service)) == order
    assert [rule for rule in zone.custom_rules if rule["ref"].isupper()] == ignored
    assert [ref for ref in refs(service) if not ref.isupper()] == list(desired)
    assert {item["key"] for item in result["operations"]}.isdisjoint("XYZ")
    assert [item["key"] for item in result["unmanaged"]] == [rule["ref"] for rule in ignored]
    assert modules.done("custom_rules", **options)["changed"] is False


@pytest.mark.parametrize(
    ("options", "unmanaged"),
    [
        ({"rules": [{"ref": "login"}]}, ["office", "last"]),
        ({"rules": [{"ref": "login"}, {"ref": "new", **BLOCK}], "ignore": ["off*"]}, ["office", "last"]),
        ({"rules": [{"ref": "office"}], "state": "absent"}, ["login", "last"]),
        ({"rules": [{"ref": "login"}], "purge": True}, []),
        ({"rules": [{"ref": "login"}], "purge": True, "ignore": ["Office", "l*t"]}, ["last"]),
    ],
)
@pytest.mark.parametrize("check", [True, False])
def test_the_result_names_the_rules_that_the_task_does_not(
    options: dict[str, Any], unmanaged: list[str], check: bool, modules: Modules
) -> None:
    result = modules.done("custom_rules", check=check, **options)
    assert [item["key"] for item in result["unmanaged"]] == unmanaged


@pytest.mark.parametrize("how", [{}, {"state": "absent"}, {"purge": True}])
def test_a_pattern_that_matches_a_desired_rule_is_refused_before_any_request(
    how: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    rules = [{"ref": "login", "action": "log"}]
    message = modules.failed("custom_rules", rules=rules, **how, ignore=["a", "log*", " "])["msg"]
    assert "ignore[1]: 'log*' matches login, which rules[0] names; keep one of them" in message
    assert "ignore[2]: it is empty" in message
    assert service.calls == []


INVALID: list[tuple[dict[str, Any], str]] = [
    ({"ref": "new"}, "The custom rule new is new and needs action and expression."),
    ({"ref": "new", "action": "log"}, "rules[0]: The custom rule new is new and needs expression."),
    ({"ref": "new", **BLOCK, "action": "skip"}, "has the action skip and needs action_parameters that say what is skipped"),
    ({"ref": "login", "action": "skip"}, "The custom rule login has the action skip and needs action_parameters"),
    ({"ref": "login", "action_parameters": {"ruleset": "current"}}, "has the action managed_challenge, and only skip says what is skipped"),
    ({"ref": "login", "action_parameters": {"response": RESPONSE}}, "has the action managed_challenge, and only block has a response"),
    *[
        ({"ref": "office", "action": action, "action_parameters": {"ruleset": "current"}}, "and only skip says what is skipped")
        for action in ("log", "block", "challenge")
    ],
    ({"ref": "new", **BLOCK, "position": "after nothing"}, "The position of custom rule new names the ref nothing, which is not there."),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "message"), INVALID)
@pytest.mark.parametrize("check", [True, False])
def test_impossible_rules_are_refused_before_anything_is_written(
    rule: dict[str, Any], message: str, check: bool, service: LocalService, modules: Modules
) -> None:
    actual = modules.failed("custom_rules", check=check, rules=[rule])["msg"]
    assert message in actual
    assert actual.endswith("Nothing was changed.")
    assert service.writes == []


HEALTH = 'http.request.uri.path eq "/health"'


def passing(**parameters: Any) -> dict[str, Any]:
    return {"ref": "new", "action": "skip", "expression": HEALTH, "action_parameters": parameters}


def answering(**fields: Any) -> dict[str, Any]:
    return {"ref": "new", **BLOCK, "action_parameters": {"response": {**RESPONSE, **fields}}}


MALFORMED: list[tuple[dict[str, Any], str]] = [
    (passing(phase="current", ruleset="current"), "it has phase and ruleset, and phase goes with products alone"),
    (
        passing(phase="current", phases=["http_ratelimit"]),
        "it has phase and phases, and phase goes with products alone",
    ),
    (passing(products=["waf", "bic", "waf"]), "products has waf twice"),
    (passing(phases=["http_ratelimit", "http_ratelimit"]), "phases has http_ratelimit twice"),
    (answering(content=""), "action_parameters.response.content: it is empty"),
    (
        answering(content_type=""),
        "action_parameters.response.content_type: '' is none of application/json, text/html, text/plain, text/xml",
    ),
    (answering(content_type="text/css"), "'text/css' is none of application/json, text/html, text/plain, text/xml"),
    (answering(content="x" * 2049), "action_parameters.response.content: it has 2049 bytes, and Cloudflare takes 2048"),
    (answering(content="x" * 2048, content_type="text/xml"), ""),
    ({**answering(), "logging": {"enabled": False}}, "logging: only a rule with the action skip has it"),
    (
        {"ref": "r", "action": "log", "expression": "ssl", "logging": {"enabled": True}},
        "logging: only a rule with the action skip has it",
    ),
    ({**passing(ruleset="current"), "logging": {"enabled": False}}, ""),
    (passing(phase="current", products=["hot", "bic"]), ""),
    (passing(ruleset="current", phases=["http_ratelimit"], products=["hot"]), ""),
]


@pytest.mark.parametrize(("rule", "message"), MALFORMED)
def test_parameters_that_the_vendor_excludes_are_refused_before_any_call(
    rule: dict[str, Any], message: str, service: LocalService, modules: Modules
) -> None:
    if not message:
        modules.lawful("custom_rules", rules=[rule])
        return
    assert message in modules.failed("custom_rules", check=True, rules=[rule])["msg"]
    assert service.calls == []


def test_an_expression_that_the_service_refuses_is_told_with_the_rules_ref_and_the_pointer(
    service: LocalService, modules: Modules
) -> None:
    rules = [{"ref": "new", **BLOCK}, {"ref": "odd", "action": "log", "expression": "cf.no_such_field eq 1"}]
    more = [{**rule, "ref": f"{rule['ref']}-{number}"} for rule in rules for number in range(2)]
    before = deepcopy(service.zone(ZONE).custom_rules)
    # Few rules are written one by one, and more of them with the whole list.
    for task, done, labels, pointer in (
        (rules, ["new"], "odd", "/expression"),
        (more, [], "odd-0", "/rules/5/expression"),
    ):
        service.zone(ZONE).custom_rules[:] = deepcopy(before)
        result = modules.failed("custom_rules", rules=task)
        assert f"This is about the custom rule {labels}." in result["msg"]
        assert result["error"]["errors"][0]["pointer"] == pointer
        assert result["error"]["errors"][0]["message"] in result["msg"]
        assert [item["key"] for item in result["done"]] == done
        assert [item["key"] for item in (*result["done"], *result["left"])] == [rule["ref"] for rule in task]
        assert refs(service) == [*(rule["ref"] for rule in before), *done]


def test_check_mode_asks_the_service_if_it_is_told_to(service: LocalService, modules: Modules) -> None:
    odd = [{"ref": "odd", "action": "log", "expression": "cf.no_such_field eq 1"}]
    modules.done("custom_rules", check=True, rules=odd)
    assert [call.method for call in service.calls] == ["GET"]
    result = modules.failed("custom_rules", check=True, rules=odd, validate=True)
    assert "This is about the custom rule odd." in result["msg"]
    service.calls.clear()
    good = [{"ref": "good", **BLOCK}]
    assert modules.done("custom_rules", check=True, rules=good, validate=True)["changed"] is True
    assert [(call.method, call.query) for call in service.calls][1:] == [("PUT", {"dry_run": "true"})]
    assert refs(service) == ["office", "login", "last"]
    assert modules.done("custom_rules", check=True, rules=[{"ref": "last"}], validate=True)["changed"] is False


def test_parameters_go_with_their_action_and_are_replaced_as_a_whole(service: LocalService, modules: Modules) -> None:
    def office(**fields: Any) -> dict[str, Any]:
        modules.done("custom_rules", rules=[{"ref": "office", **fields}])
        return next(rule for rule in service.zone(ZONE).custom_rules if rule["ref"] == "office")

    assert office(action_parameters={"products": ["hot", "bic"]})["action_parameters"] == {"products": ["hot", "bic"]}
    same = [{"ref": "office", "action_parameters": {"products": ["bic", "hot"]}}]
    assert modules.done("custom_rules", rules=same)["changed"] is False
    assert "action_parameters" not in office(action="block")
    assert office(action_parameters={"response": RESPONSE})["action_parameters"] == {"response": RESPONSE}
    assert office(description="kept")["action_parameters"] == {"response": RESPONSE}
    assert office(action="skip", action_parameters={"phase": "current"})["logging"] == {"enabled": True}


def test_a_zone_without_an_entry_point_has_no_rules_until_a_task_names_one(
    service: LocalService, modules: Modules
) -> None:
    service.reset()
    service.zone(ZONE)
    assert modules.done("custom_rules_info")["rules"] == []
    assert modules.done("custom_rules", rules=[{"ref": "office"}], state="absent")["changed"] is False
    assert modules.done("custom_rules", rules=[{"ref": "office", **SKIP}])["changed"] is True
    assert refs(service) == ["office"]


@pytest.mark.parametrize(
    ("options", "read"),
    [
        ({}, ["office", "login", "last"]),
        ({"action": "log"}, ["last"]),
        ({"paused": True}, []),
        ({"paused": False, "description": "OFF"}, ["office"]),
        ({"id": "0" * 32}, []),
    ],
)
def test_which_rules_are_read(options: dict[str, Any], read: list[str], modules: Modules) -> None:
    assert [rule["ref"] for rule in modules.done("custom_rules_info", **options)["rules"]] == read


@pytest.mark.parametrize("fault", ["lost_before", "lost_after", "truncated", "status_after"])
def test_a_write_whose_response_is_lost_is_verified(
    fault: str, service: LocalService, modules: Modules, waits: list[float]
) -> None:
    rules = [{"ref": "new", **BLOCK, "position": "first"}, {"ref": "login", "description": "forms"}]
    predicted = modules.done("custom_rules", check=True, rules=rules)
    service.misbehave(fault, method="PUT", times=1)
    done = modules.done("custom_rules", rules=rules)
    assert (done["operations"], done["diff"]) == (predicted["operations"], predicted["diff"])
    assert modules.done("custom_rules", rules=rules)["changed"] is False


@pytest.mark.parametrize("switch", ["firewall_retired", "firewall_maintenance"])
def test_a_zone_whose_firewall_rules_are_retired_is_led_to_the_successor(
    switch: str, service: LocalService, modules: Modules
) -> None:
    service.switch(**{switch: True})
    message = modules.failed("firewall_rules", rules=[{"id": RULE_1, "action": "block"}])["msg"]
    assert "the module custom_rules" in message
    assert "the role export" in message
    assert service.zone(ZONE).rules[0]["action"] == "challenge"
    assert modules.done("custom_rules", rules=[{"ref": "new", **BLOCK}])["changed"] is True


GROWTH: dict[str, Any] = {  # to six
    "rules": [
        {"ref": ref, "action": "block", "expression": f"ip.src in {{203.0.113.{index}}}"}
        for index, ref in enumerate("abc")
    ]
}
REGEX = {"ref": "regex", "action": "block", "expression": 'http.host matches "^a"'}
LOG_ONE = {"ref": "logs", "action": "log", "expression": "cf.client.bot"}
MAY_NOT_READ = "The credentials may lack the permission Zone Read (zone)"
QUOTAS: list[tuple[str, dict[str, Any], str]] = [
    ("free", GROWTH, "The zone has the plan Free: it takes 5 custom rules, and 6 would be there. Leave out"),
    ("pro", {"rules": [REGEX]}, "The zone has the plan Pro: it does not have the operator matches, which is in regex. Leave out"),
    ("free", {"rules": [*GROWTH["rules"], REGEX]}, "and 7 would be there; it does not have the operator matches"),
    ("business", {"rules": [{"ref": "login"}, LOG_ONE], "purge": True}, "does not have the action log, which is in logs"),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "options", "message"), QUOTAS)
@pytest.mark.parametrize("check", [True, False])
def test_a_plan_beyond_the_quota_of_the_zone_is_refused_before_anything_is_written(
    plan: str, options: dict[str, Any], message: str, check: bool, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(plan=plan).custom_rules[-1]["action"] = "block"  # the rule that logs
    result = modules.failed("custom_rules", check, **options)
    assert message in result["msg"]
    assert result["msg"].endswith("Nothing was changed.")
    assert result["operations"]
    assert [call.method for call in service.calls] == ["GET", "GET"]


@pytest.mark.parametrize(
    ("plan", "options"),
    [("pro", GROWTH), ("enterprise", GROWTH), ("business", {"rules": [REGEX]}), ("enterprise", {"rules": [LOG_ONE]})],
)
def test_a_plan_within_the_quota_goes_on(
    plan: str, options: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(plan=plan)
    predicted = modules.done("custom_rules", check=True, **options)
    done = modules.done("custom_rules", **options)
    assert predicted["operations"] == done["operations"]
    assert "warnings" not in done


@pytest.mark.parametrize(
    ("plan", "grant", "warning"),
    [
        ("partners", {}, "The quota of the zone's plan is not known."),
        ("pro", {"zone": "none"}, f"The quota of the zone is not checked: GET zones/{ZONE} was answered with HTTP 403"),
    ],
)
@pytest.mark.parametrize("check", [True, False])
def test_an_unknown_quota_is_a_warning(
    plan: str, grant: dict[str, Any], warning: str, check: bool, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(plan=plan)
    result = modules.done("custom_rules", check, api_token=service.add_token("other-token", **grant), **GROWTH)
    text = str(result["warnings"])
    assert len(result["warnings"]) == 1
    assert warning in text
    assert (MAY_NOT_READ in text) is bool(grant)
    assert result["changed"] is True


def test_the_service_refuses_too_many_rules_by_itself_if_the_zone_cannot_be_read(
    service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(plan="free")
    failed = modules.failed("custom_rules", api_token=service.add_token("blind-token", zone="none"), **GROWTH)
    reason = "[20217] exceeded maximum number of rules in the phase http_request_firewall_custom: 6 out of 5"
    assert reason in failed["msg"]
    assert refs(service) == ["office", "login", "last", *(item["key"] for item in failed["done"])]
    assert ([item["key"] for item in failed["done"]], [item["key"] for item in failed["left"]]) == (["a", "b"], ["c"])


@pytest.mark.parametrize(
    "options",
    [
        {"rules": [{"ref": "a", **BLOCK}, {"ref": "b", **BLOCK}]},
        {"rules": [{"ref": "login", "description": "forms"}, LOG_ONE]},  # the zone logs already
        {"rules": [{"ref": "office"}], "state": "absent"},
        {"rules": [{"ref": "office"}]},
    ],
)
def test_the_zone_is_read_only_if_its_quota_matters(
    options: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(plan="free")
    modules.done("custom_rules", check=True, **options)
    assert [call.method for call in service.calls] == ["GET"]
