# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Brings the objects of a snapshot back: as variables of the role baseline, or not at all.

An object that no option describes is left alone if it is still as it was. Otherwise it is named,
since a module could only make another object of it.
"""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import filterfalse
from typing import Any, NamedTuple

from ...module_utils._plan.api_fields import undeclared
from ...module_utils._plan.ordering import longest_ascending
from ...module_utils._schema.lists import WHOLE_LISTS, items_in
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import (
    API_FIELDS,
    ZONE_OPTION,
    Field,
    Key,
    Object,
    Resource,
    State,
)
from ...module_utils._schema.zone import CUSTOM_RULES, WHOLE_RULESETS, rules_of
from ...module_utils._text import first_joined
from ...module_utils._values.kinds import same_value
from .._baseline.variables import PREFIX, PURGE, VARIABLE_OF, Part
from .describe import (
    IGNORE_IDS,
    OPTION_OF,
    deployments_of,
    exclusive_entries,
    kind_option,
    name_of,
    options_for,
    pattern_of,
    purge_of,
    why_not_described,
)


@dataclass(frozen=True)
class ExpectedObjects:
    """The objects that one resource should have, each as Cloudflare had it, and no others but
    those that are left alone. Fields that are not declared and have one of the names in `without`
    are not compared. `order` is that of an ordered list, with objects among them that are left
    alone.
    """

    resource: Resource
    objects: Sequence[Object]
    is_left: Callable[[Object], bool] = lambda obj: False
    without: Collection[str] = ()
    order: Sequence[Key] = ()

    def unmet(self, existing: Iterable[Object]) -> list[str]:
        """A text for each object that differs, is missing, or is there in addition."""
        listed, name = list(existing), partial(name_of, self.resource)
        remaining = _grouped_by_key(self.resource, (obj for obj in listed if not self.is_left(obj)))
        texts: list[str] = []
        for item in self.objects:
            matches = remaining.get(self.resource.key_of(item), [])
            if not matches:
                texts.append(f"{name(item)} is missing")
                continue
            nearest = min(matches, key=partial(self._distance, item))
            matches.remove(nearest)
            texts += [f"{name(item)}: {text}" for text in self.unequal(item, nearest)]
        more = {id(obj) for matches in remaining.values() for obj in matches}
        texts += [f"{name(obj)} is there in addition" for obj in listed if id(obj) in more]
        if self.resource.is_ordered and not self._is_in_order(listed):
            texts.append(f"the order of the {self.resource.title}s differs")
        return texts

    def _is_in_order(self, existing: Sequence[Object]) -> bool:
        places = {key: place for place, key in enumerate(map(self.resource.key_of, existing))}
        order = self.order or [self.resource.key_of(item) for item in self.objects]
        ranks = [places[key] for key in order if key in places]
        return ranks == sorted(ranks)

    def _distance(self, item: Object, obj: Object) -> tuple[bool, int]:
        return (obj.get("id") != item.get("id"), len(self.unequal(item, obj)))

    def unequal(self, expected: Object, existing: Object) -> list[str]:
        """The differences between two objects, a text for each field."""
        texts = _unequal_fields(self.resource.fields, expected, existing)
        known, current = (undeclared(self.resource, obj) for obj in (expected, existing))
        names = sorted(_differing_names(known, current).difference(self.without))
        texts += [_difference(name, expected, existing) for name in names]
        return list(dict.fromkeys(texts))


def _unequal_fields(fields: Iterable[Field], expected: Object, existing: Object) -> list[str]:
    texts: list[str] = []
    for item in fields:
        inner, current = expected.get(item.name), existing.get(item.name)
        if item.fields and isinstance(inner, Mapping) and isinstance(current, Mapping):
            nested = _unequal_fields(item.fields, inner, current)
            texts += [f"{item.name}.{text}" for text in nested]
        elif item.normalised(expected) != item.normalised(existing):
            texts.append(_difference(item.name, expected, existing))
    return texts


def _grouped_by_key(resource: Resource, objects: Iterable[Object]) -> dict[Key, list[Object]]:
    by_key: dict[Key, list[Object]] = {}
    for obj in objects:
        by_key.setdefault(resource.key_of(obj), []).append(obj)
    return by_key


def _differing_names(one: Object, other: Object) -> set[str]:
    """The names of the values that differ; None is as good as none."""
    return {name for name in {*one, *other} if not same_value(one.get(name), other.get(name))}


def _difference(name: str, expected: Object, existing: Object) -> str:
    return f"{name} is {existing.get(name)!r} instead of {expected.get(name)!r}"


class Refusal(NamedTuple):
    """An object that cannot come back, and why."""

    name: str
    reason: str

    @property
    def sentence(self) -> str:
        """The refusal by itself."""
        return f"{self.name} cannot be brought back: {self.reason}"


MAX_NAMED = 10  # objects in a message
EMPTY_OF_TYPE: Mapping[str, Any] = {"str": "", "raw": "", "bool": False, "list": [], "dict": {}}


@dataclass(frozen=True)
class Exceptions:
    """The exceptions of a restore: objects of others, by id or by patterns of the keys of rules;
    objects by id or by name; fields that no option knows; and in the collections of `named`, all
    objects but these."""

    ignore_ids: Collection[str] = ()
    ignore: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by plural
    named: Mapping[str, Collection[Key]] = field(default_factory=dict)  # by plural
    objects: Collection[str] = ()
    fields: Collection[str] = ()
    deployments: Collection[str] = ()  # refs of custom rules that come back with their rulesets

    def leave(self, resource: Resource, obj: Object) -> bool:
        """Return whether a restore leaves this object alone."""
        identity, name = str(obj.get("id")), resource.label_of(obj)
        return (
            identity in self.ignore_ids
            or not {identity, name, f"{resource.title} {name}"}.isdisjoint(self.objects)
            or any(fnmatchcase(name, pattern) for pattern in self.ignore.get(resource.plural, ()))
            or (resource is CUSTOM_RULES and name in self.deployments)
            or not self.could_change(resource, obj)
        )

    def could_change(self, resource: Resource, obj: Object) -> bool:
        """Return whether the run of the snapshot could change this object."""
        named = self.named.get(resource.plural)
        return named is None or resource.key_of(obj) in named


@dataclass
class Restoration:
    """The variables that bring objects back, the state that they must leave, and the objects that
    cannot come back."""

    variables: dict[str, Any] = field(default_factory=dict)
    part: Part | None = None
    expected: list[ExpectedObjects] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)

    def require_complete(self) -> None:
        """Raises ValueError if an object cannot come back as it was."""
        if self.refused:
            sentences = first_joined([*_by_reason(self.refused)], " ", MAX_NAMED)
            raise ValueError(
                f"{sentences} Nothing was changed."
                " To restore everything else, name these objects in restore_leave_objects, by id"
                " if they have one; to restore them without fields that the collection does not"
                " know, name the fields in restore_leave_fields."
            )

    def unmet(self, state: State) -> list[str]:
        """The differences of this state, a text for each object."""
        return [text for item in self.expected for text in item.unmet(state[item.resource.plural])]


def _by_reason(refused: Iterable[Refusal]) -> Iterator[str]:
    """The refusals, in one sentence for all objects with one reason."""
    groups: dict[str, list[str]] = {}
    for item in refused:
        groups.setdefault(item.reason, []).append(item.name)
    for reason, names in groups.items():
        if len(names) == 1:
            yield Refusal(names[0], reason).sentence
        else:
            sentence = Refusal(f"{len(names)} objects", reason).sentence
            yield f"{sentence} They are: {first_joined(names, ', ', MAX_NAMED)}."


def recover(snapshot: State, current: State, exceptions: Exceptions) -> Restoration:
    """Bring the objects of a snapshot back, if Cloudflare has the `current` ones."""
    recovered = Restoration()
    deployments = deployments_of(snapshot) | deployments_of(current)
    exceptions = _with_deployments(exceptions, snapshot, current)
    exceptions = replace(exceptions, deployments=deployments, fields=[*exceptions.fields, "deploy"])
    for plural, objects in snapshot.items():
        if not objects and plural not in current:
            continue  # nothing was there, and no module makes anything of it
        whole, now = BY_PLURAL[plural], current[plural]
        with_contents = partial(_with_contents_of_others, whole, now, exceptions)
        if whole is WHOLE_LISTS:
            names = {*map(whole.label_of, objects)}
            made = ({**obj, "items": []} for obj in now if whole.label_of(obj) not in names)
            # A list that the run made stays if it has items of others.
            others = [obj for obj in map(with_contents, made) if obj["items"]]
            objects = [*map(with_contents, objects), *others]
        elif whole in WHOLE_RULESETS.values():
            objects = _in_places([*map(with_contents, objects)], snapshot, current)
        plan = _Recovery(whole, now, exceptions)
        plan.take(objects)
        recovered.expected.append(plan.expected(objects))
        recovered.refused += _all_refusals(plan, objects, now)
        _add_variables(plan, plan.in_order(objects), recovered.variables)
    recovered.variables[PURGE] = purge_of(recovered.variables)
    return recovered


def _with_deployments(exceptions: Exceptions, snapshot: State, current: State) -> Exceptions:
    """The exceptions if the run could change rulesets whose deployments its custom rules could
    change, but not the rules of these."""
    whole = WHOLE_RULESETS[ZONE_OPTION]
    now = {obj.get("name"): obj.get("deploy") for obj in current.get(whole.plural, ())}
    lost = [
        obj
        for obj in snapshot.get(whole.plural, ())
        if CUSTOM_RULES.plural in snapshot
        and not exceptions.could_change(whole, obj)
        and obj.get("deploy")
        and exceptions.could_change(CUSTOM_RULES, obj["deploy"])
        and not now.get(obj.get("name"))
    ]
    if not lost:
        return exceptions
    inner = (rules_of(ZONE_OPTION, str(obj.get("name"))).plural for obj in lost)
    named = {whole.plural: {*exceptions.named[whole.plural], *map(whole.key_of, lost)}}
    return replace(exceptions, named={**dict.fromkeys(inner, ()), **exceptions.named, **named})


def _with_contents_of_others(
    whole: Resource, current: Sequence[Object], exceptions: Exceptions, obj: Object
) -> Object:
    """A list or a ruleset of the snapshot; the items or rules that its run could not change are
    those of today. One that is no longer there comes back with all that it had."""
    name = whole.label_of(obj)
    inside, resource = (
        ("items", items_in(obj)) if whole is WHOLE_LISTS else ("rules", rules_of(whole.owner, name))
    )
    now = next((item for item in current if whole.label_of(item) == name), None)
    if now is None or resource.plural not in exceptions.named:
        return obj
    could_change, key_of = partial(exceptions.could_change, resource), resource.key_of
    today = {key_of(item): item for item in filterfalse(could_change, now.get(inside) or ())}
    own = {
        key_of(item): item
        for item in obj.get(inside) or ()
        if could_change(item) or key_of(item) in today
    }
    return {**obj, inside: [*{**own, **today}.values()]}


def _in_places(objects: Sequence[Object], snapshot: State, current: State) -> list[Object]:
    """Rulesets of the snapshot in the order of their deployments; of these, a new one stands behind
    a rule that is there."""
    refs, there = (
        [rule.get("ref") for rule in state.get(CUSTOM_RULES.plural) or ()]
        for state in (snapshot, current)
    )
    placed: list[tuple[int, Object]] = []
    for obj in objects:
        deploy = obj.get("deploy") or {}
        place = refs.index(deploy["ref"]) if deploy.get("ref") in refs else len(refs)
        front = [ref for ref in refs[:place] if ref in there]
        position = f"after {front[-1]}" if front else "first"
        moved = {"deploy": {**deploy, "position": position}} if place < len(refs) else {}
        placed.append((place, {**obj, **moved}))
    return [obj for _place, obj in sorted(placed, key=lambda item: item[0])]


def _all_refusals(
    plan: _Recovery, objects: Sequence[Object], current: Sequence[Object]
) -> list[Refusal]:
    """The refusals of a plan, with those of objects that cannot come back once the refused ones are
    left alone, such as a second object for the network of one that is left."""
    if not plan.refusals:
        return []
    left = [*plan.exceptions.objects, *plan.refusals]
    rest = _Recovery(plan.resource, current, replace(plan.exceptions, objects=left))
    rest.take(objects)
    return [*plan.refusals.values(), *_all_refusals(rest, objects, current)]


class _Recovery:
    """The recovery of the objects of one resource."""

    def __init__(
        self, resource: Resource, current: Sequence[Object], exceptions: Exceptions
    ) -> None:
        self.resource = resource
        self.exceptions = exceptions
        self.entries: dict[Key, dict[str, Any]] = {}  # options of the objects that come back
        self.anchors: list[Key] = []  # objects of an ordered list that are left, and do not move
        # Existing objects that are left alone.
        self.kept = _grouped_by_key(resource, filter(self._is_left, current))
        self.refusals: dict[str, Refusal] = {}  # by the id of an object, or the name of one without
        self._by_id = {str(obj.get("id")): obj for obj in current}
        self._current = _grouped_by_key(resource, current)

    def _is_left(self, obj: Object) -> bool:
        return self.exceptions.leave(self.resource, obj)

    def expected(self, objects: Sequence[Object]) -> ExpectedObjects:
        """The objects that the resource must hold after the restore."""
        own = [obj for obj in objects if not self._is_left(obj)]
        keys = {*map(self.resource.key_of, own), *self.anchors}
        order = [key for key in map(self.resource.key_of, objects) if key in keys]
        return ExpectedObjects(self.resource, own, self._is_left, self.exceptions.fields, order)

    def take(self, objects: Sequence[Object]) -> None:
        """Decide on every object of the snapshot."""
        own = [obj for obj in objects if not self._is_left(obj)]
        counts = Counter(map(self.resource.key_of, own))
        expected = self.expected(own)
        changed: list[tuple[Object, dict[str, Any], str]] = []
        for obj in own:
            options = options_for(self.resource, obj)
            reason = why_not_described(self.resource, obj, options)
            same = self._by_id.get(str(obj.get("id")))
            is_alone = not reason and counts[self.resource.key_of(obj)] == 1
            if is_alone or same is None or expected.unequal(obj, same):
                changed.append((obj, options, reason))
            else:
                self.kept.setdefault(self.resource.key_of(obj), []).append(same)
        self._take_anchors(objects)
        first = self._first_of_each(changed)
        for obj, options, reason in changed:
            key = self.resource.key_of(obj)
            if not reason and (first[key] is not obj or self._is_taken(key)):
                reason = "it is a duplicate, and a module makes no second one"
            reason = reason or self._lacking(obj)
            if reason:
                self._refuse(obj, reason)
            else:
                self.entries[key] = self._in_full(obj, options)

    def _first_of_each(
        self, changed: Sequence[tuple[Object, dict[str, Any], str]]
    ) -> dict[Key, Object]:
        """By key, the object that a module can bring back, rather one that still exists."""
        first: dict[Key, Object] = {}
        candidates = [obj for obj, _options, reason in changed if not reason]
        for obj in sorted(candidates, key=lambda item: str(item.get("id")) not in self._by_id):
            first.setdefault(self.resource.key_of(obj), obj)
        return first

    def _is_taken(self, key: Key) -> bool:
        """Return whether each existing object with this key is left alone. Those of an account
        are told apart by their ids, so that a module updates another one with the same key."""
        return key in self.kept and (self.resource.is_ordered or not self._others(key))

    def _others(self, key: Key) -> list[Object]:
        """The existing objects with this key that are not left alone."""
        kept = self.kept.get(key, ())
        return [obj for obj in self._current.get(key, ()) if not any(obj is item for item in kept)]

    def _refuse(self, obj: Object, reason: str) -> None:
        identity = str(obj.get("id") or self.resource.label_of(obj))
        name = f"The {name_of(self.resource, obj)}"
        self.refusals[identity] = Refusal(name, f"{reason.rstrip('?')}.")

    def _take_anchors(self, objects: Sequence[Object]) -> None:
        """Between which objects that are left the others come back, in an ordered list."""
        if not self.resource.is_ordered:
            return
        places = {key: place for place, key in enumerate(map(self.resource.key_of, objects))}
        kept = [key for key in self._current if key in self.kept and key in places]
        anchors = set(longest_ascending(kept, places))
        if self.resource is CUSTOM_RULES:  # those that come back before the rules
            made = {key for key in places if key[0] in self.exceptions.deployments}
            anchors |= made - self._current.keys()
        self.anchors = [key for key in places if key in anchors]
        for obj in objects:
            key = self.resource.key_of(obj)
            if key in kept and key not in anchors and not self._is_left(obj):
                self._refuse(obj, "it stands elsewhere in the list, and no module moves it")

    def in_order(self, objects: Sequence[Object]) -> list[dict[str, Any]]:
        """The options in the order of the snapshot, with the keys alone of objects that are
        left."""
        anchors = {key: {self.resource.key[0]: key[0]} for key in self.anchors}
        keys = dict.fromkeys(map(self.resource.key_of, objects))
        both = {**self.entries, **anchors}
        return [both[key] for key in keys if key in both]

    def _existing(self, obj: Object) -> Object | None:
        """The existing object that a module would update."""
        matches = self._others(self.resource.key_of(obj))
        return min(matches, key=lambda item: item.get("id") != obj.get("id"), default=None)

    def _lacking(self, obj: Object) -> str:
        """The reason why a module would make another object."""
        existing = self._existing(obj)
        if existing is None and not self.resource.create and self.resource.key:
            return "it was deleted, and Cloudflare takes no new one"
        if self.resource.is_ordered:
            return ""  # its rules are sent as a whole
        now, before = (self._unknown(item) for item in (existing or {}, obj))
        names = sorted(_differing_names(now, before))
        return f"no option sets its {', '.join(names)}" if names else ""

    def _unknown(self, obj: Object) -> dict[str, Any]:
        return {
            name: value
            for name, value in undeclared(self.resource, obj).items()
            if value is not None and name not in self.exceptions.fields
        }

    def _in_full(self, obj: Object, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options, with empty ones for what the existing object has got meanwhile."""
        existing = self._existing(obj)
        entry = {name: value for name, value in options.items() if name != API_FIELDS}
        place = (obj.get("deploy") or {}).get("position")
        if place and "deploy" in entry:
            entry["deploy"] = {**entry["deploy"], "position": place}
        for item in self.resource.mutable if existing else ():
            if item.name not in entry and item.normalised(obj) != item.normalised(existing):
                empty = item.default if item.absent_default is None else item.absent_default
                kind = str(item.value.option["type"])
                entry[item.name] = EMPTY_OF_TYPE[kind] if empty is None else empty
        if self.resource.is_ordered:
            now, before = self._unknown(existing or {}), self._unknown(obj)
            more = {**{name: None for name in now if name not in entry}, **before}
            for item in (one for one in self.resource.fields if one.fields and one.name in now):
                kept = before.get(item.name, {})
                more[item.name] = {**dict.fromkeys(now[item.name]), **kept}
            entry.update({API_FIELDS: more} if more else {})
        return entry


