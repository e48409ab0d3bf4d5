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
from itertools import chain
from typing import Any, NamedTuple, TypeVar, cast

from ...module_utils._expressions.expression import Expression
from ...module_utils._protection.coverage import IDLE
from ...module_utils._protection.losses import matches_nothing
from ...module_utils._protection.modes import UNDECIDED, counted_networks
from ...module_utils._protection.rules_in_force import each_in_order
from ...module_utils._schema.account import COMPONENTS
from ...module_utils._text import capitalised, plural
from ...module_utils._timestamps import END_OF_TIME, write_timestamp
from ...module_utils._values import address_set
from ...module_utils._values.address_set import Ranges
from .._baseline import unmanaged
from .._baseline.unmanaged import Accepted
from .._baseline.variables import one_owner
from . import record as records
from .coverage import CLASSES, FAMILIES, AccountCoverage, AddressCounts, component_title
from .moved import without_repeated_rules
from .results import HostResults, ListOfRules, is_of_zone

NO_ADDRESS = "There is no protected address."
MarkedRecord = TypeVar("MarkedRecord", records.Unmanaged, records.Ineffective)


class AcceptedScope(NamedTuple):
    """The scope of an accepted status in an account: a sentence on it, and its addresses."""

    text: str
    ranges: Ranges


@dataclass(frozen=True)
class AcceptedNow:
    """The acceptances on a host, at the moment `now`; an expired acceptance is mentioned with the
    status that it accepted.
    """

    acceptances: Sequence[Accepted]
    now: datetime

    def marked(self, objects: Sequence[MarkedRecord]) -> list[MarkedRecord]:
        """The objects of a record, each with the reason why it is accepted (None: it is not)."""
        if not self.acceptances:
            return list(objects)
        marked = []
        for obj in objects:
            reason = unmanaged.accepted_reason(obj, self.acceptances, self.now)
            marked.append(cast(MarkedRecord, {**obj, "accepted": reason}))
        return marked

    def unprotected(self, coverage: AccountCoverage) -> list[str]:
        """The reasons why an account is unprotected, except for accepted reasons; empty if none is
        left.
        """
        accepted_statuses = {acceptance.status for acceptance in self._in_force}
        off_is_meant = coverage.enabled is False and unmanaged.PROTECTION_OFF in accepted_statuses
        is_off = coverage.enabled is False and not off_is_meant
        no_prefix_is_meant = off_is_meant or unmanaged.NO_PREFIX in accepted_statuses
        has_prefixes = coverage.protected or no_prefix_is_meant
        uncovered = self._uncovered(coverage)
        if not is_off and has_prefixes and not uncovered:
            return []
        # That it is off is the first reason of an account that is.
        reasons = list(coverage.reasons[1:] if off_is_meant else coverage.reasons)
        if uncovered and not is_off:
            reasons.append(f"A component does nothing for {counted_networks(uncovered)}.")
        expired = self._expired(lambda acceptance: any(_accepted_scopes(acceptance, coverage)))
        return [*(reasons or [NO_ADDRESS]), *expired]

    def _uncovered(self, coverage: AccountCoverage) -> Ranges:
        """The addresses for which a component does nothing, except for those where this is
        accepted.
        """
        uncovered: Ranges = []
        for kind, ranges in _idle(coverage):
            accepted = self._meant(unmanaged.UNCOVERED, kind)
            uncovered = address_set.union([*uncovered, *address_set.difference(ranges, accepted)])
        return uncovered

    def not_served(self, reason: str | None) -> list[str]:
        """The `reason` why Cloudflare does not serve the zone, and acceptances that have expired;
        empty if Cloudflare serves the zone, or if this reason is accepted.
        """
        accepted_statuses = {acceptance.status for acceptance in self._in_force}
        if not reason or unmanaged.NOT_SERVED in accepted_statuses:
            return []
        expired = self._expired(lambda acceptance: acceptance.status == unmanaged.NOT_SERVED)
        return [reason, *expired]

    def unnamed(self, announced: records.Announced | None) -> list[str]:
        """A sentence on the announced networks that no prefix contains and that are not accepted,
        and acceptances that have expired; empty if there are no such networks.
        """
        accepted = self._meant(unmanaged.ANNOUNCED)
        unnamed = address_set.difference(_unprotected(announced), accepted)

        def concerns(acceptance: Accepted) -> bool:
            is_of_announced = acceptance.status == unmanaged.ANNOUNCED
            return is_of_announced and bool(address_set.intersection(unnamed, acceptance.networks))

        return [_in_no_prefix(unnamed), *self._expired(concerns)] if unnamed else []

    def statuses(self, host: HostResults) -> list[records.AcceptedStatus]:
        """The statuses of a host that are accepted."""
        statuses = []
        for acceptance in self._in_force:
            if acceptance.status:
                for scope in _scopes_in_host(acceptance, host):
                    statuses.append(_accepted_status(acceptance, acceptance.status, scope))
        return statuses

    @property
    def _in_force(self) -> list[Accepted]:
        return [acceptance for acceptance in self.acceptances if acceptance.is_valid(self.now)]

    def _meant(self, status: str, kind: str | None = None) -> Ranges:
        """The networks for which a status is accepted; if `kind` names a component, only those for
        which it is accepted of this component.
        """
        networks: Ranges = []
        for acceptance in self._in_force:
            if acceptance.status != status:
                continue
            if kind is None or kind in acceptance.components:
                networks += acceptance.networks
        return address_set.union(networks)

    def _expired(self, concerns: Callable[[Accepted], object]) -> list[str]:
        return [
            f"It was accepted ({acceptance.reason}) until {_until(acceptance.expires)}."
            for acceptance in self.acceptances
            if not acceptance.is_valid(self.now) and concerns(acceptance)
        ]


