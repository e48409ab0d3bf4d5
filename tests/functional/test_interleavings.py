# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two and three runs at once, each call of which is a step: nothing is lost, nothing is there twice, and all orders end alike.

The same 40 in every run; `python -m tests.evidence.interleavings` takes 5,000."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._apply.recovery import ChangesMeanwhile

from tests.fake_service.service import Service
from tests.support.interleavings import DEPLOY, Scenario, problems, rule, run_all, state_of, task
from tests.support.module_run import ACCOUNT, ZONE

SEEDS = 40


def test_two_and_three_runs_at_once_lose_nothing_and_end_alike() -> None:
    happened: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in range(SEEDS):
        found, counted = problems(seed)
        wrong += [f"seed {seed}: {one}" for one in found]
        happened.update(counted)
    assert wrong == []
    single = [f"{method} of rules" for method in ("POST", "PATCH", "DELETE")]
    for kind in (
        "put_back",
        "created at the same time",
        "deletes its own ruleset",
        "conflicts",
        "PUT of rules",
        *single,
    ):
        assert happened[kind], happened


@pytest.mark.parametrize("seed", range(10))
def test_two_runs_that_change_two_rules_of_one_ruleset_need_no_second_plan(seed: int) -> None:
    scenario = Scenario(0)
    service = scenario.prepared(Service())
    zone = service.zone(ZONE).seed(custom_rules=[rule("one"), rule("two")])
    tasks = [task(custom_rules=[{"ref": ref, "description": ref}]) for ref in ("one", "two")]
    runs = run_all(service, tasks, seed)
    assert [one["description"] for one in zone.custom_rules if one["ref"] in ("one", "two")] == ["one", "two"]
    assert [("put_back" in result, result["changed"]) for result in runs.results] == [(False, True)] * 2
    assert runs.of_rules == {"PATCH of rules": 2}


def refs_of(service: Service, name: str) -> list[list[str]]:
    """The refs of the rules of each custom ruleset with a name."""
    rulesets = [one for one in service.account(ACCOUNT).custom_rulesets if one["name"] == name]
    return [[one["ref"] for one in ruleset["rules"]] for ruleset in rulesets]


@pytest.mark.parametrize("seed", range(10))
def test_of_two_custom_rulesets_of_one_name_one_stays_with_the_rules_of_both(seed: int) -> None:
    service = Scenario(0).prepared(Service())
    new = {"name": "Created", "deploy": DEPLOY}
    tasks = [task(custom_rulesets=[{**new, "rules": [rule("both"), rule(ref)]}]) for ref in ("one", "two")]
    results = run_all(service, tasks, seed).results
    (refs,) = refs_of(service, "Created")
    assert sorted(refs) == ["both", "one", "two"]
    (deployed,) = [key for key in state_of(service) if key[0] == "deployed"]
    assert deployed == ("deployed", "Created Created")
    assert [result["changed"] for result in results] == [True, True]
    assert [run_all(service, [one], 0).results[0]["changed"] for one in tasks] == [False, False]


def test_runs_that_settle_nothing_are_found_out() -> None:
    with (
        patch.object(ChangesMeanwhile, "_overtaken_lists", lambda *_any: []),
        patch.object(ChangesMeanwhile, "_plans_of_collections", lambda *_any: iter(())),
    ):
        assert any(problems(seed)[0] for seed in range(SEEDS))
