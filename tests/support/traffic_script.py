# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A script of traffic: the requests of a zone by minutes, and what its rules do with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from tests.fake_service.zones import Zone

Stops = Mapping[str, Sequence[Mapping[str, int]]]  # by ref and minute, the numbers by action


def by_minutes(zone: Zone, first: datetime, requests: Sequence[int], stops: Stops, **fields: Any) -> None:
    """Seed requests of each minute from the first one on, and the events of rules, which a rule with the ref gets
    while there is one; further `fields` are those of all, such as `sampleInterval`. Minutes of the future are shown
    when they have come."""
    moments = [(first + timedelta(minutes=minute, seconds=10)).isoformat() for minute in range(len(requests))]
    zone.seed(
        requests=[
            {"datetime": at, "count": number, **fields} for at, number in zip(moments, requests, strict=True) if number
        ]
    )
    for ref, numbers in stops.items():
        for at, actions in zip(moments, numbers, strict=True):
            path = {"clientRequestHTTPMethodName": "GET", "clientRequestPath": f"/{ref}"}
            events = [
                {"ref": ref, "action": action, "count": number, **path} for action, number in actions.items() if number
            ]
            zone.seed(events=[{"datetime": at, **event, **fields} for event in events])
