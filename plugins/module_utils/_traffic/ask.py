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
from typing import Callable, Mapping, NamedTuple, Sequence

from .._api.responses import Request, Response
from .._errors import ServiceError
from .._text import Unread, plural
from .._values.address_set import INSIDE, OUTSIDE, STRADDLING, Ranges
from .queries import (
    NODES,
    NOTHING_SEEN,
    REQUESTS,
    NodeRows,
    NodeSettings,
    Row,
    RowsPage,
    Traffic,
    TrafficNode,
    UnreadAnswer,
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
    """The reading of one node so far: its `rows`, the last page that was requested, and the reasons
    why something is not known. `cut` names the settings of the account that shorten the time that
    the rows cover. Of requests, there are the rows by hour as well.
    """

    page: RowsPage
    rows: Sequence[Row] = ()
    unknown: Sequence[str] = ()
    cut: Sequence[str] = ()
    hourly_rows: Sequence[Row] = ()

    def without(self, *reasons: str) -> NodeTraffic:
        """The same listing with further reasons why something is not known."""
        return replace(self, unknown=list(dict.fromkeys([*self.unknown, *reasons])))


def ask_traffic(
    send: Send,
    account_id: str,
    components: Sequence[str],
    since: datetime,
    until: datetime,
    by_hour: bool = False,
) -> AccountTraffic:
    """The traffic of some components between two moments, by subnet; with `by_hour`, by subnet and
    hour as well."""
    asked_nodes = {node_of(component) for component in components}
    nodes = [node for node in NODES if node in asked_nodes]
    nodes_of_hours = [node.by_hour for node in nodes if by_hour]
    all_nodes = (*NODES, *nodes_of_hours)
    account = AccountTraffic(send, account_id, since, until, nodes=all_nodes)
    listings = account.read([RowsPage(node, since, until) for node in (*nodes, *nodes_of_hours)])
    by_node = {node.name: listings[node.name] for node in nodes}
    hourly = {node.name: listings[node.by_hour.name] for node in nodes if by_hour}
    return replace(account, by_node=by_node, hourly_by_node=hourly)


def ask_requests(
    send: Send,
    zone_id: str,
    dimensions: Sequence[str],
    since: datetime,
    until: datetime,
    piece: timedelta = timedelta.max,
) -> NodeTraffic:
    """The requests to a zone between two moments, grouped by these dimensions, read in as many
    queries as the zone's settings demand, each for no longer than a `piece`."""
    node = REQUESTS._replace(grouped_by=tuple(dimensions))
    return ask_groups(send, zone_id, node, since, until, piece)


def ask_groups(
    send: Send,
    zone_id: str,
    node: TrafficNode,
    since: datetime,
    until: datetime,
    piece: timedelta = timedelta.max,
) -> NodeTraffic:
    """The groups of requests, or of events, of a zone between two moments; see ask_requests."""
    zone = AccountTraffic(send, zone_id, since, until, nodes=(node,))
    page = RowsPage(node, since, until)
    try:
        answer = zone.ask((), with_settings=True)
    except Unread as exc:
        return NodeTraffic(page).without(exc.reason)
    allowed = answer.settings.get(node.name)
    if not allowed:
        window = min(until - since, piece)
        return zone.read_windows(NodeTraffic(page).without(NO_SETTINGS), window)
    listing = within_settings(page, allowed._replace(max_duration=None))
    listing = replace(listing, cut=()).without(*listing.cut)
    if not allowed.enabled:
        return listing
    longest = (until - since).total_seconds()
    window = min(timedelta(seconds=allowed.max_duration or longest), piece)
    return zone.read_windows(listing, window)


TOP: Mapping[str, str] = {  # lists of the heaviest traffic, by the dimension that each counts
    "sources": "ipSourceAddress",
    "source_networks": "ipSourceSubnet",
    "asns": "sourceAsn",
    "countries": "sourceCountry",
    "ports": "destinationPort",
}


class Heaviest(NamedTuple):
    """The heaviest dropped packets (or packets that would have been dropped), by the name of a list
    of TOP, such as the sources, and then by value; and the reasons why something is not known.
    """

    packets: Mapping[str, Mapping[str, int]]
    unknown: Sequence[str]


@dataclass(frozen=True)
class AccountTraffic:
    """The analytics of one account, or one zone, from `since` to `until`. `by_node` has what was
    read so far, by the name of the GraphQL node, and `hourly_by_node` the same by hour.
    """

    send: Send
    account_id: str
    since: datetime
    until: datetime
    by_node: Mapping[str, NodeTraffic] = field(default_factory=dict)
    nodes: Sequence[TrafficNode] = NODES
    hourly_by_node: Mapping[str, NodeTraffic] = field(default_factory=dict)

    def traffic(self, spaces: Sequence[Ranges] | None = None) -> Traffic:
        """The traffic to all destinations, or only to those in some spaces (sets of addresses). A
        subnet of which a part lies in a space is read address by address.
        """
        rows: dict[str, Sequence[Row]] = {}
        unknown: dict[str, Sequence[str]] = {}
        for name, listing in self.by_node.items():
            if spaces is not None:
                listing = self.limited_to(spaces, listing)
            rows[name] = listing.rows
            unknown[name] = [*listing.cut, *listing.unknown]
        return Traffic(self.since, self.until, rows, unknown)

    def heaviest(self, number: int) -> Heaviest:
        """The heaviest dropped packets, at most `number` for each list of TOP; one query asks all
        nodes.
        """
        unknown: list[str] = []
        for listing in self.by_node.values():
            unknown += [*listing.cut, *listing.unknown]
        if not unknown and not any(listing.rows for listing in self.by_node.values()):
            unknown = [NOTHING_SEEN]
        pages = self._pages_of_heaviest(number)
        packets: dict[str, Counter[str]] = {name: Counter() for name in TOP}
        if not pages:
            return Heaviest(packets, unknown)
        try:
            answer = self.ask([page for _name, page in pages])
        except Unread as exc:
            return Heaviest(packets, [*unknown, exc.reason])
        for name, page in pages:
            for row in answer.rows.get(page.node.name, ()):
                packets[name][row.destination] += row.packets
        heaviest = {name: dict(counter.most_common(number)) for name, counter in packets.items()}
        unknown += [error.reason for error in answer.errors]
        return Heaviest(heaviest, unknown)

    def _pages_of_heaviest(self, number: int) -> list[tuple[str, RowsPage]]:
        """A page for each node that has dropped packets, and for each list of TOP; each page with
        the name of its list.
        """
        pages: list[tuple[str, RowsPage]] = []
        for listing in self.by_node.values():
            if any(row.drops for row in listing.rows):
                for name, key in TOP.items():
                    node_name = f"{listing.page.node.name}_{name}"
                    node = listing.page.node._replace(name=node_name, key=key, grouped_by=())
                    page = listing.page._replace(node=node, limit=number, heaviest=True)
                    pages.append((name, page))
        return pages

    def ask(self, pages: Sequence[RowsPage], with_settings: bool = False) -> NodeRows:
        """The answer to one query; raises UnreadAnswer."""
        body = query(self.account_id, pages, with_settings, self.nodes)
        request = Request("POST", GRAPHQL_PATH, body=body, about=self.account_id, is_final=is_final)
        try:
            response = self.send(request)
        except ServiceError as exc:
            raise UnreadAnswer(f"The analytics did not answer: {exc.message}") from exc
        return read_answer(response, pages, self.nodes)

    def read(self, pages: Sequence[RowsPage]) -> dict[str, NodeTraffic]:
        """The whole listing of each node of these pages, by the name of the node."""
        try:
            answer = self.ask(pages, with_settings=True)
        except UnreadAnswer as exc:
            if exc.node or exc.settings_may_tell:
                return self._read_by_settings(pages, exc)
            return {page.node.name: NodeTraffic(page).without(exc.reason) for page in pages}
        listings: dict[str, NodeTraffic] = {}
        for page in pages:
            listing = self._complete(self._listing_of(page, answer))
            if page.node.name not in answer.settings:
                listing = listing.without(NO_SETTINGS)
            listings[page.node.name] = listing
        return listings

    def read_windows(self, listing: NodeTraffic, longest: timedelta) -> NodeTraffic:
        """The listing with the rows of its page, read in windows of time of at most this length,
        from the last one to the first."""
        end = listing.page.until
        while end > listing.page.since:
            since = max(listing.page.since, end - longest)
            page = listing.page._replace(since=since, until=end)
            page_of_hours = page._replace(node=page.node.by_hour)
            try:
                answer = self.ask([page, page_of_hours])
                window = self._complete(self._listing_of(page, answer))
            except Unread as exc:
                return listing.without(exc.reason)
            hourly = self._listing_of(page_of_hours, answer)
            listing = replace(
                listing,
                rows=[*listing.rows, *window.rows],
                hourly_rows=[*listing.hourly_rows, *hourly.rows],
            )
            listing = listing.without(*window.unknown, *hourly.unknown)
            end = since
        return listing

    def _read_by_settings(
        self, pages: Sequence[RowsPage], refusal: UnreadAnswer
    ) -> dict[str, NodeTraffic]:
        """The listing of each node, read by a query of its own within the limits of the account's
        settings. `refusal` is the answer to the query that asked all nodes.
        """
        try:
            settings = self.ask((), with_settings=True).settings
        except Unread:
            settings = {}
        return {page.node.name: self._read_alone(page, settings, refusal) for page in pages}

    def _read_alone(
        self, page: RowsPage, settings: Mapping[str, NodeSettings], refusal: UnreadAnswer
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
        answered = self._listing_of(listing.page, answer).without(*listing.unknown)
        return self._complete(replace(answered, cut=listing.cut))

    def _listing_of(self, page: RowsPage, answer: NodeRows) -> NodeTraffic:
        """The listing of one page of an answer, with the reasons why something in it is not
        known."""
        node = page.node
        errors = [error.reason for error in answer.errors if error.is_about(node)]
        allowed = answer.settings.get(node.name)
        listing = within_settings(page, allowed) if allowed else NodeTraffic(page)
        unknown = dict.fromkeys([*errors, *listing.unknown])
        rows = answer.rows.get(node.name, ())
        return replace(listing, rows=rows, unknown=list(unknown))

    def _complete(self, listing: NodeTraffic) -> NodeTraffic:
        """The listing with all further pages. A page may end in the middle of a destination, so
        each page begins with the last destination of the page before it.
        """
        pages = 1
        page_rows = listing.rows
        while len(page_rows) >= listing.page.limit:
            start, end = page_rows[0].destination, page_rows[-1].destination
            if start == end or pages == MAX_PAGES:
                count = plural(len(listing.rows), "row", "rows")
                return listing.without(f"The analytics have more than {count}, a full page.")
            page = listing.page._replace(start=end)
            try:
                answer = self.ask([page])
            except Unread as exc:
                return listing.without(exc.reason)
            page_rows = answer.rows.get(page.node.name, ())
            if not page_rows or page_rows[0].destination != end:
                return listing.without("The pages of the analytics do not follow on each other.")
            complete_rows = [row for row in listing.rows if row.destination != end]
            errors = [error.reason for error in answer.errors]
            listing = replace(listing, rows=[*complete_rows, *page_rows]).without(*errors)
            pages += 1
        return listing

    def limited_to(self, spaces: Sequence[Ranges], listing: NodeTraffic) -> NodeTraffic:
        """The listing without rows whose destination lies in none of the spaces; a subnet across an
        edge is read address by address.
        """
        inside: list[Row] = []
        straddling: dict[str, None] = {}
        for row in listing.rows:
            position = position_of(row, spaces)
            if position == INSIDE:
                inside.append(row)
            elif position == STRADDLING:
                straddling[row.destination] = None
        listing = replace(listing, rows=inside)
        subnets = tuple(straddling)
        if len(subnets) > MAX_PAGES * MAX_STRADDLING:
            reason = f"{len(subnets)} subnets are only in part of what is asked for."
            return listing.without(reason)
        for start in range(0, len(subnets), MAX_STRADDLING):
            page_subnets = subnets[start : start + MAX_STRADDLING]
            page = listing.page._replace(subnets=page_subnets, start=None)
            try:
                by_address = self._complete(self._listing_of(page, self.ask([page])))
            except Unread as exc:
                return listing.without(exc.reason)
            rows = [row for row in by_address.rows if position_of(row, spaces) != OUTSIDE]
            listing = replace(listing, rows=[*listing.rows, *rows]).without(*by_address.unknown)
        return listing


def within_settings(page: RowsPage, allowed: NodeSettings) -> NodeTraffic:
    """A listing without rows, whose page is cut to the time that the account's settings allow. The
    listing names what the settings exclude.
    """
    owner = page.node.owner
    unknown = []
    if not allowed.enabled:
        unknown = [f"The {owner} has no analytics of {page.node.product}."]
    elif allowed.not_understood:
        names = ", ".join(allowed.not_understood)
        unknown = [f"The settings of the analytics are not understood: {names}."]
    asked = (page.until - page.since).total_seconds()
    longest = asked
    cut: list[str] = []
    bounds = {
        "are kept for": allowed.not_older_than,
        "take ranges of at most": allowed.max_duration,
    }
    asked_hours = f"{asked / 3600:g} h"
    for verb, limit in bounds.items():
        if not limit:
            continue
        longest = min(longest, limit - MARGIN)
        if limit < asked:
            hours = f"{limit / 3600:g} h"
            cut.append(f"The {owner}'s analytics {verb} {hours}, and {asked_hours} are asked for.")
    since = page.until - timedelta(seconds=max(0, longest))
    rows = min(page.limit, allowed.max_page_size or page.limit)
    return NodeTraffic(page._replace(since=since, limit=rows), unknown=unknown, cut=cut)
