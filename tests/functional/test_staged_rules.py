# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules with steps: they log first, and get their action when what they logged allows it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ROLE, ZONE, Modules
from tests.support.reported_host import assessed, predicted

ADMIN: dict[str, Any] = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
STAGED = {**ADMIN, "staged": {"hours": 24, "max_stopped_percent": 0.1}}
LIMIT: dict[str, Any] = {
    "ref": "login",
    "action": "managed_challenge",
    "expression": 'http.request.uri.path eq "/login"',
    "ratelimit": {"characteristics": ["cf.colo.id", "ip.src"], "period": 60, "requests_per_period": 10},
}
RESPONSE = {"response": {"status_code": 403, "content": "no", "content_type": "text/plain"}}


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.zone(ZONE).seed(name="shop.example", plan="enterprise")
    return service


def traffic(service: LocalService, matched: int, requests: int = 2000, ref: str = "admin", hours: int = 80) -> None:
    """So many requests in each half of the hours before and after now, of which the rule logs some."""
    zone, now = service.zone(ZONE), service.clock.now()
    moments = [(now + timedelta(minutes=30 * half + 1)).isoformat() for half in range(-2 * hours, 2 * hours)]
    if requests:
        zone.seed(requests=[{"datetime": at, "count": requests} for at in moments])
    if matched:
        zone.seed(events=[{"datetime": at, "ref": ref, "action": "log", "count": matched} for at in moments])


def settled(modules: Modules, module: str = "custom_rules", **options: Any) -> dict[str, Any]:
    """The result of a run that does what its prediction says, and after which a run changes nothing."""
    predicted = modules.run(module, check=True, zone_id=ZONE, **options)
    done = modules.done(module, zone_id=ZONE, **options)
    for name in ("changed", "plan_id", "operations"):
        assert predicted[name] == done[name]
    again = modules.done(module, zone_id=ZONE, **options)
    assert not again["changed"]
    assert reasons(again) == reasons(done) == reasons(predicted)
    return done


def reasons(result: dict[str, Any]) -> list[str]:
    return [pending["reason"] for pending in result.get("pending", ())]


def told_as_accepted(done: dict[str, Any], pending: dict[str, Any]) -> None:
    """Require that a change which was pending is made, and told as a risk that the task accepts."""
    (risk,) = done["risks"]
    found = (risk["code"], risk["reason"], risk["entries"])
    assert done["changed"] and found == ("blocks_traffic", "meant", [pending["key"]])
    why = "It " + pending["message"].partition(" It ")[2]
    assert why in risk["message"]
    assert "Accepted blocks_traffic: " in str(done["warnings"])


def actions(service: LocalService, part: str = "custom_rules") -> list[str]:
    return [rule["action"] for rule in service.zone(ZONE).rules_of(part)]


def test_a_rule_logs_first_and_gets_its_action_when_its_hits_allow_it(service: LocalService, modules: Modules) -> None:
    traffic(service, matched=1)
    rules = [{**STAGED, "action_parameters": RESPONSE}]
    done = settled(modules, rules=rules)
    (pending,) = done["pending"]
    assert (pending["key"], pending["mode"], pending["reason"]) == ("admin", "block", "time")
    assert pending["message"].startswith("custom rule admin logs, and gets its action by the first run after ")
    assert actions(service) == ["log"] and "action_parameters" not in service.zone(ZONE).custom_rules[0]
    service.clock.advance(hours=23)
    assert reasons(settled(modules, rules=rules)) == ["time"] and not service.queries
    service.clock.advance(hours=1, minutes=5)
    assert not settled(modules, rules=rules).get("pending")
    (rule,) = service.zone(ZONE).custom_rules
    assert (rule["action"], rule["action_parameters"]) == ("block", RESPONSE)


