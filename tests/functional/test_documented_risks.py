# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The description of accept_risks names the risks that plans of its module meet, and no others."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE, MODULE_SPECS

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import L4, L7, MANAGED, override
from tests.functional.risk_cases import EXISTING, RISK_CASES, WITH_DNS
from tests.functional.zone_risk_cases import FIREWALL, LOGIN_LIMIT, SHOP_TODAY, TEN, ZONE_RISK_CASES, identity
from tests.support.module_run import ACCOUNT, ZONE, Modules

WRITERS = sorted(name for name in MODULE_SPECS if MODULE_SPECS[name].writes and name != HOST_MODULE)
OVER: dict[str, Any] = {"expires": "2020-01-31"}
NOTHING: dict[str, Any] = {"rules": [], "purge": True}
PREFIX = "198.51.100.0/24"
RULE: dict[str, Any] = {"scope": "region", "name": "WEUR", "mode": "enabled"}
FILTER = {"expression": "tcp.dstport eq 80", "mode": "enabled"}
BOTS = {"id": "b" * 32, "name": "Bots", "rules": TEN}
DEPLOYED = {"ref": "bots", "action": "execute", "expression": "true", "action_parameters": {"id": BOTS["id"]}}
EVERYTHING = {"ref": "all", "expression": "true"}
SKIP = {"action": "skip", "action_parameters": {"ruleset": "current"}}
BAD = {"name": "bad", "items": [{"ip": "192.0.2.1"}, {"ip": "192.0.2.2"}], "num_referencing_filters": 1}
CLOSED: dict[str, Any] = {"limits": {"passes_traffic": False}}
TRAFFIC: dict[str, Any] = {"rollout_evidence": {}, "limits": {"min_monitoring_hours": 0}}
# Plans that few tests are about: the module, its options, and the state of account and zone.
PLANS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("allowlist_entry", {"prefix": PREFIX, **OVER}, {"allowlist": [{"prefix": PREFIX}] * 5}, {}),
    ("allowlist_entry", {"prefix": "203.0.0.0/16"}, dict(EXISTING), {}),
    ("protection_rule", {"kind": "syn_flood", **RULE, **OVER}, {**EXISTING, "syn_flood": {"rules": [RULE] * 5}}, {}),
    ("protection_filter", {"kind": "syn_flood", **FILTER, **OVER}, {**EXISTING, "syn_flood": {"filters": [FILTER] * 5}}, {}),
    ("protection_filter", {"kind": "syn_flood", **FILTER, **TRAFFIC}, dict(EXISTING), {}),
    ("protection_rule", {"kind": "syn_flood", **RULE, **TRAFFIC}, dict(EXISTING), {}),
    ("dns_protection_rule", {**RULE, **OVER}, {**WITH_DNS, "dns_rules": [RULE] * 5}, {}),
    ("dns_protection_rule", {**RULE, **TRAFFIC}, dict(WITH_DNS), {}),
    ("ddos_l4_overrides", {"overrides": [], "purge": True}, {"ddos_l4_overrides": [override(f"r{number}", "true", L4) for number in range(9)]}, {}),
    ("ddos_l7_overrides", {"overrides": [], "purge": True}, {}, {"ddos_l7_overrides": [override(f"r{number}", "true", L7) for number in range(9)]}),
    ("network_firewall_rules", {"rules": [{"ref": "r1", "action": "log"}], **CLOSED}, {"network_firewall_rules": TEN}, {}),
    ("ip_list", {"name": "bad", "items": [{"ip": "192.0.2.1"}], "state": "absent", **CLOSED},
     {"lists": [BAD], "network_firewall_rules": [{**EVERYTHING, "action": "block", "expression": "ip.src in $bad"}]}, {}),
    ("ip_list", {"name": "bad", "items": [{"ip": "192.0.2.3"}]},
     {"lists": [BAD], "ddos_l4_overrides": [override("o", "ip.src in $bad", L4, action="log")]}, {}),
    ("custom_ruleset", {"name": "Bots", "rules": [{"ref": "r1", "action": "log"}], **CLOSED}, {}, {"custom_rulesets": [BOTS], "custom_rules": [DEPLOYED]}),
    ("firewall_rules", {"rules": [{"id": identity(1), "paused": True}], **CLOSED}, {}, {"rules": FIREWALL}),
    ("network_firewall_rules", NOTHING, {"network_firewall_rules": TEN}, {}),
    ("managed_rules", NOTHING, {}, {"managed_rules": [{**DEPLOYED, "ref": f"r{number}", "action_parameters": {"id": MANAGED}} for number in range(9)]}),
    ("rate_limit_rules", NOTHING, {}, {"rate_limit_rules": [{**LOGIN_LIMIT, "ref": f"r{number}"} for number in range(9)]}),
    ("rate_limit_rules", {"rules": [{**LOGIN_LIMIT, "staged": {}}]}, {}, {"plan": "pro"}),
    ("custom_ruleset", {"name": "Bots", **NOTHING}, {}, {"custom_rulesets": [BOTS], "custom_rules": [DEPLOYED]}),
    ("custom_ruleset", {"name": "Bots", "rules": [{**EVERYTHING, **SKIP, "position": "before r9"}]}, {},
     {"custom_rulesets": [BOTS], "custom_rules": [DEPLOYED]}),
    ("custom_ruleset", {"name": "Bots", "rules": [{**EVERYTHING, **SKIP, "action_parameters": {"products": ["waf", "rateLimit"]}}]}, {},
     {"custom_rulesets": [BOTS], "custom_rules": [DEPLOYED]}),
    ("custom_ruleset", {"name": "Bots", "rules": [{**EVERYTHING, "action": "block"}], "backtest": {}}, {},
     {**SHOP_TODAY, "custom_rulesets": [BOTS], "custom_rules": [DEPLOYED]}),
]  # fmt: skip


def test_a_module_documents_the_risks_that_its_plans_meet_and_no_others(
    service: LocalService, modules: Modules
) -> None:
    met: dict[str, set[str]] = defaultdict(set)
    for case in RISK_CASES + ZONE_RISK_CASES:  # which test_risks.py runs
        for module in case.calls:
            met[module].update(case.codes)
    for module, options, of_account, of_zone in PLANS:
        service.reset()
        service.account(ACCOUNT).seed(**of_account)
        service.zone(ZONE).seed(account_id=ACCOUNT, **of_zone)
        refused = modules.failed(module, check=True, **options)
        met[module].update(risk["code"] for risk in refused["risks"])
    assert documented() == {name: met[name] for name in WRITERS}


def documented() -> Mapping[str, set[str]]:
    """By module, the codes in the description of accept_risks."""
    names = [f"edgeops.protection.{name}" for name in WRITERS]
    program = Path(sys.executable).parent / "ansible-doc"
    output = subprocess.run([program, "--json", "-t", "module", *names], capture_output=True, check=True, text=True)
    pages = json.loads(output.stdout)
    sentences = {
        name: pages[page]["doc"]["options"]["accept_risks"]["description"]
        for name, page in zip(WRITERS, names, strict=True)
    }
    return {name: set(re.findall(r"V\((\w+)\)", texts[0])) for name, texts in sentences.items()}
