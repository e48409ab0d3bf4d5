# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Coverage against a slow and obvious model: each address for itself, each rule and filter by hand."""

from __future__ import annotations

import ipaddress
from typing import Any, Dict

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.coverage.address_set import (
    EVERYTHING,
    complement,
    count,
    counted,
    difference,
    intersection,
    networks,
    range_of,
    union,
)
from ansible_collections.edgeops.protection.plugins.module_utils.coverage.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils.coverage.summary import answer, summarise
from ansible_collections.edgeops.protection.plugins.module_utils.guard.limits import Limits
from ansible_collections.edgeops.protection.plugins.module_utils.guard.risks import (
    Change,
    find_risks,
    unprotects_addresses,
)
from ansible_collections.edgeops.protection.plugins.module_utils.plan.plan import Plan
from hypothesis import given
from hypothesis import strategies as st

Entry = Dict[str, Any]
ADDRESSES = [f"192.0.2.{last}" for last in range(16)] + [f"2001:db8::{last:x}" for last in range(16)]
NETWORKS = st.one_of(
    st.builds("192.0.2.{}/{}".format, st.integers(0, 15), st.integers(28, 32)),
    st.builds("2001:DB8::{:x}/{}".format, st.integers(0, 15), st.integers(124, 128)),
    st.sampled_from(["192.0.2.3", "2001:db8::5", "0.0.0.0/0", "::/0"]),
)
PREFIXES = st.lists(st.fixed_dictionaries({"prefix": NETWORKS, "excluded": st.booleans()}), max_size=8)


def holds(text: str, address: str) -> bool:
    actual = ipaddress.ip_address(address)
    network = ipaddress.ip_network(text, strict=False)
    return network.version == actual.version and actual in network


def protects(prefixes: list[Entry], address: str) -> bool:
    flags = [entry["excluded"] for entry in prefixes if holds(entry["prefix"], address)]
    return bool(flags) and not any(flags)


def in_set(ranges: Any, address: str) -> bool:
    return bool(intersection(ranges, [range_of(address)]))  # type: ignore[list-item]


@given(PREFIXES)
def test_an_address_is_protected_if_and_only_if_the_model_says_so(prefixes: list[Entry]) -> None:
    coverage = Coverage({"prefixes": prefixes})
    for address in ADDRESSES:
        assert in_set(coverage.protected, address) is protects(prefixes, address)
        summary_ = answer(coverage, address)
        assert summary_["protected"] is protects(prefixes, address)
        assert bool(summary_["protected_by"]) is any(
            holds(entry["prefix"], address) for entry in prefixes if not entry["excluded"]
        )


@given(PREFIXES, PREFIXES)
def test_what_is_newly_protected_and_newly_unprotected_is_exact_and_disjoint(
    before: list[Entry], after: list[Entry]
) -> None:
    was, becomes = Coverage({"prefixes": before}), Coverage({"prefixes": after})
    lost, won = difference(was.protected, becomes.protected), difference(becomes.protected, was.protected)
    assert intersection(lost, won) == []
    for address in ADDRESSES:
        assert in_set(lost, address) is (protects(before, address) and not protects(after, address))
        assert in_set(won, address) is (protects(after, address) and not protects(before, address))


@given(st.lists(NETWORKS, max_size=8), st.lists(NETWORKS, max_size=8))
def test_sets_of_addresses_obey_the_laws_of_sets(some: list[str], others: list[str]) -> None:
    one, other = (union(range_of(text) for text in texts) for texts in (some, others))  # type: ignore[misc]
    assert union([*one, *other]) == complement(intersection(complement(one), complement(other)))
    assert difference(one, other) == intersection(one, complement(other))
    assert count(one) + count(complement(one)) == count(EVERYTHING)
    assert union(range_of(text) for text in networks(one)) == one  # type: ignore[misc]
    expected = [
        str(network)
        for version in (4, 6)
        for network in ipaddress.collapse_addresses(
            parsed
            for parsed in (ipaddress.ip_network(text, strict=False) for text in some)
            if parsed.version == version
        )
    ]
    assert networks(one) == expected


