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
from .desired import IGNORED_IDS, Desired, DesiredObject, Position, Presence
from .plan import POSITION, Operation, Plan, differences, share_nested
from .removals import Freed, is_removal, removals_for_room
from .task_order import LAST, in_task_order, insert_at, neighbour_key


def order_operations(
    desired: Sequence[Desired],
    existing: Sequence[Object],
    changes: Sequence[Operation],
    predecessors: Mapping[Key, Key] = NO_ITEMS,
) -> tuple[list[Operation], Sequence[Key]]:
    """The operations on an ordered list, which set the positions of objects that are new or move,
    and all keys in their final order. Several sections of a host may describe objects of the same
    list. `predecessors` has, for new objects of a plan that was begun, the object in front of each.
    Raises PlanError for a position beside an object that does not exist.
    """
    resource = desired[0].resource
    deletions = [operation for operation in changes if operation.action == "delete"]
    deleted = {operation.key for operation in deletions}
    before = [key for key in map(resource.key_of, existing) if key not in deleted]
    collections = [_without_gone(collection, before) for collection in desired]
    order, unmoved = _arranged(collections, before, predecessors)
    places = {key: place for place, key in enumerate(order, start=1)}
    moving = set(order) - set(unmoved)
    by_key = {operation.key: operation for operation in changes if operation.action != "delete"}
    for index, obj in enumerate(existing if moving else ()):
        key = resource.key_of(obj)
        if key in moving:
            by_key.setdefault(key, Operation("update", resource, {}, obj, index))
    for key in moving:
        fields = {**by_key[key].fields, POSITION: places[key]}
        by_key[key] = replace(by_key[key], fields=fields)
    in_order = sorted(by_key.values(), key=lambda operation: places[operation.key])
    return in_order + deletions, order


def _without_gone(desired: Desired, before: Sequence[Key]) -> Desired:
    existing_keys = set(before)
    keys = set()
    for key, desired_object in desired.entries.items():
        if key in existing_keys or desired_object.presence is Presence.NEEDED:
            keys.add(key)
    return desired.only(keys)


def _arranged(
    desired: Sequence[Desired], before: Sequence[Key], predecessors: Mapping[Key, Key]
) -> Order:
    """The keys in their new order. An exclusive list has the order of its section; keys of other
    sections of a host are inserted into it unless that section names them.
    """
    order, unmoved = list(before), before
    for collection in desired:
        if collection.exclusive:
            order, unmoved = _exclusive_order(collection, before, _desired_keys(desired))
    inserted = [
        collection for collection in desired if not collection.exclusive and not collection.absent
    ]
    insert_new(inserted, order, predecessors)
    for collection in inserted:
        if collection.own_order:
            order = in_task_order(collection, desired, order)
            places = {key: place for place, key in enumerate(order)}
            unmoved = longest_ascending(before, places)
    return order, unmoved


def _desired_keys(desired: Sequence[Desired]) -> set[Key]:
    """The keys of all objects that must exist."""
    keys: set[Key] = set()
    for collection in desired:
        if not collection.absent:
            keys.update(collection.objects)
    return keys


Order = Tuple[List[Key], Sequence[Key]]  # all keys in their order, and those that do not move


def _exclusive_order(
    desired: Desired, before: Sequence[Key], desired_keys: AbstractSet[Key]
) -> Order:
    """The order of the task, which may name keys that other sections of the host bring, and moves
    these as well. Keys that it ignores do not move; those that it names stay between their
    neighbours of the task, those that it does not name behind all keys that are in front of them,
    so that no skip among them comes in front of a block.

    Raises PlanError if the task names ignored keys in another order than theirs.
    """
    existing_keys = set(before)
    present = existing_keys | desired_keys
    order = [key for key in desired.order or desired.objects if key in present]
    anchors = {key for key in order if key not in desired_keys and key in existing_keys}
    _require_order_of_ignored(desired, [key for key in order if key in anchors], before)
    ignored = existing_keys - set(order)
    furthest = -1  # the place, in the new order, of the last one in front of a key
    for index, key in enumerate(before):
        if key in ignored:
            later_anchors = [order.index(later) for later in before[index:] if later in anchors]
            furthest += 1
            order.insert(min([furthest, *later_anchors]), key)
        elif key in order:
            furthest = max(furthest, order.index(key))
    places = {key: place for place, key in enumerate(order)}
    unmoved = _unmoved_around(anchors | ignored, before, places)
    return order, [key for key in before if key in unmoved]


