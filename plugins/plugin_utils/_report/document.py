# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as data: one record for each host, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from ansible_collections.edgeops.protection.plugins.module_utils._coverage.modes import in_order
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    counted,
    networks,
)

from .._baseline.host_plan import host_plan_id
from .conflicts import conflicts, sources_of
from .coverage import AccountCoverage
from .prefixes import prefix_records
from .record import (
    CLASSES,
    FAMILIES,
    STATUSES,
    VERSION,
    ClassCounts,
    ComponentPiece,
    Counted,
    CoverageRecord,
    Family,
    HostRecord,
    Report,
    Totals,
    shown_as,
)
from .results import HostResults
from .statuses import assess, worst_first


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
    status, reasons = assess(host, before, after)
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
