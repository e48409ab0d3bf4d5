# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares existing and desired state and plans the operations between them, and their order in a
list in which order matters: pure functions, from data to data."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import (
    AbstractSet,
    Callable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from .._errors import OptionError, PlanError
from .._schema.resource import (
    CONTENTS,
    NO_ITEMS,
    Key,
    Object,
    Resource,
    State,
    Values,
    reused_if_equal,
)
from .._text import Message, Option, joined
from .._timestamps import Age, age_of
from .._values.kinds import SAFE_ID
from .api_fields import undeclared_changes
from .desired import IGNORED_IDS, Desired, Position, Presence
from .plan import POSITION, Operation, Plan, differences, share_nested


def order_operations(
    desired: Sequence[Desired], existing: Sequence[Object], changes: Sequence[Operation]
) -> tuple[list[Operation], Sequence[Key]]:
    """The operations on an ordered list, with the positions of what is new or moves; and all keys
    in their order. Several parts of a host may describe objects of one list.

    Raises PlanError for a position beside something that does not exist.
    """
    resource = desired[0].resource
    deleted = {item.key for item in changes if item.action == "delete"}
    before = [key for key in map(resource.key_of, existing) if key not in deleted]
    order, unmoved = _arranged([_without_gone(item, before) for item in desired], before)
    places = {key: index for index, key in enumerate(order, start=1)}
    moving = set(order) - set(unmoved)
    by_key = {item.key: item for item in changes if item.action != "delete"}
    for index, obj in enumerate(existing):
        key = resource.key_of(obj)
        if key in moving:
            by_key.setdefault(key, Operation("update", resource, {}, obj, index))
    for key in moving:
        by_key[key] = replace(by_key[key], fields={**by_key[key].fields, POSITION: places[key]})
    kept = sorted(by_key.values(), key=lambda item: places[item.key])
    return kept + [item for item in changes if item.action == "delete"], order


def _without_gone(desired: Desired, before: Sequence[Key]) -> Desired:
    known = set(before)
    entries = desired.entries.items()
    return desired.only(
        {key for key, one in entries if key in known or one.presence is Presence.NEEDED}
    )


def _arranged(desired: Sequence[Desired], before: Sequence[Key]) -> Order:
    """An exclusive list has its own order, into which the others are put unless it names them."""
    order, unmoved = list(before), before
    for item in desired:
        if item.exclusive:
            others = {key for one in desired if not one.absent for key in one.objects}
            order, unmoved = _exclusive_order(item, before, others)
    insert_new([item for item in desired if not (item.exclusive or item.absent)], order)
    for item in desired:
        if item.own_order and not (item.exclusive or item.absent):
            order = in_own_order(item, order)
            unmoved = longest_ascending(before, {key: index for index, key in enumerate(order)})
    return order, unmoved


Order = Tuple[List[Key], Sequence[Key]]  # all keys in their order, and those that do not move


def _exclusive_order(desired: Desired, before: Sequence[Key], others: AbstractSet[Key]) -> Order:
    """The order of the task, which may name keys that `others` bring. Keys that it ignores do not
    move; those that it names stay between their neighbours of the task, the others behind all keys
    that are in front of them, so that no skip of others comes in front of a block.

    Raises PlanError if the task names ignored keys in another order than theirs.
    """
    known = set(before)
    there = known | others
    order = [key for key in desired.order or desired.objects if key in there]
    anchors = {key for key in order if key not in desired.objects and key in known}
    _require_order_of_ignored(desired, [key for key in order if key in anchors], before)
    ignored = known - set(order)
    furthest = -1  # the place, in the new order, of the last one in front of a key
    for index, key in enumerate(before):
        if key in ignored:
            later = [order.index(one) for one in before[index:] if one in anchors]
            furthest += 1
            order.insert(min([furthest, *later]), key)
        elif key in order:
            furthest = max(furthest, order.index(key))
    places = {key: index for index, key in enumerate(order)}
    unmoved = _unmoved_around(anchors | ignored, before, places)
    return order, [key for key in before if key in unmoved]


