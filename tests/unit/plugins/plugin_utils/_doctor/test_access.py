# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Permissions and products: there, not there, or not known with the reason."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.access import (
    permissions_of,
    products_of,
    reason_of,
    settings_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.reads import ANALYTICS, Answer, Read

GRANTED: dict[str, Any] = {"success": True, "result": []}


def answer(status: int | None, document: Any = None, resource: Any = PREFIXES) -> Answer:
    return Answer(Read(resource, Request("GET", "x", resource=resource)), status, document=document, problem="lost")


def refusal(code: int) -> dict[str, Any]:
    return {"success": False, "errors": [{"code": code, "message": "of 192.0.2.1"}]}


@pytest.mark.parametrize(
    ("answers", "permission", "product"),
    [
        ([answer(200, GRANTED)], True, True),
        ([answer(403, refusal(10000)), answer(200, GRANTED, ALLOWLIST)], True, True),
        ([answer(403, refusal(10000))], False, None),
        ([answer(403, refusal(8888))], None, False),
        ([answer(500, refusal(1)), answer(403, refusal(10000), ALLOWLIST)], False, None),
        ([answer(429, refusal(971))], None, None),
        ([answer(None)], None, None),
    ],
)
def test_answers_decide_permission_and_product(
    answers: list[Answer], permission: bool | None, product: bool | None
) -> None:
    read, write = permissions_of(answers)
    assert (read.is_there, products_of(answers)[0].is_there) == (permission, product)
    assert write.name == "DDoS Protection Write (account)" and write.is_there is None
    assert bool(read.reason) is (permission is not True)


def test_a_reason_has_status_codes_and_words_without_addresses() -> None:
    assert reason_of(answer(403, refusal(10000))) == "HTTP 403 [10000]: of (address)"
    assert reason_of(answer(502)) == "HTTP 502: lost"
    assert reason_of(answer(None)) == "lost"


def test_settings_are_found_wherever_the_document_ends() -> None:
    whole = {"data": {"viewer": {"accounts": [{"settings": {"node": {"enabled": True}}}]}}}
    assert settings_of(answer(200, whole, ANALYTICS), "node") == {"enabled": True}
    assert settings_of(answer(200, {"data": {"viewer": {"accounts": []}}}, ANALYTICS), "node") is None
    assert settings_of(answer(200, None, ANALYTICS), "node") is None