def _require_order_of_ignored(
    desired: Desired, ignored: Sequence[Key], before: Sequence[Key]
) -> None:
    order = [key for key in before if key in ignored]
    if order != list(ignored):
        refs = ", ".join(str(key[0]) for key in order)
        raise PlanError(
            f"The task names {desired.resource.title}s that it ignores, and that stand in another"
            f" order: {refs}. The module does not move them; name them in this order."
        )


def _unmoved_around(
    anchors: AbstractSet[Key], before: Sequence[Key], places: Mapping[Key, int]
) -> set[Key]:
    """The anchors and, between any two of them, as many of the other keys as need not move."""
    unmoved = set(anchors)
    between: list[Key] = []
    low = -1
    for key in before:
        if key in anchors:
            inside = [candidate for candidate in between if low < places[candidate] < places[key]]
            unmoved.update(longest_ascending(inside, places))
            low, between = places[key], []
        elif key in places:
            between.append(key)
    behind = [candidate for candidate in between if low < places[candidate]]
    return unmoved.union(longest_ascending(behind, places))


def insert_new(
    desired: Sequence[Desired], order: list[Key], predecessors: Mapping[Key, Key] = NO_ITEMS
) -> None:
    """Insert the new keys at their positions; keys with the same position keep the order of the
    task. A key follows a predecessor that an earlier plan made, since by its position alone,
    such as `first`, it would come in front of it. Raises PlanError for positions beside
    something that does not exist yet."""
    last_keys: dict[Position, Key] = {}  # the last new key at each position
    existing_keys = set(order)
    waiting: list[tuple[Desired, Key]] = []
    for collection in desired:
        waiting += [(collection, key) for key in collection.objects if key not in existing_keys]
    while waiting:
        still_waiting = []
        for collection, key in waiting:
            predecessor = _existing_predecessor(key, order, predecessors)
            if predecessor is not None:
                order.insert(order.index(predecessor) + 1, key)
            elif not _try_to_place(collection, key, order, last_keys):
                still_waiting.append((collection, key))
        if len(still_waiting) == len(waiting):
            errors = [_misplaced(collection, key) for collection, key in waiting]
            raise errors[0].joined(errors[1:])
        waiting = still_waiting


def _existing_predecessor(
    key: Key, order: Sequence[Key], predecessors: Mapping[Key, Key]
) -> Key | None:
    """The nearest of the predecessors of a key that is already in the order; None if there is
    none."""
    predecessor = predecessors.get(key)
    while predecessor is not None and predecessor not in order:
        predecessor = predecessors.get(predecessor)
    return predecessor


def predecessors_in(plan: Plan, plural: str) -> dict[Key, Key]:
    """For each object that a plan creates directly behind another new object of an ordered list,
    that other object.
    """
    created: set[Key] = set()
    for operation in plan.operations:
        if operation.action == "create" and operation.resource.plural == plural:
            created.add(operation.key)
    order = plan.order.get(plural, ())
    predecessors: dict[Key, Key] = {}
    for predecessor, key in zip(order, order[1:]):
        if predecessor in created and key in created:
            predecessors[key] = predecessor
    return predecessors


