# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way back from a watched change: the state in which everything that this change did is undone,
and everything that others have done since then remains. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._plan.plan import POSITION
from ...module_utils._schema.resource import Object, Resource, State, without
from ...module_utils._schema.rulesets import deployed
from ...module_utils._specs.whole_state import all_inside, collections_of
from ...module_utils._values.kinds import same_value
from .._baseline.results import HostRun

ABOUT_OBJECTS = ("description", "logging")  # which change nothing that a rule stops
SET_BY_CLOUDFLARE = ("version", "last_updated", "modified_on", "created_on")


class PlannedChange(NamedTuple):
    """A change as it was planned (`operations`), with the state before it and after it. `after` is
    None if the run was killed before anybody read it: then it follows from the operations."""

    operations: Sequence[Mapping[str, Any]]
    before: State
    after: State | None = None


class WayBack(NamedTuple):
    """The state to restore, the keys of the objects in it that a restore may change, and a sentence
    for each object that stays since others have changed it. `undone` are the operations that are
    set back at least in part, `in_force` those of which all stays."""

    objects: State
    named: Mapping[str, Sequence[Object]]
    staying: Sequence[str]
    undone: Sequence[Mapping[str, Any]] = ()
    in_force: Sequence[Mapping[str, Any]] = ()

    @property
    def is_needed(self) -> bool:
        """Return whether there is anything to set back."""
        return any(self.named.values())


class Restored(NamedTuple):
    """The outcome of a way back: why it failed, empty if it did not, and sentences on the objects
    that stay since others have changed them. It was not `needed` if nothing of the change is
    there. `undone` and `in_force` are the titles of what was set back, and of what was not. `run`
    is the run that sets back, or predicts that; None if there was none."""

    failure: str = ""
    staying: Sequence[str] = ()
    needed: bool = True
    undone: Sequence[str] = ()
    in_force: Sequence[str] = ()
    run: HostRun | None = None


class RestoredCollection(NamedTuple):
    """The part of a way back that is about one collection."""

    objects: list[Object]
    named: list[Object]
    staying: list[str]
    undone: list[Mapping[str, Any]]
    in_force: list[Mapping[str, Any]]


class ChangedCollection(NamedTuple):
    """One collection of a change: its objects by their labels, before, after and now."""

    resource: Resource
    before: Mapping[str, Object]
    after: Mapping[str, Object]
    current: Mapping[str, Object]


def way_back(change: PlannedChange, current: State) -> WayBack:
    """The way back from a change, from the current state on."""
    objects: dict[str, Sequence[Object]] = {}
    named: dict[str, Sequence[Object]] = {}
    staying: list[str] = []
    undone: list[Mapping[str, Any]] = []
    in_force: list[Mapping[str, Any]] = []
    holders: dict[str, list[Object]] = {}
    for resource in _resources(change, current):
        collection = _changed_collection(change, current, resource)
        restored = _restored(collection, _touched(change, resource))
        objects[resource.plural] = restored.objects
        named[resource.plural] = restored.named
        staying += restored.staying
        undone += restored.undone
        in_force += restored.in_force
        if restored.named and resource.parent:
            holder = dict.fromkeys(resource.parent.key, resource.parent_name)
            holders.setdefault(resource.parent.plural, []).append(holder)
    for plural, keys_of_holders in holders.items():  # whose contents a restore changes with them
        named[plural] = [*named.get(plural, ()), *keys_of_holders]
    return WayBack(objects, named, staying, undone, in_force)


def collections_of_change(change: PlannedChange) -> list[ChangedCollection]:
    """The collections of a change, before it and, as far as that is known, after it."""
    state = change.after or change.before
    return [_changed_collection(change, state, resource) for resource in _resources(change, state)]


def _resources(change: PlannedChange, current: State) -> list[Resource]:
    """The collections of the states, and those inside of their objects."""
    collections = collections_of(change.before)
    inside: dict[str, Resource] = {}
    for state in (change.before, change.after or {}, current):
        if all(collection.plural in state for collection in collections):
            inside.update({item.plural: item for item in all_inside(collections, state)})
    return [*collections, *inside.values()]


def _touched(change: PlannedChange, resource: Resource) -> dict[str, Mapping[str, Any]]:
    """The operations on objects of a collection, by the labels of these."""
    prefix = f"{resource.parent_name} " if resource.parent_name else ""
    return {
        str(operation["key"]): operation
        for operation in change.operations
        if operation["resource"] == resource.name and str(operation["key"]).startswith(prefix)
    }


def _changed_collection(
    change: PlannedChange, current: State, resource: Resource
) -> ChangedCollection:
    before = _by_label(resource, change.before)
    after = _by_label(resource, change.after) if change.after is not None else {**before}
    if change.after is None:
        for label, operation in _touched(change, resource).items():
            after.pop(label, None)
            if operation["action"] != "delete":
                fields = without(operation["fields"], POSITION)
                after[label] = {**before.get(label, {}), **fields}
    return ChangedCollection(resource, before, after, _by_label(resource, current))


