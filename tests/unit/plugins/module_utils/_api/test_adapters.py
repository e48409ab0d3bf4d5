# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections end at a deadline, however slowly bytes come or go, and trust whom their user trusts."""

from __future__ import annotations

import io
import socket
import threading
from typing import Iterator

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.adapters import (
    BYTES_AT_ONCE,
    DEADLINE,
    AttemptDeadline,
    BoundedReader,
    BoundedSocket,
)


class Peer:
    """A socket that is sent to and read from at once, and keeps its timeouts and what it was sent."""

    def __init__(self, incoming: bytes = b"") -> None:
        self.incoming = incoming
        self.timeouts: list[float] = []
        self.sent: list[bytes] = []

    def settimeout(self, seconds: float) -> None:
        self.timeouts.append(seconds)

    def sendall(self, data: bytes) -> None:
        self.sent.append(bytes(data))

    def makefile(self, mode: str, buffering: int) -> io.BytesIO:
        return io.BytesIO(self.incoming)

    def getpeername(self) -> str:
        return "peer"


@pytest.fixture(autouse=True)
def _no_deadline() -> Iterator[None]:
    yield
    DEADLINE.at = float("inf")


def test_a_deadline_is_of_one_thread_and_raises_once_it_is_over() -> None:
    deadline = AttemptDeadline()
    deadline.set(60)
    assert 59 < deadline.remaining() <= 60
    others: list[float] = []
    thread = threading.Thread(target=lambda: others.append(deadline.at))
    thread.start()
    thread.join()
    assert others == [float("inf")]
    deadline.set(0)
    with pytest.raises(socket.timeout, match="timed out"):
        deadline.remaining()


def test_a_body_is_sent_in_pieces_each_within_what_is_left_of_the_time() -> None:
    peer = Peer()
    DEADLINE.set(60)
    BoundedSocket(peer).sendall(b"x" * (2 * BYTES_AT_ONCE + 1))
    assert [len(piece) for piece in peer.sent] == [BYTES_AT_ONCE, BYTES_AT_ONCE, 1]
    assert 60 >= peer.timeouts[0] >= peer.timeouts[1] >= peer.timeouts[2] > 59
    DEADLINE.set(0)
    with pytest.raises(socket.timeout):
        BoundedSocket(peer).sendall(b"late")
    assert len(peer.sent) == 3


def test_an_answer_is_read_until_the_deadline() -> None:
    peer = Peer(b"an answer")
    DEADLINE.set(60)
    reader = BoundedSocket(peer).makefile("rb")
    assert reader.read(2) == b"an"
    assert peer.timeouts
    raw = BoundedReader(peer, io.BytesIO(b"late"))
    DEADLINE.set(0)
    with pytest.raises(socket.timeout):
        raw.readinto(bytearray(4))
    raw.close()
    assert raw.closed
    assert BoundedSocket(peer).getpeername() == "peer"


def test_bytes_that_drip_in_end_at_the_deadline() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        DEADLINE.set(0.2)
        reader = BoundedSocket(ours).makefile("rb")
        theirs.sendall(b"x")
        with pytest.raises(socket.timeout):  # without a deadline, it waits for the second byte for ever
            reader.read(2)
