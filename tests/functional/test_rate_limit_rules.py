# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rate limiting rules: what the zone does not take is said before, and a custom rule that skips them is a hole."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import Export, export_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._module_options import option_problems

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CHALLENGE, CUSTOM, PER_ADDRESS, RATES
from tests.support.baseline_runs import applied, restored, snapshot
from tests.support.host_parts import host
from tests.support.module_run import ACCOUNT, ZONE, Modules

MODULE = "rate_limit_rules"
BLOCK = {"action": "block", "expression": 'http.request.uri.path eq "/login"'}
LOGIN: dict[str, Any] = {"ref": "login", **BLOCK, "ratelimit": PER_ADDRESS}
TENTH = {**LOGIN, "ratelimit": {**PER_ADDRESS, "period": 10, "mitigation_timeout": 10}}  # which every plan has
LISTED = {"expression": "ip.src in $offices"}
OF_THE_RESPONSE = "http.response.code eq 401 and ip.src in $offices"
ENTRY_POINT = "/http_ratelimit/entrypoint"
CUSTOM_ENTRY_POINT = "/http_request_firewall_custom/entrypoint"


def limited(**fields: Any) -> dict[str, Any]:
    return {**LOGIN, "ratelimit": {**PER_ADDRESS, **fields}}


def skip(ref: str, expression: str, **parameters: Any) -> dict[str, Any]:
    parameters = parameters or {"phases": ["http_ratelimit"]}
    return {"ref": ref, "action": "skip", "expression": expression, "action_parameters": parameters}


def test_rules_of_others_keep_their_fields(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(**RATES)
    before = deepcopy(service.zone(ZONE).rules_of(MODULE))
    modules.done(MODULE, rules=[{"ref": "login", "ratelimit": {"period": 120}}])
    login, *others = service.zone(ZONE).rules_of(MODULE)
    assert others == before[1:]
    assert login["ratelimit"] == {**PER_ADDRESS, "period": 120, "of_the_future": 1}
    (call,) = service.writes
    assert call.path.endswith(f"/rules/{login['id']}")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"ref": "new", **BLOCK}, "is new and needs ratelimit"),
        ({"ref": "new", **BLOCK, "ratelimit": {"requests_per_period": 3}}, "is new and needs characteristics and period"),
        ({"ref": "new", **CHALLENGE, "ratelimit": {"period": 60, "characteristics": ["cf.colo.id"]}}, "needs requests_per_period"),
        ({**limited(requests_to_origin=True), **LISTED}, "names a list, and requests_to_origin must be false with one"),
        (limited(counting_expression=OF_THE_RESPONSE), "has a counting_expression with a list and a field of the response"),
        ({**LOGIN, "action": "log", "action_parameters": {"response": {"status_code": 429, "content": "no", "content_type": "text/plain"}}},
         "has the action log, and only block has a response"),
    ],
)  # fmt: skip
def test_a_limit_that_cannot_work_is_refused_before_it_is_written(
    rule: dict[str, Any], words: str, service: LocalService, modules: Modules
) -> None:
    message = modules.failed(MODULE, True, rules=[rule])["msg"]
    assert f"The rate limiting rule {rule['ref']} " in message and words in message
    assert modules.failed(MODULE, rules=[rule])["msg"] == message
    assert service.writes == []


