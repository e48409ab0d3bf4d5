# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The analytics: one call that takes queries in GraphQL, answered from the vendor's own schema and an account's flows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from flask import Blueprint, request
from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    InlineFragmentNode,
    SelectionSetNode,
    build_schema,
    graphql_sync,
    parse,
    validate,
)
from werkzeug.wrappers import Response

from .admission import within_contract
from .answers import Refusal, answer
from .contract import API
from .current import service
from .rate_limit import is_by_account
from .traffic import DELAY, HOUR, NODES, Flow, arrived, by_hours, groups, matches, moment_of

SCHEMA = Path(__file__).with_name("analytics.graphql")
PATH = "/graphql"
UNAUTHORIZED = "Unauthorized"
NOT_AUTHORIZED = "not authorized for that account"
NO_ZONE = "not authorized for that zone"
EXCEEDED = "Account {} has exceeded its rate limit. Please try again after 5 minutes"
BUDGET = {"code": "budget"}
STATUSES = {UNAUTHORIZED: 401, NOT_AUTHORIZED: 403, NO_ZONE: 403}

Info = GraphQLResolveInfo[Any]
area = Blueprint("analytics", __name__, url_prefix=API)


@cache
def schema() -> GraphQLSchema:
    """The vendor's schema, with whole numbers that are whole numbers, and nodes that are answered from flows."""
    built = build_schema(SCHEMA.read_text(encoding="utf-8"))
    for name in ("uint8", "uint16", "uint32", "uint64"):
        built.type_map[name].coerce_input_value = whole_number  # type: ignore[attr-defined]
    built.type_map["string"].coerce_input_value = text  # type: ignore[attr-defined]
    return built


def whole_number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise GraphQLError(f"error parsing args: {value!r} is no whole number")
    return value


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise GraphQLError(f"error parsing args: {value!r} is no string")
    return value


@area.errorhandler(Refusal)
def refused(refusal: Refusal) -> Response:
    """Refusals have no envelope here either."""
    return failed(refusal.status, [item["message"] for item in refusal.errors])


@area.post(PATH)
def query() -> Response:
    within_contract()
    try:
        grant = service.credentials.caller(request.headers, "analytics")
    except Refusal:
        return failed(401, [UNAUTHORIZED])
    body = request.get_json()
    problems = problems_of(body["query"])
    if problems:
        return failed(400, problems)
    service.clock.advance(seconds=service.switches.seconds_per_query)
    result = graphql_sync(
        schema(), body["query"], {"viewer": Viewer(grant)}, variable_values=body.get("variables") or {}
    )
    if not result.errors:
        return answer({"data": result.data, "errors": None})
    errors = [one_error(error.message, error.path, error.extensions) for error in result.errors]
    refused = 429 if BUDGET.items() <= errors[0]["extensions"].items() else 400
    status = 200 if service.switches.analytics_errors_under_200 else STATUSES.get(errors[0]["message"], refused)
    return answer({"data": None, "errors": errors}, status)


def problems_of(document: str) -> list[str]:
    """What is wrong with a query, by the vendor's schema."""
    try:
        return [error.message for error in validate(schema(), parse(document))]
    except GraphQLError as error:
        return [error.message]


def failed(status: int, messages: Sequence[str]) -> Response:
    return answer({"data": None, "errors": [one_error(message) for message in messages]}, status)


