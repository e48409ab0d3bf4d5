# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the playbook of extensions/awx, and then the workflows that it has set up, as Automation Platform (AWX) does."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_environment, ansible_playbook, run_program

from .controller import Controller, Object

COLLECTIONS = REPOSITORY / ".cache" / "awx"
PROJECT = REPOSITORY / "examples"
TOKENS = [{"name": name, "api_token": f"token-of-{name}"} for name in ("europe", "asia")]
NUMBERS = count(101)  # of jobs


def set_up(controller: Controller, *arguments: str, **variables: Any) -> Run:
    return ansible_playbook(
        *("-e", json.dumps({"edge_tokens": TOKENS, "edge_notifications": ["chat"], "edge_job_slices": 2, **variables})),
        *arguments,
        "extensions/awx/set_up.yml",
        environment={
            "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
            "CONTROLLER_HOST": controller.address,
            "CONTROLLER_OAUTH_TOKEN": controller.token,
            "HOME": str(Path(__file__).parent),  # without the settings of somebody's own controller
        },
    )


def workflow_nodes(controller: Controller, token: str) -> Iterator[tuple[str, Object]]:
    """The nodes of a token's workflow, each with what it runs, in the order in which success leads from one to the next."""
    name = f"Edge protection: {token}: plan, approve, apply"
    (workflow,) = (item for item in controller.objects["workflow_job_templates"].values() if item["name"] == name)
    nodes = {
        item["id"]: item
        for item in controller.objects["workflow_job_template_nodes"].values()
        if item["workflow_job_template"] == workflow["id"]
    }
    successors = {identity: controller.associated[identity, "success_nodes"] for identity in nodes}
    (identity,) = nodes.keys() - {successor for following in successors.values() for successor in following}
    runs = {**controller.objects["job_templates"], **controller.objects["workflow_approval_templates"]}
    while True:
        yield nodes[identity]["identifier"], runs[nodes[identity]["unified_job_template"]]
        if not successors[identity]:
            return
        (identity,) = successors[identity]


@dataclass(frozen=True)
class Ended:
    """How the slices of a job ended: whether all of them succeeded, what they printed, and their artifacts."""

    succeeded: bool
    output: str
    artifacts: Mapping[str, Any]


@dataclass
class Platform:
    """Runs jobs with ansible-runner, each in a folder of its own, for the accounts and zones of a service."""

    service: LocalService
    token: str
    folder: Path
    artifacts: dict[str, Any] = field(default_factory=dict)

    def run(self, template: Object, slices: Sequence[str]) -> Ended:
        """Run a job template with a job for each slice, which is a pattern of hosts.

        Each job gets the artifacts of the jobs before. Those of the slices are merged by their names, as AWX does for a
        workflow in a workflow, which a sliced job is.
        """
        jobs = [self._run(template, slice_) for slice_ in slices]
        artifacts = {name: value for job in jobs for name, value in job.artifacts.items()}
        self.artifacts.update(artifacts)
        return Ended(all(job.succeeded for job in jobs), "\n".join(job.output for job in jobs), artifacts)

    def _run(self, template: Object, hosts: str) -> Ended:
        number = next(NUMBERS)
        folder = self.folder / str(number)
        shutil.copytree(PROJECT, folder / "project")
        (folder / "project" / "inventory").rename(folder / "inventory")
        (folder / "env").mkdir()
        variables = {**json.loads(template["extra_vars"]), **self.artifacts, "awx_job_id": number}
        (folder / "env" / "extravars").write_text(json.dumps(variables), encoding="utf-8")
        check = "--check " if template["job_type"] == "check" else ""
        words = ["ansible-runner", "run", folder, "-p", template["playbook"], "--ident", "job"]
        run = run_program([*words, "--cmdline", f"{check}--limit {hosts}"], REPOSITORY, self._environment())
        return Ended(run.returncode == 0, run.stdout, artifacts_of(folder))

    def _environment(self) -> dict[str, str]:
        plain = ansible_environment(str(self.folder / "home"))
        del plain["ANSIBLE_CALLBACKS_ENABLED"]  # ansible-runner has a callback of its own
        del plain["ANSIBLE_CONFIG"]  # the project has one
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        of_the_service = {"CLOUDFLARE_BASE_URL": self.service.base_url, "CLOUDFLARE_API_TOKEN": self.token}
        return {**plain, **of_the_service, "PATH": path}


def artifacts_of(folder: Path) -> dict[str, Any]:
    """What a job has set with set_stats, as ansible-runner hands it to AWX with the last event."""
    events = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("artifacts/job/job_events/*.json")]
    (data,) = [event["event_data"] for event in events if event["event"] == "playbook_on_stats"]
    artifacts: dict[str, Any] = data.get("artifact_data") or {}
    return artifacts


def changes(output: str) -> dict[str, tuple[int, int]]:
    """How many changes and failures a run reports, by host."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    lines = re.findall(r"^(\S+) +: ok=\d+ +changed=(\d+) +unreachable=0 +failed=(\d+)", plain, re.MULTILINE)
    return {host: (int(changed), int(failed)) for host, changed, failed in lines}
