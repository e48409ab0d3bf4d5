# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.api import client
from ansible_collections.edgeops.protection.plugins.module_utils.api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils.api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils.errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils.schema.account import PREFIXES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils.schema.resource import Object, Resource


def objects(*numbers: int) -> list[dict[str, Any]]:
    return [{"id": str(number), "prefix": f"10.0.0.{number}/32"} for number in numbers]


def answer(result: Any, total: Any = None, **more: Any) -> dict[str, Any]:
    info = {} if total is None else {"result_info": {"total_count": total}}
    return {"success": True, "errors": [], "messages": [], "result": result, **info, **more}


class Script:
    """Gives the answers one by one, as often as it is asked, and keeps what was asked."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers = list(answers)
        self.asked: list[Request] = []

    @property
    def calls(self) -> int:
        return len(self.asked)

    def send(self, request: Request) -> Response:
        self.asked.append(request)
        return Response(200, {}, json.dumps(self.answers.pop(0)).encode())


def read(resource: Resource, *answers: dict[str, Any]) -> tuple[list[Object], Script]:
    script = Script(*answers)
    return Client(script, {"account_id": "0" * 32}).read(resource), script


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([answer(objects(1, 2, 3), total=3)], id="one page"),
        pytest.param([answer(objects(1, 2), total=3), answer(objects(3), total=3)], id="two pages"),
        pytest.param([answer(objects(1, 2), total=3), answer(objects(2, 3), total=3)], id="a page that repeats one"),
        pytest.param([answer(objects(1, 2, 3)), answer([])], id="no totals, up to the empty page"),
        pytest.param([answer(objects(1, 2, 3)), answer(objects(1, 2, 3))], id="no totals and no pages"),
        pytest.param([answer(objects(1, 2, 3), total="3"), answer([])], id="a total that is no number"),
        pytest.param(
            [answer(objects(1, 2, 3), total=3, result_info=None), answer([])], id="null for what is known of pages"
        ),
    ],
)
def test_a_listing_is_read_to_its_end(answers: list[dict[str, Any]]) -> None:
    items, script = read(PREFIXES, *answers)
    assert [item["id"] for item in items] == ["1", "2", "3"]
    assert script.answers == []
    assert [request.query for request in script.asked] == [
        {"page": page, "per_page": 1000} for page in range(1, len(answers) + 1)
    ]


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([answer([], total=0)], id="empty"),
        pytest.param([answer([])], id="empty without totals"),
        pytest.param([answer(None, total=0)], id="null for no objects"),
    ],
)
def test_nothing_is_nothing_when_the_service_says_so(answers: list[dict[str, Any]]) -> None:
    assert read(PREFIXES, *answers)[0] == []


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        pytest.param([answer(objects(1), total=3), answer([], total=3)], "ends after 1 of 3", id="a short listing"),
        pytest.param([answer(objects(1), total=3), answer(objects(1), total=3)], "ends after 1 of 3", id="no advance"),
        pytest.param([answer(objects(*range(1000)))] * 2, "ends after 1000 of an unknown", id="a full page twice"),
        pytest.param([answer(objects(*range(1001)))] * 2, "ends after 1001 of an unknown", id="an overfull page twice"),
        pytest.param([answer(None)], "not a list", id="null"),
        pytest.param([answer({"id": "1"})], "not a list", id="an object"),
        pytest.param([answer(["192.0.2.0/24"])], "not a list", id="a list of texts"),
    ],
)
def test_a_part_is_never_taken_for_the_whole(answers: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(ServiceError, match=problem) as caught:
        read(PREFIXES, *answers)
    assert caught.value.status == 200


FULL = objects(*range(1000))


@pytest.mark.parametrize("total", [0, 1, 999, 1000, 1001])
@pytest.mark.parametrize("more", [[], objects(1000), objects(*range(1000, 2000))])
def test_after_a_full_page_there_is_one_more(total: int, more: list[dict[str, Any]]) -> None:
    pages = [answer(FULL, total=total), answer(more, total=total)]
    if len(more) != 1:
        pages.append(answer([], total=total))
    if total > 1000 + len(more):
        with pytest.raises(ServiceError, match="ends after 1000 of 1001 objects"):
            read(PREFIXES, *pages)
        return
    items, script = read(PREFIXES, *pages)
    assert len(items) == 1000 + len(more)
    assert len(script.asked) == (2 if len(more) < 1000 else 3)


@pytest.mark.parametrize("per_page", [3, 0, -1, "3", None, 10**400])
@pytest.mark.parametrize("total", [0, 3, 6])
def test_a_service_with_smaller_pages_and_a_total_that_is_too_low_is_read_to_the_end(per_page: Any, total: int) -> None:
    pages = [objects(1, 2, 3), objects(4, 5, 6), objects(7)]
    answers = [answer(page, result_info={"total_count": total, "per_page": per_page}) for page in pages]
    if per_page != 3 and total < 6:  # nothing tells that a first page of three is full
        answers = answers[:1]
    items, script = read(PREFIXES, *answers)
    assert len(items) == (7 if len(answers) == 3 else 3)
    assert script.answers == []


@pytest.mark.parametrize("total", [0, 1, 999, 1001, 10**12, 10**400, -1, "1000", None, True, 1e3, [1000]])
def test_a_full_page_that_comes_again_is_a_listing_only_where_the_total_says_so(total: Any) -> None:
    again = [answer(FULL, result_info={"total_count": total}) for dummy in range(2)]
    with pytest.raises(ServiceError, match="ends after 1000 of") as caught:
        read(PREFIXES, *again)
    assert len(caught.value.message) < 400
    assert len(read(PREFIXES, answer(FULL, total=1000), answer(FULL, total=1000))[0]) == 1000


def test_a_page_without_ids_that_comes_again_is_read_once() -> None:
    page = [{"prefix": f"192.0.2.{number}"} for number in range(3)]
    assert read(PREFIXES, answer(page), answer(page))[0] == page


def test_more_objects_than_the_total_are_all_taken() -> None:
    items, script = read(PREFIXES, answer(objects(1, 2, 3), total=2))
    assert len(items) == 3
    assert len(script.asked) == 1


def test_a_listing_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_PAGES", 7)
    script = Script(*(answer(objects(number)) for number in range(20)))
    with pytest.raises(ServiceError, match="does not end"):
        Client(script, {"account_id": "0" * 32}).read(PREFIXES)
    assert len(script.asked) == 7


def test_objects_without_an_id_are_all_kept() -> None:
    duplicates = [{"prefix": "192.0.2.0/24"}, {"prefix": "192.0.2.0/24"}]
    assert read(PREFIXES, answer(duplicates, total=2))[0] == duplicates


@pytest.mark.parametrize("identity", [[], ["7"], {"a": "7"}, {}, 0, "", None, False])
def test_objects_whose_id_is_none_are_all_kept(identity: Any) -> None:
    odd = [{"id": identity, "prefix": "192.0.2.0/24"}, {"id": identity, "prefix": "198.51.100.0/24"}]
    assert read(PREFIXES, answer(odd, total=2))[0] == odd


def test_a_single_object_is_a_listing_of_one() -> None:
    assert read(STATUS, answer({"enabled": True}))[0] == [{"enabled": True}]
    with pytest.raises(ServiceError, match="not an object"):
        read(STATUS, answer(None))
