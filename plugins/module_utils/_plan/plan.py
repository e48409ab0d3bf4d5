# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan: changes as data.

A plan holds the whole state of its collections before and after, so that diff, coverage and risks
are computed from the plan alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import (
    Any,
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)

from .._errors import OptionError
from .._remembered import remembered
from .._schema.resource import (
    NO_ITEMS,
    Field,
    Key,
    Object,
    ReadCollection,
    Resource,
    State,
    Values,
    fields_in,
    without,
)
from .._text import Message, Option
from .._values.address_set import normalise_network
from .._values.kinds import ID, same_value
from .api_fields import undeclared, undeclared_changes


def differences(
    fields: Iterable[Field], existing: Object | None, desired: Values
) -> dict[str, Any]:
    """The desired values whose normalised value differs; of a nested object the part that
    differs."""
    changed: dict[str, Any] = {}
    known = existing or {}
    for item in fields:
        if item.name not in desired:
            continue
        if item.name in known and same_value(known[item.name], desired[item.name]):
            continue
        if item.fields:
            part = _nested_differences(item, known.get(item.name), desired[item.name])
            changed.update({item.name: part} if part else {})
        elif item.normalised(existing) != item.normalised(desired):
            changed[item.name] = desired[item.name]
    return changed


def _nested_differences(item: Field, existing: Any, desired: Values) -> Values:
    known = fields_in(existing)
    part = {
        **differences(item.fields, known, desired),
        **undeclared_changes(item.nested_names, known, desired),
    }
    return desired if "id" in part else part  # with another id it is another object


def values_before(fields: Iterable[Field], existing: Object, planned: Object) -> dict[str, Any]:
    """The existing values of the fields that differ between two objects, null for one that is
    lacking; of a nested object the part that differs."""
    before: dict[str, Any] = {}
    for item in fields:
        old, new = existing.get(item.name), planned.get(item.name)
        if old is new:
            continue
        if item.fields and isinstance(old, Mapping) and isinstance(new, Mapping):
            part = values_before(item.fields, old, new)
            before.update({item.name: part} if part else {})
        elif item.normalised(existing) != item.normalised(planned):
            before[item.name] = old
    return before


def overlay(fields: Iterable[Field], existing: Object, changes: Values) -> dict[str, Any]:
    """The existing object with the changes laid over it; a nested object that names its id replaces
    the former one."""
    merged = {**existing, **changes}
    for item in (one for one in fields if one.fields):
        nested, change = existing.get(item.name), changes.get(item.name)
        if isinstance(nested, Mapping) and isinstance(change, Mapping):
            is_other = "id" in change
            inner = change if is_other else overlay(item.fields, nested, change)
            gone = {name for name in change if change[name] is None} - item.nested_names
            merged[item.name] = {name: inner[name] for name in inner if name not in gone}
    return merged


POSITION = "position"  # of a new or moved object, counted from 1; no field of the object itself


@dataclass(eq=False)  # frozen, it takes twice as long to make
class Operation:
    """One change of one object.

    `fields` are those that are sent: all of a new object, the changed ones of an existing object,
    none of one that is deleted. `existing` is the object before, and `index` its place in the
    listing of its collection. `named` are the names of the fields that the task names, whether they
    change or not; none for an object that is deleted by a purge, or because it expired.

    `becomes` is the whole object afterwards, if it is put back as it was. `shared` is the nested
    object, by its field, as all operations together leave it. `along` are other objects that change
    only because they have the same nested object; nothing is sent for them.

    A long list has one for each object, so that it keeps the least: no order, and no key.
    """

    action: str
    resource: Resource
    fields: Values
    existing: Object | None = None
    index: int | None = None
    named: Collection[str] = ()
    shared: Values = field(default_factory=lambda: NO_ITEMS)
    along: tuple[Operation, ...] = ()
    becomes: Object | None = None
    _planned: Object | None = field(init=False)
    _label: str = field(init=False)

    def __post_init__(self) -> None:
        self._planned, self._label = None, ""  # here, where Python keeps them with the others

    @property
    def planned(self) -> Object | None:
        """The object afterwards, as far as it can be predicted; None when it is deleted."""
        if self.action == "delete":
            return None
        if self.becomes is not None:
            return self.becomes
        if self._planned is None:
            self._planned = self._predicted()
        return self._planned

    def _predicted(self) -> Object:
        """The object afterwards; a new one that is as it is sent is not there twice."""
        existing = self.existing or {}
        merged = {**overlay(self.resource.fields, existing, self.fields), **self.shared}
        for name in self.undeclared:
            if merged[name] is None:
                del merged[name]
        known = {*self.named, *self.fields}
        predicted = self.resource.semantics.normalise(merged, existing, known)
        return self.fields if self.existing is None and predicted == self.fields else predicted

    @property
    def before(self) -> Values:
        """The values that change, as they are; of an object that is deleted all, of a new one
        none."""
        if self.existing is None:
            return NO_ITEMS
        if self.planned is None:
            more = undeclared(self.resource, self.existing)
            return {**more, **self.resource.declared_values(self.existing)}
        before = values_before(self.resource.fields, self.existing, self.planned)
        for item in self.resource.fields:
            sent, old = self.fields.get(item.name), self.existing.get(item.name)
            if item.fields and isinstance(sent, Mapping) and isinstance(old, Mapping):
                more = {name: old.get(name) for name in sent if name not in item.nested_names}
                before.update({item.name: {**before.get(item.name, {}), **more}} if more else {})
        if POSITION in self.fields and self.index is not None:
            before[POSITION] = self.index + 1
        return {**before, **{name: self.existing.get(name) for name in self.undeclared}}

    @property
    def undeclared(self) -> Collection[str]:
        """The names of the fields that change and that the resource does not declare."""
        known = self.resource.fields_by_name
        if self.fields.keys() <= known.keys():
            return ()
        return [name for name in self.fields if name not in known and name != POSITION]

    @property
    def key(self) -> Key:
        """The normalised values that identify the object."""
        return self.resource.key_of(self.existing or self.fields)

    @property
    def target(self) -> tuple[str, Key]:
        """The object that changes: its collection and key."""
        return (self.resource.plural, self.key)

    @property
    def order(self) -> Key:
        """Sorts operations alike whatever the order of the input: by networks, which are keys, and
        duplicates by their labels and ids."""
        resource = self.resource
        key = normalise_network(self.address) if resource.address_field else self.key
        label = self.label if resource.has_duplicates else ""
        return (resource.plural, *key, label, self.identity)

    @property
    def identity(self) -> str:
        """The id of the object that there is; empty of a new one."""
        return str(self.existing.get("id")) if self.existing else ""

    @property
    def label(self) -> str:
        """The key as people read it."""
        self._label = self._label or self.resource.label_of(self.existing or self.fields)
        return self._label

    @property
    def title(self) -> str:
        """The object as sentences name it."""
        return self.resource.title_of(self.existing or self.fields)

    @property
    def address(self) -> object:
        """The network that the object is about; None where its resource has no such field."""
        name = self.resource.address_field
        return (self.existing or self.fields).get(name) if name else None


