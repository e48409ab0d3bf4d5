# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A change is the same one as long as the variables want the same, and another one as soon as they do not."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part, part_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.wanted import wanted_objects, writes_again

RULE = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path contains "/admin"'}
LIMIT = {"characteristics": ["cf.colo.id", "ip.src"], "period": 60, "requests_per_period": 5, "mitigation_timeout": 600}
RATE_RULE = {**RULE, "ref": "rl", "ratelimit": LIMIT}
RULESET = {"name": "Bots", "rules": [RULE], "deploy": {"expression": "true"}}
MANAGED = {"ref": "vendor", "action_parameters": {"id": "1" * 32, "overrides": {"action": "block"}}}
TCP_RULE = {"kind": "syn_flood", "scope": "global", "mode": "enabled", "rate_sensitivity": "high"}
PACKET_RULE = {"ref": "deny", "action": "block", "expression": "ip.src in {192.0.2.0/24}"}


def part(**variables: Any) -> Part:
    ids = {"edge_account_id": "a" * 32, "edge_zone_id": "b" * 32, "edge_api_token": "x" * 40}
    return part_of({**ids, **{f"baseline_{name}": value for name, value in variables.items()}})


def operation(verb: str, resource: str, key: str, **fields: Any) -> dict[str, Any]:
    return {"action": verb, "resource": resource, "key": key, "fields": fields}


@pytest.mark.parametrize(
    ("option", "entry", "resource", "key", "other"),
    [
        ("custom_rules", RULE, "custom_rule", "admin", {"expression": "false"}),
        ("custom_rules", {**RULE, "position": "first"}, "custom_rule", "admin", {"position": "last"}),
        ("custom_rules", {**RULE, "staged": {"hours": 2}}, "custom_rule", "admin", {"staged": {"hours": 3}}),
        ("rate_limit_rules", RATE_RULE, "rate_limit_rule", "rl", {"ratelimit": {**LIMIT, "requests_per_period": 50}}),
        ("custom_rulesets", RULESET, "custom_ruleset_rule", "Bots admin", {"rules": [{**RULE, "action": "log"}]}),
        ("managed_rules", MANAGED, "managed_rule", "vendor", {"action_parameters": {"id": "1" * 32}}),
        ("rules", TCP_RULE, "syn_flood_rule", "global", {"rate_sensitivity": "low"}),
        ("network_firewall_rules", PACKET_RULE, "network_firewall_rule", "deny", {"expression": "ip.src eq 192.0.2.1"}),
    ],
)
def test_the_same_is_wanted_until_the_variables_change(
    option: str, entry: dict[str, Any], resource: str, key: str, other: dict[str, Any]
) -> None:
    described = part(**{option: [entry]})
    wanted = wanted_objects(described, [operation("update", resource, key, action="block")])
    assert [item.target for item in wanted] == [(resource, key)]
    edited_since = [operation("create", resource, key, action="block", position=2)]
    assert writes_again(wanted, described, edited_since)
    assert not writes_again(wanted, part(**{option: [{**entry, **other}]}), edited_since)
    assert not writes_again(wanted, described, [operation("update", resource, key, description="x")])
    assert not writes_again(wanted, described, [operation("update", resource, "another", action="block")])


@pytest.mark.parametrize(
    ("operations", "is_same"),
    [
        ([operation("update", "custom_rule", "admin", action="block")], True),
        ([operation("delete", "custom_rule", "old")], True),
        ([operation("update", "custom_rule", "third", action="block")], False),
        ([], False),
    ],
)
def test_a_change_of_several_objects_is_the_same_if_one_of_them_is_written_again(
    operations: list[dict[str, Any]], is_same: bool
) -> None:
    change = [operation("create", "custom_rule", "admin", **RULE), operation("delete", "custom_rule", "old")]
    wanted = wanted_objects(part(custom_rules=[RULE]), change)
    assert writes_again(wanted, part(custom_rules=[RULE]), operations) is is_same
    named = part(custom_rules=[RULE, {**RULE, "ref": "old"}])
    assert not writes_again(wanted, named, operations)
