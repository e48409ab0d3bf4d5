# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists that rules refer to: the risk of one that would be empty, and the refusal of one that would be deleted."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.deletions import removes_referenced_list
from ansible_collections.edgeops.protection.plugins.module_utils._guard.list_plans import check_deleted_lists
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS, items_of, uses_of
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

from tests.support.changes import change_from

ITEMS = items_of("offices")


def found_in(number: Any, *, whole: bool) -> tuple[list[str], str]:
    """The entries of the risk, and the refusal, if the list, or all of its items, are deleted."""
    offices = {"id": "a", "name": "offices", "kind": "ip", "num_referencing_filters": number}
    state = {LISTS.plural: [offices], ITEMS.plural: [{"id": "b", "ip": "192.0.2.1"}]}
    named = (LISTS, {"name": "offices"}) if whole else (ITEMS, {"ip": "192.0.2.1"})
    plan = make_plan(state, [parse_desired(named[0], [(Option(), named[1])], absent=True)], inner=[ITEMS])
    change = change_from(plan)
    found = removes_referenced_list.in_change(change, Limits())
    return [entry.text for entry in found.entries] if found else [], check_deleted_lists(plan, lambda _resource: [])


@pytest.mark.parametrize(
    ("number", "words"), [(0, ""), (2, "2 rules refer"), (1.0, "1 rule refers"), (None, ""), ("2", "")]
)
def test_lists_that_rules_refer_to_are_named(number: Any, words: str) -> None:
    entries, refusal = found_in(number, whole=True)
    assert (entries, f"offices ({words} to it)" in refusal, bool(refusal)) == ([], bool(words), bool(words))
    entries, refusal = found_in(number, whole=False)
    assert (entries, refusal) == (["offices"] if words else [], "")


def test_a_malformed_number_counts_as_no_reference() -> None:
    assert uses_of({"num_referencing_filters": "many"}) == 0
