# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The results of a dry run of the baseline on one host, and the parts of its record that follow
from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

from ...module_utils._protection.expected import expected_in_words, with_rule
from ...module_utils._protection.modes import UNDECIDED
from ...module_utils._schema.registry import BY_NAME, DECIDING, ZoneRule, title_of_resource
from ...module_utils._specs.base import ModuleResult
from ...module_utils._text import sentence
from ...module_utils._traffic.evidence import ComponentTraffic
from .._plain import plain
from .accepted import AcceptedNow
from .coverage import AccountCoverage, read_coverage
from .record import (
    AcceptedRisk,
    Announced,
    Deadline,
    Difference,
    Expected,
    HostTraffic,
    LastChange,
    PostureRecord,
    Risk,
    SeenTraffic,
    Step,
    Unmanaged,
    Unused,
    misfit_of,
)

TRAFFIC: Final = "protection_traffic_info"
NETWORKS_IN_JSON = 100  # of a component are in report.json

RULES_OF_ZONES = {
    resource.plural: (resource, in_order) for resource, in_order in DECIDING
}  # of zones

Found = TypeVar("Found")


@dataclass(frozen=True)
class HostResults:
    """The results of a host by module, those of plans that a run refuses among them, and what else
    its variables and its neighbours tell.

    `refusals` are the failures of the refused plans; `errors` and `unread` say in a sentence each
    why the host, or a part of it, could not be read.
    """

    host: str
    account_id: str | None = None
    zone_id: str | None = None
    results: Mapping[str, ModuleResult] = field(default_factory=dict)
    refusals: Mapping[str, ModuleResult] = field(default_factory=dict)
    errors: Sequence[str] = ()
    unread: Sequence[str] = ()
    accepted_risks: list[AcceptedRisk] = field(default_factory=list)
    expiring: list[Deadline] = field(default_factory=list)
    announced: Announced | None = None
    changes: list[LastChange] | None = None
    unused: list[Unused] | None = None
    unknown_hits: list[str] = field(default_factory=list)
    traffic: HostTraffic | None = None
    posture: PostureRecord | None = None
    overdue: list[str] = field(default_factory=list)
    accepted: AcceptedNow = field(default_factory=AcceptedNow)

    def of_each(self, read: Callable[[str, ModuleResult], Iterable[Found]]) -> list[Found]:
        """Parts of all results, each read with its module."""
        return [item for module, result in self.results.items() for item in read(module, result)]

    def risks(self) -> list[Risk]:
        """The risks of all plans, those first that a run refuses."""
        others = {name: item for name, item in self.results.items() if name not in self.refusals}
        return [
            cast(Risk, {"module": module, "accepted": accepted, **risk})
            for accepted, results in ((False, self.refusals), (True, others))
            for module, result in results.items()
            for risk in result.get("risks") or ()
        ]

    def unmanaged(self) -> list[Unmanaged]:
        """The objects that no baseline names, with the reason why they are accepted."""

        def read(module: str, result: ModuleResult) -> Iterator[Unmanaged]:
            for item in result.get("unmanaged") or ():
                reason = self.accepted.reason_of(item)
                title = title_of_resource(item["resource"])
                others = {"module": module, "title": title, "accepted": reason}
                yield cast(Unmanaged, {**item, **others})

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
    """The results of a host by module, and the failures that ended its run; a module that did not
    run is absent.

    A failure that is a refusal names its `module`. Raises ValueError if it does not, and for
    traffic of another shape.
    """
    failed = [*failures, *(result for result in results.values() if result.get("failed"))]
    traffic = _traffic(host, results.get(TRAFFIC))
    results = {module: result for module, result in results.items() if module != TRAFFIC}
    refusals = {module: result for module, result in results.items() if is_refusal(result)}
    for failure in filter(is_refusal, failures):
        refusals.setdefault(_module_of(host, failure), failure)
    ended = {name for name, item in results.items() if item.get("failed") or item.get("skipped")}
    succeeded = {name: item for name, item in results.items() if name not in ended}
    predicted = {**refusals, **succeeded}
    errors = [_message(result) for result in failed if not is_refusal(result)]
    if not errors and not predicted:
        errors = [
            "There is no result: the run did not get to this host, or it has neither account nor"
            " zone."
        ]
    account, zone = (_identifier(owners.get(name)) for name in ("account_id", "zone_id"))
    distinct = list(dict.fromkeys(errors))
    return HostResults(host, account, zone, predicted, refusals, distinct, traffic=traffic)


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
    """A host of the filter's input; raises ValueError for another shape."""
    host = record.get("host")
    results, failures = record.get("results") or {}, record.get("failures") or []
    if not isinstance(host, str) or not host:
        raise ValueError("each element needs the name of its host")
    if not isinstance(results, Mapping) or not _are_results(results.values()):
        raise ValueError(f"the results of {host} are not a dictionary of results by module")
    if isinstance(failures, (str, Mapping)) or not _are_results(failures):
        raise ValueError(f"the failures of {host} are not a list of results")
    return host_results(plain(host), record, plain(results), plain(list(failures)))


