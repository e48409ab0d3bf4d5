# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests meet the custom rules of their account, of their zone, and those that both execute: holes and expectations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from tempfile import TemporaryFile
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils import _concurrency
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context, HostOfInventory

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules

OFFICE, BOTS = "a" * 32, "b" * 32
ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
CLOSED = {"description": "closed", "request": {"path": "/admin", "host": "shop.example"}, "expect": "blocked"}
OPEN = {"description": "open", "request": {"path": "/", "host": "shop.example"}, "expect": "allowed"}
LIMIT = {
    "ref": "login",
    "action": "block",
    "expression": 'http.request.uri.path eq "/login"',
    "ratelimit": {"characteristics": ["ip.src", "cf.colo.id"], "period": 60, "requests_per_period": 5, "mitigation_timeout": 60},
}  # fmt: skip
ENTERPRISE = '(cf.zone.plan eq "ENT")'


def execute(ref: str, identity: str, expression: str = "true") -> dict[str, Any]:
    return {"ref": ref, "action": "execute", "expression": expression, "action_parameters": {"id": identity}}


def skip(ref: str, expression: str = "true", **parameters: Any) -> dict[str, Any]:
    return {"ref": ref, "action": "skip", "expression": expression, "action_parameters": parameters}


def ruleset(identity: str, name: str, *rules: dict[str, Any]) -> dict[str, Any]:
    return {"id": identity, "name": name, "rules": list(rules)}


def of_account(service: LocalService, *rules: dict[str, Any], expression: str = ENTERPRISE) -> None:
    rulesets = [ruleset(BOTS, "Bots", *rules)]
    deploy = execute("deploy", BOTS, expression)
    service.account(ACCOUNT).seed(custom_rules=[deploy], custom_rulesets=rulesets)


@pytest.fixture(autouse=True)
def owners(service: LocalService) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, name="shop.example")


def outcome(result: dict[str, Any]) -> tuple[Any, Any, Any]:
    (item,) = result["expectations"]
    return item["actual"], item["rule"], item["met"]


def paths(service: LocalService) -> list[str]:
    return [call.path.replace(ACCOUNT, "A").replace(ZONE, "Z") for call in service.calls]


@pytest.mark.parametrize(
    ("inner", "weakens", "reason"),
    [
        (skip("all", phase="current"), True,
         "executes the rule all of the ruleset Office, which lets requests pass that custom rule admin would stop"),
        (skip("all", ruleset="current", phases=["http_ratelimit"]), True,
         "executes the rule all of the ruleset Office, which lets requests pass that rate limiting rule login would stop"),
        (skip("all", ruleset="current"), False, ""),
        ({"ref": "all", "action": "block", "expression": "true"}, False, "executes the rule all of the ruleset Office, which blocks every request"),
        ({"ref": "one", "action": "block", "expression": "ip.src eq 192.0.2.1"}, False, ""),
    ],
)  # fmt: skip
def test_what_an_unnamed_rule_executes_is_judged(
    service: LocalService, modules: Modules, inner: dict[str, Any], weakens: bool, reason: str
) -> None:
    rules = [execute("deploy", OFFICE), ADMIN]
    service.zone(ZONE).seed(
        custom_rules=rules, custom_rulesets=[ruleset(OFFICE, "Office", inner)], rate_limit_rules=[LIMIT]
    )
    (record,) = modules.done("custom_rules", True, rules=[ADMIN])["unmanaged"]
    assert (record["key"], record["weakens"], record["reason"]) == ("deploy", weakens, reason)
    assert [path for path in paths(service) if "accounts" in path] == []
    assert len(service.calls) == 2 + ("phases" in inner.get("action_parameters", {}))


