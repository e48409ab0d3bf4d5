# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules that take requests past rate limits, managed rules and products: the risk, through whatever module, and who has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import MANAGED, PER_ADDRESS
from tests.support.module_run import ACCOUNT, ZONE, Modules

Rule = dict[str, Any]
DEPLOYMENT: Rule = {"ref": "managed", "action": "execute", "expression": "true", "action_parameters": {"id": MANAGED}}
LOGIN: Rule = {
    "ref": "login",
    "action": "block",
    "expression": 'http.request.uri.path eq "/login"',
    "ratelimit": PER_ADDRESS,
}
FIREWALL_RULE = "1" * 32
OFFICE, WIDER = "ip.src in {198.51.100.0/24}", "ip.src in {198.51.100.0/23}"
PASSES, RATES, WAF = "passes_traffic", "weakens_rate_limits", "weakens_managed_rules"
MANAGED_PHASE, RATE_PHASE, BOT_PHASE = "http_request_firewall_managed", "http_ratelimit", "http_request_sbfm"


def skip(expression: str = OFFICE, **parameters: Any) -> Rule:
    return {"ref": "office", "action": "skip", "expression": expression, "action_parameters": parameters}


# What a rule skips, and the risks besides that of a zone of which nothing may be opened.
SKIPS: Sequence[tuple[Mapping[str, Any], list[str]]] = [
    ({"phases": [MANAGED_PHASE]}, [WAF]),
    ({"phases": [RATE_PHASE]}, [RATES]),
    ({"phases": [RATE_PHASE, MANAGED_PHASE]}, [RATES, WAF]),
    ({"phases": [BOT_PHASE]}, []),
    ({"products": ["waf"]}, [WAF]),
    ({"products": ["rateLimit"]}, [RATES]),
    *(({"products": [product]}, []) for product in ("zoneLockdown", "uaBlock", "bic", "hot", "securityLevel")),
]
Task = dict[str, Any]


def in_ruleset(rule: Rule, account: bool = False) -> Task:
    owner = {"account_id": ACCOUNT, "zone_id": None} if account else {"zone_id": ZONE}
    deploy = {"ref": "partners", "expression": 'cf.zone.plan eq "ENT"' if account else "true"}
    return {**owner, "name": "Partners", "rules": [rule], "deploy": deploy}


def seed(service: LocalService, **collections: Sequence[Rule]) -> None:
    service.zone(ZONE).seed(managed_rules=[DEPLOYMENT], rate_limit_rules=[LOGIN], **collections)


def codes(modules: Modules, module: str, **options: Any) -> list[str]:
    return [risk["code"] for risk in modules.run(module, check=True, **options).get("risks", ())]


@pytest.mark.parametrize(("parameters", "expected"), SKIPS, ids=str)
@pytest.mark.parametrize("before", [[], [skip(ruleset="current")], [{**skip(ruleset="current"), "enabled": False}]])
def test_a_rule_that_skips_more_is_a_risk(
    before: list[Rule], parameters: Mapping[str, Any], expected: list[str], service: LocalService, modules: Modules
) -> None:
    seed(service, custom_rules=before)
    task: Task = {"rules": [{**skip(**parameters), "enabled": True}]}
    assert codes(modules, "custom_rules", **task) == expected
    closed: Task = {**task, "limits": {"passes_traffic": False}}
    assert codes(modules, "custom_rules", **closed) == [PASSES, *expected]
    modules.lawful("custom_rules", **closed, accept_risks=[PASSES, *expected])
    assert codes(modules, "custom_rules", **closed) == []
    narrower = skip("ip.src in {198.51.100.0/25}", **parameters)
    assert codes(modules, "custom_rules", rules=[narrower], limits={"passes_traffic": False}) == []
    assert codes(modules, "custom_rules", rules=[skip(WIDER, **parameters)]) == expected


@pytest.mark.parametrize("account", [False, True])
@pytest.mark.parametrize(("parameters", "expected"), SKIPS[:6], ids=str)
def test_a_rule_of_a_ruleset_that_skips_is_a_risk(
    parameters: Mapping[str, Any], expected: list[str], account: bool, service: LocalService, modules: Modules
) -> None:
    seed(service)
    task = in_ruleset(skip(**parameters), account)
    assert codes(modules, "custom_ruleset", **task) == expected
    modules.lawful("custom_ruleset", **task, accept_risks=expected)


@pytest.mark.parametrize(("product", "expected"), [("waf", [WAF]), ("rateLimit", [RATES]), ("hot", [])])
def test_a_bypass_that_skips_is_a_risk(
    product: str, expected: list[str], service: LocalService, modules: Modules
) -> None:
    condition = {"id": "a" * 32, "expression": OFFICE}
    rule = {"id": FIREWALL_RULE, "action": "bypass", "products": ["bic"], "filter": condition}
    seed(service, rules=[rule])
    task: Task = {"rules": [{"id": FIREWALL_RULE, "products": ["bic", product]}]}
    assert codes(modules, "firewall_rules", **task) == expected
    closed: Task = {**task, "limits": {"passes_traffic": False}}
    assert codes(modules, "firewall_rules", **closed) == [PASSES, *expected]
    modules.lawful("firewall_rules", **closed, accept_risks=[PASSES, *expected])


def test_requests_that_no_managed_rule_checks_skip_nothing(service: LocalService, modules: Modules) -> None:
    phases = [MANAGED_PHASE, RATE_PHASE]
    assert codes(modules, "custom_rules", rules=[skip(phases=phases)], limits={"passes_traffic": False}) == []
    elsewhere = skip('http.request.uri.path eq "/other"', phases=[RATE_PHASE])
    service.zone(ZONE).seed(rate_limit_rules=[LOGIN], managed_rules=[])
    assert codes(modules, "custom_rules", rules=[elsewhere], limits={"passes_traffic": False}) == []


def test_a_skip_that_comes_up_behind_a_block_skips_nothing_that_was_checked(
    service: LocalService, modules: Modules
) -> None:
    wall = {"ref": "wall", "action": "block", "expression": OFFICE}
    seed(service, custom_rules=[wall, skip(products=["waf"])])
    assert codes(modules, "custom_rules", rules=[{"ref": "wall"}], state="absent") == ["weakens_zone"]


def test_what_a_skip_of_unknown_requests_skips_is_not_known(service: LocalService, modules: Modules) -> None:
    seed(service)
    unknown = skip('some.field eq "a"', phases=[MANAGED_PHASE])
    assert WAF in codes(modules, "custom_rules", rules=[unknown])
    service.misbehave("status", path=f"/{MANAGED_PHASE}/entrypoint", status=403)
    assert codes(modules, "custom_rules", rules=[skip(phases=[MANAGED_PHASE])]) == [WAF]


@pytest.mark.parametrize("requests", [3, 9])
def test_a_skip_counts_beside_a_rate_limit_that_changes(requests: int, service: LocalService, modules: Modules) -> None:
    seed(service)
    limit = {**LOGIN, "ratelimit": {**PER_ADDRESS, "requests_per_period": requests}}
    host: Task = {"zone_id": ZONE, "custom_rules": [skip(phases=[RATE_PHASE])], "rate_limit_rules": [limit]}
    assert codes(modules, "host", **host) == [RATES]
