# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Statuses without protection that are accepted make no host red, until they expire; others do as ever."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.unmanaged import parse_accepted
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import (
    AcceptedNow,
    host_record,
    report_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import html_page, metrics
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.markdown import markdown_page
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import HostRecord
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, Modules
from tests.support.report_schema import validate_report

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
RULES = {"rules": [{"scope": "global", "name": "global", "mode": "enabled"}], "filters": []}
PREFIXES = [{"prefix": "192.0.2.0/24"}]
IN_ORDER: Mapping[str, Any] = {"enabled": True, "prefixes": PREFIXES, "syn_flood": RULES, "out_of_state_tcp": RULES}
LEFT_OUT = {**RULES, "filters": [{"expression": "ip.dst eq 192.0.2.9", "mode": "disabled"}]}
OFF: Mapping[str, Any] = {"status": "protection_off", "reason": "a lab"}
NINE: Mapping[str, Any] = {"status": "uncovered", "networks": ["192.0.2.9"], "reason": "a test sender"}
UNCOVERED = "A component does nothing for 1 IPv4 address (192.0.2.9/32)."

# What exists, what is accepted of it, and why the host is unprotected all the same.
CASES: list[tuple[Mapping[str, Any], list[Mapping[str, Any]], list[str]]] = [
    ({"enabled": False}, [], ["TCP protection is off."]),
    ({"enabled": False}, [OFF], []),
    ({"enabled": False}, [NINE], ["TCP protection is off."]),
    ({"enabled": False, "prefixes": []}, [OFF], []),
    ({"prefixes": []}, [OFF], ["There is no protected prefix."]),
    ({"prefixes": []}, [{**OFF, "status": "no_protected_prefix"}], []),
    ({"enabled": False}, [{**OFF, "status": "no_protected_prefix"}], ["TCP protection is off."]),
    ({"syn_flood": LEFT_OUT}, [], [UNCOVERED]),
    ({"syn_flood": LEFT_OUT}, [NINE], []),
    ({"syn_flood": LEFT_OUT}, [{**NINE, "networks": ["192.0.2.8/31"]}], []),
    ({"syn_flood": LEFT_OUT}, [{**NINE, "networks": ["192.0.2.8"]}], [UNCOVERED]),
    ({"syn_flood": LEFT_OUT}, [{**NINE, "components": ["syn_flood"]}], []),
    ({"syn_flood": LEFT_OUT}, [{**NINE, "components": ["out_of_state_tcp"]}], [UNCOVERED]),
    ({"syn_flood": LEFT_OUT, "out_of_state_tcp": LEFT_OUT}, [{**NINE, "components": ["syn_flood"]}], [UNCOVERED]),
    ({"syn_flood": LEFT_OUT, "out_of_state_tcp": LEFT_OUT}, [NINE], []),
    ({"enabled": False}, [{**OFF, "expires": "2026-11-23"}], []),
    (
        {"enabled": False},
        [{**OFF, "expires": "2026-11-20"}],
        ["TCP protection is off.", "It was accepted (a lab) until 2026-11-21T00:00:00+00:00."],
    ),
    (
        {"syn_flood": LEFT_OUT},
        [{**NINE, "expires": "2026-11-22T09:00:00Z"}, {**OFF, "expires": "2026-11-20"}],
        [UNCOVERED, "It was accepted (a test sender) until 2026-11-22T09:00:00+00:00."],
    ),
]  # fmt: skip


def record_of(
    service: LocalService, modules: Modules, state: Mapping[str, Any], entries: Any, **task: Any
) -> HostRecord:
    service.account(ACCOUNT).seed(**{**IN_ORDER, **state})
    results = {"account_protection": modules.done("account_protection", check=True, **task)}
    accepted = AcceptedNow(parse_accepted(entries, "lima"), NOW)
    record = host_record(host_results("lima", {}, results), NOW.isoformat(), accepted)
    validate_report(report_of([record], NOW.isoformat()))
    return record


@pytest.mark.parametrize(("state", "entries", "reasons"), CASES)
def test_an_accepted_status_makes_no_host_unprotected(
    state: Mapping[str, Any], entries: Any, reasons: list[str], service: LocalService, modules: Modules
) -> None:
    record = record_of(service, modules, state, entries)
    assert (record["status"], record["reasons"]) == ("unprotected" if reasons else "in_order", reasons)
    assert reasons or bool(record["accepted_statuses"]) is bool(entries)
    has_expired = any("It was accepted" in reason for reason in reasons)
    assert not (has_expired and record["accepted_statuses"])


def test_differences_from_the_baseline_count_as_ever(service: LocalService, modules: Modules) -> None:
    record = record_of(service, modules, {"enabled": False}, [OFF], enabled=True)
    reasons = ["The protection is off, and the baseline turns it on.", "1 difference from the baseline."]
    assert (record["status"], record["reasons"]) == ("weakened", reasons)


def test_a_component_that_the_baseline_turns_on_counts_as_ever(service: LocalService, modules: Modules) -> None:
    rules = [{"kind": "syn_flood", "scope": "global", "mode": "enabled"}]
    disabled = {**RULES, "rules": [{**RULES["rules"][0], "mode": "disabled"}]}
    everywhere = {**NINE, "networks": ["192.0.2.0/24"]}
    record = record_of(
        service, modules, {"syn_flood": disabled}, [everywhere], rules=rules, accept_risks=["skips_monitoring"]
    )
    assert record["status"] == "weakened"


def test_each_format_lists_the_accepted_statuses(service: LocalService, modules: Modules) -> None:
    record = record_of(service, modules, {"syn_flood": LEFT_OUT}, [{**NINE, "expires": "2027-01-31"}])
    assert record["accepted_statuses"] == [
        {
            "status": "uncovered",
            "text": "SYN flood protection does nothing for 1 IPv4 address (192.0.2.9/32).",
            "networks": ["192.0.2.9/32"],
            "reason": "a test sender",
            "expires": "2027-02-01T00:00:00+00:00",
        }
    ]
    report = report_of([record], NOW.isoformat())
    assert report["totals"]["accepted_statuses"] == 1
    for page in (html_page(report), markdown_page(report)):
        assert "Accepted: a test sender, until 2027-02-01T00:00:00+00:00" in page
    assert 'host_accepted_statuses{host="lima"} 1' in metrics(report)


def unnamed(*entries: Mapping[str, Any]) -> list[str]:
    """The sentences on an account that announces 192.0.2.0/24 without protection."""
    announced: Any = {"networks": [], "unprotected": ["192.0.2.0/24"], "not_known": [], "unclear": [], "withdrawn": []}
    return AcceptedNow(parse_accepted([*entries], "lima"), NOW).unnamed(announced)


def test_announced_networks_are_accepted_one_by_one() -> None:
    (sentence,) = unnamed({"status": "announced", "networks": ["192.0.2.0/25"], "reason": "tests"})
    assert "192.0.2.128/25" in sentence
    assert AcceptedNow((), NOW).unnamed(None) == []


def test_announced_networks_that_were_accepted_say_until_when() -> None:
    meant = {"status": "announced", "reason": "tests", "expires": "2026-11-20"}
    sentences = unnamed(*({**meant, "networks": [network]} for network in ("192.0.2.0/25", "10.0.0.0/8")))
    assert sentences[1:] == ["It was accepted (tests) until 2026-11-21T00:00:00+00:00."]
