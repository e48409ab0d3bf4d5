# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The workflow that is set up, run over the project in examples: what was approved is applied, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run

from .controller import Controller
from .running import Platform, changes, workflow_nodes

STATE = REPOSITORY / "tests" / "demo" / "many_accounts.yml"
(TOKEN,) = yaml.safe_load(STATE.read_text(encoding="utf-8"))["tokens"]
EMPTY, DRIFTED, ZONE, IN_ORDER = "example-labs-7fb7a3", "example-travel", "bank-de.example", "example-retail-de"
SLICES = [f"{EMPTY}:{ZONE}", f"{DRIFTED}:{IN_ORDER}"]
ALL = ":".join(SLICES)
EMPTY_ID = "7fb7a3dc71db04fa91f4f200b6f0b574"


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    with LocalService() as service:
        service.load(yaml.safe_load(STATE.read_text(encoding="utf-8")))
        yield Platform(service, TOKEN, tmp_path)
        assert not service.breaches


def test_slices_apply_the_approved_plan(controller: Controller, first: Run, platform: Platform) -> None:
    """The slices that plan are not those that apply; afterwards there is nothing to plan."""
    nodes = dict(workflow_nodes(controller, "europe"))
    planned = platform.run(nodes["plan"], SLICES)
    assert planned.succeeded, planned.output
    assert not platform.service.writes
    plans = [sorted(plan) for plan in planned.artifacts.values()]
    assert plans == [sorted([EMPTY, ZONE]), [DRIFTED]]
    applied = platform.run(nodes["apply"], [f"{EMPTY}:{DRIFTED}", f"{ZONE}:{IN_ORDER}"])
    assert applied.succeeded, applied.output
    assert {host for host, (changed, _failed) in changes(applied.output).items() if changed} == {EMPTY, ZONE, DRIFTED}
    assert platform.run(nodes["plan"], [ALL]).artifacts == {}


def test_a_host_whose_plan_changed_after_the_approval_is_refused(
    controller: Controller, first: Run, platform: Platform
) -> None:
    nodes = dict(workflow_nodes(controller, "europe"))
    assert platform.run(nodes["plan"], [ALL]).succeeded
    platform.service.account(EMPTY_ID).seed(prefixes=[{"prefix": "203.0.113.96/27", "comment": "of somebody else"}])
    applied = platform.run(nodes["apply"], [ALL])
    assert not applied.succeeded
    assert "The plan is not the approved one" in applied.output
    assert changes(applied.output) == {EMPTY: (0, 1), ZONE: (1, 0), DRIFTED: (1, 0)}
    assert not [call for call in platform.service.writes if EMPTY_ID in call.path]


def test_a_job_that_gets_no_plans_changes_nothing(controller: Controller, first: Run, platform: Platform) -> None:
    """It was started by itself, or by a controller that does not hand on what slices set."""
    applied = platform.run(dict(workflow_nodes(controller, "europe"))["apply"], [ALL])
    assert not applied.succeeded
    assert "baseline_expected_plan approves none" in applied.output
    assert changes(applied.output) == {EMPTY: (0, 1), ZONE: (0, 1), DRIFTED: (0, 1)}
    assert not platform.service.writes