def _are_results(values: Iterable[Any]) -> bool:
    return all(isinstance(item, Mapping) for item in values)


def is_refusal(result: ModuleResult) -> bool:
    """Return whether a result is the failure of a plan with risks that are not accepted:
    Cloudflare was read. The same of a plan that leaves an expectation unmet."""
    has_risks = result.get("failed") and result.get("risks") and "operations" in result
    return bool(has_risks or is_unmet(result))


def is_unmet(result: ModuleResult) -> bool:
    """Return whether a result is a failure caused by an expectation: Cloudflare was read."""
    unmet = [item for item in result.get("expectations") or () if item["met"] is not True]
    return bool(result.get("failed") and unmet and "operations" in result)


def _module_of(host: str, failure: ModuleResult) -> str:
    module = failure.get("module")
    if not module:
        raise ValueError(f"a failure of {host} has risks, and does not name its module")
    return str(module)


def _identifier(value: object) -> str | None:
    return plain(value) if isinstance(value, str) and value else None


def _message(result: ModuleResult) -> str:
    return str(result.get("msg") or result.get("reason") or "The task failed without a message.")


def differences_of(module: str, result: ModuleResult) -> Iterator[Difference]:
    """The operations of a result."""
    for operation in result.get("operations") or ():
        resource, key = BY_NAME.get(operation["resource"]), str(operation["key"])
        diff, listed = result.get("diff") or {}, resource.plural if resource else ""
        before, after = ((diff.get(side) or {}).get(listed) or {} for side in ("before", "after"))
        existing = before if resource and not resource.key else before.get(key) or {}
        yield Difference(
            module=module,
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


def pending_steps(module: str, result: ModuleResult) -> Iterator[Step]:
    """The steps of a result that wait for their time."""
    pending = result.get("pending") or ()
    for step in [pending] if isinstance(pending, Mapping) else pending:
        yield cast(Step, {"module": module, **step})


OTHER_OUTCOME = "another outcome, undecided which one"


def expected_records(module: str, result: ModuleResult) -> Iterator[Expected]:
    """The expectations of a result."""
    for item in result.get("expectations") or ():
        before = item["before"]
        is_open = before["met"] is False and before["actual"] == UNDECIDED
        yield Expected(
            module=module,
            description=str(item["description"]),
            expected=expected_in_words(item["expected"]),
            actual=OTHER_OUTCOME if is_open else with_rule(before["actual"], before["rule"]),
            met=before["met"],
            planned=item["met"],
            reasons=[str(reason) for reason in item["reasons"]],
        )


def weaker_objects(module: str, result: ModuleResult) -> Iterator[str]:
    """Sentences on the account and on objects that protect less than described."""
    yield from (result.get("coverage") or {}).get("weaker") or ()
    operations = differences_of(module, result)
    names = {(item["resource"], item["key"]): item["name"] for item in operations}
    for item in result.get("weaker") or ():
        name = names.get((item["resource"], item["key"]), item["key"])
        resource = BY_NAME.get(item["resource"])
        label = f" {name}" if resource is None or resource.key else ""
        yield sentence(f"The {title_of_resource(item['resource'])}{label} {item['reason']}")


def existing_rules(module: str, result: ModuleResult) -> list[ZoneRule]:
    """The rules in the result of a module for a zone, as they are before its plan."""
    resource, in_order = RULES_OF_ZONES[module]
    sides = [(result.get("diff") or {}).get(side) or {} for side in ("before", "after")]
    was, becomes = (side.get(module) or {} for side in sides)
    rules = {resource.label_of(rule): rule for rule in result.get("rules") or ()}
    kept = {label: rule for label, rule in rules.items() if label not in becomes}
    existing = {**kept, **was}
    order = [*(sides[0].get(f"{module}_order") or rules), *existing]
    return in_order([existing[label] for label in dict.fromkeys(order) if label in existing])


def planned_rules(module: str, result: ModuleResult) -> list[ZoneRule]:
    """The rules in the result of a module for a zone, after its plan; none of another module."""
    if module not in RULES_OF_ZONES:
        return []
    _resource, in_order = RULES_OF_ZONES[module]
    return in_order(list(result.get("rules") or ()))
