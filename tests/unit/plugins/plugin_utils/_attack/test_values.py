# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._attack.entries import is_meant
from ansible_collections.edgeops.protection.plugins.plugin_utils._attack.options import ATTACK, asked_values, which_end
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import read_variables

HOST = {"edge_account_id": "1" * 32, "edge_zone_id": "2" * 32}


def refs(*networks: str) -> set[str]:
    asked = read_variables(ATTACK, {"attack_block": {"networks": [*networks]}}, "attack_")
    values = asked_values(asked, HOST)
    return {rule["ref"] for name in ("custom_rules", "network_firewall_rules") for rule in values[name]}


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