def account(**collections: Any) -> Coverage:
    """An account that protects 192.0.2.0/24, with other collections than none where named."""
    state: dict[str, Any] = {
        "status": [{"enabled": True}],
        "prefixes": [{"prefix": "192.0.2.0/24", "excluded": False}],
        "allowlist": [],
        **{f"{kind}_{what}": [] for kind in ("syn_flood", "out_of_state_tcp") for what in ("rules", "filters")},
    }
    return Coverage({**state, **collections})


def rule(mode: str, scope: str = "global", name: str = "global") -> Entry:
    return {"scope": scope, "name": name, "mode": mode}


def filter_(mode: str, expression: str) -> Entry:
    return {"expression": expression, "mode": mode}


HALF = "ip.dst in {192.0.2.0/25}"
PART = "tcp.dstport eq 80"
MODES = [
    ("nothing is off", [], [], {"off": 256}),
    ("a global rule decides", [rule("enabled")], [], {"enabled": 256}),
    ("upper and lower case do not differ", [rule("Enabled", "GLOBAL")], [], {"enabled": 256}),
    ("a rule for one region leaves the others off", [rule("enabled", "region", "WEUR")], [], {"enabled or off": 256}),
    ("scopes differ", [rule("enabled"), rule("disabled", "datacenter", "lax")], [], {"enabled or disabled": 256}),
    ("scopes that do not differ", [rule("enabled"), rule("enabled", "region", "WEUR")], [], {"enabled": 256}),
    ("a filter beats a rule", [rule("enabled")], [filter_("disabled", HALF)], {"enabled": 128, "disabled": 128}),
    ("a filter beats the rule of any scope", [rule("enabled", "datacenter", "lax")], [filter_("monitoring", "true")], {"monitoring": 256}),
    ("an enabled filter is asked first", [], [filter_("disabled", HALF), filter_("enabled", HALF)], {"enabled": 128, "off": 128}),
    ("a monitoring filter before a disabled one", [], [filter_("disabled", HALF), filter_("monitoring", HALF)], {"monitoring": 128, "off": 128}),
    ("a filter for some traffic", [rule("enabled")], [filter_("disabled", PART)], {"enabled or disabled": 256}),
    ("a filter that matches nothing here", [rule("enabled")], [filter_("disabled", "ip.dst eq 198.51.100.1")], {"enabled": 256}),
    ("an expression that is not understood", [rule("enabled")], [filter_("disabled", "ip.dst in $list")], {"enabled or undecided": 256}),
    ("a mode that is not known", [rule("aggressive")], [], {"undecided": 256}),
    ("a scope that is not known", [rule("enabled"), rule("enabled", "planet", "mars")], [], {"enabled or undecided": 256}),
    ("a filter with a mode that is not known", [rule("enabled")], [filter_("new", HALF)], {"enabled": 128, "enabled or undecided": 128}),
    ("two global rules with different modes", [rule("enabled"), rule("disabled")], [], {"enabled or disabled or undecided": 256}),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "filters", "modes"), [row[1:] for row in MODES], ids=[row[0] for row in MODES])
def test_which_mode_applies(rules: list[Entry], filters: list[Entry], modes: dict[str, int]) -> None:
    coverage = account(syn_flood_rules=rules, syn_flood_filters=filters)
    summary_ = {" or ".join(item["modes"]): item["addresses"] for item in summarise(coverage)["modes"]["syn_flood"]}
    assert summary_ == modes
    understood = not any("undecided" in words for words in modes)
    assert (coverage.undecided == []) is understood
    (prefix,) = summarise(coverage)["prefixes"]
    assert prefix["modes"]["syn_flood"] == sorted(
        {word for words in modes for word in words.split(" or ")},
        key=["enabled", "monitoring", "disabled", "off", "undecided"].index,
    )


