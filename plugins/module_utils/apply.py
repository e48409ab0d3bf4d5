# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan carried out: which calls it takes, and what each answer means for the operations behind it."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

from .address_space import range_of
from .client import Client
from .declaration import Nested, Object, Resource, Write
from .errors import ServiceError
from .plan import Operation, Plan, differences, overlay
from .side_by_side import outcomes


class Interrupted(Exception):
    """A call failed: which operations were done, which were not, and of which that is not known."""

    def __init__(
        self,
        cause: ServiceError,
        done: tuple[Operation, ...],
        left: tuple[Operation, ...],
        unknown: tuple[Operation, ...],
    ) -> None:
        super().__init__(cause.message)
        self.cause = cause
        self.done = done
        self.left = left
        self.unknown = unknown


class Step(NamedTuple):
    """Operations that go to the service together; `whole` is the list as it becomes where they replace it as one."""

    resource: Resource
    write: Write
    operations: tuple[Operation, ...]
    whole: Sequence[Object] | None = None


def steps(plan: Plan) -> Iterator[Step]:
    """The plan's operations in their order, as many in one call as the service takes."""
    for resource in {item.resource.plural: item.resource for item in plan.operations if item.resource.inside}.values():
        together = tuple(item for item in plan.operations if item.resource.plural == resource.plural)
        yield Step(resource, resource.update, together, plan.after()[resource.plural])
    apart = (item for item in plan.operations if not item.resource.inside)
    for (resource, action), group in groupby(apart, key=lambda item: (item.resource, item.action)):
        write = resource.writes[action]
        if write is None:
            raise LookupError(f"{action} cannot be sent for {resource.name}")
        operations = tuple(group)
        for start in range(0, len(operations), write.batch):
            yield Step(resource, write, operations[start : start + write.batch])


def waves(plan: Plan) -> Iterator[list[Step]]:
    """The steps in their order, those together that may be under way at the same time: changes of single objects.

    Bulk calls stay one after the other, and so do networks that lie in one another.
    """
    wave: list[Step] = []
    for step in steps(plan):
        if wave and not _beside(wave[-1], step):
            yield wave
            wave = []
        wave.append(step)
    if wave:
        yield wave


def _beside(before: Step, step: Step) -> bool:
    alike = before.resource.plural == step.resource.plural and before.operations[0].action == step.operations[0].action
    if not alike or step.write.batch > 1 or step.whole is not None:
        return False
    one, other = (range_of((item.operations[0].live or {}).get("prefix")) for item in (before, step))
    return one is None or other is None or not (one[0] <= other[1] and other[0] <= one[1])


def apply_plan(plan: Plan, client: Client, warn: Callable[[str], None]) -> dict[Operation, Object]:
    """Carry out the plan; returns what the service says each created or updated object became.

    Raises Interrupted when a call fails, after those have ended that were under way.
    """
    answers: dict[Operation, Object] = {}
    done: list[Operation] = []
    unknown: list[Operation] = []
    for wave in waves(plan):
        cause: ServiceError | None = None
        for step, outcome in zip(wave, outcomes(lambda step: _take(step, client), wave)):
            if outcome.problem is None:
                answers.update(outcome.result)  # type: ignore[call-overload]
                done.extend(step.operations)
                _compare(step, answers, warn)
                continue
            if not isinstance(outcome.problem, ServiceError):
                raise outcome.problem
            unknown.extend(step.operations if outcome.problem.carried_out is None else ())
            cause = cause or outcome.problem
        if cause is not None:
            settled = {id(item) for item in (*done, *unknown)}
            left = tuple(item for item in plan.operations if id(item) not in settled)
            raise Interrupted(cause, tuple(done), left, tuple(unknown)) from cause
    return answers


def rehearse(plan: Plan, client: Client) -> None:
    """Let the service check what would be written, where it can; raises ServiceError."""
    for step in steps(plan):
        if step.whole is not None:
            _replace(step, step.whole, client, {"dry_run": "true"})