def one_error(message: str, path: Sequence[Any] | None = None, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    extensions = {"timestamp": service.clock.timestamp(), **(more or {})}
    return {"message": message, "path": list(path) if path else None, "extensions": extensions}


class Viewer:
    """The root of a query: what the caller may see."""

    def __init__(self, grant: Any) -> None:
        self._grant = grant

    def accounts(self, _info: Info, filter: Mapping[str, str]) -> list[OwnerNode]:
        identity = filter["accountTag"]
        if identity not in service.accounts or not self._grant.allows("analytics", identity, writing=False):
            raise GraphQLError(NOT_AUTHORIZED)
        within_budget(identity)
        account = service.accounts[identity]
        events = [
            {**one, "zoneTag": tag}
            for tag, zone in service.zones.items()
            if zone.account_id == identity
            for one in zone.events_by_rules()
        ]
        return [OwnerNode(account.analytics, [*account.traffic, *events])]

    def zones(self, _info: Info, filter: Mapping[str, str], limit: int = 1) -> list[OwnerNode]:
        identity = filter["zoneTag"]
        if identity not in service.zones or not self._grant.allows("analytics", identity, writing=False):
            raise GraphQLError(NO_ZONE)
        within_budget(identity)
        zone = service.zones[identity]
        return [OwnerNode(zone.analytics, [*zone.events_by_rules(), *zone.requests])]


def within_budget(identity: str) -> None:
    """Each account and zone has a budget of its own, if the caller says so."""
    limit = service.limit_about(identity) if is_by_account(request.headers) else None
    if limit and limit.refuse():
        raise GraphQLError(EXCEEDED.format(identity), extensions=BUDGET)


class OwnerNode:
    """An account or zone in a query; every node of the schema is a field of it."""

    def __init__(self, analytics: Mapping[str, Any], flows: Sequence[Flow]) -> None:
        self._analytics, self._flows = analytics, flows

    @property
    def settings(self) -> dict[str, Any]:
        return {NODES[name]: settings for name, settings in self._analytics.items()}

    def __getattr__(self, field: str) -> Any:
        name = next((name for name, node in NODES.items() if node == field), None)
        if name is None:
            raise AttributeError(field)
        return lambda info, **arguments: self._rows(name, info, **arguments)

    def _rows(
        self, name: str, info: Info, filter: Mapping[str, Any], limit: int, orderBy: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        settings = self._analytics[name]
        check(settings, filter, limit, len(list(leaves(info, selected(info)))))
        flows = [one for one in self._flows if one["node"] == name and matches(one, filter)]
        dimensions = [
            item.name.value
            for node in fields(info, selected(info))
            if node.name.value == "dimensions"
            for item in fields(info, node.selection_set)
        ]
        flows = arrived(flows, settings.get(DELAY, 0), service.clock.now())
        if HOUR in dimensions:
            flows = by_hours(flows, filter)
        return groups(flows, dimensions, orderBy, limit)


def check(settings: Mapping[str, Any], conditions: Mapping[str, Any], limit: int, number_of_fields: int) -> None:
    """Refuse what goes beyond the settings of a node."""
    now = service.clock.now()
    since, until = (moment_of(conditions.get(name, now.isoformat())) for name in ("datetime_geq", "datetime_lt"))
    # Between the moment that a client reads and the query some time passes, which the service forgives.
    oldest = now - timedelta(seconds=settings["notOlderThan"] + 60)
    checks = {
        "account does not have access to the path": not settings["enabled"],
        f"cannot request data older than {settings['notOlderThan']}s": since < oldest,
        f"query time range is too large, it can't be wider than {settings['maxDuration']}s": (
            (until - since).total_seconds() > settings["maxDuration"]
        ),
        f"limit must be positive number and not greater than {settings['maxPageSize']}": (
            not 0 < limit <= settings["maxPageSize"]
        ),
        f"number of fields can't be more than {settings['maxNumberOfFields']}": (
            number_of_fields > settings["maxNumberOfFields"]
        ),
    }
    for message, applies in checks.items():
        if applies:
            raise GraphQLError(message)


def selected(info: Info) -> SelectionSetNode | None:
    return info.field_nodes[0].selection_set


def fields(info: Info, selection: SelectionSetNode | None) -> Iterator[FieldNode]:
    """The fields of a selection, those of its fragments included."""
    for item in selection.selections if selection else ():
        if isinstance(item, FieldNode):
            yield item
        elif isinstance(item, InlineFragmentNode):
            yield from fields(info, item.selection_set)
        elif isinstance(item, FragmentSpreadNode):
            yield from fields(info, info.fragments[item.name.value].selection_set)


def leaves(info: Info, selection: SelectionSetNode | None) -> Iterator[FieldNode]:
    """The fields of a selection that have none themselves."""
    for item in fields(info, selection):
        yield from leaves(info, item.selection_set) if item.selection_set else [item]