def _by_label(resource: Resource, state: State) -> dict[str, Object]:
    objects = resource.our_objects(state.get(resource.plural, ()))
    return {resource.label_of(obj): obj for obj in objects}


def _restored(
    collection: ChangedCollection, operations: Mapping[str, Mapping[str, Any]]
) -> RestoredCollection:
    resource, before, _after, current = collection
    target = dict(current)
    changed: list[str] = []
    staying: dict[str, str] = {}
    for label in operations:
        restored, sentence = _restored_object(collection, label)
        if sentence:
            staying[label] = sentence
        if restored is current.get(label):
            continue
        changed.append(label)
        target.pop(label, None) if restored is None else target.update({label: restored})
    moved = [label for label in operations if POSITION in operations[label]["fields"]]
    moved = [label for label in moved if label in before and label in current]
    changed += [label for label in moved if label not in changed and resource.is_ordered]
    came_back = [label for label in changed if label not in current and label in target]
    order = _in_order([*target], [*before], {*moved, *came_back})
    keys = [_key_object(resource, target.get(label) or current[label]) for label in changed]
    in_force = [label for label in staying if label not in changed]
    return RestoredCollection(
        objects=[target[label] for label in order],
        named=keys,
        staying=[*staying.values()],
        undone=[operations[label] for label in changed],
        in_force=[operations[label] for label in in_force if _is_in_force(collection, label)],
    )


def _is_in_force(collection: ChangedCollection, label: str) -> bool:
    """Return whether an object that the change wrote is still there, and switched on."""
    now = collection.current.get(label)
    return label in collection.after and now is not None and now.get("enabled") is not False


def _restored_object(collection: ChangedCollection, label: str) -> tuple[Object | None, str]:
    """The object to restore, None for none, and a sentence if others have changed something of it
    that stays. An object that needs nothing is the current one itself."""
    resource, before, after, current = collection
    was, became, now = before.get(label), after.get(label), current.get(label)
    title = resource.title_of(was or became or now or {})
    if was is None and now is not None and became is not None:
        if _is_as_written(resource, became, now):
            return None, ""
        return now, f"{title} was changed by others since, and stays."
    if was is not None and now is None:
        if became is None:
            return was, ""
        return None, f"{title} was deleted by others since, and stays away."
    if was is None or became is None or now is None:
        if was is not None and now is not None and not _same_fields(resource, was, now):
            return now, f"{title} was created by others since, and stays."
        return now, ""
    return _with_former_fields(resource, was, became, now, title)


def _with_former_fields(
    resource: Resource, was: Object, became: Object, now: Object, title: str
) -> tuple[Object, str]:
    """The current object, in which the fields that the change wrote are as they were; fields that
    others have changed since stay."""
    restored = dict(now)
    foreign: list[str] = []
    for name in _differing_fields(resource, was, became):
        if _is_equal(resource, name, was, now):
            continue
        if not _is_equal(resource, name, became, now):
            foreign.append(name)
        elif name in was:
            restored[name] = was[name]
        else:
            restored.pop(name, None)
    sentence = f"{title}: others have changed {', '.join(foreign)} since, which stays."
    is_restored = restored != now
    return (restored if is_restored else now), (sentence if foreign else "")


def _is_as_written(resource: Resource, written: Object, now: Object) -> bool:
    """Return whether a new object is still the one that the change wrote; words about it do not
    count. The id of the ruleset that a rule deploys is not known before it is created."""
    if written.get("id") not in (None, now.get("id")):
        return False
    skipped = ["action_parameters"] if written.get("id") is None and deployed(written) else []
    skipped += [*ABOUT_OBJECTS, *resource.inert]
    names = without(written, *skipped, *resource.assigned, *SET_BY_CLOUDFLARE)
    return all(_is_equal(resource, name, written, now) for name in names)


def _same_fields(resource: Resource, compared: Object, now: Object) -> bool:
    return not _differing_fields(resource, compared, now)


def _differing_fields(resource: Resource, before: Object, after: Object) -> list[str]:
    """The names of the fields that differ, without those that only Cloudflare sets."""
    names = dict.fromkeys([*before, *after])
    names = without(names, "id", *resource.assigned, *SET_BY_CLOUDFLARE)
    return [name for name in names if not _is_equal(resource, name, before, after)]


def _is_equal(resource: Resource, name: str, obj: Object, compared: Object) -> bool:
    """Return whether a field has the same value in two objects, as Cloudflare compares it."""
    field = resource.fields_by_name.get(name)
    if field and not field.fields:
        return bool(field.normalised(obj) == field.normalised(compared))
    return same_value(obj.get(name), compared.get(name))


def _in_order(labels: list[str], before: Sequence[str], moving: set[str]) -> list[str]:
    """The labels in their order, in which those that move stand behind the label that they stood
    behind."""
    order = [label for label in labels if label not in moving]
    for place, label in enumerate(before):
        if label not in moving or label not in labels:
            continue
        ahead = [earlier for earlier in before[:place] if earlier in order]
        order.insert(order.index(ahead[-1]) + 1 if ahead else 0, label)
    return order


def _key_object(resource: Resource, obj: Object) -> Object:
    return {name: obj[name] for name in resource.key if name in obj}
