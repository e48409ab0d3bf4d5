# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.comment import (
    PAGE,
    Forge,
    GitHub,
    GitLab,
    forge_of,
    own_comment,
    with_mark,
)

OF_GITHUB = {"GITHUB_REPOSITORY": "org/repo", "GITHUB_TOKEN": "secret", "GITHUB_REF": "refs/pull/7/merge"}
OF_GITLAB = {
    "CI_API_V4_URL": "https://gitlab.example/api/v4/",
    "CI_PROJECT_ID": "12",
    "CI_MERGE_REQUEST_IID": "7",
    "GITLAB_TOKEN": "secret",
}


class Answers:
    """Answers requests in their order."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[str, str]] = []

    def __call__(self, method: str, url: str, body: Any = None) -> Any:
        self.requests.append((method, url))
        return self.answers.pop(0)


def nodes(*bodies: tuple[str, bool], after: str | None = None) -> Any:
    comments = [
        {"databaseId": index, "url": f"#{index}", "body": body, "viewerDidAuthor": own}
        for index, (body, own) in enumerate(bodies)
    ]
    page = {"hasNextPage": after is not None, "endCursor": after}
    return {"data": {"repository": {"pullRequest": {"comments": {"nodes": comments, "pageInfo": page}}}}}


def notes(*bodies: tuple[str, int]) -> list[Any]:
    return [{"id": index, "body": body, "author": {"id": user}} for index, (body, user) in enumerate(bodies)]


def test_the_forge_is_that_of_the_job() -> None:
    github, gitlab = forge_of(OF_GITHUB, None, None), forge_of(OF_GITLAB, None, None)
    assert github == GitHub("https://api.github.com", "https://api.github.com/graphql", "org/repo", 7, "secret")
    assert gitlab == GitLab("https://gitlab.example/api/v4", "12", 7, "secret")
    assert forge_of(OF_GITHUB, 9, "other") == GitHub(
        "https://api.github.com", "https://api.github.com/graphql", "org/repo", 9, "other"
    )


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "this is a job neither of GitHub nor of GitLab"),
        ({**OF_GITHUB, "GITHUB_TOKEN": ""}, "set GITHUB_TOKEN; the job does not have it"),
        ({**OF_GITHUB, "GITHUB_REF": "refs/heads/main"}, "set number; the job does not have it"),
        ({**OF_GITLAB, "CI_PROJECT_ID": ""}, "set CI_PROJECT_ID; the job does not have it"),
    ],
)
def test_a_job_that_lacks_something_is_told_so(environment: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match="job") as caught:
        forge_of(environment, None, None)
    assert str(caught.value).startswith(words)


MARKED, OTHER = with_mark("report", "edge"), with_mark("report", "other")
GITHUB: list[Any] = [nodes((MARKED, False), ("hello", True), after="x"), nodes((OTHER, True), (MARKED, True))]
GITLAB: list[Any] = [{"id": 5}, notes((MARKED, 6), *[("hello", 5)] * (PAGE - 1)), notes((OTHER, 5), (MARKED, 5))]


@pytest.mark.parametrize(("environment", "answers"), [(OF_GITHUB, GITHUB), (OF_GITLAB, GITLAB)])
def test_a_comment_counts_if_the_token_s_user_wrote_it(environment: dict[str, str], answers: list[Any]) -> None:
    forge: Forge = forge_of(environment, None, None)
    comment = own_comment(forge, Answers(*answers), "edge")
    assert comment is not None and (comment.identity, comment.body) == ("1", MARKED)
    assert own_comment(forge, Answers(*answers), "third") is None


@pytest.mark.parametrize(
    ("environment", "answers", "create", "update"),
    [
        (OF_GITHUB, GITHUB, {"html_url": "https://github.example/1"}, "PATCH"),
        (OF_GITLAB, GITLAB, {"id": 1}, "PUT"),
    ],
)
def test_a_comment_is_created_once_and_then_updated(
    environment: dict[str, str], answers: list[Any], create: Any, update: str
) -> None:
    forge = forge_of(environment, None, None)
    comment = own_comment(forge, Answers(*answers), "edge")
    call = Answers(create, {})
    assert forge.create(call, MARKED).endswith("/1")
    assert comment is not None and forge.update(call, comment, MARKED) == comment.url
    assert [method for method, _url in call.requests] == ["POST", update]
    assert call.requests[1][1].endswith("/1")


def test_a_pull_request_that_is_not_there_is_told_with_the_reason() -> None:
    answer = {"data": {"repository": None}, "errors": [{"message": "Could not resolve"}]}
    with pytest.raises(ValueError, match=r"^GitHub has no pull request 7: Could not resolve$"):
        own_comment(forge_of(OF_GITHUB, None, None), Answers(answer), "edge")


def test_the_mark_contains_no_markup() -> None:
    assert with_mark("text", "a--> b") == "<!-- edgeops.protection: a--__b -->\ntext"
