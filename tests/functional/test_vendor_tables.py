# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules by the vendor's tables: a wrong one is refused or warned of in check mode, the nearest right one is not."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import MANAGED, OWASP, PER_ADDRESS
from tests.support.module_run import ACCOUNT, ZONE, Modules, warnings_of

Rule = dict[str, Any]
RULE_ID = "5de7edfa648c4d6891dc3e7f84534ffa"


class Row(NamedTuple):
    """A module, a wrong rule of it with what is said of it, and a right one."""

    module: str
    wrong: Rule
    words: str
    right: Rule


def rule(expression: str = 'http.host eq "a.example"', action: str = "block", **fields: Any) -> Rule:
    return {"ref": "new", "action": action, "expression": expression, **fields}


def limited(*characteristics: str, expression: str = 'http.host eq "a.example"', **fields: Any) -> Rule:
    limit = {**PER_ADDRESS, "characteristics": ["cf.colo.id", *characteristics], **fields}
    return {**rule(expression), "ratelimit": limit}


def override(expression: str) -> Rule:
    return {"ref": "new", "expression": expression, "sensitivity": "default"}


def skip(**parameters: Any) -> Rule:
    return rule(action="skip", action_parameters=parameters)


LOGGED: Rule = {"logging": {"enabled": True}}
QUIET: Rule = {"logging": {"enabled": False}}
NOT_LOGGED = "logging: only a rule with the action skip has it"
L4 = "reads a field that Cloudflare's page does not list for overrides of DDoS rules of layers 3 and 4"
L7 = "reads a field that Cloudflare's page does not list for overrides of HTTP DDoS rules"
PACKETS = "ip.dst in {192.0.2.0/24}"
ROWS = [
    # options by action
    Row("custom_rules", rule(**LOGGED), NOT_LOGGED, {**skip(ruleset="current"), **QUIET}),
    Row("custom_rules", rule(action="log", **QUIET), NOT_LOGGED, rule(action="log")),
    Row("custom_rules", rule(action="managed_challenge", **LOGGED), NOT_LOGGED, rule(action="managed_challenge")),
    Row("network_firewall_rules", rule(PACKETS, **LOGGED), NOT_LOGGED, rule(PACKETS, "skip", **QUIET)),
    Row("network_firewall_rules", rule(PACKETS, "log", **LOGGED), NOT_LOGGED, rule(PACKETS, "log")),
    Row("managed_rules", rule("true", "execute", action_parameters={"id": MANAGED}, **LOGGED), NOT_LOGGED,
        rule("true", "execute", action_parameters={"id": MANAGED})),
    # exceptions
    Row("managed_rules", skip(ruleset="current", rules={MANAGED: [RULE_ID]}), "ruleset stands alone",
        skip(rulesets=[OWASP], rules={MANAGED: [RULE_ID]})),
    Row("managed_rules", skip(rulesets=[], rules={}), "names nothing", skip(rulesets=[], rules={MANAGED: [RULE_ID]})),
    Row("managed_rules", skip(rulesets=[OWASP, OWASP]), "twice", skip(ruleset="current", rulesets=[])),
    # fields by phase
    Row("ddos_l4_overrides", override('ip.src.country eq "DE"'), f"{L4}: 'ip.src.country'", override(PACKETS)),
    Row("ddos_l4_overrides", override("icmp.type eq 8"), f"{L4}: 'icmp.type'", override("ip.proto.num eq 1")),
    Row("ddos_l4_overrides", override('cf.colo.name eq "fra01"'), L4, override("tcp.flags.syn")),
    Row("ddos_l4_overrides", override("tcp.flags.cwr"), "(did you mean tcp.flags.", override("tcp.flags.ack")),
    Row("ddos_l7_overrides", override("cf.waf.score lt 20"), f"{L7}: 'cf.waf.score'", override("cf.client.bot")),
    Row("ddos_l7_overrides", override("cf.bot_management.score lt 30"), L7, override('cf.bot_management.ja4 eq "a"')),
    Row("ddos_l7_overrides", override('http.request.body.raw contains "a"'), L7, override('http.request.uri.query contains "a"')),
    Row("ddos_l7_overrides", override("cf.edge.server_port eq 80"), L7, override("not ssl")),
    Row("custom_rules", rule("http.response.code eq 404"), "reads a field of the response, which does not exist yet: 'http.response.code'",
        rule('http.referer eq "http.response.code"')),
    Row("rate_limit_rules", limited("ip.src", expression="http.response.code eq 404"), "reads a field of the response",
        limited("ip.src", counting_expression="http.response.code eq 404")),
    Row("rate_limit_rules", limited("ip.scr"), "reads a field in a characteristic that this collection does not know: 'ip.scr' (did you mean ip.src?)",
        limited("ip.src")),
    Row("rate_limit_rules", limited("http.request.headers['x-a']"), "in which ''' is not expected there; write texts in double quotes",
        limited('http.request.headers["x-a"]')),
    Row("rate_limit_rules", limited("ip.src", "ip.src "), "ratelimit.characteristics: it has ip.src twice",
        limited("ip.src", 'lookup_json_string(http.request.body.raw, "user")')),
    Row("rate_limit_rules", limited("http.request.cookie"), "did you mean http.request.cookies?", limited('http.request.cookies["a"]')),
    # newer than the parser, and names that nobody knows
    Row("custom_rules", rule('lower(http.hots) eq "a"'), "'http.hots' (did you mean http.host?)", rule('any(cf.intel.ip.datasets[*] eq "ddos")')),
]  # fmt: skip
ANSWER = {"response": {"status_code": 403, "content": "no", "content_type": "text/plain"}}
MANAGED_ID, OWASP_ID = "efb7b8c949ac4650a09736fc376e9aee", "4814384a9e5d4991b9815dcfc25d2f1f"
FREE_ID = "77454fe2d30c4220b5701f6fdfb893ba"
NOT_IN = "The zone has the plan {}: it does not have {}, which is in new."
SLOW = limited("ip.src", period=10, mitigation_timeout=10, expression='http.request.uri.path eq "/a"')