@pytest.mark.parametrize(
    ("matched", "requests", "reason", "words"),
    [
        (
            4,
            2000,
            "evidence",
            "It would have stopped 192 of 96000 requests (0.2 %) within 24 h, more than the allowed 0.1 %.",
        ),
        (0, 0, "unknown", "It is not known what it would stop. Only 0 requests were sampled"),
    ],
)
def test_a_rule_that_matched_too_much_goes_on_logging(
    service: LocalService, modules: Modules, matched: int, requests: int, reason: str, words: str
) -> None:
    traffic(service, matched, requests)
    settled(modules, rules=[STAGED])
    service.clock.advance(hours=25)
    done = settled(modules, rules=[STAGED])
    assert (actions(service), done["changed"]) == (["log"], False)
    (pending,) = done["pending"]
    assert pending["reason"] == reason and words in pending["message"]
    accepted = [{"code": "blocks_traffic", "resource": "custom_rule", "entries": ["admin"], "reason": "meant"}]
    told_as_accepted(settled(modules, rules=[STAGED], accept_risks=accepted), pending)
    assert actions(service) == ["block"]


def test_what_the_analytics_do_not_tell_is_not_known(service: LocalService, modules: Modules) -> None:
    traffic(service, matched=1)
    settled(modules, rules=[STAGED])
    service.clock.advance(hours=25)
    service.zone(ZONE).seed(analytics={"events": {"enabled": False}})
    (pending,) = settled(modules, rules=[STAGED])["pending"]
    assert "The zone has no analytics of firewall events." in pending["message"]


def test_a_changed_rule_logs_its_new_values_first(service: LocalService, modules: Modules) -> None:
    traffic(service, matched=0)
    settled(modules, rules=[STAGED])
    service.clock.advance(hours=25)
    wider = {**STAGED, "expression": 'http.request.uri.path contains "admin"'}
    assert reasons(settled(modules, rules=[wider])) == ["time"]
    (rule,) = service.zone(ZONE).custom_rules
    assert (rule["action"], rule["expression"]) == ("log", wider["expression"])
    service.clock.advance(hours=25)
    settled(modules, rules=[wider])
    assert actions(service) == ["block"]


def test_a_rule_that_stops_already_needs_no_steps(service: LocalService, modules: Modules) -> None:
    modules.done("custom_rules", zone_id=ZONE, rules=[ADMIN])
    harder = {**STAGED, "action": "managed_challenge"}
    assert not settled(modules, rules=[harder], accept_risks=["weakens_zone", "passes_traffic"]).get("pending")
    assert actions(service) == ["managed_challenge"] and not service.queries


WIDER = {**STAGED, "expression": 'http.request.uri.path contains "/admin"'}
NARROWER = {**STAGED, "expression": 'http.request.uri.path eq "/admin" and http.request.method eq "POST"'}
ACCEPTED = [{"code": "blocks_traffic", "resource": "custom_rule", "entries": ["admin"], "reason": "meant"}]


def paths(service: LocalService, path: str, share: int, plan: str) -> None:
    """Past requests, so many of ten thousand to a path."""
    requests = [{"clientRequestPath": path, "count": share * 100}, {"clientRequestPath": "/", "count": 1000000}]
    service.zone(ZONE).seed(plan=plan, requests=[item for item in requests if item["count"]])


def written(service: LocalService, module: str) -> dict[str, Any]:
    """The only rule of the zone, or of its only ruleset."""
    zone = service.zone(ZONE)
    (rule,) = zone.custom_rulesets[0]["rules"] if module == "custom_ruleset" else zone.custom_rules
    return dict(rule)


@pytest.mark.parametrize(
    ("module", "options", "title"),
    [
        ("custom_rules", {}, "custom rule admin"),
        ("custom_ruleset", {"name": "Bots", "deploy": {"expression": "true"}}, "rule admin of the ruleset Bots"),
    ],
)
@pytest.mark.parametrize("plan", ["pro", "enterprise"])
@pytest.mark.parametrize(("share", "waits"), [(0, False), (9, False), (200, True)])
def test_a_rule_that_stops_already_gets_wider_when_past_requests_allow_it(
    service: LocalService,
    modules: Modules,
    module: str,
    options: dict[str, Any],
    title: str,
    plan: str,
    share: int,
    waits: bool,
) -> None:
    service.zone(ZONE).seed(plan=plan)
    modules.done(module, zone_id=ZONE, rules=[ADMIN], **options)
    paths(service, "/admin/x", share, plan)
    done = settled(modules, module, rules=[{**WIDER, "description": "wider"}], **options)
    assert reasons(done) == (["evidence"] if waits else [])
    assert bool(done["traffic_changes"]["stopped"]) is not waits
    rule = written(service, module)
    assert (rule["action"], rule["description"]) == ("block", "wider")
    assert (rule["expression"] == ADMIN["expression"]) is waits
    if waits:
        words = f"{title} goes on as it is, and does not get its new values yet. It would have stopped "
        assert done["pending"][0]["message"].startswith(words)
        (accepted,) = ACCEPTED
        resource = done["pending"][0]["resource"]
        accept_risks = [{**accepted, "resource": resource, "entries": [done["pending"][0]["key"]]}]
        told_as_accepted(
            settled(modules, module, rules=[WIDER], accept_risks=accept_risks, **options), done["pending"][0]
        )


