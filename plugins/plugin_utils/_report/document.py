# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as data: one record for each host, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from ...module_utils._protection.losses import matches_nothing
from ...module_utils._protection.modes import UNDECIDED
from ...module_utils._text import plural
from .._baseline.unmanaged import weakening
from .._baseline.variables import one_owner
from .coverage import CLASSES, FAMILIES, AccountCoverage, prefix_records
from .record import (
    REPORT_VERSION,
    STATUSES,
    Counted,
    Expected,
    HostRecord,
    Report,
    Status,
    Totals,
    shown_as,
    unaccepted,
    values_by_key,
)
from .results import (
    HostResults,
    differences_of,
    existing_rules,
    expected_records,
    pending_steps,
    weaker_objects,
)


def assess(host: HostResults, before: AccountCoverage | None) -> tuple[Status, list[str]]:
    """The status of a host, and the sentences that give it, those of worse statuses first;
    `before` is the existing coverage of its account, None if it is not known."""
    applying: dict[Status, list[str]] = {
        "unknown": [
            *host.errors,
            *host.unread,
            *host.of_each(lambda result: result.get("unread") or ()),
            *(_unclear(before) if before else []),
        ],
        "unprotected": host.accepted.unprotected(before) if before else [],
        "weakened": [
            *host.of_each(weaker_objects),
            *unmet_reasons(host.of_each(expected_records)),
            *host.accepted.unnamed(host.announced),
            *weakening(unaccepted(host.unmanaged())),
        ],
        "drift": [
            *host.overdue,
            *_drift(host),
            *weakening(unaccepted(host.unmanaged()), weakens=False),
        ],
        "pending": [step["message"] for step in host.of_each(pending_steps)],
    }
    reasons = [reason for status in STATUSES for reason in applying.get(status, ())]
    return next((status for status in STATUSES if applying.get(status)), "in_order"), reasons


def unmet_reasons(records: Sequence[Expected]) -> list[str]:
    """A sentence on each expectation that does not hold now."""
    return [
        f"An expectation is unmet: {item['description']}: expected {item['expected']}, but"
        f" {item['actual']}."
        for item in records
        if item["met"] is False
    ]


def _unclear(coverage: AccountCoverage) -> list[str]:
    """The reasons why nobody can tell whether an account is protected; none if only parts
    are not understood."""
    pieces = [piece for pieces in coverage.pieces.values() for piece in pieces]
    if coverage.enabled is not None and not any(modes == {UNDECIDED} for _ranges, modes in pieces):
        return []
    return list(coverage.undecided or ["What the account protects is not known."])


def _drift(host: HostResults) -> list[str]:
    number = len(host.of_each(differences_of))
    refused_risks = [risk["code"] for risk in host.risks() if not risk["accepted"]]
    is_unmet = any(item["planned"] is not True for item in host.of_each(expected_records))
    codes = dict.fromkeys([*refused_risks, *(["expectations"] if is_unmet else [])])
    texts = [f"{plural(number, 'difference', 'differences')} from the baseline."] if number else []
    return texts + ([f"A run refuses the plan: {', '.join(codes)}."] if codes else [])


def enforces(host: HostResults) -> bool | None:
    """Return whether an existing rule of a zone blocks or challenges; None if none was read. One
    that no request meets does neither."""
    lists = [rules for item in host.results.items() for rules in existing_rules(*item)]
    for rules in lists:
        passed = "false"
        for rule in rules:
            if rule.enforces and not matches_nothing(f"({rule.expression}) and not ({passed})"):
                return True
            passed = f"({passed}) or ({rule.expression})" if rule.terminates else passed
    return False if lists else None


def shared_owners(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence on hosts with one id of an account or zone, for each such id."""
    hosts = values_by_key(
        ((name, record[key].lower(), record["base_url"]), record["host"])
        for name, key in (("edge_account_id", "account_id"), ("edge_zone_id", "zone_id"))
        for record in records
        if record[key]
    )
    return [
        one_owner(sorted(names), name, value)
        for (name, value, _base_url), names in sorted(hosts.items())
        if len(names) > 1
    ]


def make_report(hosts: Iterable[HostResults], generated: str) -> Report:
    """The report on some hosts; `generated` is when it was made, as a timestamp with an offset."""
    return report_of([host_record(host, generated) for host in hosts], generated)


def report_of(records: Iterable[HostRecord], generated: str) -> Report:
    """A report with these records, the worst first, and their totals."""
    ordered = sorted(records, key=lambda record: (STATUSES.index(record["status"]), record["host"]))
    return Report(
        version=REPORT_VERSION,
        generated=generated,
        totals=totals(ordered),
        previous=None,
        shared_owners=shared_owners(ordered),
        hosts=ordered,
    )


def host_record(host: HostResults, generated: str) -> HostRecord:
    """The record of a host that was read at this moment."""
    before, after = host.coverage()
    status, reasons = assess(host, before)
    plans = [str(result["plan_id"]) for result in host.results.values() if "plan_id" in result]
    backtests = [item["backtest"] for item in host.results.values() if item.get("backtest")]
    return HostRecord(
        host=host.host,
        generated=generated,
        groups=[],
        owner=None,
        runbook=None,
        status=status,
        reasons=reasons,
        mitigates=before.mitigates if before else None,
        enforces=enforces(host),
        base_url="",
        account_id=host.account_id,
        zone_id=host.zone_id,
        plan_id=plans[0] if len(plans) == 1 else None,
        operations=host.of_each(differences_of),
        risks=host.risks(),
        postures=list(host.postures),
        overdue=host.overdue,
        coverage=before.record() if before else None,
        prefixes=prefix_records(before, after) if before and after else [],
        accepted_risks=host.accepted_risks,
        expiring=host.expiring,
        traffic=host.traffic,
        backtest=(*backtests, None)[0],
        pending=host.of_each(pending_steps),
        unmanaged=host.unmanaged(),
        ineffective=host.ineffective(),
        accepted_statuses=host.accepted.records(before, host.announced) if before else [],
        expectations=host.of_each(expected_records),
        announced=host.announced,
        changes=host.changes,
        unused=host.unused,
        unknown_hits=host.unknown_hits,
        not_evaluated=host.not_evaluated,
    )


def totals(records: Sequence[HostRecord]) -> Totals:
    """The numbers of a report; an account or zone of several hosts counts once."""
    statuses = Counter(record["status"] for record in records)
    accounts = {(item["account_id"] or item["host"]).lower(): item for item in records}.values()
    zones = {(item["zone_id"] or item["host"]).lower(): item for item in records}.values()
    addresses = [record["coverage"]["addresses"] for record in accounts if record["coverage"]]
    every: Sequence[Mapping[str, Any]] = records
    numbers = {
        "hosts": len(records),
        "statuses": {status: statuses[status] for status in STATUSES},
        "accounts": sum(1 for record in accounts if record["mitigates"] is not None),
        "mitigating": sum(1 for record in accounts if record["mitigates"]),
        "zones": sum(1 for record in zones if record["enforces"] is not None),
        "enforcing": sum(1 for record in zones if record["enforces"]),
        **{key: sum(len(record[key]) for record in every) for key, _counted in shown_as(Counted)},
        "addresses": {
            family: {name: sum(item[family][name] for item in addresses) for name in CLASSES}
            for family in FAMILIES
        },
    }
    return cast(Totals, numbers)
