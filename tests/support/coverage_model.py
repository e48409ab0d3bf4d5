# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A slow and obvious model of what an account protects: each address for itself."""

from __future__ import annotations

import ipaddress
from typing import Any, Dict

from hypothesis import strategies as st

Entry = Dict[str, Any]
# The last address of each family stands for all others, which are in the widest networks only.
ADDRESSES = [f"192.0.2.{last}" for last in range(17)] + [f"2001:db8::{last:x}" for last in range(17)]
NETWORKS = st.one_of(
    st.builds("192.0.2.{}/{}".format, st.integers(0, 15), st.integers(28, 32)),
    st.builds("2001:DB8::{:x}/{}".format, st.integers(0, 15), st.integers(124, 128)),
    st.sampled_from(["192.0.2.3", "2001:db8::5", "0.0.0.0/0", "::/0"]),
)
PREFIXES: st.SearchStrategy[list[Entry]] = st.lists(
    st.fixed_dictionaries({"prefix": NETWORKS, "excluded": st.booleans()}), max_size=8
)


def holds(text: str, address: str) -> bool:
    """Whether a network or an address, with host bits or not, contains the address."""
    actual = ipaddress.ip_address(address)
    network = ipaddress.ip_network(text, strict=False)
    return network.version == actual.version and actual in network


def protects(prefixes: list[Entry], address: str) -> bool:
    """Whether the address lies in a protected prefix and in no excluded one."""
    flags = [entry["excluded"] for entry in prefixes if holds(entry["prefix"], address)]
    return bool(flags) and not any(flags)


def account_state(**collections: Any) -> dict[str, Any]:
    """The state of an account that protects 192.0.2.0/24, with other collections than none where named."""
    return {
        "status": [{"enabled": True}],
        "prefixes": [{"prefix": "192.0.2.0/24", "excluded": False}],
        "allowlist": [],
        **{f"{kind}_{what}": [] for kind in ("syn_flood", "out_of_state_tcp") for what in ("rules", "filters")},
        **collections,
    }


def rule(mode: str, scope: str = "global", name: str = "global") -> Entry:
    """A rule as a listing has it."""
    return {"scope": scope, "name": name, "mode": mode}


def filter_(mode: str, expression: str) -> Entry:
    """A filter as a listing has it."""
    return {"expression": expression, "mode": mode}


HALF = "ip.dst in {192.0.2.0/25}"  # of what the account protects
