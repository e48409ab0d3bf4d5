# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of a host, as far as the results of its modules tell it.

A module may run packed, in another process, and the filter gets results that a playbook has
registered, so that a plan comes here as data and not as objects. It is read once, here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ...module_utils._arguments import Argument, read_value, result_argument
from ...module_utils._guard.terms import Pending
from ...module_utils._protection.expected import expected_in_words, with_rule
from ...module_utils._protection.modes import UNDECIDED
from ...module_utils._protection.rules_in_force import IN_ORDER, ZoneRule
from ...module_utils._schema.registry import BY_NAME, DECIDING, title_of_resource
from ...module_utils._schema.resource import OWNERS, Object, Resource, State, without
from ...module_utils._specs.base import ModuleResult
from ...module_utils._specs.registry import MODULE_SPECS, TRAFFIC
from ...module_utils._text import Option, sentence
from ...module_utils._traffic.evidence import ComponentTraffic
from .._variables import plain
from .coverage import AccountCoverage, prefix_records, read_coverage
from .record import (
    ADVICE,
    Difference,
    Expected,
    HostRecord,
    HostRisk,
    HostTraffic,
    Ineffective,
    SeenTraffic,
    Unmanaged,
    misfit_of,
    nothing_known,
)

PlaceOf = Callable[["str | None"], "str | None"]  # of an option by its name
MODULE_RESULT: Argument = {"type": "dict"}
NETWORKS_IN_JSON = 100  # of a component are in report.json

RULES_OF_ZONES = {resource.plural: resource for resource in DECIDING}


@dataclass(frozen=True)
class HostResults:
    """All that the results of a host tell: its record, which has no status yet, and what gives the
    status beside it.

    `unread` says in a sentence each why the host, or a part of it, could not be read. `coverage` is
    the existing one of its account, None if it is not known; `weaker` has a sentence on each thing
    that protects less than described. `rules` are the existing rules of zones, a list for each
    resource, and `planned` all rules after the plan.
    """

    record: HostRecord
    unread: Sequence[str] = ()
    coverage: AccountCoverage | None = None
    weaker: Sequence[str] = ()
    rules: Sequence[Sequence[ZoneRule]] = ()
    planned: State = field(default_factory=dict)

    def having(self, unread: Iterable[str] = (), **values: Any) -> HostResults:
        """The host with these values in its record, and with more that could not be read."""
        record = cast(HostRecord, {**self.record, **values})
        return replace(self, record=record, unread=[*self.unread, *unread])


def unread_host(host: str, *reasons: str) -> HostResults:
    """A host that could not be read, for these reasons."""
    return HostResults(nothing_known(host), reasons)


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
    # A result knows the id of a zone even if the host names it by its domain.
    named = [owners, *known.values()]
    ids = {name: one[name] for one in named for name in OWNERS if one.get(name)}
    read = unread_host(host, *dict.fromkeys(errors)).having(
        traffic=traffic,
        account_id=_identifier(ids.get("account_id")),
        zone_id=_identifier(ids.get("zone_id")),
    )
    return _with_plans(read, known, place)


def _with_plans(
    host: HostResults, results: Mapping[str, ModuleResult], place: PlaceOf
) -> HostResults:
    """The host with what its plans tell, of which those come first that a run refuses."""
    every = results.values()
    before, after = _coverages(every)
    plans = [str(result["plan_id"]) for result in every if "plan_id" in result]
    refused_first = sorted(every, key=lambda result: not is_refusal(result))
    read = host.having(
        unread=[reason for result in every for reason in result.get("unread") or ()],
        plan_id=plans[0] if len(plans) == 1 else None,
        operations=[item for result in every for item in differences_of(result)],
        risks=[item for result in refused_first for item in _risks(result, place)],
        pending=[item for result in every for item in _pending_steps(result)],
        unmanaged=[
            item for result in every for item in reported_unmanaged(result.get("unmanaged") or ())
        ],
        ineffective=[item for result in every for item in _ineffective(result, place)],
        expectations=[item for result in every for item in expected_records(result)],
        backtest=next((item["backtest"] for item in every if item.get("backtest")), None),
        mitigates=before.mitigates if before else None,
        coverage=before.record() if before else None,
        prefixes=prefix_records(before, after) if before and after else [],
    )
    return replace(
        read,
        coverage=before,
        weaker=[text for result in every for text in _weaker_objects(result)],
        rules=[rules for item in results.items() for rules in _existing_rules(*item)],
        planned={name: result[name] for result in every for name in IN_ORDER if name in result},
    )


