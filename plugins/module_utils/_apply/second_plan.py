# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The second plan, which follows from what others wrote while the first one was applied: pure
functions."""

from __future__ import annotations

from typing import AbstractSet, Mapping, NamedTuple, Sequence, Tuple

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
    by_key: dict[Key, list[tuple[int, Object]]] = {}
    for index, obj in enumerate(listing):
        by_key.setdefault(resource.key_of(obj), []).append((index, obj))
    for key, obj in wanted.items():
        every = by_key.get(key, [])
        new = sorted(
            (one for one in every if str(one[1].get("id")) not in before),
            key=lambda one: age_of(one[1]),
        )
        own = [one for one in new if str(one[1].get("id")) in made]
        if not every:
            operations.append(Operation("create", resource, resource.declared_values(obj)))
        elif len(new) > 1:
            younger = [one for one in own if one != new[0]]
            operations += _converging(resource, obj, new[0], younger)
            rest = "deletes the one that it made" if younger else "leaves both"
            remarks.append(
                f"Another writer created the {resource.title_of(obj)} at the same time. The older"
                f" one has the id {new[0][1].get('id')} and stays; this run {rest}."
            )
    return Second(operations, remarks=remarks)


def _converging(
    resource: Resource,
    desired: Object,
    oldest: tuple[int, Object],
    own: Sequence[tuple[int, Object]],
) -> list[Operation]:
    """The operations that give the oldest object the desired values, and delete younger ones."""
    if not own:
        return []
    index, obj = oldest
    changes = differences(resource.mutable, obj, resource.declared_values(desired))
    updates = [Operation("update", resource, changes, obj, index)] if changes else []
    return updates + [Operation("delete", resource, {}, one, place) for place, one in own]


class Version(NamedTuple):
    """A version of an ordered list; `is_own` says that this run wrote it."""

    objects: Sequence[Object]
    is_own: bool = False

    def by_key(self, resource: Resource) -> dict[Key, Object]:
        """Its objects by their keys."""
        return {resource.key_of(obj): obj for obj in self.objects}


def as_others_left(
    resource: Resource, versions: Sequence[Version], own: AbstractSet[Key]
) -> list[Object]:
    """The last version with all that others had changed when this run replaced it, in their order;
    of the `own` objects, which this run has changed, those that others changed as well.

    Of several values of an object the one counts that came last. A value that an earlier version
    had, or this run wrote, is not new: whoever writes a whole list from an earlier version brings
    back values of that, and does not mean them.
    """
    listings = [one.by_key(resource) for one in versions]
    is_own = [one.is_own for one in versions]
    replaced = [place for place, one in enumerate(is_own) if one and place]
    chosen: dict[Key, Object | None] = {}
    for key in dict.fromkeys(key for listing in listings for key in listing):
        stages = [_stage(resource, one.get(key)) for one in listings]
        chosen[key] = listings[-1].get(key)
        for place in dict.fromkeys((*replaced, len(listings) - 1)):
            latest = _first_stage(stages, is_own, stages[place - 1])
            known = (stages[place], _stage(resource, chosen[key]))
            if (latest > 0 or key not in own) and all(
                _since(stages, is_own, one[0]) < latest for one in known
            ):
                chosen[key] = listings[place - 1].get(key)
    order: list[Key] = []
    last_of_others = next(one for one in reversed(versions) if not one.is_own)
    for listing in (last_of_others.by_key(resource), *reversed(listings)):
        order = _merged_order(order, [*listing], chosen)
    return [obj for obj in map(chosen.get, order) if obj]


Stage = Tuple[object, object]


def _first_stage(stages: Sequence[Stage], is_own: Sequence[bool], stage: Stage) -> int:
    """The place of the first version of others with this stage of an object; -1 if none has it."""
    return next((at for at, one in enumerate(stages) if one == stage and not is_own[at]), -1)


def _since(stages: Sequence[Stage], is_own: Sequence[bool], value: object) -> int:
    """The place of the last stage that others began with these values, whatever the id, before this
    run wrote them; -1 if none did."""
    places = [at for at, one in enumerate(stages) if one[0] == value]
    ours = next((at for at in places if is_own[at]), len(stages))
    return max((_first_stage(stages, is_own, stages[at]) for at in places if at < ours), default=-1)


def _merged_order(
    order: Sequence[Key], others: Sequence[Key], chosen: Mapping[Key, Object | None]
) -> list[Key]:
    """The keys in one order; those that it lacks stand as in another one."""
    merged = [*order]
    keys = [key for key in others if chosen[key]]
    for place, key in enumerate(keys):
        if key in merged:
            continue
        if merged and not any(one in merged for one in keys[place:]):
            merged.append(key)  # behind all others
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
    places = {resource.key_of(obj): (index, obj) for index, obj in enumerate(existing)}
    order = [resource.key_of(obj) for obj in target]
    unmoved = longest_ascending([*places], {key: index for index, key in enumerate(order)})
    operations: list[Operation] = []
    for position, (key, obj) in enumerate(zip(order, target), start=1):
        index, now = places.get(key, (None, None))
        values = without(obj, "id", *resource.read_only)
        old = without(now or {}, *resource.read_only)
        fields = {
            name: values.get(name)
            for name in (
                *resource.declared_values(values),
                *sorted(values.keys() | old.keys() - {"id"}),
            )
            if now is None
            or _value(resource, {name: values.get(name)}) != _value(resource, {name: old.get(name)})
        }
        fields.update({} if key in unmoved else {POSITION: position})
        becomes = {**({"id": now["id"]} if now and "id" in now else {}), **values}
        if fields:
            action = "update" if now else "create"
            operations.append(Operation(action, resource, fields, now, index, becomes=becomes))
    for key, (index, obj) in places.items():
        if key not in order:
            operations.append(Operation("delete", resource, {}, obj, index))
    return Second(operations, order)


def overwritten(
    resource: Resource, versions: Sequence[Version], target: Sequence[Object], own: AbstractSet[Key]
) -> list[str]:
    """A sentence for each object that others changed since the first version, and that does not
    stay as they left it."""
    base, *_others, last = [one.by_key(resource) for one in versions if not one.is_own]
    final = {resource.key_of(obj): obj for obj in target}
    sentences: list[str] = []
    for key in {**base, **last}:
        was, theirs, kept = base.get(key), last.get(key), final.get(key)
        values = [_value(resource, one) for one in (was, theirs, kept)]
        if values[1] in (values[0], values[2]):
            continue
        label = resource.title_of(theirs or kept or base[key])
        made, stays = _differing(resource, was, theirs, kept)
        if key not in own and kept is None:
            sentences.append(f"The {label}, which another writer added, is deleted by the purge.")
        elif key in own and made != stays:
            sentences.append(
                f"Another writer changed the {label} as well: it made it {made}; this run's value"
                f" stays: {stays}."
            )
    return sentences


def _differing(resource: Resource, was: Object | None, *both: Object | None) -> list[str]:
    """Two values of one object: the fields that the first one changed, and that differ."""
    old, one, other = (resource.declared_values(obj or {}) for obj in (was, *both))
    names = [
        name for name in {**one, **other} if one.get(name) not in (old.get(name), other.get(name))
    ]
    return [
        "absent" if obj is None else repr({name: obj.get(name) for name in names}) for obj in both
    ]
