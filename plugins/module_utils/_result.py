# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results of a plan: the operations, the diff, the coverage and the risks, and the progress of a
plan that was not applied to its end."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Any, Iterable, Mapping, Sequence, TypedDict

from ._apply.executor import BrokenOff
from ._errors import ProtectionError
from ._guard.checked import Checked
from ._plan.desired import Desired
from ._plan.plan import Operation, with_along
from ._protection.coverage import Coverage
from ._protection.expectation import Expectation
from ._protection.summary import compare_coverage, diff_facts
from ._schema.resource import NO_ITEMS, Object, Resource, State, Values, reused_if_equal
from ._text import Message, Option, plural, sentence
from ._timestamps import write_timestamp


class OperationRecord(TypedDict):
    """An operation in the form of results: `fields` are the values that are sent, `before` the
    present ones of those that change."""

    action: str
    resource: str
    key: str
    fields: Values
    before: Values


class Diff(TypedDict):
    """The managed fields of the objects concerned, by collection and then by key."""

    before: dict[str, Any]
    after: dict[str, Any]


def operation_records(operations: Iterable[Operation]) -> list[OperationRecord]:
    """Operations in the form of results; equal `before` values of successive operations are one
    object in memory."""
    records: list[OperationRecord] = []
    before: Values = NO_ITEMS
    for operation in operations:
        before = reused_if_equal(before, operation.before)
        records.append(
            OperationRecord(
                action=operation.action,
                resource=operation.resource.name,
                key=operation.label,
                fields=operation.fields,
                before=before,
            )
        )
    return records


class Expired(TypedDict):
    """An object that counts as absent since `expires`, a timestamp in UTC."""

    resource: str
    key: str
    expires: str


def expired_records(task_desired: Iterable[Desired]) -> list[Expired]:
    """Expired entries, in the order of the task."""
    records: list[Expired] = []
    for desired in task_desired:
        resource = desired.resource
        for key in desired.expires:
            if key in desired.expired:
                label = resource.label_of(desired.objects[key])
                expires = write_timestamp(desired.expires[key])
                records.append(Expired(resource=resource.name, key=label, expires=expires))
    return records


def make_diff(operations: Iterable[Operation]) -> Diff:
    """The objects concerned before and after, sorted by key; an object that changes twice is shown
    before its first and after its last change."""
    diff = Diff(before={}, after={})
    sorted_operations = sorted(with_along(operations), key=attrgetter("order"))
    same_object = attrgetter("resource.plural", "label", "identity")
    for _object, group in groupby(sorted_operations, same_object):
        changes = list(group)
        _add_object(diff["before"], changes[0], changes[0].existing)
        _add_object(diff["after"], changes[0], changes[-1].planned)
    return diff


def _add_object(side: dict[str, Any], operation: Operation, obj: Object | None) -> None:
    """Add the managed fields of the object of an operation to one side of a diff."""
    if obj is None:
        return
    resource = operation.resource
    collection = side.setdefault(resource.plural, {})
    undeclared = {name: obj[name] for name in operation.undeclared if name in obj}
    managed: Values = {**resource.declared_values(obj), **undeclared}
    if managed == obj:
        managed = obj  # so that a long list is not in memory twice
    label = operation.label
    if not resource.key:
        collection.update(managed)
    elif label in collection:  # a duplicate, which only its id tells from the other
        collection[f"{label} (id {obj.get('id')})"] = managed
    else:
        collection[label] = managed


def add_orders(diff: Diff, resources: Sequence[Resource], before: State, after: State) -> Diff:
    """Add to the diff, for each ordered list whose sequence of objects differs, the labels of its
    objects before and after; return the diff. A new or deleted object changes the sequence as well.
    """
    for resource in resources:
        if not resource.is_ordered or before[resource.plural] == after[resource.plural]:
            continue
        order_before = [resource.label_of(obj) for obj in before[resource.plural]]
        order_after = [resource.label_of(obj) for obj in after[resource.plural]]
        if order_before != order_after:
            section = f"{resource.plural}_order"
            diff["before"][section] = order_before
            diff["after"][section] = order_after
    return diff


