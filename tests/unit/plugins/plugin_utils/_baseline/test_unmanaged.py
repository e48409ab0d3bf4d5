# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.unmanaged import (
    accepted_reason,
    parse_accepted,
    weakening_sentences,
)

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)
ENTRY: dict[str, Any] = {"resource": "syn_flood_filter", "keys": ["tcp.dstport in {80 443}"], "reason": "OPS-1"}
OFF: dict[str, Any] = {"status": "protection_off", "reason": "a lab"}
NINE: dict[str, Any] = {"status": "uncovered", "networks": ["192.0.2.9"], "reason": "a test sender"}


def item(key: str, weakens: bool | None = True, resource: str = "syn_flood_filter") -> dict[str, Any]:
    return {"resource": resource, "key": key, "weakens": weakens, "reason": "is disabled", "since": None}


@pytest.mark.parametrize(
    ("entry", "key", "accepted"),
    [
        ({}, "tcp.dstport in {80 443}", True),
        ({}, "TCP.dstport in {80 443}", True),
        ({}, "tcp.dstport in {80}", False),
        ({"keys": ["[x]", "a?c*"]}, "abcd", True),
        ({"keys": ["[x]"]}, "[x]", True),
        ({"resource": "prefix"}, "tcp.dstport in {80 443}", False),
        ({"expires": "2026-11-20"}, "tcp.dstport in {80 443}", False),
        ({"expires": "2026-11-21"}, "tcp.dstport in {80 443}", True),
        ({"expires": "2026-11-21T00:00:01Z"}, "tcp.dstport in {80 443}", True),
        ({"expires": "2026-11-21T00:00:00Z"}, "tcp.dstport in {80 443}", False),
        ({"reason": " OPS-1 "}, "tcp.dstport in {80 443}", True),
        ({"hosts": ["oslo", "l?m*"]}, "tcp.dstport in {80 443}", True),
        ({"hosts": ["oslo", "Lima"]}, "tcp.dstport in {80 443}", False),
    ],
)
def test_an_entry_accepts_keys_until_it_expires(entry: dict[str, Any], key: str, accepted: bool) -> None:
    entries = parse_accepted([{**ENTRY, **entry}], "lima")
    assert accepted_reason(item(key), entries, NOW) == ("OPS-1" if accepted else None)


ADDRESSES: list[tuple[str, str, str, bool]] = [
    ("allowlist_entry", "198.51.100.*", "198.51.100.7", True),
    ("allowlist_entry", "198.51.100.*", "198.51.100.0/24", True),
    ("allowlist_entry", "198.51.100.*", "198.51.100.128/25", True),
    ("allowlist_entry", "198.51.100.*", "198.51.100.0/22", False),
    ("allowlist_entry", "198.51.*", "198.51.100.0/22", True),
    ("allowlist_entry", "198.51.100.?/*", "198.51.100.0/29", True),
    ("allowlist_entry", "198.51.100.?/*", "198.51.100.0/28", False),
    ("allowlist_entry", "*2*", "2.0.0.0/7", False),
    ("allowlist_entry", "10.[02]*", "10.0.0.0/8", False),
    ("allowlist_entry", "10.*/24", "10.1.0.0/24", True),
    ("allowlist_entry", "10.*/24", "10.0.0.0/8", False),
    ("allowlist_entry", "*", "0.0.0.0/0", True),
    ("allowlist_entry", "198.51.100.0/22", "198.51.100.0/22", True),
    ("allowlist_entry", "198.51.100.0/22", "198.51.101.0/24", True),
    ("allowlist_entry", "198.51.101.0/24", "198.51.100.0/22", False),
    ("prefix", "2001:db8:*", "2001:DB8::/32", True),
    ("prefix", "2001:db8:*", "2001:db8::/31", False),
    ("prefix", "2001:db8::*", "2001:db8::/32", False),
    ("ip_list_item", "offices 198.51.100.*", "offices 198.51.100.0/22", False),
    ("ip_list_item", "offices *", "offices 198.51.100.0/22", True),
    ("ip_list_item", "offices 198.51.100.0/22", "offices 198.51.100.7", True),
    ("ip_list_item", "shops 198.51.100.0/22", "offices 198.51.100.7", False),
    ("syn_flood_filter", "ip.src in {198.51.100.*", "ip.src in {198.51.100.0/22}", False),
    ("syn_flood_filter", "ip.src in {198.51.*", "ip.src in {198.51.100.0/22}", True),
    ("syn_flood_filter", "ip.src in {198.51.100.0/22*", "ip.src in {198.51.100.0/22 192.0.2.1}", True),
    ("syn_flood_filter", "ip.src in {198.51.100.*", "ip.src in {198.51.100.1..198.51.103.9}", False),
    ("syn_flood_filter", "ip.src ne 198.51.100.0/22", "ip.src ne 198.51.100.7", False),
    ("custom_rule", "release 1.*", "release 1.2/9", True),
]


