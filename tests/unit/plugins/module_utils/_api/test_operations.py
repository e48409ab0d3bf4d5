# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Operations that Cloudflare begins, and ends some time later."""

from __future__ import annotations

from typing import Any, Mapping

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import (
    Envelope,
    Request,
    Response,
    error_details,
)
from ansible_collections.edgeops.protection.plugins.module_utils._api.retry import is_refused_meanwhile, operate
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ServiceError

POST = Request("POST", "lists/a/items")


@pytest.mark.parametrize(
    ("results", "text"),
    [
        ([None], "no id of an operation"),
        ([{"operation_id": "../b7"}], "no id of an operation"),
        ([{"operation_id": 7}], "no id of an operation"),
        ([{"operation_id": "b7"}, None], "the status of the operation is None"),
        ([{"operation_id": "b7"}, {"status": ["completed"]}], "the status of the operation is ['completed']"),
    ],
)
def test_odd_answers_do_not_count_as_an_end(results: list[Any], text: str) -> None:
    answers = iter(results)
    with pytest.raises(ServiceError) as caught:
        operate(POST, "", lambda _request: Envelope(next(answers), {}))
    assert text in caught.value.message
    assert caught.value.maybe_applied


def test_an_operation_that_nobody_can_look_at_may_have_been_made() -> None:
    def call(request: Request) -> Envelope:
        if request.method == "GET":
            details = error_details(request, 409)
            raise ServiceError("no", details, maybe_applied=False)
        return Envelope({"operation_id": "b7"}, {})

    with pytest.raises(ServiceError) as caught:
        operate(POST, "", call)
    assert (caught.value.status, caught.value.maybe_applied) == (409, True)


@pytest.mark.parametrize(
    ("status", "headers", "meanwhile"), [(429, {}, True), (429, {"Retry-After": "5"}, False), (400, {}, False)]
)
def test_a_rate_limit_is_no_operation_of_others(status: int, headers: Mapping[str, str], meanwhile: bool) -> None:
    assert is_refused_meanwhile(Response(status, headers, b"")) is meanwhile
