# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists are followed into whatever names them: overrides of DDoS rules, exceptions from managed rules, rate limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

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


class Followed(NamedTuple):
    """What exists in the account and in the zone, how a baseline names it, and the risk of one more item."""

    of_account: Mapping[str, Any]
    of_zone: Mapping[str, Any]
    named: Mapping[str, Any]
    risk: str


LOGGED_OVERRIDE = {"ddos_l4_overrides": [{**OVERRIDE, "action": "log"}]}
DISABLED_OVERRIDE = {"ddos_l7_overrides": [{**OVERRIDE, "sensitivity": "eoff"}]}
EXCEPTED = {"managed_rules": [EXCEPTION, DEPLOYMENT]}
LIMITED = {"rate_limit_rules": [LIMIT]}
FOLLOWED = [
    Followed(
        {"ddos_l4_overrides": [override("o", IN_LIST, L4, action="log")]}, {}, LOGGED_OVERRIDE, "weakens_ddos_rules"
    ),
    Followed(
        {},
        {"ddos_l7_overrides": [override("o", IN_LIST, L7, sensitivity_level="eoff")]},
        DISABLED_OVERRIDE,
        "weakens_ddos_rules",
    ),
    Followed({}, EXCEPTED, EXCEPTED, "weakens_managed_rules"),
    Followed({}, LIMITED, LIMITED, "weakens_rate_limits"),
]


each_followed = pytest.mark.parametrize("row", FOLLOWED, ids=[row.risk for row in FOLLOWED])


def seed(service: LocalService, row: Followed, items: Any) -> None:
    service.account(ACCOUNT).seed(lists=[items], **row.of_account)
    service.zone(ZONE).seed(account_id=ACCOUNT, **row.of_zone)


@pytest.mark.parametrize("is_named", [True, False])
@each_followed
def test_an_item_by_which_traffic_passes_is_a_risk(
    row: Followed, is_named: bool, service: LocalService, modules: Modules
) -> None:
    seed(service, row, BAD)
    task: dict[str, Any] = {"ip_lists": [MORE], **(row.named if is_named else {}), "context": ROLE}
    result = modules.failed("host", check=True, **task)
    assert [item["code"] for item in result["risks"]] == [row.risk], result["msg"]
    assert [one["keys"] for one in result["traffic_changes"]["passes"]] == [[{"resource": "ip_list", "key": "bad"}]]
    assert result["traffic_changes"]["known"], result["traffic_changes"]["unknown"]
    modules.lawful("host", **task, accept_risks=[row.risk])


@each_followed
def test_an_item_by_hand_is_weaker(row: Followed, service: LocalService, modules: Modules) -> None:
    seed(service, row, MORE)
    task: dict[str, Any] = {"ip_lists": [{**BAD, "purge": True}], **row.named, "context": ROLE}
    result = modules.done("host", check=True, **task)
    assert [item["resource"] for item in result["weaker"]] == ["ip_list"], result


@pytest.mark.parametrize("is_named", [True, False])
@each_followed
def test_an_item_that_nobody_names_weakens(
    row: Followed, is_named: bool, service: LocalService, modules: Modules
) -> None:
    seed(service, row, MORE)
    result = modules.done("host", check=True, context=ROLE, ip_lists=[BAD], **(row.named if is_named else {}))
    items = [item for item in result["unmanaged"] if item["resource"] == "ip_list_item"]
    assert [(item["key"], item["weakens"]) for item in items] == [("bad 198.51.100.0/24", True)]
