# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Asks the analytics of an account: one query where a page suffices, and more where it does not.

Nothing here fails a task: what cannot be learned is said with its reason.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import product
from typing import Callable, Mapping, NamedTuple, Sequence

from .._api.responses import Request, Response
from .._errors import ServiceError
from .._text import Unread, plural
from .._values.address_set import INSIDE, OUTSIDE, STRADDLING, Ranges
from .queries import (
    DROP,
    NODES,
    NOTHING_SEEN,
    REQUESTS,
    NodeRows,
    NodeSettings,
    Page,
    Row,
    Traffic,
    TrafficNode,
    is_about,
    is_final,
    node_of,
    position_of,
    query,
    read_answer,
)

GRAPHQL_PATH = "graphql"
MAX_PAGES = 20  # of one node
MARGIN = 60  # seconds, which may pass until Cloudflare looks at its clock
NO_SETTINGS = "The analytics do not tell how long they are kept."
MAX_STRADDLING = 200  # subnets that one query asks for address by address
Send = Callable[[Request], Response]


@dataclass(frozen=True)
class NodeTraffic:
    """The rows of a node so far, the page that was asked for last, what is not known, and which
    settings make the time that it covers shorter."""

    page: Page
    rows: Sequence[Row] = ()
    unknown: Sequence[str] = ()
    cut: Sequence[str] = ()

    def without(self, *reasons: str) -> NodeTraffic:
        """The same listing with more that is not known."""
        return replace(self, unknown=list(dict.fromkeys([*self.unknown, *reasons])))


def ask_traffic(
    send: Send, account_id: str, components: Sequence[str], since: datetime, until: datetime
) -> AccountTraffic:
    """The traffic of some components between two moments, by subnet."""
    asking = AccountTraffic(send, account_id, since, until)
    of_components = {node_of(component) for component in components}
    pages = [Page(node, since, until) for node in NODES if node in of_components]
    return replace(asking, by_node=asking.first(pages))


def ask_requests(
    send: Send, zone_id: str, dimensions: Sequence[str], since: datetime, until: datetime
) -> NodeTraffic:
    """The requests to a zone between two moments, grouped by these dimensions, asked for in as many
    queries as its settings demand."""
    node = REQUESTS._replace(grouped_by=tuple(dimensions))
    asking = AccountTraffic(send, zone_id, since, until, nodes=(node,))
    listing, longest, end = NodeTraffic(Page(node, since, until)), until - since, until
    try:
        allowed = asking.ask((), with_settings=True).settings.get(node.name)
        if not allowed:
            listing = listing.without(NO_SETTINGS)
        else:
            longest = timedelta(seconds=allowed.max_duration or longest.total_seconds())
            listing = within_settings(listing.page, allowed._replace(max_duration=None))
            listing = replace(listing, cut=()).without(*listing.cut)
            end = until if allowed.enabled else since
        while end > listing.page.since:
            window = listing.page._replace(since=max(listing.page.since, end - longest), until=end)
            part = asking.complete(asking.listing(window, asking.ask([window])))
            listing = replace(listing, rows=[*listing.rows, *part.rows]).without(*part.unknown)
            end = window.since
    except Unread as exc:
        return listing.without(exc.reason)
    return listing


TOP: Mapping[str, str] = {  # lists of the heaviest traffic, by the dimension that each counts
    "sources": "ipSourceAddress",
    "source_networks": "ipSourceSubnet",
    "asns": "sourceAsn",
    "countries": "sourceCountry",
    "ports": "destinationPort",
}


class Heaviest(NamedTuple):
    """The packets that were dropped, or would have been, by each list of TOP and value, and what is
    not known."""

    packets: Mapping[str, Mapping[str, int]]
    unknown: Sequence[str]


