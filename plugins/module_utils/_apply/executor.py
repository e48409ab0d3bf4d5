# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends a plan's calls to Cloudflare, and reads from each answer what became of its operations."""

from __future__ import annotations

import re
from itertools import groupby
from traceback import format_exception, format_exception_only
from typing import AbstractSet, Any, Iterator, Mapping, NamedTuple, Sequence

from .._api.client import Client
from .._api.responses import Request, error_details
from .._concurrency import attempt_each
from .._errors import Overtaken, ProtectionError, ServiceError
from .._plan.plan import POSITION, Operation, Plan, differences, overlay, spread_nested
from .._plan.removals import split_after_room
from .._schema.resource import (
    NO_ITEMS,
    Field,
    Nested,
    Object,
    Resource,
    State,
    Write,
    fields_in,
    without,
)
from .._text import Warn, excerpt
from .._values.address_set import networks_overlap
from .._values.kinds import SAFE_ID

# So few operations on an ordered list are calls for single rules, which touch nothing else. Several
# changes of rules that are there belong into one call: halfway, they might let more pass.
MOST_SINGLE = 3
SINGLE = {
    "create": Write("POST", whole_object=True),
    "update": Write("PATCH", by_id=True, whole_object=True),
    "delete": Write("DELETE", by_id=True),
}


class Call(NamedTuple):
    """Operations that are sent in one call; `whole_list` is the list after all operations on it,
    None if the call does not write an ordered list."""

    resource: Resource
    write: Write
    operations: tuple[Operation, ...]
    whole_list: Sequence[Object] | None = None

    @property
    def is_single(self) -> bool:
        """Return whether the call is about one object of an ordered list."""
        return self.whole_list is not None and self.write in SINGLE.values()


def plan_calls(plan: Plan, most_single: int = MOST_SINGLE) -> Iterator[Call]:
    """The calls for the plan's operations, as many operations in one call as Cloudflare accepts.
    Objects that rules may name are created before the rules, and deleted after them; what makes
    room for others comes before all of these."""
    for operations in split_after_room(plan.operations):
        yield from _calls_of(operations, plan, most_single)


def _calls_of(operations: Sequence[Operation], plan: Plan, most_single: int) -> Iterator[Call]:
    """The calls for a part of a plan, which has all operations on an ordered list, or none."""
    lists: dict[str, list[Operation]] = {}
    resources: dict[str, Resource] = {}
    first_calls: list[Operation] = []
    last_calls: list[Operation] = []
    for operation in operations:
        resource = _written_resource(operation)
        resources[resource.plural] = resource
        if resource.is_ordered:
            lists.setdefault(resource.plural, []).append(operation)
        elif operation.action == "delete":
            last_calls.append(operation)
        else:
            first_calls.append(operation)
    yield from _single_calls(first_calls)
    # Lists inside of objects come first: a rule of another list may name such an object.
    for plural in sorted(lists, key=lambda name: resources[name].parent is None):
        yield from _list_calls(resources[plural], lists[plural], plan, most_single)
    yield from _single_calls(last_calls)


def _written_resource(operation: Operation) -> Resource:
    """The resource whose call writes the object of an operation; an object that holds rules is
    written with the list of its rules."""
    resource = operation.resource
    if resource.holds_rules and resource.contents and operation.planned:
        return resource.contents(operation.planned)
    return resource


def _list_calls(
    resource: Resource, operations: Sequence[Operation], plan: Plan, most_single: int
) -> Iterator[Call]:
    """The calls for an ordered list: one that replaces it, or one for each operation.

    New rules are made from the front to the back, and rules are deleted the other way round, so
    that an exception is always there as long as the rule behind it.
    """
    whole_list = plan.after()[resource.plural]
    is_few = len(operations) <= most_single
    if not (is_few and _can_be_single(operations, plan.before[resource.plural])):
        yield Call(resource, resource.write_for("update"), tuple(operations), whole_list)
        return
    for operation in sorted(operations, key=_turn_in_list):
        yield Call(resource, SINGLE[operation.action], (operation,), whole_list)


def _turn_in_list(operation: Operation) -> tuple[bool, int]:
    """The sort key of a single operation on a list."""
    return operation.action == "delete", -(operation.index or 0)


