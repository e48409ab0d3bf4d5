# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as data: one record for each host, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, cast

from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import (
    Comparison,
    Unread,
    parse,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.modes import (
    UNDECIDED,
    in_order,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import plural
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    Range,
    Ranges,
    counted,
    intersection,
    networks,
    range_of,
    union,
)

from .._baseline.approval import host_plan_id
from .._baseline.unmanaged import weakening
from .coverage import AccountCoverage, prefix_records
from .record import (
    CLASSES,
    FAMILIES,
    STATUSES,
    VERSION,
    ClassCounts,
    ComponentPiece,
    Conflict,
    Counted,
    CoverageRecord,
    Family,
    HostRecord,
    Report,
    Sources,
    Status,
    Totals,
    shown_as,
    unaccepted,
)
from .results import HostResults, refusing, unmet_reasons

MEANINGS: Final[Mapping[str, str]] = {
    "unknown": "It could not be read, so nobody knows whether it is protected.",
    "unprotected": (
        "The protection is off, protects no address, or a component does nothing for protected"
        " addresses."
    ),
    "weakened": "It protects less than its baseline describes.",
    "drift": "It differs from its baseline, and protects no less.",
    "pending": "It matches its baseline, but for steps that wait for their time.",
    "in_order": "It matches its baseline.",
}


class Assessment(NamedTuple):
    """A status, and the sentences that give it, those of worse statuses first."""

    status: Status
    reasons: list[str]


def assess(host: HostResults, before: AccountCoverage | None) -> Assessment:
    """The status of a host; `before` is the existing coverage of its account, None if it is not
    known."""
    applying: dict[Status, list[str]] = {
        "unknown": [*host.errors, *host.unread, *(_not_understood(before) if before else [])],
        "unprotected": host.acknowledging.unprotected(before) if before else [],
        "weakened": [
            *(sentence for item in host.predictions for sentence in item.weaker),
            *(text for item in host.predictions for text in unmet_reasons(item.expectations)),
            *host.acknowledging.unnamed(host.announced),
            *weakening(unaccepted([obj for item in host.predictions for obj in item.unmanaged])),
        ],
        "drift": _drift(host),
        "pending": [step["message"] for item in host.predictions for step in item.pending],
    }
    reasons = [reason for status in STATUSES for reason in applying.get(status, ())]
    return Assessment(
        next((status for status in STATUSES if applying.get(status)), "in_order"), reasons
    )


def worst_first(status: Status) -> int:
    """The place of a status in the order from the worst to the best."""
    return STATUSES.index(status)


def _not_understood(coverage: AccountCoverage) -> list[str]:
    """Why it cannot be told whether an account is protected; it can, if only parts are
    not understood."""
    pieces = [piece for pieces in coverage.pieces.values() for piece in pieces]
    if coverage.enabled is not None and not any(modes == {UNDECIDED} for _ranges, modes in pieces):
        return []
    return list(coverage.undecided or ["What the account protects is not known."])


def _drift(host: HostResults) -> list[str]:
    number = sum(len(item.operations) for item in host.predictions)
    differences = (
        [f"{plural(number, 'difference', 'differences')} from the baseline."] if number else []
    )
    refused = [item for item in host.predictions if item.is_refused]
    expected = [item for one in host.predictions for item in refusing(one.expectations)]
    risks = [risk["code"] for item in refused for risk in item.risks]
    codes = dict.fromkeys([*risks, *expected])
    return differences + ([f"A run refuses the plan: {', '.join(codes)}."] if codes else [])


SOURCE = "ip.src"
Named = dict[Range, list[HostRecord]]  # the hosts that name a range


def sources_of(host: HostResults) -> Sources | None:
    """The networks that the rules of a zone, as they are planned, let pass or block as sources;
    rules that look at anything else are none of them. None if the host has no rules of a zone."""
    rules = [rule for item in host.predictions for rule in item.planned]
    if not any(item.is_of_zone for item in host.predictions):
        return None
    passed = [item for rule in rules if rule.lets_pass for item in _sources(rule.expression)]
    blocked = [item for rule in rules if rule.enforces for item in _sources(rule.expression)]
    return Sources(passed=networks(union(passed)), blocked=networks(union(blocked)))


def _sources(expression: str) -> Ranges:
    """The sources that an expression names, if it looks at nothing else."""
    try:
        tree = parse(expression)
    except Unread:
        return []
    if not isinstance(tree, Comparison) or tree.field != SOURCE:
        return []
    ranges = [range_of(token.text) for token in tree.operands]
    is_set = tree.operator in ("eq", "==", "in")
    return [item for item in ranges if item] if is_set and None not in ranges else []


def conflicts(records: Sequence[HostRecord]) -> list[Conflict]:
    """The conflicts of all hosts, in the order of their networks."""
    every = [
        *_opposed(_named(records, _passed), _named(records, _blocked)),
        *_twice(_named(records, _protected)),
    ]
    distinct = {(item["kind"], item["network"]): item for item in every}
    return [distinct[key] for key in sorted(distinct)]


def _opposed(passed: Named, blocked: Named) -> Iterator[Conflict]:
    """Networks that one host lets pass and another one blocks."""
    for common, passing, blocking in _meeting(passed, blocked):
        if len({record["host"] for record in [*passing, *blocking]}) > 1:
            yield from _conflicts("passed_and_blocked", common, passing, blocking)


def _twice(protected: Named) -> Iterator[Conflict]:
    """Networks that two accounts protect."""
    for common, ones, others in _meeting(protected, protected):
        if len({_account(record) for record in [*ones, *others]}) > 1:
            yield from _conflicts("protected_twice", common, [*ones, *others], ())


def _conflicts(
    kind: Literal["passed_and_blocked", "protected_twice"],
    common: Range,
    hosts: Iterable[HostRecord],
    against: Iterable[HostRecord],
) -> Iterator[Conflict]:
    names = [sorted({record["host"] for record in side}) for side in (hosts, against)]
    for network in networks([common]):
        yield Conflict(kind=kind, network=network, hosts=names[0], against=names[1])


def _meeting(
    ones: Named, others: Named
) -> Iterator[tuple[Range, list[HostRecord], list[HostRecord]]]:
    """What ranges of two sides have in common, with the hosts that name them."""
    behind = sorted(others)
    for range_, hosts in ones.items():
        for other in behind:
            if other[0] > range_[1]:
                break
            for common in intersection([range_], [other]):
                yield common, hosts, others[other]


def _named(records: Iterable[HostRecord], texts: Callable[[HostRecord], Iterable[str]]) -> Named:
    named: Named = {}
    for record in records:
        for range_ in filter(None, map(range_of, texts(record))):
            named.setdefault(range_, []).append(record)
    return named


def _passed(record: HostRecord) -> list[str]:
    allowed = record["coverage"]["bypassing"] if record["coverage"] else []
    return [*allowed, *(record["sources"]["passed"] if record["sources"] else [])]


def _blocked(record: HostRecord) -> list[str]:
    return record["sources"]["blocked"] if record["sources"] else []


def _protected(record: HostRecord) -> list[str]:
    return record["coverage"]["protected"] if record["coverage"] else []


def _account(record: HostRecord) -> str:
    return record["account_id"] or record["host"]


def make_report(hosts: Iterable[HostResults], generated: str) -> Report:
    """The report on some hosts; `generated` is when it was made, as a timestamp with an offset."""
    return report_of([host_record(host, generated) for host in hosts], generated)


def report_of(records: Iterable[HostRecord], generated: str) -> Report:
    """A report with these records, the worst first, and their totals."""
    ordered = sorted(records, key=lambda record: (worst_first(record["status"]), record["host"]))
    return Report(
        version=VERSION,
        generated=generated,
        totals=totals(ordered),
        previous=None,
        conflicts=conflicts(ordered),
        hosts=ordered,
    )


def host_record(host: HostResults, generated: str) -> HostRecord:
    """The record of a host that was read at this moment."""
    before, after = host.coverage()
    status, reasons = assess(host, before)
    return HostRecord(
        host=host.host,
        generated=generated,
        groups=list(host.groups),
        status=status,
        reasons=reasons,
        mitigates=before.mitigates if before else None,
        account_id=host.account_id,
        zone_id=host.zone_id,
        plan_id=host_plan_id(host.plans) if host.predictions else None,
        plans=host.plans,
        operations=[operation for item in host.predictions for operation in item.operations],
        risks=[
            risk
            for item in sorted(host.predictions, key=lambda item: not item.is_refused)
            for risk in item.risks
        ],
        coverage=_coverage(before) if before else None,
        prefixes=prefix_records(before, after) if before and after else [],
        accepted_risks=list(host.accepted_risks),
        expiring=list(host.expiring),
        traffic=host.traffic,
        pending=[step for item in host.predictions for step in item.pending],
        unmanaged=[item for prediction in host.predictions for item in prediction.unmanaged],
        acknowledged=host.acknowledging.records(before, host.announced) if before else [],
        expectations=[item for one in host.predictions for item in one.expectations],
        announced=host.announced,
        sources=sources_of(host),
        changes=None if host.changes is None else list(host.changes),
    )


def totals(records: Sequence[HostRecord]) -> Totals:
    """The numbers of a report."""
    statuses = Counter(record["status"] for record in records)
    coverages = [record["coverage"] for record in records if record["coverage"]]
    numbers = {
        "hosts": len(records),
        "statuses": {status: statuses[status] for status in STATUSES},
        "mitigating": sum(1 for record in records if record["mitigates"]),
        **{key: _sum_of_lengths(records, key) for key, _counted in shown_as(Counted)},
        "addresses": {family: _sum(coverages, family) for family in FAMILIES},
    }
    return cast(Totals, numbers)


def _sum_of_lengths(records: Sequence[Mapping[str, Any]], key: str) -> int:
    return sum(len(record[key]) for record in records)


def _sum(coverages: Sequence[CoverageRecord], family: Family) -> ClassCounts:
    every = [coverage["addresses"][family] for coverage in coverages]
    return {name: sum(counts[name] for counts in every) for name in CLASSES}


def _coverage(coverage: AccountCoverage) -> CoverageRecord:
    return CoverageRecord(
        enabled=coverage.enabled,
        effective=coverage.effective,
        addresses=coverage.counts(),
        protected=networks(coverage.protected),
        excluded=networks(coverage.excluded),
        uncovered=networks(coverage.uncovered),
        bypassing=networks(coverage.bypassing),
        components={
            kind: [
                ComponentPiece(modes=in_order(modes), addresses=counted(ranges))
                for ranges, modes in pieces
            ]
            for kind, pieces in coverage.pieces.items()
        },
        gaps=list(coverage.gaps),
        undecided=list(coverage.undecided),
    )
