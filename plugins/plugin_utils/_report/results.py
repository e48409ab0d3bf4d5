# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of a host, as far as the results of its modules tell it.

A module may run packed, in another process, so that a plan comes here as data and not as objects.
It is read once, here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple, TypeVar, cast

from ...module_utils._context import STAYING, UNLIKE_BASELINE
from ...module_utils._errors import PLACE, REFUSAL, Refusal
from ...module_utils._guard.terms import Pending
from ...module_utils._planning.zone import NOT_SERVED
from ...module_utils._protection.expected import expected_in_words, with_rule
from ...module_utils._protection.modes import UNDECIDED
from ...module_utils._protection.rules_in_force import IN_ORDER
from ...module_utils._protection.traffic_changes import (
    TrafficChangeRecord,
    TrafficChangesRecord,
    example_in_words,
)
from ...module_utils._protection.zone_rule import SKIPPING
from ...module_utils._schema.account import ALLOWLIST
from ...module_utils._schema.products import PRODUCTS
from ...module_utils._schema.registry import BY_NAME, DDOS_OVERRIDES, DECIDING, title_of_resource
from ...module_utils._schema.resource import OWNERS, ZONE_OPTION, Object, Resource, State, without
from ...module_utils._schema.rulesets import OVERRIDES, PARAMETERS
from ...module_utils._specs.base import ModuleResult
from ...module_utils._specs.registry import TRAFFIC
from ...module_utils._text import sentence
from ...module_utils._traffic.evidence import ComponentTraffic
from .._variables import plain
from . import coverage as coverages
from . import record as records

PlaceOf = Callable[["str | None"], "str | None"]  # of an option by its name
Element = TypeVar("Element")
NETWORKS_IN_JSON = 100  # of a component are in report.json


RULES_OF_ZONES = {
    resource.plural: resource for resource in DECIDING if resource.owner == ZONE_OPTION
}


class ListOfRules(NamedTuple):
    """The existing rules of a resource, in the order in which Cloudflare lists them."""

    resource: Resource
    rules: Sequence[Object]


@dataclass(frozen=True)
class HostResults:
    """The results of a host: its record, which has no status yet, and all that the status depends
    on.

    `unread` are sentences on why the host, or a part of it, could not be read. `coverage` is that
    of its account now, None if it is not known; `weaker` has a sentence on each thing that protects
    less than described. `rules` are the existing rules of zones, a list for each resource, and
    `planned` all rules after the plan.
    """

    record: records.HostRecord
    unread: Sequence[str] = ()
    coverage: coverages.AccountCoverage | None = None
    weaker: Sequence[str] = ()
    rules: Sequence[ListOfRules] = ()
    planned: State = field(default_factory=dict)

    def having(self, unread: Iterable[str] = (), **values: Any) -> HostResults:
        """The host with these `values` in its record, and with further sentences on what is
        `unread`.
        """
        record = cast(records.HostRecord, {**self.record, **values})
        return replace(self, record=record, unread=[*self.unread, *unread])


def unread_host(host: str, *reasons: str, place: str | None = None) -> HostResults:
    """The results of a host that could not be read, for these `reasons`; `place` is the file and
    line of the mistake that prevented it, if there is one.
    """
    return HostResults(records.nothing_known(host), reasons).having(place=place)


def host_results(
    host: str,
    owners: Mapping[str, Any],
    results: Mapping[str, ModuleResult],
    failures: Sequence[ModuleResult] = (),
    place: PlaceOf = lambda _option: None,
) -> HostResults:
    """A host by its results: that of its plan, or those of modules that a playbook has run for it,
    and the failures that ended its run, which may name their `module`; a module that did not run is
    absent. `place` tells the place of an option in a file. Raises ValueError for traffic of another
    shape.
    """
    traffic = _traffic(host, results.get(TRAFFIC))
    all_results = _with_failures(results, failures)
    plans = {
        name: result
        for name, result in all_results.items()
        if name != TRAFFIC and _has_plan(result)
    }
    failed = [result for result in all_results.values() if _is_unread(result)]
    reasons = [_message_of_failure(result) for result in failed]
    places = [str(result[PLACE]) for result in failed if result.get(PLACE)]
    if not reasons and not plans:
        reasons = [
            "There is no result: the run did not get to this host, or it has neither account nor"
            " zone."
        ]
    # A result knows the id of a zone even if the host names it by its domain.
    ids = {}
    for source in (owners, *plans.values()):
        ids.update({name: source[name] for name in OWNERS if source.get(name)})
    unplanned = unread_host(host, *dict.fromkeys(reasons)).having(
        place=(*places, None)[0],
        traffic=traffic,
        account_id=_identifier(ids.get("account_id")),
        zone_id=_identifier(ids.get("zone_id")),
    )
    return _with_plans(unplanned, plans, place)


