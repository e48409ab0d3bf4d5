# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.coverage import prefix_records, read_coverage


def coverage(modes: Mapping[str, list[str]], prefixes: Sequence[str] = (), enabled: bool | None = True) -> Any:
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
    before = coverage({"192.0.2.0/25": ["monitoring"], "192.0.2.128/25": ["enabled"], "203.0.113.0/24": ["enabled"]})
    after = coverage(
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
    before = coverage({"192.0.2.0/24": ["enabled"]}, enabled=enabled)
    after = coverage({"192.0.2.0/24": ["enabled"]}, prefixes=["192.0.2.0/24"])
    assert rows(before, after) == {"192.0.2.0/24": (now, ["enabled"])}
    assert rows(before, after, "dns") == {"192.0.2.0/24": (["enabled"], ["enabled"])}
