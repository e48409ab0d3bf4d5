# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host as a snapshot has it: the objects of a state are the desired state of a plan."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import partial
from itertools import filterfalse
from typing import Container, Iterator, Mapping, NamedTuple, Sequence

from .._errors import MAX_ERRORS, PlanError
from .._plan.desired import Desired, DesiredObject
from .._schema.custom_rulesets import CUSTOM_RULESETS
from .._schema.products import sentence_on_lack
from .._schema.registry import MANAGED, Managed
from .._schema.resource import NO_ITEMS, Key, Object, Resource, State, id_of_new
from .._schema.rulesets import deployed
from .._text import first_joined, first_sentences
from .._values.kinds import FLAG
from .base import RESTORED, Options, Resources
from .host import Host
from .restoration import Restorable, Restoration
from .whole_state import all_inside, collections_of


class RulesetIds(NamedTuple):
    """The ids of custom rulesets in the snapshot and in the existing state, and placeholders for
    rulesets to create. `names` has the name of each; `ids` has, for each of them, the id that the
    ruleset has now, or its placeholder.
    """

    names: Mapping[str, str]
    ids: Mapping[str, str]


class RestoredHost(Host):
    """Restores a host to the state in a snapshot.

    Only the objects under `named` of the snapshot may change; all other objects of those
    collections stay. Objects that belong to someone else stay too: those in `ignore_ids`, those
    that an ignore pattern matches, and those in `leave_objects` (ids or names). Fields in
    `leave_fields` keep their values, unless an option sets them.
    """

    lists_unmanaged = False

    def __init__(self, options: Options) -> None:
        snapshot = options[RESTORED]
        self._objects: State = snapshot["objects"]
        self._changeable: Mapping[str, Sequence[Object]] = snapshot["named"]
        self._changeable_keys: dict[str, set[Key]] = {}
        self._fields_left_alone: Sequence[str] = snapshot["leave_fields"]
        self._left_alone = {*map(str, options.get("ignore_ids") or ()), *snapshot["leave_objects"]}
        self._patterns = {
            managed.resource.plural: options.get(f"{managed.module}_ignore") or ()
            for managed in MANAGED
        }
        self._collections = collections_of(self._objects)

    @property
    def described(self) -> list[Managed]:
        return [managed for managed in MANAGED if managed.resource.plural in self._objects]

    def desired(self, options: Options) -> Sequence[Desired]:
        """The state to reach, and the desired state of what the host expects, which the snapshot
        does not have."""
        return [*super().desired(options), *map(self._desired_of, self._collections)]

    def _desired_of(self, resource: Resource) -> Desired:
        """The desired state of a collection, which is filled when the existing state is known. It
        already names nested objects, since a task reads only those that it names.
        """
        objects = self._objects.get(resource.plural, ()) if resource.nested else ()
        entries = {resource.key_of(obj): DesiredObject(obj) for obj in objects}
        return Desired(resource, entries, exclusive=True)

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        resources = [*super().reads(options, desired, state), *self._collections]
        if state:
            contents_then = all_inside(resources, self._objects)
            contents_now = all_inside(resources, state)
            resources += [*contents_then, *contents_now]
        return [*{resource.plural: resource for resource in resources}.values()]

    def settled(self, desired: Sequence[Desired], state: State) -> Sequence[Desired]:
        settled: list[Desired] = []
        reasons_by_object: dict[str, str] = {}
        for restorable in self._restorable(state):
            current = state[restorable.resource.plural]
            restoration = Restoration(restorable, current, self._fields_left_alone)
            restored, reasons_of_collection = restoration.desired()
            settled.append(restored)
            reasons_by_object.update(reasons_of_collection)
        if reasons_by_object:
            raise PlanError(
                first_sentences([*_by_reason(reasons_by_object)], MAX_ERRORS)
                + " To restore everything else, name these objects in restore_leave_objects, by id"
                " if they have one; to restore them without fields that the collection does not"
                " know, name the fields in restore_leave_fields."
            )
        return settled

    def _restorable(self, state: State) -> Iterator[Restorable]:
        """The collections of the snapshot, each before the lists inside of its objects."""
        rulesets = self._ruleset_ids(state)
        for resource in self._collections:
            if resource.plural not in state:  # of a product that the account does not have
                self._require_nothing(resource)
                continue
            with_ids = resource.semantics.with_ids
            objects = resource.our_objects_in(self._objects)
            before = [with_ids(obj, rulesets.ids) for obj in objects]
            contents = [*self._contents(resource, before, state)]
            labels = {resource.label_of(obj) for obj in before}
            staying = {inside.resource.parent_name for inside in contents} - labels
            yield Restorable(
                resource,
                before,
                partial(self._is_left_alone, resource, staying=staying, names=rulesets.names),
            )
            yield from contents

    def _require_nothing(self, resource: Resource) -> None:
        """Raise PlanError if the snapshot has objects of a product that the account does not
        have."""
        objects = resource.our_objects_in(self._objects)
        if any(FLAG.normalise(obj.get("enabled", True)) == "true" for obj in objects):
            titles = resource.titles if resource.key else resource.title
            raise PlanError(
                f"The {titles} cannot be brought back: {sentence_on_lack(resource.product)}"
            )

    def _contents(
        self, holder: Resource, before: Sequence[Object], state: State
    ) -> Iterator[Restorable]:
        """The items of lists, or the rules of rulesets, to restore. A list that was deleted comes
        back with all its items. A list that the run created stays if others have added items to it.
        """
        if not holder.contents:
            return
        objects_then = self._restored_by_label(holder, before)
        objects_now = self._restored_by_label(holder, holder.our_objects_in(state))
        for label, obj in {**objects_then, **objects_now}.items():
            resource = holder.contents(obj)
            is_left_alone = _is_never
            has_others = False
            if label in objects_now:
                is_left_alone = partial(self._is_left_alone, resource)
                could_change = partial(self._could_change, resource)
                has_others = not all(map(could_change, state[resource.plural]))
            if label in objects_then:
                contents_then = resource.our_objects(self._objects.get(resource.plural, ()))
                yield Restorable(resource, contents_then, is_left_alone)
            elif has_others:
                yield Restorable(resource, [], is_left_alone)

    def _restored_by_label(
        self, holder: Resource, objects: Sequence[Object]
    ) -> Mapping[str, Object]:
        """The objects that the restore does not leave alone, by their labels."""
        is_left_alone = partial(self._is_left_alone, holder)
        return {holder.label_of(obj): obj for obj in filterfalse(is_left_alone, objects)}

    def _ruleset_ids(self, state: State) -> RulesetIds:
        names: dict[str, str] = {}
        ids_today: dict[str, str] = {}
        for resource in CUSTOM_RULESETS.values():
            rulesets_then = resource.our_objects_in(self._objects)
            rulesets_today = resource.our_objects_in(state)
            for ruleset in (*rulesets_then, *rulesets_today):
                name = resource.label_of(ruleset)
                identity = str(ruleset.get("id"))
                names[identity] = name
                names[id_of_new(name)] = name
            for ruleset in rulesets_today:
                name = resource.label_of(ruleset)
                ids_today[name] = str(ruleset.get("id"))
        ids = {identity: ids_today.get(name, id_of_new(name)) for identity, name in names.items()}
        return RulesetIds(names, ids)

    def _is_left_alone(
        self,
        resource: Resource,
        obj: Object,
        staying: Container[str] = (),
        names: Mapping[str, str] = NO_ITEMS,
    ) -> bool:
        """Return whether the restore leaves an object alone. A rule that deploys one of the
        rulesets with these `names` is treated like its ruleset."""
        if resource.label_of(obj) in staying or self._is_exception(resource, obj):
            return True
        could_change = self._could_change(resource, obj)
        name = names.get(deployed(obj))
        rulesets = CUSTOM_RULESETS[resource.owner]
        if name is None or rulesets.plural not in self._objects:
            return not could_change
        ruleset = {"name": name}
        if self._is_exception(rulesets, ruleset):
            return True
        return not could_change and not self._could_change(rulesets, ruleset)

    def _could_change(self, resource: Resource, obj: Object) -> bool:
        """Return whether the run of the snapshot could change this object."""
        plural = resource.plural
        if plural not in self._changeable:
            return True
        if plural not in self._changeable_keys:
            objects = self._changeable[plural]
            self._changeable_keys[plural] = {resource.key_of(changeable) for changeable in objects}
        return resource.key_of(obj) in self._changeable_keys[plural]

    def _is_exception(self, resource: Resource, obj: Object) -> bool:
        identity = str(obj.get("id"))
        label = resource.label_of(obj)
        names = {identity, label, f"{resource.title} {label}"}
        if self._left_alone & names:
            return True
        patterns = self._patterns.get(resource.plural, ())
        return any(fnmatchcase(label, pattern) for pattern in patterns)


def _is_never(_obj: Object) -> bool:
    return False


def _by_reason(reasons_by_object: Mapping[str, str]) -> Iterator[str]:
    """The refusals, one sentence for all objects with the same reason."""
    for reason in dict.fromkeys(reasons_by_object.values()):
        names = [name for name in reasons_by_object if reasons_by_object[name] == reason]
        if len(names) == 1:
            yield f"The {names[0]} cannot be brought back: {reason}"
        else:
            listed = first_joined(names, ", ", MAX_ERRORS)
            yield f"{len(names)} objects cannot be brought back: {reason} They are: {listed}."
