# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of managed DDoS rules: those of the account hold for a zone without its own, in its report too."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results

from tests.fake_service import LocalService
from tests.fake_service.credentials import Grant
from tests.functional.idempotence_cases import L7, override
from tests.support.module_run import ACCOUNT, ZONE, Modules

ROLE = Context(is_role=True)
OFF = override("off", "true", L7, sensitivity_level="eoff")
BLOCK = override("strict", "true", L7, action="block")
PLAIN = override("plain", "not ssl", L7, action="block")
LOG = override("upload", "true", L7, action="log")
NAMED = {"ref": "plain", "expression": "not ssl", "action": "block"}
EXACT = {"overrides": [], "state": "exact"}


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
    service.credentials.tokens[service.token] = Grant(zone="none")
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
    assert "risks" not in modules.done("ddos_l7_overrides", check=check, **gone)


@pytest.mark.parametrize("check", [True, False])
def test_an_override_that_blocks_and_goes_is_a_risk(check: bool, service: LocalService, modules: Modules) -> None:
    seeded(
        service, [], [override("botnets", "true", L7, categories=[{"category": "botnets", "action": "block"}]), PLAIN]
    )
    gone: Any = {"overrides": [{"ref": "plain"}], "state": "absent"}
    (risk,) = modules.failed("ddos_l7_overrides", check=check, **gone)["risks"]
    assert (risk["code"], risk["entries"]) == ("weakens_ddos_rules", ["plain"])
    assert "plain no longer decides on all managed rules, whose own action may stop less: an attack" in risk["message"]
    # By itself, the only managed rule of its category blocks.
    gone = {"overrides": [{"ref": "botnets"}], "state": "absent"}
    assert "risks" not in modules.done("ddos_l7_overrides", check=check, **gone)
