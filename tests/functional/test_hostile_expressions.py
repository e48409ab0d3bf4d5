# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expressions of Cloudflare that are made to cost time: whatever reads them, a run is as fast as with others."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.work import calls_of

MOST_CALLS = 12_000_000  # of functions, the local service included; it took a hundred times as many if all was parsed
ALTERNATIVES = [f'(ip.src eq 10.0.{n}.1 or http.host eq "{n}" or not ssl)' for n in range(60)]
TEXTS = {
    "parentheses": "(" * 131_072 + "ssl" + ")" * 131_072,
    "open parentheses": "(" * 262_144,
    "a long text": f'http.host eq "{"a" * 2_000_000}"',
    "words": "a " * 1_000_000,
    "quotes": '"' * 1_000_000,
    "escapes": f'http.host eq "{chr(92) * 1_000_001}"',
    "a set": f"ip.src in {{{' '.join(f'10.{n % 256}.{n // 256}.1' for n in range(65_536))}}}",
    "as long as Cloudflare takes": "(" * 4_000 + "ssl" + ")" * 4_000,
    "negations": "not " * 1_000 + "ssl",
    "alternatives": " and ".join(ALTERNATIVES)[:4_000].rpartition(" and ")[0],
    "a hard pattern": f'http.host matches "{"(a+)+" * 700}$"',
    "patterns with gaps": f'http.host wildcard "{"*a" * 1_900}"',
    "a raw text without end": "http.host eq r" + "#" * 4_000 + '"',
}
RUN, REPORT = Context(is_role=True), Context(is_role=True, reports=True)


def seeded(service: LocalService, text: str) -> None:
    """An account and a zone in which everything that has an expression has this one, between others."""
    service.switch(checked_against_contract=False)
    limit: dict[str, Any] = {
        "characteristics": ["ip.src", "cf.colo.id"],
        "period": 10,
        "requests_per_period": 5,
        "mitigation_timeout": 10,
        "counting_expression": text,
    }
    other: dict[str, Any] = {"ref": "other", "action": "block", "expression": 'http.host eq "a"'}
    skip: dict[str, Any] = {
        "ref": "skip",
        "action": "skip",
        "action_parameters": {"ruleset": "current"},
        "expression": text,
    }
    rules: list[dict[str, Any]] = [skip, {"ref": "hostile", "action": "block", "expression": text}, other]
    ruleset = {"id": "c" * 32, "name": "Own", "rules": rules}
    deployment: dict[str, Any] = {
        "ref": "Own",
        "action": "execute",
        "action_parameters": {"id": "c" * 32},
        "expression": text,
    }
    service.zone(ZONE).seed(
        custom_rules=[*rules, deployment], custom_rulesets=[ruleset], rate_limit_rules=[{**rules[1], "ratelimit": limit}],
        managed_rules=[skip], ddos_l7_overrides=[{**deployment, "ref": "l7"}], rules=[{"action": "block", "filter": {"expression": text}}],
    )  # fmt: skip
    account = service.account(ACCOUNT).seed(
        network_firewall_rules=rules, ddos_l4_overrides=[{**deployment, "ref": "l4"}]
    )
    for kind in account.filters:
        account.seed(**{kind: {"rules": [{"scope": "global"}], "filters": [{"expression": text, "mode": "enabled"}]}})


NEW = {"ref": "new", "action": "log", "expression": 'http.host eq "new"'}
DESCRIBED: dict[str, Any] = {
    "custom_rules": [NEW],
    "custom_rulesets": [{"name": "Own", "rules": [NEW]}],
    "rate_limit_rules": [],
    "managed_rules": [],
    "network_firewall_rules": [{"ref": "new", "action": "skip", "expression": "tcp.dstport eq 80"}],
    "firewall_rules": [],
    "filters": [{"kind": "syn_flood", "expression": "tcp.dstport eq 80"}],
}


@pytest.mark.parametrize("context", [RUN, REPORT], ids=["run", "report"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_expression_costs_little_work(
    name: str, context: Context, service: LocalService, modules: Modules
) -> None:
    seeded(service, TEXTS[name])
    results: list[dict[str, Any]] = []
    calls = calls_of(lambda: results.append(modules.run("host", check=True, context=context, **DESCRIBED)))
    assert not results[0].get("failed"), results[0]["msg"]
    assert calls < MOST_CALLS
