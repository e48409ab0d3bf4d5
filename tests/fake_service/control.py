# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service's own controls over HTTP, outside the API: for playbooks and shells. In Python, use LocalService."""

from __future__ import annotations

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


@controls.get("/calls")
def read_calls() -> Response:
    return answer([asdict(call) for call in service.calls])


@controls.delete("/calls")
def forget_calls() -> Response:
    service.calls.clear()
    return answer([])


@controls.get("/breaches")
def read_breaches() -> Response:
    return answer([breach._asdict() for breach in service.breaches])


@controls.get("/faults")
def read_faults() -> Response:
    return answer([fault.document() for fault in service.faults])


@controls.post("/faults")
def add_fault() -> Response:
    return answer(service.misbehave(**sent()).document())


@controls.delete("/faults")
def clear_faults() -> Response:
    service.faults.clear()
    return answer([])


@controls.get("/state")
def read_state() -> Response:
    return answer(service.document())


@controls.put("/state")
def replace_state() -> Response:
    service.load(sent())
    return read_state()


@controls.post("/clock")
def advance_clock() -> Response:
    service.clock.advance(**sent())
    return answer({"now": service.clock.timestamp()})


@controls.put("/rate_limit")
def set_rate_limit() -> Response:
    service.rate_limit(**sent())
    return answer(sent())


@controls.delete("/rate_limit")
def lift_rate_limit() -> Response:
    service.limit = None
    return answer({})


@controls.post("/reset")
def reset() -> Response:
    service.reset()
    return answer({})