def execute(identity: str) -> Rule:
    return rule("true", "execute", action_parameters={"id": identity})


OF_PLANS = [  # the plan of the zone, a rule that it does not include with what is said of it, and one that it does
    ("free", Row("custom_rules", rule(action_parameters=ANSWER), "a response of a rule", rule())),
    ("free", Row("rate_limit_rules", {**SLOW, "action_parameters": ANSWER}, "a response of a rule", SLOW)),
    ("free", Row("managed_rules", execute(MANAGED_ID), "the Cloudflare Managed Ruleset", execute(FREE_ID))),
    ("free", Row("managed_rules", execute(OWASP_ID), "the Cloudflare OWASP Core Ruleset", execute(FREE_ID))),
    ("business", Row("rate_limit_rules", {**SLOW, "action": "log"}, "the action log", SLOW)),
    ("pro", Row("ddos_l7_overrides", override("ssl"), "an expression other than true in an override of HTTP DDoS rules", override("true"))),
    ("business", Row("ddos_l7_overrides", {**override("true"), "action": "log"}, "the action log", {**override("true"), "action": "block"})),
]  # fmt: skip
HIGHER = {"free": "pro", "pro": "enterprise", "business": "enterprise"}


@pytest.mark.parametrize(("plan", "row"), OF_PLANS)
def test_a_plan_that_does_not_include_it_is_named(plan: str, row: Row, service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).plan = plan
    assert NOT_IN.format(plan.capitalize(), row.words) in predicted(modules, row, row.wrong)["msg"]
    right = predicted(modules, row, row.right)
    assert not right.get("failed") or right["risks"]
    service.zone(ZONE).plan = HIGHER[plan]
    higher = predicted(modules, row, row.wrong)
    assert "The zone has the plan" not in str(higher.get("msg"))


SCORE = rule("cf.waf.score lt 20")
CLASS = rule('cf.waf.score.class eq "attack"')
BOTS = rule("cf.bot_management.score lt 30")
REQUIRES = "The zone has the plan {}: {}, which is in new, requires {}. Without it, Cloudflare may refuse the rule, or no request matches it."
FIELDS_BY_PLAN = [  # the plan, a rule that reads a field, and what the field requires; empty if the zone may have it
    ("pro", SCORE, "cf.waf.score", "the plan Enterprise"),
    ("business", SCORE, "cf.waf.score", "the plan Enterprise"),
    ("enterprise", SCORE, "cf.waf.score", ""),
    ("free", CLASS, "cf.waf.score.class", "the plan Business or above"),
    ("business", CLASS, "cf.waf.score.class", ""),
    ("business", BOTS, "cf.bot_management.score", "the plan Enterprise with Bot Management"),
    ("enterprise", BOTS, "cf.bot_management.score", ""),
    ("free", rule("cf.bot_management.verified_bot"), "cf.bot_management.verified_bot", ""),
    ("free", rule('http.host eq "cf.waf.score"'), "cf.waf.score", ""),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "entry", "field", "requires"), FIELDS_BY_PLAN)
