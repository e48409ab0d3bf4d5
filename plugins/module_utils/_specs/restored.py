# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host as a snapshot has it: the objects of a state are the desired state of a plan."""

from __future__ import annotations

from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from functools import partial
from itertools import filterfalse, product
from typing import Any, Callable, Container, Iterator, Mapping, NamedTuple, Sequence, Tuple

from .._errors import MAX_ERRORS, PlanError
from .._plan.api_fields import undeclared
from .._plan.desired import Desired, DesiredObject
from .._plan.plan import differences
from .._plan.reconcile import longest_ascending
from .._schema.custom_rulesets import CUSTOM_RULESETS
from .._schema.registry import MANAGED, Managed
from .._schema.resource import NO_ITEMS, Key, Object, Resource, State, Values, id_of_new, without
from .._schema.rulesets import deployed
from .._text import first_joined, first_sentences
from .._values.kinds import same_value
from .base import RESTORED, Options, Resources
from .host import Host
from .whole_state import all_inside, collections_of, name_of, options_for, why_not_described

EMPTY_OF_TYPE: Mapping[str, Any] = {"str": "", "raw": "", "bool": False, "list": [], "dict": {}}
IsLeft = Callable[[Object], bool]
Restorable = Tuple[Resource, Sequence[Object], IsLeft]  # a collection, and its objects then


class RestoredHost(Host):
    """A host as the state in a snapshot.

    Of the collections that the snapshot has `named`, its run could change these objects alone; all
    others are left alone. So are objects of others, by `ignore_ids` and the patterns of options,
    and those that `leave_objects` names, by id or by name; fields in `leave_fields` stay as they
    are, as far as no option stands for them.
    """

    lists_unmanaged = False

    def __init__(self, options: Options) -> None:
        given = options[RESTORED]
        self._objects: State = given["objects"]
        self._named: Mapping[str, Sequence[Object]] = given["named"]
        self._named_keys: dict[str, set[Key]] = {}
        self._fields: Sequence[str] = given["leave_fields"]
        self._left = {*map(str, options.get("ignore_ids") or ()), *given["leave_objects"]}
        self._patterns = {
            item.resource.plural: options.get(f"{item.module}_ignore") or () for item in MANAGED
        }
        self._collections = collections_of(self._objects)

    @property
    def described(self) -> list[Managed]:
        return [item for item in MANAGED if item.resource.plural in self._objects]

    def desired(self, options: Options) -> Sequence[Desired]:
        """The state to reach, also of what the host expects, which is read beside the snapshot."""
        return [*super().desired(options), *map(self._named_in, self._collections)]

    def _named_in(self, resource: Resource) -> Desired:
        """A collection of the snapshot; with nested objects, since a task reads those it names."""
        objects = self._objects.get(resource.plural, ()) if resource.nested else ()
        entries = {resource.key_of(obj): DesiredObject(obj) for obj in objects}
        return Desired(resource, entries, exclusive=True)

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        every = [*super().reads(options, desired, state), *self._collections]
        if state:
            every += [*all_inside(every, self._objects), *all_inside(every, state)]
        return [*{one.plural: one for one in every}.values()]

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        settled: list[Desired] = []
        refused: dict[str, str] = {}
        for resource, before, is_left in self._restorable(state):
            again = _Again(resource, before, state[resource.plural], self._fields)
            own, more = again.desired(is_left)
            settled.append(own)
            refused.update(more)
        if refused:
            raise PlanError(
                first_sentences([*_by_reason(refused)], MAX_ERRORS)
                + " To restore everything else, name these objects in restore_leave_objects, by id"
                " if they have one; to restore them without fields that the collection does not"
                " know, name the fields in restore_leave_fields."
            )
        return settled

    def _restorable(self, state: State) -> Iterator[Restorable]:
        """Each collection, its objects in the snapshot, and whether one is left alone."""
        names, ids = self._rulesets(state)
        for resource in self._collections:
            with_ids, own = resource.semantics.with_ids, resource.our_objects_in(self._objects)
            before = [with_ids(obj, ids) for obj in own]
            contents = [*self._contents(resource, before, state)]
            stay = {one.parent_name for one, *_more in contents} - {*map(resource.label_of, before)}
            yield resource, before, partial(self._is_left, resource, stay=stay, names=names)
            yield from contents

    def _contents(
        self, holder: Resource, before: Sequence[Object], state: State
    ) -> Iterator[Restorable]:
        """The same of the items of lists, or the rules of rulesets. A list that is gone comes back
        with all that it had, and one that the run made stays if it has something of others."""
        if not holder.contents:
            return
        then, now = (
            {holder.label_of(obj): obj for obj in objects if not self._is_left(holder, obj)}
            for objects in (before, holder.our_objects_in(state))
        )
        for name, obj in {**then, **now}.items():
            resource = holder.contents(obj)
            could_change = partial(self._could_change, resource)
            others = [*filterfalse(could_change, state[resource.plural])] if name in now else []
            if name in then or others:
                objects = self._objects.get(resource.plural, ()) if name in then else ()
                is_left = partial(self._is_left, resource) if name in now else _is_never
                yield resource, resource.our_objects(objects), is_left

    def _rulesets(self, state: State) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """The names of rulesets by their ids of then, of today and of new ones; and by all of these
        the ids of today, or of new ones."""
        names: dict[str, str] = {}
        today: dict[str, str] = {}
        for one, resource in product((self._objects, state), CUSTOM_RULESETS.values()):
            for obj in resource.our_objects_in(one):
                name, identity = resource.label_of(obj), str(obj.get("id"))
                names.update(dict.fromkeys((identity, id_of_new(name)), name))
                today.update({name: identity} if one is state else {})
        return names, {one: today.get(name, id_of_new(name)) for one, name in names.items()}

    def _is_left(
        self,
        resource: Resource,
        obj: Object,
        stay: Container[str] = (),
        names: Mapping[str, str] = NO_ITEMS,
    ) -> bool:
        """Return whether the restore leaves an object alone. A rule that deploys one of the
        rulesets with these `names` is one with it."""
        if resource.label_of(obj) in stay or self._is_exception(resource, obj):
            return True
        name, rulesets = names.get(deployed(obj)), CUSTOM_RULESETS[resource.owner]
        if name is None or rulesets.plural not in self._objects:
            return not self._could_change(resource, obj)
        both = ((resource, obj), (rulesets, {"name": name}))
        return self._is_exception(*both[1]) or not any(self._could_change(*one) for one in both)

    def _could_change(self, resource: Resource, obj: Object) -> bool:
        """Return whether the run of the snapshot could change this object."""
        if resource.plural not in self._named:
            return True
        keys = self._named_keys.get(resource.plural)
        if keys is None:
            keys = {*map(resource.key_of, self._named[resource.plural])}
            self._named_keys[resource.plural] = keys
        return resource.key_of(obj) in keys

    def _is_exception(self, resource: Resource, obj: Object) -> bool:
        identity, name = str(obj.get("id")), resource.label_of(obj)
        patterns = self._patterns.get(resource.plural, ())
        return not self._left.isdisjoint({identity, name, f"{resource.title} {name}"}) or any(
            fnmatchcase(name, pattern) for pattern in patterns
        )


