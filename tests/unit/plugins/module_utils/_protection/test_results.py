# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Coverage as results show it, and the answer for one address."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage_words import coverage_in_words
from ansible_collections.edgeops.protection.plugins.module_utils._protection.summary import (
    answer,
    compare_coverage,
    diff_facts,
    summarise,
)
from hypothesis import given

from tests.support.coverage_model import ADDRESSES, HALF, PREFIXES, Entry, account_state, filter_, holds, protects, rule

ON = {"syn_flood_rules": [rule("enabled")], "out_of_state_tcp_rules": [rule("enabled")]}


def account(**collections: Any) -> Coverage:
    return Coverage(account_state(**collections))


@given(PREFIXES)
def test_the_answer_for_an_address_is_that_of_the_model(prefixes: list[Entry]) -> None:
    coverage = Coverage({"prefixes": prefixes})
    for address in ADDRESSES:
        answered = answer(coverage, address)
        assert answered["protected"] is protects(prefixes, address)
        around = {flag: [entry for entry in prefixes if entry["excluded"] is flag] for flag in (False, True)}
        assert sorted(answered["protected_by"]) == sorted(
            entry["prefix"] for entry in around[False] if holds(entry["prefix"], address)
        )
        assert sorted(answered["excluded_by"]) == sorted(
            entry["prefix"] for entry in around[True] if holds(entry["prefix"], address)
        )


def test_results_tell_protected_excluded_and_uncovered_addresses() -> None:
    coverage = account(
        prefixes=[
            {"prefix": "192.0.2.0/25", "excluded": False},
            {"prefix": "192.0.2.128/25", "excluded": False},
            {"prefix": "192.0.2.64/28", "excluded": True},
            {"prefix": "198.51.100.0/24", "excluded": True},
            {"prefix": "203.0.113.x/24", "excluded": False},
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
    assert summary["undecided"] == ["The prefix '203.0.113.x/24' is malformed; it counts as no network."]
    assert summary["gaps"] == ["Out-of-state TCP protection does nothing for 128 IPv4 addresses."]


def test_the_modes_of_each_prefix_are_in_order() -> None:
    (prefix,) = summarise(account(syn_flood_rules=[rule("new"), rule("enabled", "region", "WEUR")]))["prefixes"]
    assert prefix["modes"] == {"syn_flood": ["enabled", "undecided"], "out_of_state_tcp": ["off"]}


def test_the_answer_where_a_malformed_exclusion_may_carve_out_is_undecided() -> None:
    prefixes = [{"prefix": "192.0.2.0/24", "excluded": False}, {"prefix": "192.0.2/25", "excluded": True}]
    coverage = account(prefixes=prefixes, syn_flood_rules=[rule("enabled")])
    assert "Undecided: 256 IPv4 addresses (192.0.2.0/24)." in coverage_in_words(coverage)
    answered = answer(coverage, "192.0.2.7")
    assert answered["protected"] is False
    parts = answered["parts"]
    assert (parts["undecided"]["addresses"], parts["protected"]["addresses"]) == (1, 0)


@pytest.mark.parametrize("text", ["", "192.0.2/24", "example.net"])
def test_a_text_that_is_no_network_has_no_answer(text: str) -> None:
    with pytest.raises(ValueError, match="is neither an address nor a network"):
        answer(account(), text)


def test_two_coverages_are_compared_by_what_one_of_them_has() -> None:
    before = account(allowlist=[{"prefix": "203.0.113.7", "enabled": True}], **ON)
    after = account(
        prefixes=[{"prefix": "192.0.2.0/25", "excluded": False}, {"prefix": "2001:db8::/64", "excluded": False}],
        allowlist=[{"prefix": "203.0.113.6/31", "enabled": True}],
        **ON,
    )
    change = compare_coverage(before, after)
    assert change["newly_unprotected"] == ["192.0.2.128/25"]
    assert change["newly_protected"] == ["2001:db8::/64"]
    assert change["newly_bypassing"] == ["203.0.113.6/32"]
    assert change["newly_mitigated"] == []
    assert change["after"] == summarise(after)
    assert change["before"] == {name: value for name, value in summarise(before).items() if name != "prefixes"}
    assert diff_facts(before, after) == {
        "effective": True,
        "protected": ["192.0.2.128/25"],
        "bypassing": [],
        "SYN flood protection": {"enabled": "256 IPv4 addresses"},
        "out-of-state TCP protection": {"enabled": "256 IPv4 addresses"},
    }


def test_a_part_of_the_traffic_that_a_plan_mitigates_is_newly_mitigated() -> None:
    filters = [{"expression": f"tcp.dstport eq {port}", "mode": "disabled"} for port in (80, 443)]
    before, after = (account(**ON, syn_flood_filters=[item]) for item in filters)
    (gained,) = compare_coverage(before, after)["newly_mitigated"]
    assert (gained["component"], gained["part"]) == ("syn_flood", "to port 80")
    assert gained["networks"] == summarise(after)["protected"]["networks"]
    assert compare_coverage(after, after)["newly_mitigated"] == []
    assert compare_coverage(before, after)["weaker"] == [
        "SYN flood protection: the baseline mitigates more of the traffic to 256 IPv4 addresses (192.0.2.0/24): to port 80."
    ]


def test_an_account_is_weaker_if_less_is_protected_or_more_passes() -> None:
    passing = {"allowlist": [{"prefix": "198.51.100.0/24", "enabled": True}]}
    before = account(**ON, **passing, status=[{"enabled": False}], prefixes=[])
    assert compare_coverage(before, account(**ON))["weaker"] == [
        "The protection is off, and the baseline turns it on.",
        "256 IPv4 addresses (192.0.2.0/24) are not protected, and the baseline protects them.",
        "The allowlist lets 256 IPv4 addresses (198.51.100.0/24) pass, and the baseline does not.",
    ]
    assert compare_coverage(account(**ON), before)["weaker"] == []


def test_unknown_parts_are_told() -> None:
    summary = summarise(Coverage({"prefixes": [{"prefix": "192.0.2.0/24", "excluded": False}]}))
    assert summary["undecided"] == [
        "Whether TCP protection is on is not known.",
        "The rules and filters of SYN flood protection are not known.",
        "The rules and filters of out-of-state TCP protection are not known.",
    ]
    assert [item["modes"] for item in summary["modes"]["syn_flood"]] == [["off", "undecided"]]


def test_dns_protection_works_without_tcp_protection() -> None:
    off: Any = {**ON, "status": [{"enabled": False}], "dns_rules": [rule("enabled")]}
    lines = coverage_in_words(account(**off))
    assert lines[0] == "TCP protection is off: SYN flood protection and out-of-state TCP protection do nothing."
    assert "Protected: 256 IPv4 addresses (192.0.2.0/24)." in lines
    assert lines[-2:] == [
        "Out-of-state TCP protection, once it is on: enabled for 256 IPv4 addresses.",
        "DNS protection: enabled for 256 IPv4 addresses.",
    ]
    assert coverage_in_words(account(**{**off, "dns_rules": None}))[0] == "TCP protection is off: nothing is protected."
