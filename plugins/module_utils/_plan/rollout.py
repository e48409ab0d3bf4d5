# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The staged rollout as data: what the traffic says of the next stage of an object, and the plan
that the stages have shaped."""

from __future__ import annotations

from datetime import timedelta
from typing import AbstractSet, Mapping, NamedTuple, Sequence, Tuple

from .._schema.resource import NO_ITEMS, Key
from .._values.address_set import Range, Ranges
from .plan import Operation, Plan

Target = Tuple[str, Key]  # the plural of the resource, and the key of the object


class EvidenceLimits(NamedTuple):
    """The limits of a task: how many hours of past traffic to examine, and how much of this traffic
    may be lost.
    """

    hours: float
    max_percent: float
    max_packets: int | None

    @property
    def time(self) -> timedelta:
        """The time to look back, which is also the least time for which an object monitors."""
        return timedelta(hours=self.hours)


class Verdict(NamedTuple):
    """The verdict of past traffic on a rule or filter that is to be enabled. `reason` is empty if
    it may be enabled; `evidence` says that too much traffic would have been dropped, `unknown` why
    that is not known. `restarts` means that the change itself makes it unknown, so that the object
    monitors for a new period. `percent` is that of the worst network, `ranges` are the networks
    concerned.
    """

    reason: str = ""
    message: str = ""
    percent: float | None = None
    packets: int | None = None
    ranges: Sequence[Range] = ()
    advice: Sequence[str] = ()
    restarts: bool = False

    @classmethod
    def unknown(
        cls, why: str, ranges: Ranges, restarts: bool = False, verb: str = "drop"
    ) -> Verdict:
        """The verdict if it is not known what would be dropped; `why` is one or more sentences, and
        `verb` is what becomes of the traffic."""
        message = f"It is not known what it would {verb}. {why}"
        return cls("unknown", message, ranges=ranges, restarts=restarts)


Verdicts = Mapping[Target, Verdict]


class Planned(NamedTuple):
    """A plan as the staged rollout changed it. `staged` are the objects that are only enabled
    later, `verdicts` what the traffic says of the objects that this plan enables, and `against` the
    verdicts that keep objects from being enabled. If the task only asks for what the time has
    brought, `left_alone` are the other operations. In a fleet, `whole` is the plan of all turns of
    the host, if `plan` is a part of it, and `kept` are the operations that are not made, since
    other hosts still refer to their lists.
    """

    plan: Plan
    staged: AbstractSet[Target] = frozenset()
    verdicts: Verdicts = NO_ITEMS
    against: Verdicts = NO_ITEMS
    left_alone: Sequence[Operation] = ()
    whole: Plan | None = None
    kept: tuple[Operation, ...] = ()

    @property
    def whole_plan(self) -> Plan:
        """The plan of all turns, which is the one to approve."""
        return self.whole or self.plan

    @property
    def goal(self) -> Plan:
        """The plan of all turns, without what is not made in any of them."""
        return self.plan if self.kept else self.whole_plan
