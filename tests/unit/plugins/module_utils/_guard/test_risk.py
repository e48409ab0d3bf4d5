# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A risk as results show it."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._guard.risk import Risk
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of, union


def test_a_risk_is_shown_with_its_networks_and_entries() -> None:
    ranges = union(filter(None, map(range_of, ["192.0.2.0/25", "192.0.2.128/25"])))
    assert Risk("empties_list", "Nothing is left.", ranges, ("192.0.2.0/25",), "agreed").record() == {
        "code": "empties_list",
        "message": "Nothing is left.",
        "networks": ["192.0.2.0/24"],
        "addresses": "256 IPv4 addresses",
        "entries": ["192.0.2.0/25"],
        "reason": "agreed",
    }


def test_a_risk_may_concern_no_network_and_have_no_reason() -> None:
    record = Risk("weakens_zone", "Nothing blocks.", [], ["login"]).record()
    assert (record["networks"], record["addresses"], record["reason"]) == ([], "no addresses", None)