def _with_failures(
    results: Mapping[str, ModuleResult], failures: Sequence[ModuleResult]
) -> dict[str, ModuleResult]:
    """The results of a host, and the failures that ended its run, by their modules."""
    all_results = dict(results)
    for number, failure in enumerate(failures):
        name = str(failure.get("module") or number)
        result = {**failure, **all_results.get(name, {})}
        if failure.get("risks"):
            # A refused plan may have been predicted once more, with its risks accepted.
            result.update(failed=True, risks=failure["risks"])
        all_results[name] = result
    return all_results


def _is_unread(result: ModuleResult) -> bool:
    return bool(result.get("failed")) and not is_refusal(result)


def _has_plan(result: ModuleResult) -> bool:
    return is_refusal(result) or not (result.get("failed") or result.get("skipped"))


def _with_plans(
    host: HostResults, results_by_module: Mapping[str, ModuleResult], place: PlaceOf
) -> HostResults:
    """The host with all that its plans say; plans that a run refuses come first."""
    results = results_by_module.values()
    before, after = _coverages(results)
    refused_first = sorted(results, key=lambda result: not is_refusal(result))
    planned_host = host.having(
        unread=chain.from_iterable(result.get("unread") or () for result in results),
        plan_id=_only_plan(results),
        operations=_elements_of_lists(map(differences_of, results)),
        traffic_changes=_traffic_changes(results),
        risks=_elements_of_lists(_risks(result, place) for result in refused_first),
        pending=_elements_of_lists(map(_pending_steps, results)),
        unmanaged=_elements_of_lists(
            reported_unmanaged(result.get("unmanaged") or ()) for result in results
        ),
        ineffective=_elements_of_lists(
            _ineffective(result, "ineffective", place) for result in results
        ),
        left_out=_elements_of_lists(result.get(STAYING) or () for result in results),
        expectations=_elements_of_lists(expected_records(result, place) for result in results),
        backtest=_first_of(results, "backtest"),
        not_served=_first_of(results, NOT_SERVED),
        products=_first_of(results, PRODUCTS),
        planned=planned_record(results, place) if results else None,
        mitigates=before.mitigates if before else None,
        coverage=before.record() if before else None,
        prefixes=coverages.prefix_records(before, after) if before and after else [],
    )
    planned: dict[str, Any] = {}
    for result in results:
        planned.update({name: result[name] for name in IN_ORDER if name in result})
    return replace(
        planned_host,
        coverage=before,
        weaker=_elements_of_lists(map(_weaker_objects, results)),
        rules=_elements_of_lists(_existing_rules(*result) for result in results_by_module.items()),
        planned=planned,
    )


def planned_record(results: Iterable[ModuleResult], place: PlaceOf) -> records.PlannedRecord:
    """The outcome of the plans in some results; `described` is left empty for the caller to
    fill.
    """
    found = [*results]
    return records.PlannedRecord(
        traffic_changes=_first_of(found, "traffic_changes"),
        ineffective=_elements_of_lists(
            _ineffective(result, "ineffective_afterwards", place) for result in found
        ),
        exempting=_elements_of_lists(map(_exempting, found)),
        changed=_elements_of_lists(_changed_places(result, place) for result in found),
        described={},
    )


