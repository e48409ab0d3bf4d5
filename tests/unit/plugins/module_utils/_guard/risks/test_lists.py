# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of deletions."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import find_risks
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
)

from tests.support.changes import change_of, hosts
from tests.support.coverage_model import account_state


@pytest.mark.parametrize(
    ("existing", "kept", "percent", "codes"),
    [
        (10, 6, 30, []),
        (10, 5, 30, ["mass_deletion"]),
        (10, 5, 50, []),
        (20, 15, 30, []),
        (20, 14, 30, []),
        (100, 70, 30, []),
        (103, 72, 30, ["mass_deletion"]),
        (10, 0, 100, ["empties_list"]),
        (10, 0, 30, ["mass_deletion", "empties_list"]),
        (1, 0, 30, ["empties_list"]),
    ],
)
def test_a_list_loses_much_or_all(existing: int, kept: int, percent: int, codes: list[str]) -> None:
    entries = [{"prefix": item["prefix"]} for item in hosts(kept)]
    change = change_of(account_state(allowlist=hosts(existing)), ALLOWLIST, entries, purge=True)
    assert [risk.code for risk in find_risks(change, Limits({"max_deletions_percent": percent}))] == codes


def test_created_and_updated_objects_do_not_count_as_deleted() -> None:
    added = [{"prefix": item["prefix"]} for item in hosts(10)]
    changed = [{**item, "comment": "new"} for item in added]
    assert find_risks(change_of(account_state(), ALLOWLIST, added, purge=True), Limits()) == []
    assert find_risks(change_of(account_state(allowlist=hosts(10)), ALLOWLIST, changed, purge=True), Limits()) == []
