# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import (
    MAX_LINKS,
    anchor,
    as_others,
    links,
    shared_operations,
)


@pytest.mark.parametrize(
    ("host", "identity"),
    [
        ("lima.example", "host-lima.example"),
        ("a b", "host-a~20b"),
        ("\u00e9", "host-~c3~a9"),
        ("a~20b", "host-a~7e20b"),
    ],
)
def test_hosts_have_one_anchor_each(host: str, identity: str) -> None:
    assert anchor(host) == identity


@pytest.mark.parametrize(("number", "more"), [(MAX_LINKS, ""), (MAX_LINKS + 2, "and 2 more")])
def test_a_cell_names_the_first_hosts_and_counts_the_others(number: int, more: str) -> None:
    cell = links(f"h{position}" for position in range(number))
    assert cell["links"][0] == ("host-h0", "h0")
    assert (len(cell["links"]), cell["more"]) == (MAX_LINKS, more)


def test_a_shared_change_leads_to_its_row() -> None:
    operation = {"action": "create", "key": "n1"}
    hosts = [{"host": name, "operations": [operation]} for name in ("a", "b", "c")]
    shared = shared_operations(hosts)  # type: ignore[arg-type]
    assert list(as_others(shared).values()) == [("change-0", "as on 2 other hosts")]