ON = {"syn_flood_rules": [rule("enabled")], "out_of_state_tcp_rules": [rule("enabled")]}
REASONS: list[Any] = [
    ("effective", ON, []),
    ("switched off", {**ON, "status": [{"enabled": False}]}, ["TCP protection is off."]),
    ("an odd status", {**ON, "status": [{"enabled": "maybe"}]}, ["Whether TCP protection is on is not known."]),
    ("no prefix", {**ON, "prefixes": []}, ["There is no protected prefix."]),
    ("excluded only", {**ON, "prefixes": [{"prefix": "192.0.2.0/24", "excluded": True}]}, ["There is no protected prefix."]),
    ("all excluded again", {**ON, "prefixes": [{"prefix": "192.0.2.0/25", "excluded": False}, {"prefix": "192.0.2.0/24", "excluded": True}]},
     ["Every protected prefix is excluded."]),
    ("malformed only", {**ON, "prefixes": [{"prefix": "203.0.113/24", "excluded": False}]}, ["There is no protected prefix."]),
    ("a malformed exclusion", {**ON, "prefixes": [{"prefix": "192.0.2.0/24", "excluded": False}, {"prefix": "192.0.2/25", "excluded": True}]},
     ["The excluded prefix '192.0.2/25' is malformed; what it takes out of protection is not known."]),
    ("no rule", {**ON, "syn_flood_rules": []}, ["SYN flood protection mitigates nothing: there is no rule."]),
    ("monitoring", {**ON, "out_of_state_tcp_rules": [rule("monitoring")]}, ["Out-of-state TCP protection mitigates nothing: it only monitors."]),
    ("disabled", {**ON, "out_of_state_tcp_rules": [rule("disabled")]},
     ["Out-of-state TCP protection mitigates nothing: its rules and filters are disabled."]),
    ("unknown mode", {**ON, "syn_flood_rules": [rule("new")]}, ["SYN flood protection mitigates nothing: what it does cannot be told."]),
]  # fmt: skip


@pytest.mark.parametrize(("collections", "reasons"), [row[1:] for row in REASONS], ids=[row[0] for row in REASONS])
def test_why_an_account_is_not_protected(collections: dict[str, Any], reasons: list[str]) -> None:
    summary = summarise(account(**collections))
    assert (summary["effective"], summary["reasons"]) == (not reasons, reasons)


def test_what_is_protected_excluded_and_uncovered() -> None:
    coverage = account(
        prefixes=[
            {"prefix": "192.0.2.0/25", "excluded": False},
            {"prefix": "192.0.2.128/25", "excluded": False},
            {"prefix": "192.0.2.64/28", "excluded": True},
            {"prefix": "198.51.100.0/24", "excluded": True},
            {"prefix": "203.0.113/24", "excluded": False},
        ],
        syn_flood_rules=[rule("enabled")],
        out_of_state_tcp_filters=[filter_("enabled", HALF)],
        allowlist=[{"prefix": "203.0.113.7", "enabled": True}, {"prefix": "203.0.113.8", "enabled": False}],
    )
    summary = summarise(coverage)
    assert summary["protected"] == {
        "networks": ["192.0.2.0/26", "192.0.2.80/28", "192.0.2.96/27", "192.0.2.128/25"],
        "addresses": 240,
    }
    assert summary["excluded"] == {"networks": ["192.0.2.64/28"], "addresses": 16}
    assert summary["uncovered"] == {"networks": ["192.0.2.128/25"], "addresses": 128}
    assert summary["bypassing"] == {"networks": ["203.0.113.7/32"], "addresses": 1}
    assert [(item["prefix"], item["addresses"], item["excluded"]) for item in summary["prefixes"]] == [
        ("192.0.2.0/25", 112, ["192.0.2.64/28"]),
        ("192.0.2.128/25", 128, []),
    ]
    assert summary["undecided"] == ["The prefix '203.0.113/24' is malformed; it counts as no network."]
    assert summary["gaps"] == ["Out-of-state TCP protection does nothing for 128 IPv4 addresses."]


def test_the_summary_of_an_account_that_is_off_says_so_first() -> None:
    lines = summarise(account(status=[{"enabled": False}], **ON))["summary"]
    assert lines[0] == "TCP protection is off: nothing is protected."
    assert "Protected, once it is on: 256 IPv4 addresses (192.0.2.0/24)." in lines
    assert "SYN flood protection, once it is on: enabled for 256 IPv4 addresses." in lines


