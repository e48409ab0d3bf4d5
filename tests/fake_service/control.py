# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service's own controls over HTTP, outside the API: for playbooks and shells. In Python, use LocalService."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import yaml
from flask import Blueprint, request
from werkzeug.wrappers import Response

from .answers import answer
from .current import service

CONTROL = "/control"

controls = Blueprint("control", __name__, url_prefix=CONTROL)


@controls.errorhandler(Exception)
def refused(exception: Exception) -> Response:
    return answer({"error": f"{type(exception).__name__}: {exception}"}, 400)


def sent() -> Any:
    """The body, JSON or YAML; that of a large fleet is said to be JSON, which is read faster."""
    return (request.get_json() if request.is_json else yaml.safe_load(request.get_data())) or {}


def advance_clock() -> None:
    service.clock.advance(**sent())


def lift_rate_limit() -> None:
    service.limit = None


def replace_state() -> dict[str, Any]:
    service.load(sent())
    return service.document()


def amend_state() -> dict[str, Any]:
    service.amend(sent())
    return service.document()


def document() -> dict[str, Any]:
    return service.document()


def reset() -> Any:
    return service.reset()


def forget_calls() -> None:
    service.calls.clear()


def forget_faults() -> None:
    service.faults.clear()


ROUTES: Sequence[tuple[str, str, Callable[[], Any]]] = (
    ("GET", "/calls", lambda: [asdict(call) for call in service.calls]),
    ("DELETE", "/calls", forget_calls),
    ("GET", "/breaches", lambda: [breach._asdict() for breach in service.breaches]),
    ("GET", "/faults", lambda: [fault.document() for fault in service.faults]),
    ("POST", "/faults", lambda: service.misbehave(**sent()).document()),
    ("DELETE", "/faults", forget_faults),
    ("GET", "/state", document),
    ("PUT", "/state", replace_state),
    ("PATCH", "/state", amend_state),
    ("POST", "/clock", advance_clock),
    ("PUT", "/rate_limit", lambda: service.rate_limit(**sent())),
    ("DELETE", "/rate_limit", lift_rate_limit),
    ("POST", "/reset", reset),
)


def serve(method: str, path: str, act: Callable[[], Any]) -> None:
    controls.add_url_rule(path, f"{method} {path}", lambda: answer(act()), methods=[method])


for route in ROUTES:
    serve(*route)
