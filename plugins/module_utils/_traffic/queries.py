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
from .._schema.account import COMPONENTS
from .._schema.products import DNS, NETWORK_FIREWALL, TCP
from .._text import Unread, excerpt
from .._timestamps import write_time
from .._values.address_set import INSIDE, OUTSIDE, STRADDLING, Ranges, position_in, range_of

PERMISSIONS = {  # to read the analytics, by the owner of a node
    "account": "Account Analytics Read (account)",
    "zone": "Analytics Read (zone)",
}
SUBNET, ADDRESS, HOUR = "ipDestinationSubnet", "ipDestinationAddress", "datetimeHour"
DATA_CENTER, REASON, OUTCOME, VERDICT = "coloCode", "mitigationReason", "outcome", "verdict"
GROUPED_BY = (DATA_CENTER, REASON, OUTCOME, VERDICT)  # beside the destination
LIMITS_OF_NODES = ("notOlderThan", "maxDuration", "maxPageSize")
NODE_SETTINGS = ("enabled", *LIMITS_OF_NODES, "maxNumberOfFields")
PASS, DROP = "pass", "drop"


class TrafficNode(NamedTuple):
    """A data set of the analytics: a node of the GraphQL schema below an account or zone. `field`
    is its name in the schema, `name` its alias in our queries. Its rows are about one `product` and
    are grouped by dimensions, first by its `key` if it has one. Rows of requests come in the order
    of their number, and meet the conditions in `only`.
    """

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
    def by_hour(self) -> TrafficNode:
        """The same node with rows by hour, and by subnet unless it is about requests."""
        key = "" if self.of_requests else SUBNET
        return self._replace(name=f"{self.name}_hours", key=key, grouped_by=(HOUR,))

    @property
    def filter_type(self) -> str:
        """The type of its filter in the vendor's schema."""
        owner = self.owner.capitalize()
        initial, further_letters = self.field[0], self.field[1:]
        return f"{owner}{initial.upper()}{further_letters}Filter_InputObject"

    @property
    def components(self) -> tuple[str, ...]:
        """The components of the protection that its data are about."""
        components = COMPONENTS.items()
        return tuple(name for name, component in components if component.product == self.product)


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


PACKETS = TrafficNode(  # all that come to the networks of an account
    "packets",
    "magicTransitNetworkAnalyticsAdaptiveGroups",
    "packets",
    grouped_by=(),
    of_requests=True,
)
FIREWALL = TrafficNode(  # those that a rule of the Network Firewall matched
    "firewall",
    "magicFirewallNetworkAnalyticsAdaptiveGroups",
    NETWORK_FIREWALL,
    grouped_by=("ruleId",),
    of_requests=True,
)


def node_of(component: str) -> TrafficNode:
    """The node with the data of a component."""
    return next(node for node in NODES if component in node.components)


