# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A warning before an account has more items in its lists than most accounts may have."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.feasibility import check_list_items
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

ITEMS = items_of("offices")


def warning(number: int, existing: Sequence[Mapping[str, Any]], wanted: Sequence[str], purge: bool = False) -> str:
    """The warning of a plan for the list, where the account has so many items in all."""
    state = {LISTS.plural: [{"id": "a", "name": "offices", "kind": "ip", "num_items": number}], ITEMS.plural: existing}
    entries = [(Option("items", index), {"ip": ip}) for index, ip in enumerate(wanted)]
    plan = make_plan(state, [parse_desired(ITEMS, entries, exclusive=purge)])
    return check_list_items(plan, lambda resource: []).unknown


@pytest.mark.parametrize(
    ("number", "wanted", "purge", "warned"),
    [
        (9998, ["192.0.2.1", "192.0.2.2"], False, False),
        (9999, ["192.0.2.1", "192.0.2.2"], False, True),
        (9999, ["192.0.2.1", "192.0.2.2"], True, False),
        (10001, ["192.0.2.1"], False, False),
        (9999, [], False, False),
    ],
)
def test_the_crossing_of_the_number_is_warned_of(number: int, wanted: list[str], purge: bool, warned: bool) -> None:
    existing = [{"id": "b", "ip": "198.51.100.1", "comment": ""}]
    text = warning(number, existing, wanted, purge)
    assert ("would have 10001 items" in text) is warned
    assert bool(text) is warned