def test_one_query_asks_for_all_rules_that_get_wider(service: LocalService, modules: Modules) -> None:
    others = [{**ADMIN, "ref": ref, "expression": f'http.request.uri.path eq "/{ref}"'} for ref in ("a", "b")]
    modules.done("custom_rules", zone_id=ZONE, rules=[ADMIN, *others])
    paths(service, "/a/x", 200, "pro")
    wider = [{**STAGED, "ref": ref, "expression": f'http.request.uri.path contains "/{ref}/"'} for ref in ("a", "b")]
    asked = []
    for rules in ([wider[0]], wider):
        service.calls.clear()
        predicted = modules.run("custom_rules", check=True, zone_id=ZONE, rules=rules)
        assert [pending["key"] for pending in predicted["pending"]] == ["a"]
        asked.append(len(service.queries))
    assert asked[0] == asked[1]


def test_requests_that_might_be_stopped_are_told_as_such(service: LocalService, modules: Modules) -> None:
    modules.done("custom_rules", zone_id=ZONE, rules=[ADMIN])
    paths(service, "/admin", 200, "pro")
    (pending,) = settled(modules, rules=[{**STAGED, "expression": "cf.client.bot"}])["pending"]
    words = "It might have stopped 1000000 of 1000000 requests that pass today (100 %) within 24 h, more than the"
    assert words in pending["message"] and pending["message"].endswith(
        "Of 100 % it is not known, without cf.client.bot."
    )


@pytest.mark.parametrize(
    ("before", "rule", "waits"),
    [
        (ADMIN, WIDER, True),
        (ADMIN, NARROWER, False),
        ({**ADMIN, "action": "managed_challenge"}, STAGED, True),
        ({**ADMIN, "action": "managed_challenge"}, {**STAGED, "action": "js_challenge"}, False),
    ],
)
def test_only_a_rule_that_may_stop_more_waits_for_what_nobody_knows(
    service: LocalService, modules: Modules, before: dict[str, Any], rule: dict[str, Any], waits: bool
) -> None:
    modules.done("custom_rules", zone_id=ZONE, rules=[before])
    service.zone(ZONE).seed(analytics={"requests": {"enabled": False}})
    accepted = ["weakens_zone", "passes_traffic"]
    assert reasons(settled(modules, rules=[rule], accept_risks=accepted)) == (["unknown"] if waits else [])
    (existing,) = service.zone(ZONE).custom_rules
    expected = before if waits else rule
    assert (existing["action"], existing["expression"]) == (expected["action"], expected["expression"])


def test_a_rule_of_a_ruleset_in_a_baseline_goes_on_while_another_one_changes(
    service: LocalService, modules: Modules
) -> None:
    def ruleset(rule: dict[str, Any], expression: str) -> dict[str, Any]:
        other = {"ref": "other", "action": "log", "expression": expression}
        return {"name": "Bots", "deploy": {"expression": "true"}, "rules": [rule, other]}

    service.zone(ZONE).seed(plan="enterprise")
    modules.done("custom_ruleset", zone_id=ZONE, **ruleset(ADMIN, 'http.host eq "a.example"'))
    paths(service, "/admin/x", 200, "enterprise")
    rulesets = [ruleset(WIDER, 'http.host eq "b.example"')]
    done = settled(modules, "host", context=ROLE, custom_rulesets=rulesets)
    assert reasons(done) == ["evidence"]
    assert [operation["key"] for operation in done["operations"]] == ["Bots other"]
    assert not done["traffic_changes"]["stopped"]