def _can_be_single(operations: Sequence[Operation], before: Sequence[Object]) -> bool:
    """Return whether calls for single rules can do all: the list exists, its rules have ids, and an
    update is not combined with other operations."""
    if any(operation.resource.holds_rules for operation in operations):
        return False
    changes_rule = any(operation.action == "update" for operation in operations)
    if changes_rule and len(operations) > 1:
        return False
    ids = [str(obj.get("id") or "") for obj in before]
    return bool(ids) and all(map(SAFE_ID.fullmatch, ids))


def _single_calls(operations: Sequence[Operation]) -> Iterator[Call]:
    """The calls for operations in their order; consecutive ones of one resource and action are sent
    in batches."""

    def kind(operation: Operation) -> tuple[Resource, str]:
        return operation.resource, operation.action

    for (resource, action), group in groupby(operations, key=kind):
        write = resource.write_for(action)
        of_kind = tuple(group)
        for start in range(0, len(of_kind), write.batch):
            yield Call(resource, write, of_kind[start : start + write.batch])


def concurrent_groups(plan: Plan) -> Iterator[list[Call]]:
    """The calls in their order, in groups of those that may be under way at the same time: changes
    of single objects.

    Bulk calls are sent one after the other, and so are calls for networks that overlap.
    """
    group: list[Call] = []
    for call in plan_calls(plan):
        if group and not _may_run_concurrently(group[-1], call):
            yield group
            group = []
        group.append(call)
    if group:
        yield group


def _may_run_concurrently(before: Call, call: Call) -> bool:
    if call.write.batch > 1 or call.whole_list is not None:
        return False
    earlier, later = before.operations[0], call.operations[0]
    is_same_resource = before.resource is call.resource
    is_same_action = earlier.action == later.action
    if not is_same_resource or not is_same_action:
        return False
    return not networks_overlap(earlier.address, later.address)


def body_of(call: Call, operation: Operation) -> Any:
    """The body for one operation: for a deletion None, or the id if the path does not have it; for
    others the whole object, its declared fields, or the changed ones."""
    resource, write = call.resource, call.write
    if operation.action == "delete":
        existing = operation.existing or {}
        return None if write.by_id else {"id": existing.get("id")}
    planned = operation.planned or {}
    if write.declared_only:
        return resource.declared_values(planned)
    if write.whole_object:
        return replacement(planned, resource)
    return dict(operation.fields)


def replacement(planned: Object, resource: Resource) -> dict[str, Any]:
    """The body of a call that replaces an object: its fields without those that Cloudflare sets,
    and without empty texts that only mean that a field is not set."""
    body = _without_empty_texts(resource.fields, without(planned, *resource.read_only))
    nested = resource.nested
    if not nested:
        return body
    nested_object = body.get(nested.field)
    if isinstance(nested_object, Mapping):
        body[nested.field] = without(nested_object, *nested.read_only)
    return body


def _without_empty_texts(fields: Sequence[Field], values: Object) -> dict[str, Any]:
    """The values, without empty strings where an empty string only means that the field is not set:
    Cloudflare rejects those."""
    filled = {**values}
    for field in fields:
        value = values.get(field.name)
        if value == "" and field.absent_default == "":
            del filled[field.name]
        elif field.fields and isinstance(value, Mapping):
            filled[field.name] = _without_empty_texts(field.fields, value)
    return filled


def match_results(
    call: Call, result: Any, ids: Mapping[str, str] = NO_ITEMS
) -> dict[Operation, Object]:
    """The objects that Cloudflare returned, by operation; matched by key, since the order of a list
    is not promised. `ids` are those of new objects, by the text that stands for them in the
    plan."""
    objects = result if isinstance(result, list) else [result]
    by_key = {call.resource.key_of(obj): obj for obj in objects if isinstance(obj, Mapping)}
    matched: dict[Operation, Object] = {}
    for operation in call.operations:
        is_written = operation.action != "delete"
        is_of_list = operation.resource.plural == call.resource.plural
        if is_written and is_of_list and operation.key in by_key:
            obj = _as_planned(operation, by_key[operation.key], ids)
            matched[operation] = {**obj, **_read_only_values(operation)}
    return matched


def _as_planned(operation: Operation, obj: Object, ids: Mapping[str, str]) -> Object:
    """An object that Cloudflare returned, with ids of new objects replaced by the text that stands
    for them in the plan, as in all other objects of its state."""
    planned = operation.fields
    shown = dict(obj)
    for name, value in operation.resource.semantics.with_ids(planned, ids).items():
        if value is not planned[name] and value == obj.get(name):
            shown[name] = planned[name]
    return shown