NOTHING_ACCEPTED = AcceptedNow((), END_OF_TIME)


def _accepted_status(
    acceptance: Accepted, status: unmanaged.AcceptableStatus, scope: AcceptedScope
) -> records.AcceptedStatus:
    return records.AcceptedStatus(
        status=status,
        text=scope.text,
        networks=address_set.networks(scope.ranges),
        reason=acceptance.reason,
        expires=_until(acceptance.expires),
    )


def _scopes_in_host(acceptance: Accepted, host: HostResults) -> Iterator[AcceptedScope]:
    """The scopes of an accepted status in the zone and the account of a host."""
    not_served = host.record["not_served"]
    if acceptance.status == unmanaged.NOT_SERVED and not_served:
        yield AcceptedScope(not_served, [])
    if host.coverage:
        yield from _accepted_scopes(acceptance, host.coverage, host.record["announced"])


def _accepted_scopes(
    acceptance: Accepted, coverage: AccountCoverage, announced: records.Announced | None = None
) -> Iterator[AcceptedScope]:
    """The scopes that an accepted status has in an account now; none if the account does not have
    the status.
    """
    status = acceptance.status
    if status == unmanaged.PROTECTION_OFF and coverage.enabled is False:
        yield AcceptedScope("TCP protection is off.", coverage.protected)
    elif status == unmanaged.NO_PREFIX and not coverage.protected:
        yield AcceptedScope(NO_ADDRESS, [])
    elif status == unmanaged.ANNOUNCED:
        meant = address_set.intersection(_unprotected(announced), acceptance.networks)
        if meant:
            yield AcceptedScope(_in_no_prefix(meant), meant)
    elif status == unmanaged.UNCOVERED:
        for kind, ranges in _idle(coverage):
            meant = address_set.intersection(ranges, acceptance.networks)
            if meant and kind in acceptance.components:
                title = capitalised(component_title(kind))
                yield AcceptedScope(f"{title} does nothing for {counted_networks(meant)}.", meant)


def _idle(coverage: AccountCoverage) -> Iterator[tuple[str, Ranges]]:
    """The addresses for which a component does nothing, by component. While TCP protection is off,
    only components count that it does not switch off.
    """
    without_component = coverage.uncovered
    for kind, pieces in coverage.pieces.items():
        idle: Ranges = []
        for ranges, modes in pieces:
            if modes - {UNDECIDED} <= IDLE:
                idle += ranges
        idle = address_set.union(idle)
        without_component = address_set.difference(without_component, idle)
        if coverage.enabled is not False or not COMPONENTS[kind].is_switched:
            yield kind, address_set.intersection(coverage.uncovered, idle)
    if without_component and coverage.enabled is not False:
        yield "", without_component


def _unprotected(announced: records.Announced | None) -> Ranges:
    return address_set.ranges_of(announced["unprotected"] if announced else [])