def add_to_diff(
    diff: Diff, section: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Diff:
    """The diff with one more section, which has only what differs between both sides, and no empty
    list, which would read as if something became empty."""
    changed = [key for key in before if before[key] != after[key]]
    for side, facts in ((diff["before"], before), (diff["after"], after)):
        shown = {key: facts[key] for key in changed if facts[key] != []}
        if shown:
            side[section] = shown
    return diff


def protection_results(checked: Checked, diff: Diff, state: State) -> dict[str, Any]:
    """The results on protection: diff and risks, and coverage if the whole account was read.

    `state` is the state after the plan.
    """
    results: dict[str, Any] = {"diff": diff}
    if checked.knows_account:
        before = checked.before
        after = Coverage({**before.state, **state}) if checked.plan.operations else before
        facts_before = diff_facts(before, after)
        facts_after = diff_facts(after, before)
        results["diff"] = add_to_diff(diff, "coverage", facts_before, facts_after)
        results["coverage"] = compare_coverage(before, after, checked.described)
    risks = checked.refused or checked.risks
    if risks:
        results["risks"] = [risk.record() for risk in risks]
    return results


def plan_details(checked: Checked) -> dict[str, Any]:
    """A plan as the details of a failure that comes before its first write."""
    plan = checked.plan
    return {
        "operations": operation_records(checked.planned.goal.operations),
        **protection_results(checked, make_diff(plan.operations), plan.after()),
        **checked.expected,
        **checked.past_requests,
        "plan_id": checked.plan_id,
    }


# Results that name objects.
OF_OPTIONS = ("ineffective", "ineffective_afterwards", "operations", "risks")


def with_options(
    result: dict[str, Any],
    task_desired: Iterable[Desired],
    expectations: Iterable[Expectation] = (),
) -> dict[str, Any]:
    """The result, in which operations, risks, objects that cannot work and expectations get the
    option by which the task names them; None for objects that the task does not name."""
    sections = {name: result[name] for name in OF_OPTIONS if result.get(name)}
    if result.get("expectations"):
        pairs = zip(result["expectations"], expectations)
        placed = [{**record, "option": Message(item.option)} for record, item in pairs]
        result = {**result, "expectations": placed}
    if not sections:
        return result
    options = _options_by_label(task_desired)
    for name, records in sections.items():
        sections[name] = [
            {**record, "option": _option_of(record, name == "risks", options)} for record in records
        ]
    return {**result, **sections}


ByLabel = Mapping["tuple[str, str]", Option]


def _options_by_label(task_desired: Iterable[Desired]) -> ByLabel:
    """The option that describes each object, by the name of its resource and its label; risks have
    no resource, and are looked up by an empty name."""
    options: dict[tuple[str, str], Option] = {}
    for desired in task_desired:
        resource = desired.resource
        for key, option in desired.paths.items():
            label = resource.label_of(desired.objects[key])
            options[resource.name, label] = option
            options["", label] = option
    return options


def _option_of(record: Mapping[str, Any], is_risk: bool, options: ByLabel) -> Message | None:
    """The option that describes the first object of a record that any option describes."""
    labels = record["entries"] if is_risk else [record["key"]]
    resource_name = record.get("resource", "")
    for label in labels:
        option = options.get((resource_name, label))
        if option:
            return Message(option)
    return None


def failure_of(broken: BrokenOff) -> ProtectionError:
    """The reason why a plan was not applied to its end, with `done`, `left` and `unknown`, which
    add up to `operations`."""
    operations = broken.done + broken.unknown + broken.left
    progress = _progress(len(broken.done), len(broken.left), len(broken.unknown), broken.advice)
    return broken.cause.extended(
        progress,
        changed=bool(broken.done),
        diff=make_diff(operations),
        operations=operation_records(operations),
        done=operation_records(broken.done),
        left=operation_records(broken.left),
        unknown=operation_records(broken.unknown),
    )


def _progress(done: int, to_do: int, unknown: int, advice: str) -> str:
    """The progress in words: `300 of 601 operations are done, 1 is left; whether 300 others were
    applied is not known.`"""
    if not done and not unknown:
        return ""
    clauses: list[str] = []
    if done or to_do:
        operations = plural(done + to_do + unknown, "operation", "operations")
        verb = "is" if done == 1 else "are"
        not_done = f", {plural(to_do, 'is', 'are')} left" if to_do else ""
        clauses.append(f"{done} of {operations} {verb} done{not_done}")
    if unknown:
        nouns = ("other was", "others were") if clauses else ("operation was", "operations were")
        clauses.append(f"whether {plural(unknown, *nouns)} applied is not known")
    return f"{sentence('; '.join(clauses))} {advice}"
