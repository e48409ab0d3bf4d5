# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The security level of a zone: in the module, the role, exports, snapshots and the report."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import export_state, export_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results

from tests.fake_service import LocalService
from tests.support.baseline_runs import applied, restored, snapshot
from tests.support.host_parts import host, read_back, run_module
from tests.support.module_run import ZONE, Modules
from tests.support.reported_host import assessed, predicted

SINCE = "2026-01-12T08:30:00Z"
ROLE = Context(is_role=True)


def seed(service: LocalService, level: str, **others: Any) -> dict[str, Any]:
    """The setting of the zone, the very one of the service."""
    zone = service.zone(ZONE).seed(security_level={"value": level, **others})
    setting: dict[str, Any] = zone.declared["security_level"]
    return setting


@pytest.mark.parametrize("check", [True, False])
def test_the_time_is_that_before_the_task(check: bool, service: LocalService, modules: Modules) -> None:
    existing = seed(service, "medium", modified_on=SINCE)
    result = modules.done("security_level", level="high", check=check)
    assert result["security_level"] == {"level": "high", "modified_on": SINCE}
    assert (existing["value"], existing["modified_on"] == SINCE) == (("medium", True) if check else ("high", False))
    assert [call.body for call in service.writes] == ([] if check else [{"value": "high"}])


def test_the_word_off_of_yaml_is_a_level(service: LocalService, modules: Modules) -> None:
    seed(service, "off")
    assert modules.done("security_level", level=False)["changed"] is False
    assert not applied(service, {"baseline_security_level": False})["changed"]


@pytest.mark.parametrize("check", [True, False])
def test_a_level_that_is_not_editable_is_refused_before_a_write(
    check: bool, service: LocalService, modules: Modules
) -> None:
    seed(service, "medium", editable=False)
    message = modules.failed("security_level", level="high", check=check)["msg"]
    assert message == (
        "The security level cannot be changed, since Cloudflare shows it as not editable. Nothing was changed."
    )
    assert service.writes == []


@pytest.mark.parametrize("check", [True, False])
def test_a_word_of_the_future_is_said_before_it_is_replaced(
    check: bool, service: LocalService, modules: Modules
) -> None:
    seed(service, "extreme")
    result = modules.failed("security_level", level="under_attack", check=check)
    assert (
        "Fewer visitors would be challenged if the security level is under_attack instead of extreme, of which one is"
        " not known here." in result["msg"]
    )
    (weaker,) = result["weaker"]
    assert (weaker["certain"], weaker["reason"]) == (
        False,
        "is extreme instead of under_attack, of which one is not known here",
    )


@pytest.mark.parametrize(
    ("existing", "described", "status", "reason"),
    [
        ("high", "under_attack", "weakened", "The security level is high instead of under_attack."),
        (
            "extreme",
            "medium",
            "weakened",
            "The security level is extreme instead of medium, of which one is not known here.",
        ),
        ("under_attack", "medium", "drift", "1 difference from the baseline."),
        ("low", "medium", "drift", "1 difference from the baseline."),
        ("off", "high", "drift", "1 difference from the baseline."),
        ("medium", "medium", "in_order", ""),
    ],
)
def test_a_zone_is_weakened_if_it_is_no_longer_under_attack(
    existing: str, described: str, status: str, reason: str, service: LocalService, modules: Modules
) -> None:
    seed(service, existing)
    predicted = modules.run("security_level", check=True, context=ROLE, level=described)
    record = host_record(host_results("lima", {}, {"security_level": predicted}), "2026-11-21T10:00:00+00:00")
    assert record["status"] == status
    assert record["reasons"][:1] == ([reason] if reason else [])


def exported(service: LocalService) -> tuple[dict[str, Any], list[str]]:
    """The variables of the file, and its notes."""
    inventory = {name: value for name, value in host(service).items() if name != "edge_account_id"}
    part = host_part("lima", {**inventory, "baseline_security_level": "medium"})
    export = export_state(read_part(part, run_module).objects, purge=True)
    return read_back(export_text(export, {})), export.notes


@pytest.mark.parametrize("level", ["off", "under_attack"])
def test_an_export_that_is_applied_changes_nothing(level: str, service: LocalService) -> None:
    seed(service, level)
    variables, notes = exported(service)
    assert (variables, notes) == ({"baseline_security_level": level}, [])
    assert not applied(service, variables)["changed"]
    assert service.writes == []


def test_an_export_names_no_word_of_the_future(service: LocalService) -> None:
    seed(service, "extreme")
    variables, (note,) = exported(service)
    assert variables == {}
    assert "The security level is not known" in note and "extreme" in note


def test_the_role_sets_the_level_and_a_restore_brings_it_back(service: LocalService) -> None:
    existing = seed(service, "high", modified_on=SINCE)
    baseline = {"baseline_security_level": "low", "baseline_accept_risks": ["lowers_sensitivity"]}
    saved = snapshot(service, **baseline)
    applied(service, baseline)
    assert existing["value"] == "low"
    assert restored(service, saved) == ("", [])
    assert existing["value"] == "high"


def test_a_restore_keeps_a_word_of_the_future_or_says_that_it_cannot(service: LocalService) -> None:
    existing = seed(service, "extreme")
    baseline = {"baseline_security_level": "high", "baseline_accept_risks": ["lowers_sensitivity"]}
    saved = snapshot(service, **baseline)
    assert restored(service, saved) == ("", [])
    applied(service, baseline)
    refusal, _unmet = restored(service, saved)
    assert refusal.startswith("The security level cannot be brought back: cannot be described") or "extreme" in refusal
    assert existing["value"] == "high"


@pytest.mark.parametrize(
    ("products", "reason"), [(["securityLevel"], "may skip products securityLevel for requests"), (["uaBlock"], None)]
)
def test_a_skip_of_the_level_that_no_baseline_names_is_a_hole(
    products: list[str], reason: str | None, service: LocalService
) -> None:
    by_hand = {
        "ref": "hand",
        "action": "skip",
        "expression": 'http.host eq "a"',
        "action_parameters": {"products": products},
    }
    service.zone(ZONE).seed(security_level={"value": "high"}, custom_rules=[by_hand])
    status, reasons = assessed(
        predicted(service, edge_account_id=None, baseline_prefixes=None, baseline_security_level="high")
    )
    sentence = f"The custom rule hand {reason}, and no baseline names it."
    assert (status, reasons) == (("weakened", [sentence]) if reason else ("in_order", []))