CHALLENGE = "CHALLENGE"  # how the reasons of SYN flood protection begin
ADVICE_BY_STATE_REASON: Mapping[str, str] = {  # by the reasons of out-of-state TCP protection
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
    """Return whether a packet with this reason counts for a component; an unknown reason counts for
    each component of its node."""
    if len(node_of(component).components) == 1:
        return True
    if reason.startswith(CHALLENGE):
        return component == "syn_flood"
    return component == "out_of_state_tcp" if reason in ADVICE_BY_STATE_REASON else True


LARGEST_PAGE = 10_000  # rows; smaller where the account's settings say so


class RowsPage(NamedTuple):
    """A request for one page of rows of a node: the time to cover, the number of rows, and the
    destination to begin with (None for the first page). Rows are by address for these `subnets`,
    and by subnet without them. With `heaviest`, the rows with the most dropped packets come first.
    """

    node: TrafficNode
    since: datetime
    until: datetime
    limit: int = LARGEST_PAGE
    start: str | None = None
    subnets: tuple[str, ...] | None = None
    heaviest: bool = False

    @property
    def destination(self) -> str:
        """The dimension that has the destination, or the key of the node."""
        if self.subnets is not None:
            return ADDRESS
        return self.node.key or SUBNET

    @property
    def dimensions(self) -> tuple[str, ...]:
        """All dimensions by which the rows are grouped."""
        if self.node.of_requests:
            return self.node.grouped_by
        return (self.destination, *self.node.grouped_by)

    def conditions(self) -> dict[str, Any]:
        """The filter of the rows, by the names of the vendor's schema."""
        conditions: dict[str, Any] = {
            "datetime_geq": write_time(self.since),
            "datetime_lt": write_time(self.until),
        }
        conditions.update(self.node.only)
        if self.subnets is not None:
            conditions[f"{SUBNET}_in"] = list(self.subnets)
        if self.start is not None:
            conditions[f"{self.destination}_geq"] = self.start
        if self.heaviest:
            conditions["OR"] = [{OUTCOME: DROP}, {VERDICT: DROP}]
        return conditions


def query(
    owner_id: str,
    pages: Sequence[RowsPage],
    with_settings: bool = False,
    nodes: Sequence[TrafficNode] = NODES,
) -> dict[str, Any]:
    """The body of a call that requests one page of each node. `with_settings` also requests the
    settings of all nodes.
    """
    return _query_of([_OwnerQuery("", owner_id, pages, with_settings, nodes)])


def joined_query(
    pages_by_owner: Mapping[str, Sequence[RowsPage]],
    with_settings: bool = False,
    nodes: Sequence[TrafficNode] = NODES,
) -> dict[str, Any]:
    """The body of a call that requests pages of several owners, each in a part of its own."""
    return _query_of(
        [
            _OwnerQuery(_prefix(place), owner_id, pages, with_settings, nodes)
            for place, (owner_id, pages) in enumerate(pages_by_owner.items())
        ]
    )


def _prefix(place: int) -> str:
    """The beginning of the names that belong to one of several owners."""
    return f"of{place}_"


def part_of_answer(document: Any, place: int) -> dict[str, Any] | None:
    """The part of the answer to a joined query that is about the owner at a place, as if it had
    been asked alone; None if there is none."""
    viewer = document.get("data") if isinstance(document, dict) else None
    viewer = viewer.get("viewer") if isinstance(viewer, dict) else None
    name = f"{_prefix(place)}accounts"
    if not isinstance(viewer, dict) or viewer.get(name) is None:
        return None
    errors = document.get("errors")
    about = [error for error in errors if _is_about_part(error, name)] if errors else None
    return {"data": {"viewer": {"accounts": viewer[name]}}, "errors": about}


def _is_about_part(error: Any, name: str) -> bool:
    """Return whether an error is about a part of a joined query, or names no part."""
    path = error.get("path") if isinstance(error, dict) else None
    return not isinstance(path, list) or len(path) < 2 or path[1] == name


class _OwnerQuery(NamedTuple):
    """The part of a query that is about one owner; its names begin with `prefix`."""

    prefix: str
    owner_id: str
    pages: Sequence[RowsPage]
    with_settings: bool
    nodes: Sequence[TrafficNode]

    def declared(self) -> Iterator[str]:
        """The declarations of its variables."""
        yield f"${self.prefix}account: string!"
        for page in self.pages:
            name = f"{self.prefix}{page.node.name}"
            yield from (f"${name}: {page.node.filter_type}!", f"${name}Limit: uint64!")

    def variables(self) -> dict[str, Any]:
        """The values of its variables."""
        variables: dict[str, Any] = {f"{self.prefix}account": self.owner_id}
        for page in self.pages:
            name = f"{self.prefix}{page.node.name}"
            variables.update({name: page.conditions(), f"{name}Limit": page.limit})
        return variables

    def selection(self) -> str:
        """The selection of its nodes."""
        owner = self.nodes[0].owner
        selections = [_settings_query(self.nodes)] if self.with_settings else []
        selections += [_rows_query(page, self.prefix) for page in self.pages]
        return (
            f"{self.prefix}accounts: {owner}s(filter: {{{owner}Tag: ${self.prefix}account}})"
            f" {{ {' '.join(selections)} }}"
        )


def _query_of(parts: Sequence[_OwnerQuery]) -> dict[str, Any]:
    declared: list[str] = []
    variables: dict[str, Any] = {}
    for part in parts:
        declared += part.declared()
        variables.update(part.variables())
    selections = " ".join(part.selection() for part in parts)
    text = f"query Traffic({', '.join(declared)}) {{ viewer {{ {selections} }} }}"
    return {"query": text, "variables": variables}


def _settings_query(nodes: Sequence[TrafficNode]) -> str:
    settings = " ".join(NODE_SETTINGS)
    selections = dict.fromkeys(f"{node.field} {{ {settings} }}" for node in nodes)
    return f"settings {{ {' '.join(selections)} }}"


def _rows_query(page: RowsPage, prefix: str) -> str:
    node = page.node
    variable = f"${prefix}{node.name}"
    dimensions = page.dimensions
    order = ", ".join(_order_of(page))
    arguments = f"filter: {variable}, limit: {variable}Limit, orderBy: [{order}]"
    measure = _nested_selection(node.measure)
    samples = _nested_selection((*node.measure, "sampleSize"))
    grouping = f"dimensions {{ {' '.join(dimensions)} }} " if dimensions else ""
    return (
        f"{node.name}: {node.field}({arguments}) {{ "
        f"{measure} "
        f"confidence(level: 0.95) {{ {samples} }} "
        f"{grouping}}}"
    )


def _order_of(page: RowsPage) -> list[str]:
    if page.node.of_requests:
        return [f"{'_'.join(page.node.measure)}_DESC"]
    order = [f"{name}_ASC" for name in page.dimensions]
    return ["sum_packets_DESC", *order] if page.heaviest else order


def _nested_selection(names: Sequence[str]) -> str:
    """A nested GraphQL selection, such as `a { b { c } }`, for the names a, b, c."""
    closing = " }" * (len(names) - 1)
    return " { ".join(names) + closing


FEWEST_SAMPLES = 30  # below, a share of packets says nothing
PERCENT_DIGITS = 3  # of a percentage


class Row(NamedTuple):
    """A group of packets, requests or events that have the same values: `packets` is their number,
    `samples` the number of those that were seen. A row of events has the id of the rule as its
    destination, and the action as its outcome, or an hour. A row of requests has all dimensions in
    `values`.
    """

    destination: str
    data_center: str
    reason: str
    outcome: str
    verdict: str
    packets: int
    samples: int
    values: Sequence[Any] = ()

    @property
    def drops(self) -> bool:
        """Return whether the packets were dropped, or would have been."""
        return DROP in (self.outcome, self.verdict)


def position_of(row: Row, spaces: Sequence[Ranges]) -> str:
    """INSIDE if a row's destination lies in one of the spaces, OUTSIDE if it lies in none,
    STRADDLING if a part of it does. A destination that is not understood counts as INSIDE.
    """
    destination = range_of(row.destination)
    if not destination:
        return INSIDE
    positions = {position_in(destination, space) for space in spaces}
    if STRADDLING in positions:
        return STRADDLING
    return INSIDE if INSIDE in positions else OUTSIDE


@dataclass(frozen=True)
class Traffic:
    """The traffic of an account by the name of the node; `unknown` are the reasons why something is
    not known."""

    since: datetime
    until: datetime
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    unknown: Mapping[str, Sequence[str]] = field(default_factory=dict)


def percentage(part: int, total: int) -> float | None:
    """The percentage that a part is of a total. A small part is never rounded to zero; None if the
    total is zero.
    """
    if not total:
        return None
    exact = 100 * part / total
    return round(exact, PERCENT_DIGITS) or float(f"{exact:.1g}")


def too_few(samples: int, noun: str = "packets") -> str:
    """The reason why the percentage of so few samples is not known."""
    return f"Only {samples} {noun} were sampled, fewer than {FEWEST_SAMPLES}."


FINAL = re.compile(
    rb"too many nodes|excessive resources|budget depleted|exceeded its rate limit"
    rb'|"code": ?"budget"'
)
NOTHING_SEEN = "The analytics saw no traffic."
LONGEST_ERROR = 200  # characters


class ErrorKind(NamedTuple):
    """A kind of error that the analytics answer, recognised by its code and message, with advice
    for the user. `{permission}` in the advice stands for the permission that the query needs.
    `is_of_settings` says whether the owner's settings may explain the error.
    """

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
        "access to the path", "The account may lack the product, or the token {permission}.", True
    ),
    ErrorKind("not authorized|permission", "The token needs the permission {permission}."),
    ErrorKind("unauthorized|authentication", "Cloudflare does not know these credentials."),
    ErrorKind("try again|in progress", "Run again later."),
)
BY_STATUS = {
    401: "Cloudflare does not know these credentials.",
    403: "The token needs the permission {permission}.",
    429: "Run again in five minutes.",
}


