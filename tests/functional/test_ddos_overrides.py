# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of managed DDoS rules: those of the account hold for a zone without its own, in its report too."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import export_state
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results

from tests.fake_service import LocalService
from tests.fake_service.credentials import grant
from tests.functional.idempotence_cases import L4, L7, override
from tests.support.baseline_runs import restored, snapshot
from tests.support.module_run import ACCOUNT, ZONE, Modules

ROLE = Context(is_role=True)
OFF = override("off", "true", L7, sensitivity_level="eoff")
BLOCK = override("strict", "true", L7, action="block")
PLAIN = override("plain", "not ssl", L7, action="block")
LOG = override("upload", "true", L7, action="log")
NAMED = {"ref": "plain", "expression": "not ssl", "action": "block"}
EXACT = {"overrides": [], "purge": True}


def seeded(service: LocalService, of_account: list[dict[str, Any]], of_zone: list[dict[str, Any]]) -> None:
    service.account(ACCOUNT).seed(ddos_l7_overrides=of_account)
    service.zone(ZONE).seed(account_id=ACCOUNT, ddos_l7_overrides=of_zone)


def report(modules: Modules, **options: Any) -> dict[str, Any]:
    result = modules.run("ddos_l7_overrides", check=True, context=ROLE, **options)
    return dict(host_record(host_results("lima", {}, {"ddos_l7_overrides": result}), "2026-11-21T10:00:00+00:00"))


ZONE_IS_OFF = "The HTTP DDoS override of the account off sets the sensitivity eoff for all managed rules, and no baseline names it."
ACCOUNT_IS_HIDDEN = (
    "The HTTP DDoS override plain hides the HTTP DDoS override of the account strict, which no longer decides on all"
    " managed rules, whose own action may stop less, and no baseline names it."
)


@pytest.mark.parametrize(
    ("of_account", "of_zone", "options", "status", "reason"),
    [
        ([OFF], [], {"overrides": []}, "weakened", ZONE_IS_OFF),
        ([OFF], [], EXACT, "weakened", ZONE_IS_OFF),
        ([OFF], [PLAIN], {"overrides": [NAMED]}, "in_order", ""),
        ([OFF], [PLAIN], {"overrides": []}, "in_order", ""),
        ([OFF], [], {"overrides": [NAMED]}, "weakened", "account off sets the sensitivity eoff for all managed rules, and"),
        ([BLOCK], [], {"overrides": []}, "in_order", ""),
        ([BLOCK], [PLAIN], {"overrides": []}, "weakened", ACCOUNT_IS_HIDDEN),
        ([BLOCK], [PLAIN], {"overrides": [NAMED]}, "in_order", ""),
        ([LOG], [LOG], {"overrides": []}, "weakened", "The HTTP DDoS override upload sets the action log for all managed"),
        ([override("odd", "true", L7, action="deny")], [], {"overrides": []}, "weakened", "account odd is not understood"),
    ],
)  # fmt: skip
def test_overrides_of_the_account_are_in_the_report_of_a_zone(
    of_account: Any, of_zone: Any, options: Any, status: str, reason: str, service: LocalService, modules: Modules
) -> None:
    seeded(service, of_account, of_zone)
    record = report(modules, **options)
    assert (record["status"], reason in str(record["reasons"])) == (status, True), record["reasons"]


def test_overrides_of_the_account_that_cannot_be_read_are_not_known(service: LocalService, modules: Modules) -> None:
    seeded(service, [OFF], [])
    service.credentials.tokens[service.token] = grant(zone="none")
    record = report(modules, overrides=[])
    assert record["status"] == "unknown"
    assert "Whether there are any is not known: " in str(record["reasons"])
    assert "Zone Read (zone)" in str(record["reasons"])


@pytest.mark.parametrize("check", [True, False])
def test_a_first_override_is_compared_with_those_of_the_account(
    check: bool, service: LocalService, modules: Modules
) -> None:
    seeded(service, [LOG], [])
    first: Any = {"overrides": [{"ref": "first", "expression": "true", "action": "log"}]}
    assert "risks" not in modules.done("ddos_l7_overrides", check=check, **first)


