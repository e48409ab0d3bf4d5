# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of the allowlist."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import Limits
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import find_risks
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    networks,
)

from tests.support.changes import change_of, hosts
from tests.support.coverage_model import account_state


@pytest.mark.parametrize(
    ("prefix", "codes"),
    [
        ("198.51.100.7", []),
        ("198.51.100.0/24", []),
        ("198.51.100.0/23", ["broad_allowlist"]),
        ("192.0.2.7", ["allowlists_own_prefix"]),
        ("192.0.0.0/16", ["broad_allowlist", "allowlists_own_prefix"]),
        ("2001:db8::/47", ["broad_allowlist"]),
    ],
)
def test_an_entry_of_the_allowlist_is_broad_or_the_accounts_own(prefix: str, codes: list[str]) -> None:
    risks = find_risks(change_of(account_state(), ALLOWLIST, [{"prefix": prefix}]), Limits())
    assert [risk.code for risk in risks] == codes


@pytest.mark.parametrize(
    ("existing", "entry", "networks_named"),
    [
        (["198.51.101.0/24"], "198.51.100.0/23", ["198.51.100.0/23"]),
        (["198.51.100.0/24"], "198.51.100.0/23", ["198.51.100.0/23"]),
        (["198.51.100.0/23"], "198.51.100.7", None),
        (["198.51.100.0/23"], "203.0.113.7", None),
    ],
)
def test_a_broad_entry_is_a_risk_if_it_lets_more_pass(existing: list[str], entry: str, networks_named: Any) -> None:
    state = account_state(allowlist=[{"id": prefix, "prefix": prefix, "enabled": True} for prefix in existing])
    risks = find_risks(change_of(state, ALLOWLIST, [{"prefix": entry}]), Limits())
    assert [networks(risk.ranges) for risk in risks] == ([networks_named] if networks_named else [])
    assert all(f": it would let {networks_named[0]} pass as sources. Up to" in risk.message for risk in risks)


@pytest.mark.parametrize(
    ("existing", "added", "crowded"),
    [(2, 1, False), (3, 0, False), (2, 2, True), (3, 1, True), (5, 1, True), (5, 0, False)],
)
def test_more_entries_than_usual_are_a_risk_if_they_become_more(existing: int, added: int, crowded: bool) -> None:
    entries = [{"prefix": item["prefix"], "comment": "new"} for item in hosts(existing + added)[-1 - added :]]
    change = change_of(account_state(allowlist=hosts(existing)), ALLOWLIST, entries)
    risks = find_risks(change, Limits({"max_allowlist_entries": 3}))
    assert [risk.code for risk in risks] == (["broad_allowlist"] if crowded else [])
    for risk in risks:
        assert f": it would have {existing + added} active entries. Up to" in risk.message
        assert len(risk.entries) == added
