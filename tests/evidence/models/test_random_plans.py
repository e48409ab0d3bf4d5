# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random plans against a model of the docs: predicted, applied, and applied again. `make plans` compares 2,000 of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from copy import deepcopy

import pytest
from hypothesis import given, note
from hypothesis.strategies import booleans, sampled_from

from tests.evidence.models import account_risk_model, zone_model, zone_risk_model
from tests.evidence.models import plan_model as model
from tests.evidence.models.plan_model import Item, Refused
from tests.evidence.models.random_plans import (
    ACCOUNT_TASKS,
    ACCOUNTS,
    KINDS,
    NOW,
    plans,
)
from tests.evidence.models.random_zones import FIREWALL_TASKS, custom_plans, firewalls
from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.service_state import comparable as comparable_result

OTHER_PLAN = "0" * 64
ENDS = ("applied", "refused", "unchanged")  # a plan has one of them


@pytest.fixture
def outcomes(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """How many plans of a test were applied, refused, or changed nothing, and how many of those applied had risks, which
    docs/evidence.md shows; and what else they had. The mark `fewest` names the least share of a kind, which is a quarter for those applied:
    what is refused or changes nothing says less.
    """
    counted: Counter[str] = Counter()
    yield counted
    ends = {end: counted[end] for end in ENDS}
    record_property("plans", {**ends, "with_risks": counted["with_risks"]})
    shares = {"applied": 1 / 4}
    for mark in request.node.iter_markers("fewest"):
        shares.update(mark.kwargs)
    few = [kind for kind, share in shares.items() if counted[kind] < int(share * sum(ends.values()))]
    assert not few, counted


CONSENTS = sampled_from(["code", "bound", "expired", "narrow"])


def acceptances(risks: list[Item], consent: str) -> list[Item | str]:
    """What accepts these risks: their codes, or dictionaries like those that the failure prints."""
    if consent == "code":
        return [risk["code"] for risk in risks]
    bound = [{name: risk[name] for name in ("code", "networks", "entries") if risk[name]} for risk in risks]
    return [{**acceptance, "expires": "2026-03-01T14:00:00+01:00", "reason": "a test"} for acceptance in bound]


def too_little(risks: list[Item], consent: str) -> list[Item]:
    """Acceptances that look like those of these risks, and accept none of them."""
    bound = [item for item in acceptances(risks, consent) if isinstance(item, dict)]
    if consent == "expired":
        return [{**item, "expires": "2026-02-28"} for item in bound]
    return [{**item, "entries": item["entries"][-1:]} for item in bound if len(keys(item.get("entries", ()))) > 1]


def keys(entries: Iterable[str]) -> set[str]:
    """What the entries of a risk name; duplicates are one, however they are written."""
    return {model.same_text(str(model.network({"prefix": entry}))).casefold() for entry in entries}


def applied(
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
    module: str,
    options: Item,
    refused: bool,
    consent: str,
) -> Item | None:
    """Predict, apply what was predicted and nothing else, and apply again; the result, or None where the task fails.

    Every risk is accepted when it is met, after `consent`: at once, or after an acceptance that does not count.
    """
    note(f"{module} {options} {service.document()}")
    service.calls.clear()
    predicted = modules.run(module, check=True, **options)
    if predicted.get("risks") and predicted.get("failed"):
        assert modules.failed(module, **options)["msg"] == predicted["msg"]
        risks = predicted["risks"]
        if consent in ("expired", "narrow"):
            unmet = modules.failed(module, check=True, **options, accept_risks=too_little(risks, consent))
            assert unmet["risks"] == risks
            outcomes["unmet"] += 1
        options = {**options, "accept_risks": acceptances(risks, consent)}
        predicted = modules.run(module, check=True, **options)
        if not refused:
            assert {risk["reason"] for risk in predicted["risks"]} == {None if consent == "code" else "a test"}
            outcomes["with_risks"] += 1
            outcomes.update(risk["code"] for risk in risks)
    assert service.writes == []
    assert bool(predicted.get("failed")) is refused, predicted
    if not refused and predicted["changed"]:
        assert modules.failed(module, **options, expected_plan=OTHER_PLAN)["plan_id"] == predicted["plan_id"]
        assert service.writes == []
        options = {**options, "expected_plan": predicted["plan_id"]}
    result = modules.run(module, **options)
    if refused:
        assert (result.get("failed"), result["msg"], service.writes) == (True, predicted["msg"], [])
        outcomes["refused"] += 1
        return None
    assert not result.get("failed"), result
    assert comparable_result(without(result, ["warnings"])) == comparable_result(without(predicted, ["warnings"]))
    assert result["changed"] is bool(service.writes)
    service.calls.clear()
    again = modules.done(module, **options)
    assert (again["changed"], again["operations"], service.writes) == (False, [], [])
    assert again["diff"] == {"before": {}, "after": {}}
    outcomes["applied" if result["changed"] else "unchanged"] += 1
    return result


def without(item: Item, names: Iterable[str]) -> Item:
    return {name: value for name, value in item.items() if name not in names}


def comparable(items: list[Item], before: list[Item]) -> list[str]:
    """Objects in any order; those that are new without their ids, and without what the service chooses for them."""
    ids = {item["id"] for item in before}
    chosen = ("id", "mitigation_type")
    return sorted(
        repr(sorted(model.shown(without(item, () if item.get("id") in ids else chosen)).items())) for item in items
    )


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
@pytest.mark.fewest(disables_protection=0.02, allowlists_own_prefix=0.02, unmet=0.01, refused=0.03)
@pytest.mark.fewest(broad_allowlist=0.01, skips_monitoring=0.005, empties_list=0.005)
@pytest.mark.fewest(unprotects_addresses=0.003, mass_deletion=0.003)
def test_a_random_plan_for_an_account(
    existing: Item,
    task: tuple[str, Item],
    consent: str,
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
) -> None:
    service.reset()
    service.clock.set(NOW)
    service.account(ACCOUNT).seed(**existing)
    module, options = task
    before, enabled = lists_of(service), service.account(ACCOUNT).enabled
    expected: model.Lists | None = None
    with suppress(Refused):
        expected = before if module == "tcp_protection_status" else model.lists_after(module, options, before, NOW)
        enabled = options.get("enabled", enabled) if module != "allowlist_entry" else enabled
    result = applied(service, modules, outcomes, module, options, expected is None, consent)
    after = lists_of(service)
    for name, items in (expected or before).items():
        assert comparable(after[name], before[name]) == comparable(items, before[name])
    assert expected is None or service.account(ACCOUNT).enabled == enabled
    if result and expected:
        risks = account_risk_model.account_risks(before, expected, NOW, options)
        assert risks == account_risk_model.MODELLED & zone_risk_model.risks_in(result).keys()
        pending = result.get("pending", [])
        assert len([pending] if isinstance(pending, dict) else pending) == model.pending_in(module, options, expected)


@given(existing=firewalls(), task=FIREWALL_TASKS, with_filters=booleans(), consent=CONSENTS)
@plans(0.83)
@pytest.mark.fewest(skips_everything=0.02, blocks_everything=0.02, weakens_zone=0.02, unmet=0.02)
def test_a_random_plan_for_firewall_rules(
    existing: list[Item],
    task: Item,
    with_filters: bool,
    consent: str,
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
) -> None:
    service.reset()
    service.clock.set(NOW)
    service.switch(firewall_put_updates_filter=with_filters)
    zone = service.zone(ZONE).seed(rules=existing)
    expected: list[Item] | None = None
    before = deepcopy(zone.rules)
    with suppress(Refused):
        expected = zone_model.firewall_after(before, task["rules"])
    result = applied(service, modules, outcomes, "firewall_rules", task, expected is None, consent)
    assert model.shown(zone.rules) == model.shown(before if expected is None else expected)
    if result and expected:
        stored = {rule["id"]: rule for rule in zone.rules}
        assert result["rules"] == [stored[rule["id"]] for rule in task["rules"]]
        changed = {key for key in stored if model.shown(stored[key]) != model.shown(by_id(before)[key])}
        assert changed <= result["diff"]["after"].get("firewall_rules", {}).keys()
        in_order = zone_risk_model.firewall_in_order
        percent = task.get("max_weakened_percent", 30)
        risks = zone_risk_model.zone_risks(in_order(before), in_order(expected), percent)
        assert zone_risk_model.risks_in(result) == risks


def by_id(rules: list[Item]) -> dict[str, Item]:
    return {rule["id"]: rule for rule in rules}


@given(plan=custom_plans(), consent=CONSENTS)
@plans(1.5)
@pytest.mark.fewest(skips_everything=0.02, blocks_everything=0.02, weakens_zone=0.02, unmet=0.02)
@pytest.mark.fewest(mass_deletion=0.005, empties_list=0.005, ignored=0.02, refused=0.005)
def test_a_random_plan_for_custom_rules(
    plan: tuple[list[Item], Item], consent: str, service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    existing, task = plan
    service.reset()
    service.clock.set(NOW)
    zone = service.zone(ZONE).seed(custom_rules=existing)
    before = deepcopy(zone.custom_rules)
    expected: list[Item] | None = None
    with suppress(Refused):
        expected = zone_model.custom_after(before, task)
    result = applied(service, modules, outcomes, "custom_rules", task, expected is None, consent)
    after = zone.custom_rules
    assert comparable(after, before) == comparable(before if expected is None else expected, before)
    if not result:
        assert after == before
        return
    order, refs = [rule["ref"] for rule in after], [rule["ref"] for rule in before]
    zone_model.check_order(refs, task, order)
    assert [item["key"] for item in result["unmanaged"]] == [
        ref
        for ref in order
        if ref not in {entry["ref"] for entry in task["rules"]} or ref in zone_model.named_of_others(task)
    ]
    outcomes["ignored"] += task["state"] == "exact" and result["unmanaged"] != []
    in_order = zone_risk_model.custom_in_order
    risks = zone_risk_model.zone_risks(in_order(before), in_order(after), task.get("max_weakened_percent", 30))
    percent = task.get("max_deletions_percent", 30)
    risks.update(zone_risk_model.list_risks(in_order(before), in_order(after), task["state"] == "exact", percent))
    assert zone_risk_model.risks_in(result) == risks