def _exempting(result: ModuleResult) -> Iterator[records.ChangedKey]:
    """The changed objects of a plan that exempt traffic, either before the plan or after it."""
    for operation in result.get("operations") or ():
        resource = BY_NAME.get(operation["resource"])
        if resource is None:
            continue
        key = str(operation["key"])
        sides = [_side_of_diff(result, side, resource).get(key) for side in ("before", "after")]
        if any(_exempts(resource, obj) for obj in sides if obj):
            yield records.ChangedKey(resource=resource.name, key=key)


def _changed_places(result: ModuleResult, place: PlaceOf) -> Iterator[records.ChangedPlace]:
    """The objects that a plan changes, each with its place."""
    for operation in result.get("operations") or ():
        yield records.ChangedPlace(
            resource=str(operation["resource"]),
            key=str(operation["key"]),
            place=place(operation.get("option")),
        )


def _exempts(resource: Resource, obj: Object) -> bool:
    """Return whether an object takes traffic out of a protection, or overrides managed rules."""
    parameters = obj.get(PARAMETERS) or {}
    is_exception = resource is ALLOWLIST or resource in DDOS_OVERRIDES
    return is_exception or obj.get("action") in SKIPPING or bool(parameters.get(OVERRIDES))


def _elements_of_lists(lists: Iterable[Iterable[Element]]) -> list[Element]:
    """The elements of all lists."""
    return [*chain.from_iterable(lists)]


def _traffic_changes(results: Iterable[ModuleResult]) -> TrafficChangesRecord | None:
    """The traffic that is treated otherwise than the baseline describes; None if no result says.
    Traffic to a zone that Cloudflare does not serve is left out, since it passes anyway.
    """
    told = [result for result in results if UNLIKE_BASELINE in result]
    if not told:
        return None
    changes = TrafficChangesRecord(known=True, unknown=[], passes=[], stopped=[])
    for result in told:
        record, is_unserved = result[UNLIKE_BASELINE], bool(result.get(NOT_SERVED))
        changes["known"] = changes["known"] and record["known"]
        changes["unknown"] += record["unknown"]
        changes["passes"] += _of_served(record["passes"], is_unserved)
        changes["stopped"] += _of_served(record["stopped"], is_unserved)
    return changes


def _of_served(
    changes: Iterable[TrafficChangeRecord], is_unserved: bool
) -> Iterator[TrafficChangeRecord]:
    """The changes, but if the zone `is_unserved` by Cloudflare, not those that objects of the zone
    cause.
    """
    for change in changes:
        if not (is_unserved and any(map(is_of_zone, change["keys"]))):
            yield change


def _first_of(results: Iterable[ModuleResult], name: str) -> Any:
    """The first value of this name in some results; None if none has it."""
    return next(filter(None, (result.get(name) for result in results)), None)


def _only_plan(results: Iterable[ModuleResult]) -> str | None:
    """The id of the plan of a host; None if it has none, or plans of several modules."""
    plan_ids = [str(result["plan_id"]) for result in results if "plan_id" in result]
    return plan_ids[0] if len(plan_ids) == 1 else None


def _coverages(
    results: Iterable[ModuleResult],
) -> tuple[coverages.AccountCoverage | None, coverages.AccountCoverage | None]:
    """The coverage of the account before and after its plan, None if it is not known."""
    for result in results:
        coverage = result.get("coverage") or {}
        before = _read_if_shown(coverage.get("before"))
        after = _read_if_shown(coverage.get("after"))
        if before or after:
            return before, after
    return None, None


def _read_if_shown(shown: Mapping[str, Any] | None) -> coverages.AccountCoverage | None:
    return coverages.read_coverage(shown) if shown else None


def _risks(result: ModuleResult, place: PlaceOf) -> Iterator[records.HostRisk]:
    """The risks of a plan. If a task failed without -v, its message has the sentences of all risks:
    the first risk has this message, and the others refer to it.
    """
    refusal: Refusal | None = result.get(REFUSAL)
    is_refused = refusal["refuses_risks"] if refusal else is_refusal(result)
    message = str(result.get("msg") or "")
    for risk in result.get("risks") or ():
        record = {
            "message": message,
            **without(risk, "option"),
            "accepted": not is_refused,
            "place": place(risk.get("option")),
        }
        message = f"The message of {result['risks'][0]['code']} has its sentence as well."
        yield cast(records.HostRisk, record)


