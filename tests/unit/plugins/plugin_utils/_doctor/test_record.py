# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of a host, its lines, and the shapes in its bundle."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import HostAnswer, HostAnswers
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.doctor import (
    Record,
    failures,
    lines_of,
    record_of,
    shape_of,
)

UNREAD = HostAnswer(PREFIXES, message="GET prefixes got no response.")


def recorded(*answers: HostAnswer, seconds_ahead: float | None = 0.0) -> Record:
    return record_of("a", "now", HostAnswers(answers, len(answers), seconds_ahead))


def test_an_unread_resource_is_told_and_fails_a_run_that_asks_for_it() -> None:
    record = recorded(UNREAD)
    assert [*lines_of(record)] == [
        "a: 1 call, all of them reads.",
        "  permission DDoS Protection Read (account): not known. no answer.",
        "  product Advanced TCP Protection: not known. no answer.",
        "  not read: prefixes. GET prefixes got no response.",
        "  assumptions that hold: 0; that do not: 0; that no answer shows: 4.",
    ]
    assert failures(record, "unknown") == ["not read: prefixes"]
    assert failures(record, "deviation") == []


def test_a_deviation_is_told_with_what_goes_wrong() -> None:
    record = recorded(HostAnswer(PREFIXES, [{"prefix": "192.0.2.0/24"}]))
    assert "  DOES NOT HOLD ids: Every object of a list has an id, a text." in [*lines_of(record)]
    assert "    - prefixes: 1 without an id" in [*lines_of(record)]
    assert "    What goes wrong: Objects cannot be updated or deleted." in [*lines_of(record)]
    assert failures(record, "deviation") == ["assumptions that do not hold: ids"]


def test_an_empty_list_shows_no_assumption_of_objects() -> None:
    assert [item["holds"] for item in recorded(HostAnswer(PREFIXES))["assumptions"]] == [None, None, None, True]


@pytest.mark.parametrize(
    ("seconds_ahead", "holds"), [(0.4, True), (-299.0, True), (301.0, False), (-3600.0, False), (None, False)]
)
def test_clocks_may_differ_by_five_minutes(seconds_ahead: float | None, holds: bool) -> None:
    record = recorded(HostAnswer(PREFIXES), seconds_ahead=seconds_ahead)
    assert record["assumptions"][-1]["holds"] is holds


SHAPES: list[tuple[Any, list[str]]] = [
    ({"name": "Frankfurt", "count": 3}, [": dict", ".name: str", ".count: int"]),
    ({"a": [{"b": True}, {}]}, [": dict", ".a: list", ".a[]: dict", ".a[].b: bool", ".a[]: dict"]),
    ({"a": None, "managed-challenge": []}, [": dict", ".a: NoneType", ".managed-challenge: list"]),
    ({"023e105f4ecef8ad9ca31a8372d0c353": 1}, [": dict", ".(name): int"]),
    ({"192.0.2.1": 1, "a b": 1, "AS64500": 1, "": 1}, [": dict", *[".(name): int"] * 4]),
]


@pytest.mark.parametrize(("document", "lines"), SHAPES, ids=[str(document) for document, _lines in SHAPES])
def test_a_shape_has_names_and_types(document: Any, lines: list[str]) -> None:
    assert [*shape_of(document)] == lines
