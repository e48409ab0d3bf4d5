# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Entries that expire: present before that moment, absent from it on, by the clock of the service alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED

from tests.fake_service import LocalService
from tests.fake_service.clock import Clock
from tests.functional.idempotence_cases import CHALLENGE, EXECUTED, PER_ADDRESS
from tests.support.module_run import ACCOUNT, Modules, warnings_of
from tests.support.service_state import collections_of, seed

FRIDAY = "2027-01-29"


@pytest.fixture(autouse=True)
def seeded(service: LocalService) -> None:
    service.account(ACCOUNT).seed(prefixes=[{"prefix": "203.0.113.0/24"}], allowlist=[{"prefix": "203.0.113.7/32"}])
    service.clock.set(datetime(2027, 1, 27, 12, tzinfo=UTC))


def test_the_last_entry_that_expires_empties_the_list(service: LocalService, modules: Modules) -> None:
    service.clock.set(datetime(2027, 2, 1, tzinfo=UTC))
    options: dict[str, Any] = {"prefix": "203.0.113.7"}
    result = modules.failed("allowlist_entry", expires=FRIDAY, **options)
    assert [risk["code"] for risk in result["risks"]] == ["empties_list"]
    assert service.writes == []
    assert modules.done("allowlist_entry", check=True, state="absent", **options)["changed"] is True


def test_a_plan_approved_before_an_expiry_is_another_after_it(service: LocalService, modules: Modules) -> None:
    options: dict[str, Any] = {"entries": [{"prefix": "192.0.2.1"}, {"prefix": "203.0.113.7", "expires": FRIDAY}]}
    approved = modules.done("allowlist", check=True, **options)["plan_id"]
    service.clock.set(datetime(2027, 2, 1, tzinfo=UTC))
    result = modules.failed("allowlist", expected_plan=approved, **options)
    assert "The plan is not the approved one" in result["msg"]
    assert service.writes == []


DROP = {"action": "block", "expression": "ip.src in {203.0.113.0/24}"}
OTHER_MANAGED = {**EXECUTED, "action_parameters": {"id": "4814384a9e5d4991b9815dcfc25d2f1f"}}
# A module, its list, the values of an entry that stays, and those of one that expires.
THAT_EXPIRE: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("custom_rules", "rules", {"ref": "login", **CHALLENGE}, {"ref": "attack", **DROP}),
    ("network_firewall_rules", "rules", {"ref": "telnet", **DROP}, {"ref": "attack", **DROP}),
    ("rate_limit_rules", "rules", {"ref": "login", **CHALLENGE, "ratelimit": PER_ADDRESS},
     {"ref": "attack", **DROP, "ratelimit": PER_ADDRESS}),
    ("managed_rules", "rules", {"ref": "managed", **EXECUTED}, {"ref": "attack", **OTHER_MANAGED}),
    ("ddos_l4_overrides", "overrides", {"ref": "calm", "expression": "ip.dst in {192.0.2.0/24}", "action": "log"},
     {"ref": "attack", "expression": "ip.dst in {198.51.100.0/24}", "action": "block"}),
    ("ddos_l7_overrides", "overrides", {"ref": "calm", "expression": "ssl", "action": "log"},
     {"ref": "attack", "expression": "not ssl", "action": "block"}),
    ("custom_rulesets", "rulesets", {"name": "Bots", "rules": [{"ref": "login", **CHALLENGE}]},
     {"name": "attack", "rules": [{"ref": "flood", **DROP}]}),
    ("account_protection", "rules", {"kind": "syn_flood", "scope": "global"},
     {"kind": "syn_flood", "scope": "region", "name": "WEUR", "mode": "enabled"}),
    ("account_protection", "rules", {"kind": "out_of_state_tcp", "scope": "global"},
     {"kind": "out_of_state_tcp", "scope": "datacenter", "name": "FRA"}),
    ("account_protection", "filters", {"kind": "syn_flood", "expression": "tcp.dstport eq 22"},
     {"kind": "syn_flood", "expression": "tcp.dstport eq 443", "mode": "monitoring"}),
    ("account_protection", "filters", {"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 22"},
     {"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 443", "mode": "monitoring"}),
    ("account_protection", "dns_rules", {"scope": "global"}, {"scope": "region", "name": "WEUR"}),
    ("account_protection", "prefixes", {"prefix": "203.0.113.0/24"}, {"prefix": "203.0.113.64/28", "excluded": True}),
    ("account_protection", "allowlist", {"prefix": "203.0.113.7"}, {"prefix": "198.51.100.8"}),
    ("protected_prefixes", "prefixes", {"prefix": "203.0.113.0/24"}, {"prefix": "203.0.113.64/28", "excluded": True}),
    ("allowlist", "entries", {"prefix": "203.0.113.7"}, {"prefix": "198.51.100.8"}),
    ("allowlist_entry", "", {}, {"prefix": "198.51.100.8"}),
    ("protection_rule", "", {}, {"kind": "syn_flood", "scope": "region", "name": "WEUR", "mode": "enabled"}),
    ("protection_filter", "", {}, {"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 443", "mode": "enabled"}),
    ("dns_protection_rule", "", {}, {"scope": "region", "name": "WEUR", "mode": "enabled"}),
]  # fmt: skip
ACCEPTED: Mapping[str, list[str]] = {
    "account_protection": ["skips_monitoring", "stops_mitigation", "unprotects_addresses"],
    "protected_prefixes": ["unprotects_addresses"],
    "protection_rule": ["empties_list", "disables_protection", "skips_monitoring", "stops_mitigation"],
    "protection_filter": ["empties_list", "disables_protection", "skips_monitoring", "stops_mitigation"],
    "dns_protection_rule": ["empties_list", "disables_protection", "skips_monitoring", "stops_mitigation"],
    "rate_limit_rules": ["weakens_rate_limits"],
    "managed_rules": ["weakens_managed_rules"],
    "ddos_l4_overrides": ["weakens_ddos_rules"],
    "ddos_l7_overrides": ["weakens_ddos_rules"],
}
WHOLE_LISTS = ("protected_prefixes", "allowlist")
BEFORE, AFTER = datetime(2027, 1, 29, 23, 59, 0, tzinfo=UTC), datetime(2027, 1, 30, tzinfo=UTC)


