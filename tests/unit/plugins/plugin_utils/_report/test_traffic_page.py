# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.traffic import traffic_lines, traffic_part

SEEN: dict[str, Any] = {
    "passed_packets": 91_200_000,
    "dropped_packets": 7,
    "would_drop_packets": 50_000,
    "would_drop_percent": 0.055,
    "known": True,
    "unknown": [],
    "advice": ["NOT_FOUND: monitor longer."],
    "networks": [
        {
            "network": "203.0.113.0/24",
            "dropped_packets": 0,
            "would_drop_packets": 50_000,
            "would_drop_percent": 4.0,
        }
    ],
    "more_networks": 0,
}
NUMBERS = ("passed_packets", "dropped_packets", "would_drop_packets", "would_drop_percent")
NOTHING = {**SEEN, **dict.fromkeys(NUMBERS), "known": False, "unknown": ["The analytics saw no traffic."]}


def traffic(**components: Any) -> Any:
    times = {"since": "2026-06-30T12:00:00+00:00", "until": "2026-07-01T12:00:00+00:00"}
    return {**times, "known": True, "unknown": [], "components": components}


def test_a_host_without_traffic_has_no_part() -> None:
    assert traffic_part(None) == "" and list(traffic_lines(None)) == []


def test_lines_name_the_component_the_time_and_the_advice() -> None:
    lines = list(traffic_lines(traffic(out_of_state_tcp=SEEN)))
    assert lines[0].startswith("Out-of-state TCP protection in 24 h until 2026-07-01T12:00:00+00:00: packets: ")
    assert lines[-1] == "NOT_FOUND: monitor longer."


def test_the_bar_shows_a_share_that_is_not_zero() -> None:
    page = traffic_part(traffic(syn_flood=SEEN))
    assert page.count('<rect class="') == 3  # and three of the legend, whose class comes last
    assert 'class="n" x="98.81%" width="0.5932%"' in page, page


def test_traffic_that_is_not_known_has_no_bar() -> None:
    page = traffic_part(traffic(syn_flood={**NOTHING, "networks": [], "advice": []}))
    assert '<svg class="bar"' not in page and "Not known. The analytics saw no traffic." in page


def test_networks_and_advice_stand_below_the_bar() -> None:
    page = traffic_part(traffic(syn_flood=SEEN))
    assert "<li>203.0.113.0/24: 50,000 would have been dropped (4 % would have been)</li>" in page
    assert "<li>NOT_FOUND: monitor longer.</li>" in page
