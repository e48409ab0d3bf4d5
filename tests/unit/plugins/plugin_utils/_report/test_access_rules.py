# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An IP Access rule that lets traffic pass is an object that no baseline names."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.neighbours import OF_ZONE, access_rules

RULE = {"id": "a", "target": "country", "value": "DE", "notes": "", "since": "2026-11-01T00:00:00Z"}


def test_a_rule_weakens_and_is_named_by_its_value() -> None:
    found = access_rules("custom_rules_info", {"access_rules": [RULE]}, OF_ZONE)
    (rule,) = found.unmanaged
    assert (rule["resource"], rule["key"], rule["weakens"]) == ("access_rule", "DE", True)
    assert rule["reason"] == "lets requests from this country pass by the rules of the zone"
    assert (rule["title"], rule["since"], rule["accepted"]) == ("IP Access rule", "2026-11-01T00:00:00Z", None)
    assert (found.plan_id, list(found.operations), found.before) == ("", [], None)