def reported_unmanaged(objects: Iterable[Mapping[str, Any]]) -> Iterator[records.Unmanaged]:
    """The objects that no baseline names, in the form of a host's record."""
    for unmanaged in objects:
        title = title_of_resource(unmanaged["resource"])
        yield cast(records.Unmanaged, {**unmanaged, "title": title, "accepted": None})


def _ineffective(result: ModuleResult, name: str, place: PlaceOf) -> Iterator[records.Ineffective]:
    """The objects that cannot work, from the list under `name` in a result."""
    unmanaged: dict[str, set[str]] = {}
    for obj in result.get("unmanaged") or ():
        unmanaged.setdefault(str(obj["resource"]), set()).add(str(obj["key"]))
    for finding in result.get(name) or ():
        title = title_of_resource(finding["resource"])
        record = {
            **without(finding, "option"),
            "title": title,
            "advice": records.advice_on_ineffective(
                finding, unmanaged.get(finding["resource"], ())
            ),
            "accepted": None,
            "place": place(finding.get("option")),
        }
        yield cast(records.Ineffective, record)


def _traffic(host: str, result: ModuleResult | None) -> records.HostTraffic | None:
    """The traffic in a result of protection_traffic_info, with only the networks that lost packets
    or would have; None if the result is missing, failed or skipped.
    """
    if result is None or result.get("failed") or result.get("skipped"):
        return None
    try:
        traffic = result["traffic"]
        components = {}
        for name, component in traffic["components"].items():
            components[name] = _seen(component)
        times = {name: traffic[name] for name in ("since", "until", "known", "unknown")}
    except (AttributeError, KeyError, TypeError) as exc:
        misfit = records.misfit_of(exc)
        raise ValueError(f"the traffic of {host} is not a result of {TRAFFIC}: {misfit}") from exc
    return cast(records.HostTraffic, {**times, "components": components})


def _seen(component: ComponentTraffic) -> records.SeenTraffic:
    """The traffic of a component, with the networks that lost packets, or would have."""
    losing = [
        network
        for network in component["networks"]
        if network["dropped_packets"] or network["would_drop_packets"]
    ]
    hidden = max(0, len(losing) - NETWORKS_IN_JSON)
    return {**component, "networks": losing[:NETWORKS_IN_JSON], "more_networks": hidden}


def is_refusal(result: ModuleResult) -> bool:
    """Return whether a result is a failure because its plan was refused for risks that are not
    accepted, or leaves an expectation unmet. In both cases, Cloudflare was read.
    """
    has_risks = result.get("failed") and result.get("risks") and "operations" in result
    return bool(has_risks or is_unmet(result))


def is_unmet(result: ModuleResult) -> bool:
    """Return whether a result is a failure caused by an expectation: Cloudflare was read."""
    if not result.get("failed") or "operations" not in result:
        return False
    expectations = result.get("expectations") or ()
    return any(expectation["met"] is not True for expectation in expectations)


def _identifier(value: object) -> str | None:
    return plain(value) if isinstance(value, str) and value else None


def _message_of_failure(result: ModuleResult) -> str:
    return str(result.get("msg") or result.get("reason") or "The task failed without a message.")


def differences_of(result: ModuleResult) -> Iterator[records.Difference]:
    """The operations of a result."""
    for operation in result.get("operations") or ():
        yield records.Difference(
            action=operation["action"],
            resource=operation["resource"],
            title=title_of_resource(operation["resource"]),
            key=str(operation["key"]),
            name=_name_of_object(operation, result),
            fields=dict(operation.get("fields") or {}),
            before=dict(operation.get("before") or {}),
        )


def _name_of_object(operation: Mapping[str, Any], result: ModuleResult) -> str:
    """The name that people give the object of an operation, by its description in the diff, which
    has the existing object and the planned one."""
    resource, key = BY_NAME.get(operation["resource"]), str(operation["key"])
    if resource is None:
        return key
    before = _side_of_diff(result, "before", resource)
    after = _side_of_diff(result, "after", resource)
    existing = before.get(key) or {} if resource.key else before
    described = existing if existing.get("description") else after.get(key) or {}
    return rule_name(key, described)


