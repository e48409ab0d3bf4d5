# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic of a host in the report: what is not known is said, and is no zero."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import TRAFFIC
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record, report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import metrics, packet_samples
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import (
    backtest_lines,
    component_texts,
    networks_in_words,
    period,
    traffic_in_words,
    traffic_lines,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.predict import traffic_task
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import NETWORKS_IN_JSON, host_results

GENERATED = "2026-07-01T12:00:00+00:00"
NETWORK: dict[str, Any] = {
    "network": "203.0.113.0/24",
    "passed_packets": 1_200_000,
    "dropped_packets": 0,
    "would_drop_packets": 50_000,
    "would_drop_percent": 4.0,
    "data_centers": {"FRA": 50_000},
    "known": True,
}
SILENT = {**NETWORK, "network": "192.0.2.0/24", "would_drop_packets": 0, "would_drop_percent": 0.0, "data_centers": {}}
SEEN: dict[str, Any] = {
    "passed_packets": 91_200_000,
    "dropped_packets": 7,
    "would_drop_packets": 50_000,
    "would_drop_percent": 0.055,
    "sample_interval": 1000,
    "known": True,
    "unknown": [],
    "reasons": {"NOT_FOUND": 50_000},
    "advice": ["NOT_FOUND: monitor longer."],
    "networks": [NETWORK, SILENT],
}
NUMBERS = ("passed_packets", "dropped_packets", "would_drop_packets", "would_drop_percent", "sample_interval")
NOTHING: dict[str, Any] = {
    **SEEN,
    **dict.fromkeys(NUMBERS),
    "known": False,
    "unknown": ["The analytics saw no traffic."],
    "reasons": {},
    "advice": [],
    "networks": [],
}


def result(**components: Any) -> dict[str, Any]:
    """A result of protection_traffic_info."""
    unknown = [reason for seen in components.values() for reason in seen["unknown"]]
    times = {"since": "2026-06-30T12:00:00+00:00", "until": "2026-07-01T12:00:00+00:00"}
    return {"traffic": {**times, "known": not unknown, "unknown": unknown, "components": components}}


def traffic(**components: Any) -> Any:
    return host_results("lima", {}, {TRAFFIC: result(**components)}).record["traffic"]


def record(**components: Any) -> Any:
    return {"host": "lima", "traffic": traffic(**components)}


def test_networks_that_lose_nothing_are_left_out() -> None:
    assert traffic(syn_flood=SEEN)["components"]["syn_flood"]["networks"] == [NETWORK]


def test_networks_beyond_the_most_are_counted() -> None:
    many = {**SEEN, "networks": [NETWORK] * (NETWORKS_IN_JSON + 5)}
    seen = traffic(syn_flood=many)["components"]["syn_flood"]
    assert (len(seen["networks"]), seen["more_networks"]) == (NETWORKS_IN_JSON, 5)
    assert list(networks_in_words(seen))[-1] == "100 more networks in report.json"


@pytest.mark.parametrize("value", [None, {"failed": True, "msg": "No."}, {"skipped": True}])
def test_a_host_without_a_result_has_no_traffic(value: Any) -> None:
    assert host_results("lima", {}, {TRAFFIC: value} if value else {}).record["traffic"] is None


@pytest.mark.parametrize(
    "value", [{}, {"traffic": []}, {"traffic": {**result()["traffic"], "components": {"dns": {}}}}]
)
def test_another_shape_is_refused_with_the_name_of_the_host(value: Any) -> None:
    with pytest.raises(ValueError, match="^the traffic of lima is not a result of protection_traffic_info: "):
        host_results("lima", {}, {"protection_traffic_info": value})


def test_a_failure_is_a_reason_of_the_host() -> None:
    failed = {"failed": True, "msg": "report_traffic_hours: -1 is not above 0."}
    host = host_results("lima", {}, {"protection_traffic_info": failed})
    assert ([*host.unread], host.record["traffic"]) == (["report_traffic_hours: -1 is not above 0."], None)


def test_numbers_of_which_not_all_is_known_say_so() -> None:
    part = {**SEEN, "known": False, "unknown": ["A shard is lost."]}
    words = traffic_in_words(traffic(syn_flood=part)["components"]["syn_flood"])
    assert words.startswith("packets: 91,200,000 passed") and words.endswith("Not all is known. A shard is lost.")


def test_the_time_of_an_odd_report_is_shown_as_it_is() -> None:
    odd: Any = {**traffic(), "until": "noon"}
    assert period(odd) == "2026-06-30T12:00:00+00:00 to noon"


def test_metrics_have_packets_that_are_known_and_no_others() -> None:
    hosts = [record(syn_flood=SEEN, out_of_state_tcp=NOTHING, dns={**SEEN, "known": False, "unknown": ["?"]})]
    samples = {(labels["component"], labels["action"]): value for labels, value in packet_samples(hosts)}
    assert samples == {
        ("syn_flood", "passed"): 91_200_000,
        ("syn_flood", "dropped"): 7,
        ("syn_flood", "would_drop"): 50_000,
    }


def test_metrics_say_whether_the_traffic_is_known() -> None:
    results = {TRAFFIC: result(syn_flood=SEEN, dns=NOTHING)}
    host = host_record(host_results("lima", {}, results), GENERATED)
    report = report_of([host], GENERATED)
    text = metrics(report)
    assert 'edgeops_protection_host_traffic_known{host="lima",component="syn_flood"} 1\n' in text
    assert 'edgeops_protection_host_traffic_known{host="lima",component="dns"} 0\n' in text
    assert 'edgeops_protection_host_packets{host="lima",component="syn_flood",action="would_drop"} 50000\n' in text
    without = metrics(report_of([{**host, "traffic": None}], GENERATED))
    assert "host_packets" not in without and "traffic_known" not in without


def test_a_host_without_traffic_has_no_part() -> None:
    assert list(traffic_lines(None)) == []


def test_the_traffic_of_a_component_is_a_sentence_a_bar_and_lines() -> None:
    (texts,) = component_texts(traffic(out_of_state_tcp=SEEN))
    assert texts.words == (
        "packets: 91,200,000 passed, 50,000 would have been dropped, 7 dropped (0.055 % would have been)."
    )
    assert [*texts.shares] == ["m", "n", "x"]
    assert texts.shares["n"] == 0.6
    loses = "203.0.113.0/24: 50,000 would have been dropped (4 % would have been)"
    assert texts.lines == [loses, "NOT_FOUND: monitor longer."]
    first, *others = traffic_lines(traffic(out_of_state_tcp=SEEN))
    assert first == f"Out-of-state TCP protection in 24 h until 2026-07-01T12:00:00+00:00: {texts.words}"
    assert others == texts.lines


def test_traffic_that_is_not_known_has_no_bar() -> None:
    (texts,) = component_texts(traffic(syn_flood=NOTHING))
    assert (texts.shares, texts.words) == ({}, "Not known. The analytics saw no traffic.")


OPTIONS: dict[str, Any] = {"account_id": "a", "api_token": "t" * 40, "prefixes": []}
HOST_SPEC = Part("host", OPTIONS, Context(names={"account_id": "edge_account_id"}))


@pytest.mark.parametrize(
    ("hours", "asked"), [(0, False), ("0", False), (None, False), ("", False), ("24", True), (0.5, True)]
)
def test_traffic_is_asked_for_if_hours_are_set(hours: Any, asked: bool) -> None:
    part = traffic_task(HOST_SPEC, hours)
    assert bool(part) is asked
    assert traffic_task(Part("host", {"zone_id": "z"}), hours) is None


def test_the_task_has_the_connection_of_the_account_and_the_name_of_the_variable() -> None:
    part = traffic_task(HOST_SPEC, "24")
    assert part and part.options == {
        "account_id": "a",
        "api_token": "t" * 40,
        "hours": 24.0,
        "components": ["syn_flood", "out_of_state_tcp"],
    }
    assert part.names == {"account_id": "edge_account_id", "hours": "report_traffic_hours"}


def test_dns_protection_counts_if_the_baseline_describes_it() -> None:
    part = traffic_task(Part("host", {**OPTIONS, "dns_rules": [{}]}), 1)
    assert part and part.options["components"][-1] == "dns"


def backtested(**fields: Any) -> Any:
    none = {"requests": 0, "percent": 0.0}
    rule = {"ref": "admin", "action": "block", **none, "already": 0, "undecided": 0, "examples": []}
    whole = {
        "known": True,
        "unknown": [],
        "requests": 1000,
        "samples": 1000,
        "newly_blocked": none,
        "newly_passed": none,
    }
    return {"since": None, "until": None, **whole, "undecided": {**none, "fields": []}, "rules": [rule], **fields}


NOT_READ = {"requests": None, "percent": None}


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        ({}, ["Of 1,000 requests, none changes.", "admin: stops none of them"]),
        ({"newly_passed": {"requests": 1000, "percent": None}},
         ["Of 1,000 requests, 1,000 would newly pass.", "admin: stops none of them"]),
        ({"known": False, "unknown": ["No access."], "requests": None, "newly_blocked": NOT_READ, "newly_passed": NOT_READ},
         ["Not known. No access.", "admin: not known"]),
        ({"known": False, "unknown": ["Too few."], "requests": 3},
         ["Of 3 requests, none changes. Not all is known. Too few.", "admin: not known"]),
    ],
    ids=["nothing", "all blocked today", "not read", "few"],
)  # fmt: skip
def test_a_backtest_says_what_is_not_known(fields: dict[str, Any], lines: list[str]) -> None:
    assert [*backtest_lines(backtested(**fields))] == lines
