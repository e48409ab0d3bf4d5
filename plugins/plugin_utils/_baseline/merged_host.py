# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a host with its postures merged into them.

Nothing but its entry remembers a posture: what only a posture names has expired once the posture is
over, and whatever else it sets, the baseline must name as well, which sets it back. A posture that
no entry names is prepared: it adds and removes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from ...module_utils._arguments import read_options
from ...module_utils._context import PostureValues, key_text
from ...module_utils._errors import OptionError, PlanError
from ...module_utils._guard.risks.registry import CODES
from ...module_utils._plan.desired import Desired, DesiredObject
from ...module_utils._plan.order_in_list import insert_new
from ...module_utils._plan.plan import differences
from ...module_utils._schema import resource as schema
from ...module_utils._schema.lists import LISTS
from ...module_utils._schema.registry import title_of_operation
from ...module_utils._schema.resource import Resource, Values, without
from ...module_utils._specs.base import ONLY
from ...module_utils._specs.registry import host_spec
from ...module_utils._text import Message, Move, Option, capitalised
from ...module_utils._timestamps import END_OF_TIME
from .._variables import Mistakes, all_read
from . import variables as of_host
from .posture import ITEMS, RISKS, Posture, PostureEntries, has_objects, postures_of, read_posture
from .variables import POSTURE, POSTURES, PREFIX, PURGE, Part, acceptances_in

AFTERWARDS = timedelta(days=7)  # in which a run is to take a posture back
LONG_AGO = "2010-01-01"  # the end of what does not hold
PREPARED = "does not hold by the file of postures here"  # of a posture that no entry names
# The risks of the end of an object that a posture has added.
WAY_BACK = (
    *("stops_mitigation", "lowers_sensitivity", "disables_protection", "empties_list"),
    *("weakens_network_firewall", "weakens_zone"),
)


PlaceOfOption = Callable[[str], Option]  # the place of an option among values


def _variable_of(option: str) -> Option:
    return Option(PREFIX + option)


def _unmoved(option: Option) -> Option:
    return option


class End(NamedTuple):
    """The reason why the values of a posture are not in force: the posture ended at `over_at`,
    or, if that is empty, no entry names it."""

    over_at: str = ""

    @property
    def words(self) -> str:
        """The reason, as words that follow the name of a place."""
        return f"ended at {self.over_at}" if self.over_at else PREPARED


class Layer(NamedTuple):
    """The values of a posture and their place; `end` is None while the posture is in force."""

    place: Option
    values: Values
    end: End | None = None


class PostureObject(NamedTuple):
    """An object that a posture or a variable describes at a place. `identity` is its collection
    and key, `desired` the object as it should be, `entry` the object as its place describes it."""

    resource: Resource
    identity: tuple[str, schema.Key]
    desired: DesiredObject
    entry: dict[str, Any]
    place: Option

    @property
    def title(self) -> str:
        """The title of the object."""
        return self.resource.title_of(self.desired.values)

    def is_made(self, obj: schema.Object) -> bool:
        """Return whether an existing object is as these values would set it."""
        made = {**self.resource.defaults(), **self.desired.values}
        is_same = self.resource.key_of(obj) == self.identity[1]
        return is_same and not differences(self.resource.fields, obj, made)


