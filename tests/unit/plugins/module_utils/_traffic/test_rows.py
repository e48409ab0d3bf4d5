# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import Row, position_of
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import Ranges, range_of


def space(*networks: str) -> Ranges:
    return [network for network in map(range_of, networks) if network]


INNER, OTHER = space("203.0.113.64/26"), space("198.51.100.0/24", "2001:db8::/48")


@pytest.mark.parametrize(
    ("destination", "position"),
    [
        ("198.51.100.0/24", "inside"),
        ("2001:db8::1", "inside"),
        ("203.0.113.0/24", "straddling"),
        ("203.0.113.65", "inside"),
        ("192.0.2.0/24", "outside"),
        ("nowhere", "inside"),
    ],
)
def test_a_destination_lies_inside_outside_or_across_an_edge(destination: str, position: str) -> None:
    row = Row(destination, "FRA", "", "pass", "pass", 1, 1)
    assert position_of(row, [INNER, OTHER]) == position
    assert position_of(row, []) == ("inside" if destination == "nowhere" else "outside")
