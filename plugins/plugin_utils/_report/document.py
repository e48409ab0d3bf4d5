# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as data: one record for each host, and totals. docs/report.schema.json describes
it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import counted
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_plan import (
    host_plan_id,
    plan_ids,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.addresses import (
    CLASSES,
    FAMILIES,
    classes,
    counts,
    mitigates,
    ranges_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.operations import (
    described_operations,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import HostResults
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.statuses import (
    STATUSES,
    assess,
    pending_steps,
    worst_first,
)

VERSION = 1
ACCOUNT_MODULE = "account_protection"
SETS = ("protected", "excluded", "uncovered", "bypassing")

Record = dict[str, Any]


def make_report(hosts: Iterable[HostResults], generated: str) -> Record:
    """The report on some hosts; `generated` is when it was made, as a timestamp with an offset."""
    return report_of([host_record(host) for host in hosts], generated)


def report_of(records: Iterable[Record], generated: str) -> Record:
    """A report with these records, the worst first, and their totals."""
    ordered = sorted(records, key=lambda record: (worst_first(record["status"]), record["host"]))
    return {"version": VERSION, "generated": generated, "totals": totals(ordered), "hosts": ordered}


def host_record(host: HostResults) -> Record:
    """What the report says of a host."""
    coverage = (host.plans.get(ACCOUNT_MODULE) or {}).get("coverage") or {}
    before, after = coverage.get("before"), coverage.get("after")
    plans = plan_ids(host.plans)
    status, reasons = assess(host, before, after)
    return {
        "host": host.host,
        "status": status,
        "reasons": reasons,
        "mitigates": mitigates(before) if before else None,
        "account_id": host.account_id,
        "zone_id": host.zone_id,
        "plan_id": host_plan_id(plans) if host.plans else None,
        "plans": plans,
        "operations": described_operations(host.plans),
        "risks": [
            *_risks(host.refused, False),
            *_risks(_without(host.succeeded, host.refused), True),
        ],
        "coverage": _coverage(before) if before else None,
        "pending": pending_steps(host.plans),
        "unmanaged": _unmanaged(host.plans),
    }


def totals(records: Iterable[Record]) -> Record:
    """The numbers of a report."""
    records = list(records)
    statuses = Counter(record["status"] for record in records)
    return {
        "hosts": len(records),
        "statuses": {status: statuses[status] for status in STATUSES},
        "mitigating": sum(1 for record in records if record["mitigates"]),
        **{
            name: sum(len(record[name]) for record in records)
            for name in ("operations", "risks", "pending", "unmanaged")
        },
        "addresses": {
            family: {
                name: sum(
                    record["coverage"]["addresses"][family][name]
                    for record in records
                    if record["coverage"]
                )
                for name in CLASSES
            }
            for family in FAMILIES
        },
    }


def _coverage(coverage: Mapping[str, Any]) -> Record:
    return {
        "enabled": coverage.get("enabled"),
        "effective": bool(coverage.get("effective")),
        "addresses": counts(classes(coverage)),
        **{name: (coverage.get(name) or {}).get("networks") or [] for name in SETS},
        "components": {
            kind: [
                {"modes": piece["modes"], "addresses": counted(ranges_of(piece["networks"]))}
                for piece in pieces
            ]
            for kind, pieces in (coverage.get("modes") or {}).items()
        },
        "gaps": list(coverage.get("gaps") or ()),
        "undecided": list(coverage.get("undecided") or ()),
    }


def _without(results: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {name: result for name, result in results.items() if name not in others}


def _risks(results: Mapping[str, Mapping[str, Any]], accepted: bool) -> list[Record]:
    return [
        {"module": module, "accepted": accepted, **risk}
        for module, result in results.items()
        for risk in result.get("risks") or ()
    ]


def _unmanaged(results: Mapping[str, Mapping[str, Any]]) -> list[Record]:
    """What exists and the baseline does not name; results list it by name, or as dictionaries."""
    return [
        {"module": module, **(item if isinstance(item, Mapping) else {"key": str(item)})}
        for module, result in results.items()
        for item in result.get("unmanaged") or ()
    ]
