# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a host, and the one that was approved: pure functions."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from ...module_utils._guard.approval import PLAN_ID
from ...module_utils._schema.registry import title_of_resource
from ...module_utils._specs.base import ModuleResult
from ...module_utils._text import excerpt, first_joined, visible
from .._variables import by_path

EXPECTED_PLAN = "baseline_expected_plan"  # of the whole host, so that it is no option of a module
PLANS = "plans"  # the folder of these files in the directory of a report
REPORT_FILE = "report.json"
OF_OPERATIONS = ("action", "resource", "key", "fields", "before")

ListedOperation = Mapping[str, Any]  # of a result, or of a plan file


class PlanFile(TypedDict):
    """The plan of a host. `report` is the id of the report that the plan belongs to, `generated`
    the moment of that report; `backtest` is for reviewers, and None if the report made none."""

    host: str
    generated: str
    report: str
    plan_id: str
    operations: list[dict[str, Any]]
    backtest: dict[str, Any] | None


def plan_file(
    report_id: str, generated: str, record: Mapping[str, Any], operations: Sequence[Any]
) -> PlanFile:
    """The plan of a host (`record`) in a report."""
    return PlanFile(
        host=record["host"],
        generated=generated,
        report=report_id,
        plan_id=record["plan_id"],
        operations=[_listed(operation) for operation in operations],
        backtest=record["backtest"],
    )


def _listed(operation: ListedOperation) -> dict[str, Any]:
    """An operation as the file of a plan lists it."""
    return {name: operation[name] for name in OF_OPERATIONS}


def report_id(generated: str, records: Iterable[Mapping[str, Any]]) -> str:
    """SHA-256 over the moment of a report and the plan of each of its hosts, in whichever order."""
    plans: list[list[str]] = []
    for record in records:
        plans.append([str(record.get("host")), str(record.get("plan_id"))])
    text = json.dumps([generated, sorted(plans)])
    return hashlib.sha256(text.encode()).hexdigest()


def is_plan(text: str) -> bool:
    """Return whether a text is a plan file, as far as one can see: a JSON object with a `plan_id`
    and `operations`."""
    try:
        plan = json.loads(text)
    except ValueError:
        return False
    return isinstance(plan, Mapping) and {"plan_id", "operations"} <= plan.keys()


def not_of_its_report(plan: Mapping[str, Any], path: Path) -> str:
    """The reason why the plan does not belong to the report beside it; an empty text if it does,
    or if there is no report."""
    folder = path.absolute().parent
    file = folder.parent / REPORT_FILE
    if folder.name != PLANS or not file.is_file():
        return ""
    try:
        text = file.read_text(encoding="utf-8")
        report = json.loads(text)
        hosts = {record["host"]: record for record in report["hosts"]}
        identity = report_id(report["generated"], hosts.values())
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return f"{file} cannot be read, so nobody knows whether it names this plan"
    record = hosts.get(plan.get("host"))
    if record is None:
        return f"{file} does not have this host"
    if record.get("plan_id") is None:
        return f"{file} does not know this host, since it could not be read"
    if plan.get("report") != identity or record["plan_id"] != plan.get("plan_id"):
        return f"{file}, made {report['generated']}, has another plan of this host"
    return ""


@dataclass(frozen=True)
class ApprovedPlan:
    """The `plan_id` of an approved plan, and its operations if the approval has them."""

    plan_id: str
    operations: Sequence[Mapping[str, Any]] | None = None

    def differences(self, result: ModuleResult) -> str:
        """The differences of a refused plan from the approved plan, in sentences; empty if the
        result has the approved plan, or if the approval does not list its operations."""
        if self.operations is None or not result.get("failed"):
            return ""
        if result.get("plan_id") in (None, "", self.plan_id):
            return ""
        operations = result.get("operations") or ()
        return describe_differences(self.operations, operations)


def approved_plan(host: str, values: Mapping[str, Any]) -> ApprovedPlan | None:
    """The approved plan among the variables of a host, None if every plan is approved.

    A variable that is set and comes out null or empty, as of a file that is not there, approves no
    change. Raises ValueError.
    """
    if EXPECTED_PLAN not in values:
        return None
    value = values[EXPECTED_PLAN]
    return ApprovedPlan("") if value is None else read_approved_plan(host, value)


def read_approved_plan(host: str, value: Any) -> ApprovedPlan:
    """The value of baseline_expected_plan for a host; raises ValueError.

    The value is a plan_id, or a dictionary with plan_id and operations as a report has it in
    plans/<host>.json, or the path of such a file, from the working directory on.
    """
    if isinstance(value, str) and not PLAN_ID.fullmatch(value.strip()):
        value = _read_plan(host, value)
    if isinstance(value, Mapping):
        return _of_dictionary(host, value)
    if not isinstance(value, str):
        raise ValueError(
            f"{EXPECTED_PLAN} is neither a plan_id, nor a dictionary with plan_id, nor a file."
        )
    return ApprovedPlan(value.strip())


