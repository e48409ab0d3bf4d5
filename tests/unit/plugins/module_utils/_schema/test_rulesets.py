# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the entry points of all phases have in common."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import RULESETS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.rulesets import blocks_nobody, lacking


@pytest.mark.parametrize("resource", RULESETS, ids=lambda resource: resource.plural)
def test_an_entry_point_is_one_ordered_list_with_versions(resource: Resource) -> None:
    assert resource.key == ("ref",) and resource.document.field == "rules"
    assert resource.path.startswith(f"{resource.owner[:-3]}s/{{{resource.owner}}}/rulesets/phases/")
    assert resource.document.version_path.endswith("/rulesets/{id}/versions/{version}")


def test_a_rule_lacks_what_a_new_one_needs() -> None:
    assert lacking({"action": "block"}, "action") == ""
    assert lacking({"expression": ""}, "action", "expression") == "is new and needs action and expression"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [({"action": "block"}, False), ({"action": "skip"}, True), ({"action": "block", "enabled": False}, True)],
)
def test_rules_that_are_off_or_skip_stop_nothing(rule: dict[str, object], expected: bool) -> None:
    assert blocks_nobody(rule) is expected
