# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What evidence costs over many accounts: queries, which the analytics count for each account."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, Modules

NUMBER = 40
LATENCY = 0.5  # seconds, which no call of one round comes later than the others
RULES = ("syn_flood", "out_of_state_tcp")
ENABLED = [{"kind": kind, "scope": "global", "mode": "enabled"} for kind in RULES]
HALF = "203.0.113.0/25"  # of a subnet, for which the analytics are asked by address


def account_id(number: int) -> str:
    return f"{number:032x}"


def test_many_accounts_ask_at_most_1_2_queries_each(service: LocalService, modules: Modules) -> None:
    monitoring: dict[str, Any] = {"rules": [{"scope": "global", "mode": "monitoring"}]}
    for number in range(NUMBER):
        prefix = HALF if number % 8 == 0 else "203.0.113.0/24"
        service.account(account_id(number)).seed(
            enabled=True, prefixes=[{"prefix": prefix}], syn_flood=monitoring, out_of_state_tcp=monitoring
        )
    service.clock.advance(hours=48)
    for number in range(NUMBER):
        service.account(account_id(number)).seed(traffic=[{"ipDestinationAddress": "203.0.113.7", "packets": 1000}])
    for number in range(NUMBER):
        result = modules.done(
            "account_protection",
            check=True,
            account_id=account_id(number),
            rules=ENABLED,
            staged_rollout=True,
            rollout_evidence={},
        )
        assert len(result["operations"]) == 2 and "pending" not in result
    assert NUMBER <= len(service.queries) <= 1.2 * NUMBER


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("protection_rule", ENABLED[0]),
        ("account_protection", {"rules": ENABLED}),
        ("protection_rule", {**ENABLED[0], "staged_rollout": False}),
    ],
    ids=["protection_rule", "account_protection", "without stages"],
)
def test_the_gate_adds_at_most_one_latency(
    module: str, options: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    monitoring: dict[str, Any] = {"rules": [{"scope": "global", "mode": "monitoring"}]}
    account = service.account(ACCOUNT).seed(
        enabled=True, prefixes=[{"prefix": "203.0.113.0/24"}], syn_flood=monitoring, out_of_state_tcp=monitoring
    )
    service.clock.advance(hours=48)
    account.seed(traffic=[{"ipDestinationAddress": "203.0.113.7", "packets": 1000}])
    service.switches = replace(service.switches, latency=LATENCY)

    def waits(**evidence: Any) -> int:
        """How often a task waits for an answer before it asks more."""
        service.calls.clear()
        modules.done(module, check=True, **{"staged_rollout": True, **options, **evidence})
        moments = sorted(call.moment for call in service.calls)
        return sum(1 for one, other in zip([0.0, *moments], moments, strict=False) if other - one > LATENCY / 2)

    without = waits()
    assert without >= 1 and not service.queries
    assert waits(rollout_evidence={}) <= without + 1 and len(service.queries) == 1
