# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares existing and desired state and plans the operations between them: pure functions, from
data to data."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import Callable, Mapping, NamedTuple, Optional, Sequence, Tuple

from .._errors import OptionError, PlanError
from .._schema.resource import Key, Object, Resource, State, Values
from .._text import Message, joined
from .._timestamps import read_timestamp
from .._values.kinds import SAFE_ID
from .api_fields import undeclared_changes
from .desired import IGNORED_IDS, Desired
from .ordering import order_operations
from .plan import Operation, Plan, differences, share_nested

UNKNOWN_AGE = datetime.max.replace(tzinfo=timezone.utc)
PHASES = ("create", "update", "delete")  # nothing is deleted before what replaces it exists

Adjust = Callable[[Resource, Optional[Object], Values], Values]
Make = Callable[[Sequence[Desired], Adjust], Plan]
Existing = Tuple[int, Object]  # an object and its place in the listing


def as_desired(resource: Resource, existing: Object | None, values: Values) -> Values:
    """Takes the desired values as they are."""
    return values


def make_plan(
    before: State,
    desired: Sequence[Desired],
    adjust: Adjust = as_desired,
    nested: State | None = None,
    inner: Sequence[Resource] = (),
) -> Plan:
    """The plan for several collections; within a phase, in the order of `desired`.

    `nested` has, by collection, nested objects that the task names and no existing object has.
    `inner` are collections inside of objects, which go along with these objects.

    `adjust` takes the resource, the existing object or None, and the desired values, and returns
    those to set now. Raises PlanError where the desired state cannot be reached without guessing: a
    rule that must exist and does not, duplicates.
    """
    operations: list[Operation] = []
    order: dict[str, Sequence[Key]] = {}
    problems: list[PlanError] = []
    together: dict[str, list[Desired]] = {}
    for item in desired:
        together.setdefault(item.resource.plural, []).append(item)
    for plural, items in together.items():
        existing, others = before[plural], (nested or {}).get(plural, ())
        try:
            changes = [one for item in items for one in _changes(item, existing, adjust, others)]
            if items[0].resource.is_ordered:
                changes, order[plural] = order_operations(items, existing, changes)
        except PlanError as exc:
            problems.append(exc)
        else:
            operations += changes if items[0].resource.is_ordered else _in_turn(changes)
    if problems:
        raise problems[0].joined(problems[1:])
    operations = _with_inner(operations, inner, before)
    return Plan(before, tuple(sorted(operations, key=_turn)), order)


def _changes(
    desired: Desired, existing: Sequence[Object], adjust: Adjust, nested: Sequence[Object]
) -> Sequence[Operation]:
    """The operations on what one part describes of a collection, in no order."""
    resource, changes = desired.resource, _reconcile(desired, existing, adjust)
    try:
        shared = share_nested(resource, desired.objects, desired.paths, existing, changes, nested)
    except OptionError as exc:
        raise PlanError(Message(exc.message, ".")) from exc
    _check_validity(shared)
    return shared


def _in_turn(changes: Sequence[Operation]) -> list[Operation]:
    """Networks sort before their subsets: an exclusion is created after the prefix around it, and
    deleted before it."""
    ordered = sorted(changes, key=lambda operation: operation.order)
    kept = [operation for operation in ordered if operation.action != "delete"]
    return kept + [operation for operation in reversed(ordered) if operation.action == "delete"]


def _turn(operation: Operation) -> tuple[int, bool]:
    """Sorts operations; an object that rules may name is deleted after these rules."""
    phase = PHASES.index(operation.action)
    return phase, operation.action == "delete" and operation.resource.is_referred_to


def _with_inner(
    operations: Sequence[Operation], inner: Sequence[Resource], before: State
) -> list[Operation]:
    """The operations; the deletion of an object takes all that it holds along."""
    taken = [_with_contents(operation, inner, before) for operation in operations]
    gone = {other.resource.plural for operation in taken for other in operation.along}
    return [item for item in taken if not (item.resource.parent and item.resource.plural in gone)]


def _with_contents(operation: Operation, inner: Sequence[Resource], before: State) -> Operation:
    if operation.action != "delete":
        return operation
    contents = [
        Operation("delete", resource, {}, obj, index)
        for resource in inner
        if resource.parent is operation.resource and resource.within == operation.label
        for index, obj in enumerate(before[resource.plural])
    ]
    return replace(operation, along=(*operation.along, *contents)) if contents else operation


def _reconcile(desired: Desired, existing: Sequence[Object], adjust: Adjust) -> list[Operation]:
    resource = desired.resource
    matched = _match(desired, _existing_by_key(desired, existing))
    operations: list[Operation] = []
    for kept, values in matched.kept:
        now = adjust(resource, kept[1], values)
        fields = differences(resource.mutable, kept[1], now)
        fields.update(undeclared_changes(resource.fields, kept[1], now))
        if fields:
            _check_fixed(resource, kept[1], values)
            operations.append(_change_of("update", resource, kept, fields, values))
    for values in matched.new:
        now = {**resource.defaults(), **adjust(resource, None, values)}
        fields = {item.name: now[item.name] for item in resource.fields if item.name in now}
        fields.update(undeclared_changes(resource.fields, None, now))
        operations.append(Operation("create", resource, fields, named=frozenset(values)))
    by_name = {key: values for key, values in desired.objects.items() if key not in desired.expired}
    for match in matched.surplus:
        values = by_name.get(resource.key_of(match[1]), {})
        operations.append(_change_of("delete", resource, match, {}, values))
    return operations


