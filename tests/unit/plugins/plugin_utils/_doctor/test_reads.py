# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the schema declares, the doctor reads, and it only reads."""

from __future__ import annotations

from datetime import datetime, timezone

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES, RESOURCES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import AUDIT_LOG, ONBOARDED, ZONE
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES, FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.reads import (
    ANALYTICS,
    BEHIND,
    FIRST_TEN,
    NEXT_TEN,
    OF_OWNER,
    declared,
    further_reads,
    reads_of,
    reads_of_token,
)

NOW = datetime(2027, 1, 29, 9, 15, tzinfo=timezone.utc)
ACCOUNT = {"account_id": "a" * 32}


def test_every_declared_resource_of_an_owner_is_read_once() -> None:
    of_account = [resource.path for resource in OF_OWNER["account_id"]]
    assert {resource.path for resource in (*RESOURCES, ONBOARDED, AUDIT_LOG, ANALYTICS)} <= {*of_account}
    assert {resource.path for resource in (ZONE, CUSTOM_RULES, FIREWALL_RULES)} <= {
        resource.path for resource in OF_OWNER["zone_id"]
    }
    assert len({*of_account}) == len(of_account)


def test_a_resource_that_needs_another_id_is_left_out() -> None:
    assert not [resource.path for items in OF_OWNER.values() for resource in items if resource.path.count("{") > 1]
    assert [*declared({"a": (PREFIXES, 5), "b": ALLOWLIST, "c": "x"})] == [PREFIXES, ALLOWLIST]


def test_every_request_reads() -> None:
    reads = [*reads_of(ACCOUNT, NOW), *reads_of({"zone_id": "b" * 32}, NOW), *reads_of_token()]
    assert {read.request.method for read in reads if not read.request.is_query} == {"GET"}
    queries = [read.request for read in reads if read.request.is_query]
    assert [request.path for request in queries] == ["graphql"] and "mutation" not in str(queries[0].body)


def test_the_longest_list_shows_how_pages_follow() -> None:
    def parts(prefixes: int, allowlist: int) -> list[tuple[str, str]]:
        lists = [(PREFIXES, prefixes), (ALLOWLIST, allowlist)]
        return [(read.resource.name, read.part) for read in further_reads(lists, ACCOUNT)]

    assert parts(11, 3) == [("prefix", BEHIND), ("prefix", FIRST_TEN), ("prefix", NEXT_TEN)]
    assert parts(3, 10) == [("allowlist_entry", BEHIND)]
    assert list(further_reads([], ACCOUNT)) == []