@pytest.mark.parametrize(
    ("plan", "rules", "words"),
    [
        ("free", [TENTH, {**TENTH, "ref": "b"}], "The zone has the plan Free: it takes 1 rate limiting rule, and 2 would be there."),
        ("pro", [{**LOGIN, "ref": ref} for ref in "abc"], "it takes 2 rate limiting rules, and 3 would be there."),
        ("business", [{**LOGIN, "ref": ref} for ref in "abcdef"], "it takes 5 rate limiting rules, and 6 would be there."),
        ("enterprise", [{**LOGIN, "ref": f"r{number}"} for number in range(101)], "it takes 100 rate limiting rules, and 101"),
        ("business", [{**LOGIN, "action": "challenge"}], "it does not have a mitigation_timeout with a challenge, which is in login."),
        ("business", [limited(mitigation_timeout=0)], "it does not have the mitigation_timeout 0 with the action block, which is in login."),
        ("pro", [limited(counting_expression="ssl")], "it does not have a counting_expression, which is in login."),
        ("free", [limited(period=15)], "it does not have a period above 10 s, which is in login."),
        ("pro", [limited(period=120)], "it does not have a period above 60 s, which is in login."),
        ("business", [limited(period=900)], "it does not have a period above 600 s, which is in login."),
        ("enterprise", [limited(period=86400)], "it does not have a period above 65535 s, which is in login."),
        ("free", [limited(period=10, mitigation_timeout=60)], "it does not have a mitigation_timeout above 10 s, which is in login."),
        ("pro", [limited(mitigation_timeout=7200)], "it does not have a mitigation_timeout above 3600 s, which is in login."),
        ("business", [limited(mitigation_timeout=172800)], "it does not have a mitigation_timeout above 86400 s, which is in login."),
        ("pro", [limited(characteristics=["cf.colo.id", "cf.unique_visitor_id"])],
         "it does not have the characteristic cf.unique_visitor_id, which is in login."),
        ("business", [limited(characteristics=["cf.colo.id", "ip.src", "ip.src.country"])],
         "it does not have the characteristic ip.src.country, which is in login."),
        ("pro", [limited(requests_to_origin=True)], "it does not have requests_to_origin, which is in login."),
        ("business", [{**LOGIN, "api_fields": {"ratelimit": {"score_per_period": 40}}}], "it does not have a score_per_period, which is in login."),
        ("free", [{**TENTH, "action": "log"}], "it does not have the action log, which is in login."),
        ("free", [{**TENTH, "expression": 'http.host eq "a"'}], "it does not have the field http.host in the expression of a rate limit"),
        ("pro", [{**LOGIN, "expression": 'http.request.method eq "POST"'}], "it does not have the field http.request.method in the expression"),
        ("business", [{**LOGIN, "expression": 'ip.src.country eq "DE"'}], "it does not have the field ip.src.country in the expression"),
        ("business", [{**LOGIN, "expression": "cf.bot_management.score lt 30"}], "it does not have the field cf.bot_management.score in"),
    ],
)  # fmt: skip
def test_a_plan_beyond_that_of_the_zone_is_refused(
    plan: str, rules: list[dict[str, Any]], words: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(plan=plan)
    message = modules.failed(MODULE, True, rules=rules)["msg"]
    assert words in message and f"The zone has the plan {plan.capitalize()}: " in message
    service.zone(ZONE).plan = "unheard of"  # then Cloudflare decides
    assert modules.done(MODULE, True, rules=rules)["changed"]


@pytest.mark.parametrize(
    ("plan", "rule"),
    [
        ("free", TENTH),
        (
            "free",
            {**TENTH, "expression": 'cf.bot_management.verified_bot or raw.http.request.uri.path.extension eq "a"'},
        ),
        (
            "pro",
            {
                **LOGIN,
                "expression": 'http.host eq "a" and http.request.uri.query contains "q" and http.request.full_uri ne ""',
            },
        ),
        (
            "business",
            {
                **LOGIN,
                "expression": 'ip.src in {192.0.2.0/24} and http.request.method eq "POST" and http.user_agent ne ""',
            },
        ),
        ("business", limited(period=600, mitigation_timeout=86400, requests_to_origin=True)),
        ("business", limited(characteristics=["cf.colo.id", "cf.unique_visitor_id"])),
        ("enterprise", limited(characteristics=["cf.colo.id", "ip.src", "ip.src.country"])),
        ("pro", {**LOGIN, "action": "managed_challenge", "ratelimit": {**PER_ADDRESS, "mitigation_timeout": 0}}),
        ("business", limited(counting_expression="http.response.code eq 401")),
        ("enterprise", limited(mitigation_timeout=0)),
    ],
)
def test_a_plan_within_that_of_the_zone_goes_on(
    plan: str, rule: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(plan=plan)
    done = modules.done(MODULE, rules=[rule])
    assert done["changed"] and "warnings" not in done


def test_a_period_that_one_page_has_alone_is_warned_of(modules: Modules) -> None:
    (warning,) = modules.done(MODULE, rules=[limited(period=15)])["warnings"]
    expected = "Rate limiting rule login has the period 15, and Cloudflare's page on its API lists only 10, 60, 120"
    assert expected in str(warning)
    assert "warnings" not in modules.done(MODULE, rules=[limited(period=15)])


FRONT = [
    (skip("wide", 'http.request.uri.path in {"/login" "/form"}'), True, "lets requests pass that rate limiting rule login would stop"),
    (skip("part", 'http.request.uri.path eq "/login" and ssl'), True, "lets requests pass that rate limiting rule login would stop"),
    (skip("office", "ip.src in {192.0.2.0/24}"), None, "may let requests pass that rate limiting rule login would stop"),
    (skip("apart", 'http.request.uri.path eq "/form"'), False, ""),
    ({**skip("off", "true"), "enabled": False}, False, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "weakens", "reason"), FRONT, ids=lambda item: item["ref"] if isinstance(item, dict) else ""
)
def test_a_custom_rule_that_skips_a_rate_limit_is_a_hole(
    rule: dict[str, Any], weakens: bool | None, reason: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(custom_rules=[rule], rate_limit_rules=[LOGIN])
    (found,) = modules.done("custom_rules", rules=[])["unmanaged"]
    assert (found["key"], found["weakens"], found["reason"]) == (rule["ref"], weakens, reason)
    in_front = modules.done(MODULE, rules=[LOGIN])["unmanaged"]
    assert in_front == ([] if weakens is False else [found])
    assert modules.done(MODULE, rules=[])["unmanaged"][-1]["key"] == "login"  # nothing that is named is skipped


@pytest.mark.parametrize(
    ("counting", "weakens", "reason"),
    [
        ('http.request.uri.path in {"/login" "/form"}', True, "lets requests pass that rate limiting rule login would stop"),
        ("http.response.code eq 401", None, "may let requests pass that rate limiting rule login would stop"),
        ('http.request.uri.path eq "/api"', False, ""),
    ],
)  # fmt: skip
def test_a_custom_rule_that_skips_what_a_rate_limit_counts_is_a_hole(
    counting: str, weakens: bool | None, reason: str, service: LocalService, modules: Modules
) -> None:
    login = limited(counting_expression=counting)
    custom = [skip("form", 'http.request.uri.path eq "/form"')]
    service.zone(ZONE).seed(custom_rules=custom, rate_limit_rules=[login])
    (found,) = modules.done("custom_rules", rules=[])["unmanaged"]
    assert (found["weakens"], found["reason"]) == (weakens, reason)


def test_the_custom_rules_are_read_only_for_rate_limits_and_the_other_way_round(
    service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(**CUSTOM)
    modules.done("custom_rules", rules=[])
    modules.done(MODULE, rules=[])
    assert [call.path.rsplit("/phases", 1)[1] for call in service.calls] == [CUSTOM_ENTRY_POINT, ENTRY_POINT]


def test_a_skip_that_a_task_removes_was_weaker(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(custom_rules=[skip("wide", "true")], rate_limit_rules=[LOGIN])
    (weaker,) = modules.done("custom_rules", rules=[{"ref": "wide"}], state="absent")["weaker"]
    assert weaker["reason"] == "lets requests pass that rate limiting rule login would stop"


def test_a_host_whose_baseline_has_both_hears_of_a_skip_once(service: LocalService) -> None:
    service.account(ACCOUNT), service.zone(ZONE).seed(custom_rules=[skip("wide", "true")], rate_limit_rules=[LOGIN])
    variables = {**host(service), "baseline_custom_rules": [], "baseline_rate_limit_rules": [LOGIN]}
    assert [item["key"] for item in applied(service, variables)["unmanaged"]] == ["wide"]
    named = {**variables, "baseline_custom_rules": [skip("wide", "true")]}
    assert applied(service, named)["unmanaged"] == []


def test_custom_rules_that_cannot_be_read_are_warned_of(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(rate_limit_rules=[LOGIN])
    service.misbehave("status", path=CUSTOM_ENTRY_POINT, status=403)
    (warning,) = modules.done(MODULE, rules=[LOGIN])["warnings"]
    assert "Whether custom rules skip other rules that would stop requests is not known: GET zones/" in str(warning)


@pytest.mark.parametrize(
    ("by_hand", "reason"),
    [
        ({"requests_per_period": 500}, "takes 500 requests in 60 s, and not 5 in 60 s"),
        ({"counting_expression": 'http.host eq "none"'}, "counts in another way, and may let more requests pass"),
        ({"requests_to_origin": True}, "does not count requests that the cache answers"),
    ],
)
def test_a_baseline_sets_a_looser_limit_back(by_hand: dict[str, Any], reason: str, service: LocalService) -> None:
    service.account(ACCOUNT), service.zone(ZONE).seed(rate_limit_rules=[limited(**by_hand)])
    variables = {"baseline_rate_limit_rules": [LOGIN]}
    assert [item["reason"] for item in applied(service, variables)["weaker"]] == [reason]
    limit = service.zone(ZONE).rules_of(MODULE)[0]["ratelimit"]
    assert {name: value for name, value in limit.items() if value} == PER_ADDRESS
    assert applied(service, variables)["changed"] is False


BY_SCORE = {**PER_ADDRESS, "score_per_period": 40, "score_response_header_name": "x-score"}
BY_SCORE.pop("requests_per_period")


@pytest.mark.parametrize(
    ("before", "fields", "score", "words"),
    [
        (BY_SCORE, {}, 80, "takes a score of 80 in 60 s, and not 40 in 60 s"),
        (BY_SCORE, {"period": 10}, 40, "takes a score of 40 in 10 s, and not 40 in 60 s"),
        (BY_SCORE, {}, 20, ""),
        (BY_SCORE, {"requests_per_period": 1}, None, "counts in another way, and may let more requests pass"),
        ({**PER_ADDRESS, "requests_per_period": 5.0}, {"requests_per_period": 50}, None, "takes 50 requests in 60 s"),
        ({**PER_ADDRESS, "requests_per_period": "5"}, {"requests_per_period": 50}, None, "counts in another way, and may let"),
    ],
)  # fmt: skip
def test_a_limit_by_score_and_an_odd_number_are_compared(
    before: dict[str, Any],
    fields: dict[str, Any],
    score: int | None,
    words: str,
    service: LocalService,
    modules: Modules,
) -> None:
    service.zone(ZONE).seed(plan="enterprise", rate_limit_rules=[{**LOGIN, "ratelimit": before}])
    rule = {"ref": "login", "ratelimit": fields, "api_fields": {"ratelimit": {"score_per_period": score}}}
    result = modules.run(MODULE, check=True, rules=[rule])
    assert [risk["code"] for risk in result.get("risks", ())] == (["weakens_rate_limits"] if words else [])
    assert words in (result["msg"] if words else "")


BEFORE: dict[str, dict[str, Any]] = {
    "blocks": {},
    "is off": {"enabled": False},
    "logs": {"action": "log"},
    "logs, and is off": {"action": "log", "enabled": False},
    "challenges": {"action": "managed_challenge", "ratelimit": {**PER_ADDRESS, "mitigation_timeout": 0}},
}
MEANWHILE: dict[str, dict[str, Any]] = {
    "counts answers": {"counting_expression": "http.response.code eq 401"},
    "counts what reaches the origin": {"requests_to_origin": True},
    "both": {"counting_expression": "http.response.code eq 401", "requests_to_origin": True},
    "counts a score": {"score_per_period": 9, "score_response_header_name": "score"},
    "says the default": {"requests_to_origin": False},
}


@pytest.mark.parametrize("meanwhile", MEANWHILE.values(), ids=MEANWHILE)
@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_a_restore_takes_back_what_the_limit_of_then_leaves_out(
    before: dict[str, Any], meanwhile: dict[str, Any], service: LocalService
) -> None:
    rule = {**LOGIN, **before}
    service.account(ACCOUNT), service.zone(ZONE).seed(plan="enterprise", rate_limit_rules=[deepcopy(rule)])
    text = snapshot(service, baseline_rate_limit_rules=[], baseline_purge=["rate_limit_rules"])
    stored = service.zone(ZONE).rules_of(MODULE)[0]
    stored.update(action="block", enabled=True, ratelimit={**PER_ADDRESS, **meanwhile})
    assert restored(service, text) == ("", [])
    (after,) = service.zone(ZONE).rules_of(MODULE)
    limit = {name: value for name, value in after["ratelimit"].items() if value is not False}
    assert (limit, after["action"], after["enabled"]) == (rule["ratelimit"], rule["action"], rule.get("enabled", True))
    calls = len(service.writes)
    assert restored(service, text) == ("", [])
    assert len(service.writes) == calls


def test_a_restore_takes_back_the_requests_of_a_limit_that_counted_by_score(service: LocalService) -> None:
    (
        service.account(ACCOUNT),
        service.zone(ZONE).seed(plan="enterprise", rate_limit_rules=[{**LOGIN, "ratelimit": BY_SCORE}]),
    )
    text = snapshot(service, baseline_rate_limit_rules=[], baseline_purge=["rate_limit_rules"])
    service.zone(ZONE).rules_of(MODULE)[0]["ratelimit"] = {**PER_ADDRESS}
    assert restored(service, text) == ("", [])
    assert service.zone(ZONE).rules_of(MODULE)[0]["ratelimit"] == BY_SCORE


@pytest.mark.parametrize("most", [0, 3])
def test_an_expression_that_a_limit_no_longer_has_is_not_sent_as_an_empty_text(
    most: int, service: LocalService, modules: Modules
) -> None:
    counted = limited(counting_expression="http.response.code eq 401")
    others = [{**LOGIN, "ref": f"other{number}"} for number in range(most)]
    service.zone(ZONE).seed(rate_limit_rules=[counted])
    emptied = {"ref": "login", "ratelimit": {"counting_expression": ""}}
    task: dict[str, Any] = {"rules": [emptied, *others], "accept_risks": ["weakens_rate_limits"]}
    predicted = modules.done(MODULE, check=True, **task)
    done = modules.done(MODULE, **task)
    assert (done["diff"], done["operations"]) == (predicted["diff"], predicted["operations"])
    assert "counting_expression" not in str(service.writes[-1].body)
    assert service.zone(ZONE).rules_of(MODULE)[0]["ratelimit"] == PER_ADDRESS
    assert modules.done(MODULE, **task)["changed"] is False


def test_a_new_limit_with_an_empty_counting_expression_has_none(modules: Modules, service: LocalService) -> None:
    modules.done(MODULE, rules=[limited(counting_expression="")], accept_risks=["blocks_everything"])
    assert service.zone(ZONE).rules_of(MODULE)[0]["ratelimit"] == PER_ADDRESS


def test_a_restore_takes_back_nested_fields_that_the_earlier_limit_lacked(service: LocalService) -> None:
    service.account(ACCOUNT), service.zone(ZONE).seed(plan="enterprise", rate_limit_rules=[LOGIN])
    before = deepcopy(service.zone(ZONE).rules_of(MODULE)[0]["ratelimit"])
    scored = {**LOGIN, "api_fields": {"ratelimit": {"score_per_period": 40, "score_response_header_name": "x-score"}}}
    variables = {"baseline_rate_limit_rules": [scored]}
    text = snapshot(service, **variables)
    applied(service, variables)
    assert service.zone(ZONE).rules_of(MODULE)[0]["ratelimit"] != before
    assert restored(service, text) == ("", [])
    assert service.zone(ZONE).rules_of(MODULE)[0]["ratelimit"] == before


OLD_RULE = {
    "ref": "login",
    **BLOCK,
    "ratelimit": {**PER_ADDRESS},
    "api_fields": {"description": "office", "ratelimit": {"requests_to_origin": True, "of_the_future": 1}},
}
FILLED = ["baseline_rate_limit_rules[0].description", "baseline_rate_limit_rules[0].ratelimit.requests_to_origin"]


def test_the_export_of_a_version_that_declares_fewer_fields_is_applied_checked_and_restored(
    service: LocalService,
) -> None:
    service.account(ACCOUNT)
    existing = {
        **LOGIN,
        "description": "office",
        "ratelimit": {**PER_ADDRESS, "requests_to_origin": True, "of_the_future": 1},
    }
    service.zone(ZONE).seed(plan="enterprise", rate_limit_rules=[existing])
    variables = {"baseline_rate_limit_rules": [OLD_RULE]}
    part = host_part("lima", {**host(service), **variables})
    assert option_problems(f"edgeops.protection.{part.module}", part.options, part.context, {}) == []
    result = applied(service, variables)
    assert (result["changed"], service.writes) == (False, [])
    for name in FILLED:
        assert any(name in str(warning) for warning in result["warnings"]), result["warnings"]
    service.zone(ZONE).rules_of(MODULE)[0]["description"] = "other"
    text = export_text(Export(variables=variables), {"account_id": ACCOUNT, "zone_id": ZONE})
    assert restored(service, text) == ("", [])
    assert service.zone(ZONE).rules_of(MODULE)[0]["description"] == "office"
