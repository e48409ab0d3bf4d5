# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as data: the status of each host, without what is accepted, its record, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast

from ...module_utils._expressions.expression import Expression
from ...module_utils._protection.coverage import IDLE
from ...module_utils._protection.losses import matches_nothing
from ...module_utils._protection.modes import UNDECIDED, counted_networks
from ...module_utils._protection.rules_in_force import ZoneRule
from ...module_utils._schema.account import COMPONENTS
from ...module_utils._text import capitalised, plural
from ...module_utils._timestamps import END_OF_TIME, write_timestamp
from ...module_utils._values.address_set import (
    Ranges,
    difference,
    intersection,
    networks,
    ranges_of,
    union,
)
from .._baseline.unmanaged import (
    ANNOUNCED,
    NO_PREFIX,
    PROTECTION_OFF,
    UNCOVERED,
    Accepted,
    accepted_reason,
    weakening,
)
from .._baseline.variables import one_owner
from .coverage import CLASSES, FAMILIES, AccountCoverage, component_title
from .record import (
    REPORT_VERSION,
    STATUSES,
    AcceptedStatus,
    Announced,
    Counted,
    Expected,
    HostRecord,
    Ineffective,
    Report,
    Status,
    Totals,
    Unmanaged,
    shown_as,
    unaccepted,
    values_by_key,
)
from .results import HostResults

NO_ADDRESS = "There is no protected address."
Listed = TypeVar("Listed", Unmanaged, Ineffective)


@dataclass(frozen=True)
class AcceptedNow:
    """The acceptances on a host, at a moment; an expired one is told with its status."""

    entries: Sequence[Accepted]
    now: datetime

    def marked(self, items: Sequence[Listed]) -> list[Listed]:
        """Objects of a record with the reason why they are accepted; None if they are not."""
        if not self.entries:
            return list(items)
        reasons = ((item, accepted_reason(item, self.entries, self.now)) for item in items)
        return [cast(Listed, {**item, "accepted": reason}) for item, reason in reasons]

    def unprotected(self, coverage: AccountCoverage) -> list[str]:
        """The reasons why an account is unprotected, without accepted ones."""
        meant = {entry.status for entry in self._in_force}
        off_is_meant = coverage.enabled is False and PROTECTION_OFF in meant
        is_off = coverage.enabled is False and not off_is_meant
        has_prefixes = coverage.protected or off_is_meant or NO_PREFIX in meant
        uncovered = union(
            network
            for kind, ranges in _idle(coverage)
            for network in difference(ranges, self._meant(UNCOVERED, kind))
        )
        if not is_off and has_prefixes and not uncovered:
            return []
        # That it is off is the first reason of an account that is.
        reasons = list(coverage.reasons[1:] if off_is_meant else coverage.reasons)
        if uncovered and not is_off:
            reasons.append(f"A component does nothing for {counted_networks(uncovered)}.")
        return [
            *(reasons or [NO_ADDRESS]),
            *self._expired(lambda entry: any(_found(entry, coverage))),
        ]

    def unnamed(self, announced: Announced | None) -> list[str]:
        """A sentence on announced networks that no prefix names, without accepted ones;
        none if there are no such networks."""
        left = difference(_unprotected(announced), self._meant(ANNOUNCED))
        expired = self._expired(
            lambda entry: entry.status == ANNOUNCED and intersection(left, entry.networks)
        )
        return [_in_no_prefix(left), *expired] if left else []

    def records(
        self, coverage: AccountCoverage, announced: Announced | None
    ) -> list[AcceptedStatus]:
        """The statuses of an account that are accepted."""
        return [
            AcceptedStatus(
                status=entry.status,
                text=text,
                networks=networks(ranges),
                reason=entry.reason,
                expires=_until(entry.expires),
            )
            for entry in self._in_force
            if entry.status
            for text, ranges in _found(entry, coverage, announced)
        ]

    @property
    def _in_force(self) -> list[Accepted]:
        return [entry for entry in self.entries if entry.is_valid(self.now)]

    def _meant(self, status: str, kind: str | None = None) -> Ranges:
        """The networks for which a status is accepted; if a component is named, of this one."""
        return union(
            network
            for entry in self._in_force
            if entry.status == status and (kind is None or kind in entry.components)
            for network in entry.networks
        )

    def _expired(self, concerns: Callable[[Accepted], object]) -> list[str]:
        return [
            f"It was accepted ({entry.reason}) until {_until(entry.expires)}."
            for entry in self.entries
            if not entry.is_valid(self.now) and concerns(entry)
        ]


