# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.evaluation import (
    NotKnown,
    Truth,
    all_of,
    any_of,
    negation,
    not_known,
    odd_of,
)

A, B = NotKnown(("a",)), NotKnown(("b",))


@pytest.mark.parametrize(
    ("parts", "conjunction", "disjunction", "odd"),
    [
        ([], True, False, False),
        ([True, True], True, True, False),
        ([True, False], False, True, True),
        ([A, False], False, A, A),
        ([A, True], A, True, A),
        ([False, A, B], False, NotKnown(("a", "b")), NotKnown(("a", "b"))),
        ([A, A, B], NotKnown(("a", "b")), NotKnown(("a", "b")), NotKnown(("a", "b"))),
    ],
)
def test_parts_that_are_not_known_matter_if_no_other_decides(
    parts: list[Truth], conjunction: Truth, disjunction: Truth, odd: Truth
) -> None:
    assert (all_of(parts), any_of(parts), odd_of(parts)) == (conjunction, disjunction, odd)


def test_negation_of_what_is_not_known_is_not_known() -> None:
    assert [negation(one) for one in (True, False, A)] == [False, True, A]


def test_reasons_are_told_once() -> None:
    assert not_known(["a", "b", "a"]) == NotKnown(("a", "b"))
