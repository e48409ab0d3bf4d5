# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whoever takes protection away by hand from a host in order is found by the report, and nobody is blamed who does not:
random changes against a small model of docs/report.md. `make plans` compares 1,000."""

from __future__ import annotations

import copy
from collections import Counter

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import codes_of
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.rules import risks_of_rules
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from hypothesis import given
from hypothesis import strategies as st

from tests.evidence.models.plan_model import Item
from tests.evidence.models.random_accounts import (
    FLAGS,
    Change,
    accounts,
    changed,
    hold,
    key_of,
    option_of,
    protects_less,
    record_of,
    task_of,
)
from tests.evidence.models.random_plans import plans
from tests.evidence.models.traffic_model import custom_in_order, is_unprotected, nothing_is_stricter
from tests.fake_service import LocalService
from tests.support.module_run import ZONE, Modules

pytestmark = pytest.mark.ends("found", "harmless", of="holes")

REFS = ("a", "b", "c")


def zone_rule(ref: str, action: str, expression: str, enabled: bool) -> Item:
    skips = {"action_parameters": {"ruleset": "current"}} if action == "skip" else {}
    return {"ref": ref, "action": action, "expression": expression, "enabled": enabled, **skips}


EXPRESSIONS = [
    "true", 'http.host eq "a"', 'http.host eq "b"', 'http.host in {"a" "b"}',
    "ip.src in {192.0.2.0/24}", "ip.src eq 192.0.2.1", 'http.host eq "a" and ip.src eq 192.0.2.1',
]  # fmt: skip
MATCHING, TEXTS = st.sampled_from(EXPRESSIONS), st.sampled_from([*EXPRESSIONS, "false"])
ACTIONS = st.sampled_from(["block", "block", "managed_challenge", "log", "skip"])
BY_HAND = st.sampled_from(["skip", "skip", "managed_challenge", "block", "log"])


@st.composite
def zones(draw: st.DrawFn) -> tuple[list[Item], list[Item]]:
    """The rules of a baseline, and the zone after somebody's change of one of them, or with one more rule."""
    on = st.sampled_from([True, True, True, False])
    baseline = [
        draw(st.builds(zone_rule, st.just(ref), ACTIONS, MATCHING, on)) for ref in REFS[: draw(st.integers(1, 3))]
    ]
    existing = copy.deepcopy(baseline)
    index = draw(st.integers(0, len(existing)))
    if index == len(existing) or draw(FLAGS):
        index = draw(st.integers(0, len(existing)))
        existing.insert(index, draw(st.builds(zone_rule, st.just("hand"), BY_HAND, TEXTS, on)))
        return baseline, existing
    what = draw(st.sampled_from(["gone", "off", "expression"]))
    if what == "gone":
        del existing[index]
    elif what == "off":
        existing[index]["enabled"] = not existing[index]["enabled"]
    else:
        existing[index]["expression"] = draw(TEXTS)
    return baseline, existing


RED = ("unprotected", "weakened")


def has_hole(baseline: Item, existing: Item, made: list[Change], purged: list[str]) -> bool:
    """What the page says: the baseline's objects protect less than described, a purge would take away what protects less,
    or an object that no baseline names would take protection away by itself."""
    strange = [change for change in made if change.before is None and option_of(change.where) not in purged]
    after = existing
    for change in made:
        if change not in strange:
            after = changed(after, Change(change.where, change.after, change.before))
    return protects_less(after, existing) or any(
        protects_less(baseline, changed(baseline, change)) for change in strange
    )


@given(state=accounts(), purge=st.booleans())
@plans(1.2)
def test_a_hole_in_an_account_is_found_and_nobody_else_is_blamed(
    state: tuple[Item, list[Change]], purge: bool, service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    baseline, made = state
    existing = baseline
    for change in made:
        existing = changed(existing, change)
    task = task_of(baseline, purge)
    hold(service, existing)
    record = record_of("account_protection", modules.run("account_protection", check=True, **task))
    hole = has_hole(baseline, existing, made, task["purge"])
    unprotected = is_unprotected(existing)
    assert (record["status"] in RED) == (hole or unprotected), (record["status"], record["reasons"], baseline, made)
    assert (record["status"] == "unprotected") == unprotected, (record["reasons"], baseline, made)
    strange = [change for change in made if change.before is None and option_of(change.where) not in task["purge"]]
    expected = [(blamed(change.after), protects_less(baseline, changed(baseline, change))) for change in strange]
    named = [(str(item["key"]).lower(), item["weakens"]) for item in record["unmanaged"]]
    assert sorted(named) == sorted(expected), (baseline, made)
    outcomes["found" if hole else "harmless"] += 1


def blamed(item: Item | None) -> str:
    return " ".join(dict.fromkeys(key_of(item or {}))).lower()


@given(zone=zones(), purge=st.booleans())
@plans(0.5)
def test_a_hole_in_a_zone_is_found_and_nobody_else_is_blamed(
    zone: tuple[list[Item], list[Item]], purge: bool, service: LocalService, modules: Modules, outcomes: Counter[str]
) -> None:
    baseline, existing = zone
    service.reset()
    service.zone(ZONE).seed(custom_rules=existing)
    result = modules.run(
        "custom_rules",
        check=True,
        rules=baseline,
        purge=purge,
        accept_risks=list(codes_of(risks_of_rules(CUSTOM_RULES))),
    )
    record = record_of("custom_rules", result)
    in_order, entries = custom_in_order(existing), {rule["ref"]: rule for rule in baseline}
    there = {rule["ref"] for rule in existing}
    left = [entries.get(rule["ref"], rule) for rule in existing]
    after = baseline if purge else [*left, *(rule for rule in baseline if rule["ref"] not in there)]
    lacking = not nothing_is_stricter(in_order, custom_in_order(after))
    without_hand = [rule for rule in after if rule["ref"] != "hand"]
    passing = not nothing_is_stricter(custom_in_order(after), custom_in_order(without_hand))
    if lacking or passing:
        assert record["status"] == "weakened", (record["reasons"], baseline, existing)
    elif record["status"] == "weakened":  # what is not proven may take protection away, and is said so
        assert all(" may " in reason for reason in record["reasons"] if "difference" not in reason), record["reasons"]
        outcomes["not proven"] += 1
    outcomes["found" if lacking or passing else "harmless"] += 1
