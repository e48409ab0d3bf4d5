# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.acknowledged import (
    Acknowledging,
    parse_acknowledged,
)


def test_announced_networks_are_acknowledged_one_by_one() -> None:
    announced: Any = {"networks": [], "unprotected": ["192.0.2.0/24"], "not_known": []}
    entries = parse_acknowledged([{"state": "announced", "networks": ["192.0.2.0/25"], "reason": "tests"}])
    half = Acknowledging(entries, datetime(2026, 6, 30, 12, tzinfo=timezone.utc))
    (sentence,) = half.unnamed(announced)
    assert "192.0.2.128/25" in sentence
    assert Acknowledging().unnamed(None) == []


def test_announced_networks_that_were_acknowledged_say_until_when() -> None:
    announced: Any = {"networks": [], "unprotected": ["192.0.2.0/24"], "not_known": []}
    meant = {"state": "announced", "reason": "tests", "expires": "2026-06-29"}
    entries = parse_acknowledged([{**meant, "networks": [network]} for network in ("192.0.2.0/25", "10.0.0.0/8")])
    sentences = Acknowledging(entries, datetime(2026, 6, 30, 12, tzinfo=timezone.utc)).unnamed(announced)
    assert sentences[1:] == ["It was acknowledged (tests) until 2026-06-30T00:00:00+00:00."]
