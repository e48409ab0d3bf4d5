# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What becomes of a request or a packet: one outcome, or several if not all of it is known."""

from __future__ import annotations

from typing import Iterable, NamedTuple, Sequence

ALLOWED, SKIPPED, LOGGED = "allowed", "skipped", "logged"
CHALLENGED, BLOCKED = "challenged", "blocked"
MITIGATED, MONITORED = "mitigated", "monitored"
UNPROTECTED, BYPASSED = "unprotected", "bypassed"
OF_REQUESTS = (ALLOWED, SKIPPED, LOGGED, CHALLENGED, BLOCKED)
OF_PACKETS = (MITIGATED, MONITORED, UNPROTECTED, BYPASSED)
UNDECIDED = "undecided"
OF_FIREWALL = (ALLOWED, SKIPPED, LOGGED, BLOCKED)  # of packets in the Network Firewall
# A request that a rule logs, or that skips the rest, is allowed as well. A packet that the Network
# Firewall lets pass meets the components, which another module checks.
PASSING = (ALLOWED, SKIPPED, LOGGED)
FULFILLING = {ALLOWED: PASSING, **{word: (word, *PASSING) for word in OF_PACKETS}}


class Outcome(NamedTuple):
    """An outcome, and the rule or whatever else decides it; None if nothing does."""

    word: str
    by: str | None = None


class Decision(NamedTuple):
    """The outcomes that are possible, and why there is more than one; `skips` is what a request
    does not meet beside the rules."""

    outcomes: Sequence[Outcome]
    reasons: Sequence[str] = ()
    skips: Sequence[str] = ()

    @property
    def word(self) -> str:
        """The outcome, if there is one."""
        words = {outcome.word for outcome in self.outcomes}
        return words.pop() if len(words) == 1 else UNDECIDED

    @property
    def by(self) -> str | None:
        """What decides, if that is known."""
        deciding = {outcome.by for outcome in self.outcomes}
        return deciding.pop() if len(deciding) == 1 else None

    def fulfils(self, expected: str, rule: str | None = None) -> bool | None:
        """Whether this is what was expected, decided by a rule if one is named; None if it is not
        known."""
        words = FULFILLING.get(expected, (expected,))
        fulfilled = {
            outcome.word in words and rule in (None, outcome.by) for outcome in self.outcomes
        }
        return fulfilled.pop() if len(fulfilled) == 1 else None


def decision(
    outcomes: Iterable[Outcome], reasons: Iterable[str] = (), skips: Iterable[str] = ()
) -> Decision:
    """A decision with each outcome and each reason once."""
    return Decision(
        list(dict.fromkeys(outcomes)), list(dict.fromkeys(reasons)), list(dict.fromkeys(skips))
    )
