# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from itertools import accumulate
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import pages
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.progress import Progress
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES, STATUS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Object, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import excerpt

from tests.support.scripted import Scripted, enveloped, in_turn

OWNER = {"account_id": "0" * 32}


def objects(*numbers: int) -> list[dict[str, Any]]:
    return [{"id": str(number), "prefix": f"10.0.0.{number}/32"} for number in numbers]


def answer(result: Any, total: Any = None, **more: Any) -> Response:
    info = {} if total is None else {"result_info": {"total_count": total}}
    return enveloped(result, **{**info, **more})


def in_pages(pages: Sequence[list[dict[str, Any]]], **info: Any) -> Scripted:
    """Gives each page that is asked for, by its number, in whichever order; behind the last one empty ones."""

    def page(request: Request) -> Response:
        number = request.query["page"]
        return answer(pages[number - 1] if number <= len(pages) else [], result_info=info)

    return Scripted(page)


class Totals(Progress):
    """Keeps how many pages a listing has, as it is told with each page."""

    def __init__(self) -> None:
        super().__init__()
        self.totals: list[int] = []

    def read_page(self, listing: str, total: int = 0) -> None:
        self.totals.append(total)
        super().read_page(listing, total)


def read(resource: Resource, *answers: Response) -> tuple[list[Object], Scripted]:
    script = in_turn(*answers)
    return Client(script, OWNER).read(resource), script


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([answer(objects(1, 2, 3), total=3)], id="one page"),
        pytest.param([answer(objects(1, 2), total=3), answer(objects(3), total=3)], id="two pages"),
        pytest.param([answer(objects(1, 2), total=3), answer(objects(2, 3), total=3)], id="a page that repeats one"),
        pytest.param([answer(objects(1, 2), total=3), answer(objects(3))], id="a later page without a total"),
        pytest.param([answer(objects(1, 2, 3)), answer([])], id="no totals, up to the empty page"),
        pytest.param([answer(objects(1, 2, 3)), answer(objects(1, 2, 3))], id="no totals and no pages"),
        pytest.param([answer(objects(1, 2, 3), total="3"), answer([])], id="a total that is not a number"),
        pytest.param([answer(objects(1, 2), total=3), answer(objects(3), total=3)], id="fewer on the second page than on the first"),
        pytest.param([answer(objects(1), total=3), answer(objects(2, 3), total=3), answer([], total=3)],
                     id="more on the second page than on the first"),
        pytest.param([answer(objects(1, 2, 3), total=3, result_info=None), answer([])], id="null for what is known of pages"),
    ],
)  # fmt: skip
def test_a_listing_is_read_to_its_end(answers: list[Response]) -> None:
    items, script = read(PREFIXES, *answers)
    assert [item["id"] for item in items] == ["1", "2", "3"]
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
def test_nothing_is_nothing_when_the_service_says_so(answers: list[Response]) -> None:
    assert read(PREFIXES, *answers)[0] == []


@pytest.mark.parametrize(
    ("status", "code", "is_empty"), [(404, 10003, True), (404, 7003, False), (400, 10003, False), (410, 10003, False)]
)
def test_a_phase_without_a_ruleset_is_empty_if_both_status_and_code_say_so(
    status: int, code: int, is_empty: bool
) -> None:
    refused = enveloped(None, status, errors=[{"code": code, "message": "no"}])
    client = Client(in_turn(refused), {"zone_id": "0" * 32})
    if is_empty:
        assert client.read(CUSTOM_RULES) == []
    else:
        with pytest.raises(ServiceError, match=f"HTTP {status}"):
            client.read(CUSTOM_RULES)


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        pytest.param([answer(objects(1), total=3), answer([], total=3)], "ends after 1 of 3", id="a short listing"),
        pytest.param([answer(objects(1), total=3), answer(objects(1), total=3)], "ends after 1 of 3", id="no advance"),
        pytest.param([answer(objects(*range(1000)))] * 2, "ends after 1000 of an unknown", id="a full page twice"),
        pytest.param([answer(objects(*range(1001)))] * 2, "ends after 1001 of an unknown", id="an overfull page twice"),
        pytest.param([answer(objects(1), total=3), answer([])], "ends after 1 of 3", id="no total on an empty page"),
        pytest.param([answer(objects(1), total=3), answer(objects(2)), answer([])], "ends after 2 of 3", id="no later totals"),
        pytest.param([answer(objects(1), total=3), answer(objects(2), total=2), answer([])], "ends after 2 of 3", id="a lower total"),
        pytest.param([answer(objects(1)), answer([], total=3)], "ends after 1 of 3", id="a later total"),
        pytest.param([answer(objects(1), total=3), answer(None, total=0)], "ends after 1 of 3", id="null for a page"),
        pytest.param([answer(None)], "not a list", id="null"),
        pytest.param([answer({"id": "1"})], "not a list", id="an object"),
        pytest.param([answer(["192.0.2.0/24"])], "not a list", id="a list of texts"),
    ],
)  # fmt: skip
def test_a_part_is_never_taken_for_the_whole(answers: list[Response], problem: str) -> None:
    with pytest.raises(ServiceError, match=problem) as caught:
        read(PREFIXES, *answers)
    assert (caught.value.status, caught.value.maybe_applied) == (200, True)


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