def test_a_rule_of_a_ruleset_that_stops_already_waits_for_what_nobody_knows(
    service: LocalService, modules: Modules
) -> None:
    modules.done("custom_ruleset", zone_id=ZONE, name="Bots", rules=[ADMIN])
    service.zone(ZONE).seed(analytics={"requests": {"enabled": False}})
    (pending,) = settled(modules, "custom_ruleset", name="Bots", rules=[WIDER])["pending"]
    assert pending["message"].startswith("rule admin of the ruleset Bots goes on as it is, and does not get its new")


def clients(service: LocalService, requests: int) -> None:
    """A client that sends so many requests in a minute to /login, of many requests in the last day."""
    now = service.clock.now().replace(second=30)
    moments = [(now - timedelta(minutes=20 * third + 1)).isoformat() for third in range(72)]
    seen = [{"datetime": at, "count": 17} for at in moments]
    address = {"clientIP": "192.0.2.1", "clientRequestPath": "/login", "coloCode": "FRA"}
    seen += [{**seen[1], **address, "count": requests}] if requests else []
    service.zone(ZONE).seed(requests=seen)


@pytest.mark.parametrize(
    ("requests", "words"), [(5, ""), (60, "rate limiting rule login: It would have stopped 50 of"), (0, "")]
)
def test_a_rate_limit_without_log_takes_past_requests_as_evidence(
    service: LocalService, modules: Modules, requests: int, words: str
) -> None:
    service.zone(ZONE).seed(plan="pro")
    clients(service, requests)
    rules = [{**LIMIT, "action": "block", "staged": {}, "ratelimit": {**LIMIT["ratelimit"], "mitigation_timeout": 60}}]
    result = modules.run("rate_limit_rules", zone_id=ZONE, rules=rules)
    assert bool(result.get("failed")) is bool(words), result.get("msg")
    if words:
        assert words in result["msg"] and not service.writes
        modules.done("rate_limit_rules", zone_id=ZONE, rules=[{**rules[0], "enabled": False}])
        rules = [{**rules[0], "enabled": True}]
        assert words in modules.failed("rate_limit_rules", zone_id=ZONE, rules=rules)["msg"]
        assert modules.done("rate_limit_rules", zone_id=ZONE, rules=rules, accept_risks=["blocks_traffic"])["changed"]
    assert actions(service, "rate_limit_rules") == ["block"]
    again = modules.done("rate_limit_rules", zone_id=ZONE, rules=rules)
    assert not again["changed"]


@pytest.mark.parametrize(("number", "waits"), [(5, True), (50, False)])
def test_a_rate_limit_that_stops_already_is_lowered_when_past_requests_allow_it(
    service: LocalService, modules: Modules, number: int, waits: bool
) -> None:
    modules.done("rate_limit_rules", zone_id=ZONE, rules=[LIMIT])
    clients(service, 60)
    limit = {**LIMIT["ratelimit"], "requests_per_period": number}
    rules = [{**LIMIT, "staged": {"max_stopped_percent": 0.1}, "ratelimit": limit}]
    done = settled(modules, "rate_limit_rules", rules=rules, accept_risks=["weakens_rate_limits", "passes_traffic"])
    assert reasons(done) == (["evidence"] if waits else [])
    (rule,) = service.zone(ZONE).rules_of("rate_limit_rules")
    assert rule["ratelimit"]["requests_per_period"] == (10 if waits else number)


