# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Queries in GraphQL, made of the declaration alone: values travel as variables, never as text."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Mapping, NamedTuple, Sequence

from .._schema.account import COMPONENTS, DNS, TCP
from .._timestamps import write_time

PERMISSION = "Account Analytics Read (account)"
PERMISSION_OF_ZONE = "Analytics Read (zone)"
SUBNET, ADDRESS = "ipDestinationSubnet", "ipDestinationAddress"
DATA_CENTER, REASON, OUTCOME, VERDICT = "coloCode", "mitigationReason", "outcome", "verdict"
GROUPED_BY = (DATA_CENTER, REASON, OUTCOME, VERDICT)  # beside the destination
LIMITS_OF_NODES = ("notOlderThan", "maxDuration", "maxPageSize")
SETTINGS = ("enabled", *LIMITS_OF_NODES, "maxNumberOfFields")
PASS, DROP = "pass", "drop"


class TrafficNode(NamedTuple):
    """A node of an account or zone, by the name that queries give it; its data are about a
    `product`, and grouped by dimensions of which the first may be a `key`. Of requests the heaviest
    groups come first, and `only` some are asked for."""

    name: str
    field: str
    product: str
    owner: str = "account"
    key: str = ""
    grouped_by: tuple[str, ...] = GROUPED_BY
    measure: tuple[str, ...] = ("sum", "packets")
    only: tuple[tuple[str, str], ...] = ()
    of_requests: bool = False

    @property
    def filter_type(self) -> str:
        """The type of its filter in the vendor's schema."""
        return f"{self.owner.capitalize()}{self.field[0].upper()}{self.field[1:]}Filter_InputObject"

    @property
    def components(self) -> tuple[str, ...]:
        """The components of the protection that its data are about."""
        return tuple(name for name, item in COMPONENTS.items() if item.product == self.product)


NODES: tuple[TrafficNode, ...] = (
    TrafficNode("tcp", "advancedTcpProtectionNetworkAnalyticsAdaptiveGroups", TCP),
    TrafficNode("dns", "advancedDnsProtectionNetworkAnalyticsAdaptiveGroups", DNS),
)

REQUESTS = TrafficNode(
    "requests",
    "httpRequestsAdaptiveGroups",
    "HTTP requests",
    "zone",
    measure=("count",),
    only=(("requestSource", "eyeball"),),
    of_requests=True,
)


def node_of(component: str) -> TrafficNode:
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
    """True if a packet with this reason counts for a component; an unknown reason counts for each
    that shares the node."""
    if len(node_of(component).components) == 1:
        return True
    if reason.startswith(CHALLENGE):
        return component == "syn_flood"
    return component == "out_of_state_tcp" if reason in ADVICE else True


LARGEST_PAGE = 10_000  # rows; smaller where the account's settings say so


class Page(NamedTuple):
    """A page of rows of a node: the time that it covers, its first destination and its length.

    By `addresses` in these subnets, or else by subnet. The `heaviest` rows are those with the most
    packets that were dropped, or would have been.
    """

    node: TrafficNode
    since: datetime
    until: datetime
    limit: int = LARGEST_PAGE
    first: str | None = None
    subnets: tuple[str, ...] | None = None
    heaviest: bool = False

    @property
    def destination(self) -> str:
        """The dimension that tells the destination, or the key of the node."""
        return self.node.key or SUBNET if self.subnets is None else ADDRESS

    @property
    def dimensions(self) -> tuple[str, ...]:
        """All dimensions by which the rows are grouped."""
        own = () if self.node.of_requests else (self.destination,)
        return (*own, *self.node.grouped_by)

    def conditions(self) -> dict[str, Any]:
        """The filter, by the names of the vendor's schema."""
        begin = {} if self.first is None else {f"{self.destination}_geq": self.first}
        within = {} if self.subnets is None else {f"{SUBNET}_in": list(self.subnets)}
        dropping = {"OR": [{OUTCOME: DROP}, {VERDICT: DROP}]} if self.heaviest else {}
        return {
            "datetime_geq": write_time(self.since),
            "datetime_lt": write_time(self.until),
            **dict(self.node.only),
            **within,
            **begin,
            **dropping,
        }


def query(
    owner_id: str,
    pages: Sequence[Page],
    with_settings: bool = False,
    nodes: Sequence[TrafficNode] = NODES,
) -> dict[str, Any]:
    """The body of a call that asks for one page of each node, and for the settings of all nodes."""
    variables: dict[str, Any] = {"account": owner_id}
    declared = ["$account: string!"]
    owner = nodes[0].owner
    for page in pages:
        name = page.node.name
        declared += [f"${name}: {page.node.filter_type}!", f"${name}Limit: uint64!"]
        variables.update({name: page.conditions(), f"{name}Limit": page.limit})
    parts = ([_settings_query(nodes)] if with_settings else []) + [
        _rows_query(page) for page in pages
    ]
    text = (
        f"query Traffic({', '.join(declared)}) {{ viewer {{ "
        f"accounts: {owner}s(filter: {{{owner}Tag: $account}}) {{ {' '.join(parts)} }} }} }}"
    )
    return {"query": text, "variables": variables}


def _settings_query(nodes: Sequence[TrafficNode]) -> str:
    of_nodes = " ".join(f"{node.field} {{ {' '.join(SETTINGS)} }}" for node in nodes)
    return f"settings {{ {of_nodes} }}"


def _rows_query(page: Page) -> str:
    alias, dimensions = page.node.name, page.dimensions
    order = [f"{name}_ASC" for name in dimensions]
    order = ["sum_packets_DESC", *order] if page.heaviest else order
    order = ["count_DESC"] if page.node.of_requests else order
    of_rows = f"filter: ${alias}, limit: ${alias}Limit, orderBy: [{', '.join(order)}]"
    grouped = f"dimensions {{ {' '.join(dimensions)} }} " if dimensions else ""
    return (
        f"{alias}: {page.node.field}({of_rows}) {{ "
        f"{_in_braces(page.node.measure)} "
        f"confidence(level: 0.95) {{ {_in_braces((*page.node.measure, 'sampleSize'))} }} "
        f"{grouped}}}"
    )


def _in_braces(names: Sequence[str]) -> str:
    return " { ".join(names) + " }" * (len(names) - 1)
