# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules of a zone: positions, states, and the conditions that rules meet."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

ONE, OTHER = "1" * 32, "2" * 32
RULES: Any = [
    {"id": ONE, "action": "block", "paused": True, "description": "No Scrapers"},
    {"id": OTHER, "action": "log", "paused": False, "description": None},
]
ANY: Any = {"id": None, "action": None, "paused": None, "description": None}


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
