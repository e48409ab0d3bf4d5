# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of every call to the API before it is applied, and of every response."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import TypeVar

from flask import Flask, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.wrappers import Response

from .accounts import Account
from .answers import BROKEN, INVALID, METHOD_NOT_ALLOWED, NOT_ENTITLED, Refusal, error, failure, no_route, refusal
from .contract import API, Breach, Problem, Side
from .credentials import Area
from .current import service
from .zones import Zone

Owner = TypeVar("Owner", Account, Zone)


def admit_to_account() -> None:
    """Before each call about an account; leaves the account in g."""
    g.account = account_of("protection")
    if not g.account.entitled:
        raise refusal(403, NOT_ENTITLED, "This account is not entitled to Advanced TCP Protection")
    if not g.account.dns_entitled and "/advanced_dns_protection/" in request.path:
        raise refusal(403, NOT_ENTITLED, "This account is not entitled to Advanced DNS Protection")


def admit_to_zone(area: Area) -> None:
    """Before each call about a zone; leaves the zone in g."""
    g.zone = zone_of(area)


def account_of(area: Area) -> Account:
    """The account of a call, once the caller is known to be allowed there and the call is within the contract."""
    return admitted(service.accounts, area, "account_id")


def zone_of(area: Area) -> Zone:
    """The zone of a call, once the caller is known to be allowed there and the call is within the contract."""
    return admitted(service.zones, area, "zone_id")


def admitted(owners: Mapping[str, Owner], area: Area, name: str) -> Owner:
    """The owner whose id is in the path under a name."""
    identity = known_caller(area, name)
    if identity not in owners:
        raise no_route(request.path)
    within_contract()
    return owners[identity]


def known_caller(area: Area, name: str) -> str:
    """The id in the path, once the caller is known to be allowed there."""
    subject = str((request.view_args or {})[name])
    service.credentials.admit(request.headers, area, subject, writing=request.method not in ("GET", "HEAD"))
    return subject


def within_contract() -> None:
    if not service.switches.checked_against_contract:
        return
    if not service.contract.describes(request):
        raise method_not_allowed()
    problems = service.contract.request_problems(request)
    if problems:
        note("request", problems)
        raise Refusal(400, [error(INVALID, problem.message, problem.pointer) for problem in problems])


def check_answers(application: Flask) -> None:
    """Turn refusals and failures of our own into the envelope, and hold every answer of the API against the contract."""
    application.register_error_handler(Refusal, refused)
    application.register_error_handler(HTTPException, refused_by_flask)
    application.register_error_handler(Exception, crashed)
    application.after_request(checked)


def refused(refusal: Refusal) -> Response:
    return failure(refusal.status, refusal.errors)


def refused_by_flask(exception: HTTPException) -> Response:
    if isinstance(exception, NotFound):
        return refused(no_route(request.path))
    if isinstance(exception, MethodNotAllowed):
        return refused(method_not_allowed())
    return failure(exception.code or 400, [error(INVALID, str(exception.description))])


def crashed(exception: Exception) -> Response:
    note("answer", [Problem("".join(traceback.format_exception(exception)))])
    return broken([f"{type(exception).__name__}: {exception}"])


def checked(answer: Response) -> Response:
    if not request.path.startswith(API) or not service.switches.checked_against_contract:
        return answer
    problems = service.contract.answer_problems(request, answer)
    if not problems:
        return answer
    note("answer", problems)
    return broken([problem.message for problem in problems])


def note(side: Side, problems: list[Problem]) -> None:
    path = request.full_path.removesuffix("?").removeprefix(API)
    texts = tuple(problem.message for problem in problems)
    service.breaches.append(Breach(side, request.method, path, texts))


def method_not_allowed() -> Refusal:
    return refusal(405, METHOD_NOT_ALLOWED, f"Method {request.method} is not allowed for {request.path}")


def broken(problems: list[str]) -> Response:
    return failure(500, [error(BROKEN, f"The local service broke its own contract: {text}") for text in problems])
