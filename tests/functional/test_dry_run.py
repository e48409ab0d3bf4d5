# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Cloudflare validates before a run, and what it cannot, since the run makes a list or a ruleset first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import read_file

from tests.fake_service import LocalService
from tests.support.baseline_runs import applied, snapshot
from tests.support.host_parts import RISKS, host, lawful_part, read_back, run_module
from tests.support.module_run import ACCOUNT, ZONE, warnings_of

LISTED = "ip.src in $partners"
PARTNERS = {"name": "partners", "kind": "ip", "items": [{"ip": "192.0.2.1"}]}
ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
BOTS: dict[str, Any] = {"name": "Bots", "rules": [ADMIN], "deploy": {"expression": "true"}}
LIMIT = {"characteristics": ["cf.colo.id", "ip.src"], "period": 60, "requests_per_period": 9, "mitigation_timeout": 60}
COUNTING = {**LIMIT, "counting_expression": LISTED}
IN_ENTERPRISE = {**BOTS, "deploy": {"expression": 'cf.zone.plan eq "ENT"'}}


def rate_limit(expression: str, limit: Mapping[str, Any]) -> dict[str, Any]:
    return {"ref": "rate", "action": "block", "expression": expression, "ratelimit": limit}


def listed_rule(option: str, expression: str = LISTED) -> dict[str, Any]:
    return {"baseline_ip_lists": [PARTNERS], option: [{"ref": "listed", "action": "block", "expression": expression}]}


MADE_FIRST: list[tuple[str, dict[str, Any], str]] = [
    ("a ruleset and its deployment", {"edge_account_id": "", "baseline_custom_rulesets": [BOTS]},
     "custom rule Bots before the run, which makes the custom ruleset Bots"),
    ("those of an account", {"baseline_custom_rulesets": [IN_ENTERPRISE]},
     "custom rule of the account Bots before the run, which makes the custom ruleset Bots"),
    ("a list and a custom rule", listed_rule("baseline_custom_rules"), "custom rule listed before the run, which makes the list partners"),
    ("a list and a rule of the Network Firewall", listed_rule("baseline_network_firewall_rules"),
     "Network Firewall rule listed before the run, which makes the list partners"),
    ("a list and a rate limit", {"baseline_ip_lists": [PARTNERS], "baseline_rate_limit_rules": [rate_limit(LISTED, LIMIT)]},
     "rate limiting rule rate before the run, which makes the list partners"),
    ("a list that a rate limit counts by", {"baseline_ip_lists": [PARTNERS], "baseline_rate_limit_rules": [rate_limit("ssl", COUNTING)]},
     "rate limiting rule rate before the run, which makes the list partners"),
    ("a list and a rule of a ruleset",
     {"baseline_ip_lists": [PARTNERS], "baseline_custom_rulesets": [{**IN_ENTERPRISE, "rules": [ADMIN, {**ADMIN, "ref": "in", "expression": LISTED}]}]},
     "rule of the ruleset Bots in before the run, which makes the list partners"),
]  # fmt: skip


def variables_of(service: LocalService, **more: Any) -> dict[str, Any]:
    merged = {**host(service), "baseline_validate": True, **more}
    return {name: value for name, value in merged.items() if value != ""}


def validated(service: LocalService) -> list[list[str]]:
    """The refs of the rules in each dry run."""
    return [[rule["ref"] for rule in call.body["rules"]] for call in service.calls if call.query.get("dry_run")]


@pytest.mark.parametrize(
    ("variables", "sentence"), [case[1:] for case in MADE_FIRST], ids=[case[0] for case in MADE_FIRST]
)
def test_what_the_run_makes_first_is_not_missed_before_it(
    variables: dict[str, Any], sentence: str, service: LocalService
) -> None:
    """The other rules of the list are validated all the same."""
    service.account(ACCOUNT)
    service.zone(ZONE)
    part = host_part("lima", variables_of(service, **variables))
    warnings = warnings_of(run_module(part, True))
    assert sentence in warnings, warnings[-600:]
    assert all("listed" not in refs and "rate" not in refs and "Bots" not in refs for refs in validated(service))
    lawful_part(part)
    assert "cannot validate" not in warnings_of(run_module(part, True))


def test_the_other_rules_of_a_list_are_validated(service: LocalService) -> None:
    service.account(ACCOUNT)
    service.zone(ZONE)
    odd = {"ref": "odd", "action": "log", "expression": "cf.no_such_field eq 1"}
    rules = [ADMIN, {**ADMIN, "ref": "listed", "expression": LISTED}, odd]
    both = {"baseline_ip_lists": [PARTNERS], "baseline_custom_rules": rules}
    result = run_module(host_part("lima", variables_of(service, **both)), True)
    assert "This is about the custom rule odd." in result["msg"]
    assert validated(service) == [["admin", "odd"]]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_list_that_the_run_does_not_make_is_missed_before_it(is_there: bool, service: LocalService) -> None:
    service.account(ACCOUNT).seed(lists=[PARTNERS] if is_there else [])
    service.zone(ZONE)
    rule = {"ref": "listed", "action": "block", "expression": LISTED}
    result = run_module(host_part("lima", variables_of(service, baseline_custom_rules=[rule])), True)
    assert bool(result.get("failed")) is not is_there
    assert validated(service) == ([["listed"]] if is_there else [])


def test_a_restore_brings_a_custom_ruleset_back(service: LocalService) -> None:
    service.account(ACCOUNT)
    zone = service.zone(ZONE)
    variables = {
        "edge_account_id": "",
        "baseline_custom_rulesets": [BOTS],
        "baseline_custom_rules": [{**ADMIN, "ref": "beside"}],
    }
    applied(service, variables)
    text = snapshot(service, **variables)
    purge = {"baseline_purge": ["custom_rules", "custom_rulesets"]}
    applied(service, {"edge_account_id": "", "baseline_custom_rulesets": [], "baseline_custom_rules": [], **purge})
    assert not zone.custom_rules and not zone.custom_rulesets
    part = read_file(read_back(text), "file.yml").part("lima", host(service), RISKS, validates=True)
    lawful_part(part)
    assert [rule["ref"] for rule in zone.custom_rules] == ["Bots", "beside"]