@dataclass(frozen=True)
class AccountTraffic:
    """Asks about one account, or zone; the listings so far are by the name of the node."""

    send: Send
    account_id: str
    since: datetime
    until: datetime
    by_node: Mapping[str, NodeTraffic] = field(default_factory=dict)
    nodes: Sequence[TrafficNode] = NODES

    def traffic(self, spaces: Sequence[Ranges] | None = None) -> Traffic:
        """The traffic to all destinations, or to those in one of some spaces.

        Subnets that lie in a space only in part are asked for address by address.
        """
        listings = self.by_node
        if spaces is not None:
            listings = {name: self.within(one, spaces) for name, one in listings.items()}
        return Traffic(
            self.since,
            self.until,
            {name: listing.rows for name, listing in listings.items()},
            {name: [*item.cut, *item.unknown] for name, item in listings.items()},
        )

    def heaviest(self, number: int) -> Heaviest:
        """The heaviest traffic that was dropped, or would have been, in one query for all nodes."""
        unknown = [why for item in self.by_node.values() for why in (*item.cut, *item.unknown)]
        if not unknown and not any(item.rows for item in self.by_node.values()):
            unknown = [NOTHING_SEEN]
        dropping = [item.page for item in self.by_node.values() if any(map(_drops, item.rows))]
        pages = []
        for page, (name, key) in product(dropping, TOP.items()):
            node = page.node._replace(name=f"{page.node.name}_{name}", key=key, grouped_by=())
            pages.append((name, page._replace(node=node, limit=number, heaviest=True)))
        packets: dict[str, Counter[str]] = {name: Counter() for name in TOP}
        try:
            answer = self.ask([page for _name, page in pages]) if pages else NodeRows({}, {})
        except Unread as exc:
            return Heaviest(packets, [*unknown, exc.reason])
        for name, page in pages:
            for row in answer.rows.get(page.node.name, ()):
                packets[name][row.destination] += row.packets
        heaviest = {name: dict(values.most_common(number)) for name, values in packets.items()}
        return Heaviest(heaviest, [*unknown, *(error.reason for error in answer.errors)])

    def ask(self, pages: Sequence[Page], with_settings: bool = False) -> NodeRows:
        """One query; raises Unread."""
        body = query(self.account_id, pages, with_settings, self.nodes)
        request = Request("POST", GRAPHQL_PATH, body=body, about=self.account_id, is_final=is_final)
        try:
            response = self.send(request)
        except ServiceError as exc:
            raise Unread(f"The analytics did not answer: {exc.message}") from exc
        return read_answer(response, pages, self.nodes)

    def first(self, pages: Sequence[Page]) -> dict[str, NodeTraffic]:
        """The whole listing of each node, by its name."""
        try:
            answer = self.ask(pages, with_settings=True)
        except Unread as exc:
            if exc.at is None:
                return {page.node.name: NodeTraffic(page).without(exc.reason) for page in pages}
            return self.by_settings(pages, exc)
        listings = [self.complete(self.listing(page, answer)) for page in pages]
        listings = [
            one if one.page.node.name in answer.settings else one.without(NO_SETTINGS)
            for one in listings
        ]
        return {listing.page.node.name: listing for listing in listings}

    def by_settings(self, pages: Sequence[Page], refusal: Unread) -> dict[str, NodeTraffic]:
        """The listings as far as the account's settings allow them, each asked for by itself."""
        try:
            settings = self.ask((), with_settings=True).settings
        except Unread:
            settings = {}
        return {page.node.name: self.alone(page, settings, refusal) for page in pages}

    def alone(
        self, page: Page, settings: Mapping[str, NodeSettings], refusal: Unread
    ) -> NodeTraffic:
        """The listing of one node, within its settings."""
        allowed = settings.get(page.node.name)
        if allowed is None:
            return NodeTraffic(page).without(refusal.reason)
        listing = within_settings(page, allowed)
        if not allowed.enabled:
            return listing
        try:
            answer = self.ask([listing.page])
        except Unread as exc:
            return listing.without(exc.reason)
        answered = self.listing(listing.page, answer).without(*listing.unknown)
        return self.complete(replace(answered, cut=listing.cut))

    def listing(self, page: Page, answer: NodeRows) -> NodeTraffic:
        """One page of an answer, with what is not known of it."""
        errors = [error.reason for error in answer.errors if is_about(error, page.node)]
        allowed = answer.settings.get(page.node.name)
        listing = within_settings(page, allowed) if allowed else NodeTraffic(page)
        listing = replace(listing, rows=answer.rows.get(page.node.name, ()))
        return replace(listing, unknown=errors).without(*listing.unknown)

    def complete(self, listing: NodeTraffic) -> NodeTraffic:
        """The listing with the pages behind its first one; each begins with the last destination of
        the one before, whose rows may be cut."""
        pages, last = 1, listing.rows
        while len(last) >= listing.page.limit:
            edge = last[-1].destination
            if last[0].destination == edge or pages == MAX_PAGES:
                rows = plural(len(listing.rows), "row", "rows")
                return listing.without(f"The analytics have more than {rows}, a full page.")
            page = listing.page._replace(first=edge)
            try:
                answer = self.ask([page])
            except Unread as exc:
                return listing.without(exc.reason)
            last = answer.rows.get(page.node.name, ())
            if not last or last[0].destination != edge:
                return listing.without("The pages of the analytics do not follow on each other.")
            kept = [row for row in listing.rows if row.destination != edge]
            errors = [error.reason for error in answer.errors]
            listing = replace(listing, rows=[*kept, *last]).without(*errors)
            pages += 1
        return listing

    def within(self, listing: NodeTraffic, spaces: Sequence[Ranges]) -> NodeTraffic:
        """The rows with destinations in a space; subnets that straddle an edge, by address."""
        positions = [(row, position_of(row, spaces)) for row in listing.rows]
        inside = [row for row, position in positions if position == INSIDE]
        straddling = [row.destination for row, position in positions if position == STRADDLING]
        subnets = tuple(dict.fromkeys(straddling))
        listing = replace(listing, rows=inside)
        if not subnets:
            return listing
        if len(subnets) > MAX_PAGES * MAX_STRADDLING:
            reason = f"{len(subnets)} subnets are only in part of what is asked for."
            return listing.without(reason)
        for first in range(0, len(subnets), MAX_STRADDLING):
            of_page = subnets[first : first + MAX_STRADDLING]
            page = listing.page._replace(subnets=of_page, first=None)
            try:
                by_address = self.complete(self.listing(page, self.ask([page])))
            except Unread as exc:
                return listing.without(exc.reason)
            rows = [row for row in by_address.rows if position_of(row, spaces) != OUTSIDE]
            listing = replace(listing, rows=[*listing.rows, *rows]).without(*by_address.unknown)
        return listing