def _side_of_diff(result: ModuleResult, side: str, resource: Resource) -> Object:
    """The objects of a resource on one `side` of the diff, by their keys; of a resource with a
    single object, this object.
    """
    state = (result.get("diff") or {}).get(side) or {}
    objects: Object = state.get(resource.plural) or {}
    return objects


def rule_name(key: str, obj: Mapping[str, Any]) -> str:
    """The name of an object for people: its description if `key` is its id at Cloudflare; otherwise
    the key, with the description in parentheses if there is another one.
    """
    description = obj.get("description")
    if not description or description == key:
        return key
    return str(description) if obj.get("id") == key else f"{key} ({description})"


def _pending_steps(result: ModuleResult) -> Iterator[Pending]:
    """The steps of a result that wait for their time."""
    pending = result.get("pending") or ()
    steps = [pending] if isinstance(pending, Mapping) else pending
    return (cast(Pending, step) for step in steps)


OTHER_OUTCOME = "another outcome, undecided which one"


def expected_records(
    result: ModuleResult, place: PlaceOf = lambda _option: None
) -> Iterator[records.Expected]:
    """The expectations of a result."""
    for expectation in result.get("expectations") or ():
        before = expectation["before"]
        is_open = before["met"] is False and before["actual"] == UNDECIDED
        actual = OTHER_OUTCOME if is_open else with_rule(before["actual"], before["rule"])
        example = before["example"]
        if example:
            kind = "packet" if "destination" in example else "request"
            actual += f": {example_in_words(kind, example)}"
        yield records.Expected(
            description=str(expectation["description"]),
            expected=expected_in_words(expectation["expected"]),
            actual=actual,
            met=before["met"],
            planned=expectation["met"],
            reasons=[str(reason) for reason in expectation["reasons"]],
            place=place(expectation.get("option")),
        )


def is_of_zone(obj: Mapping[str, Any]) -> bool:
    """Return whether an object of a result or a record, by its resource, is one of a zone."""
    resource = BY_NAME.get(obj["resource"])
    return resource is not None and resource.owner == ZONE_OPTION


def _weaker_objects(result: ModuleResult) -> Iterator[str]:
    """Sentences on the account and on objects that protect less than described; those of a zone
    that Cloudflare does not serve protect nothing anyway."""
    yield from (result.get("coverage") or {}).get("weaker") or ()
    names = {}
    for difference in differences_of(result):
        names[difference["resource"], difference["key"]] = difference["name"]
    for weaker in result.get("weaker") or ():
        if result.get(NOT_SERVED) and is_of_zone(weaker):
            continue
        resource, key = BY_NAME.get(weaker["resource"]), weaker["key"]
        subject = title_of_resource(weaker["resource"])
        if resource is None or resource.key:
            subject += f" {names.get((weaker['resource'], key), key)}"
        yield sentence(f"The {subject} {weaker['reason']}")


def _existing_rules(module: str, result: ModuleResult) -> Iterator[ListOfRules]:
    """The rules of zones in a result, a list for each resource, as they are before its plan; a
    module of one resource has them as `rules`."""
    for plural, resource in RULES_OF_ZONES.items():
        name = "rules" if plural == module else plural
        planned = result.get(name)
        if planned is not None:
            yield ListOfRules(resource, _before_plan(resource, planned, result))


def _before_plan(
    resource: Resource, planned: Sequence[Object], result: ModuleResult
) -> Sequence[Object]:
    """The existing rules of a resource as it lists them, by the planned ones and the diff."""
    before = _side_of_diff(result, "before", resource)
    changed = _side_of_diff(result, "after", resource)
    before_state = (result.get("diff") or {}).get("before") or {}
    order = before_state.get(f"{resource.plural}_order")
    if not (before or changed or order):
        return planned
    existing: dict[str, Object] = {}
    for rule in planned:
        label = resource.label_of(rule)
        if label not in changed:
            existing[label] = rule
    existing.update(before)
    labels = dict.fromkeys([*(order or map(resource.label_of, planned)), *existing])
    return [existing[label] for label in labels if label in existing]