@pytest.mark.parametrize(
    ("before", "numbers", "stopped"),
    [
        ({}, {"requests_per_period": 5}, 10),  # five more of each minute
        ({"action": "managed_challenge"}, {}, 100),  # who solved the challenge passed
        ({"expression": 'http.request.uri.path eq "/other"'}, {}, 100),  # other requests are stopped today
        ({}, {"requests_per_period": 50, "mitigation_timeout": 3600}, 10),  # later, and for longer
        ({}, {"requests_per_period": 20, "mitigation_timeout": 120}, 0),
    ],
)
def test_of_a_limit_that_stops_already_only_what_passes_today_counts(
    service: LocalService, modules: Modules, before: dict[str, Any], numbers: dict[str, Any], stopped: int
) -> None:
    clients(service, 60)
    zone = service.zone(ZONE)
    first = next(item for item in zone.requests if item.get("clientIP"))
    later = timedelta(minutes=20)
    moment = (datetime.fromisoformat(first["datetime"]) - later).isoformat()
    others = [{**first, "clientRequestPath": "/other", "count": 70}]
    zone.seed(requests=[{**first, "datetime": moment}, *others])
    limit = {**LIMIT["ratelimit"], "mitigation_timeout": 60}
    existing = {**LIMIT, "action": "block", "ratelimit": limit, **before}
    existing["ratelimit"] = {**limit, "mitigation_timeout": 0} if existing["action"] != "block" else limit
    modules.done("rate_limit_rules", zone_id=ZONE, rules=[existing])
    rule = {**LIMIT, "action": "block", "ratelimit": {**limit, **numbers}, "staged": {"max_stopped_percent": 0}}
    accepted = ["weakens_rate_limits", "passes_traffic"]
    done = settled(modules, "rate_limit_rules", rules=[rule], accept_risks=accepted)
    assert reasons(done) == (["evidence"] if stopped else [])
    if stopped:
        assert f"It would have stopped {stopped} of " in done["pending"][0]["message"]


