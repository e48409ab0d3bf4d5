# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who changed an object last: by its id, by its timestamp, or not known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.neighbours import Log, merged_objects
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import host_results

AT, EARLIER = "2026-11-22T09:00:00Z", "2026-11-22T08:00:00Z"
LISTS = "/accounts/0/magic/advanced_tcp_protection/configs"
ENTRY = {"id": "abc", "prefix": "0.0.0.0/1", "modified_on": "2026-11-22T09:00:03.5Z"}
UNMANAGED = {"resource": "allowlist_entry", "key": "0.0.0.0/1", "weakens": True, "reason": "lets pass", "since": AT}


def change(by: str = "alice", at: str = AT, uri: str = f"{LISTS}/allowlist/abc", object_id: Any = None) -> Any:
    return {"at": at, "by": by, "how": "the dashboard", "method": "PATCH", "uri": uri, "object_id": object_id}


def last(*changes: Any, unmanaged: Any = None, objects: Any = None, unread: str = "") -> Any:
    host = host_results("lima", {}, {"account_protection": {"unmanaged": [unmanaged or UNMANAGED]}})
    existing = merged_objects([objects or {"allowlist": [ENTRY]}])
    return Log(24, changes, existing, unread).last_changes(host)


@pytest.mark.parametrize(
    ("changes", "by"),
    [
        ([change()], "alice"),
        ([change(uri="/elsewhere", object_id="abc")], "alice"),
        ([change("bob"), change("alice", EARLIER)], "bob"),
        ([change(uri=f"{LISTS}/allowlist")], "alice"),
        ([change(uri=f"{LISTS}/allowlist"), change("bob", uri=f"{LISTS}/allowlist")], None),
        ([change(uri=f"{LISTS}/allowlist", at=EARLIER)], None),
        ([change(uri=f"{LISTS}/prefixes/bulk")], None),
        ([], None),
    ],
)
def test_a_write_belongs_to_an_object_by_its_id_or_its_moment(changes: Any, by: Any) -> None:
    (found,) = last(*changes)
    assert found["by"] == by
    assert found["text"] == (
        f"Allowlist entry 0.0.0.0/1: changed by {by} with the dashboard at {AT}."
        if by
        else "Allowlist entry 0.0.0.0/1: the audit log of the last 24 hours does not say who changed it."
    )


def test_an_object_that_takes_nothing_away_is_not_listed() -> None:
    assert last(change(), unmanaged={**UNMANAGED, "weakens": False}) == []


def test_a_log_that_cannot_be_read_is_said() -> None:
    (found,) = last(unread="who changed it is not known: No.")
    assert (found["by"], found["text"]) == (None, "Allowlist entry 0.0.0.0/1: who changed it is not known: No.")


def test_the_status_belongs_to_its_last_write() -> None:
    operation = {"action": "update", "resource": "tcp_protection_status", "key": "tcp_protection_status", "fields": {}}
    result = {"operations": [{**operation, "before": {}}]}
    host = host_results("lima", {}, {"account_protection": result})
    log = Log(24, [change("bob", uri=f"{LISTS}/tcp_protection_status")], {})
    assert [item["by"] for item in log.last_changes(host)] == ["bob"]


def test_the_rules_of_a_zone_are_found_by_their_refs() -> None:
    rule = {"id": "r1", "ref": "hack", "last_updated": AT}
    unmanaged = {**UNMANAGED, "resource": "custom_rule", "key": "hack"}
    objects = {"zone_id": "z", "rules": [rule]}
    (found,) = last(change(uri="/zones/z/rulesets/x/rules/r1", at=EARLIER), unmanaged=unmanaged, objects=objects)
    assert found["at"] == EARLIER
    (found,) = last(change(uri="/zones/z/rulesets/phases/p/entrypoint"), unmanaged=unmanaged, objects=objects)
    assert found["by"] == "alice"


def test_kinds_of_rules_are_told_apart() -> None:
    rules = [
        {"kind": kind, "scope": "global", "name": "global", "id": kind} for kind in ("syn_flood", "out_of_state_tcp")
    ]
    objects = merged_objects([{"rules": rules, "status": {"enabled": True}}])
    assert [item["id"] for item in objects["syn_flood_rule"]] == ["syn_flood"]
    assert objects["dns_rule"] == []
    assert replace(Log(1), objects=objects).objects is objects