def _in_no_prefix(ranges: Ranges) -> str:
    return f"{counted_networks(ranges)} are announced, and neither protected nor excluded."


def _until(expires: datetime | None) -> str | None:
    return write_timestamp(expires) if expires else None


def assess(
    host: HostResults, accepted: AcceptedNow = NOTHING_ACCEPTED
) -> tuple[records.Status, list[str]]:
    """The status of a host, and the sentences that are the reasons for it; reasons for worse
    statuses come first.
    """
    reasons_by_status = _applying_statuses(host, accepted)
    worst: records.Status | None = None
    reasons: list[str] = []
    for status in records.STATUSES:
        of_status = reasons_by_status.get(status)
        if of_status:
            worst = worst or status
            reasons += of_status
    return worst or "in_order", reasons


def _applying_statuses(host: HostResults, accepted: AcceptedNow) -> dict[records.Status, list[str]]:
    """The sentences that are reasons for each status of a host, by status; empty for a status that
    the host does not have.
    """
    not_served = host.record["not_served"]
    if not_served:
        host = _without_zone(host)
    record, before = host.record, host.coverage
    holes = records.unaccepted(record["unmanaged"])
    unread, unprotected = list(host.unread), accepted.not_served(not_served)
    if before:
        unread += _unclear(before)
        unprotected += accepted.unprotected(before)
    return {
        "unknown": unread,
        "unprotected": unprotected,
        "weakened": [
            *host.weaker,
            *unmet_reasons(record["expectations"]),
            *accepted.unnamed(record["announced"]),
            *unmanaged.weakening_sentences(holes),
        ],
        "drift": [
            *record["overdue"],
            *record["not_set_back"],
            *records.left_out_lines(record["left_out"]),
            *_drift(record),
            *unmanaged.weakening_sentences(holes, weakens=False),
        ],
        "pending": [*record["watched"], *(step["message"] for step in record["pending"])],
    }


def _without_zone(host: HostResults) -> HostResults:
    """The host without the results of its zone, which do not affect the status while Cloudflare
    does not serve the zone; empty results for a host that has only a zone.
    """
    record = host.record
    if not record["account_id"]:
        return HostResults(records.nothing_known(record["host"]))
    return host.having(
        operations=[obj for obj in record["operations"] if not is_of_zone(obj)],
        unmanaged=[obj for obj in record["unmanaged"] if not is_of_zone(obj)],
        risks=[risk for risk in record["risks"] if not _is_of_zone_alone(risk["objects"])],
    )


