# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The second plan, which follows from what others wrote while the first one was applied: pure
functions."""

from __future__ import annotations

from typing import AbstractSet, Iterable, Mapping, NamedTuple, Sequence, Tuple

from .._plan.order_in_list import longest_ascending
from .._plan.plan import POSITION, Operation, differences, every_value
from .._schema.resource import Key, Object, Resource, without
from .._timestamps import age_of


class SecondPlan(NamedTuple):
    """The operations of a second plan on one collection, its keys in their order if that matters,
    and sentences on the changes by others."""

    operations: Sequence[Operation]
    order: Sequence[Key] = ()
    remarks: Sequence[str] = ()


class PlacedObject(NamedTuple):
    """An object and its place in a listing."""

    place: int
    obj: Object

    @property
    def identity(self) -> str:
        """The id of the object."""
        return str(self.obj.get("id"))


def without_own_duplicates(
    resource: Resource,
    wanted: Mapping[Key, Object],
    created_ids: AbstractSet[str],
    listing: Sequence[Object],
    before: AbstractSet[str],
) -> SecondPlan:
    """The operations that recreate missing objects, and remove duplicates that arose when another
    writer created the same object during this run.

    `wanted` are the objects of this run by their keys, `created_ids` the ids of those that it
    created, and `before` the ids of the objects that existed before. Of the duplicates, the oldest
    stays and gets the values of this run; younger ones that this run made are deleted.
    """
    operations: list[Operation] = []
    remarks: list[str] = []
    by_key: dict[Key, list[PlacedObject]] = {}
    for index, obj in enumerate(listing):
        by_key.setdefault(resource.key_of(obj), []).append(PlacedObject(index, obj))
    for key, desired in wanted.items():
        duplicates = by_key.get(key, [])
        if not duplicates:
            operations.append(Operation("create", resource, resource.declared_values(desired)))
            continue
        appeared = [listed for listed in duplicates if listed.identity not in before]
        if len(appeared) < 2:
            continue
        oldest, *younger = sorted(appeared, key=lambda listed: age_of(listed.obj))
        made_younger = [listed for listed in younger if listed.identity in created_ids]
        operations += _converging_operations(resource, desired, oldest, made_younger)
        outcome = "deletes the one that it made" if made_younger else "leaves both"
        remarks.append(
            f"Another writer created the {resource.title_of(desired)} at the same time. The older"
            f" one has the id {oldest.obj.get('id')} and stays; this run {outcome}."
        )
    return SecondPlan(operations, remarks=remarks)


def _converging_operations(
    resource: Resource, desired: Object, oldest: PlacedObject, younger: Sequence[PlacedObject]
) -> list[Operation]:
    """The operations that give the oldest object the desired values, and delete younger ones; none
    if there are no younger ones."""
    operations: list[Operation] = []
    if not younger:
        return operations
    changes = differences(resource.mutable, oldest.obj, resource.declared_values(desired))
    if changes:
        operations.append(Operation("update", resource, changes, oldest.obj, oldest.place))
    for duplicate in younger:
        operations.append(Operation("delete", resource, {}, duplicate.obj, duplicate.place))
    return operations


class Version(NamedTuple):
    """A version of an ordered list; `is_own` says that this run wrote it."""

    objects: Sequence[Object]
    is_own: bool = False

    def by_key(self, resource: Resource) -> dict[Key, Object]:
        """Its objects by their keys."""
        return {resource.key_of(obj): obj for obj in self.objects}


def as_others_left(
    resource: Resource, versions: Sequence[Version], changed_keys: AbstractSet[Key]
) -> list[Object]:
    """The list as other writers left it: its last version with all their changes that this run
    replaced, in their order. An object with one of the `changed_keys`, which this run has changed,
    is as they left it only if they changed it as well.

    Of several values of an object, the latest counts. A value that an earlier version had, or that
    this run wrote, is not new: whoever writes a whole list from an earlier version brings back
    values of that version without meaning them.
    """
    listings = [version.by_key(resource) for version in versions]
    chosen: dict[Key, Object | None] = {}
    for listing in listings:
        for key in listing:
            if key not in chosen:
                history = History(resource, versions, [objects.get(key) for objects in listings])
                chosen[key] = history.value_of_others(is_changed=key in changed_keys)
    order: list[Key] = []
    last_of_others = next(version for version in reversed(versions) if not version.is_own)
    for listing in (last_of_others.by_key(resource), *reversed(listings)):
        order = _merged_order(order, [*listing], chosen)
    return [obj for obj in map(chosen.get, order) if obj]


Stage = Tuple[object, object]  # the values of an object, and its id


class History:
    """One object in all versions of its list; None where a version does not have it."""

    def __init__(
        self, resource: Resource, versions: Sequence[Version], objects: Sequence[Object | None]
    ) -> None:
        self._resource = resource
        self._objects = objects
        self._stages = [_stage(resource, obj) for obj in objects]
        self._is_own = [version.is_own for version in versions]

    def value_of_others(self, is_changed: bool) -> Object | None:
        """The object as others left it, if that is newer than the value of the last version;
        otherwise the latter. `is_changed` says that this run has changed the object."""
        chosen = self._objects[-1]
        replaced = [place for place, is_own in enumerate(self._is_own) if is_own and place]
        for place in dict.fromkeys((*replaced, len(self._objects) - 1)):
            latest = self._first_of_others(self._stages[place - 1])
            if latest <= 0 and is_changed:
                continue
            values, _identity = self._stages[place]
            chosen_values, _identity = _stage(self._resource, chosen)
            if self._since(values) < latest and self._since(chosen_values) < latest:
                chosen = self._objects[place - 1]
        return chosen

    def _first_of_others(self, stage: Stage) -> int:
        """The index of the first version by others in which the object has this stage; -1 if none
        has it."""
        for place, version_stage in enumerate(self._stages):
            if version_stage == stage and not self._is_own[place]:
                return place
        return -1

    def _since(self, values: object) -> int:
        """The index of the version with which others last gave the object these values, under any
        id, before this run wrote them; -1 if they never did."""
        since = -1
        for place, stage in enumerate(self._stages):
            if stage[0] != values:
                continue
            if self._is_own[place]:
                break
            since = max(since, self._first_of_others(stage))
        return since


def _merged_order(
    order: Sequence[Key], listed: Sequence[Key], chosen: Mapping[Key, Object | None]
) -> list[Key]:
    """The keys in their order, completed by those chosen keys of a listing that are missing; each
    stands behind its predecessor in the listing."""
    merged = [*order]
    keys = [key for key in listed if chosen[key]]
    for place, key in enumerate(keys):
        if key in merged:
            continue
        is_last = not any(later in merged for later in keys[place:])
        if merged and is_last:
            merged.append(key)
        else:
            merged.insert(merged.index(keys[place - 1]) + 1 if place else 0, key)
    return merged


def _stage(resource: Resource, obj: Object | None) -> Stage:
    """The values of an object, and its id: an object that was deleted and made again is new."""
    return _value(resource, obj), (obj or {}).get("id")


def _value(resource: Resource, obj: Object | None) -> object:
    """The values of an object by which two versions of it are compared."""
    return None if obj is None else every_value(resource, without(obj, "id"))


def putting_back(
    resource: Resource, existing: Sequence[Object], target: Sequence[Object]
) -> SecondPlan:
    """The operations that make an existing list the target list, with the objects of the target."""
    by_key = {resource.key_of(obj): PlacedObject(index, obj) for index, obj in enumerate(existing)}
    order = [resource.key_of(obj) for obj in target]
    places = {key: index for index, key in enumerate(order)}
    unmoved = longest_ascending([*by_key], places)
    operations: list[Operation] = []
    for position, (key, obj) in enumerate(zip(order, target), start=1):
        listed = by_key.get(key)
        fields = _fields_to_put_back(resource, listed.obj if listed else None, obj)
        if key not in unmoved:
            fields[POSITION] = position
        if fields:
            operations.append(_operation_putting_back(resource, listed, obj, fields))
    for key, listed in by_key.items():
        if key not in places:
            operations.append(Operation("delete", resource, {}, listed.obj, listed.place))
    return SecondPlan(operations, order)


def _fields_to_put_back(
    resource: Resource, existing: Object | None, target: Object
) -> dict[str, object]:
    """The values of a target object that differ from the existing one; all its values if that does
    not exist."""
    values = without(target, "id", *resource.read_only)
    values_before = without(existing or {}, *resource.read_only)
    declared = resource.declared_values(values)
    names = values.keys() | values_before.keys() - {"id"}
    fields = {}
    for name in (*declared, *sorted(names)):
        field = {name: values.get(name)}
        field_before = {name: values_before.get(name)}
        is_equal = _value(resource, field) == _value(resource, field_before)
        if existing is None or not is_equal:
            fields.update(field)
    return fields


def _operation_putting_back(
    resource: Resource, listed: PlacedObject | None, target: Object, fields: Mapping[str, object]
) -> Operation:
    becomes = without(target, "id", *resource.read_only)
    if listed is None:
        return Operation("create", resource, fields, None, None, becomes=becomes)
    if "id" in listed.obj:
        becomes = {"id": listed.obj["id"], **becomes}
    return Operation("update", resource, fields, listed.obj, listed.place, becomes=becomes)


def overwritten(
    resource: Resource,
    versions: Sequence[Version],
    target: Sequence[Object],
    changed_keys: AbstractSet[Key],
) -> list[str]:
    """A sentence for each object that others changed since the first version, and that does not
    stay as they left it; `changed_keys` are those of the objects that this run has changed."""
    of_others = [version.by_key(resource) for version in versions if not version.is_own]
    base, last = of_others[0], of_others[-1]
    final = {resource.key_of(obj): obj for obj in target}
    sentences: list[str] = []
    for key in {**base, **last}:
        was, theirs, becomes = base.get(key), last.get(key), final.get(key)
        value_of_others = _value(resource, theirs)
        if value_of_others in (_value(resource, was), _value(resource, becomes)):
            continue
        title = resource.title_of(theirs or becomes or base[key])
        their_value, final_value = _differing(resource, was, theirs, becomes)
        if key not in changed_keys and becomes is None:
            sentences.append(f"The {title}, which another writer added, is deleted by the purge.")
        elif their_value != final_value:
            also, whose = (" as well", "this run's") if key in changed_keys else ("", "the task's")
            sentences.append(
                f"Another writer changed the {title}{also}: it made it {their_value}; {whose} value"
                f" stays: {final_value}."
            )
    return sentences


def _differing(
    resource: Resource, was: Object | None, theirs: Object | None, becomes: Object | None
) -> tuple[str, str]:
    """The object of others, and that of this run, in words: only the fields that others changed,
    and whose values differ now."""
    values_before = resource.declared_values(was or {})
    values_of_others = resource.declared_values(theirs or {})
    values_after = resource.declared_values(becomes or {})
    names = []
    for name in {**values_of_others, **values_after}:
        value = values_of_others.get(name)
        if value not in (values_before.get(name), values_after.get(name)):
            names.append(name)
    return _values_in_words(theirs, names), _values_in_words(becomes, names)


def _values_in_words(obj: Object | None, names: Iterable[str]) -> str:
    return "absent" if obj is None else repr({name: obj.get(name) for name in names})