class MergedHost:
    """The variables of a host with its postures at a time.

    `postures` are those in force, and `titles` the objects that they set, by owner. `ended` has the
    objects of postures that are not in force, by resource and key, each with the reason. `added`
    has the objects that only postures name, whether in force or over; `prepared` those that only
    prepared postures name which no entry uses, and which are not changed.

    Raises ValueError for a posture that is wrong, for a posture whose changes nothing would undo,
    and for values of the host that cannot be read.
    """

    def __init__(self, host: str, values: Values, entries: PostureEntries, now: datetime) -> None:
        values = of_host.with_own_purge(values)
        prepared = postures_of(values)
        chosen = _chosen_postures(host, entries, prepared, now)
        self._host = host
        self.postures = [posture for posture in chosen if now < posture.until]
        self.titles: dict[str, list[str]] = {}
        self.ended: dict[tuple[str, str], list[tuple[PostureObject, End]]] = {}
        self.added: dict[tuple[str, schema.Key], PostureObject] = {}
        self.prepared: dict[tuple[str, schema.Key], PostureObject] = {}
        self.values = without(values, POSTURE, POSTURES)
        self._targets: list[tuple[PostureObject, End | None]] = []  # of all postures
        self._problems: list[OptionError] = []
        self._brought: dict[str, Option] = {}  # by options, and entries of them such as rules[2]
        self._places: dict[int, Option] = {}  # of the entries that postures bring
        layers = _layers(chosen, prepared, now)
        baseline = self._copied_baseline(values, layers)
        objects = _objects(_variable_of, baseline, values)
        self._entries = {target.identity: target.entry for target in objects}
        self._take_layers(layers)
        if self._problems:
            raise Mistakes(self._problems)
        if chosen:
            self._accept(chosen, now)

    def _copied_baseline(self, values: Values, layers: Sequence[Layer]) -> dict[str, Any]:
        """The variables of the host that layers may change, by option, as copies."""
        options = {option for layer in layers for option in layer.values}
        baseline = {}
        for option in options:
            variable = PREFIX + option
            if has_objects(values, option) and values.get(variable) is not None:
                baseline[option] = self.values[variable] = deepcopy(values[variable])
        return baseline

    def part(self, move: Move = _unmoved) -> Part:
        """All that the variables describe, as a module call; `move` names the options in place
        of those that a posture brings. Raises ValueError."""
        for variable, entries in self.values.items():
            if variable in of_host.OWNERS_OF and isinstance(entries, list):
                self._note_places(variable.removeprefix(PREFIX), entries)
        brought = {name: move(place) for name, place in self._brought.items()}
        part = of_host.host_part(self._host, self.values, brought)
        if part.options.get(ONLY) is None:
            return part
        postures = part.context.postures._replace(values=self._posture_values())
        return replace(part, context=part.context._replace(postures=postures))

    def _posture_values(self) -> list[PostureValues]:
        """The values of all postures, by object, for a run that only makes the changes that are
        due by time."""
        rows: list[PostureValues] = []
        for target, end in self._targets:
            plural, key = target.identity
            values = {**target.desired.values}
            rows.append(PostureValues(plural, key_text(key), values, holds=not end))
        return rows

    def _note_places(self, option: str, entries: Sequence[Any]) -> None:
        """Note the places of the entries that postures bring."""
        for index, entry in enumerate(entries):
            place = self._places.get(id(entry))
            if place:
                self._brought[f"{option}[{index}]"] = place

    def still_in_force(self, operations: Iterable[Mapping[str, Any]]) -> Iterator[str]:
        """A sentence for each operation that undoes what a posture that is over has set."""
        for operation in operations:
            ended = self.ended.get((operation["resource"], operation["key"]), ())
            for posture_object, end in ended:
                if _takes_back(operation, posture_object.desired.values):
                    title = capitalised(title_of_operation(operation))
                    yield f"{title} is as {posture_object.place} says, which {end.words}."
                    break

    def taken_elsewhere(self, operations: Iterable[Mapping[str, Any]]) -> Iterator[str]:
        """The titles of the objects of a prepared posture that operations undo although no entry
        names a posture that sets them; the file of another checkout may have that entry."""
        for operation in operations:
            ended = self.ended.get((operation["resource"], operation["key"]), ())
            taken_back = [
                end for target, end in ended if _takes_back(operation, target.desired.values)
            ]
            if taken_back and not any(end.over_at for _target, end in ended):
                yield title_of_operation(operation)

    def sets(self, resource: Resource) -> bool:
        """Return whether a posture in force sets an object of a resource."""
        held = [target for target, end in self._targets if end is None]
        return any(target.resource.plural == resource.plural for target in held)

    def prepared_in(self, state: schema.State) -> Iterator[PostureObject]:
        """The objects of prepared postures that a state has as these set them, and that nothing
        else names; the file of another checkout may have an entry for them."""
        for (plural, _key), target in self.prepared.items():
            if any(map(target.is_made, state.get(plural) or ())):
                yield target

    def _take_layers(self, layers: Sequence[Layer]) -> None:
        """Apply the values of layers, equal ones once, since repeated values only last longer."""
        taken: list[Values] = []
        for layer in layers:
            if layer.values not in taken:
                taken.append(layer.values)
                self._take_layer(layer)

    def _take_layer(self, layer: Layer) -> None:
        """Apply the values of a posture in force; for a posture with an end, mark the entries as
        expired that nothing else names. Raises ValueError for values that cannot be read."""
        for option, value in layer.values.items():
            if has_objects(self.values, option):
                objects = _objects(layer.place.at, {option: value}, self.values)
                self._take_objects(option, list(objects), layer.end)
            elif not layer.end:
                self._set(option, value, layer.place.at(option))

    def _set(self, option: str, value: Any, place: Option) -> None:
        self.values[PREFIX + option] = value
        self._brought[option] = place

    def _take_objects(self, option: str, objects: Sequence[PostureObject], end: End | None) -> None:
        """Apply the objects that a posture has under an option."""
        is_exclusive = option in (self.values.get(PURGE) or ())  # as with_own_purge names it
        for target in objects:
            self._note(target, end)
            if is_exclusive:
                target = target._replace(entry=without(target.entry, "position"))
            entry = self._entries.get(target.identity)
            if entry is not None:
                lacking = self._lay_over(option, entry, target, end)
            else:
                lacking = self._add(option, target, end)
            if lacking:
                self._problems.append(_not_set_back(target, lacking, option))
        moved = {
            target.identity[1]: target.desired for target in objects if target.desired.position
        }
        if moved and is_exclusive and not end:
            self._move(PREFIX + option, objects[0].resource, moved)

    def _note(self, target: PostureObject, end: End | None) -> None:
        """Note an object that a posture sets, or has set."""
        resource, values = target.resource, target.desired.values
        self._targets.append((target, end))
        if end:
            key = resource.name, resource.label_of(values)
            self.ended.setdefault(key, []).append((target, end))
            return
        title = target.title
        if not resource.key:
            title += f" {_values_as_words(resource, values)}"
        self.titles.setdefault(resource.owner, []).append(title)

    def _add(self, option: str, target: PostureObject, end: End | None) -> str:
        """Add the entry of an object that only a posture names, as expired if the posture is
        over; a list remains, without items. Returns the title of an object that nothing would
        set back, or an empty text."""
        resource = target.resource
        if not resource.may_expire:
            return "" if end else target.title
        variable = PREFIX + option
        if end and not end.over_at:
            self.prepared.setdefault(target.identity, target)
            if self.values.get(variable) is None:
                self.values[variable] = []  # so that each run reads what postures name
            return ""
        self.added[target.identity] = target
        holder: dict[str, Any] | None = self.values
        if resource.parent:
            of_list = LISTS.plural, LISTS.key_of({"name": resource.parent_name})
            holder, variable = self._entries.get(of_list), ITEMS
        if holder:
            entry = _ended_entry(target) if end else {**target.entry}
            if resource is LISTS:
                entry[ITEMS] = []
            holder[variable] = [*(holder.get(variable) or ()), entry]
            self._entries[target.identity] = entry
            self._places[id(entry)] = target.place
        return ""

    def _lay_over(
        self, option: str, entry: dict[str, Any], target: PostureObject, end: End | None
    ) -> str:
        """Replace values of an entry by those of a posture in force. Returns the names of the
        values that the entry lacks, so that nothing would set them back, or an empty text."""
        resource = target.resource
        if not end or resource is LISTS:
            self._places[id(entry)] = target.place
        if end:
            return ""
        lacking: list[str] = []
        nested = {field.name for field in resource.fields if field.fields} | {schema.API_FIELDS}
        changes = without(target.entry, ITEMS, *resource.key, *resource.assigned)
        for name, value in changes.items():
            existing = entry.get(name)
            if value is None:
                entry.setdefault(name)
            elif name in nested and existing and value:
                missing = [inner for inner in value if existing.get(inner) is None]
                lacking += [f"{name}.{inner}" for inner in missing]
                entry[name] = {**existing, **value}
            else:
                if existing is None and name not in ("kind", "purge"):
                    lacking.append(name)
                entry[name] = value
        if not resource.key:
            (value, *_further) = [entry] if resource.is_whole else entry.values()
            self._set(option, value, target.place)
        return f"{' and '.join(lacking)} of {target.title}" if lacking else ""

    def _move(
        self, variable: str, resource: Resource, moved: Mapping[schema.Key, DesiredObject]
    ) -> None:
        """Move entries of an exclusive list to the positions of a posture."""
        entries = {
            key: entry
            for (plural, key), entry in self._entries.items()
            if plural == resource.plural
        }
        keys = {id(entry): key for key, entry in entries.items()}
        listed = [keys[id(entry)] for entry in self.values[variable]]
        order = [key for key in listed if key not in moved]
        try:
            insert_new([Desired(resource, moved)], order)
        except PlanError as exc:
            self._problems.append(OptionError(Option(variable), str(exc).rstrip(".")))
        self.values[variable] = [entries[key] for key in order]

    def _accept(self, postures: Sequence[Posture], now: datetime) -> None:
        """Accept the risks of postures for their own changes while they are in force, and for
        their end until a week later."""
        variable = of_host.ACCEPT_RISKS
        risks: list[tuple[Option, Any]] = []
        for index, risk in enumerate(acceptances_in(self.values.get(variable))):
            risks.append((Option(variable, index), risk))
        for posture in postures:
            if now == END_OF_TIME or now - posture.until < AFTERWARDS:
                risks += self._bound_risks(posture)
                risks += self._risks_of_end(posture)
        self.values[variable] = [risk for _place, risk in risks]
        self._brought[RISKS] = postures[-1].place.at(RISKS)
        for index, (place, _risk) in enumerate(risks):
            self._brought[f"{RISKS}[{index}]"] = place

    def _bound_risks(self, posture: Posture) -> Iterator[tuple[Option, Any]]:
        """The risks that a posture accepts; a risk without objects is limited to the objects of
        the posture."""
        keys = _keys_by_resource(self._objects_of(posture))
        for place, risk in posture.risks:
            if _may_be_bound(risk):
                for acceptance in _bound_to(keys, risk):
                    yield place, acceptance
            else:
                yield place, risk

    def _objects_of(self, posture: Posture) -> Iterator[PostureObject]:
        """The objects that a posture sets."""
        for option, value in posture.values.items():
            if has_objects(self.values, option):
                yield from _objects(posture.path.at, {option: value}, self.values)

    def _risks_of_end(self, posture: Posture) -> list[tuple[Option, Any]]:
        """The risks at the end of a posture, accepted for the objects that it added alone."""
        # The playbook attack, which writes `since`, adds nothing that is there already.
        if not posture.record["since"]:
            return []
        risks: list[tuple[Option, Any]] = []
        for resource, keys in _keys_by_resource(self._ended_by(posture)).items():
            acceptance = {"resource": resource, "entries": keys, "reason": "the end of the posture"}
            risks += [(posture.place, {"code": code, **acceptance}) for code in WAY_BACK]
        return risks

    def _ended_by(self, posture: Posture) -> Iterator[PostureObject]:
        """The objects of a posture that is over: those in values of its own entry, and those
        that only its prepared posture names."""
        for ended in self.ended.values():
            for target, _end in ended:
                is_of_values = target.place.lies_in(posture.place)
                is_of_posture = target.place.lies_in(posture.path)
                if is_of_values or (is_of_posture and target.identity in self.added):
                    yield target