def with_along(operations: Iterable[Operation]) -> Iterator[Operation]:
    """The operations; after each, those of the objects that change along."""
    for operation in operations:
        yield operation
        yield from operation.along


Returned = Mapping[Operation, Object]  # what Cloudflare returned for an operation


class Plan(NamedTuple):
    """The operations, in the order in which they are applied, and the state that they start from.

    `alongside` is what follows from them in collections that are only looked at; `unread` says
    what is not known since a collection that decides about the plan cannot be read, and why not.
    """

    before: State
    operations: tuple[Operation, ...]
    order: Mapping[str, Sequence[Key]] = NO_ITEMS  # by plural, of ordered lists
    alongside: State = NO_ITEMS  # by plural, as it is afterwards
    unread: Mapping[str, Mapping[str, str]] = NO_ITEMS  # by plural: reasons by what is not known

    @property
    def resources(self) -> dict[str, Resource]:
        """The collections that it changes, by plural."""
        return _changed_resources(self.operations)

    @property
    def doubts(self) -> list[str]:
        """A sentence for all that decides about it and cannot be read, with the first reason."""
        reasons: dict[str, str] = {}
        for reasons_of_collection in self.unread.values():
            for doubt, reason in reasons_of_collection.items():
                reasons.setdefault(doubt, reason)
        return [Message(f"{doubt}: ", reason) for doubt, reason in reasons.items() if doubt]

    def after(self, returned: Returned | None = None) -> State:
        """The state afterwards: for each operation what Cloudflare returned, or else what is
        planned."""
        if not self.operations and not self.alongside:
            return self.before
        changed = [plural for plural in self.before if plural not in self.alongside]
        make = partial(_collection_after, returned=returned) if returned else _planned_collection
        planned = {
            plural: make(self.before[plural], self.operations, self.order, plural)
            for plural in changed
        }
        return {**planned, **self.alongside}


Check = Callable[[Plan, ReadCollection], str]  # returns why the owner would not take the plan


def _collection_after(
    before: Sequence[Object],
    operations: Sequence[Operation],
    order: Mapping[str, Sequence[Key]],
    plural: str,
    returned: Returned = NO_ITEMS,
) -> Sequence[Object]:
    changes = [item for item in with_along(operations) if item.resource.plural == plural]
    if not changes:
        return before
    changed = {item.index: item for item in changes}
    objects = [
        _object_after(changed[index], returned) if index in changed else existing
        for index, existing in enumerate(before)
    ] + [_object_after(item, returned) for item in changes if item.index is None]
    collection = [item for item in objects if item is not None]
    if plural in order:
        places = {key: index for index, key in enumerate(order[plural])}
        collection.sort(key=lambda item: places[changes[0].resource.key_of(item)])
    return collection


@remembered(32)
def _changed_resources(operations: Sequence[Operation]) -> dict[str, Resource]:
    return {item.resource.plural: item.resource for item in operations}


_planned_collection = remembered(32)(_collection_after)  # a plan is looked at in many ways


def _object_after(operation: Operation, returned: Returned) -> Object | None:
    return None if operation.action == "delete" else returned.get(operation, operation.planned)


