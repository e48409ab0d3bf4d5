# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.unmanaged import (
    Consent,
    consents,
    is_in_force,
    parse_entries,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import NEEDED, TEXTS

NOON = datetime(2026, 6, 30, 12, tzinfo=timezone.utc)


def parsed(*entries: Any) -> list[Any]:
    return list(parse_entries("report_meant", consents(state=NEEDED, networks=TEXTS), list(entries)))


@pytest.mark.parametrize(
    ("expires", "now", "in_force"),
    [(None, NOON, True), (NOON + timedelta(seconds=1), NOON, True), (NOON, NOON, False), (NOON, None, True)],
)
def test_a_consent_holds_until_it_expires(expires: Any, now: Any, in_force: bool) -> None:
    assert is_in_force(Consent("meant", expires), now) is in_force


def test_an_entry_has_a_name_for_messages_and_its_consent() -> None:
    entry = {"state": "off", "reason": " tests ", "expires": "2026-06-30"}
    ((name, fields, consent),) = parsed(entry)
    assert (name, fields, consent.reason) == ("report_meant[0]", entry, "tests")
    assert consent.expires == datetime(2026, 7, 1, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("off", "report_meant[0]: 'off' is not a dictionary; write {state: ..., reason: ...}."),
        ({"state": "off"}, "report_meant[0]: it lacks reason."),
        (
            {"state": "off", "reason": "x", "network": []},
            "report_meant[0].network: there is no such field (did you mean networks?)",
        ),
        ({"state": "off", "reason": " "}, "report_meant[0].reason is empty; say why this is meant."),
        ({"state": "off", "reason": "x", "expires": "soon"}, "report_meant[0].expires: 'soon' is neither a date"),
    ],
)
def test_a_malformed_entry_is_refused_by_its_name(entry: Any, message: str) -> None:
    with pytest.raises(ValueError, match="report_meant") as caught:
        parsed(entry)
    assert str(caught.value).startswith(message)


def test_a_variable_must_be_a_list_of_dictionaries() -> None:
    with pytest.raises(
        ValueError, match=r"^report_meant\[0\]: '7' is not a dictionary; write {state: ..., reason: ...}\.$"
    ):
        list(parse_entries("report_meant", consents(state=NEEDED), 7))
