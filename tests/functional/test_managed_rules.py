# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Deployments of managed rulesets and exceptions from them: the risk, the report's reasons, wrong entries, warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import EXECUTED, MANAGED, OWASP
from tests.support.module_run import ZONE, Modules
from tests.support.work import calls_of

RULE, OTHER = "5de7edfa648c4d6891dc3e7f84534ffa", "0b2b1f2c8f5f4a2f8f9f2f3f4f5f6f7f"
Rule = dict[str, Any]
MOST_CALLS = 20_000_000  # of functions


def deployment(ref: str = "managed", managed: str = MANAGED, expression: str = "true", **overrides: Any) -> Rule:
    parameters = {"id": managed, **({"overrides": overrides} if overrides else {})}
    return {"ref": ref, "action": "execute", "expression": expression, "action_parameters": parameters}


def exception(ref: str = "pass", expression: str = "ip.src in {192.0.2.7}", **target: Any) -> Rule:
    return {
        "ref": ref,
        "action": "skip",
        "expression": expression,
        "action_parameters": target or {"ruleset": "current"},
    }


def of_category(**values: Any) -> Rule:
    return deployment(categories=[{"category": "php", **values}])


def of_rule(**values: Any) -> Rule:
    return deployment(rules=[{"id": RULE, **values}])


def of_categories(**actions: str) -> Rule:
    return deployment(categories=[{"category": name, "action": action} for name, action in actions.items()])


