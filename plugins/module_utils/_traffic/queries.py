# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Queries in GraphQL, made of the declaration alone: values travel as variables, never as text.
And their answers: rows and settings, or the reason why something is not known.

The vendor lists the errors on its page "GraphQL Analytics API: Error responses". Errors may come
with HTTP 200.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import getitem
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

from .._api.responses import Response, read_document
from .._schema.account import COMPONENTS, DNS, TCP
from .._text import Unread, excerpt
from .._timestamps import write_time
from .._values.address_set import INSIDE, OUTSIDE, STRADDLING, Ranges, position_in, range_of

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


FEWEST_SAMPLES = 30  # below, a share of packets says nothing
PERCENT_DIGITS = 3  # of a percentage


class Row(NamedTuple):
    """A sum of packets that have all of this in common; `samples` is how many of them were seen.

    Of events it is the number, with the rule as destination, and its action as outcome. Of requests
    it is the number, with all dimensions as `values`.
    """

    destination: str
    data_center: str
    reason: str
    outcome: str
    verdict: str
    packets: int
    samples: int
    values: Sequence[Any] = ()


def position_of(row: Row, spaces: Sequence[Ranges]) -> str:
    """The position of a destination: inside of a space, outside of all, or across an edge; one that
    is not understood may be inside."""
    destination = range_of(row.destination)
    positions = {position_in(destination, space) for space in spaces} if destination else {INSIDE}
    return next((one for one in (STRADDLING, INSIDE) if one in positions), OUTSIDE)


@dataclass(frozen=True)
class Traffic:
    """The traffic of an account by the name of the node; `unknown` says what is not known, and
    why."""

    since: datetime
    until: datetime
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    unknown: Mapping[str, Sequence[str]] = field(default_factory=dict)


def percentage(part: int, total: int) -> float | None:
    """The percentage that a part is, zero only of none; None if there is no total."""
    if not total:
        return None
    exact = 100 * part / total
    return round(exact, PERCENT_DIGITS) or float(f"{exact:.1g}")


def too_few(samples: int, of: str = "packets") -> str:
    """The reason why a share of so few samples is not known."""
    return f"Only {samples} {of} were sampled, fewer than {FEWEST_SAMPLES}."


FINAL = re.compile(
    rb"too many nodes|excessive resources|budget depleted|exceeded its rate limit"
    rb'|"code": ?"budget"'
)
NOTHING_SEEN = "The analytics saw no traffic."
LONGEST_ERROR = 200  # characters


class ErrorKind(NamedTuple):
    """A kind of error by its code and message, with what to do; the settings may tell more."""

    pattern: str
    to_do: str
    is_of_settings: bool = False


ERRORS = (
    ErrorKind(
        "budget|exceeded its rate limit", "Run again in five minutes; others use the same budget."
    ),
    ErrorKind("too many nodes|excessive resources", "The query is too large; ask for fewer hours."),
    ErrorKind("older than", "Ask for fewer hours.", True),
    ErrorKind("time range is too large", "Ask for fewer hours.", True),
    ErrorKind("number of fields|limit must be", "The account allows smaller queries only.", True),
    ErrorKind(
        "access to the path", f"The account may lack the product, or the token {PERMISSION}.", True
    ),
    ErrorKind("not authorized|permission", f"The token needs the permission {PERMISSION}."),
    ErrorKind("unauthorized|authentication", "Cloudflare does not know these credentials."),
    ErrorKind("try again|in progress", "Run again later."),
)
BY_STATUS = {
    401: "Cloudflare does not know these credentials.",
    403: f"The token needs the permission {PERMISSION}.",
    429: "Run again in five minutes.",
}


SETTINGS_NODE = "settings"  # may tell more of what an answer does not


class NodeSettings(NamedTuple):
    """Limits of what an account may ask of a node; seconds and numbers, None for those not told,
    and the names of those that are not understood."""

    enabled: bool
    not_older_than: int | None
    max_duration: int | None
    max_page_size: int | None
    odd: Sequence[str] = ()


class NodeRows(NamedTuple):
    """The rows of each node that was asked, by its name, the settings, and errors beside them."""

    rows: Mapping[str, Sequence[Row]]
    settings: Mapping[str, NodeSettings]
    errors: Sequence[Unread] = ()


def is_final(response: Response) -> bool:
    """Tell if the same query would be refused again, however long one waits; the budget of five
    minutes is longer than any pause."""
    return bool(FINAL.search(response.content))