def tasks_of(module: str, option: str, stays: dict[str, Any], entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The options of a task with a temporary entry, for lists also those that make the list exclusive."""
    temporary = {**entry, "expires": FRIDAY}
    accepted = {"accept_risks": ACCEPTED[module]} if module in ACCEPTED else {}
    if not option:
        return [{**temporary, **accepted}]
    named = {option: [temporary, stays], **accepted}
    purge = [option] if module == "account_protection" else True
    return [named, {**named, "purge": purge}]


EACH = pytest.mark.parametrize(
    ("module", "options"),
    [(row[0], options) for row in THAT_EXPIRE for options in tasks_of(*row)],
    ids=lambda value: str(value)[:60],
)


@EACH
def test_a_temporary_entry_goes_by_itself(
    module: str, options: dict[str, Any], service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(service, module, {})
    created = modules.done(module, **options)
    assert ("expired" in created, created["changed"]) == (False, True)
    service.clock.set(BEFORE)
    assert modules.done(module, **options)["changed"] is False
    service.clock.set(AFTER)
    with monkeypatch.context() as patch:
        patch.setattr(Clock, "http_date", lambda clock: "tomorrow")
        assert_not_known(modules.done(module, **options))
    predicted = modules.done(module, check=True, **options)
    done = modules.done(module, **options)
    assert [item["action"] for item in done["operations"]] == ["delete"]
    ended = (done["operations"][0]["key"], "2027-01-30T00:00:00+00:00")
    assert [(item["key"], item["expires"]) for item in done["expired"]] == [ended]
    same = ("operations", "expired", "plan_id", "diff")
    assert [done[name] for name in same] == [predicted[name] for name in same]
    again = modules.done(module, **options)
    assert (again["changed"], again["expired"]) == (False, done["expired"])
    assert_warned(again)
    assert not any("expires" in str(call.body) for call in service.writes)


def assert_warned(result: Mapping[str, Any]) -> None:
    text = f"{result['expired'][0]['key']} expired at 2027-01-30T00:00:00+00:00 and does not exist"
    assert text in warnings_of(result)
    assert warnings_of(result).count("Remove the entry, or give it a later expires.") == 1


def assert_not_known(result: Mapping[str, Any]) -> None:
    assert (result["changed"], "expired" in result) == (False, False)
    assert "is not known, since Cloudflare does not tell its time" in warnings_of(result)


@EACH
def test_a_temporary_entry_that_never_existed_is_not_created(
    module: str, options: dict[str, Any], service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(service, module, {})
    service.clock.set(AFTER)
    late = modules.done(module, **options)
    assert [item["key"] for item in late["expired"] if item["key"] not in str(late["operations"])]
    assert_warned(late)
    assert "attack" not in str(collections_of(service))
    service.calls.clear()
    assert_warned(modules.done(module, **options))
    monkeypatch.setattr(Clock, "http_date", lambda clock: "tomorrow")
    assert_not_known(modules.done(module, **options))
    assert service.writes == []


def test_everything_that_a_baseline_creates_and_deletes_by_its_key_may_expire() -> None:
    covered = {(row[0], row[1]) for row in THAT_EXPIRE if row[1] and row[0] not in WHOLE_LISTS}
    assert covered == {
        (item.module, item.option) for item in MANAGED if item.resource.may_expire and item.module != "ip_lists"
    }


@pytest.mark.parametrize("place", ["first", "after login"])
def test_the_place_of_a_temporary_rule_is_free_once_it_expired(
    place: str, service: LocalService, modules: Modules
) -> None:
    seed(service, "custom_rules", {})
    rules = [{"ref": "login", **CHALLENGE}, {"ref": "attack", **DROP, "position": place, "expires": FRIDAY}]
    modules.done("custom_rules", rules=rules)
    service.clock.set(AFTER)
    rules.append({"ref": "last", **CHALLENGE})
    assert [rule["ref"] for rule in modules.done("custom_rules", rules=rules)["rules"]] == ["login", "last"]
    beside = [*rules, {"ref": "beside", **CHALLENGE, "position": "after attack"}]
    assert "names the ref attack, which is not there" in modules.failed("custom_rules", rules=beside)["msg"]


def test_a_rule_of_others_does_not_expire(modules: Modules) -> None:
    result = modules.failed("custom_rules", rules=[{"ref": "theirs", "expires": FRIDAY}], purge=True, ignore=["theirs"])
    assert "'theirs' matches theirs, which rules[0] names; keep one of them" in result["msg"]
