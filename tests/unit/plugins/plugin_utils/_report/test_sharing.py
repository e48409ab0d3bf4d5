# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import (
    by_hosts,
    shared_operations,
    signature,
)


def host(name: str, *keys: str) -> Any:
    return {"host": name, "operations": [{"action": "create", "key": key} for key in keys]}


def test_operations_of_several_hosts_are_those_of_most_hosts_first() -> None:
    several = [host("a", "x", "y", "w"), host("b", "y", "y", "w"), host("c", "y", "x", "z"), host("d", "x", "y")]
    shared = shared_operations(several)
    assert [(item.operation["key"], item.hosts) for item in shared.values()] == [
        ("y", ["a", "b", "c", "d"]),
        ("x", ["a", "c", "d"]),
    ], "two hosts that do w show it themselves"
    assert list(shared) == [signature(item.operation) for item in shared.values()]


def test_lines_stand_once_for_all_hosts_that_have_them() -> None:
    assert by_hosts({"a": ["1", "2", "2"], "b": ["2"], "c": ["2", "1"]}) == [
        (("a", "b", "c"), ["2"]),
        (("a", "c"), ["1"]),
    ]