@pytest.mark.parametrize("total", [0, 1, 999, 1001, 10**12, 10**400, -1, "1000", None, True, 1e3, [1000]])
def test_a_repeated_full_page_counts_only_if_the_total_allows_it(total: Any) -> None:
    again = [answer(FULL, result_info={"total_count": total}) for dummy in range(2)]
    with pytest.raises(ServiceError, match="ends after 1000 of") as caught:
        read(PREFIXES, *again)
    assert len(caught.value.message) < 400
    more = isinstance(total, int) and total > 1000
    assert f"of {excerpt(str(total), 20) if more else 'an unknown number of'} objects" in caught.value.message
    assert len(read(PREFIXES, answer(FULL, total=1000), answer(FULL, total=1000))[0]) == 1000


def test_a_page_without_ids_that_comes_again_is_read_once() -> None:
    page = [{"prefix": f"192.0.2.{number}"} for number in range(3)]
    assert read(PREFIXES, answer(page), answer(page))[0] == page


def test_more_objects_than_the_total_are_all_taken() -> None:
    items, script = read(PREFIXES, answer(objects(1, 2, 3), total=2))
    assert len(items) == 3
    assert len(script.asked) == 1


def test_a_listing_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_PAGES", 7)
    script = in_turn(*(answer(objects(number)) for number in range(20)))
    with pytest.raises(ServiceError, match="does not end"):
        Client(script, OWNER).read(PREFIXES)
    assert len(script.asked) == 7


@pytest.mark.parametrize(
    ("length", "count", "total", "announced", "requested"),
    [
        (3, 7, 7, 3, [1, 2, 3]),
        (3, 6, 6, 2, [1, 2, 3]),
        (3, 9, 9, 3, [1, 2, 3, 4]),
        (3, 10, 9, 3, [1, 2, 3, 4]),
        (3, 11, 3, 1, [1, 2, 3, 4]),
        (1, 2, None, 0, [1, 2, 3]),
        (1, 0, 0, 1, [1]),
    ],
)
def test_the_first_page_decides_how_many_pages_are_read_concurrently(
    length: int, count: int, total: int | None, announced: int, requested: list[int]
) -> None:
    numbers = range(count)
    pages = in_pages(
        [objects(*numbers[first : first + length]) for first in range(0, count, length)],
        total_count=total,
        per_page=length,
    )
    progress = Totals()
    items = Client(pages, OWNER, progress).read(PREFIXES)
    assert [item["id"] for item in items] == [str(number) for number in numbers]
    assert sorted(request.query["page"] for request in pages.asked) == requested
    assert sorted(progress.totals) == [0] * (len(requested) - 1) + [announced]


@pytest.mark.parametrize(
    ("lengths", "total", "requested"), [([1001], 1001, 2), ([300, 300], 600, 3), ([3, 1], 4, 2), ([2, 3], 4, 3)]
)
def test_a_full_page_has_the_requested_length_or_that_of_the_first(
    lengths: list[int], total: int, requested: int
) -> None:
    ends = list(accumulate(lengths))
    pages = in_pages([objects(*range(end - length, end)) for length, end in zip(lengths, ends)], total_count=total)
    assert len(Client(pages, OWNER).read(PREFIXES)) == sum(lengths)
    assert len(pages.asked) == requested


def test_objects_without_an_id_are_all_kept() -> None:
    duplicates = [{"prefix": "192.0.2.0/24"}, {"prefix": "192.0.2.0/24"}]
    assert read(PREFIXES, answer(duplicates, total=2))[0] == duplicates


@pytest.mark.parametrize("identity", [[], ["7"], {"a": "7"}, {}, 0, "", None, False])
def test_objects_whose_id_is_none_are_all_kept(identity: Any) -> None:
    odd = [{"id": identity, "prefix": "192.0.2.0/24"}, {"id": identity, "prefix": "198.51.100.0/24"}]
    assert read(PREFIXES, answer(odd, total=2))[0] == odd


def test_the_time_of_the_service_is_that_of_its_last_response_that_told_it() -> None:
    noon = {"Date": "Fri, 02 Jan 2026 12:00:00 GMT"}
    responses = [answer({"enabled": True})._replace(headers=headers) for headers in ({}, noon, {})]
    reader = Client(in_turn(*responses), OWNER)
    times = []
    for dummy in responses:
        reader.read(STATUS)
        times.append(reader.now)
    assert times == [None, *[datetime(2026, 1, 2, 12, tzinfo=timezone.utc)] * 2]