def _try_to_place(
    desired: Desired, key: Key, order: list[Key], last_keys: dict[Position, Key]
) -> bool:
    """Insert a key into the order; return False if its neighbour is not there yet."""
    position = desired.positions.get(key, (LAST, ""))
    neighbour = neighbour_key(desired, position[1])
    if position[1] and neighbour not in order:
        if neighbour in desired.objects:
            raise _misplaced(desired, key)
        return False
    insert_at(position, key, order, last_keys, neighbour)
    return True


def _misplaced(desired: Desired, key: Key) -> PlanError:
    """The error for a position beside an object that does not exist, or that comes later in the
    task.
    """
    resource = desired.resource
    _where, neighbour_name = desired.positions[key]
    reason = "which is not there."
    if neighbour_key(desired, neighbour_name) in desired.objects:
        reason = "which comes later in the task; move it up."
    return PlanError(
        f"The position of {resource.title_of(desired.objects[key])} names the"
        f" {resource.key[0]} {neighbour_name}, {reason}"
    )


def longest_ascending(before: Sequence[Key], places: Mapping[Key, int]) -> list[Key]:
    """The largest set of keys that can stay in place: a longest sequence of keys whose new `places`
    ascend.
    """
    ends: list[int] = []  # the lowest last place of an ascending sequence, by its length
    links: dict[Key, Key | None] = {}
    heads: list[Key] = []
    for key in before:
        if key not in places:
            continue
        length = bisect_left(ends, places[key])
        links[key] = heads[length - 1] if length else None
        ends[length : length + 1] = [places[key]]
        heads[length : length + 1] = [key]
    unmoved: list[Key] = []
    link = heads[-1] if heads else None
    while link is not None:
        unmoved.append(link)
        link = links[link]
    return unmoved


PHASES = ("create", "update", "delete")  # nothing is deleted before what replaces it exists

Adjust = Callable[[Resource, Optional[Object], Values], Values]
Make = Callable[[Sequence[Desired], Adjust], Plan]


class Match(NamedTuple):
    """An existing object that the task names or manages, its place in the listing, and whether the
    object stays.
    """

    place: int
    obj: Object
    stays: bool = True


class ByKey:
    """The places of existing objects by their keys; for a long list, only the places are kept."""

    def __init__(self, existing: Sequence[Object]) -> None:
        self._existing = existing
        self._places: dict[Key, int] = {}
        self._places_of_duplicates: dict[Key, list[int]] = {}

    def add(self, key: Key, place: int) -> None:
        """Add the object at a place in the listing, by its key."""
        if self._places.setdefault(key, place) != place:
            self._places_of_duplicates.setdefault(key, []).append(place)

    def matches(self, key: Key) -> list[Match]:
        """The objects with a key."""
        earliest = self._places.get(key)
        if earliest is None:
            return []
        places = (earliest, *self._places_of_duplicates.get(key, ()))
        return [Match(place, self._existing[place]) for place in places]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._places)

    def __contains__(self, key: Key) -> bool:
        return key in self._places


def as_desired(resource: Resource, existing: Object | None, values: Values) -> Values:
    """The values as the task names them. This is the `adjust` of a plan that no rollout changes."""
    return values