def _values_as_words(resource: Resource, values: Values) -> str:
    """The values of a resource with a single object, with the names of the fields if it may have
    several."""
    words = []
    for name, value in values.items():
        word = str(value).lower()
        words.append(f"{name} {word}" if resource.is_whole else word)
    return " and ".join(words)


def _keys_by_resource(posture_objects: Iterable[PostureObject]) -> dict[str, list[str]]:
    """The keys of objects, in the form that acceptances use, by the names of their resources."""
    keys: dict[str, list[str]] = {}
    for target in posture_objects:
        of_resource = keys.setdefault(target.resource.name, [])
        of_resource.append(target.resource.entry_of(target.desired.values))
    return keys


def _may_be_bound(risk: Any) -> bool:
    """Return whether an accepted risk names no objects. A risk with a resource and networks
    names them, since networks are the keys; a malformed risk stays as it is, so that the task
    reports it."""
    if not isinstance(risk, Mapping):
        return str(risk).strip() in CODES
    if risk.get("code") not in CODES or risk.get("entries") is not None:
        return False
    return risk.get("resource") is None or risk.get("networks") is None


def _bound_to(keys: Mapping[str, Sequence[str]], risk: Any) -> Iterator[dict[str, Any]]:
    """Copies of an acceptance, limited to the objects with these keys; one for each resource
    that it applies to."""
    fields = {**risk} if isinstance(risk, Mapping) else {"code": str(risk).strip()}
    for resource, entries in keys.items():
        if fields.get("resource") in (None, resource):
            yield {**fields, "resource": resource, "entries": [*entries]}


