# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The coverage that the report reads is the one that the result of a module shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils._protection.summary import summarise
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import Ranges, networks, range_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.coverage import (
    AccountCoverage,
    prefix_records,
    read_coverage,
)

ENABLED, MONITORING, DISABLED, UNDECIDED = "enabled", "monitoring", "disabled", "undecided"
KINDS = ("syn_flood", "out_of_state_tcp")


def addresses(*texts: str) -> Ranges:
    return [item for text in texts if (item := range_of(text))]


def coverage(*modes: str, **others: Any) -> AccountCoverage:
    """192.0.2.0/24, protected; both components treat it with these modes."""
    protected = addresses("192.0.2.0/24")
    pieces = {kind: [(protected, frozenset(modes))] for kind in KINDS}
    values: dict[str, Any] = {"enabled": True, "effective": True, "protected": protected, "pieces": pieces}
    return AccountCoverage(**{**values, "excluded": [], "uncovered": [], "bypassing": [], **others})


def shown(account: AccountCoverage) -> dict[str, list[str]]:
    return {name: networks(ranges) for name, ranges in account.classes().items() if ranges}


STATES: list[Mapping[str, Any]] = [
    {},
    {"protection_status": [{"enabled": True}], "prefixes": [{"prefix": "192.0.2.0/24"}]},
    {"protection_status": [{"enabled": False}], "prefixes": [{"prefix": "192.0.2.0/24"}, {"prefix": "192.0.2.64/28", "excluded": True}],
     "allowlist": [{"prefix": "2001:db8::/32", "enabled": True}], "syn_flood_rules": [{"scope": "global", "name": "global", "mode": MONITORING}],
     "syn_flood_filters": [{"expression": "ip.dst eq 192.0.2.9", "mode": DISABLED}]},
]  # fmt: skip


@pytest.mark.parametrize("state", STATES, ids=["nothing", "bare", "mixed"])
def test_a_coverage_is_read_as_it_was_computed(state: Mapping[str, Any]) -> None:
    computed = Coverage(state)
    read = read_coverage(summarise(computed))
    assert (read.enabled, read.effective) == (computed.enabled, not computed.reasons)
    assert (read.protected, read.bypassing) == (computed.protected, computed.bypassing)
    assert read.uncovered == computed.uncovered
    assert read.pieces == {kind: list(pieces) for kind, pieces in computed.pieces.items()}
    assert (read.reasons, read.gaps, read.undecided) == (computed.reasons, computed.gaps, computed.undecided)


@pytest.mark.parametrize(
    ("account", "classes"),
    [
        (coverage(ENABLED, pieces={}), {"monitored": ["192.0.2.0/24"]}),
        (coverage(ENABLED, bypassing=addresses("0.0.0.0/1")), {"partial": ["192.0.2.0/24"]}),
        (coverage(ENABLED, bypassing=addresses("0.0.0.0/2", "64.0.0.0/2")), {"partial": ["192.0.2.0/24"]}),
        (coverage(ENABLED, bypassing=addresses("0.0.0.0/2", "::/0")), {"covered": ["192.0.2.0/24"]}),
        (coverage(MONITORING, bypassing=addresses("0.0.0.0/0")), {"monitored": ["192.0.2.0/24"]}),
        (coverage(ENABLED, MONITORING), {"partial": ["192.0.2.0/24"]}),
        (coverage(MONITORING), {"monitored": ["192.0.2.0/24"]}),
        (coverage(ENABLED, UNDECIDED), {"undecided": ["192.0.2.0/24"]}),
        (coverage(ENABLED, enabled=None), {"undecided": ["192.0.2.0/24"]}),
        (
            coverage(ENABLED, uncovered=addresses("192.0.2.0/25"), excluded=addresses("198.51.100.0/24")),
            {"covered": ["192.0.2.128/25"], "uncovered": ["192.0.2.0/25"], "excluded": ["198.51.100.0/24"]},
        ),
    ],
)
def test_each_address_is_of_one_class(account: AccountCoverage, classes: dict[str, list[str]]) -> None:
    assert shown(account) == classes


def test_addresses_are_counted_by_family() -> None:
    account = coverage(ENABLED, protected=addresses("192.0.2.0/24", "2001:db8::/64"))
    assert account.counts()["ipv4"] == {**dict.fromkeys(account.classes(), 0), "covered": 256}
    assert account.counts()["ipv6"]["monitored"] == 1 << 64


@pytest.mark.parametrize(
    ("account", "expected"),
    [
        (coverage(ENABLED), True),
        (coverage(MONITORING), False),
        (coverage(ENABLED, enabled=False), False),
        (coverage(enabled=False, pieces={"dns": [([], frozenset([ENABLED]))]}), True),
    ],
)
def test_a_component_that_the_status_switches_mitigates_while_it_is_on(
    account: AccountCoverage, expected: bool
) -> None:
    assert account.mitigates is expected


def by_modes(modes: Mapping[str, list[str]], prefixes: Sequence[str] = (), enabled: bool | None = True) -> Any:
    """A coverage in which each of these networks has its modes in SYN flood protection and in DNS protection."""
    pieces = [{"networks": [network], "modes": names} for network, names in modes.items()]
    return read_coverage(
        {
            "enabled": enabled,
            "effective": True,
            "protected": {"networks": [piece["networks"][0] for piece in pieces]},
            "modes": {"syn_flood": pieces, "dns": pieces},
            "prefixes": [{"prefix": prefix} for prefix in prefixes],
        }
    )


def rows(before: Any, after: Any, kind: str = "syn_flood") -> dict[str, tuple[list[str], list[str]]]:
    records = prefix_records(before, after)
    return {item["prefix"]: (item["components"][kind]["now"], item["components"][kind]["planned"]) for item in records}


def test_each_prefix_has_its_modes_now_and_after_a_run() -> None:
    before = by_modes({"192.0.2.0/25": ["monitoring"], "192.0.2.128/25": ["enabled"], "203.0.113.0/24": ["enabled"]})
    after = by_modes(
        {"192.0.2.0/24": ["enabled"], "198.51.100.0/24": ["enabled", "off"]},
        prefixes=["192.0.2.0/24", "198.51.100.0/24"],
    )
    assert rows(before, after) == {
        "192.0.2.0/24": (["enabled", "monitoring"], ["enabled"]),
        "198.51.100.0/24": ([], ["enabled", "off"]),
        "203.0.113.0/24": (["enabled"], []),
    }


@pytest.mark.parametrize(("enabled", "now"), [(False, ["off"]), (None, ["undecided"]), (True, ["enabled"])])
def test_a_component_that_is_switched_off_has_no_mode_of_its_rules(enabled: bool | None, now: list[str]) -> None:
    before = by_modes({"192.0.2.0/24": ["enabled"]}, enabled=enabled)
    after = by_modes({"192.0.2.0/24": ["enabled"]}, prefixes=["192.0.2.0/24"])
    assert rows(before, after) == {"192.0.2.0/24": (now, ["enabled"])}
    assert rows(before, after, "dns") == {"192.0.2.0/24": (["enabled"], ["enabled"])}
