# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service on a port of this machine."""

from __future__ import annotations

import ssl
from threading import Thread
from types import TracebackType
from typing import Self

from .contract import API
from .exchange import Exchange
from .http_server import Server
from .service import Service


class LocalService(Service):
    """`with LocalService() as service:` serves on 127.0.0.1, from a thread of its own, until the block ends.

    Port 0 takes a free one. With an ssl_context the address is an https one. What can be said to it and asked of it is in
    Service; reset() makes one service do for many tests.
    """

    def __init__(self, *, port: int = 0, ssl_context: ssl.SSLContext | None = None) -> None:
        super().__init__()
        self._port = port
        self._ssl_context = ssl_context
        self._server: Server | None = None

    @property
    def port(self) -> int:
        return self._port if self._server is None else self._server.port

    @property
    def address(self) -> str:
        scheme = "http" if self._ssl_context is None else "https"
        return f"{scheme}://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return self.address + API

    @property
    def control_url(self) -> str:
        return f"{self.address}/control"

    def start(self) -> Self:
        exchange = Exchange(self)
        self._server = Server("127.0.0.1", self._port, exchange, self._ssl_context)
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def close(self) -> None:
        """Stop answering; connections that clients keep alive end too. The port stays known, for refused connections."""
        if self._server is not None:
            self._port = self._server.port
            self._server.close()
            self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