def _check_fixed(resource: Resource, existing: Object, values: Values) -> None:
    """Raises PlanError for values with another one of a field that never changes."""
    for name, value in differences(resource.fixed, existing, values).items():
        raise PlanError(
            f"The {resource.named(existing)} exists with the {name} {existing.get(name)}, and not"
            f" {value}, which cannot change. Correct the {name}, or choose another"
            f" {resource.key[0]}."
        )


class Matched(NamedTuple):
    """The existing objects that stay, with the values of the task; the values of new objects; and
    the existing objects that go."""

    kept: list[tuple[Existing, Values]]
    new: list[Values]
    surplus: list[Existing]


def _match(desired: Desired, by_key: Mapping[Key, Sequence[Existing]]) -> Matched:
    """Match the entries of the task with existing objects; raises PlanError for an entry that must
    exist and does not, and for duplicates."""
    resource = desired.resource
    matched = Matched([], [], [])
    missing: list[str] = []
    for key, values in desired.objects.items():
        matches = by_key.get(key, [])
        if key in desired.expired or key in desired.gone:
            for _index, obj in matches:
                _check_fixed(resource, obj, values)
            matched.surplus.extend(matches)
        elif matches:
            kept, duplicates = _choose(desired, values, matches)
            matched.kept.append((kept, values))
            matched.surplus.extend(duplicates)
        elif key in desired.undecided or desired.only_deletes:
            continue  # what may have expired is not created
        elif resource.create:
            matched.new.append(values)
        else:
            missing.append(resource.label_of(values))
    if missing:
        raise PlanError(
            f"There is no {resource.title} with the {' '.join(resource.key)} {', '.join(missing)}."
            f" Correct the {' '.join(resource.key)}, or remove the entry."
        )
    for key, matches in by_key.items():
        matched.surplus.extend(matches if desired.drops(key) else ())
    return matched


def _existing_by_key(desired: Desired, existing: Sequence[Object]) -> dict[Key, list[Existing]]:
    """The existing objects that the plan is about, by key; raises PlanError for an entry of the
    task whose only object is one that the task ignores."""
    resource = desired.resource
    by_key: dict[Key, list[Existing]] = {}
    ignored: dict[Key, str] = {}
    others: dict[Key, str] = {}
    for index, obj in enumerate(existing):
        key, identity = resource.key_of(obj), str(obj.get("id"))
        other = resource.semantics.not_ours(obj)
        if other:
            others[key] = f"{resource.named(obj)} exists and {other}"
            continue
        if identity in desired.ignore_ids:
            ignored[key] = identity
        else:
            by_key.setdefault(key, []).append((index, obj))
    for key, values in desired.objects.items():
        if key in others and key not in by_key:
            raise PlanError(f"The {others[key]}. Choose another {resource.key[0]}.")
        if key in ignored and key not in by_key and not desired.absent:
            label = f"{resource.named(values)} with the id {ignored[key]}"
            reason = Message(f"Cloudflare holds {label} only, and ", IGNORED_IDS, " names it.")
            rest = f", or the {resource.title} from the task."
            advice = Message("Remove this id from ", IGNORED_IDS, rest)
            raise PlanError(joined(" ", (reason, advice)))
    return by_key


def _check_validity(changes: Sequence[Operation]) -> None:
    """Raises PlanError for an object that Cloudflare would refuse."""
    for item in changes:
        planned = item.planned or {}
        reason = item.resource.semantics.invalid_reason(planned) if planned else ""
        if reason:
            raise PlanError(f"The {item.resource.named(planned)} {reason}.")


def _choose(
    desired: Desired, values: Values, matches: Sequence[Existing]
) -> tuple[Existing, Sequence[Existing]]:
    """Choose which of several duplicates is kept: one that is as desired, or else the oldest.

    Raises PlanError if they are no duplicates, since Cloudflare gives each a content of its own.
    """
    resource = desired.resource
    if len(matches) == 1:
        return matches[0], ()
    if not resource.has_duplicates and not desired.exclusive:
        if not any(differences(resource.mutable, obj, values) for _index, obj in matches):
            return matches[0], ()
        ids = ", ".join(sorted(str(obj.get("id")) for _index, obj in matches))
        raise PlanError(
            f"Cloudflare holds {resource.named(values)} more than once (ids {ids}). Delete all but"
            " one of them, or give them other names."
        )

    def preference(match: Existing) -> tuple[bool, Age]:
        return bool(differences(resource.mutable, match[1], values)), age_of(match[1])

    kept, *duplicates = sorted(matches, key=preference)
    return kept, duplicates


Age = Tuple[datetime, str]


def age_of(obj: Object) -> Age:
    """Sorts duplicates: the oldest first, and of one age by their ids."""
    return read_timestamp(obj.get("created_on")) or UNKNOWN_AGE, str(obj.get("id"))


def _change_of(
    action: str, resource: Resource, match: Existing, fields: Values, named: Values
) -> Operation:
    """A change at an object's own path, which must not turn into the path of the whole
    collection."""
    index, obj = match
    if resource.key and not SAFE_ID.fullmatch(str(obj.get("id") or "")):
        raise PlanError(
            f"Cloudflare lists {resource.named(obj)} with the id"
            f" {obj.get('id')!r}, which cannot be part of a path. Report this to Cloudflare's"
            " support."
        )
    return Operation(action, resource, fields, obj, index, named=frozenset(named))
