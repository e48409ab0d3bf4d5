# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._traffic.answers import Row
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.evidence import Evidence
from ansible_collections.edgeops.protection.plugins.plugin_utils._events.source import Watch, drops

NOON = datetime(2026, 7, 1, 12, tzinfo=timezone.utc)
MINUTE = timedelta(minutes=1)


def window(number: int) -> tuple[datetime, timedelta]:
    return NOON + number * MINUTE, MINUTE


def row(network: str = "203.0.113.0/24", packets: int = 600, outcome: str = "pass", reason: str = "NOT_FOUND") -> Row:
    return Row(network, "FRA", reason, outcome, "drop", packets, packets)


def passing(network: str = "203.0.113.0/24") -> Row:
    return Row(network, "FRA", "", "pass", "pass", 9999, 9999)


def read(watch: Watch, number: int, *rows: Row) -> list[Any]:
    """The event, component, network and action of what a window changes."""
    evidence = [Evidence(name, rows, []) for name in watch.components]
    events = [event["traffic"] for event in watch.read(*window(number), drops(evidence))]
    return [(event["event"], event["component"], event["network"], event["action"]) for event in events]


def watch(least: float = 10, *components: str) -> Watch:
    return Watch("a" * 32, components or ("out_of_state_tcp",), least)


START = ("start", "out_of_state_tcp", "203.0.113.0/24", "would_drop")


def test_each_network_and_each_component_has_its_own_events() -> None:
    seen = watch(10, "syn_flood", "out_of_state_tcp")
    other = "198.51.100.0/24"
    assert read(seen, 0, row(), row(other)) == [
        ("start", component, network, "would_drop")
        for component in ("out_of_state_tcp", "syn_flood")
        for network in (other, START[2])
    ]
    assert [event[2] for event in read(seen, 1, row(other))] == [START[2], START[2]]


def test_no_packet_is_no_event_if_every_packet_counts() -> None:
    seen = watch(0)
    assert read(seen, 0, row(packets=0), passing()) == []
    assert read(seen, 1, row(packets=1)) == [START]


def test_an_event_has_the_rate_the_reasons_and_the_time() -> None:
    rows = [row(packets=600), row(packets=300, reason="UNEXPECTED"), row(packets=90, reason="")]
    evidence = [Evidence("out_of_state_tcp", rows, [])]
    (event,) = watch().read(*window(3), drops(evidence))
    assert event == {
        "traffic": {
            "event": "start",
            "account_id": "a" * 32,
            "component": "out_of_state_tcp",
            "network": "203.0.113.0/24",
            "action": "would_drop",
            "packets_per_second": 16.5,
            "reasons": {"NOT_FOUND": 600, "UNEXPECTED": 300, "unknown": 90},
            "at": "2026-07-01T12:03:00+00:00",
        }
    }


def test_the_end_says_what_is_left() -> None:
    seen = watch(10)
    read(seen, 0, row())
    (event,) = seen.read(*window(1), drops([Evidence("out_of_state_tcp", [row(packets=60)], [])]))
    assert (event["traffic"]["packets_per_second"], event["traffic"]["reasons"]) == (1.0, {"NOT_FOUND": 60})
    read(seen, 2, row())
    (event,) = seen.read(*window(3), {})
    assert (event["traffic"]["packets_per_second"], event["traffic"]["reasons"]) == (0.0, {})
