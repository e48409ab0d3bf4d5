# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The second plan, which follows from what others wrote while the first one was applied: pure
functions."""

from __future__ import annotations

from typing import AbstractSet, Iterable, Mapping, NamedTuple, Sequence, Tuple

from .._plan.plan import POSITION, Operation, differences, every_value
from .._plan.reconcile import longest_ascending
from .._schema.resource import Key, Object, Resource, without
from .._timestamps import age_of


class Second(NamedTuple):
    """The operations of a second plan on one collection, its keys in their order if that matters,
    and sentences on what others wrote."""

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
    made: AbstractSet[str],
    listing: Sequence[Object],
    before: AbstractSet[str],
) -> Second:
    """The operations on objects that appeared while this run created or deleted such objects.

    `wanted` are objects that this run wants to be there, `made` the ids of those that it has made,
    and `before` those of objects that were there before. Of several objects that appeared, the
    oldest stays with the values of this run, and those go that this run has made.
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
        made_younger = [listed for listed in younger if listed.identity in made]
        operations += _converging(resource, desired, oldest, made_younger)
        outcome = "deletes the one that it made" if made_younger else "leaves both"
        remarks.append(
            f"Another writer created the {resource.title_of(desired)} at the same time. The older"
            f" one has the id {oldest.obj.get('id')} and stays; this run {outcome}."
        )
    return Second(operations, remarks=remarks)


def _converging(
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
    """The last version with all that others had changed when this run replaced it, in their order;
    of the objects with `changed_keys`, which this run has changed, those that others changed as
    well.

    Of several values of an object the one counts that came last. A value that an earlier version
    had, or this run wrote, is not new: whoever writes a whole list from an earlier version brings
    back values of that, and does not mean them.
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
        """The object as others left it, if that came after the value of the last version;
        `is_changed` says that this run has changed it."""
        chosen = self._objects[-1]
        replaced = [place for place, is_own in enumerate(self._is_own) if is_own and place]
        for place in dict.fromkeys((*replaced, len(self._objects) - 1)):
            latest = self._first_stage(self._stages[place - 1])
            if latest <= 0 and is_changed:
                continue
            values, _identity = self._stages[place]
            chosen_values, _identity = _stage(self._resource, chosen)
            if self._since(values) < latest and self._since(chosen_values) < latest:
                chosen = self._objects[place - 1]
        return chosen

    def _first_stage(self, stage: Stage) -> int:
        """The place of the first version of others with this stage; -1 if none has it."""
        for place, version_stage in enumerate(self._stages):
            if version_stage == stage and not self._is_own[place]:
                return place
        return -1

    def _since(self, values: object) -> int:
        """The place of the last stage that others began with these values, whatever the id, before
        this run wrote them; -1 if none did."""
        since = -1
        for place, stage in enumerate(self._stages):
            if stage[0] != values:
                continue
            if self._is_own[place]:
                break
            since = max(since, self._first_stage(stage))
        return since


def _merged_order(
    order: Sequence[Key], listed: Sequence[Key], chosen: Mapping[Key, Object | None]
) -> list[Key]:
    """The keys in one order; those that it lacks stand as in a listing."""
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
    """The values of an object by which two versions of it are equal."""
    return None if obj is None else every_value(resource, without(obj, "id"))


def putting_back(
    resource: Resource, existing: Sequence[Object], target: Sequence[Object]
) -> Second:
    """The operations that make one list of another one, with the objects as they were."""
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
            operations.append(_putting_back_one(resource, listed, obj, fields))
    for key, listed in by_key.items():
        if key not in places:
            operations.append(Operation("delete", resource, {}, listed.obj, listed.place))
    return Second(operations, order)


def _fields_to_put_back(
    resource: Resource, existing: Object | None, target: Object
) -> dict[str, object]:
    """The values of an object that differ from the existing ones; all of one that is not there."""
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


def _putting_back_one(
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
        made, stays = _differing(resource, was, theirs, becomes)
        if key not in changed_keys and becomes is None:
            sentences.append(f"The {title}, which another writer added, is deleted by the purge.")
        elif made != stays:
            also, whose = (" as well", "this run's") if key in changed_keys else ("", "the task's")
            sentences.append(
                f"Another writer changed the {title}{also}: it made it {made}; {whose} value stays:"
                f" {stays}."
            )
    return sentences


def _differing(
    resource: Resource, was: Object | None, theirs: Object | None, becomes: Object | None
) -> tuple[str, str]:
    """The object of others and that of this run: the fields that others changed, and that
    differ."""
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