def _read_only_values(operation: Operation) -> Object:
    """The read-only values that a single object had before; a prediction keeps them as well. A
    collection of several objects has none."""
    existing = {} if operation.resource.key else operation.existing or {}
    return {name: existing[name] for name in operation.resource.read_only if name in existing}


MAX_AGE = 2.0  # seconds; what was read longer ago is read once more before it is replaced


RUN_AGAIN = "Run the task again when the cause is gone: it reads first, and does only what is left."


def _fault(error: Exception) -> ProtectionError:
    """The failure for an error that the collection did not expect; it asks the user to report the
    fault."""
    kind = type(error)
    reason = "".join(format_exception_only(kind, error)).strip()
    trace = "".join(format_exception(kind, error, error.__traceback__))
    message = f"This is a fault of the collection, please report it: {reason}"
    return ProtectionError(message, {"exception": trace})


class BrokenOff(ProtectionError):
    """A plan was not applied to its end: why, which operations are `done`, which are `left`, and of
    which it is `unknown` whether they are done.

    `refusals` are the errors with which calls were answered, by operation, and `created_ids` the
    ids of the objects that were created. `advice` says what to do next.
    """

    def __init__(
        self,
        error: Exception,
        done: Sequence[Operation],
        left: Sequence[Operation],
        unknown: Sequence[Operation],
        refusals: Mapping[Operation, ServiceError] | None = None,
        created_ids: AbstractSet[str] = frozenset(),
        advice: str = RUN_AGAIN,
    ) -> None:
        cause = error if isinstance(error, ProtectionError) else _fault(error)
        super().__init__(cause.message, cause.details)
        self.cause: ProtectionError = cause
        self.done, self.left, self.unknown = tuple(done), tuple(left), tuple(unknown)
        self.refusals = refusals or {}
        self.created_ids = created_ids
        self.advice = advice

    @property
    def needs_reread(self) -> bool:
        """Return whether the state is to be read again before anything else is tried."""
        return isinstance(self.cause, ServiceError) and self.cause.needs_reread


class Sent(NamedTuple):
    """The answers to a plan: the object of each operation that created or updated one, and the
    lists that were written as a whole."""

    returned: Mapping[Operation, Object]
    lists: State

    def after(self, plan: Plan) -> State:
        """The state after the plan, with the objects as the answers show them."""
        return {**plan.after(self.returned), **self.lists}

    @property
    def created_ids(self) -> frozenset[str]:
        """The ids of the objects that were created."""
        created = [operation for operation in self.returned if operation.action == "create"]
        return frozenset(str(self.returned[operation].get("id")) for operation in created)


def apply_plan(plan: Plan, client: Client, warn: Warn) -> Sent:
    """The answers of Cloudflare to a plan, after applying it.

    Raises BrokenOff, and nothing else, if a call fails; before that, the calls that are under way
    end.
    """
    done: list[Operation] = []
    begun: list[Operation] = []
    try:
        return _send_plan(plan, client, warn, begun, done)
    except BrokenOff:
        raise
    except Exception as exc:
        sent, finished = set(begun), set(done)
        left = [operation for operation in plan.operations if operation not in sent]
        unknown = [operation for operation in begun if operation not in finished]
        raise BrokenOff(exc, done, left, unknown) from exc


def _send_plan(
    plan: Plan, client: Client, warn: Warn, begun: list[Operation], done: list[Operation]
) -> Sent:
    """The answers to the calls of a plan; raises BrokenOff if a call fails. Each operation is added
    to `begun` before its call, and to `done` after its answer."""
    returned: dict[Operation, Object] = {}
    groups = list(concurrent_groups(plan))
    client.progress.planned(calls=sum(map(len, groups)), operations=len(plan.operations))
    for group in groups:
        for call in group:
            begun.extend(call.operations)
        failed: list[tuple[Call, ServiceError]] = []
        attempts = attempt_each(lambda call: _send(call, client, warn), group)
        for call, attempt in zip(group, attempts):
            if attempt.error is None:
                returned.update(attempt.result)  # type: ignore[call-overload]
                done.extend(call.operations)
                client.progress.applied(len(call.operations))
                _warn_of_differences(call, returned, warn)
                overtaken = _duplicate_error(call, client, warn)
                failed += [(call, overtaken)] if overtaken else []
            elif isinstance(attempt.error, ServiceError):
                failed.append((call, attempt.error))
            else:
                raise attempt.error
        if failed:
            raise _broken_off(plan, done, failed, Sent(returned, {}).created_ids) from failed[0][1]
    for call in _calls_without_answer(plan):
        try:
            returned.update(match_results(call, client.read(call.resource)))
        except ServiceError as exc:
            raise BrokenOff(exc, done, (), ()) from exc
        _warn_of_differences(call, returned, warn)
    return Sent(spread_nested(returned), _lists_in_answers(plan, client, returned))


