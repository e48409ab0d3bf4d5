# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page about a migration: its table, the differences, and whom they concern."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._migration.migrate import migrate
from ansible_collections.edgeops.protection.plugins.module_utils._migration.report import report

from tests.support.migration_model import rule

REPORTED = [
    rule("1", "log", 'http.user_agent matches "bot"', priority=1, description="a | b\n<script>"),
    rule("2", "bypass", priority=2, products=["waf"]),
    rule("3", "allow", priority=3, ref="office_[1]"),
    rule("4", "simulate", priority=4),
    rule("5", "block", 'http.host eq "a ~ b"', priority=5, filter_paused=True),
    rule("6", "challenge", paused=True),
]


def test_the_report_has_a_row_for_each_rule() -> None:
    lines = report(migrate(REPORTED)).splitlines()
    start = lines.index("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |") + 1
    assert lines[start : start + 6] == [
        r"| 1 | 1 | a \| b\\n\<script\> | log | 1 | active | 1 | 1 | log | yes |",
        r"| 2 | 2 |  | bypass | 2 | active | 2 | office\_\[1\] | skip: remaining rules, waf | yes |",
        r"| 3 | 3 |  | allow | 3 | active | 2 | office\_\[1\] | skip: remaining rules, waf | yes |",
        "| 4 | 4 |  | simulate | 4 | active | - | left out | - | - |",
        "| 5 | 5 |  | block | 5 | filter paused | 3 | 5 | block | no |",
        "| 6 | 6 |  | challenge | - | paused | 4 | 6 | challenge | no |",
    ]
    assert lines[2] == (
        "Firewall rules: 6, in the order of evaluation. Custom rules: 4, of which enabled: 2. "
        "Firewall rules merged into another: 1. Left out: 1."
    )


def test_the_report_lists_the_differences_rule_by_rule() -> None:
    text = report(migrate(REPORTED))
    section = text.partition("## Differences rule by rule\n\n")[2].partition("\n\n##")[0].splitlines()
    assert [line[:28] for line in section] == [
        "- 4",
        "  - No custom rule stands fo",
        "- 5",
        "  - Its filter is paused, th",
    ]
    assert "None: each custom rule does" in report(migrate([rule()]))


@pytest.mark.parametrize(
    ("sentence", "concerned"), [("page of error 1020", "5"), ("Enterprise", "1"), ("matches or ~", "1")]
)
def test_the_report_says_which_rules_a_difference_concerns(sentence: str, concerned: str) -> None:
    (line,) = [line for line in report(migrate(REPORTED)).splitlines() if sentence in line]
    assert line.endswith(f"It concerns: {concerned}.")
    assert sentence not in report(migrate([rule(action="challenge")]))
