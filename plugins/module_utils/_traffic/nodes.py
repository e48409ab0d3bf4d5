# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nodes of the analytics, declared once: queries and the reading of answers follow from it.

The vendor describes them on its pages "GraphQL Analytics API" and "Advanced TCP Protection:
concepts".
"""

from __future__ import annotations

from typing import Mapping, NamedTuple

from .._schema.account import COMPONENTS, DNS, TCP

PERMISSION = "Account Analytics Read (account)"
SUBNET, ADDRESS = "ipDestinationSubnet", "ipDestinationAddress"
DATA_CENTER, REASON, OUTCOME, VERDICT = "coloCode", "mitigationReason", "outcome", "verdict"
GROUPED_BY = (DATA_CENTER, REASON, OUTCOME, VERDICT)  # beside the destination
SETTINGS = ("enabled", "notOlderThan", "maxDuration", "maxPageSize", "maxNumberOfFields")
PASS, DROP = "pass", "drop"


class Node(NamedTuple):
    """A node of an account, by the name that queries give it; its data are about a `product`."""

    name: str
    field: str
    product: str

    @property
    def filter_type(self) -> str:
        """The type of its filter in the vendor's schema."""
        return f"Account{self.field[0].upper()}{self.field[1:]}Filter_InputObject"

    @property
    def components(self) -> tuple[str, ...]:
        """The components of the protection that its data are about."""
        return tuple(name for name, item in COMPONENTS.items() if item.product == self.product)


NODES = (
    Node("tcp", "advancedTcpProtectionNetworkAnalyticsAdaptiveGroups", TCP),
    Node("dns", "advancedDnsProtectionNetworkAnalyticsAdaptiveGroups", DNS),
)


def node_of(component: str) -> Node:
    """The node with the data of a component."""
    return next(node for node in NODES if component in node.components)


CHALLENGE = "CHALLENGE"  # how the reasons of SYN flood protection begin
ADVICE: Mapping[str, str] = {  # by the reasons of out-of-state TCP protection
    "NOT_FOUND": (
        "NOT_FOUND: flow tracking has not learned these connections yet; monitor longer."
    ),
    "UNEXPECTED": (
        "UNEXPECTED: the packets take asymmetric or changing paths; monitor longer, or lower the"
        " burst sensitivity."
    ),
    "OUT_OF_SEQUENCE": (
        "OUT_OF_SEQUENCE: lower the burst sensitivity first, and then the rate sensitivity."
    ),
    "ALREADY_CLOSED": (
        "ALREADY_CLOSED: packets come after the end of their connection; monitor longer."
    ),
}


def concerns(component: str, reason: str) -> bool:
    """Whether a packet with this reason counts for a component; an unknown reason counts for each
    that shares the node."""
    if len(node_of(component).components) == 1:
        return True
    if reason.startswith(CHALLENGE):
        return component == "syn_flood"
    return component == "out_of_state_tcp" if reason in ADVICE else True
