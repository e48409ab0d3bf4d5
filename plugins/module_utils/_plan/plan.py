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
    """The desired values that differ from those of the existing object, after both are normalised;
    of a nested object only the fields that differ.
    """
    changed: dict[str, Any] = {}
    current = existing or {}
    for field_ in fields:
        name = field_.name
        if name not in desired:
            continue
        if name in current and same_value(current[name], desired[name]):
            continue
        if field_.fields:
            nested_changes = _nested_differences(field_, current.get(name), desired[name])
            if nested_changes:
                changed[name] = nested_changes
        elif field_.normalised(existing) != field_.normalised(desired):
            changed[name] = desired[name]
    return changed


def _nested_differences(nested: Field, existing: Any, desired: Values) -> Values:
    current = fields_in(existing)
    changes = {
        **differences(nested.fields, current, desired),
        **undeclared_changes(nested.nested_names, current, desired),
    }
    return desired if "id" in changes else changes  # with another id it is another object


def values_before(fields: Iterable[Field], existing: Object, planned: Object) -> dict[str, Any]:
    """The existing values of the fields in which two objects differ, null for a field that the
    existing object lacks; of a nested object only the fields that differ.
    """
    before: dict[str, Any] = {}
    for field_ in fields:
        name = field_.name
        old, new = existing.get(name), planned.get(name)
        if old is new:
            continue
        if field_.fields and isinstance(old, Mapping) and isinstance(new, Mapping):
            nested_before = values_before(field_.fields, old, new)
            if nested_before:
                before[name] = nested_before
        elif field_.normalised(existing) != field_.normalised(planned):
            before[name] = old
    return before


def overlay(fields: Iterable[Field], existing: Object, changes: Values) -> dict[str, Any]:
    """The existing object with the changes in it. A nested object that names its id replaces the
    existing one; of another, only the changed fields are replaced.
    """
    merged = {**existing, **changes}
    nested_fields = [field_ for field_ in fields if field_.fields]
    for field_ in nested_fields:
        nested, change = existing.get(field_.name), changes.get(field_.name)
        if not isinstance(nested, Mapping) or not isinstance(change, Mapping):
            continue
        replaces = "id" in change
        values = change if replaces else overlay(field_.fields, nested, change)
        removed = {name for name in change if change[name] is None}
        merged[field_.name] = {name: values[name] for name in values if name not in removed}
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
        """The object afterwards, as far as it can be predicted; None if it is deleted."""
        if self.action == "delete":
            return None
        if self.becomes is not None:
            return self.becomes
        if self._planned is None:
            self._planned = self._predicted()
        return self._planned

    def _predicted(self) -> Object:
        """The object afterwards. Of a new object, the fields that are sent are the whole object, so
        that no copy is made.
        """
        resource, fields = self.resource, self.fields
        existing = self.existing or {}
        merged = overlay(resource.fields, existing, fields)
        merged.update(self.shared)
        for name in self.undeclared:
            if merged[name] is None:
                del merged[name]
        names = {*self.named, *fields}
        predicted = resource.semantics.normalise(merged, existing, names)
        is_as_sent = self.existing is None and predicted == fields
        if is_as_sent:
            return fields
        return predicted

    @property
    def before(self) -> Values:
        """The existing values that the operation changes: all values of an object that is deleted,
        none of a new object.
        """
        resource, existing, planned = self.resource, self.existing, self.planned
        if existing is None:
            return NO_ITEMS
        if planned is None:
            return {**undeclared(resource, existing), **resource.declared_values(existing)}
        before = values_before(resource.fields, existing, planned)
        for field_ in resource.fields:
            undeclared_before = self._undeclared_before(field_, existing)
            if undeclared_before:
                before[field_.name] = {**before.get(field_.name, {}), **undeclared_before}
        if POSITION in self.fields and self.index is not None:
            before[POSITION] = self.index + 1
        for name in self.undeclared:
            before[name] = existing.get(name)
        return before

    def _undeclared_before(self, nested: Field, existing: Object) -> dict[str, Any]:
        """The existing values of those fields of a nested object that are sent although no option
        describes them.
        """
        sent = self.fields.get(nested.name)
        old = existing.get(nested.name)
        if not nested.fields or not isinstance(sent, Mapping):
            return {}
        if not isinstance(old, Mapping):
            return {}
        declared = nested.nested_names
        return {name: old.get(name) for name in sent if name not in declared}

    @property
    def undeclared(self) -> Collection[str]:
        """The names of the fields that change and that the resource does not declare."""
        names = self.fields
        declared = self.resource.fields_by_name
        if names.keys() <= declared.keys():
            return ()
        return [name for name in names if name not in declared and name != POSITION]

    @property
    def key(self) -> Key:
        """The normalised values that identify the object."""
        return self.resource.key_of(self.existing or self.fields)

    @property
    def target(self) -> tuple[str, Key]:
        """The collection and the key of the object that changes."""
        return (self.resource.plural, self.key)

    @property
    def order(self) -> Key:
        """A sort key by network, which is the object's key; duplicates are sorted by label and id,
        so that the order of the input does not matter.
        """
        resource = self.resource
        key = normalise_network(self.address) if resource.address_field else self.key
        label = self.label if resource.has_duplicates else ""
        return (resource.plural, *key, label, self.identity)

    @property
    def identity(self) -> str:
        """The id of the existing object; empty for a new object."""
        return str(self.existing.get("id")) if self.existing else ""

    @property
    def label(self) -> str:
        """The key as text for people."""
        self._label = self._label or self.resource.label_of(self.existing or self.fields)
        return self._label

    @property
    def title(self) -> str:
        """The words by which sentences name the object."""
        return self.resource.title_of(self.existing or self.fields)

    @property
    def address(self) -> object:
        """The network that the object concerns; None if its resource has no field for a network."""
        name = self.resource.address_field
        return (self.existing or self.fields).get(name) if name else None


