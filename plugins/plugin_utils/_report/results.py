# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The results of a dry run of the baseline on one host, read once into typed predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, cast

from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import (
    UNDECIDED,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expected import (
    in_words,
    with_rule,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema import account
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import (
    EVALUATION,
    ZoneRule,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import (
    CUSTOM_RULES,
    FIREWALL_RULES,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import excerpt, sentence

from .._baseline.unmanaged import Accepted, accepted_reason, title_of
from .._baseline.variables import CUSTOM, FIREWALL
from .._plain import plain
from .acknowledged import Acknowledgement, Acknowledging
from .coverage import AccountCoverage, read_coverage
from .record import (
    AcceptedRisk,
    Announced,
    Deadline,
    Difference,
    Expected,
    HostTraffic,
    LastChange,
    Risk,
    Step,
    Unmanaged,
)
from .traffic import MODULE as TRAFFIC
from .traffic import read_traffic

RESOURCES = {
    resource.name: resource for resource in (*account.RESOURCES, CUSTOM_RULES, FIREWALL_RULES)
}


class FieldChange(NamedTuple):
    """A field that an operation sets: its path, such as `filter.expression`, and its values."""

    path: str
    exists: bool  # whether the object has a value now
    before: Any
    after: Any


def differences(results: Mapping[str, Mapping[str, Any]]) -> list[Difference]:
    """The operations of the results by module."""
    return [
        _difference(module, operation, result.get("diff") or {})
        for module, result in results.items()
        for operation in result.get("operations") or ()
    ]


def field_changes(operation: Mapping[str, Any]) -> list[FieldChange]:
    """The fields of an operation that say something: no empty value of a new object, and not its
    key again."""
    before = dict(flattened(operation["before"]))
    return [
        FieldChange(path, path in before, before.get(path), value)
        for path, value in flattened(operation["fields"])
        if path in before or (value not in ("", None) and value != operation["key"])
    ]


def rule_name(key: str, obj: Mapping[str, Any]) -> str:
    """What people call an object: its description where its key is an id of Cloudflare, or says
    less."""
    description = obj.get("description")
    if not description or description == key:
        return key
    return str(description) if obj.get("id") == key else f"{key} ({description})"


def sides(diff: Mapping[str, Any], plural: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The objects of a collection before and after, by key."""
    before, after = ((diff.get(side) or {}).get(plural) or {} for side in ("before", "after"))
    return before, after


def flattened(fields: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields with their paths, such as `filter.expression`."""
    for name, value in fields.items():
        if isinstance(value, Mapping) and value:
            yield from flattened(value, f"{path}{name}.")
        else:
            yield path + name, value


def _difference(module: str, operation: Mapping[str, Any], diff: Mapping[str, Any]) -> Difference:
    resource, key = RESOURCES.get(operation["resource"]), str(operation["key"])
    before, after = sides(diff, resource.plural if resource else "")
    existing = before if resource and not resource.key else before.get(key) or {}
    return Difference(
        module=module,
        action=operation["action"],
        resource=operation["resource"],
        title=resource.title if resource else operation["resource"],
        key=key,
        name=rule_name(key, existing if existing.get("description") else after.get(key) or {}),
        fields=dict(operation.get("fields") or {}),
        before=dict(operation.get("before") or {}),
    )


def planned_rules(module: str, result: Mapping[str, Any]) -> list[ZoneRule]:
    """The rules in the result of a module for a zone, after its plan."""
    return [
        rule
        for resource, in_order in EVALUATION
        if resource.plural == module
        for rule in in_order(list(result.get("rules") or ()))
    ]


MAX_LINE = 600  # characters
ORDER = (False, None, True)  # what is unmet comes first


def expected_records(module: str, result: Mapping[str, Any]) -> list[Expected]:
    """The expectations of a result."""
    return [_record(module, item) for item in result.get("expectations") or ()]


def _record(module: str, item: Mapping[str, Any]) -> Expected:
    before = item["before"]
    return Expected(
        module=module,
        description=str(item["description"]),
        expected=in_words(item["expected"]),
        actual=_actual(before),
        met=before["met"],
        planned=item["met"],
        reasons=[str(reason) for reason in item["reasons"]],
    )


def _actual(before: Mapping[str, Any]) -> str:
    if before["met"] is False and before["actual"] == UNDECIDED:
        return "another outcome, undecided which one"
    return with_rule(before["actual"], before["rule"])


def is_unmet(result: Mapping[str, Any]) -> bool:
    """Whether a result is a failure of which an expectation is a cause: Cloudflare was read."""
    unmet = [item for item in result.get("expectations") or () if item["met"] is not True]
    return bool(result.get("failed") and unmet and "operations" in result)


def unmet_reasons(records: Sequence[Expected]) -> list[str]:
    """A sentence on each expectation that does not hold now."""
    return [
        f"An expectation is unmet: {item['description']}: expected {item['expected']}, but"
        f" {item['actual']}."
        for item in records
        if item["met"] is False
    ]


def refusing(records: Sequence[Expected]) -> list[str]:
    """What makes a run refuse the plan, in a word or none."""
    return ["expectations"] if any(item["planned"] is not True for item in records) else []


def expected_lines(records: Sequence[Expected]) -> Iterator[str]:
    """A line on each expectation, those first that do not hold."""
    for item in sorted(records, key=lambda item: ORDER.index(item["met"])):
        state = {True: "met", False: "unmet", None: "undecided"}[item["met"]]
        after = "" if item["planned"] is item["met"] else _after(item)
        reasons = "; ".join(item["reasons"]) if None in (item["met"], item["planned"]) else ""
        parts = [
            f"{state}: {item['description']}: expected {item['expected']}, now {item['actual']}"
        ]
        yield excerpt("; ".join([*parts, *filter(None, (after, reasons))]), MAX_LINE)


def _after(item: Expected) -> str:
    words = {True: "met", False: "unmet", None: "undecided"}
    return f"{words[item['planned']]} after a run"


Result = Mapping[str, Any]  # of a module, as Ansible passes it on


@dataclass(frozen=True)
class Prediction:
    """The plan of one module; `before` and `after` are the coverage of an account, None if it is
    not known."""

    module: str
    is_refused: bool
    plan_id: str
    operations: Sequence[Difference]
    risks: Sequence[Risk]
    pending: Sequence[Step]
    unmanaged: Sequence[Unmanaged]
    expectations: Sequence[Expected] = ()
    planned: Sequence[ZoneRule] = ()  # the rules of a zone after the plan
    is_of_zone: bool = False
    weaker: Sequence[str] = ()  # sentences on what protects less than described
    before: AccountCoverage | None = None
    after: AccountCoverage | None = None


@dataclass(frozen=True)
class HostResults:
    """The predictions for a host, and why it, or a part of it, could not be read."""

    host: str
    account_id: str | None = None
    zone_id: str | None = None
    predictions: Sequence[Prediction] = ()
    errors: Sequence[str] = field(default_factory=list)
    groups: Sequence[str] = ()
    accepted_risks: Sequence[AcceptedRisk] = ()
    expiring: Sequence[Deadline] = ()
    announced: Announced | None = None
    changes: Sequence[LastChange] | None = None
    unread: Sequence[str] = ()  # what else could not be read, a sentence each
    acknowledging: Acknowledging = field(default_factory=Acknowledging)
    traffic: HostTraffic | None = None

    @property
    def plans(self) -> dict[str, str]:
        """The plan_id of each module that has something to do."""
        return {item.module: item.plan_id for item in self.predictions if item.plan_id}

    def coverage(self) -> tuple[AccountCoverage | None, AccountCoverage | None]:
        """The coverage of the account before and after its plan."""
        for item in self.predictions:
            if item.before or item.after:
                return item.before, item.after
        return None, None


def host_results(
    host: str,
    owners: Mapping[str, Any],
    results: Mapping[str, Result],
    failures: Sequence[Result] = (),
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
    succeeded = {
        module: result
        for module, result in results.items()
        if not result.get("failed") and not result.get("skipped")
    }
    predictions = [
        _prediction(module, succeeded.get(module) or refusals[module], refusals.get(module))
        for module in {**refusals, **succeeded}
    ]
    errors = [_message(result) for result in failed if not is_refusal(result)]
    if not errors and not predictions:
        errors = [
            "There is no result: the run did not get to this host, or it has neither account nor"
            " zone."
        ]
    return HostResults(
        host,
        _identifier(owners.get("account_id")),
        _identifier(owners.get("zone_id")),
        predictions,
        list(dict.fromkeys(errors)),
        traffic=traffic,
    )


def _traffic(host: str, result: Result | None) -> HostTraffic | None:
    try:
        return read_traffic(result)
    except ValueError as exc:
        raise ValueError(f"the traffic of {host} is not a result of {TRAFFIC}: {exc}") from exc


def accepting(
    host: HostResults,
    accepted: Sequence[Accepted],
    now: datetime,
    acknowledged: Sequence[Acknowledgement] = (),
) -> HostResults:
    """The results of a host where what no baseline names is accepted so at this moment, and states
    are acknowledged."""
    predictions = [
        replace(item, unmanaged=[_accepting(obj, accepted, now) for obj in item.unmanaged])
        for item in host.predictions
    ]
    return replace(host, predictions=predictions, acknowledging=Acknowledging(acknowledged, now))


def _accepting(item: Unmanaged, accepted: Sequence[Accepted], now: datetime) -> Unmanaged:
    return {**item, "accepted": accepted_reason(item, accepted, now)}


def read_results(record: Mapping[str, Any]) -> HostResults:
    """A host of the filter's input; raises ValueError for another shape."""
    host = record.get("host")
    results, failures = record.get("results") or {}, record.get("failures") or []
    if not isinstance(host, str) or not host:
        raise ValueError("each element needs the name of its host")
    if not isinstance(results, Mapping) or not all(
        isinstance(result, Mapping) for result in results.values()
    ):
        raise ValueError(f"the results of {host} are not a dictionary of results by module")
    if isinstance(failures, (str, Mapping)) or not all(
        isinstance(failure, Mapping) for failure in failures
    ):
        raise ValueError(f"the failures of {host} are not a list of results")
    return host_results(plain(host), record, plain(results), plain(list(failures)))


def is_refusal(result: Result) -> bool:
    """Whether a result is the failure of a plan with risks that are not accepted: Cloudflare was
    read. The same of a plan that leaves an expectation unmet."""
    has_risks = result.get("failed") and result.get("risks") and "operations" in result
    return bool(has_risks or is_unmet(result))


def _prediction(module: str, result: Result, refusal: Result | None) -> Prediction:
    """The plan of a module; of a refused plan the failure, unless it was predicted all the same."""
    coverage = result.get("coverage") or {}
    before, after = coverage.get("before"), coverage.get("after")
    risks = (result if refusal is None else refusal).get("risks") or ()
    pending = result.get("pending") or ()
    steps = [pending] if isinstance(pending, Mapping) else pending
    operations = differences({module: result})
    names = {(item["resource"], item["key"]): item["name"] for item in operations}
    return Prediction(
        module=module,
        is_refused=refusal is not None,
        plan_id=str(result.get("plan_id") or ""),
        operations=operations,
        risks=[_risk(module, risk, refusal is None) for risk in risks],
        pending=[cast(Step, {"module": module, **step}) for step in steps],
        unmanaged=[_unmanaged(module, item) for item in result.get("unmanaged") or ()],
        planned=planned_rules(module, result),
        is_of_zone=module in (CUSTOM, FIREWALL),
        expectations=expected_records(module, result),
        weaker=[
            *(coverage.get("weaker") or ()),
            *(_weaker(item, names) for item in result.get("weaker") or ()),
        ],
        before=read_coverage(before) if before else None,
        after=read_coverage(after) if after else None,
    )


def _risk(module: str, risk: Mapping[str, Any], accepted: bool) -> Risk:
    return cast(Risk, {"module": module, "accepted": accepted, **risk})


def _unmanaged(module: str, item: Mapping[str, Any]) -> Unmanaged:
    others = {"module": module, "title": title_of(item), "accepted": None}
    return cast(Unmanaged, {**item, **others})


def _weaker(item: Mapping[str, Any], names: Mapping[tuple[str, str], str]) -> str:
    """An object that protects less than described, in a sentence; `names` are by resource and
    key."""
    name = names.get((item["resource"], item["key"]), item["key"])
    return sentence(f"The {title_of(item)} {name} {item['reason']}")


def _module_of(host: str, failure: Result) -> str:
    module = failure.get("module")
    if not module:
        raise ValueError(f"a failure of {host} has risks, and does not name its module")
    return str(module)


def _identifier(value: object) -> str | None:
    return plain(value) if isinstance(value, str) and value else None


def _message(result: Result) -> str:
    return str(result.get("msg") or result.get("reason") or "The task failed without a message.")
