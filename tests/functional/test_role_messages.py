# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role names its variables, and leaves text of the service and of people as it is."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import OPTIONS

from tests.fake_service import LocalService
from tests.support.bad_options import PREFIX
from tests.support.module_run import ACCOUNT, ZONE, Modules, warnings_of

RULE = {"kind": "syn_flood", "scope": "global", "mode": "enabled"}
EXPIRED = {"code": "skips_monitoring", "expires": "2020-01-31"}
GONE = {"prefix": "192.0.2.1", "expires": "2020-01-31"}
RATE_LIMITED = {"status": 429, "headers": {"Retry-After": "299"}}
OTHER_ID = "1" * 32

OF_ACCOUNT: list[tuple[dict[str, Any], str]] = [
    ({"timeout": 0}, "baseline_timeout: 0 is no number of at least 0.1"),
    ({"call_budget": 10**9}, "baseline_call_budget: 1000000000 is more than 32768; 0 stands for no budget"),
    ({"ca_path": "/nowhere"}, "baseline_ca_path: there is nothing at /nowhere"),
    ({"base_url": "http://192.0.2.1"}, "baseline_base_url: it must be https; http is for this machine's own addresses only"),
    ({"base_url": "http://127.0.0.1:9/v5", "retries": 0}, "...baseline_base_url: it does not end in..."),
    ({"base_url": "http://127.0.0.1:9", "retries": 0}, "...Check baseline_base_url and the network..."),
    ({"api_email": "a@b.example"}, "baseline_api_token: it goes alone; leave out baseline_api_email"),
    ({"api_token": ""},
     "baseline_api_token: it is empty; give baseline_api_token, or baseline_api_email with baseline_api_key, as options, as module_defaults"
     " of group/edgeops.protection.all, or in the environment as CLOUDFLARE_API_TOKEN, or CLOUDFLARE_EMAIL with CLOUDFLARE_API_KEY"),
    ({"zone_id": ACCOUNT},
     "2 errors: (1) edge_account_id: it is the same as baseline_zone_id; an account and its zones have ids of their own; (2)"
     " baseline_zone_id: it is the same as edge_account_id; an account and its zones have ids of their own"),
    ({"account_id": OTHER_ID}, "...Check edge_account_id and baseline_base_url; is edge_account_id the id of a zone?..."),
    ({"account_id": OTHER_ID, "zone_id": ZONE}, "...Are edge_account_id and baseline_zone_id swapped?..."),
    ({"limits": {"max_deletions_percent": 101}}, "baseline_limits.max_deletions_percent: 101 is not between 0 and 100"),
    ({"expected_plan": "x"}, "baseline_expected_plan: 'x' is not a plan_id, which has 64 hexadecimal digits, or is empty for a plan without operations"),
    ({"expected_plan": "", "prefixes": [PREFIX]}, "...an empty baseline_expected_plan approves none..."),
    ({"prefixes": [PREFIX, PREFIX]}, "baseline_prefixes[1]: 192.0.2.0/24 is named here and in baseline_prefixes[0]; keep one of them"),
    ({"accept_risks": ["all"]},
     "baseline_accept_risks[0]: 'all' is none of unprotects_addresses, stops_mitigation, disables_protection, lowers_sensitivity,"
     " skips_monitoring, drops_traffic, broad_allowlist, allowlists_own_prefix, mass_deletion, empties_list, removes_referenced_list,"
     " weakens_zone, skips_everything, blocks_everything, passes_traffic, weakens_network_firewall, weakens_ddos_rules, blocks_traffic, weakens_rate_limits,"
     " weakens_managed_rules"),
    ({"accept_risks": ["mass_deletion"]},
     "baseline_accept_risks[0]: mass_deletion meets nothing in this plan, and would let any such risk through later; remove it, or accept"
     " the risk with a dictionary that has networks, entries or expires."),
    ({"rules": [RULE], "accept_risks": ["skips_monitoring"], "staged_rollout": True},
     "baseline_accept_risks[0]: skips_monitoring meets nothing in this plan, since the staged rollout waits until it is no risk. To mitigate"
     " now, set baseline_staged_rollout to false for this run, and accept skips_monitoring, and drops_traffic if there is evidence to wait for."),
    ({"rules": [RULE]}, "...let baseline_staged_rollout: true do it..."),
    ({"rules": [RULE]}, "...If this is meant, add baseline_accept_risks: [{..."),
    ({"rules": [RULE], "accept_risks": [EXPIRED]}, "baseline_accept_risks[0]: the acceptance of skips_monitoring expired at..."),
    ({"accept_risks": [EXPIRED]}, "baseline_accept_risks[0]: the acceptance of skips_monitoring expired at 2020-02-01T00:00:00+00:00; remove it, or"
     " give it a later expires."),
    ({"allowlist": [GONE]},
     "baseline_allowlist[0].expires: allowlist entry 192.0.2.1/32 expired at 2020-02-01T00:00:00+00:00 and does not exist. Remove the entry,"
     " or give it a later expires."),
]  # fmt: skip
OF_ZONE: list[tuple[dict[str, Any], str]] = [
    (
        {"custom_rules": [{"ref": "a", "position": "up"}]},
        "baseline_custom_rules[0].position: 'up' is not first, last, before REF or after REF",
    ),
    ({"zone_name": "x.example"}, "edge_zone_name: it stands for baseline_zone_id; leave out one of them"),
    (
        {"zone_id": None, "zone_name": "x.example"},
        "edge_zone_name: the credentials see no zone x.example. Check the name; the credentials need the permission Zone Read (zone) to find it.",
    ),
    (
        {"zone_id": OTHER_ID},
        "...Check baseline_zone_id and baseline_base_url; is baseline_zone_id the id of an account?...",
    ),
    ({"custom_rules_ignore": [" "]}, "baseline_custom_rules_ignore[0]: it is empty"),
    (
        {"accept_risks": ["mass_deletion"]},
        "baseline_accept_risks[0]: mass_deletion meets nothing in this plan, and would let any such risk through later; remove it, or accept"
        " the risk with a dictionary that has networks, entries or expires.",
    ),
]
OF_SERVICE: list[tuple[str, dict[str, Any], str]] = [
    ("status", RATE_LIMITED, ", and baseline_max_wait leaves 0 s. Run again after that time, or raise baseline_max_wait."),
    ("status", {"status": 429}, "raise baseline_max_wait, or lower baseline_call_budget."),
    ("redirect", {"location": "https://x.example"}, "; check baseline_base_url."),
    ("slow", {"seconds": 0.6}, "than baseline_timeout allows (0.3 s). Check the network, or raise baseline_timeout."),
    ("raw", {"body": '{"success": true, "result": 7}'}, "check baseline_base_url if the same response comes again"),
    ("status", {"status": 400, "errors": [{"code": 6111, "message": "no"}]}, "The value of baseline_api_token is not"),
    ("status", {"status": 400, "errors": [{"code": 6103, "message": "no"}]}, "a token belongs in baseline_api_token."),
]  # fmt: skip
TEXT = "rules: max_wait: accept_risks[0]: see ticket 7"