def _drops(row: Row) -> bool:
    return DROP in (row.outcome, row.verdict)


def within_settings(page: Page, allowed: NodeSettings) -> NodeTraffic:
    """A page as far as the settings of its owner allow it, from a later moment on, and what they
    keep back; it has no rows yet."""
    owner, seconds = page.node.owner, (page.until - page.since).total_seconds()
    unknown = []
    if not allowed.enabled:
        unknown = [f"The {owner} has no analytics of {page.node.product}."]
    elif allowed.odd:
        unknown = [f"The settings of the analytics are not understood: {', '.join(allowed.odd)}."]
    bounds = {
        "are kept for": allowed.not_older_than,
        "take ranges of at most": allowed.max_duration,
    }
    limits = {what: limit for what, limit in bounds.items() if limit}
    hours = f"{seconds / 3600:g} h are asked for"
    cut = [
        f"The {owner}'s analytics {what} {limit / 3600:g} h, and {hours}."
        for what, limit in limits.items()
        if limit < seconds
    ]
    longest = min([seconds, *(limit - MARGIN for limit in limits.values())])
    since = page.until - timedelta(seconds=max(0, longest))
    rows = min(page.limit, allowed.max_page_size or page.limit)
    return NodeTraffic(page._replace(since=since, limit=rows), unknown=unknown, cut=cut)