def test_a_skip_of_the_phase_behind_all_our_rules_is_no_hole(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(
        custom_rules=[ADMIN, execute("deploy", OFFICE)],
        custom_rulesets=[ruleset(OFFICE, "Office", skip("all", phase="current"))],
    )
    (record,) = modules.done("custom_rules", True, rules=[ADMIN])["unmanaged"]
    assert (record["key"], record["weakens"]) == ("deploy", False)


def test_a_ruleset_that_cannot_be_read_may_hold_anything(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(custom_rules=[execute("deploy", OFFICE), ADMIN], plan="free")
    (record,) = modules.done("custom_rules", True, rules=[ADMIN])["unmanaged"]
    assert (record["key"], record["weakens"]) == ("deploy", None)
    assert record["reason"].startswith(f"may let requests pass, since the ruleset {OFFICE} that it executes (GET ")
    assert record["reason"].endswith(") could not be read")
    result = modules.failed("custom_rules", True, rules=[ADMIN], expectations=[CLOSED])
    (item,) = result["expectations"]
    assert item["actual"] == "undecided"
    assert item["reasons"][0].startswith(f"rule deploy: the ruleset {OFFICE} that it executes (GET ")


@pytest.mark.parametrize(
    ("rules", "expectation", "expected"),
    [
        ([], CLOSED, ("blocked", "admin", True)),
        ([{**ADMIN, "ref": "early"}], CLOSED, ("blocked", "early of the ruleset Bots of the account", True)),
        ([{**ADMIN, "expression": "true"}], OPEN, ("blocked", "admin of the ruleset Bots of the account", False)),
        ([skip("pass", ruleset="current"), {**ADMIN, "ref": "late"}], CLOSED, ("blocked", "admin", True)),
    ],
)
def test_rules_of_the_account_are_met_first(
    service: LocalService, modules: Modules, rules: Any, expectation: Any, expected: Any
) -> None:
    of_account(service, *rules, expression=f'{ENTERPRISE} and cf.zone.name eq "shop.example"')
    run = modules.done if expected[2] else modules.failed
    result = run("custom_rules", True, rules=[ADMIN], expectations=[expectation], accept_risks=["blocks_everything"])
    assert outcome(result) == expected
    assert f"accounts/A/rulesets/{BOTS}" in "".join(paths(service))


@pytest.mark.parametrize("plan", ["free", "pro", "business"])
def test_other_plans_meet_no_rules_of_the_account(service: LocalService, modules: Modules, plan: str) -> None:
    service.zone(ZONE).seed(plan=plan)
    of_account(service, {**ADMIN, "expression": "true"})
    assert outcome(modules.done("custom_rules", True, rules=[ADMIN], expectations=[OPEN])) == ("allowed", None, True)
    assert not [path for path in paths(service) if "accounts" in path]


def test_without_expectations_the_plan_is_not_asked_for(service: LocalService, modules: Modules) -> None:
    modules.done("custom_rules", True, rules=[])
    assert len(service.calls) == 1


@pytest.mark.parametrize("identity", ["../x", "a" * 32, "{x}", 5])
def test_an_id_or_a_ruleset_that_is_odd_leaves_a_doubt(service: LocalService, modules: Modules, identity: Any) -> None:
    odd = {**ruleset(OFFICE, "Office"), "rules": []}
    service.zone(ZONE).seed(custom_rules=[execute("deploy", identity), ADMIN], custom_rulesets=[odd])
    body = {"success": True, "errors": [], "messages": [], "result": {"id": OFFICE, "kind": "custom", "rules": [5]}}
    service.misbehave("raw", path=OFFICE, body=json.dumps(body))
    (record,) = modules.done("custom_rules", True, rules=[ADMIN])["unmanaged"]
    assert (record["key"], record["weakens"]) == ("deploy", None)


def test_lists_are_judged_by_the_rulesets_that_refer_to_them(service: LocalService, modules: Modules) -> None:
    allow = skip("office", "ip.src in $office", phase="current")
    service.zone(ZONE).seed(
        custom_rules=[execute("deploy", OFFICE), ADMIN], custom_rulesets=[ruleset(OFFICE, "Office", allow)]
    )
    service.account(ACCOUNT).seed(
        lists=[{"name": "office", "items": [{"ip": "192.0.2.1"}], "num_referencing_filters": 1}]
    )
    everything = [{"ip": "0.0.0.0/8"}, {"ip": "128.0.0.0/8"}]
    options: dict[str, Any] = {
        "ip_lists": [{"name": "office", "items": everything, "purge": True}],
        "accept_risks": ["mass_deletion"],
    }
    result = modules.run("host", True, **options)
    assert "office of the ruleset Office" in str(result), result
    assert f"zones/Z/rulesets/{OFFICE}" in " ".join(paths(service))


def in_inventory(plan: str) -> Context:
    zone = {"name": "shop.example", "plan": {"legacy_id": plan}, "account": {"id": ACCOUNT}}
    return Context(is_role=True, host=HostOfInventory(zone=zone))


@pytest.mark.parametrize(("plan", "calls"), [("enterprise", 3), ("pro", 1)])
def test_the_plan_of_the_inventory_saves_a_call(service: LocalService, modules: Modules, plan: str, calls: int) -> None:
    of_account(service, ADMIN)
    result = modules.run("custom_rules", True, in_inventory(plan), rules=[], expectations=[CLOSED])
    assert outcome(result)[0] == ("blocked" if plan == "enterprise" else "allowed")
    assert len(service.calls) == calls


@pytest.fixture
def in_workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modules share their readings, as in the workers of a run."""
    with TemporaryFile("ab+", buffering=0) as file:
        monkeypatch.setattr(_concurrency, "_file_of_run", [file])
        monkeypatch.setattr(_concurrency, "parent_process", lambda: True)
        yield
    monkeypatch.setattr(_concurrency, "_play", [])


def calls_of_zone(service: LocalService, modules: Modules) -> int:
    """How many calls about the account a zone host makes that meets its rules."""
    service.calls.clear()
    result = modules.run("custom_rules", True, in_inventory("enterprise"), rules=[], expectations=[CLOSED])
    assert outcome(result) == ("blocked", "admin of the ruleset Bots of the account", True)
    return len([path for path in paths(service) if "accounts" in path])


@pytest.mark.usefixtures("in_workers")
def test_the_rules_of_an_account_are_read_once_for_all_hosts_of_a_run(service: LocalService, modules: Modules) -> None:
    of_account(service, ADMIN)
    assert calls_of_zone(service, modules) == 2
    assert calls_of_zone(service, modules) == 0
    assert len(service.calls) == 1


def reader(modules: Modules) -> str:
    """A token that only reads."""
    return modules.service.add_token("reading-token", protection="read")


ANOTHER_ACCOUNT = "f" * 32
ALLOWED = {"prefix": "192.0.2.0/24", "comment": "new"}
BETWEEN: list[tuple[str, Callable[[Modules], object], int]] = [
    ("a new play", lambda modules: _concurrency.begin_play("later"), 2),
    ("a write to the account", lambda modules: modules.done("allowlist", entries=[ALLOWED]), 2),
    ("a refused write to it", lambda modules: modules.failed("allowlist", entries=[ALLOWED], api_token=reader(modules)), 2),
    ("a packed module, which may write to it", lambda modules: _concurrency.forget(), 2),
    ("check mode", lambda modules: modules.done("allowlist", True, entries=[ALLOWED]), 0),
    ("a task that has nothing to do", lambda modules: modules.done("allowlist", entries=[]), 0),
    ("a write to another account", lambda modules: modules.done("allowlist", account_id=ANOTHER_ACCOUNT, entries=[ALLOWED]), 0),
    ("a write to the zone", lambda modules: modules.done("custom_rules", rules=[ADMIN]), 0),
]  # fmt: skip


@pytest.mark.usefixtures("in_workers")
@pytest.mark.parametrize(("act", "calls"), [case[1:] for case in BETWEEN], ids=[case[0] for case in BETWEEN])
def test_what_a_run_has_read_is_read_again_after_it_wrote_there(
    act: Callable[[Modules], object], calls: int, service: LocalService, modules: Modules
) -> None:
    of_account(service, ADMIN)
    service.account(ANOTHER_ACCOUNT)
    assert calls_of_zone(service, modules) == 2
    act(modules)
    assert calls_of_zone(service, modules) == calls
    assert calls_of_zone(service, modules) == 0


@pytest.mark.usefixtures("in_workers")
def test_a_reading_that_began_before_a_write_is_not_kept() -> None:
    def read_while_another_task_writes() -> str:
        _concurrency.forget(ACCOUNT)
        return "old"

    readings = [_concurrency.read_once("", ACCOUNT, "rules", read_while_another_task_writes)]
    readings += [_concurrency.read_once("", ACCOUNT, "rules", partial(str, value)) for value in ("new", "newer")]
    assert readings == ["old", "new", "new"]


@pytest.mark.parametrize("lacking", ["account_waf", "zone"])
def test_rules_of_the_account_that_cannot_be_read_leave_expectations_undecided(
    service: LocalService, modules: Modules, lacking: Any
) -> None:
    denied: Any = {lacking: "none"}
    token = service.add_token("token-without", **denied)
    result = modules.failed("custom_rules", True, rules=[ADMIN], expectations=[CLOSED], api_token=token)
    assert outcome(result) == ("undecided", None, None)
    (reason,) = result["expectations"][0]["reasons"]
    assert reason.startswith("rule any of the account: what the custom rules of the account do (GET ")


REPORT = Context(is_role=True, reports=True)


@pytest.mark.parametrize(("plan", "keys", "calls"), [("enterprise", ["all of the ruleset Bots"], 4), ("pro", [], 2)])
def test_a_report_reads_the_plan_and_the_account_of_a_zone_that_goes_by_its_id(
    service: LocalService, modules: Modules, plan: str, keys: list[str], calls: int
) -> None:
    of_account(service, skip("all", "true", products=["waf"]))
    service.zone(ZONE).seed(custom_rules=[ADMIN], plan=plan)
    result = modules.done("custom_rules", True, context=REPORT, rules=[ADMIN])
    assert [(item["key"], item["weakens"]) for item in result["unmanaged"]] == [(key, True) for key in keys]
    assert "unread" not in result and len(service.calls) == calls


def test_a_report_says_of_a_zone_whose_plan_it_cannot_read_that_it_is_not_known(
    service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(custom_rules=[ADMIN])
    token = service.add_token("token-without", zone="none")
    result = modules.done("custom_rules", True, context=REPORT, rules=[ADMIN], api_token=token)
    served, reason = result["unread"]
    assert served.startswith("Whether Cloudflare serves the zone is not known: GET zones/")
    assert reason.startswith("Whether rules of the account of the zone decide is not known: GET zones/")
    assert reason.endswith(".") and not reason.endswith("..")
    assert "unread" not in modules.done("custom_rules", True, rules=[ADMIN], api_token=token)


def test_rules_of_the_account_that_cannot_be_read_may_be_a_hole(service: LocalService, modules: Modules) -> None:
    options: dict[str, Any] = {"rules": [ADMIN], "api_token": service.add_token("token-without", account_waf="none")}
    (record,) = modules.run("custom_rules", True, in_inventory("enterprise"), **options)["unmanaged"]
    assert (record["resource"], record["key"], record["weakens"]) == ("account_custom_rule", "any", None)
    assert record["reason"].startswith("may let requests pass, since what the custom rules of the account do (GET ")
    assert record["reason"].endswith(") could not be read")


def test_a_skip_of_the_account_is_a_hole(service: LocalService, modules: Modules) -> None:
    of_account(service, skip("monitors", "ip.src in {192.0.2.0/24}", phases=["http_ratelimit"]))
    service.zone(ZONE).seed(rate_limit_rules=[LIMIT])
    result = modules.done("custom_rules", True, rules=[ADMIN], expectations=[CLOSED])
    (record,) = result["unmanaged"]
    assert record["resource"] == "account_custom_rule"
    assert record["key"] == "monitors of the ruleset Bots"
    assert (record["weakens"], record["reason"]) == (
        None,
        "may let requests pass that rate limiting rule login would stop",
    )
    assert result["expectations"][0]["skips"] == ["perhaps phases http_ratelimit"]


@pytest.mark.parametrize(("check", "writes"), [(True, 0), (False, 1)])
def test_what_deploys_rules_is_a_part_of_the_zone(
    service: LocalService, modules: Modules, check: bool, writes: int
) -> None:
    blocks = [
        {**ADMIN, "ref": f"r{number}", "expression": f'http.request.uri.path eq "/{number}"'} for number in range(4)
    ]
    service.zone(ZONE).seed(
        custom_rules=[execute("deploy", OFFICE)], custom_rulesets=[ruleset(OFFICE, "Office", *blocks)]
    )
    options: dict[str, Any] = {"rules": [{"ref": "deploy"}], "state": "absent"}
    refused = modules.failed("custom_rules", check, **options)
    assert [risk["code"] for risk in refused["risks"]] == ["weakens_zone"]
    assert "4 of 4 custom rules" in refused["msg"] and "r0 of the ruleset Office removed" in refused["msg"]
    entries = refused["risks"][0]["entries"]
    assert modules.done(
        "custom_rules",
        check,
        **options,
        accept_risks=[{"code": "weakens_zone", "resource": "custom_rule", "entries": entries}],
    )
    assert len(service.writes) == writes