def _is_never(_obj: Object) -> bool:
    return False


def _by_reason(refused: Mapping[str, str]) -> Iterator[str]:
    """The refusals, in one sentence for all objects with one reason."""
    for reason in dict.fromkeys(refused.values()):
        names = [name for name in refused if refused[name] == reason]
        if len(names) == 1:
            yield f"The {names[0]} cannot be brought back: {reason}"
        else:
            named = first_joined(names, ", ", MAX_ERRORS)
            yield f"{len(names)} objects cannot be brought back: {reason} They are: {named}."


class _Again(NamedTuple):
    """A collection, and the objects that it had `before` and must have again, but for the `fields`.

    An object that no option describes, and one of two with one key, is left alone if it is still as
    it was. Otherwise it is refused, since a plan could only make another object of it. Objects of
    an ordered list are sent as a whole, so that one which only moved can move back.
    """

    resource: Resource
    before: Sequence[Object]
    current: Sequence[Object]
    fields: Sequence[str]

    def desired(self, is_left: IsLeft) -> tuple[Desired, Mapping[str, str]]:
        """The desired state; or by the names of objects, why they cannot come back. Once these are
        left alone, others cannot either, such as a second one with the key of one that is left."""
        refused: dict[str, str] = {}
        while True:
            desired, more = self._attempted(
                lambda obj: is_left(obj) or name_of(self.resource, obj) in refused
            )
            if not more:
                return desired, refused
            refused.update(more)

    def _attempted(self, is_left: IsLeft) -> tuple[Desired, Mapping[str, str]]:
        key_of, own = self.resource.key_of, [*filterfalse(is_left, self.before)]
        by_id = {obj.get("id"): obj for obj in self.current}
        counts = Counter(map(key_of, own))
        kept = [*filter(is_left, self.current)]
        changed: list[tuple[Object, Values, str]] = []
        for obj in own:
            same = by_id.get(obj.get("id"))
            same = same if same and self._is_same(obj, same) else None
            values, reason = self._values_of(obj, same is not None)
            if same and (reason or counts[key_of(obj)] > 1):
                kept.append(same)
            else:
                changed.append((obj, values, reason))
        changed.sort(key=lambda one: one[0].get("id") not in by_id)
        left, taken = {*map(id, kept)}, {*map(key_of, kept)}
        free: dict[Key, list[Object]] = defaultdict(list)
        for obj in self.current:
            free[key_of(obj)] += [] if id(obj) in left else [obj]
        entries: dict[Key, DesiredObject] = {}
        refused: dict[str, str] = {}
        for obj, values, reason in changed:
            key, there = key_of(obj), free[key_of(obj)]
            if not reason and (key in entries or (key in taken and not there)):
                reason = "it is a duplicate, and a module makes no second one"
            own = [one for one in there if one.get("id") == obj.get("id")]
            existing = next(iter([*own, *there]), None)
            reason = reason or self._lacking(obj, existing)
            if reason:
                refused[name_of(self.resource, obj)] = f"{reason.rstrip('?')}."
            else:
                entries[key] = DesiredObject(self._in_full(obj, values, existing or {}))
        return self._desired(entries, kept), refused

    def _desired(self, entries: Mapping[Key, DesiredObject], kept: Sequence[Object]) -> Desired:
        """In an ordered list, objects that are left alone and do not move say where the others
        come back."""
        key_of = self.resource.key_of
        places = {key: place for place, key in enumerate(map(key_of, self.before))}
        left = {*map(key_of, kept)}
        staying = [key for key in map(key_of, self.current) if key in left]
        anchors = {*longest_ascending(staying, places)}
        order = [key for key in places if key in entries or key in anchors]
        return Desired(
            self.resource,
            {key: entries[key] for key in order if key in entries},
            exclusive=bool(self.resource.delete),
            order=order if self.resource.is_ordered else (),
            ignore_ids=frozenset(str(obj.get("id")) for obj in kept),
        )

    def _values_of(self, obj: Object, is_same: bool) -> tuple[Values, str]:
        """The values that describe an object, or the reason why none do."""
        if self.resource.is_ordered and (is_same or deployed(obj)):
            return obj, ""
        options = options_for(self.resource, obj)
        known = {name: value for name, value in options.items() if obj.get(name) is not None}
        reason = why_not_described(self.resource, obj, options)
        return obj if self.resource.is_ordered else known, reason

    def _is_same(self, one: Object, other: Object) -> bool:
        fields, pairs = self.resource.fields, ((one, other), (other, one))
        return not any(differences(fields, *pair) for pair in pairs) and not self._unlike(*pairs[0])

    def _unlike(self, one: Object, other: Object) -> list[str]:
        """The names of fields without an option that differ; None is as good as none."""
        then, now = (undeclared(self.resource, obj) for obj in (one, other))
        names = sorted({*then, *now}.difference(self.fields))
        return [name for name in names if not same_value(then.get(name), now.get(name))]

    def _lacking(self, obj: Object, existing: Object | None) -> str:
        """The reason why a plan would make another object."""
        if existing is None and not self.resource.create and self.resource.key:
            return "it was deleted, and Cloudflare takes no new one"
        names = [] if self.resource.is_ordered else self._unlike(obj, existing or {})
        return f"no option sets its {', '.join(names)}" if names else ""

    def _in_full(self, obj: Object, values: Values, existing: Object) -> Values:
        """The values, with empty ones for what the existing object has got meanwhile."""
        full = without(values, *self.resource.assigned)
        for item in self.resource.mutable if existing else ():
            if full.get(item.name) is None and item.normalised(obj) != item.normalised(existing):
                empty = item.default if item.absent_default is None else item.absent_default
                kind = str(item.value.option["type"])
                full[item.name] = item.value.parse(EMPTY_OF_TYPE[kind] if empty is None else empty)
        if not self.resource.is_ordered:
            return full
        now = undeclared(self.resource, existing)
        full = {**dict.fromkeys(now), **full}
        for item in (one for one in self.resource.fields if one.fields and one.name in now):
            full[item.name] = {**dict.fromkeys(now[item.name]), **(full[item.name] or {})}
        return without(full, *self.fields)
