# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import to_the_minute
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.coverage import amount
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import (
    ages,
    anchor,
    bars,
    by_hosts,
    operation_texts,
    shared_operations,
    signature,
    value_text,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import MAX_CHARS


@pytest.mark.parametrize(
    ("host", "identity"),
    [
        ("lima.example", "host-lima.example"),
        ("a b", "host-a~20b"),
        ("\u00e9", "host-~c3~a9"),
        ("a~20b", "host-a~7e20b"),
    ],
)
def test_hosts_have_one_anchor_each(host: str, identity: str) -> None:
    assert anchor(host) == identity


def sharing_host(name: str, *keys: str) -> Any:
    return {"host": name, "operations": [{"action": "create", "key": key} for key in keys]}


def test_operations_of_several_hosts_are_those_of_most_hosts_first() -> None:
    several = [
        sharing_host("a", "x", "y", "w"),
        sharing_host("b", "y", "y", "w"),
        sharing_host("c", "y", "x", "z"),
        sharing_host("d", "x", "y"),
    ]
    shared = shared_operations(several)
    assert [(item.operation["key"], item.hosts) for item in shared.values()] == [
        ("y", ["a", "b", "c", "d"]),
        ("x", ["a", "c", "d"]),
    ], "two hosts that do w show it themselves"
    assert list(shared) == [signature(item.operation) for item in shared.values()]
    assert [item.anchor for item in shared.values()] == ["change-0", "change-1"]


def test_lines_stand_once_for_all_hosts_that_have_them() -> None:
    assert by_hosts({"a": ["1", "2", "2"], "b": ["2"], "c": ["2", "1"]}) == [
        (("a", "b", "c"), ["2"]),
        (("a", "c"), ["1"]),
    ]


UPDATE: Any = {
    "module": "custom_rules",
    "action": "update",
    "resource": "custom_rule",
    "title": "custom rule",
    "key": "login",
    "name": "login",
    "fields": {"enabled": True, "note": "x"},
    "before": {"enabled": False},
}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ("", '""'),
        (True, "true"),
        (["\u00e4"], '["\u00e4"]'),
        ("a\nb", "a\\nb"),
        ("x" * (MAX_CHARS + 30), "x" * MAX_CHARS + "... (30 more characters)"),
    ],
)
def test_a_value_is_text_that_controls_nothing_and_ends(value: Any, text: str) -> None:
    assert value_text(value) == text


def test_an_object_that_there_is_once_has_no_name() -> None:
    status: Any = {**UPDATE, "resource": "tcp_protection_status"}
    assert operation_texts(status).name == ""


VENDOR = {"id": "a" * 32}
LOG = {**VENDOR, "overrides": {"action": "log"}}


@pytest.mark.parametrize(
    ("resource", "before", "fields", "changes"),
    [
        ("managed_rule", LOG, VENDOR, [("action_parameters.overrides.action", "log", "none")]),
        ("managed_rule", VENDOR, LOG, [("action_parameters.overrides.action", None, "log")]),
        ("managed_rule", {**VENDOR, "overrides": {}}, LOG, [("action_parameters.overrides.action", None, "log")]),
        ("managed_rule", LOG, {**LOG, "id": "b" * 32}, [("action_parameters.id", "a" * 32, "b" * 32)]),
        ("custom_rule", {"ruleset": "current"}, {}, [
            ("action_parameters", None, "{}"), ("action_parameters.ruleset", "current", "none"),
        ]),
    ],
)  # fmt: skip
def test_an_inner_object_shows_what_differs_and_what_goes(
    resource: str, before: dict[str, Any], fields: dict[str, Any], changes: list[tuple[Any, ...]]
) -> None:
    inner = {"fields": {"action_parameters": fields}, "before": {"action_parameters": before}}
    operation: Any = {**UPDATE, "resource": resource, **inner}
    assert [tuple(item) for item in operation_texts(operation).fields] == changes


def test_a_filter_of_which_a_part_is_sent_keeps_the_rest() -> None:
    inner = {"fields": {"filter": {"id": "b"}}, "before": {"filter": {"id": "a", "expression": "ssl"}}}
    operation: Any = {**UPDATE, "resource": "firewall_rule", **inner}
    (change,) = operation_texts(operation).fields
    assert tuple(change) == ("filter.id", "a", "b")


NONE: Any = {"covered": 0, "partial": 0, "monitored": 0, "undecided": 0, "uncovered": 0, "excluded": 0}


def test_a_bar_has_a_part_for_each_class_that_has_addresses() -> None:
    (drawn,) = bars({"ipv4": {**NONE, "covered": 192, "uncovered": 64}, "ipv6": NONE})
    assert (drawn.family, drawn.words) == ("IPv4", "192 mitigated, 64 not covered")
    assert drawn.shares == {"c": 192, "n": 64}


@pytest.mark.parametrize(
    ("family", "number", "words"),
    [("ipv4", 1024, "1,024"), ("ipv6", (1 << 64) - 1, "18,446,744,073,709,551,615"), ("ipv6", 3 << 64, "3 /64")],
)
def test_ipv6_addresses_are_counted_in_networks(family: str, number: int, words: str) -> None:
    assert amount(family, number) == words


def report(*read: str) -> Any:
    return {"generated": "2026-11-21T10:00:00+00:00", "hosts": [{"generated": moment} for moment in read]}


@pytest.mark.parametrize(
    ("read", "words"),
    [
        ("2026-11-21T09:58:59+00:00", "09:58 UTC, 1 minute before this report"),
        ("2026-11-21T09:30:00+01:00", "08:30 UTC, 1 hour before this report"),
    ],
)
def test_an_age_is_told_in_its_largest_unit_the_oldest_first(read: str, words: str) -> None:
    now, old = "2026-11-21T10:00:00+00:00", "2026-11-18T10:00:00+00:00"
    assert ages(report(now, now, read, old)) == [
        "1 host was read 2026-11-18 10:00 UTC, 3 days before this report",
        f"1 host was read 2026-11-21 {words}",
        "2 hosts were read 2026-11-21 10:00 UTC",
    ]
    assert ages(report(read)) == []


def test_hosts_of_one_minute_are_one_part() -> None:
    recent, early, earlier = (f"2026-11-21T09:{moment}+00:00" for moment in ("59:30", "30:50", "30:10"))
    assert ages(report(recent, early, earlier)) == [
        "2 hosts were read 2026-11-21 09:30 UTC, 29 minutes before this report",
        "1 host was read 2026-11-21 10:00 UTC",
    ]
    assert ages(report(recent, "2026-11-21T10:00:00+00:00")) == []


def test_a_clock_that_is_ahead_is_told() -> None:
    assert ages(report("2026-11-21T10:00:00+00:00", "2026-11-21T10:30:00+00:00")) == [
        "1 host was read 2026-11-21 10:00 UTC",
        "1 host was read 2026-11-21 10:30 UTC, 30 minutes after this report",
    ]


def test_a_moment_is_shown_in_utc() -> None:
    assert to_the_minute("2026-11-21T23:30:59-02:00") == "2026-11-22 01:30 UTC"
