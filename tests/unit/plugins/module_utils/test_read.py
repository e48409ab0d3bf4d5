# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Collections are read side by side, and objects inside of others only if nothing else shows them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._read import read_nested, with_references
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import State
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

FILTER = "f" * 32


class Reading:
    """A client whose collections hold one object each, which is named after them."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def read(self, resource: Any) -> list[dict[str, Any]]:
        self.paths.append(resource.path)
        return [{"id": resource.plural}]


def desired(rule: dict[str, Any]) -> Any:
    return [parse_desired(FIREWALL_RULES, [(Option(), rule)])]


def test_a_filter_that_no_rule_has_is_read_by_its_id() -> None:
    client: Any = Reading()
    rule = {"ref": "a", "action": "block", "filter": {"id": FILTER}}
    nested = read_nested(client, desired(rule), {FIREWALL_RULES.plural: []})
    assert list(nested) == [FIREWALL_RULES.plural]
    assert [FILTER in path for path in client.paths] == [True]


@pytest.mark.parametrize(("change", "number"), [(-1, 1), (-5, 0), (3, 5)])
def test_references_change_before_a_list_does(change: int, number: int) -> None:
    state: State = {"ip_lists": [{"name": "offices", "num_referencing_filters": 2}, {"name": "shops"}]}
    changed = with_references(state, {"offices": change})
    assert [obj.get("num_referencing_filters") for obj in changed["ip_lists"]] == [number, None]
    assert with_references(state, {}) is state
