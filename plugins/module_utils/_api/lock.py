# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The locks of accounts and zones: on one control node, one run of a user at a time writes to
each.

The operating system gives a lock free when its process ends, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import ExitStack, contextmanager
from typing import Callable, Iterator, Mapping, NamedTuple

from .._budget.budget import Unusable, open_own_file, state_path
from .._errors import ProtectionError
from .._schema.resource import OWNERS
from .._text import Warn, excerpt, visible, worded

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0  # seconds between two looks
LONGEST_HOLDER = 200  # characters that a holder says of itself


class Waiting(NamedTuple):
    """A run that waits for another one: `wait` waits for some seconds, or returns False at once if
    max_wait leaves less; `say` tells the user which run it waits for. `host` is the inventory host
    of this run, which the lock file names.
    """

    wait: Callable[[float], bool]
    say: Warn
    host: str = ""


@contextmanager
def locked_owners(address: str, owners: Mapping[str, str], waiting: Waiting) -> Iterator[None]:
    """A context in which no other run on this control node writes to these owners. Their ids stand
    by their options; `address` is the base URL. The account is locked before the zone. Raises
    ProtectionError if another run holds a lock for longer than this run may wait. If a lock file
    cannot be used, a warning says so and the run goes on.
    """
    with ExitStack() as locks:
        for name, owner in OWNERS.items():
            if name not in owners:
                continue
            title = f"{owner.title} {owners[name]}"
            identity = {"lock of": name, "id": owners[name]}
            try:
                path = state_path(os.environ, address, identity)
                file = open_own_file(path)
            except Unusable as exc:
                waiting.say(
                    f"The {title} is not locked against other runs on this control node: {exc}."
                )
                continue
            locks.callback(os.close, file)
            _acquire(file, title, waiting)
        yield


def try_to_lock(file: int) -> bool:
    """Lock a file without waiting; return False if another run holds the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _acquire(file: int, title: str, waiting: Waiting) -> None:
    """Lock a file, after waiting for the run that holds the lock, and write into the file who holds
    it now.
    """
    began = time.monotonic()
    pause = FIRST_PAUSE
    has_warned = False
    while not try_to_lock(file):
        holder = _holder(file)
        if pause == LONGEST_PAUSE and not has_warned:
            waiting.say(f"Another run writes to the {title}: {holder}. This run waits for its end.")
            has_warned = True
        if not waiting.wait(pause):
            raise ProtectionError(
                worded(
                    "Another run writes to the {title}: {holder}. This run waited {seconds:.0f} s"
                    " for its end, and {max_wait} leaves no more. Run again later, or raise"
                    " {max_wait}. Nothing was changed.",
                    title=title,
                    holder=holder,
                    seconds=time.monotonic() - began,
                )
            )
        pause = min(2 * pause, LONGEST_PAUSE)
    _write_holder(file, waiting.host)


def _write_holder(file: int, host: str) -> None:
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    prefix = f"host {host}, " if host else ""
    text = f"{prefix}process {os.getpid()}, since {since}"
    os.ftruncate(file, 0)
    os.pwrite(file, text.encode("utf-8", "backslashreplace"), 0)


def _holder(file: int) -> str:
    """The text in which the holder of a lock says who it is."""
    written = os.pread(file, 4 * LONGEST_HOLDER, 0)
    text = excerpt(written.decode("utf-8", "replace"), LONGEST_HOLDER)
    return visible(text) or "it does not say who it is"