def _chosen_postures(
    host: str, entries: PostureEntries, prepared: Mapping[Option, Values], now: datetime
) -> list[Posture]:
    """The postures that entries name or describe; raises ValueError with all errors in them."""
    reads = [partial(read_posture, host, place, entry, prepared, now) for place, entry in entries]
    return [posture for posture in all_read(*reads) if posture]


def _layers(
    chosen: Sequence[Posture], prepared: Mapping[Option, Values], now: datetime
) -> list[Layer]:
    """The values of postures: first those in force, then those that are over, then all prepared
    postures, whoever names them."""
    holding = [Layer(posture.path, posture.values) for posture in chosen if now < posture.until]
    over = [
        Layer(posture.path, posture.values, End(posture.record["until"]))
        for posture in chosen
        if posture.until <= now
    ]
    in_waiting = [Layer(path, without(values, RISKS), End()) for path, values in prepared.items()]
    return [*holding, *over, *in_waiting]


def _not_set_back(target: PostureObject, lacking: str, option: str) -> OptionError:
    variable = _variable_of(option)
    problem = Message(f"nothing sets back {lacking}; name it in ", variable, " as well")
    return OptionError(target.place, problem)


def _takes_back(operation: Mapping[str, Any], values: Values) -> bool:
    """Return whether an operation undoes one of these values of an object."""
    if operation["action"] == "delete":
        return True
    before = operation.get("before") or {}
    changed = [name for name in operation["fields"] if name in before]
    return any(values.get(name) == before[name] for name in changed)