RATE_LIMIT = {**LIMIT, "action": "block", "ratelimit": {**LIMIT["ratelimit"], "mitigation_timeout": 60}}
PACKETS = {"ref": "admin", "action": "block", "expression": "ip.src in {192.0.2.0/24}"}
LOWER = {**RATE_LIMIT["ratelimit"], "requests_per_period": 5}
RULES_IN_TURN: list[tuple[str, str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("custom_rules", "custom_rule", {"zone_id": ZONE}, ADMIN, {"expression": WIDER["expression"]}),
    ("custom_ruleset", "custom_ruleset_rule", {"zone_id": ZONE, "name": "Bots"}, ADMIN, {"expression": "true"}),
    ("rate_limit_rules", "rate_limit_rule", {"zone_id": ZONE}, RATE_LIMIT, {"ratelimit": LOWER}),
    (
        "network_firewall_rules",
        "network_firewall_rule",
        {"account_id": ACCOUNT},
        PACKETS,
        {"expression": "ip.src eq 192.0.3.1"},
    ),
]


@pytest.mark.parametrize(("module", "resource", "owner", "rule", "wider"), RULES_IN_TURN)
@pytest.mark.parametrize(
    ("before", "is_wider", "action"),
    [({}, False, "block"), ({}, True, "log"), ({"enabled": False}, False, "log"), ({"action": "log"}, False, "log")],
)
def test_a_rule_with_another_ref_goes_on_if_the_same_run_deletes_the_former_one(
    service: LocalService,
    modules: Modules,
    module: str,
    resource: str,
    owner: dict[str, Any],
    rule: dict[str, Any],
    wider: dict[str, Any],
    before: dict[str, Any],
    is_wider: bool,
    action: str,
) -> None:
    modules.done(module, rules=[{**rule, **before}], **owner)
    codes = {"rate_limit_rules": "weakens_rate_limits", "network_firewall_rules": "weakens_network_firewall"}
    owner = {**owner, "accept_risks": [codes.get(module, "weakens_zone"), "passes_traffic"] if is_wider else []}
    renamed = {**rule, "ref": "new", "staged": {}, **(wider if is_wider else {})}
    results = [modules.run(module, check, rules=[renamed], **owner, purge=True) for check in (True, False)]
    for result in results:
        changes = {item["action"]: item["fields"] for item in result["operations"]}
        assert {*changes} == {"create", "delete"} and changes["create"]["action"] == action, result.get("msg")
    assert not modules.done(module, rules=[renamed], **owner, purge=True)["changed"]
    beside = {**renamed, "ref": "beside"}
    third = modules.done(module, rules=[beside], **owner)
    assert third["operations"][0]["fields"]["action"] == "log" and resource == third["operations"][0]["resource"]


def test_of_packets_nobody_knows_what_a_wider_rule_matches(service: LocalService, modules: Modules) -> None:
    rule = {"ref": "deny", "action": "block", "expression": "ip.src in {192.0.2.0/25}"}
    modules.done("network_firewall_rules", account_id=ACCOUNT, rules=[rule])
    wider = {**rule, "expression": "ip.src in {192.0.2.0/24}", "staged": {}}
    for dummy in range(2):
        done = modules.done("network_firewall_rules", account_id=ACCOUNT, rules=[wider])
        (pending,) = done["pending"]
        assert pending["reason"] == "unknown" and "Write them as a new rule, which logs first." in pending["message"]
    (existing,) = service.account(ACCOUNT).entry_points["magic_transit"]["rules"]
    assert existing["expression"] == rule["expression"]


def test_a_rule_that_is_switched_off_logs_first(service: LocalService, modules: Modules) -> None:
    modules.done("custom_rules", zone_id=ZONE, rules=[{**ADMIN, "enabled": False}])
    assert reasons(settled(modules, rules=[{**STAGED, "enabled": True}])) == ["time"]
    (rule,) = service.zone(ZONE).custom_rules
    assert (rule["action"], rule["enabled"]) == ("log", True)


def test_a_rate_limit_logs_first_where_the_plan_has_log(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(plan="enterprise")
    traffic(service, matched=0)
    rules = [{**LIMIT, "staged": {"hours": 24}}]
    assert reasons(settled(modules, "rate_limit_rules", rules=rules)) == ["time"]
    assert actions(service, "rate_limit_rules") == ["log"]
    service.clock.advance(hours=25)
    settled(modules, "rate_limit_rules", rules=rules)
    assert actions(service, "rate_limit_rules") == ["managed_challenge"]


def test_a_rule_of_a_ruleset_logs_first(service: LocalService, modules: Modules) -> None:
    traffic(service, matched=0)
    done = settled(modules, "custom_ruleset", name="Bots", rules=[STAGED])
    (pending,) = done["pending"]
    assert pending["message"].startswith("rule admin of the ruleset Bots logs, and gets its action")
    service.clock.advance(hours=25)
    done = settled(modules, "custom_ruleset", name="Bots", rules=[STAGED])
    assert done["changed"], done["pending"][0]["message"]


@pytest.mark.parametrize(("matched", "reason"), [(1, ""), (40, "evidence")])
def test_a_rule_of_the_network_firewall_logs_first(
    service: LocalService, modules: Modules, matched: int, reason: str
) -> None:
    rules = [{"ref": "deny", "action": "block", "expression": "ip.src in {192.0.2.0/24}", "staged": {}}]
    options: dict[str, Any] = {"account_id": ACCOUNT, "rules": rules}
    account = service.account(ACCOUNT)
    modules.done("network_firewall_rules", **options)
    (rule,) = account.entry_points["magic_transit"]["rules"]
    assert rule["action"] == "log"
    now, flow = service.clock.now(), {"ipDestinationAddress": "192.0.2.7"}
    moments = [(now + timedelta(minutes=30 * half + 1)).isoformat() for half in range(60)]
    account.seed(
        traffic=[
            *({"datetime": at, "node": "packets", "packets": 2000, **flow} for at in moments),
            *({"datetime": at, "node": "firewall", "packets": matched, "ruleId": rule["id"], **flow} for at in moments),
        ]
    )
    service.clock.advance(hours=25)
    done = modules.done("network_firewall_rules", **options)
    (rule,) = account.entry_points["magic_transit"]["rules"]
    assert (reasons(done), rule["action"]) == ([reason] if reason else [], "log" if reason else "block")
    if reason:
        assert "It would have stopped 1920 of 96000 packets (2 %)" in done["pending"][0]["message"]


def test_the_rules_of_an_account_have_no_steps(service: LocalService, modules: Modules) -> None:
    refused = modules.run("custom_ruleset", zone_id=None, account_id="a" * 32, name="Bots", rules=[STAGED])
    assert "rules[0].staged: the analytics of an account do not tell" in refused["msg"]


@pytest.mark.parametrize(("path", "is_refused"), [("/shop", False), ("/admin", True)])
def test_where_the_plan_has_no_log_past_requests_are_the_evidence(
    service: LocalService, modules: Modules, path: str, is_refused: bool
) -> None:
    service.zone(ZONE).seed(plan="pro", requests=[{"clientRequestPath": path, "count": 100000}])
    refused = modules.run("custom_rules", zone_id=ZONE, rules=[STAGED])
    assert bool(refused.get("failed")) is is_refused
    if is_refused:
        assert "blocks_traffic" in refused["msg"] and "more than the allowed 0.1 %" in refused["msg"]
        assert not service.writes
    else:
        assert actions(service) == ["block"] and "backtest" in refused


@pytest.mark.parametrize(
    ("most", "allowed", "words"),
    [
        (50, 0.1, "custom rule admin: It would have stopped 20000 of 1020000 requests"),
        (1, 50, "The planned rules would stop 20000 of 1020000 requests"),
        (50, 50, ""),
    ],
)
def test_the_limit_of_a_rule_and_that_of_a_backtest_both_hold(
    service: LocalService, modules: Modules, most: float, allowed: float, words: str
) -> None:
    paths(service, "/admin", 200, "business")
    rules = [{**ADMIN, "staged": {"max_stopped_percent": allowed}}]
    backtest = {"hours": 24, "max_blocked_percent": most}
    results = [
        modules.run("custom_rules", check, zone_id=ZONE, rules=rules, backtest=backtest) for check in (True, False)
    ]
    for result in results:
        assert bool(result.get("failed")) is bool(words), result.get("msg")
        assert words in result.get("msg", "")
    assert actions(service) == ([] if words else ["block"])


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({**STAGED, "action": "log"}, "rules[0].staged: a rule with the action log stops nothing"),
        ({**ADMIN, "staged": {"hours": 0}}, "rules[0].staged.hours: 0.0 is not between 1 and 2160"),
        (
            {**ADMIN, "staged": {"max_stopped_percent": 101}},
            "rules[0].staged.max_stopped_percent: 101.0 is not between",
        ),
    ],
)
def test_steps_that_make_no_sense_are_refused_before_a_request(
    service: LocalService, modules: Modules, rule: dict[str, Any], words: str
) -> None:
    refused = modules.run("custom_rules", zone_id=ZONE, rules=[rule])
    assert words in refused["msg"] and not service.calls


