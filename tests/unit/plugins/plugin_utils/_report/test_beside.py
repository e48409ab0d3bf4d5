# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.neighbours import Beside
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import HostResults

ACCOUNT = Part("account_protection", {"account_id": "0" * 32, "enabled": True})
HOST = HostResults("lima", unread=["Something else."])
NETWORKS = {"networks": [{"prefix": "192.0.2.0/24", "announced": None}], "delegated": []}


def read(result: Mapping[str, Any], parts: Any = (ACCOUNT,), **values: Any) -> tuple[HostResults, list[Part]]:
    asked: list[Part] = []

    def run(part: Part) -> Mapping[str, Any]:
        asked.append(part)
        return result

    return Beside(run, list(parts), values).read(HOST), asked


@pytest.mark.parametrize("values", [{}, {"report_announced": False}, {"report_announced": None}])
def test_nothing_is_read_that_no_variable_asks_for(values: dict[str, Any]) -> None:
    assert read({}, **values) == (HOST, [])


def test_a_host_without_an_account_announces_nothing() -> None:
    assert read({}, parts=[Part("custom_rules", {})], report_announced=True) == (HOST, [])


def test_announced_networks_are_read_from_the_account_of_the_host() -> None:
    host, (part,) = read({"announced": [NETWORKS], "prefixes": []}, report_announced="yes")
    assert (part.module, part.options["account_id"]) == ("protection_info", "0" * 32)
    assert part.options["gather_subset"] == ["prefixes", "announced"] and "enabled" not in part.options
    assert host.announced is not None and host.announced["not_known"] == ["192.0.2.0/24"]
    assert host.unread == ["Something else.", "Whether 192.0.2.0/24 is announced is not known."]


def test_a_failure_makes_the_host_unread_and_hides_nothing_else() -> None:
    host, _asked = read({"failed": True, "msg": "It is not allowed."}, report_announced=True)
    assert host.unread == ["Something else.", "The announced networks are not known: It is not allowed."]
    assert host.announced is None


def test_a_variable_that_is_neither_true_nor_false_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^report_announced is neither true nor false\.$"):
        read({}, report_announced="perhaps")
