# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an account protects, against a slow and obvious model."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.modes import in_order
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import networks

from tests.support.coverage_model import HALF, account_state, filter_, rule

ON = {"syn_flood_rules": [rule("enabled")], "out_of_state_tcp_rules": [rule("enabled")]}
REASONS: list[Any] = [
    ("effective", ON, []),
    ("switched off", {**ON, "status": [{"enabled": False}]}, ["TCP protection is off."]),
    ("an odd status", {**ON, "status": [{"enabled": "maybe"}]}, ["Whether TCP protection is on is not known."]),
    ("no prefix", {**ON, "prefixes": []}, ["There is no protected prefix."]),
    ("excluded only", {**ON, "prefixes": [{"prefix": "192.0.2.0/24", "excluded": True}]}, ["There is no protected prefix."]),
    ("all excluded again", {**ON, "prefixes": [{"prefix": "192.0.2.0/25", "excluded": False}, {"prefix": "192.0.2.0/24", "excluded": True}]},
     ["Every protected prefix is excluded."]),
    ("malformed only", {**ON, "prefixes": [{"prefix": "203.0.113.x/24", "excluded": False}]}, ["There is no protected prefix."]),
    ("a malformed exclusion", {**ON, "prefixes": [{"prefix": "192.0.2.0/24", "excluded": False}, {"prefix": "192.0.2/25", "excluded": True}]},
     ["The excluded prefix '192.0.2/25' is malformed; it may take any address out of protection, so that no address is known to be protected."]),
    ("no rule", {**ON, "syn_flood_rules": []}, ["SYN flood protection mitigates nothing: there is no rule."]),
    ("monitoring", {**ON, "out_of_state_tcp_rules": [rule("monitoring")]}, ["Out-of-state TCP protection mitigates nothing: it only monitors."]),
    ("disabled", {**ON, "out_of_state_tcp_rules": [rule("disabled")]},
     ["Out-of-state TCP protection mitigates nothing: its rules and filters are disabled."]),
    ("filters that take all ports together",
     {**ON, "syn_flood_filters": [filter_("monitoring", "tcp.dstport lt 1000"), filter_("monitoring", "tcp.dstport ge 1000")]},
     ["SYN flood protection mitigates nothing: it only monitors."]),
    ("filters that leave a port", {**ON, "syn_flood_filters": [filter_("disabled", "tcp.dstport lt 1000"), filter_("monitoring", "tcp.dstport gt 1000")]}, []),
    ("unknown mode", {**ON, "syn_flood_rules": [rule("new")]}, ["SYN flood protection mitigates nothing: what it does cannot be told."]),
]  # fmt: skip


@pytest.mark.parametrize(("collections", "reasons"), [row[1:] for row in REASONS], ids=[row[0] for row in REASONS])
def test_why_an_account_is_not_protected(collections: dict[str, Any], reasons: list[str]) -> None:
    assert list(Coverage(account_state(**collections)).reasons) == reasons


def test_addresses_that_several_filters_take_from_the_rules_are_not_mitigated() -> None:
    filters = [
        filter_("disabled", f"{HALF} and tcp.dstport in {{0..79}}"),
        filter_("disabled", f"{HALF} and not tcp.dstport lt 80"),
        filter_("monitoring", "tcp.dstport eq 443"),
    ]
    coverage = Coverage(account_state(**ON, syn_flood_filters=filters))
    assert [(networks(ranges), in_order(modes)) for ranges, modes in coverage.pieces["syn_flood"]] == [
        (["192.0.2.128/25"], ["enabled", "monitoring"]),
        (["192.0.2.0/25"], ["monitoring", "disabled"]),
    ]


def test_one_of_two_rules_for_one_place_may_mitigate_beside_several_filters() -> None:
    filters = [filter_("disabled", f"tcp.dstport eq {port}") for port in (80, 443)]
    for rules in ([rule("enabled"), rule("monitoring")], [rule("monitoring"), rule("enabled")]):
        coverage = Coverage(account_state(syn_flood_rules=rules, syn_flood_filters=filters))
        assert [in_order(modes) for dummy, modes in coverage.pieces["syn_flood"]] == [
            ["enabled", "monitoring", "disabled", "undecided"]
        ]


def test_addresses_that_a_malformed_exclusion_may_carve_out_are_undecided() -> None:
    prefixes = [{"prefix": "192.0.2.0/24", "excluded": False}, {"prefix": "192.0.2/25", "excluded": True}]
    coverage = Coverage(account_state(prefixes=prefixes, syn_flood_rules=[rule("enabled")]))
    assert coverage.malformed_exclusions == ["192.0.2/25"]
    assert coverage.undecided == [
        "The excluded prefix '192.0.2/25' is malformed; it may take any address out of protection, so that no address is known to be protected."
    ]
    assert [modes for dummy, modes in coverage.pieces["syn_flood"]] == [{"enabled", "undecided"}]
    assert networks(coverage.uncovered) == ["192.0.2.0/24"]
