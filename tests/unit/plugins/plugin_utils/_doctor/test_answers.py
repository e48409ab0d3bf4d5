# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An answer is what came, and a success only if it brings what was asked for."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ErrorDetails, ServiceError
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.reads import (
    Answer,
    Read,
    ask_all,
    seconds_ahead,
)

NOW = datetime(2027, 1, 29, 9, 15, tzinfo=timezone.utc)
LIST = Read(PREFIXES, Request("GET", "prefixes", resource=PREFIXES))
RULES = Read(CUSTOM_RULES, Request("GET", "entrypoint", resource=CUSTOM_RULES))
NO_RULES = {"success": False, "errors": [{"code": 10003, "message": "could not find entrypoint"}]}


@pytest.mark.parametrize(
    ("read", "status", "document", "is_success"),
    [
        (LIST, 200, {"success": True, "result": []}, True),
        (LIST, 200, {"success": False, "result": []}, False),
        (LIST, 200, [], False),
        (LIST, 404, NO_RULES, False),
        (RULES, 404, NO_RULES, True),
        (RULES, 404, {"success": False, "errors": [{"code": 7003}]}, False),
        (LIST, None, None, False),
    ],
)
def test_a_success_brings_what_was_asked_for(read: Read, status: int | None, document: Any, is_success: bool) -> None:
    assert Answer(read, status, document=document).is_success is is_success


def test_codes_of_chains_count_and_odd_ones_do_not() -> None:
    errors = [{"code": 6003, "error_chain": [{"code": 6111}]}, {"code": "x"}, {"code": True}, {"message": "y"}, 5]
    answer = Answer(LIST, 400, document={"errors": errors})
    assert answer.codes == [6003, 6111]
    assert answer.messages == ["", "", "", "y"]


@pytest.mark.parametrize(("result", "number"), [([{"id": "1"}, 5], 1), ({"id": "1"}, 1), (None, 0), ("x", 0), ([], 0)])
def test_objects_are_those_of_any_result(result: Any, number: int) -> None:
    assert len(Answer(LIST, 200, document={"result": result}).objects) == number


def test_the_list_within_an_object_is_its_objects() -> None:
    assert Answer(RULES, 200, document={"result": {"rules": [{"ref": "a"}]}}).objects == [{"ref": "a"}]
    assert Answer(RULES, 200, document={"result": {"id": "x"}}).objects == []


def test_the_clocks_are_compared_at_the_middle_of_the_call() -> None:
    header = "Fri, 29 Jan 2027 09:15:10 GMT"
    assert seconds_ahead(header, NOW, NOW + timedelta(seconds=2)) == 9.5
    assert seconds_ahead("soon", NOW, NOW) is None


def test_a_call_without_an_answer_stops_no_other() -> None:
    def ask(request: Request) -> Response:
        if request.path == "prefixes":
            details = ErrorDetails(method="GET", path="prefixes", status=None, errors=[], ray=None)
            raise ServiceError("got no response", details, False)
        return Response(200, {"date": "Fri, 29 Jan 2027 09:15:10 GMT"}, json.dumps({"success": True}).encode())

    lost, answered = ask_all(ask, [LIST, RULES], lambda: NOW)
    assert (lost.status, lost.problem) == (None, "got no response")
    assert answered.status == 200 and answered.seconds_ahead == 10.5