class UnreadAnswer(Unread):
    """The analytics refused a query, or the answer is not understood. `node` is the node that this
    is about, None for the whole answer. If `settings_may_tell`, the account's settings may say
    which limits a query has to keep.
    """

    def __init__(
        self, reason: str, node: TrafficNode | None = None, settings_may_tell: bool = False
    ) -> None:
        super().__init__(reason)
        self.node = node
        self.settings_may_tell = settings_may_tell

    def is_about(self, node: TrafficNode) -> bool:
        """Return whether it concerns this node, or all nodes."""
        return self.node in (None, node)


class NodeSettings(NamedTuple):
    """The limits that an account's settings put on queries to a node, in seconds and numbers; None
    for limits that are not reported. `not_understood` names the settings that could not be read.
    """

    enabled: bool
    not_older_than: int | None
    max_duration: int | None
    max_page_size: int | None
    not_understood: Sequence[str] = ()


class NodeRows(NamedTuple):
    """An answer to a query: the rows and the settings of each node by its name, and the errors."""

    rows: Mapping[str, Sequence[Row]]
    settings: Mapping[str, NodeSettings]
    errors: Sequence[UnreadAnswer] = ()


def is_final(response: Response) -> bool:
    """Return whether another attempt is of no use: the query is too large, or the budget of queries
    is used up, which lasts for five minutes, longer than any pause between attempts.
    """
    return bool(FINAL.search(response.content))