def read_answer(
    response: Response, pages: Sequence[Page], nodes: Sequence[TrafficNode] = NODES
) -> NodeRows:
    """The answer to a query for these pages; raises Unread."""
    try:
        document = read_document(response.content)
    except Unread as exc:
        raise _unexpected(response, exc.reason) from exc
    errors = list(_errors(response, document))
    account = _account_in(document)
    if account is None:
        raise errors[0] if errors else _unexpected(response, "it names no account")
    rows: dict[str, list[Row]] = {}
    for page in pages:
        try:
            rows[page.node.name] = _rows(account.get(page.node.name), page)
        except Unread as exc:
            if not any(is_about(error, page.node) for error in errors):
                errors.append(exc)
    return NodeRows(rows, _settings(account.get("settings"), nodes), errors)


def is_about(error: Unread, node: TrafficNode) -> bool:
    """True if an error is about a node, or about all of them."""
    return error.at in (None, SETTINGS_NODE, node)


def _unexpected(response: Response, problem: str) -> Unread:
    hint = BY_STATUS.get(response.status, "")
    return Unread(
        f"The analytics were answered with HTTP {response.status}, and {problem}. {hint}".rstrip()
    )


def _errors(response: Response, document: Any) -> Iterator[Unread]:
    """The errors of an answer, in the envelope of the analytics or in the usual one."""
    listed = document.get("errors") if isinstance(document, dict) else None
    for item in listed if isinstance(listed, list) else [listed] if listed is not None else []:
        yield _error_of(response.status, item if isinstance(item, dict) else {"message": item})


def _error_of(status: int, error: Mapping[str, Any]) -> Unread:
    message, path = str(error.get("message") or "it gave no reason"), error.get("path")
    extensions = error.get("extensions")
    code = extensions.get("code", "") if isinstance(extensions, dict) else ""
    known = f"{code} {message}"
    kind = next((one for one in ERRORS if re.search(one.pattern, known, re.IGNORECASE)), None)
    to_do = kind.to_do if kind else BY_STATUS.get(status, "")
    steps = path if isinstance(path, list) else []
    node = next((one for one in NODES if one.name in steps or one.field in message), None)
    reason = excerpt(" ".join(message.split()), LONGEST_ERROR).rstrip(".")
    sentence = f"The analytics were answered with HTTP {status}: {reason}. {to_do}".rstrip()
    return Unread(sentence, at=node or (SETTINGS_NODE if kind and kind.is_of_settings else None))


def _account_in(document: Any) -> Mapping[str, Any] | None:
    for step in ("data", "viewer", "accounts"):
        document = document.get(step) if isinstance(document, dict) else None
    first = document[0] if isinstance(document, list) and document else None
    return first if isinstance(first, dict) else None


def _rows(listed: Any, page: Page) -> list[Row]:
    if not isinstance(listed, list):
        raise Unread("The analytics gave no rows.", at=page.node)
    return [_row(item, page) for item in listed]


def _dimension(value: Any) -> Any:
    """A dimension; a number, such as a port, as a text."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _row(item: Any, page: Page) -> Row:
    try:
        dimensions, measure = item.get("dimensions"), page.node.measure
        packets, samples = reduce(getitem, measure, item), item["confidence"]
        samples = reduce(getitem, (*measure, "sampleSize"), samples)
        values = [dimensions[name] for name in page.dimensions]
    except (AttributeError, KeyError, TypeError) as exc:
        raise Unread("The analytics gave a row that lacks fields.", at=page.node) from exc
    texts = [*map(_dimension, values)]
    whole = all(isinstance(one, int) and one >= 0 for one in (packets, samples))
    if not whole or not all(isinstance(text, str) for text in texts):
        raise Unread("The analytics gave a row that is not understood.", at=page.node)
    if page.node.of_requests:
        return Row("", "", "", "", "", packets, samples, tuple(values))
    if page.node.key:
        return Row(texts[0], "", "", "".join(texts[1:]), "", packets, samples)
    destination, data_center, reason, outcome, verdict = texts
    return Row(destination, data_center, reason, outcome, verdict, packets, samples)


def _settings(listed: Any, nodes: Sequence[TrafficNode]) -> dict[str, NodeSettings]:
    """By the name of the node; without those of which the answer says nothing."""
    of_nodes = {
        node.name: listed.get(node.field) if isinstance(listed, dict) else listed for node in nodes
    }
    return {name: _of_node(item) for name, item in of_nodes.items() if item is not None}


def _of_node(item: Any) -> NodeSettings:
    values = item if isinstance(item, dict) else {}
    enabled, limits = values.get("enabled"), {name: values.get(name) for name in LIMITS_OF_NODES}
    odd = [] if isinstance(enabled, bool) else ["enabled"]
    odd += [name for name, value in limits.items() if value is not None and not _positive(value)]
    oldest, longest, page_size = map(_positive, limits.values())
    return NodeSettings(enabled is not False, oldest, longest, page_size, tuple(odd))


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
