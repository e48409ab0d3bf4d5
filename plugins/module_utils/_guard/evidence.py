# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Evidence before mitigation: whether the traffic speaks for enabling a rule or filter.

Network by network, so that a small one is not hidden by a large one. Not known counts as too much.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any, Iterable, NamedTuple, Sequence

from .._api.client import Client
from .._concurrency import concurrently
from .._expressions.grammar import NotKnown
from .._plan.plan import Operation, Plan
from .._protection.coverage import Coverage, Decided, decided_by, prefixes_since
from .._schema.account import COMPONENTS
from .._schema.resource import ACCOUNT_OPTION, Resource
from .._text import first_few, plural, sentence
from .._traffic.answers import Row, Traffic
from .._traffic.ask import Listings, ask_traffic
from .._traffic.evidence import Evidence, Sums, evidence_of, grouped, summed, too_few
from .._values.address_set import (
    INSIDE,
    Range,
    Ranges,
    intersection,
    networks,
    position_in,
    range_of,
    subnet_of,
    union,
)
from .acceptance import Acceptance, accepting
from .risks.account import drops_traffic
from .risks.base import (
    FoundRisk,
    Verdict,
    VerdictKey,
    Verdicts,
    enabled_too_soon,
    enabling,
    entries_of,
    key_of,
    not_known,
)
from .rollout import EvidenceLimits


class Share(NamedTuple):
    """What would be lost of the traffic to one network."""

    ranges: Ranges
    sums: Sums

    @property
    def percent(self) -> float:
        """Of a hundred packets."""
        return self.sums.percent or 0.0


def _exceeds(limits: EvidenceLimits, sums: Sums) -> bool:
    """Whether more than these limits allow would have been dropped."""
    share = 100 * sums.would_drop > Fraction(str(limits.max_percent)) * sums.total
    return share or (limits.max_packets is not None and sums.would_drop > limits.max_packets)


def judge(decided: Decided, evidence: Evidence, limits: EvidenceLimits) -> Verdict:
    """Whether the traffic to each network that an object decides for lost no more than allowed."""
    space = decided.space
    if not space:
        return not_known("It decides for no protected address.", [])
    rows = [row for row in evidence.rows if _is_decided(row, decided, space)]
    shares = [*_by_prefix(rows, decided), *_by_subnet(rows, decided, space)]
    exceeding = [share for share in shares if _exceeds(limits, share.sums)]
    sums = summed(rows)
    advice = Evidence(evidence.component, rows, ()).advice()
    if exceeding:
        worst = max(exceeding, key=lambda share: share.percent)
        ranges = union(item for share in exceeding for item in share.ranges)
        message = _too_much(worst, ranges, limits)
        return Verdict("evidence", message, worst.percent, sums.would_drop, ranges, advice)
    thin = [share for share in _by_prefix(rows, decided) if not share.sums.known]
    if evidence.unknown or thin:
        ranges = space if evidence.unknown else union(item for one in thin for item in one.ranges)
        return not_known(" ".join([*evidence.unknown, *_too_thin(thin)]), ranges)
    percent = max(share.percent for share in shares)
    return Verdict("", "", percent, sums.would_drop, [], advice)


def _is_decided(row: Row, decided: Decided, space: Ranges) -> bool:
    destination = range_of(row.destination)
    is_inside = destination is not None and position_in(destination, space) == INSIDE
    return is_inside and decided.holds(row.data_center)


def _by_prefix(rows: Iterable[Row], decided: Decided) -> list[Share]:
    """By protected prefix, those without traffic as well."""
    prefixes = [prefix for prefix, _ranges in decided.networks]
    groups = grouped(rows, lambda row: _holder(row, prefixes))
    return [Share(ranges, summed(groups.get(prefix, ()))) for prefix, ranges in decided.networks]


def _holder(row: Row, prefixes: Sequence[Range]) -> Range | None:
    """The prefix that a row's destination lies in; they are disjoint and in order."""
    (first, _last), low, high = range_of(row.destination) or (0, 0), 0, len(prefixes)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if prefixes[middle][0] > first else (middle + 1, high)
    return prefixes[low - 1] if low else None


def _by_subnet(rows: Iterable[Row], decided: Decided, space: Ranges) -> list[Share]:
    """By subnet; by data center too, where it is not known which of them are concerned."""

    def key(row: Row) -> tuple[Range, str]:
        destination = range_of(row.destination) or (0, 0)
        return subnet_of(destination), row.data_center if decided.in_region else ""

    return [
        Share(intersection([subnet], space), summed(group))
        for (subnet, _data_center), group in grouped(rows, key).items()
    ]