def _require_order_of_ignored(
    desired: Desired, named: Sequence[Key], before: Sequence[Key]
) -> None:
    order = [key for key in before if key in named]
    if order != list(named):
        refs = ", ".join(str(key[0]) for key in order)
        raise PlanError(
            f"The task names {desired.resource.title}s that it ignores, and that stand in another"
            f" order: {refs}. The module does not move them; name them in this order."
        )


def _unmoved_around(
    anchors: AbstractSet[Key], before: Sequence[Key], places: Mapping[Key, int]
) -> set[Key]:
    """The anchors, and as many keys between two of them as need not move."""
    unmoved = set(anchors)
    between: list[Key] = []
    low = -1
    for key in before:
        if key in anchors:
            inside = [item for item in between if low < places[item] < places[key]]
            unmoved.update(longest_ascending(inside, places))
            low, between = places[key], []
        elif key in places:
            between.append(key)
    rest = [item for item in between if low < places[item]]
    return unmoved.union(longest_ascending(rest, places))


def insert_new(desired: Sequence[Desired], order: list[Key]) -> None:
    """Insert the new keys at their positions, those with one position in the order of the task.

    Raises PlanError for those beside something that is not there yet.
    """
    predecessors: dict[Position, Key] = {}  # the last new key at each position
    known = set(order)
    waiting = [(item, key) for item in desired for key in item.objects if key not in known]
    while waiting:
        later = [one for one in waiting if not _is_placed(*one, order, predecessors)]
        if len(later) == len(waiting):
            first, *others = (_misplaced(*one) for one in waiting)
            raise first.joined(others)
        waiting = later


def _is_placed(
    desired: Desired, key: Key, order: list[Key], predecessors: dict[Position, Key]
) -> bool:
    """Put a key into its place, unless its neighbour is not there yet."""
    where, other = position = desired.positions.get(key, ("last", ""))
    neighbour = desired.resource.key_of({desired.resource.key[0]: other})
    if other and neighbour not in order:
        if neighbour in desired.objects:
            raise _misplaced(desired, key)
        return False
    if where == "last":
        order.append(key)
    elif where == "before":
        order.insert(order.index(neighbour), key)
    elif position in predecessors:
        order.insert(order.index(predecessors[position]) + 1, key)
    else:
        order.insert(order.index(neighbour) + 1 if other else 0, key)
    predecessors[position] = key
    return True


def _misplaced(desired: Desired, key: Key) -> PlanError:
    """The error of a position whose neighbour is not there, or comes later in the task."""
    resource, (_where, other) = desired.resource, desired.positions[key]
    later = resource.key_of({resource.key[0]: other}) in desired.objects
    return PlanError(
        f"The position of {resource.title_of(desired.objects[key])} names the"
        f" {resource.key[0]} {other}, "
        + ("which comes later in the task; move it up." if later else "which is not there.")
    )


def in_own_order(desired: Desired, order: Sequence[Key]) -> list[Key]:
    """The keys with those of the task in its order, at the places that these have together."""
    own = iter([key for key in desired.objects if key in order])
    return [next(own) if key in desired.objects else key for key in order]


def longest_ascending(before: Sequence[Key], places: Mapping[Key, int]) -> list[Key]:
    """As many keys as possible that need not move: a longest ascending sequence of their new
    places."""
    known = [key for key in before if key in places]
    ends: list[int] = []  # the lowest last place of an ascending sequence, by its length
    links: dict[Key, Key | None] = {}
    heads: list[Key] = []
    for key in known:
        length = bisect_left(ends, places[key])
        links[key] = heads[length - 1] if length else None
        ends[length : length + 1] = [places[key]]
        heads[length : length + 1] = [key]
    unmoved: list[Key] = []
    last = heads[-1] if heads else None
    while last is not None:
        unmoved.append(last)
        last = links[last]
    return unmoved


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
            problems += _invalid(items, changes)
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
        if resource.nested:
            objects, paths = desired.objects, desired.paths
            return share_nested(resource, objects, paths, existing, changes, nested)
    except OptionError as exc:
        raise PlanError(Message(exc.message, ".")) from exc
    return changes


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
    taken = [_with_along(operation, inner, before) for operation in operations]
    gone = {other.resource.plural for operation in taken for other in operation.along}
    return [item for item in taken if not (item.resource.parent and item.resource.plural in gone)]