def make_plan(
    before: State,
    desired: Sequence[Desired],
    adjust: Adjust = as_desired,
    nested: State | None = None,
    inner: Sequence[Resource] = (),
    begun: Plan | None = None,
    freed: Freed = NO_ITEMS,
) -> Plan:
    """The plan for several collections; within a phase, in the order of `desired`.

    `nested` has, by collection, nested objects that the task names and no existing object has.
    `inner` are collections inside of objects, which go along with these objects. `begun` is the
    first plan of the run, if this is a later one: it keeps the order of that. When the plan
    begins, rules of other owners have stopped to refer to what is `freed`.

    `adjust` takes the resource, the existing object or None, and the desired values, and returns
    those to set now. Raises PlanError where the desired state cannot be reached without guessing: a
    rule that must exist and does not, duplicates.
    """
    operations: list[Operation] = []
    order: dict[str, Sequence[Key]] = {}
    problems: list[PlanError] = []
    by_plural: dict[str, list[Desired]] = {}
    for collection in desired:
        by_plural.setdefault(collection.resource.plural, []).append(collection)
    for plural, collections in by_plural.items():
        existing, unused_nested = before[plural], (nested or {}).get(plural, ())
        try:
            changes: list[Operation] = []
            for collection in collections:
                changes += _changes_of_collection(collection, existing, adjust, unused_nested)
            problems += _invalid(collections, changes)
            if collections[0].resource.is_ordered:
                predecessors = predecessors_in(begun, plural) if begun else NO_ITEMS
                ordered = order_operations(collections, existing, changes, predecessors)
                changes, order[plural] = ordered
            else:
                changes = _in_turn(changes)
        except PlanError as exc:
            problems.append(exc)
        else:
            operations += changes
    if problems:
        raise problems[0].joined(problems[1:])
    operations = sorted(_with_inner(operations, inner, before), key=_turn_in_plan)
    return Plan(before, _with_room(operations, before, freed), order)


def _with_room(
    operations: Sequence[Operation], before: State, freed: Freed
) -> tuple[Operation, ...]:
    """The operations, of which some removals go first if new objects need their room."""
    if not any(map(is_removal, operations)):
        return tuple(operations)
    first = removals_for_room(operations, before, freed)
    return (*first, *(operation for operation in operations if operation not in first))


def _changes_of_collection(
    desired: Desired, existing: Sequence[Object], adjust: Adjust, unused_nested: Sequence[Object]
) -> Sequence[Operation]:
    """The operations on the objects of a collection that one section of a host describes, not yet
    sorted.
    """
    resource, changes = desired.resource, _reconcile(desired, existing, adjust)
    if not resource.nested:
        return changes
    try:
        return share_nested(
            resource, desired.objects, desired.paths, existing, changes, unused_nested
        )
    except OptionError as exc:
        raise PlanError(Message(exc.message, ".")) from exc


def _in_turn(changes: Sequence[Operation]) -> list[Operation]:
    """The operations sorted by network, so that an exclusion is created after the prefix around
    it, and deleted before it."""
    ordered = sorted(changes, key=lambda operation: operation.order)
    deletions = [operation for operation in ordered if operation.action == "delete"]
    writes = [operation for operation in ordered if operation.action != "delete"]
    return writes + deletions[::-1]


def _turn_in_plan(operation: Operation) -> tuple[int, bool, bool]:
    """The sort key of an operation. A removal of what rules refer to comes after the changes of
    these rules, of which deleted rulesets have some.
    """
    resource = operation.resource
    phase, is_last = PHASES.index(operation.action), is_removal(operation)
    return phase, is_last, is_last and resource.is_referred_to and not resource.holds_rules


def _with_inner(
    operations: Sequence[Operation], inner: Sequence[Resource], before: State
) -> list[Operation]:
    """The operations; if one deletes an object, the deletion of all objects inside of it is added
    to it.
    """
    completed = [_with_along(operation, inner, before) for operation in operations]
    taken_along: set[str] = set()
    for operation in completed:
        taken_along.update(follower.resource.plural for follower in operation.along)
    return [
        operation
        for operation in completed
        if not operation.resource.parent or operation.resource.plural not in taken_along
    ]


def _with_along(operation: Operation, inner: Sequence[Resource], before: State) -> Operation:
    existing = operation.existing or {}
    if operation.action != "delete" or CONTENTS in existing:
        return operation
    contents: list[Operation] = []
    for resource in inner:
        is_inside = resource.parent is operation.resource
        if not is_inside or resource.parent_name != operation.label:
            continue
        for index, obj in enumerate(before[resource.plural]):
            deletion = Operation("delete", resource, {}, obj, index)
            contents.append(deletion)
    if not contents:
        return operation
    return replace(operation, along=(*operation.along, *contents))