def test_what_a_malformed_exclusion_may_carve_out_is_undecided() -> None:
    prefixes = [{"prefix": "192.0.2.0/24", "excluded": False}, {"prefix": "192.0.2/25", "excluded": True}]
    coverage = account(prefixes=prefixes, syn_flood_rules=[rule("enabled")])
    reason = "The excluded prefix '192.0.2/25' is malformed; what it takes out of protection is not known."
    assert list(coverage.undecided) == [reason]
    assert [item["modes"] for item in summarise(coverage)["modes"]["syn_flood"]] == [["enabled", "undecided"]]
    assert summarise(coverage)["uncovered"]["addresses"] == 256
    assert "Undecided: 256 IPv4 addresses (192.0.2.0/24)." in summarise(coverage)["summary"]
    answers = answer(coverage, "192.0.2.7")
    assert answers["protected"] is False
    assert {part: part_["addresses"] for part, part_ in answers["parts"].items() if part_["addresses"]} == {
        "undecided": 1
    }


def test_what_decides_is_named_in_the_order_in_which_it_is_asked() -> None:
    coverage = account(
        syn_flood_rules=[rule("monitoring", "region", "WEUR"), rule("enabled")],
        syn_flood_filters=[filter_("disabled", HALF), filter_("monitoring", PART), filter_("enabled", "ip.dst eq 192.0.2.200")],
    )  # fmt: skip
    answers = {
        address: answer(coverage, address)["modes"]["syn_flood"]
        for address in ("192.0.2.1", "192.0.2.129", "192.0.2.200")
    }
    assert [
        [(item["mode"], item["decided_by"], item["traffic"]) for item in actual] for actual in answers.values()
    ] == [
        [("monitoring", "filter tcp.dstport eq 80", "some"), ("disabled", f"filter {HALF}", "all")],
        [
            ("monitoring", "filter tcp.dstport eq 80", "some"),
            ("monitoring", "rule region WEUR", "some"),
            ("enabled", "rule global", "all"),
        ],
        [("enabled", "filter ip.dst eq 192.0.2.200", "all")],
    ]
    assert answer(coverage, "192.0.2.1")["modes"]["out_of_state_tcp"] == [
        {"mode": "off", "decided_by": None, "traffic": "all"}
    ]


def test_what_is_not_known_is_said() -> None:
    summary = summarise(Coverage({"prefixes": [{"prefix": "192.0.2.0/24", "excluded": False}]}))
    assert summary["undecided"] == [
        "Whether TCP protection is on is not known.",
        "The rules and filters of SYN flood protection are not known.",
        "The rules and filters of out-of-state TCP protection are not known.",
    ]
    assert [item["modes"] for item in summary["modes"]["syn_flood"]] == [["off", "undecided"]]


@pytest.mark.parametrize(
    ("texts", "summary_"),
    [
        ([], "no addresses"),
        (["192.0.2.1"], "1 IPv4 address"),
        (["192.0.2.0/24", "2001:db8::1"], "256 IPv4 addresses and 1 IPv6 address"),
        (["2001:db8::/48"], "65536 IPv6 /64 networks"),
        (["2001:db8::/64", "2001:db8:1::1"], "more than 1 IPv6 /64 network"),
    ],
)
def test_how_many_addresses_as_people_say_it(texts: list[str], summary_: str) -> None:
    assert counted(union(range_of(text) for text in texts)) == summary_  # type: ignore[misc]


@given(PREFIXES, PREFIXES)
def test_a_plan_that_protects_more_carries_no_risk_for_its_addresses(before: list[Entry], after: list[Entry]) -> None:
    was, becomes = Coverage({"prefixes": before}), Coverage({"prefixes": after})
    change = Change(Plan({}, ()), was, becomes)
    actual = unprotects_addresses(change, Limits())
    lost = [address for address in ADDRESSES if protects(before, address) and not protects(after, address)]
    assert (actual is not None) or not lost
    assert actual is None or difference(was.protected, becomes.protected) == actual.ranges
    if difference(was.protected, becomes.protected) == []:
        assert find_risks(change, Limits()) == []
