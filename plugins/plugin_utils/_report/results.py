# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The results of a dry run of the baseline on one host, and the parts of its record that follow
from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar, cast

from ...module_utils._arguments import Argument, part_of_result, read_value
from ...module_utils._guard.terms import Pending
from ...module_utils._protection.coverage import IDLE
from ...module_utils._protection.expected import expected_in_words, with_rule
from ...module_utils._protection.modes import UNDECIDED, counted_networks
from ...module_utils._schema.account import COMPONENTS
from ...module_utils._schema.registry import BY_NAME, DECIDING, InOrder, ZoneRule, title_of_resource
from ...module_utils._schema.resource import Object, Resource
from ...module_utils._specs.base import ModuleResult
from ...module_utils._specs.registry import TRAFFIC
from ...module_utils._text import Option, capitalised, sentence
from ...module_utils._timestamps import write_timestamp
from ...module_utils._traffic.evidence import ComponentTraffic
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
    UnmanagedObject,
    accepted_reason,
)
from .._plain import plain
from .coverage import AccountCoverage, component_title, read_coverage
from .record import (
    ADVICE,
    AcceptedRisk,
    AcceptedStatus,
    Announced,
    Deadline,
    Difference,
    Expected,
    HostRisk,
    HostTraffic,
    Ineffective,
    LastChange,
    PostureRecord,
    SeenTraffic,
    Unmanaged,
    Unused,
    misfit_of,
)

NO_ADDRESS = "There is no protected address."


@dataclass(frozen=True)
class AcceptedNow:
    """The acceptances on a host, at a moment; an expired one is told with its status."""

    entries: Sequence[Accepted] = ()
    now: datetime | None = None

    def reason_of(self, item: UnmanagedObject) -> str | None:
        """The reason why an object that no baseline names is accepted; None if it is not."""
        return accepted_reason(item, self.entries, self.now)

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
        return [entry for entry in self.entries if entry.holds(self.now)]

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
            if not entry.holds(self.now) and concerns(entry)
        ]


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


MODULE_RESULT: Argument = {"type": "dict"}
NETWORKS_IN_JSON = 100  # of a component are in report.json

RULES_OF_ZONES = {
    resource.plural: (resource, in_order) for resource, in_order in DECIDING
}  # of zones

Element = TypeVar("Element")


@dataclass(frozen=True)
class HostResults:
    """The results of a host, and what else its variables and its neighbours tell: that of its plan,
    or those of modules that a playbook has run for it.

    `errors` and `unread` say in a sentence each why the host, or a part of it, could not be read.
    """

    host: str
    account_id: str | None = None
    zone_id: str | None = None
    results: Mapping[str, ModuleResult] = field(default_factory=dict)
    errors: Sequence[str] = ()
    unread: Sequence[str] = ()
    accepted_risks: list[AcceptedRisk] = field(default_factory=list)
    expiring: list[Deadline] = field(default_factory=list)
    announced: Announced | None = None
    changes: list[LastChange] | None = None
    unused: list[Unused] | None = None
    unknown_hits: list[str] = field(default_factory=list)
    not_evaluated: list[str] | None = None
    traffic: HostTraffic | None = None
    postures: Sequence[PostureRecord] = ()
    overdue: list[str] = field(default_factory=list)
    accepted: AcceptedNow = field(default_factory=AcceptedNow)

    def of_each(self, read: Callable[[ModuleResult], Iterable[Element]]) -> list[Element]:
        """Parts of all results."""
        return [item for result in self.results.values() for item in read(result)]

    def risks(self) -> list[HostRisk]:
        """The risks of all plans, those first for which a run refuses one."""
        ordered = sorted(self.results.values(), key=lambda result: not is_refusal(result))
        return [
            cast(
                HostRisk,
                {
                    "accepted": not is_refusal(result),
                    "place": None,
                    **_sentence(risk, result),
                    **risk,
                },
            )
            for result in ordered
            for risk in result.get("risks") or ()
        ]

    def unmanaged(self) -> list[Unmanaged]:
        """The objects that no baseline names, with the reason why they are accepted."""

        def read(result: ModuleResult) -> Iterator[Unmanaged]:
            for item in result.get("unmanaged") or ():
                reason = self.accepted.reason_of(item)
                title = title_of_resource(item["resource"])
                yield cast(Unmanaged, {**item, "title": title, "accepted": reason})

        return self.of_each(read)

    def ineffective(self) -> list[Ineffective]:
        """The objects that cannot work, with what to do."""

        def read(result: ModuleResult) -> Iterator[Ineffective]:
            for item in result.get("ineffective") or ():
                more = {
                    "title": title_of_resource(item["resource"]),
                    "advice": ADVICE[item["kind"]],
                    "accepted": self.accepted.reason_of(item),
                }
                yield cast(Ineffective, {"place": None, **item, **more})

        return self.of_each(read)

    def coverage(self) -> tuple[AccountCoverage | None, AccountCoverage | None]:
        """The coverage of the account before and after its plan, None if it is not known."""
        for result in self.results.values():
            shown = result.get("coverage") or {}
            before, after = shown.get("before"), shown.get("after")
            if before or after:
                known = [read_coverage(side) if side else None for side in (before, after)]
                return known[0], known[1]
        return None, None


