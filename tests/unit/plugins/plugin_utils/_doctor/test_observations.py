# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What any answer says about the assumptions."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.observations import observe_answers
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.reads import BEHIND, FIRST, Answer, Read

LIMITS = {"Ratelimit": '"default";r=9;t=9', "Ratelimit-Policy": '"default";q=1200;w=300'}
INFO = {"page": 1, "per_page": 1000, "count": 1, "total_count": 1}


def answer(
    part: str = FIRST, headers: dict[str, str] | None = None, ahead: float | None = 0.0, **members: Any
) -> Answer:
    document = {"success": True, "errors": [], "messages": [], "result": [{"id": "x"}], "result_info": INFO, **members}
    read = Read(PREFIXES, Request("GET", "prefixes", resource=PREFIXES), part)
    return Answer(read, 200, LIMITS if headers is None else headers, document, "", ahead)


def problems(*answers: Answer) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in observe_answers(answers):
        found.setdefault(item.assumption, []).extend([item.problem] if item.problem else [])
    return found


def test_an_answer_as_documented_has_no_problem() -> None:
    seen = problems(answer())
    assert not any(seen.values())
    assert {"envelope", "envelope_members", "date", "rate_limit_headers", "rate_limit", "totals", "page_size"} == {
        *seen
    }


@pytest.mark.parametrize(
    ("changed", "assumption", "problem"),
    [
        ({"ahead": None}, "date", "missing"),
        ({"ahead": -301.0}, "date", "differ by about 301 s"),
        ({"headers": {}}, "rate_limit_headers", "no Ratelimit and no Ratelimit-Policy"),
        ({"headers": {**LIMITS, "Ratelimit-Policy": '"burst";q=10;w=60, "day";q=9000;w=300'}}, "rate_limit", "10 calls in 60 s"),
        ({"result_info": {**INFO, "total_count": True}}, "totals", "no total_count"),
        ({"result_info": {**INFO, "pages": 1}}, "envelope_members", "unknown pages"),
    ],
)  # fmt: skip
def test_an_answer_with_a_problem_names_it(changed: dict[str, Any], assumption: str, problem: str) -> None:
    assert problem in problems(answer(**changed))[assumption][0]


def test_pages_of_two_lists_are_not_taken_for_one() -> None:
    other = Read(PREFIXES, Request("GET", "allowlist", resource=PREFIXES), BEHIND)
    behind = answer(BEHIND)
    assert len(problems(answer(), behind, Answer(other, 200, LIMITS, answer(result=[]).document))["last_page"]) == 1
