# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any, Callable, List

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._remembered import remembered

Counting = Callable[[List[int]], int]


@pytest.fixture
def calls() -> list[Any]:
    return []


@pytest.fixture
def count(calls: list[Any]) -> Counting:
    @remembered(2)
    def length(items: list[int]) -> int:
        calls.append(items)
        return len(items)

    return length


def test_an_object_is_worked_on_once(count: Counting, calls: list[Any]) -> None:
    rules = [1, 2, 3]
    assert [count(rules), count(rules)] == [3, 3]
    assert len(calls) == 1


def test_an_equal_object_is_another_one(count: Counting, calls: list[Any]) -> None:
    assert [count([1]), count([1])] == [1, 1]
    assert len(calls) == 2


def test_an_object_that_nobody_else_keeps_is_not_taken_for_a_later_one(count: Counting) -> None:
    lengths = [count([0] * number) for number in range(50)]  # Python gives ids of objects that are gone to new ones
    assert lengths == list(range(50))


def test_no_more_than_so_many_are_kept(count: Counting, calls: list[Any]) -> None:
    first, others = [0], [[1], [2], [3]]
    for rules in (first, *others, first):
        count(rules)
    assert len(calls) == 5


def test_a_failure_is_not_kept() -> None:
    attempts: list[str] = []

    @remembered(2)
    def fail(text: str) -> None:
        attempts.append(text)
        raise ValueError(text)

    for dummy in range(2):
        with pytest.raises(ValueError, match="wrong"):
            fail("wrong")
    assert len(attempts) == 2