def read_answer(
    response: Response, pages: Sequence[RowsPage], nodes: Sequence[TrafficNode] = NODES
) -> NodeRows:
    """The answer to a query for these pages; raises UnreadAnswer."""
    permission = PERMISSIONS[nodes[0].owner]
    try:
        document = read_document(response.content)
    except Unread as exc:
        raise _unexpected(response, exc.reason, permission) from exc
    errors = list(_errors(response, document, permission))
    account = _account_in(document)
    if account is None:
        raise errors[0] if errors else _unexpected(response, "it names no account", permission)
    rows: dict[str, list[Row]] = {}
    for page in pages:
        try:
            rows[page.node.name] = _rows(account.get(page.node.name), page)
        except UnreadAnswer as exc:
            if not any(error.is_about(page.node) for error in errors):
                errors.append(exc)
    return NodeRows(rows, _settings(account.get("settings"), nodes), errors)


def _unexpected(response: Response, problem: str, permission: str) -> UnreadAnswer:
    hint = BY_STATUS.get(response.status, "").format(permission=permission)
    event = f"The analytics were answered with HTTP {response.status}, and {problem}."
    return UnreadAnswer(f"{event} {hint}" if hint else event)


def _errors(response: Response, document: Any, permission: str) -> Iterator[UnreadAnswer]:
    """The errors of an answer, in the envelope of the analytics or in the usual one."""
    errors = document.get("errors") if isinstance(document, dict) else None
    if errors is None:
        return
    if not isinstance(errors, list):
        errors = [errors]
    for error in errors:
        fields = error if isinstance(error, dict) else {"message": error}
        yield _error_of_analytics(response.status, fields, permission)


