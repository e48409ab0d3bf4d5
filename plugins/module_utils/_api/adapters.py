# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections as this collection needs them: with a deadline, and with the trust of their user.

Together with session.py, this is the only file that knows requests and urllib3.
"""

from __future__ import annotations

import io
import os
import socket
import ssl
import threading
import time
import traceback
from contextlib import suppress
from typing import Any

try:
    from requests.adapters import HTTPAdapter
    from requests.certs import where as usual_cas  # type: ignore[attr-defined]
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
    from urllib3.util.ssl_ import create_urllib3_context
except ImportError:
    REQUESTS_IMPORT_ERROR: str | None = traceback.format_exc()
    HTTPAdapter = HTTPConnection = HTTPSConnection = object  # type: ignore[misc,assignment]
    HTTPConnectionPool = HTTPSConnectionPool = object
else:
    REQUESTS_IMPORT_ERROR = None


# A connection may wait for minutes until the call budget lets the next call go; some networks
# forget it meanwhile.
KEEP_ALIVE = [
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *([(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 45)] if hasattr(socket, "TCP_KEEPIDLE") else []),
]
BYTES_AT_ONCE = 65536  # bytes that are sent before the deadline is looked at again


class AttemptDeadline(threading.local):
    """Time by which the attempt of this thread must have ended."""

    at = float("inf")

    def set(self, seconds: float) -> None:
        """Set the deadline to this many seconds from now."""
        self.at = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds until the deadline; raises socket.timeout after it."""
        seconds = self.at - time.monotonic()
        if seconds <= 0:
            raise socket.timeout("timed out")
        return seconds


DEADLINE = AttemptDeadline()


class BoundedReader(io.RawIOBase):
    """Reads from a socket until the deadline of the attempt, even if the server sends only a byte
    now and then.
    """

    def __init__(self, sock: Any, raw: Any) -> None:
        super().__init__()
        self._sock = sock
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(DEADLINE.remaining())
        received: int | None = self._raw.readinto(buffer)
        return received

    def close(self) -> None:
        self._raw.close()
        super().close()


class BoundedSocket:
    """A socket that neither sends nor reads after the deadline, so that nothing is sent after its
    caller has given up."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock

    def sendall(self, data: Any) -> None:
        for start in range(0, len(data), BYTES_AT_ONCE):
            self._sock.settimeout(DEADLINE.remaining())
            self._sock.sendall(data[start : start + BYTES_AT_ONCE])

    def makefile(self, mode: str = "rb", *args: Any, **kwargs: Any) -> Any:
        raw = self._sock.makefile(mode, buffering=0)
        return io.BufferedReader(BoundedReader(self._sock, raw))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


class ConnectionWithDeadline:
    """Mixed into a connection class of urllib3, whose socket it replaces by a BoundedSocket."""

    sock: Any

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]
        self.sock = BoundedSocket(self.sock)


class BoundedConnection(ConnectionWithDeadline, HTTPConnection):  # type: ignore[misc]
    """HTTP with a deadline."""


class BoundedTLSConnection(ConnectionWithDeadline, HTTPSConnection):  # type: ignore[misc]
    """HTTPS with a deadline."""


class Pool(HTTPConnectionPool):  # type: ignore[misc]
    """Connections over HTTP, which only loopback addresses may use."""

    ConnectionCls = BoundedConnection


class TLSPool(HTTPSConnectionPool):  # type: ignore[misc]
    """Connections over HTTPS, each bounded in time."""

    ConnectionCls = BoundedTLSConnection


# The TLS context of those who trust the usual CAs, where it was made beforehand.
TRUST: list[Any] = []
BUNDLE_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def load_trust() -> None:
    """Load the CA bundle once, before processes are forked, since loading takes longer than a call.

    If there is no bundle, the processes that need one report it.
    """
    if REQUESTS_IMPORT_ERROR is None and not TRUST:
        context = create_urllib3_context()
        context.verify_mode = ssl.CERT_REQUIRED
        with suppress(OSError):
            context.load_verify_locations(usual_cas())
            TRUST.append(context)


def usual_trust(verify: bool | str) -> Any:
    """The TLS context that load_trust() made; None if there is none, or if `verify` or the
    environment asks for anything but the usual CAs."""
    trusts_a_bundle = any(os.environ.get(variable) for variable in BUNDLE_VARIABLES)
    if not TRUST or verify is not True or trusts_a_bundle:
        return None
    return TRUST[0]


class Adapter(HTTPAdapter):
    """requests' adapter with the pools above, for direct and proxied connections; `trust` is a TLS
    context or None.

    The timeout of a request, in seconds, bounds the whole exchange, including the body.
    """

    def __init__(self, trust: Any, **kwargs: Any) -> None:
        self._trust = {"ssl_context": trust} if trust else {}
        super().__init__(**kwargs)

    def send(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        DEADLINE.set(kwargs["timeout"])
        return super().send(request, *args, **kwargs)

    def cert_verify(self, *args: Any, **kwargs: Any) -> None:
        """Have requests set the CA bundle of a connection, unless a TLS context has loaded it
        already."""
        if not self._trust:
            super().cert_verify(*args, **kwargs)  # type: ignore[no-untyped-call]

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **{"socket_options": KEEP_ALIVE, **kwargs, **self._trust})
        self.poolmanager.pool_classes_by_scheme = {"http": Pool, "https": TLSPool}

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(*args, **{**kwargs, **self._trust})
        manager.pool_classes_by_scheme = {"http": Pool, "https": TLSPool}
        return manager
