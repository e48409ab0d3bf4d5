# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The facts of judges: those that the tests build on are among them, and a newer release shows its own."""

from __future__ import annotations

import pytest

from tests.judges.cf import operations_of_cf
from tests.judges.facts import FACTS, facts_of_operations
from tests.judges.releases import Release, difference

OF_JUDGES = [
    ("cf", "PATCH /accounts/{}/magic/advanced_tcp_protection/configs/allowlist/{}: field comment string"),
    ("cf", "GET /zones/{}/rulesets: parameter cursor"),
    ("cloudflare", "phase http_request_firewall_custom"),
    ("cloudflare", "SkipRuleParam.action_parameters"),
    ("octorules-wirefilter", "requests: field cf.waf.score INT"),
    ("octorules-wirefilter", "magic_firewall: field ip.ttl INT"),
]


@pytest.mark.parametrize(("judge", "fact"), OF_JUDGES)
def test_a_judge_says_what_the_tests_build_on(judge: str, fact: str) -> None:
    assert fact in {*FACTS[judge]()}


def test_a_newer_release_shows_the_rows_that_it_concerns() -> None:
    ours = Release("1", frozenset(facts_of_operations(operations_of_cf())))
    changed = dict(operations_of_cf())
    name = "POST /accounts/{}/magic/advanced_tcp_protection/configs/syn_protection/filters"
    mode = changed[name].fields["mode"]._replace(words=("enabled", "monitoring"))
    changed[name] = changed[name]._replace(fields={**changed[name].fields, "mode": mode})
    newest = Release("2", frozenset(facts_of_operations(changed)))
    assert [*difference("cf", ours, newest)] == [
        "## cf: 1, newest 2",
        "",
        f"- gone: {name}: field mode *string enabled|disabled|monitoring",
        f"- new: {name}: field mode *string enabled|monitoring",
        "",
    ]
    assert "No fact differs." in difference("cf", ours, ours)