def _ended_entry(target: PostureObject) -> dict[str, Any]:
    """The entry of an object whose posture does not hold; only a list does not expire."""
    names = (*target.resource.key, "kind")
    entry = {name: target.entry[name] for name in names if name in target.entry}
    return entry if target.resource is LISTS else {**entry, "expires": LONG_AGO}


def _objects(place_of: PlaceOfOption, values: Values, host: Values) -> Iterator[PostureObject]:
    """The objects that `values` describe, each at the place that `place_of` gives its option.
    Only the owners are read from `host`, the variables of the host. Raises Mistakes for
    malformed values."""
    if not values:
        return
    ids = {name: "its own" for name in schema.OWNERS if of_host.names_owner(host, name)}
    options = read_options(of_host.OPTIONS, {**ids, **values})
    try:
        desired = host_spec(options).desired(options)
    except OptionError as exc:

        def move(option: Option) -> Option:
            is_of_values = bool(option) and option[0] in values
            return _placed(place_of, option) if is_of_values else option

        raise Mistakes(error.moved(move) for error in exc.errors) from exc
    for collection in desired:
        for key, desired_object in collection.entries.items():
            yield _posture_object(place_of, values, collection.resource, key, desired_object)


def _placed(place_of: PlaceOfOption, option: Option) -> Option:
    """The option, or a path within it, at its place."""
    name, *steps = option.path
    return place_of(str(name)).at(*steps)


def _option_of_resource(resource: Resource) -> Option:
    """The option that describes a resource as a whole."""
    variable = of_host.VARIABLE_OF[resource.plural]
    return Option(variable.removeprefix(PREFIX))


def _posture_object(
    place_of: PlaceOfOption,
    values: Values,
    resource: Resource,
    key: schema.Key,
    desired: DesiredObject,
) -> PostureObject:
    """An object that values describe, with its entry in the values."""
    steps = desired.path.path
    entry: Any = values if steps else dict(desired.values)
    for step in steps:
        entry = entry[step]
    option = desired.path or _option_of_resource(resource)
    place = _placed(place_of, option)
    return PostureObject(resource, (resource.plural, key), desired, entry=entry, place=place)
