# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The turns of a credential: in a file that all processes of a user share, or in the memory of one
process.

The file is named by a hash and holds no secret: a header, and a ring with a time for each turn. The
operating system gives its lock free when a process ends, however that ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import math
import os
import stat
import struct
import threading
import time
from contextlib import contextmanager
from typing import Iterator, Mapping, NamedTuple

MAX_CALLS = 2**15  # of a budget
SLOTS = 2 * MAX_CALLS  # as many calls may wait for their turn as a budget has
MAX_TURNS = 2**62
MAGIC = b"edgecal1"
HEADER_FORMAT = struct.Struct("<8sQQddd")
HEADER_SIZE = 64
SLOT = struct.Struct("<d")
SIZE = HEADER_SIZE + SLOTS * SLOT.size
LONGEST_LOCK = 5.0  # seconds; a lock lasts some microseconds, unless its process is stopped
FIRST_PAUSE, LONGEST_PAUSE = 0.0001, 0.005
FOLDER = "edgeops.protection"
DAMAGED = "its contents are damaged; delete it"


class Unusable(Exception):
    """The state cannot be used; the text says why."""


class Header(NamedTuple):
    """Number of turns that were taken in all, and the one from which on they wait, until a time,
    since Cloudflare says so.

    Besides, until when it lets nobody call, and when waiting was last announced. Times are in
    seconds since 1970.
    """

    turns: int = 0
    limited_from: int = 0
    limited_until: float = 0.0
    closed_until: float = 0.0
    announced: float = 0.0


class CallTime(NamedTuple):
    """Time at which a call ended, 0 if there was none; of one that waits, its coming time; of one
    that is under way, when it was sent."""

    at: float
    is_under_way: bool = False


class Turns:
    """The turns in the memory of this process; threads share them."""

    path = ""  # of the file, where there is one

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._memory = bytearray(SIZE)
        self.write_header(Header())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else reads or writes meanwhile; raises Unusable."""
        with self._mutex:
            yield

    def unusable(self, reason: str) -> Unusable:
        """The exception for a state that cannot be used."""
        return Unusable(f"{self.path}: {reason}" if self.path else reason)

    def close(self) -> None:
        """Give back what the operating system lent."""

    def header(self) -> Header:
        """The header; raises Unusable."""
        magic, *values = HEADER_FORMAT.unpack(self._read(0, HEADER_FORMAT.size))
        if magic != MAGIC or max(values[:2]) >= MAX_TURNS or not all(map(math.isfinite, values)):
            raise self.unusable(DAMAGED)
        return Header(*values)

    def write_header(self, header: Header) -> None:
        """Write what all calls share; raises Unusable."""
        self._write(0, HEADER_FORMAT.pack(MAGIC, *header))

    def moment(self, turn: int) -> float:
        """The time of a call as the ring holds it, that of one under way as a negative number.
        Raises Unusable."""
        if turn < 0:
            return 0.0
        (moment,) = SLOT.unpack(self._read(self._offset(turn), SLOT.size))
        if not math.isfinite(moment):
            raise self.unusable(DAMAGED)
        return float(moment)

    def moments(self, first: int, end: int) -> tuple[float, ...]:
        """The moments of the turns from `first` to the one before `end`, at most as many as there
        are slots.

        Raises Unusable.
        """
        start, size = self._offset(first), (end - first) * SLOT.size
        until_end = min(size, SIZE - start)
        data = self._read(start, until_end) + self._read(HEADER_SIZE, size - until_end)
        moments = struct.unpack(f"<{end - first}d", data)
        if not math.isfinite(sum(moments)):
            raise self.unusable(DAMAGED)
        return moments

    def call(self, turn: int) -> CallTime:
        """The call of a turn; raises Unusable."""
        moment = self.moment(turn)
        return CallTime(abs(moment), is_under_way=moment < 0)

    def write_call(self, turn: int, call: CallTime) -> None:
        """Write the time of one call into its slot of the ring; raises Unusable."""
        self._write(self._offset(turn), SLOT.pack(-call.at if call.is_under_way else call.at))

    def _offset(self, turn: int) -> int:
        return HEADER_SIZE + turn % SLOTS * SLOT.size

    def _read(self, offset: int, size: int) -> bytes:
        return bytes(self._memory[offset : offset + size])

    def _write(self, offset: int, data: bytes) -> None:
        self._memory[offset : offset + len(data)] = data


class SharedTurns(Turns):
    """The turns in a file; raises Unusable where it is not this user's, or not as it was left."""

    def __init__(self, path: str) -> None:
        self._mutex = threading.Lock()
        self.path = path
        self._file = open_own(path)
        try:
            with self.locked(), self._explained():
                self._check(os.fstat(self._file))
                self.header()
        except Unusable:
            self.close()
            raise

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else reads or writes meanwhile; raises Unusable."""
        with self._mutex, self._explained():
            self._lock()
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file; a thread that comes later meets no other file that has its number."""
        with self._mutex:
            if self._file >= 0:
                os.close(self._file)
            self._file = -1

    def _lock(self) -> None:
        if self._file < 0:
            raise self.unusable("it is closed")
        deadline = time.monotonic() + LONGEST_LOCK
        pause = FIRST_PAUSE
        while True:
            try:
                return fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise self.unusable(
                        f"another process has locked it for {LONGEST_LOCK:g} s"
                    ) from None
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _check(self, status: os.stat_result) -> None:
        if status.st_size == 0:
            os.ftruncate(self._file, SIZE)
            self.write_header(Header())
        elif status.st_size != SIZE:
            raise self.unusable(DAMAGED)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            raise self.unusable(exc.strerror or str(exc)) from exc

    def _read(self, offset: int, size: int) -> bytes:
        data = os.pread(self._file, size, offset)
        if len(data) != size:
            raise self.unusable(DAMAGED)
        return data

    def _write(self, offset: int, data: bytes) -> None:
        if os.pwrite(self._file, data, offset) != len(data):
            raise self.unusable("the disk is full")


def open_own(path: str) -> int:
    """A file of this user, which is made if there is none, and which no other process inherits;
    raises Unusable."""
    file = -1
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        status = os.fstat(file)
        if status.st_uid != os.geteuid():
            raise OSError(0, "it belongs to another user")
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it is not a regular file")
    except OSError as exc:
        if file >= 0:
            os.close(file)
        raise Unusable(f"{path}: {exc.strerror or exc}") from exc
    return file


def state_path(environment: Mapping[str, str], host: str, credentials: Mapping[str, str]) -> str:
    """Path of the turns of these credentials at this host; raises Unusable where there is no folder
    for it.

    It is the folder in which Ansible keeps its own files, which is the same for packed modules.
    """
    folder = os.path.expanduser(environment.get("ANSIBLE_HOME") or "~/.ansible")
    if not os.path.isabs(folder):
        raise Unusable("this user has no home directory")
    identity = "\0".join(
        [host.lower(), *(f"{name}\0{credentials[name]}" for name in sorted(credentials))]
    )
    return os.path.join(folder, FOLDER, hashlib.sha256(identity.encode("utf-8")).hexdigest()[:32])
