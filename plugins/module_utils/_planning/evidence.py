# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Evidence before mitigation: past traffic speaks for enabling a rule or filter, or against it.

Network by network, so that a small one is not hidden by a large one. Not known counts as too much.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from datetime import datetime
from fractions import Fraction
from typing import AbstractSet, Iterable, NamedTuple, Sequence, Tuple

from .._api.client import Client
from .._plan.plan import Operation, Plan
from .._plan.rollout import EvidenceLimits, Target, Verdict
from .._protection.coverage import (
    Coverage,
    Decided,
    decided_by,
    not_monitored_before,
    protected_since,
)
from .._protection.monitoring import enabled_too_soon, enabling
from .._schema.account import COMPONENTS
from .._schema.resource import ACCOUNT_OPTION
from .._text import Unread, first_few, plural, sentence
from .._traffic.ask import AccountTraffic, NodeTraffic, ask_traffic
from .._traffic.evidence import Evidence, Sums, evidence_of, grouped, summed
from .._traffic.pieces import silence
from .._traffic.queries import Row, node_of, too_few
from .._values.address_set import (
    INSIDE,
    Range,
    Ranges,
    difference,
    intersection,
    networks,
    position_in,
    range_of,
    subnet_of,
    union,
)

NetworkShare = Tuple[Ranges, Sums]  # a network, and the traffic to it
Doubt = Tuple[str, Ranges]  # a sentence on what is not known, and the networks concerned


def _exceeds(limits: EvidenceLimits, sums: Sums) -> bool:
    """Return whether more traffic would have been dropped than these limits allow."""
    most_percent, most_packets = Fraction(str(limits.max_percent)), limits.max_packets
    if 100 * sums.would_drop > most_percent * sums.total:
        return True
    return most_packets is not None and sums.would_drop > most_packets


def judge(
    decided: Decided,
    evidence: Evidence,
    limits: EvidenceLimits,
    further_doubts: Sequence[Doubt] = (),
) -> Verdict:
    """The verdict on an object: in no network may more traffic be lost than the limits allow.

    It concerns each network that loses too much or is not known, so that no acceptance of one
    network hides another.
    """
    space = decided.space
    if not space:
        return Verdict.unknown("It decides for no protected address.", [])
    rows = [row for row in evidence.rows if _is_decided(row, decided, space)]
    by_prefix = _by_prefix(rows, decided)
    shares = [*by_prefix, *_by_subnet(rows, decided, space)]
    dropped = summed(rows).would_drop
    advice = Evidence(evidence.component, rows, ()).advice()
    exceeding = [share for share in shares if _exceeds(limits, share[1])]
    doubts: list[Doubt] = [(reason, space) for reason in evidence.unknown]
    doubts += [*_too_thin(by_prefix), *further_doubts]
    unknown = _unknown_by(doubts)
    if not exceeding and doubts:
        return unknown
    if not exceeding:
        return Verdict("", "", max(map(_percent_of, shares)), dropped, [], advice)
    worst = max(exceeding, key=_percent_of)
    ranges = _ranges_of([share[0] for share in exceeding])
    sentences = [_too_much(worst, ranges, limits)]
    if doubts:
        sentences.append(unknown.message)
    concerned = union([*ranges, *unknown.ranges])
    message = " ".join(sentences)
    return Verdict("evidence", message, _percent_of(worst), dropped, concerned, advice)


def _unknown_by(doubts: Sequence[Doubt]) -> Verdict:
    """The verdict that it is not known, for these `doubts`, how much traffic an object would
    drop.
    """
    sentences = [sentence for sentence, _ranges in doubts]
    return Verdict.unknown(
        " ".join(sentences), _ranges_of([ranges for _sentence, ranges in doubts])
    )


def _ranges_of(networks_of_each: Sequence[Ranges]) -> Ranges:
    """The addresses of several networks, as one set."""
    return union(network for ranges in networks_of_each for network in ranges)


def _percent_of(share: NetworkShare) -> float:
    return share[1].percent or 0.0


def _is_decided(row: Row, decided: Decided, space: Ranges) -> bool:
    destination = range_of(row.destination)
    is_inside = destination is not None and position_in(destination, space) == INSIDE
    return is_inside and decided.may_decide_in(row.data_center)


def _by_prefix(rows: Iterable[Row], decided: Decided) -> list[NetworkShare]:
    """The packets of each protected prefix, also for prefixes without traffic."""
    prefixes = [prefix for prefix, _ranges in decided.networks]
    starts = [start for start, _end in prefixes]  # they are disjoint and in order

    def prefix_of(row: Row) -> Range:
        start, _end = range_of(row.destination) or (0, 0)
        return prefixes[bisect_right(starts, start) - 1]

    rows_by_prefix = grouped(rows, prefix_of)
    shares: list[NetworkShare] = []
    for prefix, ranges in decided.networks:
        shares.append((ranges, summed(rows_by_prefix.get(prefix, ()))))
    return shares


