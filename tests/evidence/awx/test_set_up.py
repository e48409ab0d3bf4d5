# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook of extensions/awx, run with the modules of awx.awx on a small controller in memory."""

from __future__ import annotations

import json

from tests.support.ansible_run import Run

from .controller import Controller
from .running import TOKENS, set_up, workflow_nodes


def test_each_token_has_its_inventory_templates_workflow_and_schedule(controller: Controller, first: Run) -> None:
    assert controller.names("credential_types") == ["Cloudflare API token"]
    assert controller.names("projects") == ["Edge protection"]
    for collection in ("credentials", "inventories"):
        assert controller.names(collection) == ["Edge protection: europe", "Edge protection: asia"]
    assert len(controller.names("inventory_sources")) == len(controller.names("schedules")) == 2
    templates = {item["name"]: item for item in controller.objects["job_templates"].values()}
    assert templates.keys() == {
        f"Edge protection: {token}: {work}" for token in ("europe", "asia") for work in ("plan", "apply", "report")
    }
    assert templates["Edge protection: asia: plan"]["job_type"] == "check"
    assert templates["Edge protection: asia: apply"]["job_type"] == "run"
    slices = {name.rpartition(" ")[2]: item["job_slice_count"] for name, item in templates.items()}
    assert slices == {"plan": 2, "apply": 2, "report": 1}, "one report is about all hosts"
    asia = next(item for item in controller.objects["inventories"].values() if item["name"].endswith("asia"))
    assert {item["inventory"] for name, item in templates.items() if "asia" in name} == {asia["id"]}


def test_the_apply_comes_after_an_approval(controller: Controller, first: Run) -> None:
    nodes = [(name, runs["name"], runs.get("playbook")) for name, runs in workflow_nodes(controller, "asia")]
    assert nodes == [
        ("plan", "Edge protection: asia: plan", "plan.yml"),
        ("approve", "Edge protection: asia: approve the plan", None),
        ("apply", "Edge protection: asia: apply", "apply.yml"),
    ]


def test_the_token_reaches_jobs_in_their_environment(controller: Controller, first: Run) -> None:
    (kind,) = controller.objects["credential_types"].values()
    assert kind["injectors"] == {"env": {"CLOUDFLARE_API_TOKEN": "{{ api_token }}"}}
    assert [field["id"] for field in kind["inputs"]["fields"] if field["secret"]] == ["api_token"]
    inputs = [item["inputs"] for item in controller.objects["credentials"].values()]
    assert inputs == [{"api_token": token["api_token"]} for token in TOKENS]
    assert all(token["api_token"] not in first.output for token in TOKENS)


def test_the_second_run_changes_nothing(controller: Controller, first: Run) -> None:
    """awx.awx calls a workflow with an approval changed each time; what the controller holds stays as it is."""
    stored = json.dumps(controller.objects)
    run = set_up(controller).done()
    changed = [task.task for task in run.tasks if task.result.get("changed")]
    assert [task for task in changed if not task.startswith("Add a workflow")] == []
    assert json.dumps(controller.objects) == stored


def test_the_specifications_of_the_modules_are_met(controller: Controller) -> None:
    """What shows that they are asked: a value that they do not list is refused."""
    templates = [{"name": "plan", "job_type": "dry", "playbook": "baseline.yml"}]
    run = set_up(controller, "--start-at-task", "Add the job templates of each token", edge_job_templates=templates)
    assert run.code == 2
    assert "value of job_type must be one of: run, check, got: dry" in run.output
