# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random plans for ordered rules against a model of the docs: custom rules of a zone, and of an account the rules of
the Network Firewall and the overrides of managed DDoS rules. Predicted, applied, and applied again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import deepcopy

import pytest
from hypothesis import given

from tests.evidence.models import risk_model, zone_model
from tests.evidence.models.plan_model import Item, Refused
from tests.evidence.models.plan_run import CONSENTS, Run, applied
from tests.evidence.models.random_plans import plans
from tests.evidence.models.random_zones import custom_plans, override_plans, overrides_of_account, packet_plans
from tests.evidence.models.traffic_model import blocks_all, custom_in_order, is_newly_skipped, weaker_overrides
from tests.evidence.models.zone_model import Ordered
from tests.support.module_run import ACCOUNT, ZONE

Plan = tuple[list[Item], Item]  # the rules that exist, and a task for them


@given(plan=custom_plans(), consent=CONSENTS)
@plans(1.5)
@pytest.mark.fewest(skips_everything=0.02, blocks_everything=0.01, weakens_zone=0.02, unmet=0.02)
@pytest.mark.fewest(mass_deletion=0.001, empties_list=0.005, ignored=0.02, refused=0.005, skips_managed_rules=0.02)
def test_a_random_plan_for_custom_rules(plan: Plan, consent: str, run: Run) -> None:
    existing, task = plan
    rules = run.begin().zone(ZONE).seed(custom_rules=existing).custom_rules
    check_rules(run, zone_model.CUSTOM_RULES, rules, task, consent)


@given(plan=packet_plans(), consent=CONSENTS)
@plans(0.5)
@pytest.mark.fewest(skips_everything=0.005, blocks_everything=0.01, weakens_network_firewall=0.02, unmet=0.02)
@pytest.mark.fewest(empties_list=0.005, ignored=0.01, refused=0.02)
def test_a_random_plan_for_the_network_firewall(plan: Plan, consent: str, run: Run) -> None:
    existing, task = plan
    account = run.begin().account(ACCOUNT).seed(network_firewall_rules=existing)
    rules = account.rules_of("network_firewall_rules")
    check_rules(run, zone_model.NETWORK_FIREWALL, rules, task, consent)


@given(plan=override_plans(zone_model.L4), consent=CONSENTS)
@plans(0.5)
@pytest.mark.fewest(
    weakens_ddos_rules=0.1, blocks_everything=0.01, unmet=0.02, ignored=0.001, refused=0.02, empties_list=0.001
)
def test_a_random_plan_for_overrides(plan: Plan, consent: str, run: Run) -> None:
    existing, task = plan
    account = run.begin().account(ACCOUNT).seed(ddos_l4_overrides=existing)
    check_rules(run, zone_model.L4_OVERRIDES, account.rules_of("ddos_l4_overrides"), task, consent)


@given(plan=override_plans(zone_model.L7), of_account=overrides_of_account(), consent=CONSENTS)
@plans(0.5)
@pytest.mark.fewest(
    weakens_ddos_rules=0.1, blocks_everything=0.01, unmet=0.02, ignored=0.001, refused=0.02, empties_list=0.001
)
def test_a_random_plan_for_overrides_of_a_zone(plan: Plan, of_account: list[Item], consent: str, run: Run) -> None:
    existing, task = plan
    service = run.begin()
    service.account(ACCOUNT).seed(ddos_l7_overrides=of_account)
    zone = service.zone(ZONE).seed(ddos_l7_overrides=existing, account_id=ACCOUNT)
    check_rules(run, zone_model.L7_OVERRIDES, zone.ddos_l7_overrides, task, consent, of_account)


def check_rules(
    run: Run, kind: Ordered, rules: list[Item], task: Item, consent: str, of_account: Sequence[Item] = ()
) -> None:
    """The rules, which are those of the service, become what the model says, and the result says so."""
    before = deepcopy(rules)
    expected: list[Item] | None = None
    with suppress(Refused):
        expected = zone_model.ordered_after(kind, before, task)
    result = applied(run, kind.module, kind.options(task), expected is None, consent)
    assert kind.comparable(rules, before) == kind.comparable(before if expected is None else expected, before)
    if not result:
        assert rules == before
        return
    order, refs = [rule["ref"] for rule in rules], [rule["ref"] for rule in before]
    zone_model.check_order(refs, task, order)
    assert [item["key"] for item in result["unmanaged"]] == [
        ref
        for ref in order
        if ref not in {entry["ref"] for entry in task["rules"]} or ref in zone_model.named_of_others(task)
    ] + [rule["ref"] for rule in of_account if not rules and lets_pass(rule)]
    run.outcomes["ignored"] += task["purge"] and result["unmanaged"] != []
    limits = task.get("limits", {})
    percent = limits.get("max_weakened_percent", 30), limits.get("max_deletions_percent", 30)
    risks = risk_model.rule_risks(kind.module, before, rules, task["purge"], *percent)
    found = risk_model.risks_in(result)
    if kind is zone_model.NETWORK_FIREWALL:
        run.outcomes["routing"] += risk_model.depends_on_routing(before, rules, percent[0])
    if kind is zone_model.CUSTOM_RULES:
        in_order = custom_in_order(before), custom_in_order(rules)
        assert ("weakens_managed_rules" in found) is is_newly_skipped("waf", *in_order)
        run.outcomes["skips_managed_rules"] += found.pop("weakens_managed_rules", None) is not None
    if kind.option == "overrides":
        managed = zone_model.L4 if kind is zone_model.L4_OVERRIDES else zone_model.L7
        entries = found.pop("weakens_ddos_rules", set())
        blocking = found.pop("blocks_everything", set())
        more = managed._replace(rules={**managed.rules, "unnamed": ()}, own=(*managed.own, "block"))
        states = before or of_account, rules or of_account
        # The managed rules are read if what these do or are decides; a further one may come at any time.
        categories = ("", *managed.existing["categories"])
        assert bool(blocking) is any(
            blocks_all(managed, states[1], name) and not blocks_all(managed, states[0], name) for name in categories
        )
        run.outcomes["blocks_everything"] += bool(blocking)
        assert bool(entries) in (weaker_overrides(managed, *states), weaker_overrides(more, *states))
    elif any(map(risk_model.only_together, (before, rules))):  # which of them count, other tests hold
        run.outcomes["together"] += 1
        found, risks = (
            {code: keys for code, keys in some.items() if not code.endswith("s_everything")} for some in (found, risks)
        )
    assert found == risks


def lets_pass(override: Item) -> bool:
    """Whether an override of an account lets more of an attack pass in a zone, or may."""
    return override.get("enabled", True) and (
        override["action"] != "execute" or weaker_overrides(zone_model.L7, (), [override])
    )