def of_role(modules: Modules, **options: Any) -> dict[str, Any]:
    """The result of the role, some of whose options the inventory fills."""
    names = {option: f"baseline_{option}" for option in OPTIONS}
    names.update(account_id="edge_account_id", zone_name="edge_zone_name")
    return modules.run("host", context=Context(is_role=True, names=names), **options)


def of_account(modules: Modules, **options: Any) -> dict[str, Any]:
    return of_role(modules, **{"account_id": ACCOUNT, **options})


def said(result: dict[str, Any]) -> str:
    return " ".join(filter(None, [result.get("msg", ""), warnings_of(result)]))


def is_said(text: str, result: dict[str, Any]) -> bool:
    """True if this is all that a result says, in which `...` stands for what differs from case to case."""
    return bool(re.fullmatch(".*".join(map(re.escape, text.split("..."))), said(result)))


@pytest.mark.parametrize(("options", "text"), OF_ACCOUNT)
def test_messages_on_an_account_name_the_variables(options: dict[str, Any], text: str, modules: Modules) -> None:
    assert is_said(text, of_account(modules, **options))


@pytest.mark.parametrize(("options", "text"), OF_ZONE)
def test_messages_on_a_zone_name_the_variables(options: dict[str, Any], text: str, modules: Modules) -> None:
    assert is_said(text, of_role(modules, **{"zone_id": ZONE, "custom_rules": [], **options}))


@pytest.mark.parametrize(("kind", "settings", "text"), OF_SERVICE)
def test_hints_on_calls_name_the_variables(
    kind: str, settings: dict[str, Any], text: str, service: LocalService, modules: Modules
) -> None:
    service.misbehave(kind, **settings)
    limits = {"max_wait": 0, "timeout": 0.3, "retries": 0}
    assert text in said(of_account(modules, **limits))


def test_text_of_the_service_stays_as_it_is(service: LocalService, modules: Modules) -> None:
    service.misbehave("status", status=400, errors=[{"code": 1004, "message": TEXT}])
    assert TEXT in said(of_account(modules))


def test_a_stored_comment_stays_as_it_is(service: LocalService, modules: Modules) -> None:
    service.misbehave("entry", method="POST", fields={"comment": json.dumps(TEXT)})
    result = of_account(modules, prefixes=[{**PREFIX, "comment": "ours"}])
    assert f"Cloudflare stored '{TEXT}' as comment of" in said(result)


def test_risks_in_a_result_name_the_variables(modules: Modules) -> None:
    result = of_account(modules, rules=[RULE], accept_risks=["skips_monitoring"])
    assert "let baseline_staged_rollout: true do it" in result["risks"][0]["message"]


def test_a_task_is_not_warned_of_acceptances_that_meet_nothing(modules: Modules) -> None:
    bound = {"code": "empties_list", "networks": []}
    codes = ["mass_deletion", bound, "weakens_zone"]
    assert said(modules.done("account_protection", accept_risks=codes)) == ""
    warnings = said(of_role(modules, custom_rules=[], accept_risks=codes))
    for index in (0, 2):
        assert f"baseline_accept_risks[{index}]: {codes[index]} meets nothing in this plan" in warnings
    assert "empties_list" not in warnings
