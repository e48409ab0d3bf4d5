# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An ordered list: where new objects go, and that as few others as possible move."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import PlanError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import (
    numbered,
    parse_desired,
    parse_ignore,
    parse_position,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from hypothesis import given
from hypothesis import strategies as st

RULE = {"action": "log", "expression": "true"}


def plan(existing: str, desired: str, positions: Mapping[str, str] | None = None, exclusive: bool = False) -> Plan:
    """The plan for rules whose refs are single letters; a task ignores those in upper case."""
    listed = [{"ref": ref, **({} if ref.isupper() else RULE)} for ref in desired]
    entries = parse_desired(CUSTOM_RULES, numbered("rules", listed), exclusive=exclusive)
    entries = parse_ignore(entries, ["[A-Z]"])
    entries = entries.at_positions({(ref,): parse_position(text) for ref, text in (positions or {}).items()})
    rules = [{"id": ref, "ref": ref, "description": "", "enabled": True, **RULE} for ref in existing]
    return make_plan({"custom_rules": rules}, [entries])


def order(made: Plan) -> str:
    return "".join(rule["ref"] for rule in made.after()["custom_rules"])


@given(existing=st.permutations("abcdef"), desired=st.permutations("abcdefg"))
def test_an_exact_list_has_the_order_of_the_task_and_needs_no_second_plan(
    existing: list[str], desired: list[str]
) -> None:
    made = plan("".join(existing), "".join(desired), exclusive=True)
    assert order(made) == "".join(desired)
    again = plan(order(made), "".join(desired), exclusive=True)
    assert again.operations == ()
    unmoved = [ref for ref in existing if ref not in {item.label for item in made.operations}]
    assert unmoved == [ref for ref in desired if ref in unmoved]
    assert len(unmoved) == longest_in_order([desired.index(ref) for ref in existing])


@pytest.mark.parametrize(
    ("existing", "desired", "expected"),
    [
        ("Aab", "ab", "Aab"),
        ("ABab", "ab", "ABab"),
        ("aAb", "ab", "aAb"),
        ("aAbBcC", "abc", "aAbBcC"),
        ("abcABC", "abc", "abcABC"),
        ("aAbBc", "axbyc", "aAxbByc"),
        ("aAbBc", "ac", "aABc"),
        ("aAbBc", "bca", "bcaAB"),
        ("AaBbC", "xab", "AxaBbC"),
        ("A", "xy", "Axy"),
        ("AB", "", "AB"),
    ],
)
def test_ignored_rules_stay_behind_all_that_are_in_front_of_them(existing: str, desired: str, expected: str) -> None:
    assert order(plan(existing, desired, exclusive=True)) == expected
    assert plan(expected, desired, exclusive=True).operations == ()


@pytest.mark.parametrize(
    ("existing", "desired", "expected"),
    [
        ("Aab", "aAb", "aAb"),
        ("A", "xAy", "xAy"),
        ("ABab", "aAbB", "aAbB"),
        ("ABC", "AxC", "ABxC"),
        ("aCAb", "bAa", "bCAa"),
        ("ab", "aZb", "ab"),
        ("abA", "bAa", "bAa"),
    ],
)
def test_ignored_rules_that_are_named_stay_between_their_neighbours(existing: str, desired: str, expected: str) -> None:
    made = plan(existing, desired, exclusive=True)
    assert order(made) == expected
    assert not [item.label for item in made.operations if item.label.isupper()]
    assert plan(expected, desired, exclusive=True).operations == ()


@given(existing=st.permutations("abcdAB"), desired=st.permutations("abcdeAB"))
def test_others_go_around_what_is_ignored_and_named(existing: list[str], desired: list[str]) -> None:
    in_order = iter(ref for ref in existing if ref.isupper())
    listed = "".join(next(in_order) if ref.isupper() else ref for ref in desired)
    made = plan("".join(existing), listed, exclusive=True)
    assert order(made) == listed
    assert not [item.label for item in made.operations if item.label.isupper()]
    assert plan(listed, listed, exclusive=True).operations == ()


def test_ignored_rules_are_named_in_their_own_order() -> None:
    with pytest.raises(PlanError, match=r"stand in another order: A, B\. The module does not move them"):
        plan("AaB", "BaA", exclusive=True)


def longest_in_order(numbers: list[int]) -> int:
    """How long the longest ascending sequence is, by trying all that end with each of the numbers."""
    lengths: list[int] = []
    for index, number in enumerate(numbers):
        before = [lengths[earlier] for earlier in range(index) if numbers[earlier] < number]
        lengths.append(1 + max(before, default=0))
    return max(lengths, default=0)


def test_a_moved_object_that_the_task_does_not_describe_is_not_checked() -> None:
    odd = [{"id": ref, "ref": ref, "action": "rewrite", "expression": "true"} for ref in "ab"]
    entries = parse_desired(CUSTOM_RULES, numbered("rules", [{"ref": "b"}, {"ref": "a"}]), exclusive=True)
    made = make_plan({"custom_rules": odd}, [entries])
    assert [(item.label, item.before, item.fields) for item in made.operations] == [
        ("a", {"position": 1}, {"position": 2})
    ]