def host_results(
    host: str,
    owners: Mapping[str, Any],
    results: Mapping[str, ModuleResult],
    failures: Sequence[ModuleResult] = (),
) -> HostResults:
    """The results of a host by module, and the failures that ended its run, which may name their
    `module`; a module that did not run is absent. Raises ValueError for traffic of another shape.
    """
    traffic = _traffic(host, results.get(TRAFFIC))
    every = dict(results)
    for number, failure in enumerate(failures):
        name = str(failure.get("module") or number)
        # A refused plan may have been predicted once more, with its risks accepted.
        again = {"failed": True, "risks": failure["risks"]} if failure.get("risks") else {}
        every[name] = {**failure, **every.get(name, {}), **again}
    failed = [one for one in every.values() if one.get("failed") and not is_refusal(one)]
    errors = [*map(_message, failed)]
    known = {
        name: one
        for name, one in every.items()
        if name != TRAFFIC and (is_refusal(one) or not (one.get("failed") or one.get("skipped")))
    }
    if not errors and not known:
        errors = [
            "There is no result: the run did not get to this host, or it has neither account nor"
            " zone."
        ]
    account, zone = (_identifier(owners.get(name)) for name in ("account_id", "zone_id"))
    return HostResults(host, account, zone, known, list(dict.fromkeys(errors)), traffic=traffic)


def _traffic(host: str, result: ModuleResult | None) -> HostTraffic | None:
    """The traffic in a result of protection_traffic_info, None for no result or a failed one; of
    the networks those that lost packets, or would have."""
    if result is None or result.get("failed") or result.get("skipped"):
        return None
    try:
        traffic = result["traffic"]
        components = {name: _seen(record) for name, record in traffic["components"].items()}
        times = {name: traffic[name] for name in ("since", "until", "known", "unknown")}
    except (AttributeError, KeyError, TypeError) as exc:
        problem = f"the traffic of {host} is not a result of {TRAFFIC}: {misfit_of(exc)}"
        raise ValueError(problem) from exc
    return cast(HostTraffic, {**times, "components": components})


def _seen(record: ComponentTraffic) -> SeenTraffic:
    networks = record["networks"]
    losing = [item for item in networks if item["dropped_packets"] or item["would_drop_packets"]]
    more = max(0, len(losing) - NETWORKS_IN_JSON)
    return {**record, "networks": losing[:NETWORKS_IN_JSON], "more_networks": more}


def read_results(record: Mapping[str, Any]) -> HostResults:
    """A host of the filter's input; raises OptionError for results that are none."""
    results, failures = record.get("results") or {}, record.get("failures") or []
    host = plain(record["host"])
    read_value(
        Option(host, "results"), part_of_result(**dict.fromkeys(results, MODULE_RESULT)), results
    )
    return host_results(host, record, plain(results), plain(list(failures)))


def _sentence(risk: Mapping[str, Any], result: ModuleResult) -> Mapping[str, str]:
    """The sentence of a risk out of a message, which alone has it if the task failed without -v."""
    codes = "|".join(item["code"] for item in result["risks"])
    pattern = f"(?:^| ){risk['code']}: (.*?)(?: (?:{codes}): | If this is meant, |$)"
    found = re.search(pattern, result.get("msg") or "", re.DOTALL)
    return {"message": found[1]} if found else {}


