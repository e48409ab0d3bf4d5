# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A deadline for a whole request: the timeouts of sockets alone start anew with every byte."""

from __future__ import annotations

import io
import socket
import time
from typing import Any


class _BoundedReader(io.RawIOBase):
    """Reads a socket until the deadline of its connection, however slowly the bytes drip in."""

    def __init__(self, raw: Any, bounded: BoundedSocket) -> None:
        super().__init__()
        self._raw = raw
        self._bounded = bounded

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._bounded.settimeout(self._bounded.remaining())
        received: int | None = self._raw.readinto(buffer)
        return received

    def close(self) -> None:
        self._raw.close()
        super().close()


class BoundedSocket:
    """A socket whose reads share one deadline."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock
        self.deadline = 0.0

    def remaining(self) -> float:
        """Seconds until the deadline; raises socket.timeout after it."""
        seconds = self.deadline - time.monotonic()
        if seconds <= 0:
            raise socket.timeout("timed out")
        return seconds

    def makefile(self, mode: str = "rb", *args: Any, **kwargs: Any) -> Any:
        return io.BufferedReader(_BoundedReader(self._sock.makefile(mode, buffering=0), self))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


class Bounded:
    """Makes the timeout of a connection bound each request as a whole."""

    sock: Any
    timeout: Any

    def connect(self) -> None:
        started = time.monotonic()
        super().connect()  # type: ignore[misc]
        self.sock = BoundedSocket(self.sock)
        self.sock.deadline = started + self.timeout
        self._fresh = True

    def request(self, *args: Any, **kwargs: Any) -> Any:
        if self.sock is not None and not self.__dict__.pop("_fresh", False):
            self.sock.deadline = time.monotonic() + self.timeout
        return super().request(*args, **kwargs)  # type: ignore[misc]
