# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Samples of a watched change of an account: the packets that it dropped since a moment, by the
data set that shows them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import Mapping, NamedTuple, Sequence

from .._api.client import Client
from .._schema.resource import ACCOUNT_OPTION
from .ask import AccountTraffic, NodeTraffic
from .queries import FIREWALL, NODES, OUTCOME, PACKETS, RowsPage, TrafficNode
from .watched import (
    EARLIER_EVENTS,
    EVENTS_BY_MINUTE,
    HOUR_BEFORE,
    MINUTE,
    REQUESTS_BY_MINUTE,
    WatchSample,
    sample_of,
)


class WatchedNodes(NamedTuple):
    """The nodes that show all packets by minutes, those that were dropped, and those that were
    dropped before. Of a data set without ids of rules, the first two are one."""

    packets: TrafficNode
    dropped: TrafficNode
    earlier: TrafficNode

    @property
    def names_rules(self) -> bool:
        """Return whether the rows name the rules that dropped packets."""
        return self.packets is not self.dropped

    def listings(self, by_node: Mapping[str, NodeTraffic]) -> dict[str, NodeTraffic]:
        """The listings in the form in which a zone has those of its requests and events."""
        dropped, earlier = by_node[self.dropped.name], by_node[self.earlier.name]
        if not self.names_rules:
            dropped, earlier = _of_no_rule(dropped), _of_no_rule(earlier)
        return {
            REQUESTS_BY_MINUTE.name: by_node[self.packets.name],
            EVENTS_BY_MINUTE.name: dropped,
            EARLIER_EVENTS.name: earlier,
        }


def _of_no_rule(listing: NodeTraffic) -> NodeTraffic:
    rows = [row._replace(values=("", *row.values)) for row in listing.rows]
    return replace(listing, rows=rows)


def _nodes_of_component(node: TrafficNode) -> WatchedNodes:
    all_of_it = node._replace(of_requests=True, grouped_by=(OUTCOME, MINUTE))
    before = all_of_it._replace(name=f"{node.name}_before", grouped_by=(OUTCOME,))
    return WatchedNodes(all_of_it, all_of_it, before)


NODES_OF_FIREWALL = WatchedNodes(
    PACKETS._replace(grouped_by=(MINUTE,)),
    FIREWALL._replace(grouped_by=("ruleId", OUTCOME, MINUTE)),
    FIREWALL._replace(name="firewall_before", grouped_by=("ruleId", OUTCOME)),
)
WATCHED_SETS: Mapping[str, WatchedNodes] = {  # by the source of a sample
    **{node.name: _nodes_of_component(node) for node in NODES},
    FIREWALL.name: NODES_OF_FIREWALL,
}


def read_packets(client: Client, since: datetime, sources: Sequence[str]) -> dict[str, WatchSample]:
    """Ask the analytics which packets the account dropped from a moment up to now, by Cloudflare's
    clock; one query asks all of the sources."""
    now = client.now or datetime.now(timezone.utc)
    pages: dict[str, RowsPage] = {}
    for source in sources:
        nodes = WATCHED_SETS[source]
        for node in (nodes.packets, nodes.dropped):
            pages[node.name] = RowsPage(node, since, now)
        pages[nodes.earlier.name] = RowsPage(nodes.earlier, since - HOUR_BEFORE, since)
    asked = tuple(page.node for page in pages.values())
    account_id = client.owner[ACCOUNT_OPTION]
    account = AccountTraffic(client.ask, account_id, since, now, nodes=asked)
    by_node = account.read([*pages.values()])
    return {source: sample_of(WATCHED_SETS[source].listings(by_node), now) for source in sources}