def _reconcile(desired: Desired, existing: Sequence[Object], adjust: Adjust) -> list[Operation]:
    resource = desired.resource
    operations: list[Operation] = []
    previous: Values = NO_ITEMS
    defaults = resource.defaults()
    for match, values in _matches_and_values(desired, _existing_by_key(desired, existing)):
        if match is None:
            operations.append(creation(resource, {**defaults, **adjust(resource, None, values)}))
        elif not match.stays:
            operations.append(_change_of("delete", resource, match, {}, values))
        else:
            adjusted = adjust(resource, match.obj, values)
            fields = differences(resource.mutable, match.obj, adjusted)
            fields.update(undeclared_changes(resource.fields_by_name, match.obj, adjusted))
            if fields:
                _check_fixed(resource, match.obj, values)
                previous = reused_if_equal(previous, fields)
                operations.append(_change_of("update", resource, match, previous, values))
    return operations


def creation(resource: Resource, values: Values) -> Operation:
    """The operation that creates an object with these values."""
    fields = {name: values[name] for name in resource.fields_by_name if name in values}
    fields.update(undeclared_changes(resource.fields_by_name, None, values))
    return Operation("create", resource, fields)


def _check_fixed(resource: Resource, existing: Object, values: Values) -> None:
    """Raises PlanError if values would change a field that cannot change."""
    for name, value in differences(resource.fixed, existing, values).items():
        raise PlanError(
            f"The {resource.title_of(existing)} exists with the {name} {existing.get(name)}, and"
            f" not {value}, which cannot change. Correct the {name}, or choose another"
            f" {resource.key[0]}."
        )


def _matches_and_values(desired: Desired, by_key: ByKey) -> Iterator[tuple[Match | None, Values]]:
    """Pairs of an existing object and the values that the task names for it, for objects that stay
    and those that go; a new object has None in place of the existing one. Raises PlanError for an
    entry that must exist and does not, and for duplicates.
    """
    resource = desired.resource
    missing: list[str] = []
    for key, desired_object in desired.in_order():
        presence, values = desired_object.presence, desired_object.values
        matches = by_key.matches(key)
        if presence in (Presence.EXPIRED, Presence.ABSENT):
            yield from _leaving(resource, desired_object, matches)
        elif matches:
            for match in _chosen(desired, values, matches):
                yield match, values
        elif presence is Presence.OPEN or desired.only_deletes:
            continue  # what may have expired is not created
        elif resource.create:
            yield None, values
        else:
            missing.append(resource.label_of(values))
    if missing:
        key_names = " ".join(resource.key)
        raise PlanError(
            f"There is no {resource.title} with the {key_names} {', '.join(missing)}."
            f" Correct the {key_names}, or remove the entry."
        )
    for key in filter(desired.drops, by_key):
        for match in by_key.matches(key):
            yield match._replace(stays=False), NO_ITEMS


def _leaving(
    resource: Resource, desired_object: DesiredObject, matches: Sequence[Match]
) -> Iterator[tuple[Match, Values]]:
    """The existing objects that an entry removes because it is absent or expired. An absent entry
    comes with the values that the task names, an expired one without values.
    """
    is_expired = desired_object.presence is Presence.EXPIRED
    task_values = NO_ITEMS if is_expired else desired_object.values
    for match in matches:
        _check_fixed(resource, match.obj, desired_object.values)
        yield match._replace(stays=False), task_values