def _too_much(worst: Share, ranges: Ranges, limits: EvidenceLimits) -> str:
    named, every = networks(worst.ranges), networks(ranges)
    more = len(every) - len(named)
    networks_more = plural(more, "more network", "more networks")
    others = f" (and too many to {networks_more})" if more > 0 else ""
    return (
        f"Within {limits.hours:g} h, {worst.percent:g} % of the packets to {first_few(named)}"
        f" would have been dropped, {plural(worst.sums.would_drop, 'packet', 'packets')}{others};"
        f" {limits.allowed} may be."
    )


def _too_thin(thin: Sequence[Share]) -> list[str]:
    """The prefixes of whose traffic too little was seen, a sentence."""
    if not thin:
        return []
    silent = [text for share in thin if not share.sums.samples for text in networks(share.ranges)]
    few = [share for share in thin if share.sums.samples]
    sentences = [f"The analytics saw no traffic to {first_few(silent)}."] if silent else []
    return sentences + [
        f"{too_few(share.sums.samples).rstrip('.')}, to {first_few(networks(share.ranges))}."
        for share in few[:3]
    ]


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
        except NotKnown as exc:
            why = sentence(f"what it matches is not known: {exc}")
            self.undecided = not_known(why, self.coverage.protected)


def _distinct(spaces: Sequence[Ranges]) -> list[Ranges]:
    distinct: list[Ranges] = []
    for space in spaces:
        if space not in distinct:
            distinct.append(space)
    return distinct


@dataclass
class EvidenceSource:
    """What the traffic says of the objects that the plans of one task enable.

    `verdicts` are those of the last plan, `against` those that kept something back.
    """

    gate: Gate
    accepted: Sequence[Acceptance]
    client: Client
    verdicts: Verdicts = field(default_factory=dict)
    against: Verdicts = field(default_factory=dict)
    _listings: Listings | None = field(default=None)

    @classmethod
    def begun(
        cls,
        limits: EvidenceLimits,
        now: datetime | None,
        accepted: Sequence[Acceptance],
        client: Client,
    ) -> EvidenceSource:
        """The source of a task that asks for this at Cloudflare's time, before anything is
        asked."""
        return cls(Gate(limits, now), accepted, client)

    def examine(self, plan: Plan, unread: Sequence[Resource]) -> Plan:
        """The plan from the whole state of its account, once its verdicts are known."""
        items = enabling(plan)
        verdicts = self.gate.unasked(items)
        asking = [item for item in items if key_of(item) not in verdicts]
        work: list[Resource | None] = [*unread]
        if asking and self._listings is None:
            work.append(None)
        results = list(concurrently(lambda resource: self._learn(resource, asking), work))
        if len(results) > len(unread):
            self._listings = results[-1]
        rest = {resource.plural: objects for resource, objects in zip(unread, results)}
        plan = replace(plan, before={**rest, **plan.before})
        if asking and self._listings:
            coverage = Coverage(plan.after())
            is_off = Coverage(plan.before).enabled is False
            verdicts.update(self.gate.verdicts(asking, coverage, self._listings, is_off))
        self.verdicts = verdicts
        return plan

    def _learn(self, resource: Resource | None, asking: Sequence[Operation]) -> Any:
        """The objects of a collection; or else the traffic."""
        if resource is not None:
            return self.client.read(resource)
        concerned = {item.resource.component for item in asking}
        components = [name for name in COMPONENTS if name in concerned]
        if self.gate.now is None:
            raise ValueError("without Cloudflare's time nothing has monitored long enough")
        since = self.gate.now - self.gate.limits.time
        account_id = self.client.owner[ACCOUNT_OPTION]
        return ask_traffic(self.client.ask, account_id, components, since, self.gate.now)

    def keep_back(self, plan: Plan) -> bool:
        """Add what the traffic speaks against in a plan, without what the task accepts, to
        `against`; whether there is any."""
        against = {}
        for item in enabling(plan):
            verdict = self.verdicts.get(key_of(item))
            if verdict and verdict.reason:
                risk = FoundRisk(drops_traffic.code, "", list(verdict.ranges), entries_of([item]))
                if not accepting(risk, self.accepted, self.gate.now):
                    against[key_of(item)] = verdict
        self.against = {**self.against, **against}
        return bool(against)
