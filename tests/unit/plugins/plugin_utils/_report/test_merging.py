# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.protection.plugins.filter.protection_report import protection_report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import make_report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.merging import (
    compare,
    merge_reports,
    read_report,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import Report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import HostResults

from tests.support.report_schema import validate_report

NEWER, OLDER = "2026-11-21T10:00:00+00:00", "2026-11-21T10:30:00+01:00"
EARLY, NOW, LATE = "2026-11-21T11:01:00+00:00", "2026-11-21T11:00:00+00:00", "2999-01-01T00:00:00+00:00"
COVERED = {"covered": 1, "partial": 0, "monitored": 0, "undecided": 0, "uncovered": 0, "excluded": 0}


def report(generated: str, *hosts: str, error: str = "not read") -> Report:
    return make_report([HostResults(host, errors=[error]) for host in hosts], generated)


def reasons(merged: Report) -> dict[str, list[str]]:
    return {record["host"]: record["reasons"] for record in merged["hosts"]}


def test_slices_become_one_report() -> None:
    slices = [read_report("slice", json.dumps(report(OLDER, *hosts)), NOW) for hosts in (["lima", "oslo"], ["kyiv"])]
    merged = merge_reports(slices, report(NOW))
    validate_report(merged)
    assert [record["host"] for record in merged["hosts"]] == ["kyiv", "lima", "oslo"]
    assert merged["totals"]["statuses"]["unknown"] == 3


def test_each_host_keeps_the_time_at_which_it_was_read() -> None:
    merged = merge_reports([report(OLDER, "lima")], report(NOW, "oslo"))
    assert {record["host"]: record["generated"] for record in merged["hosts"]} == {"lima": OLDER, "oslo": NOW}
    undated = report(NEWER, "lima")
    undated["hosts"][0]["generated"] = "yesterday"
    with pytest.raises(ValueError, match="slice.json is a damaged report: .*yesterday"):
        read_report("slice.json", json.dumps(undated), NOW)


def test_the_newest_report_on_a_host_counts_whatever_the_order() -> None:
    old, new = report(OLDER, "lima", "oslo", error="old"), report(NEWER, "lima", error="new")
    for order in ([old, new], [new, old]):
        merged = merge_reports(order, report(NOW))
        assert reasons(merged) == {"lima": ["new"], "oslo": ["old"]}
        assert merged["generated"] == NOW


def test_hosts_just_read_count_whatever_the_clocks_of_others_say() -> None:
    other = read_report("slice.json", json.dumps(report(EARLY, "lima", "oslo", error="of the other clock")), NOW)
    merged = merge_reports([other], report(NOW, "lima", error="just read"))
    assert reasons(merged) == {"lima": ["just read"], "oslo": ["of the other clock"]}
    assert merged["generated"] == NOW


@pytest.mark.parametrize(("answer", "differs"), [("HTTP 403: no (ray 2b).", False), ("HTTP 500: no (ray 2b).", True)])
def test_the_same_answer_to_another_call_is_no_new_reason(answer: str, differs: bool) -> None:
    before, now = report(OLDER, "lima", error="HTTP 403: no (ray 1a)."), report(NEWER, "lima", error=answer)
    changed = compare(before, now["hosts"])["hosts"]
    assert [(item["new"], item["gone"]) for item in changed] == ([([answer], ["HTTP 403: no (ray 1a)."])] * differs)
    assert answer in reasons(now)["lima"], "people see the ray"


def test_a_report_of_the_future_is_refused() -> None:
    with pytest.raises(ValueError, match=rf"slice\.json was made at {re.escape(LATE)}, .*correct the clock"):
        read_report("slice.json", json.dumps(report(LATE, "lima")), NOW)


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
    assert read_report("slice.json", json.dumps(with_addresses(256)), NOW)
    with pytest.raises(ValueError, match=r"slice\.json is a damaged report: "):
        read_report("slice.json", json.dumps(with_addresses(number)), NOW)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"hosts": ' * 100_000, '{"hosts": ["\\ud800"]}', '{"hosts": [NaN]}', '{"hosts": [1e999]}']
)
def test_a_value_that_json_cannot_hold_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(ValueError, match=r"slice\.json is (not JSON|a damaged report): "):
        read_report("slice.json", text, NOW)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"version": 2}, "slice.json is a report of version 2, and this release of the collection reads version 1"),
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
        read_report("slice.json", json.dumps({**report(NEWER, "lima"), **change}), NOW)


@pytest.mark.parametrize("text", ["", "[]", "{}", "no JSON", '{"version": 1}'])
def test_a_file_that_is_no_report_is_told_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"slice\.json is"):
        read_report("slice.json", text, NOW)


def test_the_filter_merges_and_explains_its_errors() -> None:
    merged = protection_report([{"host": "oslo"}], NEWER, merge=[json.dumps(report(OLDER, "lima"))])
    assert [record["host"] for record in merged["hosts"]] == ["lima", "oslo"]
    with pytest.raises(AnsibleFilterError, match=r"merge\[0\] is not JSON"):
        protection_report([], NEWER, merge=["nothing"])
    records: list[Any] = [{}, {"host": "lima", "results": ["x"]}, {"host": "lima", "failures": {"msg": "x"}}, 1]
    for malformed in records:
        with pytest.raises(AnsibleFilterError, match="protection_report: "):
            protection_report([malformed], NEWER)