@pytest.mark.parametrize("check", [True, False])
def test_a_last_override_is_compared_with_those_of_the_account(
    check: bool, service: LocalService, modules: Modules
) -> None:
    seeded(service, [BLOCK], [PLAIN])
    gone: Any = {"overrides": [{"ref": "plain"}], "state": "absent"}
    refused = modules.failed("ddos_l7_overrides", check=check, **gone)
    assert [(risk["code"], risk["entries"]) for risk in refused["risks"]] == [("blocks_everything", ["plain"])]
    assert "HTTP DDoS override of the account strict sets all managed rules to block for all plain" in refused["msg"]


@pytest.mark.parametrize("check", [True, False])
def test_an_override_that_blocks_and_goes_is_a_risk(check: bool, service: LocalService, modules: Modules) -> None:
    seeded(
        service, [], [override("botnets", "true", L7, categories=[{"category": "botnets", "action": "block"}]), PLAIN]
    )
    gone: Any = {"overrides": [{"ref": "plain"}], "state": "absent"}
    refused = modules.failed("ddos_l7_overrides", check=check, **gone)
    assert [(risk["code"], risk["entries"]) for risk in refused["risks"]] == [("weakens_ddos_rules", ["plain"])]
    assert "plain no longer decides on all managed rules, whose own action may stop less: an attack" in refused["msg"]
    # By itself, the only managed rule of its category blocks.
    gone = {"overrides": [{"ref": "botnets"}], "state": "absent"}
    assert "risks" not in modules.done("ddos_l7_overrides", check=check, **gone)


UDP = [{"category": "udp", "action": "log"}]
CALM = override("calm", "ip.dst in {203.0.113.0/24}", L4, categories=UDP)
BEHIND = override("behind", "true", L4, sensitivity_level="eoff")


@pytest.mark.parametrize("check", [True, False])
def test_the_default_sensitivity_decides_for_all_managed_rules(
    check: bool, service: LocalService, modules: Modules
) -> None:
    service.account(ACCOUNT).seed(ddos_l4_overrides=[CALM, BEHIND])
    default: Any = {"overrides": [{"ref": "calm", "sensitivity": "default"}]}
    done = modules.done("ddos_l4_overrides", check=check, **default)
    assert [(item["fields"], item["before"]) for item in done["operations"]] == [
        ({"sensitivity": "default"}, {"sensitivity": None})
    ]
    assert modules.done("ddos_l4_overrides", check=True, **default)["changed"] is check
    cleared: Any = {"overrides": [{"ref": "calm", "sensitivity": ""}]}
    if check:
        assert modules.done("ddos_l4_overrides", **cleared)["changed"] is False
    else:
        refused = modules.failed("ddos_l4_overrides", **cleared)
        assert len(refused["risks"]) == 1
        assert "override behind sets the sensitivity eoff for all managed rules and 203.0.113.0/24" in refused["msg"]


@pytest.mark.parametrize("sensitivity", ["default", "low"])
def test_a_restore_leaves_no_sensitivity_where_there_was_none(sensitivity: str, service: LocalService) -> None:
    account = service.account(ACCOUNT).seed(ddos_l4_overrides=[CALM])
    before = account.rules_of("ddos_l4_overrides")[0]["action_parameters"]
    text = snapshot(service, baseline_ddos_l4_overrides=[{"ref": "calm"}])
    account.rules_of("ddos_l4_overrides")[0]["action_parameters"] = {
        "id": L4,
        "overrides": {"sensitivity_level": sensitivity, "categories": UDP},
    }
    assert restored(service, text) == ("", [])
    assert account.rules_of("ddos_l4_overrides")[0]["action_parameters"] == before


