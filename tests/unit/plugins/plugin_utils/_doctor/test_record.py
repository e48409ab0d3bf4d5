# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of a host, and its lines."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.assumptions import ASSUMPTIONS
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.reads import Answer, Read
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.record import failures, lines_of, record_of

READ = Read(PREFIXES, Request("GET", "prefixes", resource=PREFIXES))
MEMBERS = {"success": True, "errors": [], "messages": []}


def test_nothing_is_known_without_answers() -> None:
    record = record_of("a", "now", [], 0)
    assert [item["holds"] for item in record["assumptions"]] == [None] * len(ASSUMPTIONS)
    assert all(item["reasons"] for item in record["assumptions"])
    assert record["clock"]["seconds_ahead"] is None and record["clock"]["reason"]
    assert failures(record, "deviation") == failures(record, "unknown") == []


def test_an_unread_resource_is_told_and_fails_a_run_that_asks_for_it() -> None:
    record = record_of("a", "now", [Answer(READ, problem="got no response")], 1)
    lines = [*lines_of(record)]
    assert "  not read: prefixes. got no response." in lines
    assert "  product Advanced TCP Protection: not known. No answer came." in lines
    assert failures(record, "unknown") == ["not read: prefixes"]


def test_equal_problems_of_several_answers_are_one_reason() -> None:
    prefixes = [{"id": str(number), "prefix": "x"} for number in range(3)]
    answers = [Answer(READ, 200, {}, {**MEMBERS, "result": prefixes}), Answer(READ, 200, {}, {**MEMBERS, "result": []})]
    record = record_of("a", "now", answers, 2)
    (networks,) = (item for item in record["assumptions"] if item["name"] == "networks")
    assert networks["reasons"] == ["prefixes: prefix is not a network in 3 of 3 objects"]
    (headers,) = (item for item in record["assumptions"] if item["name"] == "rate_limit_headers")
    assert headers["reasons"] == ["prefixes: no Ratelimit and no Ratelimit-Policy"] and headers["answers"] == 2
    assert "  DOES NOT HOLD networks: " in "\n".join(lines_of(record))


def test_the_clock_is_told_in_words() -> None:
    for ahead, words in ((3.25, "3.2 s ahead of"), (-90.0, "90 s behind")):
        record = record_of("a", "now", [Answer(READ, 200, {}, MEMBERS, "", ahead)], 1)
        assert any(words in line for line in lines_of(record))


def test_equal_failures_are_one_line() -> None:
    documents = [{"errors": [{"code": 7003, "message": f"No route for {path}?"}]} for path in ("a", "b")]
    record = record_of("a", "now", [Answer(READ, 404, {}, document) for document in documents], 2)
    unread = [line for line in lines_of(record) if "not read" in line]
    assert unread == ["  not read: prefixes. HTTP 404 [7003]: No route for a?"]
    assert "  permission DDoS Protection Read (account): not known. HTTP 404 [7003]." in [*lines_of(record)]
