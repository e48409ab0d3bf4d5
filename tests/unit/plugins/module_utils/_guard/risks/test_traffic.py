# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risk of what would drop too much."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.account import drops_traffic
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import (
    Limits,
    Verdict,
    enabling,
    key_of,
    not_known,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.terms import accepting, parse_acceptances
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import RULES
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of

from tests.support.changes import change_of
from tests.support.coverage_model import account_state, rule

NETWORK = range_of("192.0.2.0/24") or (0, 0)


def test_only_verdicts_against_what_is_enabled_are_the_risk() -> None:
    change = change_of(account_state(), RULES[0], [rule("enabled")])
    (item,) = enabling(change.plan)
    assert drops_traffic.in_change(change, Limits()) is None
    for verdict in (Verdict(), Verdict("evidence", "It drops 4 %.", 4.0, 7, [NETWORK], ["Monitor longer."])):
        risk = drops_traffic.in_change(change._replace(verdicts={key_of(item): verdict}), Limits())
        assert (risk is None) is (not verdict.reason)
    assert risk and risk.record()["networks"] == ["192.0.2.0/24"]
    assert (risk.message, risk.record()["entries"]) == (
        "SYN flood rule global: It drops 4 %. Monitor longer.",
        ["syn_flood global"],
    )
    monitored = change_of(account_state(), RULES[0], [rule("monitoring")])
    assert drops_traffic.in_change(monitored._replace(verdicts={key_of(item): verdict}), Limits()) is None


def test_an_acceptance_for_networks_covers_no_verdict_without_networks() -> None:
    rules = [rule("enabled"), rule("enabled", scope="region", name="WEUR")]
    change = change_of(account_state(), RULES[0], rules)
    verdicts = dict(
        zip(
            map(key_of, enabling(change.plan)),
            [Verdict("evidence", "It drops 4 %.", 4.0, 7, [NETWORK]), not_known("It monitors too short.", [])],
            strict=True,
        )
    )
    risk = drops_traffic.in_change(change._replace(verdicts=verdicts), Limits())
    assert risk is not None
    accepted = {
        name: bool(
            accepting(risk, parse_acceptances("accept_risks", [{"code": risk.code, **bounds}], [risk.code]), None)
        )
        for name, bounds in {
            "networks": {"networks": ["192.0.2.0/24"]},
            "entries": {"entries": ["syn_flood global", "syn_flood region WEUR"]},
        }.items()
    }
    assert accepted == {"networks": False, "entries": True}