@pytest.mark.parametrize(("resource", "pattern", "key", "accepted"), ADDRESSES)
def test_a_pattern_of_addresses_accepts_networks_inside_of_it(
    resource: str, pattern: str, key: str, accepted: bool
) -> None:
    entries = parse_accepted([{**ENTRY, "resource": resource, "keys": [pattern]}], "lima")
    assert accepted_reason(item(key, resource=resource), entries, NOW) == ("OPS-1" if accepted else None)


def test_a_status_is_accepted_on_the_hosts_that_the_entry_names() -> None:
    (accepted,) = parse_accepted([{**OFF, "hosts": ["lab-*"]}, {**NINE, "hosts": ["lima"]}], "lab-1")
    assert (accepted.status, accepted.reason) == ("protection_off", "a lab")


@pytest.mark.parametrize(("ref", "accepted"), [("office", True), ("OFFICE", False), ("Office", False)])
def test_a_ref_is_accepted_letter_by_letter(ref: str, accepted: bool) -> None:
    for keys in (["office"], ["off*"]):
        entries = parse_accepted([{**ENTRY, "resource": "custom_rule", "keys": keys}], "lima")
        assert (accepted_reason(item(ref, resource="custom_rule"), entries, NOW) is not None) is accepted


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ("all", "[0]: 'all' is a text; write {resource: ..., keys: ..., reason: ...}."),
        ([{"resource": "prefix", "keys": ["*"]}], "[0].reason: it is missing; write a text."),
        ([{**ENTRY, "until": "never"}], "[0].until: there is no such field; the fields are resource, keys"),
        ([ENTRY, 7], "[1]: 7 is a number; write {resource: ..., keys: ..., reason: ...}."),
        ([{**ENTRY, "resource": "rule"}], "[0].resource: 'rule' is none of ip_list,"),
        ([{**ENTRY, "keys": []}], "[0].keys: it is empty."),
        ([{**ENTRY, "reason": " "}], "[0].reason: it is empty; say why this is meant."),
        (
            [{**ENTRY, "expires": "soon", "keys": []}, {**ENTRY, "reason": " ", "hosts": []}],
            "4 errors: (1) report_accepted[0].keys: it is empty; (2) report_accepted[0].expires: 'soon' is neither a date such as 2027-01-31 nor a"
            " time such as 2027-01-31T18:00:00+01:00;"
            " (3) report_accepted[1].hosts: it is empty; (4) report_accepted[1].reason: it is empty; say why this is meant.",
        ),
        ([{**ENTRY, "hosts": []}], "[0].hosts: it is empty."),
        ({"a": 1}, ": it is a dictionary; write a list."),
        (7, "[0]: '7' is a text; write {resource: ..., keys: ..., reason: ...}."),
        ([None], "[0]: it is null; leave it out."),
        ([{**ENTRY, "key": "x"}], "[0].key: there is no such field (did you mean keys?)."),
        ([{"reason": "OPS-1"}], "custom_ruleset_rule; (2) report_accepted[0].keys: it is missing; write a list."),
        ([{**ENTRY, **OFF}], "[0].resource: there is no such field; the fields are status, networks, components, "),
        ([{**ENTRY, "networks": ["192.0.2.9"]}], "[0].networks: there is no such field; the fields are resource, keys"),
        ([{"status": "protection_off"}], "[0].reason: it is missing; write a text."),
        (
            [OFF, {**OFF, "status": False}],
            "[1].status: False is none of protection_off, no_protected_prefix, uncovered, announced, not_served, gone.",
        ),
        ([{**OFF, "networks": ["192.0.2.0/24"]}], "[0]: the status protection_off takes no networks."),
        ([{**OFF, "status": "uncovered"}], "[0]: the status uncovered needs networks."),
        ([{**NINE, "networks": ["lab"]}], "[0].networks[0]: 'lab' is neither an address nor a network."),
        ([{**NINE, "components": ["udp"]}], "[0].components[0]: 'udp' is none of syn_flood, out_of_state_tcp, dns."),
    ],
)
def test_a_wrong_entry_is_refused(entries: Any, problem: str) -> None:
    with pytest.raises(ValueError, match="report_accepted") as caught:
        parse_accepted(entries, "lima")
    assert problem in str(caught.value)


def test_weakening_objects_are_told_the_proven_ones_first() -> None:
    assert weakening_sentences([item("a", None), item("b", False), item("c")]) == [
        "The SYN flood filter c is disabled, and no baseline names it.",
        "The SYN flood filter a is disabled, and no baseline names it.",
    ]
    many = weakening_sentences([item(str(number)) for number in range(12)])
    assert (len(many), many[-1]) == (11, "And 2 more objects that no baseline names.")


def test_objects_that_are_met_by_everything_are_told_apart_from_those_that_weaken() -> None:
    wide = {**item("panic", False, "custom_rule"), "reason": "blocks every request"}
    every = [item("a"), wide, {**item("b", False), "reason": ""}]
    assert weakening_sentences(every) == ["The SYN flood filter a is disabled, and no baseline names it."]
    assert weakening_sentences(every, weakens=False) == [
        "The custom rule panic blocks every request, and no baseline names it."
    ]