PATH = 'starts_with(http.request.uri.path, "/a")'
# The rules before and after, and the end of the reason; an empty one is no loss.
LOSSES: Sequence[tuple[str, list[Rule], list[Rule], str]] = [
    ("removed", [deployment()], [], "does not exist"),
    ("off", [{**deployment(), "enabled": True}], [{**deployment(), "enabled": False}], "is off, and the baseline turns it on"),
    ("narrowed", [deployment()], [deployment(expression=PATH)], "matches fewer requests than described"),
    ("wider", [deployment(expression=PATH)], [deployment()], ""),
    ("another ruleset", [deployment()], [deployment(managed=OWASP)],
     f"deploys the ruleset {OWASP} in place of {MANAGED}"),
    ("all off", [deployment()], [deployment(enabled=False)], "weakens all its rules by its overrides"),
    ("all on again", [deployment(enabled=False)], [deployment()], ""),
    ("all to log", [deployment()], [deployment(action="log")], "weakens all its rules by its overrides"),
    ("all from log to the vendor's", [deployment(action="log")], [deployment()], ""),
    ("all to block", [deployment()], [deployment(action="block")], ""),
    ("all from block to a challenge", [deployment(action="block")], [deployment(action="js_challenge")],
     "weakens all its rules by its overrides"),
    ("all from block to the vendor's", [deployment(action="block")], [deployment()],
     "may weaken all its rules by its overrides"),
    ("all to a challenge", [deployment()], [deployment(action="challenge")], "may weaken all its rules by its overrides"),
    ("no longer all enabled", [deployment(enabled=True)], [deployment()], "may weaken all its rules by its overrides"),
    ("a category off", [deployment()], [of_category(enabled=False)], "weakens the category php by its overrides"),
    ("a category on", [of_category(enabled=False)], [of_category(enabled=True)], ""),
    ("a category to log", [of_category(action="block")], [of_category(action="log")],
     "weakens the category php by its overrides"),
    ("a rule off in a category", [of_category(action="block")],
     [deployment(categories=[{"category": "php", "action": "block"}], rules=[{"id": RULE, "enabled": False}])],
     f"weakens the rule {RULE} by its overrides"),
    ("a higher score", [of_rule(score_threshold=25)], [of_rule(score_threshold=26)],
     f"weakens the rule {RULE} by its overrides"),
    ("a lower score", [of_rule(score_threshold=60)], [of_rule(score_threshold=25)], ""),
    ("a score", [deployment()], [of_rule(score_threshold=25)], f"may weaken the rule {RULE} by its overrides"),
    ("categories in another order", [of_categories(a="log", b="block")], [of_categories(b="block", a="log")],
     "may weaken the category a in the category b by its overrides"),
    ("categories in another order that say the same", [of_categories(a="block", b="block")], [of_categories(b="block", a="block")], ""),
    ("a later category that says log as all rules do", [{**of_categories(a="block")}], [of_categories(a="block", b="log")],
     "weakens the category b by its overrides"),
    ("all from a challenge to the vendor's", [deployment(action="challenge")], [deployment()],
     "may weaken all its rules by its overrides"),
    ("an exception in front", [deployment()], [exception(), deployment()],
     "lets requests pass that rule for managed rules managed would stop"),
    ("an exception behind", [deployment()], [deployment(), exception()], ""),
    ("an exception that moves to the front", [deployment(), exception()], [exception(), deployment()],
     "lets requests pass that rule for managed rules managed would stop"),
    ("an exception of the ruleset", [deployment()], [exception(rulesets=[MANAGED]), deployment()],
     "lets requests pass that rule for managed rules managed would stop"),
    ("an exception of another ruleset", [deployment()], [exception(rulesets=[OWASP]), deployment()], ""),
    ("an exception of a rule", [deployment()], [exception(rules={MANAGED: [RULE]}), deployment()],
     "lets requests pass that rule for managed rules managed would stop"),
    ("an exception of one more rule", [exception(rules={MANAGED: [RULE]}), deployment()],
     [exception(rules={MANAGED: [RULE, OTHER]}), deployment()], f"skips more than described (rules {MANAGED} {OTHER})"),
    ("an exception of fewer rules", [exception(rules={MANAGED: [RULE, OTHER]}), deployment()],
     [exception(rules={MANAGED: [RULE]}), deployment()], ""),
    ("an exception of the ruleset in place of all", [exception(), deployment()], [exception(rulesets=[MANAGED]), deployment()], ""),
    ("an exception of a rule in place of its ruleset", [exception(rulesets=[MANAGED]), deployment()],
     [exception(rules={MANAGED: [RULE]}), deployment()], ""),
    ("an exception of a rule of another ruleset", [exception(rulesets=[OWASP]), deployment()],
     [exception(rules={MANAGED: [RULE]}), deployment()], f"skips more than described (rules {MANAGED} {RULE})"),
    ("a wider exception", [exception(), deployment()], [exception(expression="ip.src in {192.0.2.0/24}"), deployment()],
     "lets more requests pass than described"),
    ("an exception that is on", [{**exception(), "enabled": False}, deployment()], [{**exception(), "enabled": True}, deployment()],
     "lets requests pass, and the baseline does not"),
    ("an exception that is off", [exception(), deployment()], [{**exception(), "enabled": False}, deployment()], ""),
]  # fmt: skip
LOSS_IDS = [row[0] for row in LOSSES]
OF_OWASP, AGAIN = deployment("owasp", managed=OWASP), deployment("again")
# What becomes of the rules that stand together; the rules whose plan is refused.
TOGETHER: Sequence[tuple[str, list[Rule], list[Rule], list[str]]] = [
    ("turned into an exception of what another one does not deploy", [AGAIN, deployment(), OF_OWASP],
     [AGAIN, exception("managed", "true"), OF_OWASP], ["managed"]),
    ("turned into an exception behind which nothing is deployed", [AGAIN, OF_OWASP, deployment()],
     [AGAIN, OF_OWASP, exception("managed", "true")], []),
    ("an existing exception and the first deployment at once", [{**exception(), "enabled": False}],
     [{**exception(), "enabled": True}, deployment()], []),
    ("a new exception and the first deployment at once", [], [exception(), deployment()], []),
    ("an exception between two equal deployments", [deployment(), AGAIN], [deployment(), exception(), AGAIN], []),
    ("an exception in front of two equal deployments", [deployment(), AGAIN], [exception(), deployment(), AGAIN], ["pass"]),
    ("a wider exception between two equal deployments", [deployment(), exception(), AGAIN],
     [deployment(), exception(expression="true"), AGAIN], []),
    ("an exception between two deployments of which the second stops more", [deployment(), deployment("again", action="block")],
     [deployment(), exception(), deployment("again", action="block")], ["pass"]),
    ("a deployment that only logs goes", [deployment(action="log")], [], []),
    ("a deployment that is off by its overrides goes", [deployment(enabled=False)], [], []),
    ("a deployment that logs all but a category goes", [deployment(action="log", categories=[{"category": "php", "action": "block"}])],
     [], ["managed"]),
    ("a deployment behind an exception of everything goes", [exception(expression="true"), deployment()], [exception(expression="true")], []),
    ("a deployment behind an exception of all of its ruleset goes", [exception(expression="true", rulesets=[MANAGED]), deployment()],
     [exception(expression="true", rulesets=[MANAGED])], []),
    ("a deployment behind an exception of one rule goes", [exception(expression="true", rules={MANAGED: [RULE]}), deployment()],
     [exception(expression="true", rules={MANAGED: [RULE]})], ["managed"]),
    ("a deployment behind an exception of some requests goes", [exception(), deployment()], [exception()], ["managed"]),
    ("a deployment behind an exception that is off goes", [{**exception(expression="true"), "enabled": False}, deployment()],
     [exception(expression="true")], ["managed"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "after", "reason"), LOSSES, ids=LOSS_IDS)
def test_a_plan_that_weakens_managed_rules_is_a_risk(
    name: str, before: list[Rule], after: list[Rule], reason: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(managed_rules=before)
    options: dict[str, Any] = {"rules": after, "purge": True, "accept_risks": ["empties_list", "mass_deletion"]}
    options["accept_risks"].append("blocks_everything")  # of the row that sets all to block
    predicted = modules.run("managed_rules", check=True, **options)
    codes = {risk["code"] for risk in predicted.get("risks", ())} - {"blocks_everything"}
    assert codes == ({"weakens_managed_rules"} if reason else set())
    accepted = {**options, "accept_risks": [*options["accept_risks"], "weakens_managed_rules"]}
    check, done = modules.done("managed_rules", check=True, **accepted), modules.done("managed_rules", **accepted)
    assert check["operations"] == done["operations"] and done["changed"]
    assert not modules.done("managed_rules", **accepted)["changed"]


@pytest.mark.parametrize(("name", "described", "existing", "reason"), LOSSES, ids=LOSS_IDS)
def test_rules_that_protect_less_than_described_are_weaker(
    name: str, described: list[Rule], existing: list[Rule], reason: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(managed_rules=existing)
    result = modules.run("managed_rules", check=True, rules=described, purge=True, accept_risks=["empties_list"])
    assert [item["reason"] for item in result.get("weaker", ())] == ([reason] if reason else [])
    assert [item["certain"] for item in result.get("weaker", ())] == ([not reason.startswith("may ")] if reason else [])


def test_a_deployment_in_place_of_another_is_no_risk(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(managed_rules=[deployment("old", action="block")])
    assert "risks" not in modules.done("managed_rules", rules=[deployment("new", action="block")], purge=True)


@pytest.mark.parametrize(("name", "before", "after", "entries"), TOGETHER, ids=[row[0] for row in TOGETHER])
def test_a_risk_is_what_the_rules_together_stop_no_longer(
    name: str, before: list[Rule], after: list[Rule], entries: list[str], service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(managed_rules=before)
    accepted = ["empties_list", "mass_deletion"]
    result = modules.run("managed_rules", check=True, rules=after, purge=True, accept_risks=accepted)
    risks = [risk["entries"] for risk in result.get("risks", ()) if risk["code"] == "weakens_managed_rules"]
    assert risks == ([entries] if entries else []), result.get("msg")


def test_many_overrides_are_compared_with_little_work(service: LocalService, modules: Modules) -> None:
    described, existing = (
        deployment(
            action=action,
            categories=[{"category": f"c{number}", "enabled": True} for number in range(40)],
            rules=[{"id": f"{number:032x}", "enabled": True} for number in range(300)],
        )
        for action in ("block", "log")
    )
    service.zone(ZONE).seed(managed_rules=[existing])
    results: list[dict[str, Any]] = []
    options: dict[str, Any] = {"rules": [described], "accept_risks": ["blocks_everything"]}
    calls = calls_of(lambda: results.append(modules.done("managed_rules", check=True, **options)))
    (weaker,) = results[0]["weaker"]
    assert weaker["reason"] == "weakens all its rules by its overrides"
    assert calls < MOST_CALLS, calls


@pytest.mark.parametrize("after", [[exception(), deployment("new")], [exception(), deployment("double")]])
@pytest.mark.parametrize("target", [{}, {"rulesets": [MANAGED]}, {"rules": {MANAGED: [RULE]}}])
def test_a_deployment_behind_an_exception_is_none_in_place_of_another(
    after: list[Rule], target: Rule, service: LocalService, modules: Modules
) -> None:
    after = [exception(**target), *after[1:]]
    service.zone(ZONE).seed(managed_rules=[deployment(), exception(**target), deployment("double")])
    failed = modules.failed("managed_rules", check=True, rules=after, purge=True)
    assert [(risk["code"], risk["entries"]) for risk in failed["risks"]] == [("weakens_managed_rules", ["managed"])]


def test_ids_in_capitals_are_the_same_ids(service: LocalService, modules: Modules) -> None:
    rules = [exception(rules={MANAGED: [RULE]}), deployment(rules=[{"id": RULE, "action": "block"}])]
    service.zone(ZONE).seed(managed_rules=rules)
    capitals = [
        exception(rules={MANAGED.upper(): [RULE.upper()]}),
        deployment(managed=MANAGED.upper(), rules=[{"id": RULE.upper(), "action": "block"}]),
    ]
    assert not modules.done("managed_rules", rules=capitals)["changed"]
    more = [exception("more", rulesets=[MANAGED.upper()]), *rules]
    assert modules.failed("managed_rules", check=True, rules=more, purge=True)["risks"][0]["entries"] == ["more"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (deployment(sensitivity_level="high"), deployment()),
        (of_category(future=1), deployment()),
        (of_rule(score_threshold="25"), of_rule(score_threshold=60)),
    ],
)
def test_overrides_that_are_not_known_may_be_a_risk(
    before: Rule, after: Rule, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(managed_rules=[before])
    refused = modules.failed("managed_rules", check=True, rules=[after])
    assert [risk["code"] for risk in refused["risks"]] == ["weakens_managed_rules"] and "may weaken" in refused["msg"]


@pytest.mark.parametrize("parameters", [{"phases": ["http_request_firewall_managed"]}, {"products": ["waf"]}])
def test_an_exception_with_another_target_is_a_risk(parameters: Rule, service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(managed_rules=[deployment()])
    odd = {"ref": "odd", "action": "skip", "expression": "true", "api_fields": {"action_parameters": parameters}}
    failed = modules.failed("managed_rules", check=True, rules=[{**odd, "position": "first"}])
    assert failed["risks"][0]["entries"] == ["odd"]
    done = modules.done("managed_rules", check=True, rules=[odd], accept_risks=["weakens_managed_rules"])
    assert "does nothing" not in str(done["warnings"])


def test_an_exception_of_somebody_else_is_a_hole(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(managed_rules=[exception(), deployment(), exception("behind")])
    result = modules.done("managed_rules", check=True, rules=[deployment()])
    assert [(item["key"], item["weakens"]) for item in result["unmanaged"]] == [("pass", True), ("behind", False)]


IDLE = "The exception behind does nothing"


@pytest.mark.parametrize("wider", [exception(expression="true"), exception(rules={OWASP: [RULE]}), exception()])
def test_an_exception_of_nothing_behind_it_is_no_risk(wider: Rule, service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(managed_rules=[deployment(), exception(rulesets=[OWASP])])
    result = modules.done("managed_rules", check=True, rules=[wider])
    assert result["changed"] and "risks" not in result


@pytest.mark.parametrize(
    ("rules", "is_idle"),
    [
        ([deployment(), exception("behind")], True),
        ([exception("behind", rulesets=[OWASP]), deployment()], True),
        ([exception("behind"), deployment()], False),
        ([exception("behind", rules={MANAGED: [RULE]}), deployment()], False),
    ],
)
def test_an_exception_without_a_deployment_behind_it_is_told(
    rules: list[Rule], is_idle: bool, modules: Modules
) -> None:
    done = modules.done("managed_rules", rules=rules, accept_risks=["weakens_managed_rules"])
    assert (IDLE in str(done.get("warnings"))) is is_idle
    assert not modules.done("managed_rules", rules=rules).get("warnings")  # nothing changes


WRONG: Sequence[tuple[Mapping[str, Any], str]] = [
    ({"action": "execute", "expression": "true"}, "needs the id of a managed ruleset"),
    ({"action": "skip", "expression": "true"}, "needs action_parameters that say what is skipped"),
    ({**EXECUTED, "action": "skip"}, "has the action skip, which takes no id"),
    ({**EXECUTED, "action_parameters": {"id": MANAGED, "ruleset": "current"}}, "has the action execute, which takes no ruleset"),
    ({"action": "skip", "expression": "true", "action_parameters": {"ruleset": "current", "rulesets": [MANAGED]}},
     "it has ruleset and rulesets, and ruleset stands alone"),
    ({"action": "skip", "expression": "true", "action_parameters": {"rules": {MANAGED: RULE}}},
     "rules takes a list of the ids of rules for each ruleset"),
    ({"action": "skip", "expression": "true", "action_parameters": {"rulesets": ["owasp"]}}, "'owasp' is not an id"),
    ({**EXECUTED, "action_parameters": {"id": "cloudflare"}}, "'cloudflare' is not an id"),
    (exception(rulesets=[]), "rulesets names nothing"),
    (exception(rules={MANAGED: ["wrong"]}), "'wrong' is not an id"),
    (deployment(rules=[{"id": "wrong", "enabled": True}]), "'wrong' is not an id"),
    (deployment(rules=[{"id": RULE, "enabled": True}, {"id": RULE.upper(), "enabled": True}]), f"action_parameters: {RULE} is named twice"),
    (of_category(), "action_parameters: php has none of action, enabled"),
    (deployment(categories=[{"category": "php", "enabled": True}] * 2), "action_parameters: php is named twice"),
    ({"action": "execute", "action_parameters": {"id": MANAGED}}, "is new and needs expression"),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "message"), WRONG)
def test_wrong_rules_are_refused_before_any_write(
    entry: Mapping[str, Any], message: str, service: LocalService, modules: Modules
) -> None:
    for check in (True, False):
        assert message in modules.failed("managed_rules", check=check, rules=[{"ref": "managed", **entry}])["msg"]
    assert service.writes == []


def test_unknown_fields_of_rules_stay(service: LocalService, modules: Modules) -> None:
    """Rules that the task names, and those of others, keep what the collection does not know."""
    future = {"score_per_period": 40.0}
    service.zone(ZONE).seed(managed_rules=[{**deployment(), **future}, {**exception("other"), **future}])
    modules.done("managed_rules", rules=[{"ref": "managed", "description": "ours"}])
    assert [rule["score_per_period"] for rule in service.zone(ZONE).rules_of("managed_rules")] == [40.0, 40.0]


SKIP_ALL = {"action": "skip", "expression": "true", "action_parameters": {"phases": ["http_request_firewall_managed"]}}


@pytest.mark.parametrize("module", ["custom_rules", "managed_rules"])
def test_a_custom_rule_that_skips_managed_rules_is_a_hole(module: str, service: LocalService, modules: Modules) -> None:
    wall = {"ref": "wall", "action": "block", "expression": PATH}
    service.zone(ZONE).seed(managed_rules=[deployment()], custom_rules=[{"ref": "open", **SKIP_ALL}, wall])
    named = {"custom_rules": wall, "managed_rules": deployment()}
    result = modules.done(module, check=True, rules=[named[module]])
    (hole,) = result["unmanaged"]
    assert (hole["key"], hole["weakens"]) == ("open", True)
    assert hole["reason"] == "lets requests pass that rule for managed rules managed would stop"