def _existing_by_key(desired: Desired, existing: Sequence[Object]) -> ByKey:
    """The existing objects that the desired state manages, by key. Raises PlanError if the task
    names an object that it also ignores.
    """
    resource = desired.resource
    by_key = ByKey(existing)
    ignored: dict[Key, str] = {}
    reasons: dict[Key, str] = {}  # for which the collection leaves an object alone
    for index, obj in enumerate(existing):
        key, reason = resource.key_of(obj), resource.semantics.not_ours(obj)
        if reason:
            reasons[key] = f"{resource.title_of(obj)} exists and {reason}"
        elif desired.ignore_ids and str(obj.get("id")) in desired.ignore_ids:
            ignored[key] = str(obj.get("id"))
        else:
            by_key.add(key, index)
    for key in (*reasons, *ignored):
        if key not in desired.entries or key in by_key:
            continue
        if key in reasons:
            raise PlanError(f"The {reasons[key]}. Choose another {resource.key[0]}.")
        if not desired.absent:
            raise _ignored_only(desired, key, ignored[key])
    return by_key


def _ignored_only(desired: Desired, key: Key, identity: str) -> PlanError:
    """The error for an entry of which the only existing object has an id that the task ignores."""
    resource = desired.resource
    title = resource.title_of(desired.entries[key].values)
    reason = Message(
        f"Cloudflare holds {title} with the id {identity} only, and ", IGNORED_IDS, " names it."
    )
    end = f", or the {resource.title} from the task."
    advice = Message("Remove this id from ", IGNORED_IDS, end)
    return PlanError(joined(" ", (reason, advice)))


def _invalid(desired: Sequence[Desired], changes: Sequence[Operation]) -> Iterator[PlanError]:
    """An error for each object that Cloudflare would reject, with the option that names it."""
    for operation in changes:
        resource, planned = operation.resource, operation.planned
        reason = resource.semantics.invalid_reason(planned) if planned else ""
        if planned and reason:
            path = _path_of(desired, resource.key_of(planned))
            sentence = f"The {resource.title_of(planned)} {reason}."
            yield PlanError(Message(path, ": ", sentence) if path else sentence)


def _path_of(desired: Sequence[Desired], key: Key) -> Option:
    """The option that names an object; an empty option if none names the object."""
    for collection in desired:
        if key in collection.entries:
            return collection.entries[key].path
    return Option()


def _chosen(desired: Desired, values: Values, matches: Sequence[Match]) -> Sequence[Match]:
    """The objects that stay: of duplicates the one that protects (if the desired values leave that
    open), else the one that is as desired, else the oldest. Of duplicates that contain lists, the
    oldest stays. Raises PlanError if their age is not known.
    """
    resource = desired.resource
    if len(matches) == 1:
        return matches
    have_ages = all(match.obj.get("created_on") for match in matches)
    if resource.holds_rules and not have_ages:
        ids = sorted(str(match.obj.get("id")) for match in matches)
        title = resource.title_of(values)
        raise PlanError(
            f"Cloudflare holds {title} more than once (ids {', '.join(ids)}), and does not"
            " tell which is the oldest. Delete all but one of them, or give them other names."
        )

    protects_nobody = resource.semantics.protects_nobody

    def preference(match: Match) -> tuple[bool, bool, Age]:
        obj = match.obj
        is_other = protects_nobody(obj) is not protects_nobody(values)
        differing: Sequence[str] = ()
        if not resource.holds_rules:
            differing = list(differences(resource.mutable, obj, values))
        return is_other, bool(differing), age_of(obj)

    preferred, *duplicates = sorted(matches, key=preference)
    return preferred, *(match._replace(stays=False) for match in duplicates)


def _change_of(
    action: str, resource: Resource, match: Match, fields: Values, task_values: Values
) -> Operation:
    """An update or a deletion of an existing object. Raises PlanError if its id is missing or not
    well-formed, since the path would then be another one, such as that of the whole collection.
    """
    identity = match.obj.get("id")
    if resource.key and not SAFE_ID.fullmatch(str(identity or "")):
        raise PlanError(
            f"Cloudflare lists {resource.title_of(match.obj)} with the id"
            f" {identity!r}, which cannot be part of a path. Report this to Cloudflare's"
            " support."
        )
    return Operation(action, resource, fields, match.obj, match.place, named=task_values)
