# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.evaluation import (
    Truth,
    all_of,
    any_of,
    negation,
    odd_of,
)
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import NotKnown

A, B = NotKnown("a"), NotKnown("b")
BOTH = ("a", "b")  # each reason once


def shown(truth: Truth) -> object:
    return truth.reasons if isinstance(truth, NotKnown) else truth


@pytest.mark.parametrize(
    ("parts", "conjunction", "disjunction", "odd"),
    [
        ([], True, False, False),
        ([True, True], True, True, False),
        ([True, False], False, True, True),
        ([A, False], False, ("a",), ("a",)),
        ([A, True], ("a",), True, ("a",)),
        ([False, A, B], False, BOTH, BOTH),
        ([A, A, B], BOTH, BOTH, BOTH),
    ],
)
def test_parts_that_are_not_known_matter_if_no_other_decides(
    parts: list[Truth], conjunction: object, disjunction: object, odd: object
) -> None:
    assert tuple(map(shown, (all_of(parts), any_of(parts), odd_of(parts)))) == (conjunction, disjunction, odd)


def test_negation_of_what_is_not_known_is_not_known() -> None:
    assert [negation(one) for one in (True, False, A)] == [False, True, A]