def _replace(step: Step, whole: Sequence[Object], client: Client, query: Mapping[str, Any] | None = None) -> Any:
    """One call for a whole list; an error that points to one of its objects names it."""
    try:
        return client.replace(step.resource, [replacement(item, step.resource.volatile) for item in whole], query)
    except ServiceError as exc:
        pointed = (
            re.match(rf"/{step.resource.inside}/(\d+)", item["pointer"] or "")
            for item in exc.details["error"]["errors"]
        )
        places = sorted({int(found.group(1)) for found in pointed if found and int(found.group(1)) < len(whole)})
        if places:
            titles = ", ".join(step.resource.label_of(whole[place]) for place in places)
            exc.message += f" This is about the {step.resource.title} {titles}."
        raise


def _take(step: Step, client: Client) -> dict[Operation, Object]:
    if step.whole is not None:
        return _matched(step, _replace(step, step.whole, client))
    bodies = [_body(step, operation) for operation in step.operations]
    result = send(client, step.resource.path, step.write, bodies, [_id(item) for item in step.operations])
    answers = _matched(step, result)
    nested = step.resource.nested
    if nested:
        _align(step, nested, client, answers)
    return answers


def send(client: Client, path: str, write: Write, bodies: Sequence[Any], ids: Sequence[str]) -> Any:
    """One call for some objects: one alone at its own path where there is one, several as a list."""
    if write.by_id and len(ids) == 1:
        return client.write(write.method, f"{path}/{ids[0]}", bodies[0])
    alone = write.batch == 1
    return client.write(write.method, path + write.suffix, bodies[0] if alone else list(bodies))


def _id(operation: Operation) -> str:
    return str((operation.live or {}).get("id"))


def _body(step: Step, operation: Operation) -> Any:
    if operation.action == "delete":
        return None
    if step.write.whole:
        return replacement(operation.foreseen or {}, step.resource.volatile)
    return dict(operation.fields)


def replacement(foreseen: Object, volatile: Sequence[str]) -> dict[str, Any]:
    """The body of a call that replaces an object: all that it holds, without what the service sets by itself."""
    return {name: value for name, value in foreseen.items() if name not in volatile}


def _matched(step: Step, result: Any) -> dict[Operation, Object]:
    """Answers by operation; the order of a list of answers is not promised, so they are matched by key."""
    items = result if isinstance(result, list) else [result]
    by_key = {step.resource.key_of(item): item for item in items if isinstance(item, Mapping)}
    return {
        operation: by_key[operation.key]
        for operation in step.operations
        if operation.action != "delete" and operation.key in by_key
    }


def _align(step: Step, nested: Nested, client: Client, answers: dict[Operation, Object]) -> None:
    """Bring nested objects into line at their own path, where the service left them as they were."""
    item = step.resource.field(nested.field)
    lagging: dict[str, tuple[dict[str, Any], list[Operation]]] = {}
    for operation in step.operations:
        wanted = operation.fields.get(nested.field, {})
        held = answers.get(operation, operation.live or {}).get(nested.field)
        if isinstance(held, Mapping) and differences(item.fields, held, wanted):
            body, owners = lagging.setdefault(
                str(held.get("id")), (replacement(overlay(item.fields, held, wanted), step.resource.volatile), [])
            )
            owners.append(operation)
    if lagging:
        bodies = [body for body, dummy in lagging.values()]
        result = send(client, nested.path, nested.write, bodies, list(lagging))
        told = {str(held.get("id")): held for held in (result if isinstance(result, list) else [result]) if held}
        for identity, (body, owners) in lagging.items():
            for operation in owners:
                answer = answers.get(operation, operation.foreseen or {})
                answers[operation] = dict(answer, **{nested.field: told.get(identity, body)})


def _compare(step: Step, answers: Mapping[Operation, Object], warn: Callable[[str], None]) -> None:
    """Say so where the service stored something else than it was sent."""
    for operation in step.operations:
        if operation in answers:
            unmet = differences(step.resource.fields, answers[operation], operation.fields)
            for name in unmet:
                stored = answers[operation].get(name)
                what = f"{name} of {step.resource.title} {operation.label}"
                warn(f"The service stored {stored!r} as {what} where {unmet[name]!r} was sent.")
