# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.neighbours import announced_record


def announced(*networks: Any, delegated: Any = (), named: Any = ()) -> Any:
    parts = [{"prefix": prefix, "announced": is_announced} for prefix, is_announced in networks]
    entries = [{"prefix": prefix} for prefix in named]
    return announced_record({"announced": [{"networks": parts, "delegated": list(delegated)}], "prefixes": entries})


def test_a_network_that_no_prefix_names_is_unprotected() -> None:
    record = announced(("198.51.100.0/24", True), ("192.0.2.0/24", True), named=["192.0.2.0/23", None])
    assert record["networks"] == ["192.0.2.0/24", "198.51.100.0/24"]
    assert (record["unprotected"], record["not_known"]) == (["198.51.100.0/24"], [])


def test_networks_of_other_accounts_and_withdrawn_ones_are_not_missing() -> None:
    record = announced(("198.51.100.0/24", True), ("192.0.2.0/24", False), delegated=["198.51.100.0/25"])
    assert record["unprotected"] == ["198.51.100.128/25"]


def test_a_network_without_a_clear_answer_is_not_known() -> None:
    record = announced(("198.51.100.0/24", None), ("nowhere", True), ("192.0.2.0/24", None), named=["192.0.2.0/24"])
    assert (record["unprotected"], record["not_known"]) == ([], ["198.51.100.0/24", "nowhere"])
