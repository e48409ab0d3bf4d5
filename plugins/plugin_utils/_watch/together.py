# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The zones that the tasks of a run watch with the same credentials are asked about together: the
first task that needs a new sample after an interval asks for those of the others, too."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ...module_utils._traffic.joint import MOST_ZONES
from ...module_utils._traffic.watched import WatchSample
from .._worker import board_of_run

# The samples of a zone, and of the other zones that are named with the moments of their changes.
ReadSamples = Callable[[Mapping[str, str]], Mapping[str, WatchSample]]
SINCE, TAKEN, SAMPLE = "since", "taken", "sample"
Watches = dict[str, dict[str, Any]]  # by zone


def credentials_in(connection: Mapping[str, Any]) -> str:
    """A text that is equal for equal options of a connection, and tells none of them."""
    return sha256(json.dumps(connection, sort_keys=True, default=str).encode()).hexdigest()


@dataclass
class WatchedTogether:
    """A zone whose change since a moment is watched, with one sample in each interval of so many
    seconds. `ask` asks for it and for other zones of the same `credentials`."""

    credentials: str
    zone: str
    since: str
    interval: float
    ask: ReadSamples
    clock: Callable[[], float] = time.monotonic
    _last: float = field(default=float("-inf"), init=False)

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Be one of the zones that the tasks of the run ask about."""
        with self._watches() as watches:
            watches[self.zone] = {SINCE: self.since}
        try:
            yield
        finally:
            with self._watches() as watches:
                watches.pop(self.zone, None)

    @contextmanager
    def _watches(self) -> Iterator[Watches]:
        with board_of_run() as board:
            yield board.setdefault(self.credentials, {})

    def sample(self) -> WatchSample:
        """A sample that this zone has not seen: one of this interval that another task has asked
        for, or else a new one. Other tasks wait for it, since it is theirs as well."""
        with self._watches() as watches:
            watch = watches.get(self.zone)
            if watch is None:  # a single sample, before the watch or without it
                return self.ask({self.zone: self.since})[self.zone]
            if not self._is_new(watch):
                samples = self.ask(self._zones_to_ask(watches))
                taken = self.clock()
                for zone, sample in samples.items():
                    watches[zone].update({TAKEN: taken, SAMPLE: sample})
            self._last = watch[TAKEN]
            sample_of_zone: WatchSample = watch[SAMPLE]
        return sample_of_zone

    def _is_new(self, watch: Mapping[str, Any]) -> bool:
        taken = watch.get(TAKEN)
        return taken is not None and taken > self._last and self.clock() - taken < self.interval

    def _zones_to_ask(self, watches: Watches) -> dict[str, str]:
        """This zone, and as many others as fit in one query, those with the oldest samples first,
        with the moments of their changes."""
        beside = [zone for zone in watches if zone != self.zone]
        beside.sort(key=lambda zone: watches[zone].get(TAKEN, float("-inf")))
        return {zone: watches[zone][SINCE] for zone in [self.zone, *beside[: MOST_ZONES - 1]]}