def is_refusal(result: ModuleResult) -> bool:
    """Return whether a result is the failure of a plan with risks that are not accepted:
    Cloudflare was read. The same of a plan that leaves an expectation unmet."""
    has_risks = result.get("failed") and result.get("risks") and "operations" in result
    return bool(has_risks or is_unmet(result))


def is_unmet(result: ModuleResult) -> bool:
    """Return whether a result is a failure caused by an expectation: Cloudflare was read."""
    unmet = [item for item in result.get("expectations") or () if item["met"] is not True]
    return bool(result.get("failed") and unmet and "operations" in result)


def _identifier(value: object) -> str | None:
    return plain(value) if isinstance(value, str) and value else None


def _message(result: ModuleResult) -> str:
    return str(result.get("msg") or result.get("reason") or "The task failed without a message.")


def differences_of(result: ModuleResult) -> Iterator[Difference]:
    """The operations of a result."""
    for operation in result.get("operations") or ():
        resource, key = BY_NAME.get(operation["resource"]), str(operation["key"])
        diff, listed = result.get("diff") or {}, resource.plural if resource else ""
        before, after = ((diff.get(side) or {}).get(listed) or {} for side in ("before", "after"))
        existing = before if resource and not resource.key else before.get(key) or {}
        yield Difference(
            action=operation["action"],
            resource=operation["resource"],
            title=title_of_resource(operation["resource"]),
            key=key,
            name=rule_name(key, existing if existing.get("description") else after.get(key) or {}),
            fields=dict(operation.get("fields") or {}),
            before=dict(operation.get("before") or {}),
        )


def rule_name(key: str, obj: Mapping[str, Any]) -> str:
    """The name that people give an object: its description where its key is an id of Cloudflare,
    or says less."""
    description = obj.get("description")
    if not description or description == key:
        return key
    return str(description) if obj.get("id") == key else f"{key} ({description})"


def pending_steps(result: ModuleResult) -> Iterator[Pending]:
    """The steps of a result that wait for their time."""
    pending = result.get("pending") or ()
    for step in [pending] if isinstance(pending, Mapping) else pending:
        yield cast(Pending, step)


OTHER_OUTCOME = "another outcome, undecided which one"


def expected_records(result: ModuleResult) -> Iterator[Expected]:
    """The expectations of a result."""
    for item in result.get("expectations") or ():
        before = item["before"]
        is_open = before["met"] is False and before["actual"] == UNDECIDED
        yield Expected(
            description=str(item["description"]),
            expected=expected_in_words(item["expected"]),
            actual=OTHER_OUTCOME if is_open else with_rule(before["actual"], before["rule"]),
            met=before["met"],
            planned=item["met"],
            reasons=[str(reason) for reason in item["reasons"]],
        )


def weaker_objects(result: ModuleResult) -> Iterator[str]:
    """Sentences on the account and on objects that protect less than described."""
    yield from (result.get("coverage") or {}).get("weaker") or ()
    operations = differences_of(result)
    names = {(item["resource"], item["key"]): item["name"] for item in operations}
    for item in result.get("weaker") or ():
        name = names.get((item["resource"], item["key"]), item["key"])
        resource = BY_NAME.get(item["resource"])
        label = f" {name}" if resource is None or resource.key else ""
        yield sentence(f"The {title_of_resource(item['resource'])}{label} {item['reason']}")


def existing_rules(name: str, result: ModuleResult) -> list[list[ZoneRule]]:
    """The rules of zones in a result, a list for each resource, as they are before its plan; `name`
    is that of its module."""
    every = {plural: result.get(plural) for plural in RULES_OF_ZONES}
    every.update({name: result.get("rules")} if name in RULES_OF_ZONES else {})
    return [
        _existing(*RULES_OF_ZONES[plural], rules, result)
        for plural, rules in every.items()
        if rules is not None
    ]


def _existing(
    resource: Resource, in_order: InOrder, rules: Sequence[Object], result: ModuleResult
) -> list[ZoneRule]:
    sides = [(result.get("diff") or {}).get(side) or {} for side in ("before", "after")]
    was, becomes = (side.get(resource.plural) or {} for side in sides)
    after = {resource.label_of(rule): rule for rule in rules}
    kept = {label: rule for label, rule in after.items() if label not in becomes}
    existing = {**kept, **was}
    order = [*(sides[0].get(f"{resource.plural}_order") or after), *existing]
    return in_order([existing[label] for label in dict.fromkeys(order) if label in existing])
