# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The budget of a credential, or of an account that queries are about: so many calls in so many
seconds, for all processes.

A budget of N calls has N seats. A call takes the seat of the call N turns before, a period after
that one has ended: so no period, wherever it begins, sees more calls than the budget. Turns are
taken in order, and each look costs the same.

The turns stand in a file that all processes of a user share, or in the memory of one process. The
file is named by a hash and holds no secret: a header, and a ring with a time for each turn. The
operating system gives its lock free when a process ends, however that ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import math
import os
import re
import stat
import struct
import threading
import time
from contextlib import contextmanager
from threading import Lock
from typing import Callable, Iterator, Mapping, NamedTuple, Sequence, TypeVar

from .._text import Message, Option, Screen

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
FLAGS_OF_FILE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
DAMAGED = "its contents are damaged; delete it"


class Unusable(Exception):
    """A state file cannot be used, for the reason in the text."""


class Header(NamedTuple):
    """The state that all calls share: the number of turns that were taken; the turn from which on
    calls wait until a time, since they meet a rate limit of Cloudflare; the time before which
    Cloudflare demands that nobody calls; and the time at which waiting was last announced.

    Times are in seconds since 1970.
    """

    turns: int = 0
    limited_from: int = 0
    limited_until: float = 0.0
    closed_until: float = 0.0
    announced: float = 0.0


class CallTime(NamedTuple):
    """The time at which a call ended, 0 if there was none; for a waiting call the time of its turn;
    for one that is under way the time at which it was sent."""

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
        """Keep others from reading and writing while the statements inside run; raises Unusable."""
        with self._mutex:
            yield

    def unusable(self, reason: str) -> Unusable:
        """The exception for a state that cannot be used."""
        return Unusable(f"{self.path}: {reason}" if self.path else reason)

    def close(self) -> None:
        """Release what the operating system lent, such as a file."""

    def header(self) -> Header:
        """The header; raises Unusable."""
        data = self._read(0, HEADER_FORMAT.size)
        magic, *values = HEADER_FORMAT.unpack(data)
        header = Header(*values)
        latest_turn = max(header.turns, header.limited_from)
        is_finite = all(math.isfinite(value) for value in values)
        if magic != MAGIC or not is_finite or latest_turn >= MAX_TURNS:
            raise self.unusable(DAMAGED)
        return header

    def write_header(self, header: Header) -> None:
        """Write the header; raises Unusable."""
        self._write(0, HEADER_FORMAT.pack(MAGIC, *header))

    def moment(self, turn: int) -> float:
        """The time of a call as the ring holds it, as a negative number if the call is under way.
        Raises Unusable."""
        if turn < 0:
            return 0.0
        data = self._read(self._offset(turn), SLOT.size)
        (moment,) = SLOT.unpack(data)
        if not math.isfinite(moment):
            raise self.unusable(DAMAGED)
        return float(moment)

    def moments(self, start: int, end: int) -> tuple[float, ...]:
        """The moments of the turns from `start` to the one before `end`, at most as many as there
        are slots.

        Raises Unusable.
        """
        offset = self._offset(start)
        size = (end - start) * SLOT.size
        size_to_end_of_ring = min(size, SIZE - offset)
        data = self._read(offset, size_to_end_of_ring)
        data += self._read(HEADER_SIZE, size - size_to_end_of_ring)
        moments = struct.unpack(f"<{end - start}d", data)
        if not math.isfinite(sum(moments)):
            raise self.unusable(DAMAGED)
        return moments

    def call(self, turn: int) -> CallTime:
        """The call of a turn; raises Unusable."""
        moment = self.moment(turn)
        return CallTime(abs(moment), is_under_way=moment < 0)

    def write_call(self, turn: int, call: CallTime) -> None:
        """Write the time of one call into its slot of the ring; raises Unusable."""
        moment = -call.at if call.is_under_way else call.at
        self._write(self._offset(turn), SLOT.pack(moment))

    def _offset(self, turn: int) -> int:
        return HEADER_SIZE + turn % SLOTS * SLOT.size

    def _read(self, offset: int, size: int) -> bytes:
        return bytes(self._memory[offset : offset + size])

    def _write(self, offset: int, data: bytes) -> None:
        self._memory[offset : offset + len(data)] = data