def _coverages(
    results: Iterable[ModuleResult],
) -> tuple[AccountCoverage | None, AccountCoverage | None]:
    """The coverage of the account before and after its plan, None if it is not known."""
    for result in results:
        shown = result.get("coverage") or {}
        before, after = shown.get("before"), shown.get("after")
        if before or after:
            known = [read_coverage(side) if side else None for side in (before, after)]
            return known[0], known[1]
    return None, None


def _risks(result: ModuleResult, place: PlaceOf) -> Iterator[HostRisk]:
    """The risks of a plan. Those of a task that failed without -v have no sentence of their own:
    the message of the task has all of them, and stands at the first."""
    is_accepted = not is_refusal(result)
    message = str(result.get("msg") or "")
    for risk in result.get("risks") or ():
        record = {
            "message": message,
            **without(risk, "option"),
            "accepted": is_accepted,
            "place": place(risk.get("option")),
        }
        message = f"The message of {result['risks'][0]['code']} has its sentence as well."
        yield cast(HostRisk, record)


def reported_unmanaged(items: Iterable[Mapping[str, Any]]) -> Iterator[Unmanaged]:
    """Objects that no baseline names, as results list them, for a record."""
    for item in items:
        title = title_of_resource(item["resource"])
        yield cast(Unmanaged, {**item, "title": title, "accepted": None})


def _ineffective(result: ModuleResult, place: PlaceOf) -> Iterator[Ineffective]:
    for item in result.get("ineffective") or ():
        more = {
            "title": title_of_resource(item["resource"]),
            "advice": ADVICE[item["kind"]],
            "accepted": None,
            "place": place(item.get("option")),
        }
        yield cast(Ineffective, {**without(item, "option"), **more})


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
    option, every = Option(host, "results"), dict.fromkeys(results, MODULE_RESULT)
    read_value(option, result_argument(MODULE_SPECS), results)  # none is misspelt
    read_value(option, result_argument(**every), results)
    return host_results(host, record, plain(results), plain(list(failures)))


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


def _pending_steps(result: ModuleResult) -> Iterator[Pending]:
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


def _weaker_objects(result: ModuleResult) -> Iterator[str]:
    """Sentences on the account and on objects that protect less than described."""
    yield from (result.get("coverage") or {}).get("weaker") or ()
    operations = differences_of(result)
    names = {(item["resource"], item["key"]): item["name"] for item in operations}
    for item in result.get("weaker") or ():
        name = names.get((item["resource"], item["key"]), item["key"])
        resource = BY_NAME.get(item["resource"])
        label = f" {name}" if resource is None or resource.key else ""
        yield sentence(f"The {title_of_resource(item['resource'])}{label} {item['reason']}")


def _existing_rules(name: str, result: ModuleResult) -> list[list[ZoneRule]]:
    """The rules of zones in a result, a list for each resource, as they are before its plan; `name`
    is that of its module."""
    every = {plural: result.get(plural) for plural in RULES_OF_ZONES}
    every.update({name: result.get("rules")} if name in RULES_OF_ZONES else {})
    return [
        _existing(RULES_OF_ZONES[plural], rules, result)
        for plural, rules in every.items()
        if rules is not None
    ]


def _existing(resource: Resource, rules: Sequence[Object], result: ModuleResult) -> list[ZoneRule]:
    sides = [(result.get("diff") or {}).get(side) or {} for side in ("before", "after")]
    was, becomes = (side.get(resource.plural) or {} for side in sides)
    after = {resource.label_of(rule): rule for rule in rules}
    kept = {label: rule for label, rule in after.items() if label not in becomes}
    existing = {**kept, **was}
    order = [*(sides[0].get(f"{resource.plural}_order") or after), *existing]
    in_order = [existing[label] for label in dict.fromkeys(order) if label in existing]
    return IN_ORDER[resource.plural](in_order)
