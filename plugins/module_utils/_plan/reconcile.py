# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares existing and desired state and plans the operations between them: pure functions, from
data to data."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Iterator, NamedTuple, Optional, Sequence

from .._errors import OptionError, PlanError
from .._schema.resource import CONTENTS, NO_ITEMS, Key, Object, Resource, State, Values, last_or
from .._text import Message, joined
from .._timestamps import Age, age_of
from .._values.kinds import SAFE_ID
from .api_fields import undeclared_changes
from .desired import IGNORED_IDS, Desired, Presence
from .ordering import order_operations
from .plan import Operation, Plan, differences, share_nested

PHASES = ("create", "update", "delete")  # nothing is deleted before what replaces it exists

Adjust = Callable[[Resource, Optional[Object], Values], Values]
Make = Callable[[Sequence[Desired], Adjust], Plan]


class Match(NamedTuple):
    """An existing object that the task is about, and its place in the listing; whether it stays."""

    place: int
    obj: Object
    stays: bool = True


class ByKey:
    """Existing objects by their keys; of a long list, no more is kept than their places."""

    def __init__(self, existing: Sequence[Object]) -> None:
        self._existing = existing
        self._first: dict[Key, int] = {}
        self._duplicates: dict[Key, list[int]] = {}

    def add(self, key: Key, index: int) -> None:
        """Add the object at a place."""
        if self._first.setdefault(key, index) != index:
            self._duplicates.setdefault(key, []).append(index)

    def of(self, key: Key) -> list[Match]:
        """The objects with a key."""
        first = self._first.get(key)
        if first is None:
            return []
        places = (first, *self._duplicates.get(key, ()))
        return [Match(index, self._existing[index]) for index in places]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._first)

    def __contains__(self, key: Key) -> bool:
        return key in self._first


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
        shared: Sequence[Operation] = changes
        if resource.nested:
            objects, paths = desired.objects, desired.paths
            shared = share_nested(resource, objects, paths, existing, changes, nested)
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
    if operation.action != "delete" or CONTENTS in (operation.existing or {}):
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
    operations: list[Operation] = []
    defaults, last = resource.defaults(), NO_ITEMS
    for match, values in _matches(desired, _existing_by_key(desired, existing)):
        if match is None:
            new = {**defaults, **adjust(resource, None, values)}
            fields = {item.name: new[item.name] for item in resource.fields if item.name in new}
            fields.update(undeclared_changes(resource.declared, None, new))
            operations.append(Operation("create", resource, fields))
        elif not match.stays:
            operations.append(_change_of("delete", resource, match, {}, values))
        else:
            now = adjust(resource, match.obj, values)
            fields = differences(resource.mutable, match.obj, now)
            fields.update(undeclared_changes(resource.declared, match.obj, now))
            if fields:
                _check_fixed(resource, match.obj, values)
                last = last_or(last, fields)
                operations.append(_change_of("update", resource, match, last, values))
    return operations


def _check_fixed(resource: Resource, existing: Object, values: Values) -> None:
    """Raises PlanError for values with another one of a field that never changes."""
    for name, value in differences(resource.fixed, existing, values).items():
        raise PlanError(
            f"The {resource.named(existing)} exists with the {name} {existing.get(name)}, and not"
            f" {value}, which cannot change. Correct the {name}, or choose another"
            f" {resource.key[0]}."
        )


