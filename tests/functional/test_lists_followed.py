# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists are followed into whatever names them: overrides of DDoS rules, exceptions from managed rules, rate limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import L4, L7, MANAGED, PER_ADDRESS, override
from tests.support.module_run import ACCOUNT, ROLE, ZONE, Modules

BAD = {"name": "bad", "kind": "ip", "items": [{"ip": "192.0.2.0/24"}]}
MORE = {**BAD, "items": [*BAD["items"], {"ip": "198.51.100.0/24"}]}
IN_LIST = "ip.src in $bad"
DEPLOYMENT = {"ref": "managed", "action": "execute", "expression": "true", "action_parameters": {"id": MANAGED}}
EXCEPTION = {"ref": "pass", "action": "skip", "expression": IN_LIST, "action_parameters": {"ruleset": "current"}}
LIMIT = {"ref": "login", "action": "block", "expression": f"not {IN_LIST}", "ratelimit": PER_ADDRESS}
OVERRIDE = {"ref": "o", "expression": IN_LIST}
# What exists in the account and in the zone, how a baseline names it, and the risk of one more item.
FOLLOWED: Sequence[tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any], str]] = [
    ({"ddos_l4_overrides": [override("o", IN_LIST, L4, action="log")]}, {},
     {"ddos_l4_overrides": [{**OVERRIDE, "action": "log"}]}, "weakens_ddos_rules"),
    ({}, {"ddos_l7_overrides": [override("o", IN_LIST, L7, sensitivity_level="eoff")]},
     {"ddos_l7_overrides": [{**OVERRIDE, "sensitivity": "eoff"}]}, "weakens_ddos_rules"),
    ({}, {"managed_rules": [EXCEPTION, DEPLOYMENT]}, {"managed_rules": [EXCEPTION, DEPLOYMENT]}, "weakens_managed_rules"),
    ({}, {"rate_limit_rules": [LIMIT]}, {"rate_limit_rules": [LIMIT]}, "weakens_rate_limits"),
]  # fmt: skip


def seed(service: LocalService, of_account: Mapping[str, Any], of_zone: Mapping[str, Any], items: Any) -> None:
    service.account(ACCOUNT).seed(lists=[items], **of_account)
    service.zone(ZONE).seed(account_id=ACCOUNT, **of_zone)


@pytest.mark.parametrize("is_named", [True, False])
@pytest.mark.parametrize(("of_account", "of_zone", "named", "risk"), FOLLOWED, ids=[row[3] for row in FOLLOWED])
def test_an_item_by_which_traffic_passes_is_a_risk(
    of_account: Mapping[str, Any],
    of_zone: Mapping[str, Any],
    named: Mapping[str, Any],
    risk: str,
    is_named: bool,
    service: LocalService,
    modules: Modules,
) -> None:
    seed(service, of_account, of_zone, BAD)
    task: dict[str, Any] = {"ip_lists": [MORE], **(named if is_named else {}), "context": ROLE}
    result = modules.failed("host", check=True, **task)
    assert [item["code"] for item in result["risks"]] == [risk], result["msg"]
    assert [one["keys"] for one in result["traffic_changes"]["passes"]] == [[{"resource": "ip_list", "key": "bad"}]]
    assert result["traffic_changes"]["known"], result["traffic_changes"]["unknown"]
    modules.lawful("host", **task, accept_risks=[risk])


@pytest.mark.parametrize(("of_account", "of_zone", "named", "risk"), FOLLOWED, ids=[row[3] for row in FOLLOWED])
def test_an_item_by_hand_is_weaker(
    of_account: Mapping[str, Any],
    of_zone: Mapping[str, Any],
    named: Mapping[str, Any],
    risk: str,
    service: LocalService,
    modules: Modules,
) -> None:
    seed(service, of_account, of_zone, MORE)
    task: dict[str, Any] = {"ip_lists": [{**BAD, "purge": True}], **named, "context": ROLE}
    result = modules.done("host", check=True, **task)
    assert [item["resource"] for item in result["weaker"]] == ["ip_list"], result


@pytest.mark.parametrize("is_named", [True, False])
@pytest.mark.parametrize(("of_account", "of_zone", "named", "risk"), FOLLOWED, ids=[row[3] for row in FOLLOWED])
def test_an_item_that_nobody_names_weakens(
    of_account: Mapping[str, Any],
    of_zone: Mapping[str, Any],
    named: Mapping[str, Any],
    risk: str,
    is_named: bool,
    service: LocalService,
    modules: Modules,
) -> None:
    seed(service, of_account, of_zone, MORE)
    result = modules.done("host", check=True, context=ROLE, ip_lists=[BAD], **(named if is_named else {}))
    items = [item for item in result["unmanaged"] if item["resource"] == "ip_list_item"]
    assert [(item["key"], item["weakens"]) for item in items] == [("bad 198.51.100.0/24", True)]
