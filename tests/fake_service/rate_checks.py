# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rate limiting rule has to be like beyond its shape.

The vendor's pages: "Rate limiting parameters", with its "Configuration restrictions", and the table of plans.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .answers import NOT_ENTITLED, refusal
from .expressions import fault_in
from .rule_checks import (
    BAD_EXPRESSION,
    Item,
    Problem,
    check_action,
    check_shape,
    invalid,
    problems_of_response,
    same_action,
)

ACTIONS = ("block", "challenge", "js_challenge", "managed_challenge", "log")
LISTED = re.compile(r"\$[a-z0-9_.]+")
COUNTERS = {"ip.src", "cf.unique_visitor_id"}
NUMBERS = {"period": 1, "requests_per_period": 1, "score_per_period": 1, "mitigation_timeout": 0}
FIELDS = {*NUMBERS, "characteristics", "counting_expression", "requests_to_origin", "score_response_header_name"}
LARGEST = 30 * 1024


def of(plan: str) -> Callable[[Item, Item | None, str], None]:
    """The check of a zone with this plan."""

    def check(body: Item, existing: Item | None, pointer: str) -> None:
        check_shape(body, existing, pointer)
        check_action(body, existing, pointer, ACTIONS, problems_of_parameters)
        limit = body.get("ratelimit")
        if existing and existing.get("ratelimit") == limit and same_action(body, existing):
            return
        if not isinstance(limit, dict):
            raise invalid("ratelimit", limit, "a rate limiting rule needs it", f"{pointer}/ratelimit")
        for path, reason in problems_of_limit(limit, body["expression"], (existing or {}).get("ratelimit", {})):
            raise invalid("ratelimit", limit, reason, f"{pointer}/ratelimit{path}")
        check_plan(plan, body["action"], limit, f"{pointer}/ratelimit")

    return check


def problems_of_parameters(action: str, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    allowed = {"response"} if action == "block" else set()
    unknown = [(f"/{name}", "there is no such parameter") for name in parameters if name not in allowed]
    yield from unknown
    if "response" in parameters and not unknown:
        yield from problems_of_response(parameters["response"], LARGEST)


def problems_of_limit(limit: Mapping[str, Any], expression: str, existing: Mapping[str, Any]) -> Iterator[Problem]:
    yield from ((f"/{name}", "there is no such field") for name in limit if name not in {*FIELDS, *existing})
    yield from ((f"/{name}", "it is required") for name in ("characteristics", "period") if name not in limit)
    if limit.keys().isdisjoint(("requests_per_period", "score_per_period")):
        yield "/requests_per_period", "it is required"
    for name, least in NUMBERS.items():
        value = limit.get(name, least)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            yield f"/{name}", f"it is a number of {least} or more"
    names = limit.get("characteristics")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        yield "/characteristics", "it is a list of texts"
        return
    if "cf.colo.id" not in names:
        yield "/characteristics", "cf.colo.id is required"
    if COUNTERS.issubset(names):
        yield "/characteristics", "ip.src and cf.unique_visitor_id exclude each other"
    yield from (("/characteristics", "headers have lower case") for name in names if has_capitals(name))
    yield from problems_of_counting(limit, expression)


def problems_of_counting(limit: Mapping[str, Any], expression: str) -> Iterator[Problem]:
    counting = limit.get("counting_expression")
    if counting == "":
        yield "/counting_expression", "it has at least one character"
    if counting and fault_in(counting) is not None:
        yield "/counting_expression", f"{BAD_EXPRESSION}: {fault_in(counting)}"
    if LISTED.search(counting or "") and "http.response." in (counting or ""):
        yield "/counting_expression", "it has a list and a field of the response"
    if limit.get("requests_to_origin") and LISTED.search(expression):
        yield "/requests_to_origin", "the expression has a list"


def has_capitals(name: str) -> bool:
    return name.startswith("http.request.headers[") and name != name.lower()


AVAILABLE: Mapping[str, tuple[int, int, set[str]]] = {  # the longest period and timeout, and by what it counts
    "free": (10, 10, {"ip.src"}),
    "pro": (60, 3600, {"ip.src"}),
    "business": (600, 86400, COUNTERS),
}


def beyond_plan(plan: str, limit: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Fields of a limit that the plan has not."""
    if plan not in AVAILABLE:
        return
    period, timeout, counters = AVAILABLE[plan]
    if limit["period"] > period:
        yield "period", f"a period of {limit['period']}"
    if limit.get("mitigation_timeout", 0) > timeout:
        yield "mitigation_timeout", f"a mitigation_timeout of {limit['mitigation_timeout']}"
    if not {*limit["characteristics"]} <= {*counters, "cf.colo.id"}:
        yield "characteristics", "these characteristics"
    if limit.get("requests_to_origin") and plan != "business":
        yield "requests_to_origin", "requests_to_origin"


def check_plan(plan: str, action: str, limit: Mapping[str, Any], pointer: str) -> None:
    """Refuse what plans below Enterprise do not have."""
    timeout = limit.get("mitigation_timeout", 0)
    if plan in ("free", "pro") and limit.get("counting_expression"):
        raise refusal(403, NOT_ENTITLED, "not entitled to use counting_expression", f"{pointer}/counting_expression")
    for name, reason in beyond_plan(plan, limit):
        raise refusal(403, NOT_ENTITLED, f"not entitled to use {reason}", f"{pointer}/{name}")
    if plan not in ("free", "pro", "business"):
        return
    if action == "log":
        raise refusal(403, NOT_ENTITLED, "not entitled to use the action log", pointer)
    if (action == "block") is (timeout == 0):
        reason = f"not entitled to use a mitigation_timeout of {timeout} with the action {action}"
        raise refusal(403, NOT_ENTITLED, reason, f"{pointer}/mitigation_timeout")
