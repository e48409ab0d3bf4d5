# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the schema declares, the doctor reads, and it only reads."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST, PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.reads import (
    BEHIND,
    FIRST_TEN,
    NEXT_TEN,
    OF_ACCOUNT,
    OF_TOKEN,
    OF_ZONE,
    further_reads,
    reads_of,
    reads_of_token,
)

ROOT = Path(__file__).parents[5]
PACKAGE = "ansible_collections.edgeops.protection.plugins.module_utils._schema."
NOW = datetime(2027, 1, 29, 9, 15, tzinfo=timezone.utc)
ACCOUNT = {"account_id": "a" * 32}


def declared(value: Any) -> Iterator[Resource]:
    if isinstance(value, Resource):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from declared(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from declared(item)


def test_every_declared_resource_is_read() -> None:
    read = {resource.path for resource in (*OF_ACCOUNT, *OF_ZONE, *OF_TOKEN)}
    for path in (ROOT / "plugins" / "module_utils" / "_schema").glob("[a-z]*.py"):
        for value in vars(importlib.import_module(PACKAGE + path.stem)).values():
            assert {resource.path for resource in declared(value)} <= read, path.stem


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
