# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an account has brought decides which prefixes it can protect: check mode knows it, as far as the token does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.fake_service.beside import VALIDATION_TOKEN
from tests.support.module_run import ACCOUNT, Modules

ONBOARDED: list[dict[str, Any]] = [
    {"cidr": "203.0.113.0/24", "delegations": ["203.0.113.128/25"]},
    {"cidr": "198.51.100.0/24", "approved": "P"},
]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    ("prefix", "reason"),
    [
        ("203.0.113.0/24", "203.0.113.128/25 is delegated to another account."),
        ("198.51.100.0/24", "198.51.100.0/24 is not approved yet."),
    ],
)
def test_a_prefix_that_the_service_refuses_is_refused_before_anything_is_written(
    check: bool, prefix: str, reason: str, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(onboarded=ONBOARDED)
    result = modules.run("protected_prefixes", check=check, prefixes=[{"prefix": prefix}, {"prefix": "192.0.2.0/24"}])
    assert result["failed"]
    assert f"The prefix {prefix} cannot be protected: {reason}" in result["msg"]
    assert "Nothing was changed." in result["msg"]
    assert service.writes == []
    assert [item["key"] for item in result["operations"]] == ["192.0.2.0/24", prefix]


def test_the_service_refuses_what_the_token_does_not_show(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(onboarded=ONBOARDED)
    token = service.add_token("protection-only", addressing="none")
    task: dict[str, Any] = {"prefixes": [{"prefix": "203.0.113.0/24"}], "api_token": token}
    result = modules.done("protected_prefixes", check=True, **task)
    warning = "Whether the new prefixes are approved, and not delegated to other accounts, is not known: "
    assert warning in str(result["warnings"])
    assert "IP Prefixes Read (account)" in str(result["warnings"])
    result = modules.run("protected_prefixes", **task)
    assert "203.0.113.128/25 is delegated" in result["msg"]


def test_the_whole_account_takes_what_is_approved_and_its_own(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(onboarded=ONBOARDED)
    prefixes = [{"prefix": "203.0.113.0/25"}, {"prefix": "203.0.113.128/25", "excluded": True}]
    for check in (True, False):
        result = modules.done("account_protection", check=check, prefixes=prefixes)
        assert [item["action"] for item in result["operations"]] == ["create", "create"]
        assert "warnings" not in result


def test_the_announced_networks_are_returned_on_demand(service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(onboarded=ONBOARDED)
    assert "announced" not in modules.done("protection_info")
    service.calls.clear()
    result = modules.done("protection_info", gather_subset=["announced"])
    assert [(item["prefix"], item["approved"], item["delegated"]) for item in result["announced"]] == [
        ("203.0.113.0/24", True, ["203.0.113.128/25"]),
        ("198.51.100.0/24", False, []),
    ]
    assert [item["networks"][0]["announced"] for item in result["announced"]] == [True, False]
    assert [call.method for call in service.calls] == ["GET"] * 5
    assert VALIDATION_TOKEN not in str(result)


def test_the_phases_beside_the_network_firewall_are_counted_on_demand(service: LocalService, modules: Modules) -> None:
    rules = [{"action": "execute", "expression": "true", "action_parameters": {"id": "e" * 32}}]
    service.account(ACCOUNT).seed(intrusion_detection_rules=rules, network_managed_rules=[])
    result = modules.done("protection_info", gather_subset=["packet_phases"])
    assert {item["phase"]: item["rules"] for item in result["packet_phases"]} == {
        "magic_transit_managed": 0,
        "magic_transit_ids_managed": 1,
        "magic_transit_ratelimit": 0,
    }
    service.misbehave("status", path="magic_transit_ratelimit", status=500)
    failed = modules.failed("protection_info", gather_subset=["packet_phases"], retries=0)
    assert "magic_transit_ratelimit" in failed["msg"]


@pytest.mark.parametrize(("identity", "shown"), [('"../../zones"', "../../zones"), ('"{0}"', "{0}"), ("null", "")])
def test_an_id_that_is_none_leads_nowhere_else(
    identity: str, shown: str, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(onboarded=ONBOARDED)
    service.misbehave("entry", path="addressing/prefixes$", fields={"id": identity})
    failed = modules.failed("protection_info", gather_subset=["announced"])
    assert "addressing/prefixes got an unexpected response: the onboarded prefix" in failed["msg"]
    assert f"has the id {shown!r}" in failed["msg"]
    new = modules.done("protected_prefixes", check=True, prefixes=[{"prefix": "203.0.113.0/25"}])
    assert f"is not known: GET accounts/{ACCOUNT}/addressing/prefixes got an unexpected resp" in str(new["warnings"])
    assert all(call.path.count("/addressing/prefixes/") <= 1 for call in service.calls)
