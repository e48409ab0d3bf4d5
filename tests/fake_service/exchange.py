# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call, from its arrival to what is sent back: logged, throttled, spoiled by a fault, applied."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import reduce
from typing import Any

from werkzeug.wrappers import Request, Response

from .application import application
from .calls import Call
from .control import CONTROL
from .current import SERVICE
from .misbehaviour import Delivery, Fault, When
from .paging import LISTING, Listing
from .service import Service

Environ = dict[str, Any]


class Exchange:
    def __init__(self, service: Service) -> None:
        self._service = service

    def __call__(self, environ: Environ) -> Delivery:
        if environ["PATH_INFO"].startswith(CONTROL):
            return Delivery(self._ask(environ))
        call = self._arrive(environ)
        delivery = self._deliver(environ, call)
        if delivery.response is not None:
            call.status = delivery.response.status_code
            delivery.response.headers.update(self._common_headers(call))
        return replace(delivery, wait=delivery.wait + self._service.switches.latency)

    def _arrive(self, environ: Environ) -> Call:
        with self._service.lock:
            call = Call.of(len(self._service.calls) + 1, Request(environ))
            self._service.calls.append(call)
        environ["wsgi.input"].seek(0)
        return call

    def _deliver(self, environ: Environ, call: Call) -> Delivery:
        with self._service.lock:
            limit = self._service.limit_of(call)
            throttled = limit.refuse() if limit else None
            if throttled is not None:
                call.fault = "rate_limit"
                return Delivery(throttled)
            faults = [*self._service.faults, *self._service.standing_faults]
            striking = [fault for fault in faults if fault.strikes(call.method, call.path)]
        call.fault = "+".join(fault.kind.name for fault in striking) or None

        def of(when: When) -> list[Fault]:
            return [fault for fault in striking if fault.kind.when == when]

        for fault in of("before"):
            fault.act()
        for fault in of("instead"):
            instead: Delivery = fault.act()
            return instead
        environ[LISTING] = reduce(lambda listing, fault: fault.act(listing), of("within"), Listing())
        answer = self._ask(environ)
        call.maybe_applied = answer.status_code < 300
        return reduce(lambda delivery, fault: fault.act(delivery), of("after"), Delivery(answer))

    def _ask(self, environ: Environ) -> Response:
        with self._service.lock:
            return Response.from_app(application(), {**environ, SERVICE: self._service}, buffered=True)

    def _common_headers(self, call: Call) -> dict[str, str]:
        ray = hashlib.sha256(str(call.number).encode()).hexdigest()[:16]
        with self._service.lock:  # what is left belongs to the window whose end it stands with
            limit = self._service.limit_of(call)
            limits = limit.headers() if limit else {}
        return {"Date": self._service.clock.http_date(), "CF-RAY": f"{ray}-LOC", **limits}