class SharedTurns(Turns):
    """The turns in a file that all processes of a user share; raises Unusable if it belongs to
    another user, or is damaged."""

    def __init__(self, path: str) -> None:
        self._mutex = threading.Lock()
        self.path = path
        self._file = open_own_file(path)
        try:
            with self.locked(), self._explained():
                self._check(os.fstat(self._file))
                self.header()
        except Unusable:
            self.close()
            raise

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others from reading and writing while the statements inside run; raises Unusable."""
        with self._mutex, self._explained():
            self._lock()
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file and forget its number, so that a late thread does not use another file
        that has got it."""
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
                is_late = time.monotonic() > deadline
                if is_late:
                    problem = f"another process has locked it for {LONGEST_LOCK:g} s"
                    raise self.unusable(problem) from None
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


def open_own_file(path: str) -> int:
    """The descriptor of a file of this user, which is created if it does not exist, and which no
    other process inherits; raises Unusable."""
    file = -1
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        file = os.open(path, FLAGS_OF_FILE, 0o600)
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


def state_path(environment: Mapping[str, str], host: str, identity: Mapping[str, str]) -> str:
    """The path of the state file for this host and identity, such as credentials, of which it tells
    nothing; raises Unusable if the user has no home directory.

    It is in the folder in which Ansible keeps its own files, which is the same for packed modules.
    """
    folder = os.path.expanduser(environment.get("ANSIBLE_HOME") or "~/.ansible")
    if not os.path.isabs(folder):
        raise Unusable("this user has no home directory")
    texts = [host.lower()]
    for name in sorted(identity):
        texts += [name, identity[name]]
    digest = hashlib.sha256("\0".join(texts).encode("utf-8")).hexdigest()
    return os.path.join(folder, FOLDER, digest[:32])


class RateLimit(NamedTuple):
    """A rate limit of Cloudflare: the number of calls that are left until its window ends, and the
    seconds until then."""

    calls: int
    seconds: int


QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


def read_rate_limit(header: str | None) -> RateLimit | None:
    """The limit that leaves the fewest calls, by the header Ratelimit: a list of names, each with
    parameters in any order, such as `"burst";r=100;t=1, "default";r=5;t=200`. None if there is no
    limit that is understood."""
    limits: list[RateLimit] = []
    without_names = QUOTED.sub("", header or "")
    for member in without_names.split(","):
        limit = _limit_of(member)
        if limit and limit.seconds:  # a window of no seconds has ended
            limits.append(limit)
    if not limits:
        return None
    return min(limits, key=lambda limit: (limit.calls, -limit.seconds))


def _limit_of(member: str) -> RateLimit | None:
    """The limit of a member of the list; None if it is not understood."""
    parameters = _parameters_of_member(member)
    calls = parameters.get("r", "")
    seconds = parameters.get("t", "")
    if not NUMBER.fullmatch(calls) or not NUMBER.fullmatch(seconds):
        return None
    return RateLimit(int(calls), int(seconds))


def _parameters_of_member(member: str) -> dict[str, str]:
    """The parameters of a member of a structured field, by their names."""
    parameters: dict[str, str] = {}
    for parameter in member.split(";"):
        name, _equals, value = parameter.partition("=")
        name = name.strip()
        parameters[name] = value.strip()
    return parameters


ROUNDING = 1  # seconds to which Cloudflare rounds up the end of its window
SLACK = 1.0  # seconds
LONGEST_CALL = 60.0  # seconds; the task of a call that takes longer was killed
WORTH_SAYING = 1.0  # seconds
IN_THE_FUTURE = (
    "its times are further in the future than a budget counts; delete it if the clock of this"
    " control node is right"
)

Worked = TypeVar("Worked")
# Waits for so many seconds; returns whether the task has ended meanwhile.
Wait = Callable[[float], bool]


