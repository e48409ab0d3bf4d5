# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The comment of a merge request that holds a report: one comment, which each run updates.

A comment counts only if the token's own user wrote it. Anybody may write a comment that looks like
it, and whoever wrote a comment can change it after a reviewer has read it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

GITHUB, GITLAB = "GITHUB_REPOSITORY", "CI_MERGE_REQUEST_IID"  # say where a job runs
PAGE = 100  # comments
MERGE_REF = re.compile(r"refs/pull/(\d+)/")
COMMENTS = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $after) {
        nodes { databaseId url body viewerDidAuthor }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
"""


class Call(Protocol):
    """Sends a request with a body of JSON, and returns the JSON of its answer; raises OSError."""

    def __call__(self, method: str, url: str, body: Any = None, /) -> Any: ...


@dataclass(frozen=True)
class Comment:
    """A comment of the token's user."""

    identity: str
    body: str
    url: str


class Forge(Protocol):
    """Where the merge request is."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The credentials of each request."""

    def own_comments(self, call: Call) -> Iterator[Comment]:
        """The comments that the token's user wrote, the oldest first."""

    def create(self, call: Call, body: str) -> str:
        """Write a comment; returns its address."""

    def update(self, call: Call, comment: Comment, body: str) -> str:
        """Write another text into a comment; returns its address."""


@dataclass(frozen=True)
class GitHub:
    """A pull request of GitHub."""

    api: str
    graphql: str
    repository: str
    number: int
    token: str

    @property
    def headers(self) -> Mapping[str, str]:
        """The credentials of each request."""
        return {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    @property
    def _issues(self) -> str:
        return f"{self.api}/repos/{quote(self.repository)}/issues"

    def own_comments(self, call: Call) -> Iterator[Comment]:
        """The comments that the token's user wrote, the oldest first."""
        owner, _slash, name = self.repository.partition("/")
        variables: dict[str, Any] = {"owner": owner, "name": name, "number": self.number}
        while True:
            answer = call("POST", self.graphql, {"query": COMMENTS, "variables": variables})
            request = ((answer.get("data") or {}).get("repository") or {}).get("pullRequest")
            if not request:
                raise ValueError(f"GitHub has no pull request {self.number}: {_problem(answer)}")
            for item in request["comments"]["nodes"]:
                if item["viewerDidAuthor"]:
                    yield Comment(str(item["databaseId"]), item["body"], item["url"])
            page = request["comments"]["pageInfo"]
            if not page["hasNextPage"]:
                return
            variables["after"] = page["endCursor"]

    def create(self, call: Call, body: str) -> str:
        """Write a comment; returns its address."""
        answer = call("POST", f"{self._issues}/{self.number}/comments", {"body": body})
        return str(answer["html_url"])

    def update(self, call: Call, comment: Comment, body: str) -> str:
        """Write another text into a comment; returns its address."""
        call("PATCH", f"{self._issues}/comments/{comment.identity}", {"body": body})
        return comment.url


@dataclass(frozen=True)
class GitLab:
    """A merge request of GitLab."""

    api: str
    project: str
    number: int
    token: str

    @property
    def headers(self) -> Mapping[str, str]:
        """The credentials of each request."""
        return {"PRIVATE-TOKEN": self.token}

    @property
    def _notes(self) -> str:
        project = quote(self.project, safe="")
        return f"{self.api}/projects/{project}/merge_requests/{self.number}/notes"

    def own_comments(self, call: Call) -> Iterator[Comment]:
        """The comments that the token's user wrote, the oldest first."""
        own = call("GET", f"{self.api}/user")["id"]
        page = 1
        while True:
            notes = call("GET", f"{self._notes}?sort=asc&per_page={PAGE}&page={page}")
            for note in notes:
                if note["author"]["id"] == own:
                    yield Comment(str(note["id"]), note["body"], self._address(note))
            if len(notes) < PAGE:
                return
            page += 1

    def create(self, call: Call, body: str) -> str:
        """Write a comment; returns its address."""
        return self._address(call("POST", self._notes, {"body": body}))

    def update(self, call: Call, comment: Comment, body: str) -> str:
        """Write another text into a comment; returns its address."""
        call("PUT", f"{self._notes}/{comment.identity}", {"body": body})
        return comment.url

    def _address(self, note: Mapping[str, Any]) -> str:
        return f"{self._notes}/{note['id']}"


def forge_of(environment: Mapping[str, str], number: int | None, token: str | None) -> Forge:
    """Where a job runs, by the variables that GitHub and GitLab set; raises ValueError, with what
    is missing."""
    if environment.get(GITLAB) or environment.get("CI_API_V4_URL"):
        request = number or _number(environment.get(GITLAB, ""))
        secret = token or environment.get("GITLAB_TOKEN", "")
        values = [environment.get(name, "") for name in ("CI_API_V4_URL", "CI_PROJECT_ID")]
        _require(CI_API_V4_URL=values[0], CI_PROJECT_ID=values[1], GITLAB_TOKEN=secret)
        _require(**{GITLAB: request})
        return GitLab(values[0].rstrip("/"), values[1], request, secret)
    if environment.get(GITHUB):
        request = number or _of_github(environment)
        secret = token or environment.get("GITHUB_TOKEN") or environment.get("GH_TOKEN") or ""
        _require(GITHUB_TOKEN=secret, number=request)
        api = environment.get("GITHUB_API_URL") or "https://api.github.com"
        graphql = environment.get("GITHUB_GRAPHQL_URL") or f"{api.rstrip('/')}/graphql"
        return GitHub(api.rstrip("/"), graphql, environment[GITHUB], request, secret)
    raise ValueError(
        "this is a job neither of GitHub nor of GitLab: there is no GITHUB_REPOSITORY and no"
        " CI_API_V4_URL in the environment"
    )


def with_mark(text: str, name: str) -> str:
    """A text with the mark by which the next run finds it; nobody sees the mark."""
    return f"{_mark(name)}\n{text}"


def own_comment(forge: Forge, call: Call, name: str) -> Comment | None:
    """The first comment of the token's user with this mark."""
    mark = _mark(name)
    return next((item for item in forge.own_comments(call) if item.body.startswith(mark)), None)


def _mark(name: str) -> str:
    return f"<!-- edgeops.protection: {re.sub(r'[^A-Za-z0-9_.-]', '_', name)} -->"


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _of_github(environment: Mapping[str, str]) -> int:
    """The number of the pull request that a job runs for; 0 if it runs for none."""
    match = MERGE_REF.match(environment.get("GITHUB_REF", ""))
    return int(match[1]) if match else 0


def _require(**values: Any) -> None:
    missing = [name for name, value in values.items() if not value]
    if missing:
        raise ValueError(f"set {' and '.join(missing)}; the job does not have it")


def _problem(answer: Mapping[str, Any]) -> str:
    errors = answer.get("errors") or [{"message": "the answer is empty"}]
    return "; ".join(str(error.get("message", json.dumps(error))) for error in errors)