def _add_variables(
    plan: _Recovery, entries: Sequence[dict[str, Any]], variables: dict[str, Any]
) -> None:
    """The variables with those of one resource; lists are exclusive."""
    resource = plan.resource
    if not resource.key:
        for entry in entries:
            variables.update(zip([VARIABLE_OF[resource.plural]], entry.values()))
        return
    if resource.plural in OPTION_OF:
        option = OPTION_OF[resource.plural]
        listed = variables.setdefault(f"{PREFIX}{option}", [])
        listed += [{**kind_option(resource), **entry} for entry in entries]
        ignored = [str(obj.get("id")) for kept in plan.kept.values() for obj in kept]
        variables[IGNORE_IDS] = [*variables.get(IGNORE_IDS, []), *ignored]
        return
    name = VARIABLE_OF[resource.plural]
    variables[name] = exclusive_entries(resource, entries)
    if resource.has_patterns:
        patterns = list(plan.exceptions.ignore.get(resource.plural, ()))
        refs = plan.exceptions.deployments if resource is CUSTOM_RULES else ()
        patterns += map(glob.escape, sorted(refs))
        kept = [pattern_of(resource, objects[0]) for objects in plan.kept.values()]
        variables[f"{name}_ignore"] = list(dict.fromkeys([*patterns, *filter(None, kept)]))
