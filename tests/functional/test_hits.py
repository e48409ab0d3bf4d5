# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hits of custom rules: what the module tells of each, against the local service."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules

ADMIN, SHOP, OFFICE = ("a" * 32, "b" * 32, "c" * 32)
RULES = [
    {"id": ADMIN, "ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'},
    {"id": SHOP, "ref": "shop", "action": "managed_challenge", "expression": 'http.host eq "shop.example.com"'},
    {"id": OFFICE, "ref": "office", "action": "skip", "expression": "ip.src in {192.0.2.0/24}", "action_parameters": {"ruleset": "current"},
     "logging": {"enabled": False}},
]  # fmt: skip
EVENTS = [
    {"ruleId": ADMIN, "count": 40},
    {"ruleId": ADMIN, "count": 2, "action": "log", "hours_ago": 20},
    {"ruleId": ADMIN, "count": 500, "hours_ago": 30},
    {"ruleId": "f" * 32, "count": 7, "source": "firewallmanaged"},
]
ROLE = Context(is_role=True)


def seeded(service: LocalService, **fields: Any) -> None:
    service.zone(ZONE).seed(**{"custom_rules": RULES, "events": EVENTS, "account_id": ACCOUNT, **fields})


def hits(modules: Modules, **options: Any) -> dict[str, Any]:
    rules = modules.done("custom_rules_info", **{"hits_hours": 24, **options})["rules"]
    return {rule["ref"]: rule["hits"] for rule in rules}


def test_hits_are_counted_by_rule_and_action(service: LocalService, modules: Modules) -> None:
    seeded(service)
    found = hits(modules)
    assert (found["admin"]["known"], found["admin"]["count"]) == (True, 42)
    assert found["admin"]["actions"] == {"block": 40, "log": 2} and found["admin"]["unknown"] == []
    assert (found["shop"]["known"], found["shop"]["count"], found["shop"]["actions"]) == (True, 0, {})
    assert len(service.queries) == 1 and not service.writes


def test_a_rule_without_an_id_has_no_hits_of_another(service: LocalService, modules: Modules) -> None:
    events = [{"ruleId": name, "count": 9} for name in ("None", "", "null")]
    rules = [{"ref": "admin", "action": "block", "expression": "true", "version": "1"}]
    body = {"success": True, "errors": [], "messages": [], "result": {"id": "a" * 32, "rules": rules}}
    seeded(service, events=events)
    service.misbehave("raw", path="http_request_firewall_custom", body=json.dumps(body))
    admin = hits(modules)["admin"]
    assert (admin["known"], admin["count"]) == (False, None)
    assert admin["unknown"] == ["Cloudflare shows no id of the rule."]


def test_an_answer_without_settings_is_not_zero(service: LocalService, modules: Modules) -> None:
    seeded(service, events=[])
    answer: dict[str, Any] = {"data": {"viewer": {"accounts": [{"events": []}]}}}
    service.misbehave("raw", path="graphql", body=json.dumps(answer))
    for one in hits(modules).values():
        assert (one["known"], one["count"]) == (False, None)
        assert one["unknown"][0] == "The analytics do not tell how long they are kept."


def test_only_ids_and_actions_of_rules_are_asked_for(service: LocalService, modules: Modules) -> None:
    seeded(service)
    hits(modules)
    (query,) = service.queries
    assert "dimensions { ruleId action }" in query.body["query"]


def test_a_skip_that_does_not_log_is_not_known(service: LocalService, modules: Modules) -> None:
    seeded(service)
    office = hits(modules)["office"]
    assert (office["known"], office["count"]) == (False, None)
    assert office["unknown"] == ["The rule skips without logging, so that it leaves no events."]


@pytest.mark.parametrize(
    ("settings", "words", "hours"),
    [
        ({"notOlderThan": 3600 * 10}, "The zone's analytics are kept for 10 h, and 24 h are asked for.", 10),
        ({"maxDuration": 3600 * 12}, "The zone's analytics take ranges of at most 12 h, and 24 h are asked for.", 12),
    ],
)
def test_counts_are_of_the_window_that_settings_allow(
    service: LocalService, modules: Modules, settings: dict[str, int], words: str, hours: int
) -> None:
    seeded(service, analytics={"events": settings})
    admin = hits(modules)["admin"]
    assert (admin["known"], admin["count"], admin["unknown"]) == (True, 40, [words])
    since, until = (service.clock.now().fromisoformat(admin[name]) for name in ("since", "until"))
    assert 0 < hours - (until - since).total_seconds() / 3600 < 0.1


@pytest.mark.parametrize(
    ("seed", "tell", "words"),
    [
        ({}, {"messages": ["not authorized for that zone"]}, "The token needs the permission Analytics Read (zone)."),
        ({"analytics": {"events": {"enabled": False}}}, None, "The zone has no analytics of firewall events."),
        ({}, {"messages": ["rate limiter budget depleted"]}, "Run again in five minutes"),
    ],
)
def test_no_answer_is_not_known_and_fails_no_task(
    service: LocalService, modules: Modules, waits: list[float], seed: Any, tell: Any, words: str
) -> None:
    seeded(service, **seed)
    if tell:
        service.misbehave("query_errors", **tell)
    shop = hits(modules)["shop"]
    assert (shop["known"], shop["count"]) == (False, None) and words in " ".join(shop["unknown"])


def test_rules_that_a_full_page_hides_are_not_known(service: LocalService, modules: Modules) -> None:
    every = [{"ruleId": ADMIN, "action": action} for action in ("block", "log", "skip")]
    seeded(service, events=every, analytics={"events": {"maxPageSize": 2}})
    found = hits(modules)
    assert (found["shop"]["known"], found["shop"]["count"]) == (False, None)
    assert "a full page" in found["shop"]["unknown"][0] and found["admin"]["known"] is False


def test_pages_behind_the_first_one_are_asked_for(service: LocalService, modules: Modules) -> None:
    seeded(service, analytics={"events": {"maxPageSize": 3}})
    found = hits(modules)
    assert (found["admin"]["count"], found["shop"]["count"], found["shop"]["known"]) == (42, 0, True)


def test_zero_of_sampled_events_says_so(service: LocalService, modules: Modules) -> None:
    seeded(service, events=[{"ruleId": ADMIN, "count": 4000, "sampleInterval": 100}])
    found = hits(modules)
    assert found["admin"]["unknown"] == [] and found["shop"]["known"] is True
    assert found["shop"]["unknown"] == ["Cloudflare samples these events, so that few hits may be missed."]


def test_wrong_hours_are_refused(service: LocalService, modules: Modules) -> None:
    seeded(service)
    assert modules.failed("custom_rules_info", hits_hours=-1)["msg"].startswith("hits_hours: -1 is not from 0 to")
    assert not service.calls


def test_a_task_without_hours_asks_nothing(
    service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded(service)
    name = "ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence"
    monkeypatch.setitem(sys.modules, name, None)  # an import fails
    (rule, *_others) = modules.done("custom_rules_info")["rules"]
    assert "hits" not in rule and not service.queries


def test_a_role_asks_the_account(service: LocalService, modules: Modules) -> None:
    seeded(service)
    (rule, *_others) = modules.run("custom_rules_info", hits_hours=24, context=ROLE)["rules"]
    assert rule["hits"]["count"] == 42
    (query,) = service.queries
    assert "accountTag: $account" in query.body["query"]


def test_a_role_asks_the_zone_if_the_account_does_not_tell(service: LocalService, modules: Modules) -> None:
    seeded(service)
    service.account(ACCOUNT).seed(analytics={"events": {"enabled": False}})
    (rule, *_others) = modules.run("custom_rules_info", hits_hours=24, context=ROLE)["rules"]
    assert (rule["hits"]["known"], rule["hits"]["count"]) == (True, 42)