def _by_subnet(rows: Iterable[Row], decided: Decided, space: Ranges) -> list[NetworkShare]:
    """The packets of each subnet in the `space`; if it is not known which data centers are
    concerned, of each subnet in each data center.
    """

    def subnet_and_data_center(row: Row) -> tuple[Range, str]:
        destination = range_of(row.destination) or (0, 0)
        return subnet_of(destination), row.data_center if decided.beside_region else ""

    shares: list[NetworkShare] = []
    for (subnet, _data_center), subnet_rows in grouped(rows, subnet_and_data_center).items():
        shares.append((intersection([subnet], space), summed(subnet_rows)))
    return shares


def _too_much(worst: NetworkShare, ranges: Ranges, limits: EvidenceLimits) -> str:
    concerned, sums = worst
    worst_networks = networks(concerned)
    number = len(networks(ranges)) - len(worst_networks)
    further = plural(number, "more network", "more networks")
    further_networks = f" (and too many to {further})" if number > 0 else ""
    return (
        f"Within {limits.hours:g} h, {_percent_of(worst):g} % of the packets to"
        f" {first_few(worst_networks)} would have been dropped,"
        f" {plural(sums.would_drop, 'packet', 'packets')}{further_networks};"
        f" {limits.allowed} may be."
    )


def _too_thin(by_prefix: Sequence[NetworkShare]) -> list[Doubt]:
    """A doubt for each prefix to which too few packets were seen."""
    silent: list[Ranges] = []
    thin: list[Doubt] = []
    for ranges, sums in by_prefix:
        if not sums.samples:
            silent.append(ranges)
        elif not sums.known:
            number = too_few(sums.samples).rstrip(".")
            thin.append((f"{number}, to {first_few(networks(ranges))}.", ranges))
    doubts: list[Doubt] = []
    if silent:
        space = _ranges_of(silent)
        doubts.append((f"The analytics saw no traffic to {first_few(networks(space))}.", space))
    return [*doubts, *_in_few_sentences(thin)]


def _in_few_sentences(doubts: Sequence[Doubt]) -> list[Doubt]:
    """The doubts joined into one, which names the first of them and concerns the networks of
    all.
    """
    if not doubts:
        return []
    sentences = [sentence for sentence, _ranges in doubts[:MOST_SENTENCES]]
    return [(" ".join(sentences), _ranges_of([ranges for _sentence, ranges in doubts]))]


MOST_SENTENCES = 3
CHANGES = (
    "It changes while it would be enabled, so that the traffic so far says nothing of it; change it"
    " first, and enable it later."
)
SWITCHED_OFF = "TCP protection is off, so that nothing was monitored."
BROUGHT = (
    "The same plan brings it traffic to {} that nothing monitored; apply that first, and enable it"
    " later."
)
YOUNG = "It is not known that these networks are protected for {:g} h already: {}."


class Question(NamedTuple):
    """The question whether past traffic speaks against enabling the objects of a plan; objects that
    are enabled `at_once` need no answer.
    """

    limits: EvidenceLimits
    now: datetime | None
    at_once: AbstractSet[Target]

    def without_traffic(self, plan: Plan) -> dict[Target, Verdict]:
        """The verdicts on those objects that need no traffic to be judged."""
        verdicts: dict[Target, Verdict] = {}
        for operation in enabling(plan):
            if operation.target in self.at_once:
                continue
            resource, existing = operation.resource, operation.existing
            reason = enabled_too_soon(resource, existing, self.now, self.limits.time)
            if reason:
                verdicts[operation.target] = Verdict.unknown(sentence(f"it {reason}"), [])
            elif set(operation.fields) - {resource.mode_field}:
                verdicts[operation.target] = Verdict.unknown(CHANGES, [], restarts=True)
        return verdicts

    def open_operations(self, plan: Plan) -> list[Operation]:
        """The operations of a plan on which only the traffic can decide."""
        decided = self.at_once | self.without_traffic(plan).keys()
        return [operation for operation in enabling(plan) if operation.target not in decided]

    def verdicts(self, plan: Plan, traffic: AccountTraffic | None) -> dict[Target, Verdict]:
        """The verdicts on all objects that a plan enables; `traffic` is the traffic that was asked
        for.
        """
        verdicts = self.without_traffic(plan)
        operations = self.open_operations(plan)
        if operations and traffic:
            verdicts.update(verdicts_of(operations, plan, traffic, self.limits))
        return verdicts


def ask(client: Client, operations: Sequence[Operation], question: Question) -> AccountTraffic:
    """The traffic that the components of some operations saw."""
    now, limits = question.now, question.limits
    if now is None:
        raise ValueError("without Cloudflare's time nothing has monitored long enough")
    concerned = {operation.resource.component for operation in operations}
    components = [name for name in COMPONENTS if name in concerned]
    account_id = client.owner[ACCOUNT_OPTION]
    since = now - limits.time
    return ask_traffic(client.ask, account_id, components, since, now, by_hour=True)