def with_along(operations: Iterable[Operation]) -> Iterator[Operation]:
    """The operations, each followed by the operations of the objects that change with it because
    they have the same nested object.
    """
    for operation in operations:
        yield operation
        yield from operation.along


Returned = Mapping[Operation, Object]  # what Cloudflare returned for an operation


class Plan(NamedTuple):
    """The operations in the order in which they are applied, and `before`, the state that they
    start from. `alongside` has the effects on collections that the plan does not write. `unread`
    says why collections that decide about the plan could not be read. In a run of many hosts,
    `freed` is by list how many rules of other hosts will refer to it no more, `contents` are those
    of the lists after the run, and `waiting` are operations that wait for the rules of other hosts.
    """

    before: State
    operations: tuple[Operation, ...]
    order: Mapping[str, Sequence[Key]] = NO_ITEMS  # by plural, of ordered lists
    alongside: State = NO_ITEMS  # by plural, as it is afterwards
    unread: Mapping[str, Mapping[str, str]] = NO_ITEMS  # by plural: reasons by what is not known
    freed: Mapping[str, int] = NO_ITEMS
    contents: Mapping[str, Any] = NO_ITEMS
    waiting: tuple[Operation, ...] = ()

    @property
    def resources(self) -> dict[str, Resource]:
        """The collections that the plan changes, by plural."""
        return _changed_resources(self.operations)

    @property
    def doubts(self) -> list[str]:
        """A sentence for each collection that decides about the plan and cannot be read, with
        the first reason."""
        reasons: dict[str, str] = {}
        for reasons_of_collection in self.unread.values():
            for doubt, reason in reasons_of_collection.items():
                reasons.setdefault(doubt, reason)
        return [Message(f"{doubt}: ", reason) for doubt, reason in reasons.items() if doubt]

    def after(self, returned: Returned | None = None) -> State:
        """The state after the plan: for each operation the object that Cloudflare returned, or the
        planned object if none was returned.
        """
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
    changes = [
        operation for operation in with_along(operations) if operation.resource.plural == plural
    ]
    if not changes:
        return before
    by_index = {operation.index: operation for operation in changes}
    collection: list[Object] = []
    for index, existing in enumerate(before):
        obj: Object | None = existing
        if index in by_index:
            obj = _object_after(by_index[index], returned)
        if obj is not None:
            collection.append(obj)
    for operation in changes:
        new = _object_after(operation, returned) if operation.index is None else None
        if new is not None:
            collection.append(new)
    if plural in order:
        places = {key: place for place, key in enumerate(order[plural])}
        key_of = changes[0].resource.key_of
        collection.sort(key=lambda obj: places[key_of(obj)])
    return collection


@remembered(32)
def _changed_resources(operations: Sequence[Operation]) -> dict[str, Resource]:
    return {operation.resource.plural: operation.resource for operation in operations}


_planned_collection = remembered(32)(_collection_after)  # a plan is looked at in many ways


def _object_after(operation: Operation, returned: Returned) -> Object | None:
    return None if operation.action == "delete" else returned.get(operation, operation.planned)


def merge_nested(
    resource: Resource,
    objects: Mapping[Key, Values],
    paths: Mapping[Key, Option],
    existing: Mapping[Key, Object],
) -> dict[Hashable, dict[str, Any]]:
    """The values that a task names for nested objects, by the normalised id of each. Raises
    OptionError if two entries give one nested object different values. If the `existing` objects
    are empty, it knows only the nested objects whose ids the task names.
    """
    merged: dict[Hashable, dict[str, Any]] = {}
    if not resource.nested:
        return merged
    nested_field = resource.field(resource.nested.field)
    sources: dict[tuple[Hashable, str], Option] = {}
    for key, values in objects.items():
        identity = nested_id(resource, values) or nested_id(resource, existing.get(key))
        if identity is None or not values.get(nested_field.name):
            continue
        desired, path = values[nested_field.name], paths[key].at(nested_field.name)
        nested = merged.setdefault(identity, {})
        shared_fields = [field_ for field_ in nested_field.fields if field_.name in nested]
        for name in differences(shared_fields, nested, desired):
            about = f"both entries are about the {nested_field.name} {identity}"
            source = sources[identity, name]
            problem = Message("it contradicts ", source, f"; {about}. Keep one of them")
            raise OptionError(path.at(name), problem)
        for name in desired:
            sources.setdefault((identity, name), path.at(name))
            # Of several spellings of one value, the same is taken in whatever order the entries
            # come.
            nested[name] = min(nested.get(name, desired[name]), desired[name], key=repr)
    return merged