def _error_of_analytics(status: int, error: Mapping[str, Any], permission: str) -> UnreadAnswer:
    message = str(error.get("message") or "it gave no reason")
    words = " ".join(message.split())
    reason = excerpt(words, LONGEST_ERROR).rstrip(".")
    event = f"The analytics were answered with HTTP {status}: {reason}."
    node = _node_in(error, message)
    kind = _kind_of_error(error, message)
    if kind:
        to_do = kind.to_do.format(permission=permission)
        return UnreadAnswer(f"{event} {to_do}", node, kind.is_of_settings)
    to_do = BY_STATUS.get(status, "").format(permission=permission)
    return UnreadAnswer(f"{event} {to_do}" if to_do else event, node)


def _kind_of_error(error: Mapping[str, Any], message: str) -> ErrorKind | None:
    """The kind of an error, by its code and message; None if there is no such kind."""
    extensions = error.get("extensions")
    code = extensions.get("code", "") if isinstance(extensions, dict) else ""
    for kind in ERRORS:
        if re.search(kind.pattern, f"{code} {message}", re.IGNORECASE):
            return kind
    return None


def _node_in(error: Mapping[str, Any], message: str) -> TrafficNode | None:
    """The node that an error is about, by its path or its message."""
    path = error.get("path")
    steps = path if isinstance(path, list) else []
    for node in NODES:
        if node.name in steps or node.field in message:
            return node
    return None


def _account_in(document: Any) -> Mapping[str, Any] | None:
    for step in ("data", "viewer", "accounts"):
        document = document.get(step) if isinstance(document, dict) else None
    account = document[0] if isinstance(document, list) and document else None
    return account if isinstance(account, dict) else None


def _rows(groups: Any, page: RowsPage) -> list[Row]:
    if not isinstance(groups, list):
        raise UnreadAnswer("The analytics gave no rows.", page.node)
    return [_row(group, page) for group in groups]


def _row(group: Any, page: RowsPage) -> Row:
    measure = page.node.measure
    try:
        dimensions = group.get("dimensions")
        packets = reduce(getitem, measure, group)
        samples = reduce(getitem, ("confidence", *measure, "sampleSize"), group)
        values = [dimensions[name] for name in page.dimensions]
    except (AttributeError, KeyError, TypeError) as exc:
        raise UnreadAnswer("The analytics gave a row that lacks fields.", page.node) from exc
    texts = [_dimension_text(value) for value in values]
    are_counts = _is_count(packets) and _is_count(samples)
    if not are_counts or not all(isinstance(text, str) for text in texts):
        raise UnreadAnswer("The analytics gave a row that is not understood.", page.node)
    if page.node.of_requests:
        return Row("", "", "", "", "", packets, samples, tuple(values))
    if page.node.key:
        return Row(texts[0], "", "", "".join(texts[1:]), "", packets, samples)
    destination, data_center, reason, outcome, verdict = texts
    return Row(destination, data_center, reason, outcome, verdict, packets, samples)


def _dimension_text(value: Any) -> Any:
    """The value of a dimension; a number, such as a port, becomes text."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_integer else value


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and value >= 0


def _settings(answer: Any, nodes: Sequence[TrafficNode]) -> dict[str, NodeSettings]:
    """The settings by the name of the node; nodes that the answer does not mention are left out."""
    settings: dict[str, NodeSettings] = {}
    for node in nodes:
        answer_of_node = answer.get(node.field) if isinstance(answer, dict) else answer
        if answer_of_node is not None:
            settings[node.name] = _settings_of_node(answer_of_node)
    return settings


def _settings_of_node(answer: Any) -> NodeSettings:
    values = answer if isinstance(answer, dict) else {}
    enabled = values.get("enabled")
    not_understood = [] if isinstance(enabled, bool) else ["enabled"]
    limits: list[int | None] = []
    for name in LIMITS_OF_NODES:
        limit = _positive(values.get(name))
        if limit is None and values.get(name) is not None:
            not_understood.append(name)
        limits.append(limit)
    oldest, longest, page_size = limits
    return NodeSettings(
        enabled=enabled is not False,
        not_older_than=oldest,
        max_duration=longest,
        max_page_size=page_size,
        not_understood=tuple(not_understood),
    )


def _positive(value: Any) -> int | None:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return value if is_integer and value > 0 else None
