# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The gate before mitigation: what the traffic says of each rule and filter that a plan enables.

It knows no client; the traffic comes from a function that asks for it, once a task.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Sequence

from .._coverage.coverage import Coverage
from .._coverage.deciding import Decided, Undecided, decided_by, prefixes_since
from .._plan.plan import Operation
from .._schema.account import COMPONENTS
from .._text import first_few, sentence
from .._traffic.ask import Listings
from .._traffic.evidence import evidence_of
from .._traffic.rows import Traffic
from .._values.address_set import Range, Ranges, networks
from .enabling import Verdict, VerdictKey, enabled_too_soon, key_of, not_known
from .evidence import EvidenceLimits, judge

CHANGES = (
    "It changes while it would be enabled, so that the traffic so far says nothing of it; change it"
    " first, and enable it later."
)


OFF = "TCP protection is off, so that nothing was monitored."


@dataclass(frozen=True)
class Gate:
    """What a task asks of the traffic before something is enabled; `now` is Cloudflare's time."""

    limits: EvidenceLimits
    now: datetime | None

    def unasked(self, items: Sequence[Operation]) -> dict[VerdictKey, Verdict]:
        """The verdicts for which no traffic needs to be known."""
        verdicts = {}
        for item in items:
            reason = enabled_too_soon(item.resource, item.existing, self.now, self.limits.time)
            if reason:
                verdicts[key_of(item)] = not_known(sentence(f"it {reason}"), [])
            elif set(item.fields) - {item.resource.mode_field}:
                verdicts[key_of(item)] = not_known(CHANGES, [], restarts=True)
        return verdicts

    def verdicts(
        self,
        items: Sequence[Operation],
        coverage: Coverage,
        listings: Listings,
        is_off: bool = False,
    ) -> dict[VerdictKey, Verdict]:
        """What the traffic says of each object, by the coverage after the plan; `is_off` says that
        TCP protection is off before it."""
        judged = [_Judged(item, coverage, is_off) for item in items]
        spaces = [one.decided.space for one in judged if one.decided]
        traffic = listings.traffic(_distinct(spaces))
        return {key_of(one.item): self._verdict(one, coverage, traffic) for one in judged}

    def _verdict(self, judged: _Judged, coverage: Coverage, traffic: Traffic) -> Verdict:
        """What the traffic says of one object. If it says nothing against it, all of its networks
        must have been protected for as long as the traffic is looked at."""
        if judged.undecided:
            return judged.undecided
        decided = judged.decided or Decided([])
        evidence = evidence_of(traffic, str(judged.item.resource.component))
        verdict = judge(decided, evidence, self.limits)
        young = [] if verdict.reason else self._young(decided, coverage)
        if not young:
            return verdict
        listed = first_few([text for item in young for text in networks([item])])
        hours = f"{self.limits.hours:g} h"
        why = f"It is not known that these networks are protected for {hours} already: {listed}."
        return not_known(why, young)

    def _young(self, decided: Decided, coverage: Coverage) -> list[Range]:
        """The networks of an object that nobody looked at for the whole time, since their prefix is
        new."""
        if self.now is None:
            return []
        oldest = self.now - self.limits.time
        since = prefixes_since(coverage)
        return [
            prefix for prefix, _ranges in decided.networks if since.get(prefix, oldest) > oldest
        ]


@dataclass
class _Judged:
    """An object with what it decides for, or with the verdict that this is not known."""

    item: Operation
    coverage: Coverage
    is_off: bool = False
    decided: Decided | None = field(init=False, default=None)
    undecided: Verdict | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.is_off and COMPONENTS[str(self.item.resource.component)].is_switched:
            self.undecided = not_known(OFF, self.coverage.protected)
            return
        try:
            self.decided = decided_by(self.coverage, self.item.resource, self.item.planned or {})
        except Undecided as exc:
            why = sentence(f"what it matches is not known: {exc}")
            self.undecided = not_known(why, self.coverage.protected)


def _distinct(spaces: Sequence[Ranges]) -> list[Ranges]:
    distinct: list[Ranges] = []
    for space in spaces:
        if space not in distinct:
            distinct.append(space)
    return distinct