def unread_nested(
    resource: Resource, objects: Iterable[Values], existing: Sequence[Object]
) -> list[str]:
    """The ids of nested objects that the task names and that none of the existing objects
    contains."""
    if not resource.nested:
        return []
    desired_ids = {nested_id(resource, obj) for obj in objects}
    existing_ids = {nested_id(resource, obj) for obj in existing}
    return sorted(map(str, desired_ids - existing_ids - {None}))


def share_nested(
    resource: Resource,
    objects: Mapping[Key, Values],
    paths: Mapping[Key, Option],
    existing: Sequence[Object],
    operations: Sequence[Operation],
    unused_nested: Sequence[Object] = (),
) -> Sequence[Operation]:
    """The operations, completed for nested objects that several objects share: each operation has
    the nested object as all operations together leave it, and the objects that change along. Raises
    OptionError if two desired objects contradict each other. `unused_nested` are nested objects
    that operations name and no existing object contains.
    """
    if not resource.nested:
        return operations
    nested_field = resource.field(resource.nested.field)
    current: dict[Hashable, Object] = {}
    for obj in (*existing, *({nested_field.name: nested} for nested in unused_nested)):
        current.setdefault(nested_id(resource, obj), obj.get(nested_field.name) or {})
    by_key = {resource.key_of(obj): obj for obj in existing}
    changes: dict[Hashable, dict[str, Any]] = {}
    shared: dict[Hashable, Values] = {}
    for identity, desired in merge_nested(resource, objects, paths, by_key).items():
        nested = current.get(identity)
        changes[identity] = differences(nested_field.fields, nested, desired)
        final = overlay(nested_field.fields, nested or {}, changes[identity])
        shared[identity] = {nested_field.name: final}
    along: dict[Hashable, list[Operation]] = {}
    changed_indices = {operation.index for operation in operations}
    for index, obj in enumerate(existing):
        identity = nested_id(resource, obj)
        if changes.get(identity) and index not in changed_indices:
            follower = Operation("update", resource, {}, obj, index, shared=shared[identity])
            along.setdefault(identity, []).append(follower)
    planned: list[Operation] = []
    for operation in operations:
        identity = nested_id(resource, operation.fields) or nested_id(resource, operation.existing)
        followers: list[Operation] = []
        if nested_field.name in operation.fields:
            followers = along.pop(identity, [])
        nested_after = shared.get(identity, {})
        planned.append(replace(operation, shared=nested_after, along=tuple(followers)))
    return planned


def spread_nested(returned: Returned) -> dict[Operation, Object]:
    """The objects that Cloudflare returned, by operation. If several of them contain the same
    nested object, all get it as Cloudflare returned it last.
    """
    last = {nested_id(operation.resource, obj): obj for operation, obj in returned.items()}
    spread: dict[Operation, Object] = {}
    for operation in with_along(returned):
        obj = returned.get(operation, operation.planned or {})
        nested, identity = operation.resource.nested, nested_id(operation.resource, obj)
        if nested and identity in last and identity is not None:
            obj = {**obj, nested.field: last[identity][nested.field]}
        spread[operation] = obj
    return spread


def nested_id(resource: Resource, obj: Object | None) -> Hashable:
    """The normalised id of the nested object of `obj`; None where it names none."""
    nested = (obj or {}).get(resource.nested.field) if resource.nested else None
    return ID.normalise(fields_in(nested).get("id")) or None


def every_value(resource: Resource, obj: Object, is_new: bool = False) -> Values:
    """All values of an object, normalised, including fields that are not declared; without the
    fields that only Cloudflare sets.
    """
    fields = [field_ for field_ in resource.fields if not is_new or field_.name in obj]
    return _normal(fields, obj, resource.read_only)


def _normal(fields: Iterable[Field], obj: Object, read_only: Sequence[str]) -> dict[str, Any]:
    values = without(obj, *read_only)
    for field_ in fields:
        nested = obj.get(field_.name) if field_.fields else None
        if isinstance(nested, Mapping):
            values[field_.name] = _normal(field_.fields, nested, read_only)
        else:
            values[field_.name] = field_.normalised(obj)
    return values
