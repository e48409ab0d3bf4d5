# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What overrides of managed DDoS rules take that no task names, and those that let more pass than described."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._protection.holes import (
    judge_overrides,
    weaker_overrides,
)

WEAK = {"ref": "weak", "expression": "true", "action": "log"}
STRICT = {"ref": "strict", "expression": "true", "action": "block"}


def test_an_override_that_logs_is_a_hole_unless_a_named_one_decides_before_it() -> None:
    verdicts = judge_overrides({"ddos_l4_overrides": [WEAK]}, {})
    assert [*verdicts.values()] == [(True, "sets the action log for all managed rules")]
    state, named = {"ddos_l4_overrides": [STRICT, WEAK]}, {"ddos_l4_overrides": frozenset([("strict",)])}
    verdicts = judge_overrides(state, named)
    assert [verdict.weakens for verdict in verdicts.values()] == [False]


def test_an_override_that_lets_more_pass_than_described_is_weaker() -> None:
    weak, strict = ({"ddos_l7_overrides": [item]} for item in (WEAK, {**WEAK, "action": "block"}))
    (record,) = weaker_overrides(weak, strict)
    assert record[:2] == ("ddos_l7_override", "weak")
    assert weaker_overrides(strict, weak) == []