def test_a_report_says_that_a_rule_waits_for_its_action(service: LocalService, modules: Modules) -> None:
    variables: dict[str, Any] = {"baseline_custom_rules": [STAGED], "edge_account_id": None, "baseline_prefixes": None}
    assert assessed(predicted(service, **variables))[0] == "drift"
    modules.done("host", context=ROLE, zone_id=ZONE, custom_rules=[STAGED])
    traffic(service, matched=4)
    for hours, reason in ((0, "time"), (25, "evidence")):
        service.clock.advance(hours=hours)
        record = predicted(service, **variables)
        assert [pending["reason"] for pending in record["pending"]] == [reason]
        status, (sentence,) = assessed(record)
        assert (status, sentence.startswith("custom rule admin logs, and ")) == ("pending", True)


def test_a_run_for_time_alone_takes_the_step(service: LocalService, modules: Modules) -> None:
    traffic(service, matched=0)
    options: dict[str, Any] = {"zone_id": ZONE, "custom_rules": [STAGED], "only": "time"}
    modules.done("host", context=ROLE, zone_id=ZONE, custom_rules=[STAGED])
    service.clock.advance(hours=25)
    done = modules.done("host", context=ROLE, **options)
    assert done["changed"], done["pending"][0]["message"]
    assert actions(service) == ["block"]


@pytest.mark.parametrize(("plan", "most"), [("pro", 1), ("enterprise", 1), ("pro", None)])
@pytest.mark.parametrize("context", [{}, {"context": ROLE}])
def test_a_backtest_leaves_out_a_rule_that_waits(
    service: LocalService, modules: Modules, context: dict[str, Any], plan: str, most: int | None
) -> None:
    service.zone(ZONE).seed(plan=plan)
    modules.done("custom_rules", zone_id=ZONE, rules=[ADMIN])
    paths(service, "/admin/x", 200, plan)
    rules = [WIDER, {**STAGED, "ref": "new", "expression": 'http.request.uri.path eq "/new"'}]
    module, option = ("host", "custom_rules") if context else ("custom_rules", "rules")
    terms = most and {"hours": 24, "max_blocked_percent": most}
    done = settled(modules, module, backtest=terms, **{option: rules}, **context)
    assert reasons(done)[0] == "evidence"
    assert [operation["key"] for operation in done["operations"]] == ["new"]
    assert done["backtest"]["newly_blocked"]["requests"] == 0
