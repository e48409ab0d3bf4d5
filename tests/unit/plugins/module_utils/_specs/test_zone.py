# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules of a zone: positions, states, and the conditions that rules meet."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

FIREWALL, CUSTOM = MODULE_SPECS["firewall_rules"], MODULE_SPECS["custom_rules"]
ONE, OTHER = "1" * 32, "2" * 32
RULES: Any = [
    {"id": ONE, "action": "block", "paused": True, "description": "No Scrapers"},
    {"id": OTHER, "action": "log", "paused": False, "description": None},
]
ANY: Any = {"id": None, "action": None, "paused": None, "description": None}


def custom(*rules: Any, state: str = "present") -> Any:
    (item,) = CUSTOM.desired({"rules": [{"position": None, **rule} for rule in rules], "state": state})
    return item


def test_firewall_rules_are_returned_in_the_order_of_the_task() -> None:
    options = {"rules": [{"id": OTHER, "paused": True}, {"id": ONE.upper(), "paused": True}]}
    desired = FIREWALL.desired(options)
    assert FIREWALL.result(options, desired, {"firewall_rules": RULES}) == {
        "rules": [RULES[1], RULES[0]],
        "unmanaged": [],
    }


def test_positions_are_of_the_rules_that_name_one() -> None:
    item = custom({"ref": "a", "position": "first"}, {"ref": "b"}, {"ref": "c", "position": "after a"})
    assert item.positions == {("a",): ("first", ""), ("c",): ("after", "a")}
    assert list(item.objects.values()) == [{"ref": "a"}, {"ref": "b"}, {"ref": "c"}]
    assert custom({"ref": "a", "position": "top"}, state="absent").positions == {}


@pytest.mark.parametrize(
    ("position", "state", "problem"),
    [
        ("top", "present", "'top' is not first, last, before REF or after REF"),
        ("first", "exact", "with state exact the order of the list is the order of the rules"),
    ],
)
def test_a_position_that_cannot_be_is_refused(position: str, state: str, problem: str) -> None:
    with pytest.raises(OptionError, match=rf"rules\[0\].position: {problem}"):
        custom({"ref": "a", "position": position}, state=state)


@pytest.mark.parametrize(
    ("state", "absent", "exclusive"), [("present", False, False), ("absent", True, False), ("exact", False, True)]
)
def test_a_state_is_of_the_rules_or_of_the_list(state: str, absent: bool, exclusive: bool) -> None:
    item = custom({"ref": "a"}, state=state)
    assert (item.absent, item.exclusive) == (absent, exclusive)


@pytest.mark.parametrize(
    ("conditions", "ids"),
    [
        ({}, [ONE, OTHER]),
        ({"id": ONE.upper()}, [ONE]),
        ({"action": "log"}, [OTHER]),
        ({"paused": False}, [OTHER]),
        ({"paused": True, "action": "log"}, []),
        ({"description": "no scr"}, [ONE]),
        ({"description": "none"}, []),
    ],
)
def test_rules_meet_every_condition(conditions: Any, ids: list[str]) -> None:
    spec = MODULE_SPECS["firewall_rules_info"]
    options = {**ANY, **conditions}
    assert [rule["id"] for rule in spec.result(options, (), {"firewall_rules": RULES})["rules"]] == ids


@pytest.mark.parametrize(("paused", "refs"), [(True, ["b"]), (False, ["a", "c"]), (None, ["a", "b", "c"])])
def test_a_custom_rule_that_is_not_enabled_is_paused(paused: Any, refs: list[str]) -> None:
    rules: Any = [{"ref": "a", "enabled": True}, {"ref": "b", "enabled": False}, {"ref": "c"}]
    result = MODULE_SPECS["custom_rules_info"].result({**ANY, "paused": paused}, (), {"custom_rules": rules})
    assert [rule["ref"] for rule in result["rules"]] == refs
    assert all("paused" not in rule for rule in result["rules"])


def test_an_id_that_is_none_is_refused() -> None:
    with pytest.raises(OptionError, match="id: 'office' is not an id"):
        MODULE_SPECS["custom_rules_info"].reads({**ANY, "id": "office"})