def test_a_field_that_the_plan_lacks_is_warned_of(
    plan: str, entry: Rule, field: str, requires: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).plan = plan
    told = warnings_of(modules.done("custom_rules", check=True, rules=[entry]))
    words = REQUIRES.format(plan.capitalize(), field, requires)
    assert (words in told) if requires else ("requires" not in told)
    done = modules.run("custom_rules", rules=[entry])
    assert ("not entitled to use a field" in str(done.get("msg"))) is bool(requires)


@pytest.mark.parametrize(
    ("plan", "overrides", "is_told"),
    [
        ("pro", {"action": "log"}, True),
        ("business", {"categories": [{"category": "php", "action": "log"}]}, True),
        ("pro", {"rules": [{"id": "1" * 32, "action": "log"}]}, True),
        ("pro", {"rules": [{"id": "1" * 32, "action": "block"}]}, False),
        ("enterprise", {"action": "log"}, False),
    ],
)
def test_a_log_of_managed_rules_that_the_plan_may_lack_is_warned_of(
    plan: str, overrides: dict[str, Any], is_told: bool, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).plan = plan
    entry: Rule = {"ref": "new", "action": "execute", "expression": "true"}
    entry["action_parameters"] = {"id": "efb7b8c949ac4650a09736fc376e9aee", "overrides": overrides}
    told = warnings_of(modules.done("managed_rules", check=True, rules=[entry]))
    words = "the action log in an override of managed rules, which is in new, requires the plan Enterprise"
    assert (words in told) is is_told
    assert words not in warnings_of(modules.done("managed_rules", rules=[entry])) or is_told


def test_a_field_of_some_plans_is_doubted_if_the_plan_is_not_known(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).plan = "pro"
    service.misbehave("status", path=f"/zones/{ZONE}$", status=403, errors=[{"code": 10000, "message": "no"}])
    told = warnings_of(modules.done("custom_rules", check=True, rules=[SCORE]))
    assert "The zone's plan is not known: cf.waf.score, which is in new, requires the plan Enterprise." in told


def test_a_field_that_an_existing_rule_reads_is_one_that_the_zone_has(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).plan = "pro"
    service.zone(ZONE).seed(custom_rules=[{**SCORE, "ref": "old"}])
    assert "requires" not in warnings_of(modules.done("custom_rules", check=True, rules=[SCORE]))


def test_a_second_override_is_beyond_a_lower_plan(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).plan = "business"
    overrides = [override("true"), {**override("true"), "ref": "second"}]
    words = "it takes 1 HTTP DDoS override, and 2 would be there"
    assert words in modules.failed("ddos_l7_overrides", check=True, overrides=overrides)["msg"]


OPTION_OF = {"ddos_l4_overrides": "overrides", "ddos_l7_overrides": "overrides"}


@pytest.fixture(autouse=True)
def _owners(service: LocalService) -> None:
    service.account(ACCOUNT)
    service.zone(ZONE).seed(account_id=ACCOUNT, plan="enterprise")


def predicted(modules: Modules, row: Row, entry: Rule) -> dict[str, Any]:
    options: dict[str, Any] = {OPTION_OF.get(row.module, "rules"): [entry]}
    return modules.run(row.module, check=True, **options)


@pytest.mark.parametrize("row", ROWS)
def test_a_wrong_rule_is_told_before_it_is_written(row: Row, modules: Modules) -> None:
    result = predicted(modules, row, row.wrong)
    assert row.words in f"{result.get('msg')} {warnings_of(result)}"


@pytest.mark.parametrize("row", ROWS)
def test_its_right_neighbour_is_not(row: Row, modules: Modules) -> None:
    result = predicted(modules, row, row.right)
    assert not result.get("failed") or result["risks"]
    assert "Is this meant?" not in warnings_of(result) and "rules[0]" not in warnings_of(result)
