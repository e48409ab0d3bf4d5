# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words for how much traffic a change stops, or would stop, and how much of it may be: the same
for evidence, a backtest and a watch."""

from __future__ import annotations

from typing import NamedTuple

from .queries import percentage

WOULD_STOP, MAY_STOP = "would stop", "may stop"  # verbs
WOULD_HAVE_STOPPED, MIGHT_HAVE_STOPPED = "would have stopped", "might have stopped"


class StoppedTraffic(NamedTuple):
    """So many of all `requests`, or packets, as `noun` says, are stopped; `where` and `when` begin
    with a preposition, or are empty."""

    stopped: int
    requests: int
    noun: str
    where: str = ""
    when: str = ""

    def in_words(self, verb: str = "stopped") -> str:
        """A predicate: `stopped 812 of 20140 requests (4.032 %) since 09:00`."""
        percent = percentage(self.stopped, self.requests)
        share = "" if percent is None else f"({percent:g} %)"
        number = f"{self.stopped} of {self.requests} {self.noun}"
        return " ".join(filter(None, (verb, number, self.where, share, self.when)))

    def beyond(self, limits: StoppedLimits, verb: str = "stopped") -> str:
        """The predicate, with the limits that the traffic exceeds."""
        return f"{self.in_words(verb)}, more than the allowed {limits.in_words(self.noun)}"


class StoppedLimits(NamedTuple):
    """The share, and the number, of requests or packets that may be stopped; None: any number."""

    percent: float
    requests: int | None = None

    def in_words(self, noun: str) -> str:
        """The limits: `0.5 % or 1000 requests`."""
        if self.requests is None:
            return f"{self.percent:g} %"
        return f"{self.percent:g} % or {self.requests} {noun}"
