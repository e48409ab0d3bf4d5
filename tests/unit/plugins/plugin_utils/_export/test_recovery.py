# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.recovery import Exceptions, recover

ENTRY = {"id": "1", "prefix": "192.0.2.7/32", "comment": "scanner", "enabled": True}
RULE = {"id": "r1", "ref": "login", "action": "block", "expression": "ssl", "description": "", "enabled": True}
NOBODY = Exceptions()


def test_lists_are_exclusive() -> None:
    state: dict[str, Any] = {ALLOWLIST.plural: [], CUSTOM_RULES.plural: []}
    recovered = recover(state, {ALLOWLIST.plural: [ENTRY], CUSTOM_RULES.plural: [RULE]}, NOBODY)
    assert recovered.variables["baseline_purge"] == ["allowlist", "custom_rules"]


def test_a_resource_that_neither_side_has_is_left_out() -> None:
    assert recover({ALLOWLIST.plural: []}, {}, NOBODY).variables == {"baseline_purge": []}


def test_a_firewall_rule_that_was_deleted_cannot_come_back() -> None:
    rule = {"id": "f" * 32, "action": "block", "filter": {"id": "e" * 32, "expression": "ssl"}}
    recovered = recover({FIREWALL_RULES.plural: [rule]}, {FIREWALL_RULES.plural: []}, NOBODY)
    assert len(recovered.refused) == 1 and "f" * 32 in recovered.refused[0].name


@pytest.mark.parametrize(
    ("exceptions", "left"),
    [
        (NOBODY, False),
        (Exceptions(ignore_ids=["r1"]), True),
        (Exceptions(ignore={CUSTOM_RULES.plural: ["log*"]}), True),
        (Exceptions(ignore={ALLOWLIST.plural: ["log*"]}), False),
        (Exceptions(objects=["login"]), True),
        (Exceptions(objects=["custom rule login"]), True),
        (Exceptions(objects=["r1"]), True),
        (Exceptions(objects=["other"]), False),
    ],
)
def test_exceptions_leave_an_object_alone_by_its_id_its_key_or_its_name(exceptions: Exceptions, left: bool) -> None:
    assert exceptions.leave(CUSTOM_RULES, RULE) is left