def _matches(desired: Desired, by_key: ByKey) -> Iterator[tuple[Match | None, Values]]:
    """The existing objects that stay or go, with what the task names of them, and None with the
    values of new ones; raises PlanError for an entry that must exist and does not, and for
    duplicates."""
    resource = desired.resource
    missing: list[str] = []
    for key, one in desired.in_order():
        matches = by_key.of(key)
        if one.presence in (Presence.EXPIRED, Presence.ABSENT):
            for match in matches:
                _check_fixed(resource, match.obj, one.values)
                named = NO_ITEMS if one.presence is Presence.EXPIRED else one.values
                yield match._replace(stays=False), named
        elif matches:
            yield from ((match, one.values) for match in _chosen(desired, one.values, matches))
        elif one.presence is Presence.OPEN or desired.only_deletes:
            continue  # what may have expired is not created
        elif resource.create:
            yield None, one.values
        else:
            missing.append(resource.label_of(one.values))
    if missing:
        raise PlanError(
            f"There is no {resource.title} with the {' '.join(resource.key)} {', '.join(missing)}."
            f" Correct the {' '.join(resource.key)}, or remove the entry."
        )
    for key in filter(desired.drops, by_key):
        yield from ((match._replace(stays=False), NO_ITEMS) for match in by_key.of(key))


def _existing_by_key(desired: Desired, existing: Sequence[Object]) -> ByKey:
    """The existing objects that the plan is about, by key; raises PlanError for an entry of the
    task whose only object is one that the task ignores."""
    resource = desired.resource
    by_key = ByKey(existing)
    ignored: dict[Key, str] = {}
    others: dict[Key, str] = {}
    for index, obj in enumerate(existing):
        key, other = resource.key_of(obj), resource.semantics.not_ours(obj)
        if other:
            others[key] = f"{resource.named(obj)} exists and {other}"
        elif desired.ignore_ids and str(obj.get("id")) in desired.ignore_ids:
            ignored[key] = str(obj.get("id"))
        else:
            by_key.add(key, index)
    for key in [key for key in (*others, *ignored) if key in desired.entries and key not in by_key]:
        if key in others:
            raise PlanError(f"The {others[key]}. Choose another {resource.key[0]}.")
        if not desired.absent:
            label = f"{resource.named(desired.entries[key].values)} with the id {ignored[key]}"
            reason = Message(f"Cloudflare holds {label} only, and ", IGNORED_IDS, " names it.")
            rest = f", or the {resource.title} from the task."
            advice = Message("Remove this id from ", IGNORED_IDS, rest)
            raise PlanError(joined(" ", (reason, advice)))
    return by_key


def _check_validity(changes: Sequence[Operation]) -> None:
    """Raises PlanError with all objects that Cloudflare would refuse."""
    errors = [
        PlanError(f"The {item.resource.named(item.planned)} {reason}.")
        for item in changes
        if item.planned and (reason := item.resource.semantics.invalid_reason(item.planned))
    ]
    if errors:
        raise errors[0].joined(errors[1:])


def _chosen(desired: Desired, values: Values, matches: Sequence[Match]) -> Sequence[Match]:
    """Of several duplicates, one stays: one that is as desired, or else the oldest; of those that
    hold a list of their own, the oldest.

    Raises PlanError if the age of these is not known.
    """
    resource = desired.resource
    if len(matches) == 1:
        return matches
    if resource.holds and not all(match.obj.get("created_on") for match in matches):
        ids = ", ".join(sorted(str(match.obj.get("id")) for match in matches))
        raise PlanError(
            f"Cloudflare holds {resource.named(values)} more than once (ids {ids}), and does not"
            " tell which is the oldest. Delete all but one of them, or give them other names."
        )

    def preference(match: Match) -> tuple[bool, Age]:
        differs = not resource.holds and differences(resource.mutable, match.obj, values)
        return bool(differs), age_of(match.obj)

    kept, *duplicates = sorted(matches, key=preference)
    return kept, *(match._replace(stays=False) for match in duplicates)


def _change_of(
    action: str, resource: Resource, match: Match, fields: Values, named: Values
) -> Operation:
    """A change at an object's own path, which must not turn into the path of the whole
    collection."""
    place, obj, _stays = match
    if resource.key and not SAFE_ID.fullmatch(str(obj.get("id") or "")):
        raise PlanError(
            f"Cloudflare lists {resource.named(obj)} with the id"
            f" {obj.get('id')!r}, which cannot be part of a path. Report this to Cloudflare's"
            " support."
        )
    return Operation(action, resource, fields, obj, place, named=named)