def _lists_in_answers(
    plan: Plan, client: Client, returned: Mapping[Operation, Object]
) -> dict[str, Sequence[Object]]:
    """The ordered lists that were written, as the answers show them."""
    by_target = {operation.target: obj for operation, obj in returned.items()}
    lists: dict[str, Sequence[Object]] = {}
    for call in plan_calls(plan):
        resource = call.resource
        answer = _latest_version(resource, client)
        if call.whole_list is None or answer is None:
            continue
        objects = []
        for obj in answer:
            target = (resource.plural, resource.key_of(obj))
            objects.append(by_target.get(target, obj))
        lists[resource.plural] = objects
    return lists


def _latest_version(resource: Resource, client: Client) -> Sequence[Object] | None:
    """An ordered list in the version that the last answer to this run showed; None if that answer
    had no list."""
    versions, number = client.versions.get(resource.plural), client.version(resource) or 0
    return versions.known.get(number) if versions and number in versions.of_this_run else None


def _broken_off(
    plan: Plan,
    done: Sequence[Operation],
    failed: Sequence[tuple[Call, ServiceError]],
    created_ids: AbstractSet[str],
) -> BrokenOff:
    """The end of a plan with failed calls; the first of their errors is its cause."""
    unknown: list[Operation] = []
    refusals: dict[Operation, ServiceError] = {}
    for call, error in failed:
        if error.maybe_applied:
            unknown += call.operations
        if error.status:
            refusals.update(dict.fromkeys(call.operations, error))
    finished = {*done, *unknown}
    left = [operation for operation in plan.operations if operation not in finished]
    _call, error = failed[0]
    return BrokenOff(error, done, left, unknown, refusals, created_ids)


def _calls_without_answer(plan: Plan) -> list[Call]:
    """The calls, one for each list, whose objects Cloudflare does not return, since it made them by
    an operation of its own: each of these lists is read once at the end."""
    by_list: dict[str, list[Operation]] = {}
    for operation in plan.operations:
        if operation.action != "delete" and _write_of(operation).operation:
            by_list.setdefault(operation.resource.plural, []).append(operation)
    calls = []
    for operations in by_list.values():
        resource, write = operations[0].resource, _write_of(operations[0])
        calls.append(Call(resource, write, tuple(operations)))
    return calls


def _write_of(operation: Operation) -> Write:
    return operation.resource.write_for(operation.action)


def changed_meanwhile(plan: Plan, client: Client) -> str:
    """A sentence if an ordered list has another version by now than the one that the plan was made
    for; empty if none has. Raises ServiceError.

    A list that was read a moment ago is not read once more.
    """
    for call in plan_calls(plan):
        before = client.version(call.resource) if call.whole_list is not None else None
        if before is None or client.age_of(call.resource) < MAX_AGE:
            continue
        client.read(call.resource)
        after = client.version(call.resource)
        if after is not None and after != before:
            return (
                f"The plan is made for version {before} of the {call.resource.title}s, and another"
                f" writer has made version {after}. The module reads and plans again."
            )
    return ""


def _reread_is_overtaken(resource: Resource, client: Client) -> bool:
    """Read an ordered list again, and return whether other writers wrote versions of it since it
    was read for the plan; False if it cannot be read."""
    before = client.version(resource)
    try:
        client.read(resource)
    except ServiceError:
        return False
    if client.version(resource) != before:
        return True
    versions = client.versions[resource.plural]
    return bool(versions.unknown)