def merge_nested(
    resource: Resource,
    objects: Mapping[Key, Values],
    paths: Mapping[Key, Option],
    existing: Mapping[Key, Object],
) -> dict[Hashable, dict[str, Any]]:
    """The values that a task names for nested objects, by the normalised id of each; raises
    OptionError where two entries contradict.

    Without `existing` objects it knows the nested objects whose ids the task names.
    """
    merged: dict[Hashable, dict[str, Any]] = {}
    if not resource.nested:
        return merged
    sources: dict[tuple[Hashable, str], Option] = {}
    for key, values in objects.items():
        identity = nested_id(resource, values) or nested_id(resource, existing.get(key))
        if identity is None or not values.get(resource.nested.field):
            continue
        field = resource.field(resource.nested.field)
        desired, path = values[field.name], paths[key].at(field.name)
        known = merged.setdefault(identity, {})
        both = [item for item in field.fields if item.name in known]
        for name in differences(both, known, desired):
            about = f"; both entries are about the {field.name} {identity}. Keep one of them"
            problem = Message("it contradicts ", sources[identity, name], about)
            raise OptionError(path.at(name), problem)
        for name in desired:
            sources.setdefault((identity, name), path.at(name))
            # Of several spellings of one value, the same is taken in whatever order the entries
            # come.
            known[name] = min(known.get(name, desired[name]), desired[name], key=repr)
    return merged


def unread_nested(
    resource: Resource, objects: Iterable[Values], existing: Sequence[Object]
) -> list[str]:
    """The ids of the nested objects that a task names, and that no existing object has."""
    if not resource.nested:
        return []
    named, known = ({nested_id(resource, obj) for obj in some} for some in (objects, existing))
    return sorted(map(str, named - known - {None}))


def share_nested(
    resource: Resource,
    objects: Mapping[Key, Values],
    paths: Mapping[Key, Option],
    existing: Sequence[Object],
    operations: Sequence[Operation],
    others: Sequence[Object] = (),
) -> Sequence[Operation]:
    """The operations, each with its nested object as all of them leave it, and with the objects
    that change along; raises OptionError where two of the desired objects contradict.

    `others` are nested objects that the operations name, and that no existing object has.
    """
    if not resource.nested:
        return operations
    by_key = {resource.key_of(obj): obj for obj in existing}
    merged = merge_nested(resource, objects, paths, by_key)
    field = resource.field(resource.nested.field)
    known: dict[Hashable, Object] = {}
    for obj in (*existing, *({field.name: nested} for nested in others)):
        known.setdefault(nested_id(resource, obj), obj.get(field.name) or {})
    changes = {key: differences(field.fields, known.get(key), merged[key]) for key in merged}
    final = {key: overlay(field.fields, known.get(key, {}), changes[key]) for key in changes}
    along: dict[Hashable, list[Operation]] = {}
    own = {operation.index for operation in operations}
    for index, obj in enumerate(existing):
        identity = nested_id(resource, obj)
        if changes.get(identity) and index not in own:
            shared = {field.name: final[identity]}
            other = Operation("update", resource, {}, obj, index, shared=shared)
            along.setdefault(identity, []).append(other)
    planned: list[Operation] = []
    for operation in operations:
        identity = nested_id(resource, operation.fields) or nested_id(resource, operation.existing)
        beside = along.pop(identity, []) if field.name in operation.fields else []
        shared = {field.name: final[identity]} if identity in final else {}
        planned.append(replace(operation, shared=shared, along=tuple(beside)))
    return planned


def spread_nested(returned: Returned) -> dict[Operation, Object]:
    """Objects that Cloudflare returned, with its last answer on a nested object in every object
    that has it."""
    every = {item: returned.get(item, item.planned or {}) for item in with_along(returned)}
    last = {nested_id(operation.resource, obj): obj for operation, obj in returned.items()}
    for operation, obj in every.items():
        nested, identity = operation.resource.nested, nested_id(operation.resource, obj)
        if nested and identity in last and identity is not None:
            every[operation] = {**obj, nested.field: last[identity][nested.field]}
    return every


def nested_id(resource: Resource, obj: Object | None) -> Hashable:
    """The normalised id of the nested object of `obj`; None where it names none."""
    nested = (obj or {}).get(resource.nested.field) if resource.nested else None
    return ID.normalise(fields_in(nested).get("id")) or None


def every_value(resource: Resource, obj: Object, is_new: bool = False) -> Values:
    """The normalised values of an object, and the values of fields that are not declared; without
    those that only Cloudflare sets."""
    fields = [item for item in resource.fields if not is_new or item.name in obj]
    return _normal(fields, obj, resource.read_only)


def _normal(fields: Iterable[Field], obj: Object, read_only: Sequence[str]) -> dict[str, Any]:
    values = without(obj, *read_only)
    for item in fields:
        nested = obj.get(item.name) if item.fields else None
        if isinstance(nested, Mapping):
            values[item.name] = _normal(item.fields, nested, read_only)
        else:
            values[item.name] = item.normalised(obj)
    return values