def _is_of_zone_alone(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether there are objects, and all of them are those of a zone."""
    return bool(objects) and all(map(is_of_zone, objects))


def unmet_reasons(expectations: Sequence[records.Expected]) -> list[str]:
    """A sentence on each expectation that does not hold now."""
    return [
        f"An expectation is unmet: {expectation['description']}: expected"
        f" {expectation['expected']}, but {expectation['actual']}."
        for expectation in expectations
        if expectation["met"] is False
    ]


def _unclear(coverage: AccountCoverage) -> list[str]:
    """The reasons why nobody can tell whether an account is protected; empty if its status is
    known, and at least some modes of all addresses are understood.
    """
    pieces = chain.from_iterable(coverage.pieces.values())
    has_undecided = any(modes == {UNDECIDED} for _ranges, modes in pieces)
    if coverage.enabled is not None and not has_undecided:
        return []
    return list(coverage.undecided or ["What the account protects is not known."])


def _drift(record: records.HostRecord) -> list[str]:
    """Sentences on how many differences from the baseline there are, and on why a run would refuse
    the plan; empty if there is neither.
    """
    texts = []
    number = len(record["operations"])
    if number:
        differences = plural(number, "difference", "differences")
        texts.append(f"{differences} from the baseline.")
    codes = [risk["code"] for risk in record["risks"] if not risk["accepted"]]
    if any(expectation["planned"] is not True for expectation in record["expectations"]):
        codes.append("expectations")
    if codes:
        texts.append(f"A run refuses the plan: {', '.join(dict.fromkeys(codes))}.")
    return texts


def enforces(lists: Sequence[ListOfRules]) -> bool | None:
    """Return whether an existing rule of a zone blocks or challenges; None if no rules were read. A
    rule that no request reaches does not count.
    """
    for resource, rules in lists:
        earlier: list[Expression] = []  # of rules that end the way of a request
        for rule in each_in_order(resource, rules):
            remaining = rule.expression.without(*earlier)
            if rule.enforces and not matches_nothing(remaining):
                return True
            if rule.terminates:
                earlier.append(rule.expression)
    return False if lists else None


OWNER_KEYS = {"edge_account_id": "account_id", "edge_zone_id": "zone_id"}  # by variable


def shared_owners(host_records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each account or zone whose id several hosts have, with the names of these
    hosts.
    """
    hosts: dict[tuple[str, str, str], list[str]] = {}
    for variable, key in OWNER_KEYS.items():
        for record in host_records:
            if record[key]:
                owner = (variable, record[key].lower(), record["base_url"])
                hosts.setdefault(owner, []).append(record["host"])
    return [
        one_owner(sorted(names), variable, owner_id)
        for (variable, owner_id, _base_url), names in sorted(hosts.items())
        if len(names) > 1
    ]


def report_of(host_records: Iterable[records.HostRecord], generated: str) -> records.Report:
    """A report with these records, the worst first, and their totals."""
    ordered = without_repeated_rules(sorted(host_records, key=_rank_of_host))
    return records.Report(
        version=records.REPORT_VERSION,
        generated=generated,
        totals=totals(ordered),
        previous=None,
        shared_owners=shared_owners(ordered),
        hosts=ordered,
    )


def _rank_of_host(record: records.HostRecord) -> tuple[int, str]:
    return records.STATUSES.index(record["status"]), record["host"]


def host_record(
    host: HostResults, generated: str, accepted: AcceptedNow = NOTHING_ACCEPTED
) -> records.HostRecord:
    """The record of a host, with its status; `generated` is the moment at which the host was
    read.
    """
    is_served = not host.record["not_served"]
    marked_host = host.having(
        generated=generated,
        enforces=is_served and enforces(host.rules),
        unmanaged=accepted.marked(host.record["unmanaged"]),
        ineffective=accepted.marked(host.record["ineffective"]),
        accepted_statuses=accepted.statuses(host),
    )
    status, reasons = assess(marked_host, accepted)
    return marked_host.having(status=status, reasons=reasons).record


def totals(host_records: Sequence[records.HostRecord]) -> records.Totals:
    """The numbers of a report; an account or zone that several hosts have counts once."""
    statuses = Counter(record["status"] for record in host_records)
    accounts = _by_owner(host_records, "account_id")
    zones = _by_owner(host_records, "zone_id")
    numbers = {
        "hosts": len(host_records),
        "statuses": {status: statuses[status] for status in records.STATUSES},
        "accounts": sum(account["mitigates"] is not None for account in accounts),
        "mitigating": sum(bool(account["mitigates"]) for account in accounts),
        "zones": sum(zone["enforces"] is not None for zone in zones),
        "enforcing": sum(bool(zone["enforces"]) for zone in zones),
        **_lengths_of_lists(host_records),
        "addresses": _address_counts(accounts),
        "withdrawn": _withdrawn(accounts),
    }
    return cast(records.Totals, numbers)


def _by_owner(host_records: Sequence[Mapping[str, Any]], key: str) -> list[Mapping[str, Any]]:
    """One record for each account or zone; `key` names its id in a record. A host without such an
    id counts as an account or zone of its own.
    """
    owners = {(record[key] or record["host"]).lower(): record for record in host_records}
    return [*owners.values()]


def _lengths_of_lists(host_records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The lengths of the lists that the totals count."""
    lengths = {}
    for key, _nouns in records.shown_as(records.Counted):
        lengths[key] = sum(len(record[key]) for record in host_records)
    return lengths


def _withdrawn(accounts: Sequence[Mapping[str, Any]]) -> list[records.Withdrawn]:
    """The networks of all accounts that are protected, and not announced."""
    networks: list[records.Withdrawn] = []
    for account in accounts:
        networks += (account["announced"] or {}).get("withdrawn") or ()
    return networks


def _address_counts(accounts: Sequence[Mapping[str, Any]]) -> AddressCounts:
    """The numbers of addresses of all accounts, by family and class."""
    sums: AddressCounts = {family: dict.fromkeys(CLASSES, 0) for family in FAMILIES}
    for account in accounts:
        if account["coverage"]:
            for family, numbers in account["coverage"]["addresses"].items():
                for name in CLASSES:
                    sums[family][name] += numbers[name]
    return sums