def _send(call: Call, client: Client, warn: Warn) -> dict[Operation, Object]:
    """The objects in the answer to a call, by operation; raises ServiceError."""
    if call.whole_list is not None:
        return _send_list(call, call.whole_list, client, warn)
    resource = call.resource
    bodies = [body_of(call, operation) for operation in call.operations]
    ids = [str((operation.existing or {}).get("id", "")) for operation in call.operations]
    result = client.write(resource, resource.path, call.write, bodies, ids)
    returned = match_results(call, result)
    if resource.nested:
        try:
            _update_nested(call, resource.nested, client, returned)
        except ServiceError as exc:
            is_partly_applied = _changes_more_than(resource.nested, call.operations)
            maybe_applied = exc.maybe_applied or is_partly_applied
            raise ServiceError(exc.message, exc.error, maybe_applied) from exc
    return returned


def _send_list(
    call: Call, whole_list: Sequence[Object], client: Client, warn: Warn
) -> dict[Operation, Object]:
    """The objects in the answer to a call for an ordered list, or for an object of it, by
    operation; operations on the object that holds the list get that object."""
    result = write_list(call, whole_list, client)
    if result is not None:
        _warn_of_lacking(call, result, warn)
    resource = call.resource
    returned = match_results(call, result, client.ids)
    holder = without(client.list_object(resource), resource.document.field)
    for operation in call.operations:
        if operation.resource is resource.parent:
            returned[operation] = holder
    return returned


def _changes_more_than(nested: Nested, operations: Sequence[Operation]) -> bool:
    return any(operation.fields.keys() - {nested.field} for operation in operations)


def _duplicate_error(call: Call, client: Client, warn: Warn) -> Overtaken | None:
    """An error if another writer created the same object as a call did, before a rule names it; the
    next plan then uses the older one. None if there is no other object, or the one of this run is
    the older one. Warns of the duplicate."""
    resource = call.resource.parent
    creations = [
        operation
        for operation in call.operations
        if operation.resource is resource and operation.action == "create"
    ]
    if not creations or resource is None:
        return None
    title = creations[0].title
    created = client.list_object(call.resource)
    identity = created.get("id")
    try:
        oldest, *younger = client.read_with_same_key(resource, created)
    except ServiceError as exc:
        unknown = f"Whether another writer created the {title} at the same time is not known: "
        warn(f"{unknown}{exc.message}")
        return None
    is_oldest = oldest.get("id") == identity
    if is_oldest and not younger:
        return None
    message = f"Another writer created the {title} at the same time."
    is_known = all(obj.get("created_on") for obj in (oldest, *younger))
    if is_known:
        outcome = "uses that one, and deletes the one that it made"
        if is_oldest:
            outcome = "leaves both"
        older = f"The older one has the id {oldest.get('id')} and stays"
        message += f" {older}; this run {outcome}."
        warn(message)
        if is_oldest:
            return None
    error = error_details(Request("POST", resource.path), None)
    return Overtaken(message, error, maybe_applied=False)


def write_list(
    call: Call, whole_list: Sequence[Object], client: Client, query: Mapping[str, Any] = NO_ITEMS
) -> Any:
    """The list in the answer to a call for an ordered list, or for an object of it. Raises
    ServiceError, which names the object to which the error points."""
    resource = call.resource
    try:
        if call.is_single:
            return _write_rule(call, call.operations[0], whole_list, client)
        holders = [
            operation.fields
            for operation in call.operations
            if operation.resource is resource.parent
        ]
        objects = [resource.semantics.with_ids(obj, client.ids) for obj in whole_list]
        bodies = [replacement(obj, resource) for obj in objects]
        return client.replace(resource, bodies, query, *holders)
    except ServiceError as exc:
        if call.is_single and exc.status in (400, 404) and _reread_is_overtaken(resource, client):
            raise Overtaken(exc.message, exc.error, exc.maybe_applied) from exc
        labels = ", ".join(_labels_at_fault(call, whole_list, exc))
        if not labels:
            raise
        raise exc.extended(f"This is about the {resource.title} {labels}.") from exc


def _labels_at_fault(call: Call, whole_list: Sequence[Object], error: ServiceError) -> list[str]:
    """The labels of the objects to which an error points."""
    resource = call.resource
    details = error.error["errors"]
    pointers = [detail["pointer"] for detail in details if detail["pointer"]]
    if call.is_single:
        return [operation.label for operation in call.operations] if pointers else []
    form = re.compile(rf"/{resource.document.field}/(\d+)")
    matches = filter(None, map(form.match, pointers))
    indexes = {int(match.group(1)) for match in matches}
    return [resource.label_of(obj) for index, obj in enumerate(whole_list) if index in indexes]