NOTHING_ACCEPTED = AcceptedNow((), END_OF_TIME)


def _found(
    entry: Accepted, coverage: AccountCoverage, announced: Announced | None = None
) -> Iterator[tuple[str, Ranges]]:
    """The parts of an account with the accepted status: sentences, and addresses."""
    if entry.status == PROTECTION_OFF and coverage.enabled is False:
        yield "TCP protection is off.", coverage.protected
    elif entry.status == NO_PREFIX and not coverage.protected:
        yield NO_ADDRESS, []
    elif entry.status == ANNOUNCED:
        if meant := intersection(_unprotected(announced), entry.networks):
            yield _in_no_prefix(meant), meant
    elif entry.status == UNCOVERED:
        for kind, ranges in _idle(coverage):
            meant = intersection(ranges, entry.networks)
            if meant and kind in entry.components:
                title = capitalised(component_title(kind))
                yield f"{title} does nothing for {counted_networks(meant)}.", meant


def _idle(coverage: AccountCoverage) -> Iterator[tuple[str, Ranges]]:
    """By component, the addresses that it does nothing for; while the protection is off, that is
    what counts of the others."""
    rest = coverage.uncovered
    for kind, pieces in coverage.pieces.items():
        idle = union(item for each, modes in pieces if modes - {UNDECIDED} <= IDLE for item in each)
        rest = difference(rest, idle)
        if coverage.enabled is not False or not COMPONENTS[kind].is_switched:
            yield kind, intersection(coverage.uncovered, idle)
    if rest and coverage.enabled is not False:
        yield "", rest


def _unprotected(announced: Announced | None) -> Ranges:
    return ranges_of(announced["unprotected"] if announced else [])


def _in_no_prefix(ranges: Ranges) -> str:
    return f"{counted_networks(ranges)} are announced, and neither protected nor excluded."


def _until(expires: datetime | None) -> str | None:
    return write_timestamp(expires) if expires else None


def assess(host: HostResults, accepted: AcceptedNow = NOTHING_ACCEPTED) -> tuple[Status, list[str]]:
    """The status of a host, and the sentences that give it, those of worse statuses first."""
    record, before = host.record, host.coverage
    unmanaged = unaccepted(record["unmanaged"])
    applying: dict[Status, list[str]] = {
        "unknown": [*host.unread, *(_unclear(before) if before else [])],
        "unprotected": accepted.unprotected(before) if before else [],
        "weakened": [
            *host.weaker,
            *unmet_reasons(record["expectations"]),
            *accepted.unnamed(record["announced"]),
            *weakening(unmanaged),
        ],
        "drift": [*record["overdue"], *_drift(record), *weakening(unmanaged, weakens=False)],
        "pending": [step["message"] for step in record["pending"]],
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


def _drift(record: HostRecord) -> list[str]:
    number = len(record["operations"])
    refused_risks = [risk["code"] for risk in record["risks"] if not risk["accepted"]]
    is_unmet = any(item["planned"] is not True for item in record["expectations"])
    codes = dict.fromkeys([*refused_risks, *(["expectations"] if is_unmet else [])])
    texts = [f"{plural(number, 'difference', 'differences')} from the baseline."] if number else []
    return texts + ([f"A run refuses the plan: {', '.join(codes)}."] if codes else [])


def enforces(lists: Sequence[Sequence[ZoneRule]]) -> bool | None:
    """Return whether an existing rule of a zone blocks or challenges; None if none was read. One
    that no request meets does neither."""
    for rules in lists:
        passed: list[Expression] = []
        for rule in rules:
            if rule.enforces and not matches_nothing(rule.expression.without(*passed)):
                return True
            if rule.terminates:
                passed.append(rule.expression)
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


def host_record(
    host: HostResults, generated: str, accepted: AcceptedNow = NOTHING_ACCEPTED
) -> HostRecord:
    """The record of a host that was read at this moment, with its status."""
    before, announced = host.coverage, host.record["announced"]
    read = host.having(
        generated=generated,
        enforces=enforces(host.rules),
        unmanaged=accepted.marked(host.record["unmanaged"]),
        ineffective=accepted.marked(host.record["ineffective"]),
        accepted_statuses=accepted.records(before, announced) if before else [],
    )
    status, reasons = assess(read, accepted)
    return read.having(status=status, reasons=reasons).record


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
