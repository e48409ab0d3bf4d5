# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import compare, read_report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import Report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import unread_host

from tests.support.reports import make_report

NEWER, OLDER = "2026-11-21T10:00:00+00:00", "2026-11-21T10:30:00+01:00"
EARLY, NOW, LATE = "2026-11-21T11:01:00+00:00", "2026-11-21T11:00:00+00:00", "2999-01-01T00:00:00+00:00"
COVERED = {"covered": 1, "partial": 0, "monitored": 0, "undecided": 0, "uncovered": 0, "excluded": 0}


def report(generated: str, *hosts: str, error: str = "not read") -> Report:
    return make_report([unread_host(host, error) for host in hosts], generated)


def test_a_host_without_its_time_is_refused() -> None:
    undated = report(NEWER, "lima")
    undated["hosts"][0]["generated"] = "yesterday"
    with pytest.raises(ValueError, match="earlier.json is a damaged report: .*yesterday"):
        read_report("earlier.json", json.dumps(undated), NOW)


def test_a_clock_that_is_ahead_by_minutes_is_no_error() -> None:
    assert read_report("earlier.json", json.dumps(report(EARLY, "lima")), NOW)["generated"] == EARLY


@pytest.mark.parametrize(("answer", "differs"), [("HTTP 403: no (ray 2b).", False), ("HTTP 500: no (ray 2b).", True)])
def test_the_same_answer_to_another_call_is_no_new_reason(answer: str, differs: bool) -> None:
    before, now = report(OLDER, "lima", error="HTTP 403: no (ray 1a)."), report(NEWER, "lima", error=answer)
    changed = compare(before, now["hosts"])["hosts"]
    assert [(item["new"], item["gone"]) for item in changed] == ([([answer], ["HTTP 403: no (ray 1a)."])] * differs)
    assert answer in now["hosts"][0]["reasons"], "people see the ray"


def test_a_report_of_the_future_is_refused() -> None:
    with pytest.raises(ValueError, match=rf"earlier\.json was made at {re.escape(LATE)}, .*correct the clock"):
        read_report("earlier.json", json.dumps(report(LATE, "lima")), NOW)


def with_addresses(number: Any) -> Any:
    """A report with a host of which this number of addresses is covered."""
    known: Any = report(NEWER, "lima")
    addresses = {"ipv4": {**COVERED, "covered": number}, "ipv6": COVERED}
    lists = dict.fromkeys(("protected", "excluded", "uncovered", "bypassing", "gaps", "undecided"), ())
    shown = {"enabled": True, "effective": True, "addresses": addresses, "components": {}}
    known["hosts"][0]["coverage"] = {**shown, **lists}
    return known


@pytest.mark.parametrize("number", ["1", None])
def test_a_number_that_counts_nothing_is_refused(number: Any) -> None:
    assert read_report("earlier.json", json.dumps(with_addresses(256)), NOW)
    with pytest.raises(ValueError, match=r"earlier\.json is a damaged report: "):
        read_report("earlier.json", json.dumps(with_addresses(number)), NOW)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"hosts": ' * 100_000, '{"hosts": ["\\ud800"]}', '{"hosts": [NaN]}', '{"hosts": [1e999]}']
)
def test_a_value_that_json_cannot_hold_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(ValueError, match=r"earlier\.json is (not JSON|a damaged report): "):
        read_report("earlier.json", text, NOW)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"version": 2}, "earlier.json is a report of version 2, and this release of the collection reads version 1"),
        ({"version": None}, "a report of version None"),
        ({"hosts": None}, "is not a report"),
        ({"hosts": [{"host": "lima", "status": "fine"}]}, "damaged report: 'generated' is missing"),
        ({"hosts": [{"host": "lima", "status": "drift"}]}, "damaged report: '[a-z]+' is missing"),
        ({"hosts": [{}]}, "damaged report: '[a-z]+' is missing"),
        ({"hosts": ["lima"]}, "damaged report: "),
        ({"totals": {}}, "damaged report: 'hosts' is missing"),
        ({"generated": "yesterday"}, "damaged report: "),
        ({"generated": "2026-11-21T10:00:00"}, "damaged report: "),
    ],
)
def test_other_files_are_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_report("earlier.json", json.dumps({**report(NEWER, "lima"), **change}), NOW)


@pytest.mark.parametrize("text", ["", "[]", "{}", "no JSON", '{"version": 1}'])
def test_a_file_that_is_no_report_is_told_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"earlier\.json is"):
        read_report("earlier.json", text, NOW)