def _read_plan(host: str, name: str) -> Any:
    path = Path(os.getcwd(), os.path.expanduser(name))
    try:
        plan = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else "it holds no JSON"
        raise ValueError(
            f"{EXPECTED_PLAN} is not a plan_id, and the file {name} cannot be read: {reason}."
        ) from exc
    if not isinstance(plan, Mapping):
        raise ValueError(
            f"{EXPECTED_PLAN}: the file {name} holds no plan, which has plan_id and operations."
        )
    problem = not_of_its_report(plan, path)
    if problem:
        raise ValueError(
            f"{EXPECTED_PLAN}: the file {name} is stale, and approves nothing for {host}:"
            f" {problem}. Make a new report, and approve its plan."
        )
    return plan


def _of_dictionary(host: str, plan: Mapping[str, Any]) -> ApprovedPlan:
    plan_id = str(plan.get("plan_id") or "")
    if "plan_id" not in plan or not PLAN_ID.fullmatch(plan_id):
        raise ValueError(f"{EXPECTED_PLAN} lacks the plan_id, which the plan of a host has.")
    planned_host = plan.get("host", host)
    if planned_host != host:
        raise ValueError(f"{EXPECTED_PLAN} is the plan of {planned_host}, and not of {host}.")
    operations = plan.get("operations")
    return ApprovedPlan(plan_id, operations if _are_operations(operations) else None)


def _are_operations(value: Any) -> bool:
    """Return whether a value is a list of operations, judged by its form alone."""
    if not isinstance(value, list):
        return False
    return all(isinstance(operation, Mapping) for operation in value)


MAX_DIFFERENCES = 5
MAX_VALUE = 60  # characters
DONE = {"create": "created", "update": "updated", "delete": "deleted"}


def describe_differences(
    approved: Sequence[ListedOperation], current: Sequence[ListedOperation]
) -> str:
    """The differences from the approved operations, as sentences."""
    differences = list(_differing_operations(approved, current))
    if not differences:
        return (
            "The operations are the approved ones, but an object has other values that they leave"
            " alone, the order of the rules is another one, or the plan is of another account or"
            " zone. The diff shows the objects as they are."
        )
    return f"{first_joined(differences, '; ', MAX_DIFFERENCES)}."


def _differing_operations(
    approved: Sequence[ListedOperation], current: Sequence[ListedOperation]
) -> Iterator[str]:
    before, now = _by_title(approved), _by_title(current)
    for target in dict.fromkeys([*before, *now]):
        if target not in now:
            yield f"{target} was to be {_done(before[target])}, which is not needed now"
        elif target not in before:
            yield f"{target} is to be {_done(now[target])}, which was not approved"
        else:
            yield from _differences_of(target, before[target], now[target])


def _differences_of(
    target: str, approved: ListedOperation, current: ListedOperation
) -> Iterator[str]:
    """The differences between two operations on the same object."""
    was, becomes = _done(approved), _done(current)
    if was != becomes:
        yield f"{target} was to be {was} when approved, and is to be {becomes} now"
    else:
        yield from _changed_existing(target, approved, current)
        yield from _changed_fields(target, approved, current)


def _by_title(operations: Sequence[ListedOperation]) -> dict[str, ListedOperation]:
    by_title: dict[str, ListedOperation] = {}
    for operation in operations:
        resource = title_of_resource(str(operation.get("resource")))
        title = f"{resource} {visible(str(operation.get('key')))}"
        if title in by_title:
            title += " (again)"
        by_title[title] = operation
    return by_title


def _done(operation: ListedOperation) -> str:
    action = str(operation.get("action"))
    return DONE.get(action, action)


def _changed_existing(
    target: str, approved: ListedOperation, current: ListedOperation
) -> Iterator[str]:
    """The differences in the values that the operation found before it changes them."""
    was = by_path(approved.get("before") or {})
    now = by_path(current.get("before") or {})
    for name in dict.fromkeys([*was, *now]):
        old, new = _shown_value(was, name), _shown_value(now, name)
        if old != new:
            yield f"{target}: {name} was {old} when approved, and is {new} now"


def _changed_fields(
    target: str, approved: ListedOperation, current: ListedOperation
) -> Iterator[str]:
    """The differences in the values that the operation sends."""
    was = by_path(approved.get("fields") or {})
    now = by_path(current.get("fields") or {})
    for name in was:
        old, new = _shown_value(was, name), _shown_value(now, name)
        if name in now and old != new:
            yield f"{target}: {name} was to become {old}, and would become {new} now"


def _shown_value(values: Mapping[str, Any], name: str) -> str:
    """A value as people read it; a field that an operation does not list has no difference."""
    if name not in values:
        return "as desired"
    value = values[name]
    if isinstance(value, str):
        value = excerpt(visible(value), MAX_VALUE)
    return repr(value)
