# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The desired state of one collection that a restore brings back, and the objects that it cannot
bring back."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import filterfalse
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from .._plan.api_fields import undeclared
from .._plan.desired import Desired, DesiredObject
from .._plan.order_in_list import longest_ascending
from .._plan.plan import differences, overlay
from .._schema.resource import Field, Key, Object, Resource, Values, fields_in, without
from .._schema.rulesets import deployed
from .._values.kinds import same_value
from .whole_state import name_of, options_for, why_not_described

IsLeftAlone = Callable[[Object], bool]


class Restorable(NamedTuple):
    """A collection to restore: its objects in the snapshot are `before`, and a function tells which
    objects the restore leaves alone.
    """

    resource: Resource
    before: Sequence[Object]
    is_left_alone: IsLeftAlone


EMPTY_OF_TYPE: Mapping[str, Any] = {"str": "", "raw": "", "bool": False, "list": [], "dict": {}}


class ChangedObject(NamedTuple):
    """An object of the snapshot that has changed since, and the values that describe it, or the
    reason why none do."""

    obj: Object
    values: Values
    reason: str


class Restoration(NamedTuple):
    """The restore of one collection: its `current` objects become what they were before, except for
    fields that are left alone. If no option describes an object, or if another object has its key
    now, a plan could only create another object. Such an object is left alone if it has not
    changed, and refused otherwise. Objects of an ordered list are sent as a whole, so that one that
    only moved can move back.
    """

    restorable: Restorable
    current: Sequence[Object]
    fields_left_alone: Sequence[str]

    @property
    def resource(self) -> Resource:
        """The collection of the objects."""
        return self.restorable.resource

    def desired(self) -> tuple[Desired, Mapping[str, str]]:
        """The desired state, and by name the objects that cannot come back, with the reasons. If
        one of these is left alone, another one may be refused in turn, such as a second object with
        its key.
        """
        reasons_by_object: dict[str, str] = {}
        while True:
            desired, new_reasons = self._desired_without(reasons_by_object)
            if not new_reasons:
                return desired, reasons_by_object
            reasons_by_object.update(new_reasons)

    def _desired_without(
        self, reasons_by_object: Mapping[str, str]
    ) -> tuple[Desired, Mapping[str, str]]:
        """The desired state without the refused objects, and the reasons for the objects that are
        refused in turn.
        """

        def is_left_alone(obj: Object) -> bool:
            if self.restorable.is_left_alone(obj):
                return True
            return name_of(self.resource, obj) in reasons_by_object

        before = [*filterfalse(is_left_alone, self.restorable.before)]
        staying = [*filter(is_left_alone, self.current)]
        changed = self._changed(before, staying)
        entries: dict[Key, DesiredObject] = {}
        new_reasons: dict[str, str] = {}
        free_objects = self._by_key_without(staying)
        taken_keys = {*map(self.resource.key_of, staying)}
        for obj, values, reason in changed:
            key = self.resource.key_of(obj)
            candidates = free_objects[key]
            existing = _with_id_or_any(obj.get("id"), candidates)
            is_duplicate = key in entries or (key in taken_keys and not candidates)
            if is_duplicate and not reason:
                reason = "it is a duplicate, and a module makes no second one"
            reason = reason or self._why_another_object(obj, existing)
            if reason:
                new_reasons[name_of(self.resource, obj)] = f"{reason.rstrip('?')}."
            else:
                entries[key] = DesiredObject(self._all_values(obj, values, existing or {}))
        return self._desired(entries, staying), new_reasons

    def _changed(self, before: Sequence[Object], staying: list[Object]) -> Sequence[ChangedObject]:
        """The objects to bring back, those that still exist first. Unchanged objects that a plan
        cannot describe are added to `staying`."""
        key_of = self.resource.key_of
        current_by_id = {obj.get("id"): obj for obj in self.current}
        counts = Counter(map(key_of, before))
        changed: list[ChangedObject] = []
        for obj in before:
            unchanged = current_by_id.get(obj.get("id"))
            if unchanged and not self._is_same(obj, unchanged):
                unchanged = None
            values, reason = self._values_of(obj, unchanged is not None)
            if unchanged and (reason or counts[key_of(obj)] > 1):
                staying.append(unchanged)
            else:
                changed.append(ChangedObject(obj, values, reason))
        changed.sort(key=lambda change: change.obj.get("id") not in current_by_id)
        return changed

    def _by_key_without(self, staying: Sequence[Object]) -> Mapping[Key, Sequence[Object]]:
        """The current objects that may change, by key; those that stay as they are, `staying`, are
        left out.
        """
        identities = {*map(id, staying)}
        by_key: dict[Key, list[Object]] = defaultdict(list)
        for obj in self.current:
            if id(obj) not in identities:
                by_key[self.resource.key_of(obj)].append(obj)
        return by_key

    def _desired(self, entries: Mapping[Key, DesiredObject], staying: Sequence[Object]) -> Desired:
        """The desired state of the collection. In an ordered list, the objects that are left alone
        and do not move decide where the others come back.
        """
        key_of = self.resource.key_of
        positions = {
            key: position for position, key in enumerate(map(key_of, self.restorable.before))
        }
        staying_keys = {*map(key_of, staying)}
        staying_in_order = [key for key in map(key_of, self.current) if key in staying_keys]
        anchors = {*longest_ascending(staying_in_order, positions)}
        order = [key for key in positions if key in entries or key in anchors]
        return Desired(
            self.resource,
            {key: entries[key] for key in order if key in entries},
            exclusive=bool(self.resource.delete),
            order=order if self.resource.is_ordered else (),
            ignore_ids=frozenset(str(obj.get("id")) for obj in staying),
        )

    def _values_of(self, obj: Object, is_same: bool) -> tuple[Values, str]:
        """The values that describe an object, or the reason why none do."""
        if self.resource.is_ordered and (is_same or deployed(obj)):
            return obj, ""
        options = options_for(self.resource, obj)
        reason = why_not_described(self.resource, obj, options)
        if self.resource.is_ordered:
            return obj, reason
        values = {name: value for name, value in options.items() if obj.get(name) is not None}
        return values, reason

    def _is_same(self, before: Object, current: Object) -> bool:
        fields = self.resource.fields
        if differences(fields, before, current) or differences(fields, current, before):
            return False
        return not self._differing_names(before, current)

    def _differing_names(self, before: Object, current: Object) -> list[str]:
        """The names of differing fields without an option; None equals a missing value."""
        fields_before = undeclared(self.resource, before)
        fields_now = undeclared(self.resource, current)
        names = {*fields_before, *fields_now}.difference(self.fields_left_alone)
        return [
            name
            for name in sorted(names)
            if not same_value(fields_before.get(name), fields_now.get(name))
        ]

    def _why_another_object(self, obj: Object, existing: Object | None) -> str:
        """The reason why a plan could not change this object back, but only create another one;
        empty if it can.
        """
        if existing is None and not self.resource.create and self.resource.key:
            return "it was deleted, and Cloudflare takes no new one"
        if self.resource.is_ordered:
            return ""
        names = self._differing_names(obj, existing or {})
        if not names:
            return ""
        return f"no option sets its {', '.join(names)}"

    def _all_values(self, obj: Object, values: Values, existing: Object) -> Values:
        """The values, completed by empty ones for fields that the object had not before and has
        now.
        """
        resource = self.resource
        all_values = without(values, *resource.assigned)
        if existing:
            merged = overlay(resource.fields, existing, all_values)
            # Without what goes with another action anyway.
            fitted = resource.semantics.normalise(merged, existing, all_values.keys())
            all_values = _with_empty_values(resource.mutable, obj, all_values, fitted)
        if not resource.is_ordered:
            return all_values
        fields_now = undeclared(resource, existing)
        all_values = {**dict.fromkeys(fields_now), **all_values}
        for field in resource.fields:
            name = field.name
            if field.fields and name in fields_now:
                cleared = dict.fromkeys(fields_now[name])
                nested_values = all_values[name] or {}
                all_values[name] = {**cleared, **nested_values}
        return without(all_values, *self.fields_left_alone)


def _with_id_or_any(identity: Any, objects: Sequence[Object]) -> Object | None:
    """The object with this id, or else the first one; None if there are none."""
    for obj in objects:
        if obj.get("id") == identity:
            return obj
    return next(iter(objects), None)


def _with_empty_values(
    fields: Iterable[Field], before: Object, values: Values, current: Object
) -> dict[str, Any]:
    """The values of an object, completed by empty ones for fields that it did not have `before` and
    has now.
    """
    filled = {**values}
    for field in fields:
        name, value = field.name, values.get(field.name)
        if value is None and field.normalised(before) != field.normalised(current):
            filled[name] = _empty_value(field)
        elif field.fields and isinstance(value, Mapping):
            inner_before, inner_now = fields_in(before.get(name)), fields_in(current.get(name))
            filled[name] = _with_empty_values(field.fields, inner_before, value, inner_now)
    return filled


def _empty_value(field: Field) -> Any:
    """The value of a field in a new object if the task leaves the field out; None if it has
    none."""
    kind = field.value
    empty = field.absent_default
    if empty is None:
        empty = field.default
    if empty is None:
        type_name = str(kind.option["type"])
        empty = EMPTY_OF_TYPE.get(type_name)
    return None if empty is None else kind.parse(empty)
