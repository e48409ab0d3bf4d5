# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._attack.entries import is_meant, taking
from ansible_collections.edgeops.protection.plugins.plugin_utils._attack.options import ATTACK, asked_values, which_end
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import read_variables

UNTIL, LATER = "2027-01-29T09:00:00Z", "2027-01-29T11:00:00Z"
HOST = {"edge_account_id": "1" * 32, "edge_zone_id": "2" * 32}


def refs(*networks: str) -> set[str]:
    values = blocking(UNTIL, *networks)
    return {rule["ref"] for name in ("custom_rules", "network_firewall_rules") for rule in values[name]}


def blocking(until: str, *networks: str, **options: Any) -> dict[str, Any]:
    given = {"attack_block": {"networks": [*networks]}, **options}
    return asked_values(read_variables(ATTACK, given, "attack_"), HOST, until)


@pytest.mark.parametrize(
    ("options", "description"),
    [
        ({"attack_reason": "INC-7"}, f"INC-7, until {UNTIL} (edgeops.protection)"),
        ({}, f"until {UNTIL} (edgeops.protection)"),
    ],
)
def test_a_block_says_why_until_when_and_who_made_it(options: dict[str, Any], description: str) -> None:
    values = blocking(UNTIL, "198.51.100.0/24", **options)
    assert {rule["description"] for rules in values.values() for rule in rules} == {description}


@pytest.mark.parametrize(("first", "second"), [(UNTIL, LATER), (LATER, UNTIL)])
def test_the_same_block_lasts_until_the_later_end_and_says_so(first: str, second: str) -> None:
    existing, asked = (
        {**blocking(until, "198.51.100.0/24"), "until": until, "since": f"since {until}"} for until in (first, second)
    )
    (entry,) = taking([existing], [asked], datetime(2027, 1, 1, tzinfo=UTC))
    assert (entry["until"], entry["since"]) == (LATER, existing["since"])
    assert entry["custom_rules"] == blocking(LATER, "198.51.100.0/24")["custom_rules"]
    other = {**blocking(LATER, "198.51.100.0/25"), "until": LATER}
    assert taking([existing], [other], datetime(2027, 1, 1, tzinfo=UTC)) == [existing, other]


def test_the_same_block_is_the_same_rule_and_another_one_is_another() -> None:
    (one,), (again,), (other,) = refs("198.51.100.0/24"), refs("198.51.100.0/24"), refs("198.51.100.0/25")
    assert one == again != other


@pytest.mark.parametrize(
    ("over", "is_all"),
    [(True, True), ("true", True), ("Yes", True), ("INC-7", False), (False, None), ("no", None), ("", None)],
)
def test_over_is_all_or_a_name_or_a_reason(over: Any, is_all: bool | None) -> None:
    option = which_end(over)
    assert (not option) is (is_all is None)
    if option:
        entries = [{"name": "INC-7"}, {"reason": "INC-7"}, {"name": "night", "reason": "INC-70"}]
        assert [is_meant(option, entry) for entry in entries] == [True, True, is_all]


def test_a_reason_that_the_file_has_as_a_number_is_meant_by_its_digits() -> None:
    assert [is_meant("4711", {"reason": reason}) for reason in (4711, "4711", 471, None)] == [True, True, False, False]
