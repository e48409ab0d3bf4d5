# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._protection.holes import unmanaged_records
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    PREFIXES,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

from tests.support.coverage_model import account_state

PREFIX = {"prefix": "192.0.2.0/24", "comment": None, "excluded": None}


def test_unmanaged_objects_are_listed_with_their_last_change() -> None:
    desired = [
        parse_desired(PREFIXES, [(Option("prefixes", 0), PREFIX)]),
        *(parse_desired(item, []) for item in (ALLOWLIST, STATUS)),
    ]
    state = account_state(
        prefixes=[
            {"prefix": "192.0.2.7/24", "excluded": False, "modified_on": "2026-11-20T00:00:00Z"},
            {
                "prefix": "192.0.2.0/25",
                "excluded": True,
                "created_on": "2026-11-19T00:00:00Z",
                "modified_on": "2026-11-20T00:00:00Z",
            },
        ],
        allowlist=[{"prefix": "203.0.113.0/32", "enabled": False}],
    )
    excluded, source = unmanaged_records(desired, state)
    assert excluded == {
        "resource": "prefix",
        "key": "192.0.2.0/25",
        "weakens": True,
        "reason": "excludes 128 IPv4 addresses (192.0.2.0/25)",
        "since": "2026-11-20T00:00:00Z",
    }
    assert (source["key"], source["weakens"], source["since"]) == ("203.0.113.0/32", False, None)


def test_rules_of_a_zone_are_judged_by_those_that_the_task_names() -> None:
    desired = [parse_desired(CUSTOM_RULES, [(Option("rules", 0), {"ref": "login"})])]
    skip = {"ref": "pass", "action": "skip", "expression": "true", "action_parameters": {"ruleset": "current"}}
    login = {"ref": "login", "action": "block", "expression": "ssl"}
    (record,) = unmanaged_records(desired, {CUSTOM_RULES.plural: [skip, login]})
    assert (record["key"], record["weakens"]) == ("pass", True)
