# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import SECURITY_LEVEL
from ansible_collections.edgeops.protection.plugins.module_utils._specs.whole_state import name_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import export_state, pattern_of

ENTRY = {"id": "1", "prefix": "192.0.2.7/32", "comment": "scanner", "enabled": True}
RULE = {"id": "r1", "ref": "login", "action": "block", "expression": "ssl", "description": "", "enabled": True}


def test_a_list_with_an_object_that_has_no_id_is_not_exclusive() -> None:
    nameless = {"prefix": "nowhere", "enabled": True}
    export = export_state({ALLOWLIST.plural: [ENTRY, nameless]}, purge=True)
    assert (export.incomplete, export.variables["baseline_purge"]) == (["allowlist"], [])


def test_rules_with_one_key_are_left_alone_by_a_pattern() -> None:
    export = export_state({CUSTOM_RULES.plural: [RULE, {**RULE, "id": "r2"}]}, purge=True)
    assert export.variables["baseline_custom_rules"] == []
    assert export.variables["baseline_custom_rules_ignore"] == ["login"]


def test_a_rule_without_a_ref_is_called_so() -> None:
    nameless = {name: RULE[name] for name in RULE if name != "ref"}
    for rule, identity in (
        (nameless, " (id r1)"),
        ({**nameless, "ref": None}, " (id r1)"),
        ({**nameless, "id": None}, ""),
    ):
        (note,) = export_state({CUSTOM_RULES.plural: [rule]}).notes
        assert note.startswith(f"The custom rule without ref{identity} cannot be described: ref: it is missing")
        assert "None" not in note


def test_products_of_a_rule_that_blocks_mean_nothing() -> None:
    rule = {
        "id": "a" * 32,
        "action": "block",
        "products": ["waf"],
        "paused": False,
        "description": "",
        "filter": {"id": "b" * 32, "expression": "ssl", "paused": False},
    }
    export = export_state({FIREWALL_RULES.plural: [rule, {**rule, "id": "c" * 32, "action": "bypass"}]})
    blocks, bypasses = export.variables["baseline_firewall_rules"]
    assert "products" not in blocks and bypasses["products"] == ["waf"] and export.notes == []


def test_fields_without_a_variable_are_counted() -> None:
    export = export_state({ALLOWLIST.plural: [{**ENTRY, "colour": "red"}]})
    assert export.notes == ["Of the allowlist, fields without a variable stay as they are: colour (1)."]


def test_an_object_has_a_name_and_a_pattern_that_matches_it_alone() -> None:
    rule: dict[str, Any] = {"id": "7", "scope": "region", "name": "WEUR"}
    assert name_of(RULES[0], rule) == "SYN flood rule region WEUR (id 7)"
    assert name_of(SECURITY_LEVEL, {"id": "security_level"}) == "security level"
    assert pattern_of(CUSTOM_RULES, {"ref": "a*[b]"}) == "a[*][[]b]"
    assert pattern_of(CUSTOM_RULES, {"ref": " "}) == pattern_of(CUSTOM_RULES, {}) == ""
