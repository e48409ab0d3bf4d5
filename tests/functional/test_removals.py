# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rules refer to is removed last, unless its room is needed and no rule refers to it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part, host_part

from tests.fake_service import LocalService
from tests.fake_service.ip_lists import MOST
from tests.support.host_parts import host, lawful_part, run_module
from tests.support.module_run import ACCOUNT, ZONE

FULL = [{"name": f"list{number}", "items": []} for number in range(10)]
RENAMED = [*FULL[1:], {"name": "new", "items": []}]


def part(service: LocalService, **variables: Any) -> Part:
    account = {**host(service), "edge_zone_id": None}
    return host_part("lima", {**account, "baseline_purge": True, **variables})


def keys(result: dict[str, Any], resource: str) -> list[tuple[str, str]]:
    operations = result["operations"]
    return [(each["action"], each["key"]) for each in operations if each["resource"] == resource]


def test_a_list_to_which_no_rule_refers_makes_room(service: LocalService) -> None:
    account = service.account(ACCOUNT)
    account.seed(type="standard", lists=FULL)
    account.ip_lists.most = MOST["standard"]
    result = lawful_part(part(service, baseline_ip_lists=RENAMED))
    assert keys(result, "ip_list") == [("delete", "list0"), ("create", "new")]


def test_a_list_to_which_rules_refer_has_no_room_beside_it(service: LocalService) -> None:
    account = service.account(ACCOUNT)
    account.seed(type="standard", lists=FULL)
    account.ip_lists.most = MOST["standard"]
    rule = {"ref": "listed", "action": "block", "expression": "ip.src in $list0"}
    service.zone(ZONE).seed(account_id=ACCOUNT, custom_rules=[rule])
    failed = run_module(part(service, baseline_ip_lists=RENAMED), False)
    assert "The account would have 11 lists, where at most 10 may be" in failed["msg"]
    assert not service.writes


@pytest.mark.parametrize("number", [9, 10])
def test_a_ruleset_to_which_no_rule_refers_makes_room(number: int, service: LocalService) -> None:
    rules = [{"ref": "admin", "action": "block", "expression": "ip.src eq 192.0.2.1"}]
    rulesets = [{"name": f"set{index}", "rules": rules} for index in range(number)]
    service.account(ACCOUNT).seed(custom_rulesets=rulesets)
    wanted = [*rulesets[1:], {"name": "new", "rules": rules}]
    result = lawful_part(part(service, baseline_custom_rulesets=wanted))
    of_rulesets = [("create", "new"), ("delete", "set0")]
    assert keys(result, "account_custom_ruleset") == (of_rulesets if number < 10 else of_rulesets[::-1])