def _with_along(operation: Operation, inner: Sequence[Resource], before: State) -> Operation:
    if operation.action != "delete" or CONTENTS in (operation.existing or {}):
        return operation
    contents = [
        Operation("delete", resource, {}, obj, index)
        for resource in inner
        if resource.parent is operation.resource and resource.parent_name == operation.label
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
            fields.update(undeclared_changes(resource.fields_by_name, None, new))
            operations.append(Operation("create", resource, fields))
        elif not match.stays:
            operations.append(_change_of("delete", resource, match, {}, values))
        else:
            now = adjust(resource, match.obj, values)
            fields = differences(resource.mutable, match.obj, now)
            fields.update(undeclared_changes(resource.fields_by_name, match.obj, now))
            if fields:
                _check_fixed(resource, match.obj, values)
                last = reused_if_equal(last, fields)
                operations.append(_change_of("update", resource, match, last, values))
    return operations


def _check_fixed(resource: Resource, existing: Object, values: Values) -> None:
    """Raises PlanError for values with another one of a field that never changes."""
    for name, value in differences(resource.fixed, existing, values).items():
        raise PlanError(
            f"The {resource.title_of(existing)} exists with the {name} {existing.get(name)}, and"
            f" not {value}, which cannot change. Correct the {name}, or choose another"
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
            others[key] = f"{resource.title_of(obj)} exists and {other}"
        elif desired.ignore_ids and str(obj.get("id")) in desired.ignore_ids:
            ignored[key] = str(obj.get("id"))
        else:
            by_key.add(key, index)
    for key in [key for key in (*others, *ignored) if key in desired.entries and key not in by_key]:
        if key in others:
            raise PlanError(f"The {others[key]}. Choose another {resource.key[0]}.")
        if not desired.absent:
            label = f"{resource.title_of(desired.entries[key].values)} with the id {ignored[key]}"
            reason = Message(f"Cloudflare holds {label} only, and ", IGNORED_IDS, " names it.")
            rest = f", or the {resource.title} from the task."
            advice = Message("Remove this id from ", IGNORED_IDS, rest)
            raise PlanError(joined(" ", (reason, advice)))
    return by_key


def _invalid(desired: Sequence[Desired], changes: Sequence[Operation]) -> Iterator[PlanError]:
    """An error for each object that Cloudflare would refuse, with the option that names it."""
    for item in changes:
        if item.planned and (reason := item.resource.semantics.invalid_reason(item.planned)):
            key = item.resource.key_of(item.planned)
            path = next((one.entries[key].path for one in desired if key in one.entries), Option())
            sentence = f"The {item.resource.title_of(item.planned)} {reason}."
            yield PlanError(Message(path, ": ", sentence) if path else sentence)


def _chosen(desired: Desired, values: Values, matches: Sequence[Match]) -> Sequence[Match]:
    """Of several duplicates, one stays: one that is as desired, or else the oldest; of those that
    hold a list of their own, the oldest.

    Raises PlanError if the age of these is not known.
    """
    resource = desired.resource
    if len(matches) == 1:
        return matches
    if resource.holds_rules and not all(match.obj.get("created_on") for match in matches):
        ids = ", ".join(sorted(str(match.obj.get("id")) for match in matches))
        raise PlanError(
            f"Cloudflare holds {resource.title_of(values)} more than once (ids {ids}), and does not"
            " tell which is the oldest. Delete all but one of them, or give them other names."
        )

    def preference(match: Match) -> tuple[bool, Age]:
        differs = not resource.holds_rules and differences(resource.mutable, match.obj, values)
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
            f"Cloudflare lists {resource.title_of(obj)} with the id"
            f" {obj.get('id')!r}, which cannot be part of a path. Report this to Cloudflare's"
            " support."
        )
    return Operation(action, resource, fields, obj, place, named=named)
