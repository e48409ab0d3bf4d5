# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The program that the recipes run, in a project of its own: it installs what it needs, plans, reports, tells, and applies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from flask import Flask, Response, request
from werkzeug.serving import make_server

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY
from tests.support.module_run import ACCOUNT

PARTS = ("extensions", "galaxy.yml", "meta", "playbooks", "plugins", "roles")
BY_HAND = {"prefix": "203.0.113.0/24", "comment": "by hand"}
Finished = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection as an unpacked archive has it."""
    folder = tmp_path_factory.mktemp("release") / "ansible-protection"
    folder.mkdir()
    for name in PARTS:
        copy = shutil.copytree if (REPOSITORY / name).is_dir() else shutil.copy
        copy(REPOSITORY / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@dataclass
class Project:
    """A repository with an inventory, whose main branch describes one prefix."""

    directory: Path
    release: Path
    home: Path
    service: LocalService

    def git(self, *words: str) -> None:
        identity = ("-c", "user.name=edge", "-c", "user.email=edge@example.com", "-c", "protocol.file.allow=always")
        subprocess.run(["git", *identity, *words], cwd=self.directory, check=True, capture_output=True)

    def describe(self, *prefixes: str) -> None:
        host = {
            "edge_account_id": ACCOUNT,
            "edge_base_url": self.service.base_url,
            "edge_api_token": "{{ lookup('ansible.builtin.env', 'CLOUDFLARE_API_TOKEN') }}",
            "ansible_connection": "local",
            "ansible_python_interpreter": "{{ ansible_playbook_python }}",
            "baseline_rules": [],
            "baseline_prefixes": [{"prefix": prefix, "comment": "of the file"} for prefix in prefixes],
        }
        (self.directory / "inventory").mkdir(exist_ok=True)
        inventory = {"accounts": {"hosts": {"berlin": host}}}
        (self.directory / "inventory" / "hosts.yml").write_text(yaml.safe_dump(inventory), encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "describe")

    def run(self, *words: str, **variables: str) -> Finished:
        return self.execute(["bash", str(self.release / "extensions" / "ci" / "protection"), *words], **variables)

    def execute(self, command: list[str], **variables: str) -> Finished:
        ours = ("ANSIBLE_", "CLOUDFLARE_", "GITHUB_", "CI_", "PROTECTION_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        environment |= {"PROTECTION_HOME": str(self.home), "CLOUDFLARE_API_TOKEN": self.service.token, **variables}
        return subprocess.run(command, cwd=self.directory, env=environment, capture_output=True, text=True, check=False)

    def read(self, name: str) -> str:
        return (self.directory / "report" / name).read_text(encoding="utf-8")


@pytest.fixture
def project(release: Path, home: Path, tmp_path: Path) -> Iterator[Project]:
    with LocalService() as service:
        service.account(ACCOUNT).seed(enabled=True, prefixes=[{**BY_HAND, "comment": "changed by hand"}])
        directory = tmp_path / "project"
        directory.mkdir()
        made = Project(directory, release, home, service)
        made.git("init", "--quiet", "--initial-branch", "main")
        made.describe("203.0.113.0/24")
        made.git("clone", "--quiet", "--bare", ".", str(tmp_path / "origin"))
        made.git("remote", "add", "origin", str(tmp_path / "origin"))
        made.git("checkout", "--quiet", "-b", "change")
        yield made


def test_a_plan_tells_the_change_of_the_branch_from_drift_and_is_applied(project: Project) -> None:
    project.describe("203.0.113.0/24", "198.51.100.0/24")
    planned = project.run("plan", GITHUB_BASE_REF="main")
    assert planned.returncode == 0, planned.stdout + planned.stderr
    page = project.read("report.md")
    of_the_branch = page.partition("## Since the report of")[2].partition("\n## ")[0]
    assert "198.51.100.0/24" in of_the_branch and "203.0.113.0/24" not in of_the_branch
    assert "changed by hand" in page
    plan = project.read("plan.md")
    assert plan.startswith("1 of 1 host changes. The run would undo 1 change by hand.\n")
    operations, by_hand = plan.partition("## Operations")[2].split("## Changed by hand")
    assert "198.51.100.0/24" in operations and "203.0.113.0/24" not in operations
    assert "203.0.113.0/24" in by_hand
    assert not project.service.writes
    applied = project.run("apply")
    assert applied.returncode == 0 and "changed=1" in applied.stdout, applied.stdout + applied.stderr
    assert project.service.writes


def test_a_plan_says_by_its_exit_code_whether_a_run_would_write_and_is_refused(project: Project) -> None:
    project.describe("203.0.113.0/24", "198.51.100.0/24")
    outputs = project.directory / "outputs"
    planned = project.run("plan", "--detailed-exitcode", GITHUB_OUTPUT=str(outputs), GITLAB_CI="true")
    assert planned.returncode == 2, planned.stdout + planned.stderr
    assert project.read("plan.env") == outputs.read_text(encoding="utf-8")
    assert outputs.read_text(encoding="utf-8").splitlines() == [
        "hosts_changed=1",
        "passes=0",
        "refused=0",
        "label=needs approval: none",
        "plan_directory=report",
        "exit_code=2",
    ]
    assert project.run("apply").returncode == 0
    assert project.run("plan", "--detailed-exitcode").returncode == 0
    project.describe("203.0.113.0/99")
    assert project.run("plan", "--detailed-exitcode").returncode == 1


def test_a_plan_of_something_else_is_not_applied(project: Project) -> None:
    assert project.run("plan").returncode == 0
    assert "Since the report of" not in project.read("report.md")
    project.describe("198.51.100.0/24")
    applied = project.run("apply")
    assert applied.returncode and "The plan is not the approved one" in applied.stdout, applied.stdout
    assert not project.service.writes


def test_a_branch_that_is_not_there_is_said(project: Project) -> None:
    planned = project.run("plan", GITHUB_BASE_REF="gone")
    assert planned.returncode == 0, planned.stderr
    assert "gone cannot be reported on" in planned.stderr


def test_a_report_fails_on_drift_and_tells_once(project: Project) -> None:
    bodies: list[Any] = []
    app = Flask("receiver")

    @app.post("/secret")
    def receive() -> Response:
        bodies.append(request.get_json())
        return Response(status=204)

    server = make_server("127.0.0.1", 0, app)
    Thread(target=server.serve_forever, daemon=True).start()
    notify = {
        "PROTECTION_NOTIFY_URL": f"http://127.0.0.1:{server.server_port}/secret",
        "PROTECTION_NOTIFY_KIND": "slack",
    }
    try:
        for _run in range(2):
            reported = project.run("report", **notify)
            assert reported.returncode and "report_fail_on" in reported.stdout + reported.stderr
            assert "/secret" not in reported.stdout + reported.stderr
    finally:
        server.shutdown()
    (body,) = bodies
    assert body["text"].startswith("```\nProtection: 1 new.\nNew: berlin is ")
    assert json.loads(project.read("report.json"))["hosts"][0]["host"] == "berlin"
    assert project.run("report", FAIL_ON="[]").returncode == 0


def test_an_attack_takes_the_posture_and_commits_its_file(project: Project) -> None:
    posture = {"prefixes": [{"prefix": "198.51.100.0/24"}], "accept_risks": ["unprotects_addresses"]}
    (project.directory / "inventory" / "group_vars").mkdir()
    every = project.directory / "inventory" / "group_vars" / "all.yml"
    every.write_text(yaml.safe_dump({"baseline_postures": {"wide": posture}}), encoding="utf-8")
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "posture")
    words = {"LIMIT": "berlin", "ATTACK_BRANCH": "incident"}
    refused = project.run("attack", **words, ATTACK_POSTURE="wide")
    assert refused.returncode and "Until when?" in refused.stdout + refused.stderr
    (project.directory / "inventory" / ".env").write_text("CLOUDFLARE_API_TOKEN=x\n", encoding="utf-8")
    reason = "it's ä 🎉 {{ lookup('pipe', 'touch pwned') }}"
    taken = project.run("attack", **words, ATTACK_POSTURE="wide", ATTACK_HOURS="4", ATTACK_REASON=reason)
    assert taken.returncode == 0, taken.stdout + taken.stderr
    stored = {item["prefix"] for item in project.service.account(ACCOUNT).prefixes}
    assert stored == {"198.51.100.0/24", "203.0.113.0/24"}
    shown = ["git", "show", "incident:postures.yml"]
    pushed = subprocess.run(shown, cwd=project.directory.parent / "origin", check=True, capture_output=True, text=True)
    assert yaml.safe_load(pushed.stdout)["berlin"][0]["reason"] == reason
    assert not list(project.directory.rglob("pwned"))
    ignored = project.directory / ".git" / "info" / "exclude"
    project.git("rm", "--quiet", "--cached", "postures.yml")
    ignored.write_text("postures.yml\n", encoding="utf-8")
    unstored = project.run("attack", **words, ATTACK_POSTURE="wide", ATTACK_HOURS="5", ATTACK_REASON="INC-8")
    assert unstored.returncode == 1 and "postures.yml is not pushed to incident. Commit it there" in unstored.stderr
    assert "reason: INC-8" in unstored.stderr
    ignored.unlink()
    project.git("reset", "--quiet")
    over = project.run("attack", **words, ATTACK_OVER="true")
    assert over.returncode == 0, over.stdout + over.stderr
    assert {item["prefix"] for item in project.service.account(ACCOUNT).prefixes} == {"203.0.113.0/24"}
    assert yaml.safe_load((project.directory / "postures.yml").read_text(encoding="utf-8")) == {}
    committed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "HEAD"],
        cwd=project.directory,
        check=True,
        capture_output=True,
        text=True,
    )
    assert ".env" not in committed.stdout


def test_the_component_of_gitlab_takes_a_posture_and_commits_its_file_alone(project: Project) -> None:
    """The program of its job, whose remote and clone lead to those of the test."""
    component = (REPOSITORY / "extensions" / "gitlab" / "protection.yml").read_text(encoding="utf-8")
    job = yaml.safe_load(component.split("\n---\n")[-1])["attack"]
    incident, origin = Incident(project), project.directory.parent / "origin"
    (project.directory / ".env").write_text("CLOUDFLARE_API_TOKEN=x\n", encoding="utf-8")
    reason = "$(touch pwned) {{ lookup('pipe', 'touch pwned') }}"
    variables = {
        "GITLAB_TOKEN": "glpat",
        "CI_SERVER_HOST": "gitlab.example",
        "CI_PROJECT_PATH": "acme/edge",
        "LIMIT": "berlin",
        "ATTACK_POSTURE": "wide",
        "ATTACK_HOURS": "4",
        "ATTACK_REASON": reason,
        "ATTACK_BRANCH": "incident",
        "PROTECTION_HOME": str(project.home),
    }
    assert job["variables"]["ATTACK_BRANCH"] == "$CI_COMMIT_BRANCH"
    project.git("config", f"url.{origin}.insteadOf", "https://oauth2:glpat@gitlab.example/acme/edge.git")
    script = "\n".join(job["script"]).replace("/tmp/ansible-protection", str(project.release))
    taken = project.execute(["bash", "-euc", script], **variables)
    assert taken.returncode == 0, taken.stdout + taken.stderr
    assert [(one["name"], one["reason"]) for one in incident.file()["berlin"]] == [("wide", reason)]
    changed = ["git", "diff", "--name-only", "incident~1", "incident"]
    files = subprocess.run(changed, cwd=origin, check=True, capture_output=True, text=True).stdout
    assert files.split() == ["postures.yml"]
    assert not [*project.directory.rglob("pwned")]


class Incident:
    """A project with two postures, whose attacks push to the branch incident."""

    def __init__(self, project: Project) -> None:
        self.project = project
        nets = {"wide": "198.51.100.0/24", "wider": "192.0.2.0/24"}
        postures = {
            name: {"prefixes": [{"prefix": prefix}], "accept_risks": ["unprotects_addresses"]}
            for name, prefix in nets.items()
        }
        every = project.directory / "inventory" / "group_vars" / "all.yml"
        every.parent.mkdir()
        every.write_text(yaml.safe_dump({"baseline_postures": postures}), encoding="utf-8")
        project.git("add", "--all")
        project.git("commit", "--quiet", "--message", "postures")
        project.git("push", "--quiet", "origin", "HEAD:incident")

    def take(self, posture: str) -> Finished:
        words = {"LIMIT": "berlin", "ATTACK_BRANCH": "incident", "ATTACK_HOURS": "4", "ATTACK_REASON": posture}
        return self.project.run("attack", **words, ATTACK_POSTURE=posture)

    def file(self) -> dict[str, list[dict[str, Any]]]:
        """The file of the branch."""
        shown = ["git", "show", "incident:postures.yml"]
        origin = self.project.directory.parent / "origin"
        text = subprocess.run(shown, cwd=origin, check=True, capture_output=True, text=True).stdout
        hosts: dict[str, list[dict[str, Any]]] = yaml.safe_load(text)
        return hosts

    def pushed(self) -> dict[str, list[str]]:
        """The names of postures by host in the file of the branch."""
        return {host: [one["name"] for one in entries] for host, entries in self.file().items()}

    def protected(self) -> set[str]:
        return {item["prefix"] for item in self.project.service.account(ACCOUNT).prefixes}


ALL_PREFIXES = {"203.0.113.0/24", "198.51.100.0/24", "192.0.2.0/24"}


def test_a_job_that_waited_for_another_one_keeps_its_posture(project: Project) -> None:
    """A job checks out the commit on which it was started."""
    incident = Incident(project)
    assert incident.take("wide").returncode == 0
    project.git("reset", "--quiet", "--hard", "HEAD~1")
    later = incident.take("wider")
    assert later.returncode == 0, later.stdout + later.stderr
    assert incident.pushed() == {"berlin": ["wide", "wider"]}
    assert incident.protected() == ALL_PREFIXES


def test_a_push_of_others_in_between_is_planned_with(project: Project) -> None:
    incident = Incident(project)
    assert incident.take("wide").returncode == 0
    other = project.directory.parent / "other"
    project.git("clone", "--quiet", "--branch", "incident", str(project.directory.parent / "origin"), str(other))
    project.git("reset", "--quiet", "--hard", "HEAD~1")
    project.git("push", "--quiet", "--force", "origin", "HEAD:incident")
    hook = project.directory / ".git" / "hooks" / "pre-commit"
    project.service.account(ACCOUNT).prefixes[:] = [
        item for item in project.service.account(ACCOUNT).prefixes if item["prefix"] != "198.51.100.0/24"
    ]  # the other run has written its file, and not yet its prefix
    push = "env -u GIT_DIR -u GIT_INDEX_FILE git -C ../other push --quiet origin HEAD:incident"
    hook.write_text(f"#!/bin/sh\n[ -f ../once ] || {{ touch ../once; {push}; }}\n", encoding="utf-8")
    hook.chmod(0o755)
    later = incident.take("wider")
    assert later.returncode == 0, later.stdout + later.stderr
    assert incident.pushed() == {"berlin": ["wide", "wider"]}
    assert incident.protected() == ALL_PREFIXES


def test_a_file_that_cannot_be_pushed_is_shown(project: Project) -> None:
    incident = Incident(project)
    project.git("remote", "set-url", "origin", "gone")
    taken = incident.take("wide")
    assert taken.returncode == 1
    assert "This checkout may lack postures that others have pushed to incident." in taken.stderr
    assert "postures.yml is not pushed to incident. Commit it there, before a scheduled run takes" in taken.stderr
    assert "- name: wide" in taken.stderr and incident.protected() == {"203.0.113.0/24", "198.51.100.0/24"}


def test_another_word_is_refused(project: Project) -> None:
    refused = project.run("deploy")
    assert refused.returncode == 2 and refused.stderr.startswith(
        "Usage: protection plan|report|apply|time|baseline|attack"
    )


# Texts of people, each with the run that reads it.
INPUTS = {
    "attack": (
        *("ATTACK_REASON", "ATTACK_OVER", "ATTACK_POSTURE", "ATTACK_HOURS", "ATTACK_BRANCH"),
        *("POSTURES_FILE", "LIMIT", "INVENTORY"),
    ),
    "report": ("REPORT_DIRECTORY", "FAIL_ON", "PROTECTION_NOTIFY_KIND"),
    "plan": ("GITHUB_BASE_REF",),
}


@pytest.mark.parametrize(("word", "variable"), [(word, name) for word, names in INPUTS.items() for name in names])
def test_a_text_of_a_person_runs_nothing(word: str, variable: str, project: Project) -> None:
    ran = project.directory.parent / "ran"
    touch = f"touch {ran}"
    template = f"{{{{ lookup('pipe', '{touch}') }}}}{{% if 1 %}}x{{% endif %}}"
    text = f"{template}$({touch})`{touch}`; {touch}; '; {touch}; '\" && {touch} #"
    attack = {"LIMIT": "berlin", "ATTACK_OVER": "", "ATTACK_POSTURE": "wide", "ATTACK_HOURS": "1"}
    project.run(word, **{**(attack if word == "attack" else {}), variable: text})
    if word == "plan":
        project.run(word, **{variable: f"--upload-pack={touch}"})
    assert not ran.exists()


def test_hosts_are_limited_by_names_and_by_no_file(project: Project) -> None:
    refused = project.run("report", LIMIT="@/proc/self/environ")
    assert refused.returncode == 2 and refused.stderr == "LIMIT names hosts and groups, and no file: it has an @.\n"
    assert project.service.token not in refused.stdout + refused.stderr
