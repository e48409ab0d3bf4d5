# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter to_prefixes: rows of NetBox and Nautobot become prefixes, and an answer that is not whole is refused."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.protection.plugins.filter.to_prefixes import to_prefixes

ACTIVE = {"value": "active", "label": "Active"}
EDGE = {"id": 1, "name": "DDoS protected", "slug": "ddos-protected"}
ELSEWHERE = {"id": 2, "name": "Scrubbed elsewhere", "slug": "scrubbed-elsewhere"}


def row(prefix: str, **fields: Any) -> dict[str, Any]:
    return {"prefix": prefix, "status": ACTIVE, "description": "", "tags": [EDGE], **fields}


def taken(rows: Any, **options: Any) -> list[str]:
    return [entry["prefix"] for entry in to_prefixes(rows, **options)]


ROWS = [
    row("2001:db8::/48", tags=[]),
    row("203.0.113.0/24", description="POP 7", role={"name": "Anycast", "slug": "anycast"}),
    row("203.0.113.64/28", tags=[EDGE, ELSEWHERE]),
    row("192.0.2.0/24", status={"value": "reserved", "label": "Reserved"}),
    row("203.0.112.0/20", status={"value": "container", "label": "Container"}),
]


def test_active_prefixes_are_taken_sorted_with_their_descriptions() -> None:
    assert to_prefixes(ROWS) == [
        {"prefix": "203.0.113.0/24", "comment": "POP 7", "excluded": False},
        {"prefix": "203.0.113.64/28", "comment": "", "excluded": False},
        {"prefix": "2001:db8::/48", "comment": "", "excluded": False},
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"tags": ["DDoS Protected"]}, ["203.0.113.0/24", "203.0.113.64/28"]),
        ({"tags": ["ddos-protected", "other"], "roles": ["anycast"]}, ["203.0.113.0/24"]),
        ({"statuses": ["Reserved"]}, ["192.0.2.0/24"]),
        ({"statuses": [], "tags": ["ddos-protected"]}, ["192.0.2.0/24", "203.0.113.0/24", "203.0.113.64/28"]),
    ],
)
def test_a_prefix_meets_every_condition(options: dict[str, Any], expected: list[str]) -> None:
    assert taken(ROWS, **options) == expected


def test_a_second_tag_excludes() -> None:
    excluded = {entry["prefix"]: entry["excluded"] for entry in to_prefixes(ROWS, exclude_tags=["scrubbed-elsewhere"])}
    assert excluded == {"203.0.113.0/24": False, "203.0.113.64/28": True, "2001:db8::/48": False}


def test_containers_are_never_taken() -> None:
    rows = [*ROWS, row("198.51.100.0/22", type={"value": "container", "label": "Container"})]
    assert taken(rows, statuses=["container", "active"]) == taken(ROWS)
    assert taken(rows, statuses=[])[0] == "192.0.2.0/24"


def test_shapes_of_an_answer_are_equal() -> None:
    flattened = [{"key": number, "value": item} for number, item in enumerate(ROWS)]
    page = {"count": len(ROWS), "next": None, "previous": None, "results": ROWS}
    nautobot = [{**item, "status": {"id": "a1", "name": item["status"]["label"]}} for item in ROWS]
    assert to_prefixes(flattened) == to_prefixes(page) == to_prefixes(nautobot) == to_prefixes(ROWS)


@pytest.mark.parametrize(
    ("answer", "options", "message"),
    [
        ([], {}, "no prefix is left of 0 prefixes in the answer; check its conditions"),
        (
            [{"prefix": "192.0.2.0/24", "status": "active", "tags": ["spare"]}],
            {"exclude_tags": ["spare"]},
            "no prefix is left of 1 prefix in the answer; check its conditions",
        ),
        (
            [{"prefix": "192.0.2.0/24", "status": "active"}],
            {"exclude_tags": ["spare"]},
            "answer[0]: 192.0.2.0/24 has no tags, of which exclude_tags asks",
        ),
        (ROWS, {"tags": ["misspelt"]}, "no prefix is left of 5 prefixes in the answer; check its conditions"),
        ({"count": 60, "next": "https://netbox/?offset=50", "results": ROWS}, {}, "the answer has 5 of 60 prefixes"),
        ({"count": 6, "next": None, "results": ROWS}, {}, "the answer has 5 of 6 prefixes"),
        ("", {}, "answer: '' is a text; write [{prefix: ...}]."),
        (ROWS[0], {}, "answer: it is a dictionary; write [{prefix: ...}]."),
        ([*ROWS, {"address": "192.0.2.1/24"}], {}, "answer[5].prefix: it is missing; write a text."),
        ([row("192.0.2.0/33"), {"prefix": "198.51.100.0/24"}], {},
         "2 errors: (1) answer[0]: '192.0.2.0/33' is not a network: /33 is too long for IPv4;"
         " (2) answer[1]: 198.51.100.0/24 has no status by name; ask Nautobot with depth=1"),
        ([row("192.0.2.0/24", status={"id": "a1", "url": "https://nautobot/a1"})], {}, "answer[0]: 192.0.2.0/24 has no status by name; ask Nautobot"
         " with depth=1"),
        ([row("192.0.2.0/24"), row("192.0.2.0/24", tags=[])], {"exclude_tags": ["ddos-protected"]}, "answer[1]: 192.0.2.0/24 is there with and"
         " without a tag of exclude_tags"),
        (ROWS, {"tags": {"ddos": True}}, "tags: it is a dictionary; write a list."),
    ],
)  # fmt: skip
def test_what_may_be_incomplete_is_refused(answer: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        to_prefixes(answer, **options)
    assert caught.value.message == f"edgeops.protection.to_prefixes: {message}"


def test_a_prefix_of_two_vrfs_is_taken_once() -> None:
    assert taken([row("192.0.2.0/24", vrf={"id": 1}), row("192.0.2.0/24")]) == ["192.0.2.0/24"]