def verdicts_of(
    operations: Sequence[Operation],
    plan: Plan,
    account_traffic: AccountTraffic,
    limits: EvidenceLimits,
) -> dict[Target, Verdict]:
    """The verdicts on the objects of these operations, by the traffic and by the coverage after the
    plan.
    """
    before, after = Coverage(plan.before), Coverage(plan.after())
    is_off = before.enabled is False
    verdicts: dict[Target, Verdict] = {}
    decided_traffic: list[tuple[Operation, Decided]] = []
    for operation in operations:
        decided = _decides_for(operation, after, is_off)
        if isinstance(decided, Verdict):
            verdicts[operation.target] = decided
        else:
            decided_traffic.append((operation, decided))
    spaces = {tuple(decided.space): decided.space for _operation, decided in decided_traffic}
    traffic = account_traffic.traffic(list(spaces.values()))
    settled = protected_since(before, account_traffic.since)
    for operation, decided in decided_traffic:
        young = difference(decided.space, settled)
        old = difference(decided.space, young)
        brought = not_monitored_before(before, after, operation.resource, operation.key, old)
        doubts: list[Doubt] = []
        if young:
            doubts.append((YOUNG.format(limits.hours, first_few(networks(young))), young))
        if brought:
            doubts.append((BROUGHT.format(first_few(networks(brought))), brought))
        component = str(operation.resource.component)
        evidence = evidence_of(traffic, component)
        hours = account_traffic.hourly_by_node.get(node_of(component).name)
        if hours:
            doubts += _silent(hours, decided, evidence)
        verdicts[operation.target] = judge(decided, evidence, limits, doubts)
    return verdicts


def _silent(hours: NodeTraffic, decided: Decided, evidence: Evidence) -> list[Doubt]:
    """A doubt for each prefix, and each subnet with traffic, to which the analytics saw no traffic
    in parts of the hours; for all of them if the hours are not known.
    """
    space = decided.space
    if hours.unknown:
        return [(reason, space) for reason in hours.unknown]
    doubts = _silent_networks(hours, [ranges for _prefix, ranges in decided.networks])
    told = _ranges_of([ranges for _sentence, ranges in doubts])
    rows = [row for row in evidence.rows if _is_decided(row, decided, space)]
    subnets = [ranges for ranges in _subnets_of(rows, space) if difference(ranges, told)]
    return _in_few_sentences([*doubts, *_silent_networks(hours, subnets)])


def _subnets_of(rows: Iterable[Row], space: Ranges) -> list[Ranges]:
    """The subnets that have traffic, each limited to its part in the space."""
    destinations = {range_of(row.destination) or (0, 0) for row in rows}
    subnets = sorted({subnet_of(destination) for destination in destinations})
    return [intersection([subnet], space) for subnet in subnets]


def _silent_networks(hours: NodeTraffic, spaces: Sequence[Ranges]) -> list[Doubt]:
    """A doubt for each network to which the analytics saw no traffic in parts of the hours."""
    samples_by_subnet: dict[Range, Counter[str]] = {}
    for row in hours.rows:
        destination = range_of(row.destination)
        if destination:
            samples_by_subnet.setdefault(destination, Counter())[row.outcome] += row.samples
    subnets = sorted(samples_by_subnet)  # they are disjoint
    doubts: list[Doubt] = []
    for space in spaces:
        samples: Counter[str] = Counter()
        for subnet in _touching(subnets, space):
            samples.update(samples_by_subnet[subnet])
        traffic = f"traffic to {first_few(networks(space))}"
        text = silence(samples, hours.page.since, hours.page.until, traffic)
        if text:
            doubts.append((text, space))
    return doubts


def _touching(subnets: Sequence[Range], space: Ranges) -> list[Range]:
    """The subnets that overlap the `space`; `subnets` are disjoint and in order."""
    touching: dict[Range, None] = {}
    for start, end in space:
        first = bisect_right(subnets, (start, start))
        first -= 1 if first and subnets[first - 1][1] >= start else 0
        for subnet in subnets[first:]:
            if subnet[0] > end:
                break
            touching[subnet] = None
    return list(touching)


def _decides_for(operation: Operation, coverage: Coverage, is_off: bool) -> Decided | Verdict:
    """The traffic for which an object decides, or a verdict if that is not known."""
    if is_off and COMPONENTS[str(operation.resource.component)].is_switched:
        return Verdict.unknown(SWITCHED_OFF, coverage.protected)
    try:
        return decided_by(coverage, operation.resource, operation.planned or {})
    except Unread as exc:
        return Verdict.unknown(sentence(f"what it matches is not known: {exc}"), coverage.protected)
