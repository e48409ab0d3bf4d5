# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook comment: one comment in a merge request of GitHub or GitLab, which each run updates."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook

TOKEN = "token-of-the-job"
OWN, OTHER = 7, 8  # the ids of the token's user, and of somebody else
MARK = "<!-- edgeops.protection: report -->\n"


class Forge(ThreadingHTTPServer):
    """The part of GitHub's and GitLab's interface that the playbook uses, in memory."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Requests)
        self.comments: list[dict[str, Any]] = []
        self.calls: list[str] = []
        self.status = 0  # of every answer, if it is not 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def add(self, author: int, body: str) -> dict[str, Any]:
        """A comment that somebody wrote."""
        number = len(self.comments) + 1
        self.comments.append(
            {"id": number, "author": {"id": author}, "body": body, "html_url": f"{self.url}/c/{number}"}
        )
        return self.comments[-1]

    def answer(self, method: str, path: str, body: Any) -> Any:
        """What the service says; None for a call that it does not have."""
        update = re.fullmatch(
            r"/repos/acme/edge/issues/comments/(\d+)|/projects/acme%2Fedge/merge_requests/5/notes/(\d+)", path
        )
        if method == "POST" and path == "/graphql":
            return self.page_of_github(body["variables"])
        if method == "GET" and path == "/user":
            return {"id": OWN}
        if method == "GET" and (page := re.fullmatch(r"/projects/.*/notes\?sort=asc&per_page=100&page=(\d+)", path)):
            return self.comments[100 * (int(page[1]) - 1) : 100 * int(page[1])]
        if method == "POST" and path in (
            "/repos/acme/edge/issues/5/comments",
            "/projects/acme%2Fedge/merge_requests/5/notes",
        ):
            return self.add(OWN, body["body"])
        if update and method == ("PATCH" if update[1] else "PUT"):
            comment = self.comments[int(update[1] or update[2]) - 1]
            comment["body"] = body["body"]
            return comment
        return None

    def page_of_github(self, variables: Any) -> Any:
        if (variables["owner"], variables["name"], variables["number"]) != ("acme", "edge", 5):
            return {"data": {"repository": None}, "errors": [{"message": "Could not resolve to a PullRequest"}]}
        first = int(variables.get("after") or 0)
        nodes = [
            {
                "databaseId": item["id"],
                "url": item["html_url"],
                "body": item["body"],
                "viewerDidAuthor": item["author"]["id"] == OWN,
            }
            for item in self.comments[first : first + 100]
        ]
        info = {"hasNextPage": len(self.comments) > first + 100, "endCursor": str(first + 100)}
        return {"data": {"repository": {"pullRequest": {"comments": {"nodes": nodes, "pageInfo": info}}}}}


class Requests(BaseHTTPRequestHandler):
    server: Forge

    def answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        self.server.calls.append(f"{self.command} {self.path}")
        allowed = TOKEN in (
            self.headers.get("Authorization", "").removeprefix("Bearer "),
            self.headers.get("PRIVATE-TOKEN"),
        )
        content = self.server.answer(self.command, self.path, body) if allowed and not self.server.status else None
        status = self.server.status or (200 if content is not None else 404 if allowed else 401)
        text = json.dumps(
            content if content is not None else {"message": "Resource not accessible <by> token"}
        ).encode()
        self.send_response(status)
        self.send_header("Location", f"{self.server.url}/elsewhere")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = do_PUT = answer

    def log_message(self, *_arguments: Any) -> None:
        """Keeps quiet."""


@pytest.fixture
def forge() -> Iterator[Forge]:
    with Forge() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()


@pytest.fixture(params=["GitHub", "GitLab"])
def job(request: pytest.FixtureRequest, forge: Forge) -> dict[str, str]:
    """The environment of a job."""
    of_github = {"GITHUB_REPOSITORY": "acme/edge", "GITHUB_REF": "refs/pull/5/merge", "GITHUB_API_URL": forge.url}
    of_gitlab = {"CI_API_V4_URL": forge.url, "CI_PROJECT_ID": "acme/edge", "CI_MERGE_REQUEST_IID": "5"}
    return {**of_github, "GITHUB_TOKEN": TOKEN} if request.param == "GitHub" else {**of_gitlab, "GITLAB_TOKEN": TOKEN}


def comment(folder: Path, text: str, environment: dict[str, str], *options: str) -> Run:
    (folder / "report").mkdir(exist_ok=True)
    (folder / "report" / "report.md").write_text(text, encoding="utf-8")
    clean = dict.fromkeys(
        ["GITHUB_REPOSITORY", "CI_API_V4_URL", "CI_MERGE_REQUEST_IID", "GITHUB_TOKEN", "GH_TOKEN"], ""
    )
    directory = f"report_directory={folder / 'report'}"
    playbook = REPOSITORY / "playbooks" / "comment.yml"
    return ansible_playbook("-e", directory, *options, playbook, environment={**clean, **environment})


def test_each_run_updates_the_same_comment(forge: Forge, job: dict[str, str], tmp_path: Path) -> None:
    for number in range(120):
        forge.add(OTHER, f"a remark {number}")
    for text, changed in (("# one\n", True), ("# two\n", True), ("# two\n", False)):
        run = comment(tmp_path, text, job)
        assert run.code == 0, run.output
        assert [task.result["changed"] for task in run.tasks if "url" in task.result] == [changed]
        assert TOKEN not in run.output
    assert [item["body"] for item in forge.comments[120:]] == [MARK + "# two\n"]


def test_a_comment_that_somebody_else_wrote_is_left_alone(forge: Forge, job: dict[str, str], tmp_path: Path) -> None:
    forge.add(OTHER, MARK + "looks like ours, and can be changed after the review")
    forge.add(OWN, "another comment of ours")
    assert comment(tmp_path, "# plan\n", job).code == 0
    assert [item["body"] for item in forge.comments][1:] == ["another comment of ours", MARK + "# plan\n"]
    assert "can be changed" in forge.comments[0]["body"]


def test_comments_of_two_names_stand_beside_each_other(forge: Forge, job: dict[str, str], tmp_path: Path) -> None:
    for name in ("staging", "production", "staging"):
        assert comment(tmp_path, f"# {name}\n", job, "-e", f"report_comment_name={name}").code == 0
    assert len(forge.comments) == 2


def test_check_mode_writes_no_comment(forge: Forge, job: dict[str, str], tmp_path: Path) -> None:
    run = comment(tmp_path, "# plan\n", job, "--check")
    assert run.code == 0 and "changed=1" in run.output
    assert forge.comments == []


@pytest.mark.parametrize("status", [301, 403, 500])
def test_an_answer_that_refuses_is_said_without_the_token(
    status: int, forge: Forge, job: dict[str, str], tmp_path: Path
) -> None:
    forge.status = status
    run = comment(tmp_path, "# plan\n", job)
    assert run.code != 0
    assert f"was answered with HTTP {status}: " in run.output and "Traceback" not in run.output
    assert TOKEN not in run.output
    assert not [call for call in forge.calls if "elsewhere" in call]


@pytest.mark.parametrize(
    ("environment", "problem"),
    [
        ({}, "neither of GitHub nor of GitLab"),
        ({"GITHUB_REPOSITORY": "acme/edge"}, "set GITHUB_TOKEN and number"),
        ({"GITHUB_REPOSITORY": "acme/edge", "GH_TOKEN": "x", "GITHUB_REF": "refs/heads/main"}, "set number"),
        ({"CI_API_V4_URL": "http://127.0.0.1:9", "CI_PROJECT_ID": "1"}, "set GITLAB_TOKEN"),
    ],
)
def test_a_job_that_lacks_something_is_told_what(environment: dict[str, str], problem: str, tmp_path: Path) -> None:
    run = comment(tmp_path, "# plan\n", environment)
    assert run.code != 0
    assert problem in " ".join(run.output.split())


def test_a_report_that_does_not_exist_is_named(forge: Forge, job: dict[str, str], tmp_path: Path) -> None:
    run = comment(tmp_path, "# plan\n", job, "-e", f"report_directory={tmp_path / 'nowhere'}")
    assert run.code != 0
    assert "nowhere/report.md: No such file" in run.output
