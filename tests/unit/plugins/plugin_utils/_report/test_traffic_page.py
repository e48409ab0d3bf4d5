# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.traffic_page import traffic_lines, traffic_part

SEEN: dict[str, Any] = {
    "passed_packets": 750,
    "dropped_packets": 0,
    "would_drop_packets": 250,
    "would_drop_percent": 25.0,
    "sample_interval": 1,
    "known": True,
    "unknown": [],
    "reasons": {},
    "advice": ["Monitor <longer>."],
    "networks": [],
    "more_networks": 0,
}


def traffic(**seen: Any) -> Any:
    period = {"since": "2026-11-21T10:00:00+00:00", "until": "2026-11-22T10:00:00+00:00"}
    return {**period, "known": True, "unknown": [], "components": {"syn_flood": {**SEEN, **seen}}}


def test_nothing_is_shown_if_nobody_asked() -> None:
    assert traffic_part(None) == ""
    assert list(traffic_lines(None)) == []


def test_the_bar_has_a_part_for_each_action_and_words_beside_it() -> None:
    part = traffic_part(traffic())
    assert '<rect class="m" x="0%" width="75%" height="100%"/>' in part
    assert (
        '<rect class="n" x="75%" width="25%" height="100%"/>' in part and 'class="x"' not in part.partition("</svg>")[0]
    )
    assert "packets: 750 passed, 250 would have been dropped, 0 dropped (25 % would have been)." in part
    assert "Monitor &lt;longer&gt;." in part


def test_the_smallest_share_can_be_seen() -> None:
    part = traffic_part(traffic(passed_packets=10**9, would_drop_packets=1))
    assert 'class="n"' in part.partition("</svg>")[0] and 'width="0%"' not in part


def test_without_packets_there_is_no_bar() -> None:
    assert 'class="bar"' not in traffic_part(traffic(passed_packets=0, would_drop_packets=0))
    assert 'class="bar"' in traffic_part(traffic())


def test_lines_say_the_same() -> None:
    title, advice = traffic_lines(traffic())
    assert title.startswith("SYN flood protection in 24 h until 2026-11-22T10:00:00+00:00: packets: 750 passed")
    assert advice == "Monitor <longer>."
