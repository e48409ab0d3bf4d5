# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables of fields and functions against the parser of the vendor's engine: no row differs, and a changed one would."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.fields import (
    ADDRESS,
    ARRAY,
    FIELDS_BY_KIND,
    FLAG,
    MAP,
    NUMBER,
    PACKET_FIELDS_BY_KIND,
    TEXT,
)
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.functions import FUNCTIONS_BY_KIND

from tests.support.sampled_rows import sample

library = pytest.importorskip("octorules_wirefilter")

Kinds = Mapping[str, str]  # by name
TYPES = {"STRING": TEXT, "INT": NUMBER, "BOOL": FLAG, "IP": ADDRESS, "ARRAY": ARRAY, "MAP": MAP}
OF_TOKENS = "http.request.jwt."  # named by the claims of a token
# The raw packets, which the parser takes for texts.
RAW_PACKETS = {"icmp", "ip", "tcp", "udp"}
PACKETS = "magic_firewall"


def by_name(names_by_kind: Mapping[str, str]) -> dict[str, str]:
    return {name: kind for kind, names in names_by_kind.items() for name in names.split()}


def differences_of_fields(ours: Kinds, scheme: str | None) -> Iterator[str]:
    """Fields of the parser that the table lacks, or has as another kind; the vendor's pages may have more."""
    for field in library.get_schema_info(scheme)["fields"]:
        name, kind = field["name"], TYPES[field["type"].partition("_")[0]]
        expected = "" if scheme == PACKETS and name in RAW_PACKETS else kind
        if not name.startswith(OF_TOKENS) and ours.get(name) != expected:
            yield name


def differences_of_functions(ours: Kinds) -> Iterator[str]:
    yield from sorted(ours.keys() ^ {*library.get_schema_info(None)["functions"]})


REQUESTS, OF_PACKETS, FUNCTIONS = map(by_name, (FIELDS_BY_KIND, PACKET_FIELDS_BY_KIND, FUNCTIONS_BY_KIND))
Judge = Callable[[Kinds], Iterator[str]]
TABLES: list[tuple[Kinds, Judge]] = [
    (REQUESTS, lambda kinds: differences_of_fields(kinds, None)),
    (OF_PACKETS, lambda kinds: differences_of_fields(kinds, PACKETS)),
    (FUNCTIONS, differences_of_functions),
]


@pytest.mark.parametrize(("table", "judge"), TABLES)
def test_no_row_differs_from_the_parser(table: Kinds, judge: Judge) -> None:
    assert [*judge(table)] == []


def known_to_the_parser(scheme: str | None, ours: Kinds) -> list[str]:
    return [field["name"] for field in library.get_schema_info(scheme)["fields"] if field["name"] in ours]


CHANGED: list[tuple[Kinds, Judge, str]] = [
    (table, judge, name)
    for (table, judge), names in zip(
        TABLES,
        [known_to_the_parser(None, REQUESTS), known_to_the_parser(PACKETS, OF_PACKETS), sorted(FUNCTIONS)],
        strict=True,
    )
    for name in sample(names, 10)
]


@pytest.mark.parametrize(("table", "judge", "name"), CHANGED)
def test_a_changed_row_differs(table: Kinds, judge: Judge, name: str) -> None:
    without: dict[str, Any] = {other: kind for other, kind in table.items() if other != name}
    assert [*judge(without)] == [name]
    if judge is not differences_of_functions:
        assert [*judge({**table, name: "another kind"})] == [name]