def _write_rule(
    call: Call, operation: Operation, whole_list: Sequence[Object], client: Client
) -> Any:
    """The list in the answer to a call for one object. The call has the whole object, since
    Cloudflare erases what it leaves out, or its position alone if nothing else changes."""
    resource, fields = call.resource, operation.fields
    rule = None
    if fields.keys() - {POSITION}:
        planned = resource.semantics.with_ids(operation.planned or {}, client.ids)
        rule = without(replacement(planned, resource), "id")
    position: dict[str, Any] = {}
    if operation.action == "create" or POSITION in fields:
        position[POSITION] = _position_of_call(call, operation, whole_list, client)
    identity = str((operation.existing or {}).get("id"))
    return client.write_rule(resource, call.write, identity, rule, position)


def _position_of_call(
    call: Call, operation: Operation, whole_list: Sequence[Object], client: Client
) -> dict[str, str]:
    """The position of a rule behind its neighbour in the plan, among the rules that exist now."""
    key_of = call.resource.key_of
    rule_key = operation.key
    listed = client.listed(call.resource) or ()
    ids = {key_of(obj): str(obj.get("id")) for obj in listed}
    planned_keys = [key_of(obj) for obj in whole_list]
    order = [key for key in planned_keys if key in ids or key == rule_key]
    place = order.index(rule_key)
    if rule_key == order[-1]:
        return {"after": ""}  # the last one
    if place == 0:
        return {"before": ""}
    neighbour = order[place - 1]
    return {"after": ids[neighbour]}


def _update_nested(
    call: Call, nested: Nested, client: Client, returned: dict[Operation, Object]
) -> None:
    """Update nested objects at their own path, each once, if the call for their parents left them
    unchanged; the answers are put into `returned`."""
    fields = call.resource.field(nested.field).fields
    ids: dict[Operation, str] = {}
    bodies: dict[str, dict[str, Any]] = {}
    for operation in call.operations:
        parent = returned.get(operation, operation.existing) or {}
        existing = fields_in(parent.get(nested.field))
        if not existing:
            continue
        identity = str(existing.get("id"))
        ids[operation] = identity
        current = bodies.get(identity, existing)
        changes = differences(fields, current, operation.fields.get(nested.field, {}))
        if changes:
            bodies[identity] = replacement(overlay(fields, current, changes), call.resource)
    if not bodies:
        return
    result = client.write(call.resource, nested.path, nested.write, [*bodies.values()], [*bodies])
    answers = result if isinstance(result, list) else [result]
    stored: dict[str, Object] = {**bodies}
    for answer in answers:
        if answer:
            stored[str(answer.get("id"))] = answer
    for operation, identity in ids.items():
        if identity in bodies:
            parent = returned.get(operation, operation.planned or {})
            returned[operation] = {**parent, nested.field: stored[identity]}


def _warn_of_lacking(call: Call, result: Sequence[Any], warn: Warn) -> None:
    """Warn if an answer does not show the list that was sent."""
    resource = call.resource
    key_of = resource.key_of
    answer_keys = [key_of(obj) for obj in result if isinstance(obj, Mapping)]
    sent_keys = [key_of(obj) for obj in call.whole_list or ()]
    for operation in call.operations:
        is_sent = operation.key in sent_keys
        is_shown = operation.key in answer_keys
        if operation.resource is not resource or is_sent is is_shown:
            continue
        verb, change = "still has", "deleted"
        if is_sent:
            verb, change = "lacks", "written"
        text = f"The answer of Cloudflare {verb} the {operation.title}, which was {change}."
        warn(f"{text} The result shows the answer.")
    is_in_order = sent_keys == answer_keys
    has_same_keys = sorted(map(str, sent_keys)) == sorted(map(str, answer_keys))
    if not call.is_single and has_same_keys and not is_in_order:
        warn(f"The answer of Cloudflare has the {resource.titles} in another order than was sent.")


def _warn_of_differences(call: Call, returned: Mapping[Operation, Object], warn: Warn) -> None:
    """Warn if Cloudflare stored something else than was sent."""
    for operation in call.operations:
        obj = returned.get(operation)
        if obj is None:
            continue
        unmet = differences(operation.resource.fields, obj, operation.fields)
        for name, sent in unmet.items():
            stored = excerpt(repr(obj.get(name)))
            field = f"{name} of {operation.title}"
            warn(f"Cloudflare stored {stored} as {field} where {sent!r} was sent.")