class Closed(Exception):
    """Cloudflare has refused a call with these credentials, and demands that all calls wait for
    these seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


class Unit(NamedTuple):
    """The unit that a budget counts, in words for messages, and the option that sets the budget."""

    singular: str
    plural: str
    option: str = ""


_awaiting: set[object] = set()  # a mark for each call of this process that waits for its turn


def calls_await_turns() -> bool:
    """Return whether calls of this process wait for their turns in a budget."""
    return bool(_awaiting)


CALLS = Unit("call", "calls", option="call_budget")
QUERIES = Unit("query", "queries of the analytics")


class NoBudget:
    """A budget without limit: each call may be made at once."""

    def take_turn(self, wait: Wait) -> int:
        """The turn of a call, for `end_turn`, after `wait` has waited for it; raises Closed."""
        return 0

    def end_turn(self, turn: int, limit: str | None) -> None:
        """Record that the call of this turn has ended; `limit` is the header Ratelimit of its
        response."""

    def close_for(self, seconds: float) -> None:
        """Record that Cloudflare has refused a call, and demands that all calls wait for these
        seconds."""

    def close(self) -> None:
        """Release what the operating system lent, such as a file."""


class Look(NamedTuple):
    """The turn of a call, and the seconds until it comes.

    The turn is None as long as a whole budget of calls waits before it; the seconds are those until
    the next look.
    """

    turn: int | None
    seconds: float
    is_first: bool = False  # whether this is the first wait that is worth saying


class CallBudget(NoBudget):
    """A budget of `calls` in a `period`, in seconds.

    `open_state` opens the turns that all processes share; if it raises Unusable, `warn` says so,
    and the budget is that of this task alone. A run says on its `screen` that calls wait, once in a
    period; without a screen, a warning says so.
    """

    def __init__(
        self,
        calls: int,
        period: float,
        open_state: Callable[[], Turns],
        warn: Callable[[str], None],
        screen: Screen | None = None,
        unit: Unit = CALLS,
    ) -> None:
        self._calls = calls
        self._unit = unit
        self._period = period
        self._warn = warn
        self._screen = screen
        self._mutex = Lock()
        self._said = 0.0  # when this process last said that calls wait
        try:
            self._state = open_state()
        except Unusable as exc:
            self._state = self._unshared_state(exc)

    def take_turn(self, wait: Wait) -> int:
        """The turn of a call, for `end_turn`, after `wait` has waited for it; raises Closed."""
        look = self._look(None)
        while look.seconds > 0:
            if look.is_first:
                self._say(look.seconds)
            if _awaited(wait, look.seconds):
                break
            look = self._look(look.turn)
        return look.turn or 0

    def end_turn(self, turn: int, limit: str | None) -> None:
        """Record that the call of this turn has ended; its seat is taken until a period after this
        moment.

        If the header Ratelimit leaves fewer calls than the budget does, others use the credentials
        too; then no more calls than these are made until Cloudflare's own window ends.
        """
        rate_limit = read_rate_limit(limit)

        def end(state: Turns) -> None:
            with state.locked():
                now = time.time()
                sent = min(state.call(turn).at, now)
                state.write_call(turn, CallTime(now))
                if rate_limit:
                    seconds = min(float(rate_limit.seconds), self._period)
                    self._limit(state, rate_limit.calls, seconds, sent, now)

        self._with_state(end)

    def close_for(self, seconds: float) -> None:
        """Record that Cloudflare has refused a call, and demands that all calls wait for these
        seconds, of which at most a period is believed."""

        def refuse_until(state: Turns) -> None:
            with state.locked():
                now = time.time()
                until = now + min(seconds, self._period)
                header = state.header()
                if until > header.closed_until:
                    header = header._replace(closed_until=until)
                state.write_header(header)

        self._with_state(refuse_until)

    def close(self) -> None:
        """Close the state; a late thread gets one of its own."""
        with self._mutex:
            state = self._state
            self._state = Turns()
        state.close()

    def _look(self, turn: int | None) -> Look:
        return self._with_state(lambda state: self._look_at(state, turn))

    def _look_at(self, state: Turns, turn: int | None) -> Look:
        with state.locked():
            now = time.time()
            header = state.header()
            next_turn = header.turns if turn is None else turn
            end_before = _end_of_call(state, next_turn - self._calls, now)  # on the same seat
            self._require_usable(state, header, end_before, now)
            is_limited = next_turn >= header.limited_from
            limited_until = header.limited_until if is_limited else 0.0
            seconds = max(0.0, end_before + self._period - now, limited_until - now)
            is_first = seconds >= WORTH_SAYING and self._is_first_to_wait(header, now)
            if is_first:
                header = header._replace(announced=now)
            if turn is None and end_before <= now:
                turn = next_turn
                header = header._replace(turns=next_turn + 1)
            state.write_header(header)
            if turn is None:
                return Look(None, end_before - now, is_first)
            state.write_call(turn, CallTime(now + seconds, is_under_way=not seconds))
            return Look(turn, seconds, is_first)

    def _require_usable(self, state: Turns, header: Header, end_before: float, now: float) -> None:
        """Raise Unusable if times of the state are too far in the future, and Closed if Cloudflare
        lets nobody call now."""
        latest = max(header.closed_until, header.limited_until, end_before)
        if latest > now + self._period + SLACK:
            raise state.unusable(IN_THE_FUTURE)
        if header.closed_until > now:
            raise Closed(header.closed_until - now)

    def _limit(self, state: Turns, calls: int, seconds: float, sent: float, now: float) -> None:
        """Admit only `calls` more calls in the next `seconds`, if the budget would admit more.

        Cloudflare counted after the call was sent, so its window ends between `earliest_end` and
        `until`. As long as nobody else uses the credentials, it leaves at least as many calls as
        seats are usable before `earliest_end`, also if that moment has passed: the window may still
        be the same for the second to which Cloudflare rounds.
        """
        if seconds <= 0:
            return
        earliest_end = sent + seconds - ROUNDING
        until = now + seconds
        header = state.header()
        turn = self._first_waiting(state, header, now) + calls
        if turn >= header.limited_from and earliest_end <= header.limited_until:
            return  # that limit is there already
        if not self._seems_to_come(state, header, turn, earliest_end, now):
            return
        start = header.turns - self._calls
        earlier = state.moments(start - self._calls, start)
        latest = state.moments(start, header.turns)
        if _count_usable(earlier, latest, now, earliest_end, self._period) <= calls:
            return
        waiting = [turn for turn, moment in enumerate(latest, start) if moment > now]
        if calls < len(waiting):
            limited_from = waiting[calls]
        else:
            limited_from = header.turns + calls - len(waiting)
        if header.limited_until > now:
            limited_from = min(limited_from, header.limited_from)
        until = max(header.limited_until, until)
        state.write_header(header._replace(limited_from=limited_from, limited_until=until))

    def _seems_to_come(
        self, state: Turns, header: Header, turn: int, earliest_end: float, now: float
    ) -> bool:
        """Return whether a turn probably comes before the window ends, if calls end in the order of
        their turns; this spares counting all seats."""
        if turn >= header.turns + self._calls:
            return False
        if turn < header.turns:
            return state.moment(turn) < earliest_end
        return _end_of_call(state, turn - self._calls, now) + self._period < earliest_end

    def _first_waiting(self, state: Turns, header: Header, now: float) -> int:
        """The first turn whose time has not come yet; the next one to be taken if none waits."""
        come = max(-1, header.turns - self._calls - 1)
        waiting = header.turns
        while waiting - come > 1 and state.moment(waiting - 1) > now:
            middle = (come + waiting) // 2
            if state.moment(middle) > now:
                waiting = middle
            else:
                come = middle
        return waiting

    def _is_first_to_wait(self, header: Header, now: float) -> bool:
        if not self._screen:
            return header.announced + self._period <= now
        if self._said + self._period > now:
            return False
        self._said = now
        return self._screen.is_first(f"{self._state.path} {now // self._period:.0f}")

    def _say(self, seconds: float) -> None:
        unit = self._unit
        option = Message(" (", Option(unit.option), ")") if unit.option else ""
        text = Message(
            f"{self._calls} {unit.plural} in {self._period:g} s are made",
            option,
            f": the next {unit.singular} waits {seconds:.0f} s.",
        )
        show = self._screen.show if self._screen else self._warn
        show(text)

    def _with_state(self, work: Callable[[Turns], Worked]) -> Worked:
        """The result of work on the state, or on an unshared one if the state has become
        unusable."""
        state = self._state
        try:
            return work(state)
        except Unusable as exc:
            with self._mutex:
                if self._state is state:
                    self._state = self._unshared_state(exc)
                    state.close()
        return work(self._state)

    def _unshared_state(self, reason: Unusable) -> Turns:
        self._warn(
            f"The call budget is not shared: {reason}. Each task counts its own calls only, so that"
            " several tasks together may make more calls than Cloudflare takes."
        )
        return Turns()


def _awaited(wait: Wait, seconds: float) -> bool:
    """Wait for a turn, and return whether the task has ended meanwhile."""
    mark = object()
    _awaiting.add(mark)
    try:
        return wait(seconds)
    finally:
        _awaiting.discard(mark)


def _end_of_call(state: Turns, turn: int, now: float) -> float:
    """The time at which the call of a turn has ended or will be made; for a call under way, now."""
    call = state.call(turn)
    if call.is_under_way and call.at - SLACK <= now < call.at + LONGEST_CALL:
        return now
    return call.at  # of one under way too: it takes too long to be still waited for


def _count_usable(
    earlier: Sequence[float],
    latest: Sequence[float],
    now: float,
    earliest_end: float,
    period: float,
) -> int:
    """The number of seats on which a call may still be made before a window ends, by the moments of
    the last two turns of each seat.

    Seats with a call under way do not count, nor those on which a turn waits behind such a call:
    its end moves the turn beyond the window.
    """
    free = (
        earliest_end - period
    )  # where the call on a seat has ended before, the next one comes in time
    usable = [
        0 <= moment < free or (now < moment < earliest_end and 0 <= moment_before < free)
        for moment_before, moment in zip(earlier, latest)
    ]
    return sum(usable)
