# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random plans against a model of the docs: predicted, applied, and applied again. `make plans` compares 1,000 of them."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis.strategies import booleans

from tests.evidence.models import plan_model as model
from tests.evidence.models import risk_model, zone_model
from tests.evidence.models.plan_model import Item, Refused, comparable
from tests.evidence.models.plan_run import CONSENTS, Run, applied
from tests.evidence.models.random_plans import ACCOUNT_TASKS, ACCOUNTS, KINDS, NOW, plans
from tests.evidence.models.random_zones import FIREWALL_TASKS, firewalls
from tests.evidence.models.traffic_model import firewall_in_order, is_newly_skipped
from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE


def lists_of(service: LocalService) -> model.Lists:
    """The lists of the account, by collection and kind."""
    account = service.account(ACCOUNT)
    return deepcopy(
        {
            ("prefixes", ""): account.prefixes,
            ("allowlist", ""): account.allowlist,
            ("dns_rules", ""): account.dns_rules,
            **{("rules", kind): account.rules[kind] for kind in KINDS},
            **{("filters", kind): account.filters[kind] for kind in KINDS},
        }
    )


@given(existing=ACCOUNTS, task=ACCOUNT_TASKS, consent=CONSENTS)
@plans(1)
@pytest.mark.fewest(disables_protection=0.02, allowlists_own_prefix=0.02, unmet=0.01)
@pytest.mark.fewest(broad_allowlist=0.01, lowers_sensitivity=0.005, skips_monitoring=0.005, empties_list=0.005)
@pytest.mark.fewest(unprotects_addresses=0.003, mass_deletion=0.003)
def test_a_random_plan_for_an_account(existing: Item, task: tuple[str, Item], consent: str, run: Run) -> None:
    service = run.begin()
    service.account(ACCOUNT).seed(**existing)
    module, options = task
    before, enabled = lists_of(service), service.account(ACCOUNT).enabled
    expected: model.Lists | None = None
    with suppress(Refused):
        expected = before if module == "tcp_protection_status" else model.lists_after(module, options, before, NOW)
        enabled = options.get("enabled", enabled) if module != "allowlist_entry" else enabled
    result = applied(run, module, options, expected is None, consent)
    after = lists_of(service)
    for name, items in (expected or before).items():
        assert comparable(after[name], before[name]) == comparable(items, before[name])
    assert expected is None or service.account(ACCOUNT).enabled == enabled
    if result and expected:
        risks = risk_model.account_risks(module, before, expected, NOW, options)
        judged = risk_model.MODELLED - ({"lowers_sensitivity"} if risk_model.is_doubled(before) else set())
        assert risks & judged == judged & risk_model.risks_in(result).keys()
        pending = result.get("pending", [])
        assert len([pending] if isinstance(pending, dict) else pending) == model.pending_in(module, options, expected)


@given(existing=firewalls(), task=FIREWALL_TASKS, with_filters=booleans(), consent=CONSENTS)
@plans(0.83)
@pytest.mark.fewest(skips_everything=0.02, blocks_everything=0.02, weakens_zone=0.02, unmet=0.02)
def test_a_random_plan_for_firewall_rules(
    existing: list[Item], task: Item, with_filters: bool, consent: str, run: Run
) -> None:
    service = run.begin()
    service.switch(firewall_put_updates_filter=with_filters)
    zone = service.zone(ZONE).seed(rules=existing)
    expected: list[Item] | None = None
    before = deepcopy(zone.rules)
    with suppress(Refused):
        expected = zone_model.firewall_after(before, task["rules"])
    result = applied(run, "firewall_rules", task, expected is None, consent)
    assert model.shown(zone.rules) == model.shown(before if expected is None else expected)
    if result and expected:
        stored = {rule["id"]: rule for rule in zone.rules}
        assert result["rules"] == [stored[rule["id"]] for rule in task["rules"]]
        changed = {key for key in stored if model.shown(stored[key]) != model.shown(by_id(before)[key])}
        assert changed <= result["diff"]["after"].get("firewall_rules", {}).keys()
        percent = task.get("limits", {}).get("max_weakened_percent", 30)
        in_order = firewall_in_order(before), firewall_in_order(expected)
        risks = risk_model.zone_risks(*in_order, percent)
        found = risk_model.risks_in(result)
        assert ("weakens_managed_rules" in found) is is_newly_skipped("waf", *in_order)
        found.pop("weakens_managed_rules", None)
        assert found == risks


def by_id(rules: list[Item]) -> dict[str, Item]:
    return {rule["id"]: rule for rule in rules}