def test_the_result_shows_all_of_a_rule_of_another_kind_that_goes(service: LocalService, modules: Modules) -> None:
    other = {"ref": "other", "action": "execute", "expression": "true", "action_parameters": {"id": "f" * 32}}
    service.account(ACCOUNT).seed(ddos_l4_overrides=[other])
    done = modules.done("ddos_l4_overrides", check=True, accept_risks=["empties_list"], **EXACT)
    assert done["operations"][0]["before"]["other_rule"] == {
        name: other[name] for name in ("action", "action_parameters")
    }


@pytest.mark.parametrize("named", [[], [NAMED]])
@pytest.mark.parametrize("version", ["latest", "7"])
def test_only_the_newest_version_of_a_managed_ruleset_is_understood(
    version: str, named: list[dict[str, Any]], service: LocalService, modules: Modules
) -> None:
    seeded(service, [], [{**PLAIN, "action_parameters": {**PLAIN["action_parameters"], "version": version}}])
    record = report(modules, overrides=named)
    reason = "The HTTP DDoS override plain is not understood, and may let more of an attack pass"
    assert record["status"] == ("in_order" if version == "latest" else "weakened")
    assert (reason in str(record["reasons"])) is (version != "latest")


def test_an_override_behind_one_that_is_off_is_as_described(service: LocalService, modules: Modules) -> None:
    entries = [{"ref": "strict", "expression": "true", "action": "block"}, {**NAMED, "action": "log"}]
    seeded(service, [], [{**BLOCK, "enabled": False}, override("plain", "not ssl", L7, action="log")])
    reasons = report(modules, overrides=entries, accept_risks=["weakens_ddos_rules", "blocks_everything"])["reasons"]
    assert reasons == [
        "The HTTP DDoS override strict is off, and the baseline turns it on.",
        "1 difference from the baseline.",
    ]


SYN_FLOOD, UDP_FLOOD, GRE_FLOOD = (
    "8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10",
    "599dab0942ff4898ac1b7797e954e98b",
    "1f0e1d2c3b4a59687786958493a2b1c0",
)
OF_UDP = {"ref": "udp", "expression": "ip.proto.num eq 17"}


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"rules": [{"id": GRE_FLOOD, "sensitivity": "low"}]}, f"udp overrides the managed rule GRE flood ({GRE_FLOOD}), which is read-only"),
        ({"rules": [{"id": SYN_FLOOD, "action": "ddos_dynamic"}]},
         f"udp sets ddos_dynamic for the managed rule SYN flood ({SYN_FLOOD}), which takes block, log"),
        ({"categories": [{"category": "gre", "action": "log"}]}, "udp overrides the category gre, which is read-only"),
        ({"categories": [{"category": "dns", "action": "ddos_dynamic"}]}, "udp sets ddos_dynamic for the category dns, which takes"),
    ],
)  # fmt: skip
def test_what_a_managed_rule_does_not_take_is_refused(
    settings: Any, text: str, check: bool, service: LocalService, modules: Modules
) -> None:
    failed = modules.failed("ddos_l4_overrides", check=check, overrides=[{**OF_UDP, **settings}])
    assert text in failed["msg"]
    assert service.writes == []


def test_what_a_managed_rule_lists_is_taken_and_exported(modules: Modules) -> None:
    options: Any = {"overrides": [{**OF_UDP, "rules": [{"id": UDP_FLOOD, "action": "ddos_dynamic"}]}]}
    done = modules.lawful("ddos_l4_overrides", **options)
    export = export_state({"ddos_l4_overrides": done["overrides"]})
    assert (export.notes, export.variables["baseline_ddos_l4_overrides"][0]["rules"]) == (
        [],
        options["overrides"][0]["rules"],
    )


def test_what_an_override_does_already_is_no_fault_of_another_change(service: LocalService, modules: Modules) -> None:
    stored = override("udp", "ip.proto.num eq 17", L4, rules=[{"id": GRE_FLOOD, "sensitivity_level": "low"}])
    service.account(ACCOUNT).seed(ddos_l4_overrides=[stored])
    more = [{"id": GRE_FLOOD, "sensitivity": "low"}, {"id": UDP_FLOOD, "action": "block"}]
    modules.done("ddos_l4_overrides", check=True, overrides=[{**OF_UDP, "rules": more}])
