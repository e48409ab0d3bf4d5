# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP/1.1 with connections kept alive, and with answers that go out whole, late, drop by drop, in part, or not at all."""

from __future__ import annotations

import socket
import ssl
import sys
from contextlib import suppress
from io import BytesIO
from threading import Event
from typing import Any

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

from .exchange import Environ, Exchange
from .misbehaviour import Delivery


class Server(ThreadedWSGIServer):
    """One thread a connection. Closing it also ends the connections that clients keep alive."""

    def __init__(self, host: str, port: int, exchange: Exchange, ssl_context: ssl.SSLContext | None) -> None:
        self.exchange = exchange
        self.connections: set[socket.socket] = set()
        self.stopping = Event()
        super().__init__(host, port, lambda environ, start_response: [], handler=Handler, ssl_context=ssl_context)

    def close(self) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()
        for connection in list(self.connections):
            hang_up(connection)


class Handler(WSGIRequestHandler):
    """werkzeug's handler with an answering side of its own, since werkzeug's closes the connection after each call."""

    server: Server
    protocol_version = "HTTP/1.1"
    # Without these a kept-alive connection waits 40 ms for each answer.
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self) -> None:
        sys.settrace(None)  # what runs here is no code that tests measure the coverage of
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def run_wsgi(self) -> None:
        self.environ = self._environ_with_body()
        delivery = self.server.exchange(self.environ)
        if self.server.stopping.wait(delivery.wait) or delivery.response is None:
            self._hang_up()
            return
        self._send_head(delivery)
        self._send_body(delivery)

    def _environ_with_body(self) -> Environ:
        """The body is read whole, so that the connection stands at the next request."""
        environ: dict[str, Any] = self.make_environ()
        chunked = environ.pop("HTTP_TRANSFER_ENCODING", None) is not None
        body = environ["wsgi.input"].read(-1 if chunked else int(environ.get("CONTENT_LENGTH") or 0))
        return {**environ, "wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}

    def _send_head(self, delivery: Delivery) -> None:
        response = delivery.response
        assert response is not None
        self.send_response_only(response.status_code, response.status.partition(" ")[2])
        for name, value in {**dict(response.get_wsgi_headers(self.environ)), **delivery.headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_body(self, delivery: Delivery) -> None:
        body = b"" if self.command == "HEAD" else delivery.data
        if delivery.interval:
            self._drip(body, delivery.interval)
        elif delivery.cut_at is None:
            self.wfile.write(body)
            self.wfile.flush()
        else:
            self.wfile.write(body[: delivery.cut_at])
            self._hang_up()

    def _drip(self, body: bytes, interval: float) -> None:
        self.wfile.flush()
        for byte in body:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.server.stopping.wait(interval):
                self._hang_up()
                return

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
        hang_up(self.connection)

    def log(self, type: str, message: str, *args: Any) -> None:
        """Nothing is printed: the log of calls has it all."""


def hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
