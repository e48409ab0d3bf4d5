# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The gate: for which of the objects that a plan enables the traffic must be known."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.evidence import Gate
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.base import enabling
from ansible_collections.edgeops.protection.plugins.module_utils._guard.rollout import EvidenceLimits
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import RULES

from tests.support.changes import NOON, change_of
from tests.support.coverage_model import account_state, rule

LONG_AGO = (NOON - timedelta(hours=25)).isoformat()
JUST_NOW = (NOON - timedelta(hours=23)).isoformat()
GATE = Gate(EvidenceLimits(24.0, 0.1, None), NOON)


def items(existing: Any, desired: Any) -> list[Any]:
    state = account_state(syn_flood_rules=[{"id": "1", **existing}])
    return enabling(change_of(state, RULES[0], [desired]).plan)


@pytest.mark.parametrize(
    ("modified_on", "more", "words"),
    [
        (LONG_AGO, {}, None),
        (JUST_NOW, {}, "It has monitored since"),
        (None, {}, "It has monitored for an unknown time."),
        (LONG_AGO, {"burst_sensitivity": "high"}, "It changes while it would be enabled"),
    ],
)
def test_without_time_no_traffic_is_asked_for(modified_on: Any, more: Any, words: str | None) -> None:
    existing = {**rule("monitoring"), "modified_on": modified_on}
    verdicts = list(GATE.unasked(items(existing, {**rule("enabled"), **more})).values())
    if words is None:
        assert verdicts == []
    else:
        assert [(item.reason, item.restarts) for item in verdicts] == [("unknown", bool(more))]
        assert words in verdicts[0].message
