# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From a module's options to the desired state of collections: read strictly, before any
request."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import (
    AbstractSet,
    Any,
    Container,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
    Tuple,
)

from .._arguments import ReadOptions, errors_in, only, unless_wrong
from .._errors import OptionError, OptionProblems, as_one, parsed
from .._remembered import remembered
from .._schema.resource import (
    ACTION,
    EXPIRES,
    STAGED,
    ByCursor,
    Field,
    Key,
    Object,
    Resource,
    Values,
)
from .._text import Message, Names, Option
from .._timestamps import parse_expiry
from .api_fields import completed_values, read_values, with_declared_options
from .plan import merge_nested
from .rollout import EvidenceLimits

PURGE, STATE, THE_TASK = Option("purge"), Option("state"), Option()
IGNORED_IDS = Option("ignore_ids")
Position = Tuple[str, str]  # first, last, before or after; and the key of the other object
# Options of objects, each with the option that names it: `rules[2]`.
Entries = Sequence[Tuple[Option, Mapping[str, Any]]]


class Presence(Enum):
    """The condition on the existence of a desired object. If it is not known whether its time has
    come, an existing object stays, and a new one is not created.
    """

    NEEDED = "needed"
    ABSENT = "absent"
    EXPIRED = "expired"
    OPEN = "open"


class DesiredObject(NamedTuple):
    """One desired object: the fields that the task names, the option that names the object, its
    position in an ordered list if it is new, the time from which on it must not exist, and the
    evidence that a rule needs before it may do more than log, None if it needs none.
    """

    values: Values
    path: Option = THE_TASK
    position: Position | None = None
    expires: datetime | None = None
    presence: Presence = Presence.NEEDED
    stage: EvidenceLimits | None = None

    def renamed(self, names: Names) -> DesiredObject:
        """The object with the `names` that its options have in another task."""
        return self._replace(path=self.path.renamed(names))

    def at(self, now: datetime | None) -> DesiredObject:
        """The object at the time `now`, which is Cloudflare's (None: it is not known)."""
        if self.expires is None or self.presence is Presence.ABSENT:
            return self
        presence = self.presence
        if now is None:
            presence = Presence.OPEN
        elif self.expires <= now:
            presence = Presence.EXPIRED
        return self._replace(presence=presence)


class LongList(Mapping[Key, DesiredObject]):
    """The desired objects of a long list, of which each takes little memory: its values and the
    number of its entry, unless there is more to say of it."""

    def __init__(self, list_option: Option) -> None:
        self._list_option = list_option
        self._rows: dict[Key, DesiredObject | Values] = {}
        self._numbers = array("L")  # in the order of the rows

    def __setitem__(self, key: Key, desired_object: DesiredObject) -> None:
        may_end = desired_object.expires is not None
        is_plain = not may_end and desired_object.presence is Presence.NEEDED
        self._rows[key] = desired_object.values if is_plain else desired_object
        self._numbers.append(int(desired_object.path[-1]))

    def __getitem__(self, key: Key) -> DesiredObject:
        return self._object(self._rows[key], self._places[key])

    def _object(self, row: DesiredObject | Values, place: int) -> DesiredObject:
        if isinstance(row, DesiredObject):
            return row
        return DesiredObject(row, self._list_option.at(self._numbers[place]))

    @cached_property
    def _places(self) -> Mapping[Key, int]:
        return {key: place for place, key in enumerate(self._rows)}

    def in_order(self) -> Iterator[tuple[Key, DesiredObject]]:
        """All objects with their keys; other ways to iterate over the list take more memory."""
        for place, (key, row) in enumerate(self._rows.items()):
            yield key, self._object(row, place)

    def renamed(self, names: Names) -> LongList:
        """The list with the `names` that its options have in another task."""
        renamed = LongList(self._list_option.renamed(names))
        renamed._numbers, renamed._rows = self._numbers, dict(self._rows)
        for key, desired_object in self.unlike():
            renamed._rows[key] = desired_object.renamed(names)
        return renamed

    def unlike(self) -> Iterator[tuple[Key, DesiredObject]]:
        """The objects that have more than values, such as an end, with their keys."""
        return ((key, row) for key, row in self._rows.items() if isinstance(row, DesiredObject))

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[Key]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


@dataclass(frozen=True)
class Desired:
    """The desired state of one collection: objects by their key.

    `exclusive` means that no others may exist. `ignore` are patterns of keys: an exclusive list
    leaves objects that match one of them alone; `order` has all keys that the task names, also
    those of such objects, which stay where they are, and of objects that another section describes.
    `ignore_ids` are ids of objects that nothing changes or deletes, and that count as no
    duplicates. If it `only_deletes`, objects are neither created nor updated. `remarks` say what
    reading the options changed in them. With `own_order`, the objects that `order` names, or all of
    them, come one after the other as the task names them. `section` is that of a host that
    describes it.
    """

    resource: Resource
    entries: Mapping[Key, DesiredObject]
    exclusive: bool = False
    ignore: Sequence[str] = ()
    order: Sequence[Key] = ()
    ignore_ids: AbstractSet[str] = frozenset()
    only_deletes: bool = False
    remarks: Sequence[Message] = ()
    own_order: bool = False
    section: str = ""

    @cached_property
    def objects(self) -> Mapping[Key, Values]:
        """The fields that the task names of each object."""
        return {key: desired_object.values for key, desired_object in self.in_order()}

    @cached_property
    def paths(self) -> Mapping[Key, Option]:
        """The option that names each object."""
        return {key: desired_object.path for key, desired_object in self.in_order()}

    @cached_property
    def positions(self) -> Mapping[Key, Position]:
        """The positions of new objects."""
        positions = {}
        for key, desired_object in self.entries.items():
            if desired_object.position:
                positions[key] = desired_object.position
        return positions

    @cached_property
    def expires(self) -> Mapping[Key, datetime]:
        """The ends of objects that have one."""
        ends = {}
        for key, desired_object in self._unlike():
            if desired_object.expires:
                ends[key] = desired_object.expires
        return ends

    @cached_property
    def stages(self) -> Mapping[Key, EvidenceLimits]:
        """The evidence that rules need which log first."""
        if not self.resource.may_be_staged:
            return {}
        stages = {}
        for key, desired_object in self.entries.items():
            if desired_object.stage:
                stages[key] = desired_object.stage
        return stages

    def in_order(self) -> Iterable[tuple[Key, DesiredObject]]:
        """All objects with their keys, in the order of the task."""
        entries = self.entries
        return entries.in_order() if isinstance(entries, LongList) else entries.items()

    def _unlike(self) -> Iterable[tuple[Key, DesiredObject]]:
        """The objects that expire or need not exist, with their keys; of a short list, all
        objects.
        """
        entries = self.entries
        return entries.unlike() if isinstance(entries, LongList) else entries.items()

    def _in(self, presence: Presence) -> AbstractSet[Key]:
        return {
            key for key, desired_object in self._unlike() if desired_object.presence is presence
        }

    @cached_property
    def expired(self) -> AbstractSet[Key]:
        """The keys of objects whose end has come."""
        return self._in(Presence.EXPIRED)

    @cached_property
    def undecided(self) -> AbstractSet[Key]:
        """The keys of objects for which it is not known whether their end has come."""
        return self._in(Presence.OPEN)

    @cached_property
    def gone(self) -> AbstractSet[Key]:
        """The keys that must not exist because the task says so."""
        return self._in(Presence.ABSENT)

    @property
    def absent(self) -> bool:
        """Return whether none of the objects may exist because the task says so."""
        return bool(self.entries) and len(self.gone) == len(self.entries)

    def at(self, now: datetime | None) -> Desired:
        """The desired state at the time `now`, which is Cloudflare's (None: it is not known)."""
        if not self.expires:
            return self
        entries = {key: desired_object.at(now) for key, desired_object in self.entries.items()}
        return replace(self, entries=entries)

    def only(self, keys: Container[Key]) -> Desired:
        """The desired state reduced to these objects."""
        entries = {key: self.entries[key] for key in self.entries if key in keys}
        return replace(self, entries=entries)

    def with_values(self, objects: Mapping[Key, Values]) -> Desired:
        """The desired state with other values of some objects, or with more objects."""
        entries = dict(self.entries)
        for key, values in objects.items():
            entries[key] = entries.get(key, DesiredObject(values))._replace(values=values)
        return replace(self, entries=entries)

    def at_positions(self, positions: Mapping[Key, Position]) -> Desired:
        """The desired state with these positions of new objects."""
        entries = {}
        for key, desired_object in self.entries.items():
            entries[key] = desired_object._replace(position=positions.get(key))
        return replace(self, entries=entries)

    def among(self, objects: Sequence[Object]) -> list[Object]:
        """The existing objects that the desired state manages: all of them if it is exclusive, or
        else the ones that the task names.
        """
        if self.exclusive:
            return list(objects)
        key_of = self.resource.key_of
        return [obj for obj in objects if key_of(obj) in self.entries]

    def drops(self, key: Key) -> bool:
        """Return whether the list is exclusive and must not contain this key."""
        return self.exclusive and key not in self.entries and not self.ignores(key)

    def ignores(self, key: Key) -> bool:
        """Return whether one of the patterns matches this key."""
        return any(fnmatchcase(str(key[0]), pattern) for pattern in self.ignore)


@remembered(256)
def as_section(desired: Desired, section: str, names: Names) -> Desired:
    """The desired state as part of a section of a host, in which its options have these `names`."""
    entries: Mapping[Key, DesiredObject]
    if isinstance(desired.entries, LongList):
        entries = desired.entries.renamed(names)
    else:
        entries = {
            key: desired_object.renamed(names) for key, desired_object in desired.entries.items()
        }
    remarks = [remark.renamed(names) for remark in desired.remarks]
    return replace(desired, section=section, entries=entries, remarks=remarks)


def parse_position(text: str) -> Position:
    """A position in an ordered list: `first`, `last`, `before KEY` or `after KEY`; raises
    ValueError."""
    where, dummy, key_text = text.strip().partition(" ")
    neighbour = key_text.strip()
    is_end = where in ("first", "last") and not key_text
    if is_end or (where in ("before", "after") and neighbour):
        return where, neighbour
    raise ValueError(f"'{text}' is not first, last, before REF or after REF")


def parse_desired(
    resource: Resource,
    entries: Entries,
    absent: bool = False,
    exclusive: bool = False,
    errors: OptionProblems | None = None,
) -> Desired:
    """Parse the options of some objects.

    Raises OptionError for malformed values, keys that are given twice, and two values for one
    nested object; or lets the caller raise these `errors`.
    """
    objects: dict[Key, DesiredObject] | LongList = {}
    if isinstance(resource.listing, ByCursor) and len(entries) > 1:
        first_path, _options = entries[0]
        objects = LongList(Option(*first_path[:-1]))
    fixed_names = [field.name for field in resource.fixed]
    names_if_absent = (*resource.key, *fixed_names)
    presence = Presence.ABSENT if absent else Presence.NEEDED
    problems = OptionProblems() if errors is None else errors
    remarks: list[Message] = []
    for path, options in entries:
        counting = only(options, names_if_absent) if absent else options
        try:
            counting, field_remarks = with_declared_options(resource, path, counting)
            remarks += field_remarks
            end = _parse_expiry(path, counting) if resource.may_expire else None
            values: Values = parse_values(resource, path, counting)
            if isinstance(objects, LongList) and counting == values:
                values = counting  # so that each entry is there once
            key = _new_key(resource, path, values, objects)
            stage = _parse_stage(resource, path, counting)
            objects[key] = DesiredObject(values, path, None, end, presence, stage)
            remarks.extend(_remarks(resource.fields, path, counting))
        except OptionError:
            with problems.collected():
                _raise_all(resource, path, counting, objects, presence)
    desired = Desired(resource, objects, exclusive, remarks=remarks)
    if resource.nested:
        with problems.collected():
            merge_nested(resource, desired.objects, desired.paths, {})
    if errors is None:
        raise_any(problems, [] if absent else [desired])
    return desired


def _new_key(
    resource: Resource, path: Option, values: Values, objects: Mapping[Key, DesiredObject]
) -> Key:
    """The key of an object; raises OptionError if one of `objects` already has this key."""
    key = resource.key_of(values)
    if key in objects:
        named_twice = f"{resource.label_of(values)} is named here and in "
        raise OptionError(path, Message(named_twice, objects[key].path, "; keep one of them"))
    return key


def _raise_all(
    resource: Resource,
    path: Option,
    options: Mapping[str, Any],
    objects: dict[Key, DesiredObject] | LongList,
    presence: Presence,
) -> None:
    """Raise OptionError with all that is wrong in an entry; it stands among the objects as far as
    it can be read, so that another one with its key is told as well."""
    problems = OptionProblems()
    with problems.collected():
        options, _remarks_of_fields = with_declared_options(resource, path, options)
    values = read_values(resource, path, options)
    with problems.collected():
        _parse_expiry(path, options)
    with problems.collected():
        _parse_stage(resource, path, options)
    with problems.collected():
        whole = completed_values(resource, path, options, values)
        values = values.filled(whole) if isinstance(values, ReadOptions) else whole
    if presence is not Presence.ABSENT:
        with problems.collected():
            _examine_object(resource, path, values)
    with problems.collected():
        key = _new_key(resource, path, values, objects)
        objects[key] = DesiredObject(values, path, presence=presence)
    raise as_one([*errors_in(values), *problems.errors])


def _remarks(
    fields: tuple[Field, ...], path: Option, options: Mapping[str, Any]
) -> Iterator[Message]:
    """Remarks on values that reading the options changed, perhaps not as the user intended."""
    for field in fields:
        value = options.get(field.name)
        if field.fields and isinstance(value, Mapping):
            yield from _remarks(field.fields, path.at(field.name), value)
            continue
        remark = "" if value is None else field.value.remark(value)
        if remark:
            yield Message(path.at(field.name), f": {remark}.")


def _parse_expiry(path: Option, options: Mapping[str, Any]) -> datetime | None:
    """The time from which on an object has expired, None if it does not expire; raises
    OptionError.
    """
    (name,) = EXPIRES
    text = options.get(name)
    return None if text is None else parsed(path.at(name), parse_expiry, str(text))


def _parse_stage(
    resource: Resource, path: Option, options: Mapping[str, Any]
) -> EvidenceLimits | None:
    """The evidence that a rule needs before it may do more than log, None if it needs none; raises
    OptionError for a rule that stops nothing, or of which the analytics tell nothing."""
    (name,) = STAGED
    limits = unless_wrong(options, name) if resource.may_log else None
    if limits is None:
        return None
    if not resource.may_be_staged:
        problem = "the analytics of an account do not tell of how many requests; leave it out"
        raise OptionError(path.at(name), problem)
    action = options.get(ACTION)
    if action is not None and action not in resource.enforcing:
        raise OptionError(path.at(name), f"a rule with the action {action} stops nothing")
    return EvidenceLimits(limits["hours"], limits["max_stopped_percent"], None)


def parse_values(resource: Resource, path: Option, options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the task names, as they are sent, without what only Cloudflare sets; raises
    OptionError."""
    values = read_values(resource, path, options)
    if errors := errors_in(values):
        raise as_one(errors)
    return completed_values(resource, path, options, values)


def parse_ignore(desired: Desired, patterns: Sequence[str], path: Option = THE_TASK) -> Desired:
    """The desired state with patterns of keys to ignore; raises OptionError for a pattern that
    matches a desired key. In an exclusive, ordered list, an entry with only such a key marks the
    place of an ignored object."""
    placeholders = _placeholders(desired)
    paths_by_name = {
        str(key[0]): desired.paths[key] for key in desired.objects if key not in placeholders
    }
    problems = OptionProblems()
    for position, pattern in enumerate(patterns):
        with problems.collected():
            _check_pattern(pattern, paths_by_name, path.at("ignore", position))
    problems.raise_any()
    ignoring = replace(desired, ignore=tuple(patterns), order=tuple(desired.entries))
    keys = [key for key in desired.entries if key not in placeholders or not ignoring.ignores(key)]
    return ignoring.only(keys)


def _placeholders(desired: Desired) -> set[Key]:
    """The keys of entries that may only mark the place of an object that the task does not manage:
    the entries with nothing but a key, in an exclusive list that has an order.
    """
    resource = desired.resource
    if not desired.exclusive or not resource.is_ordered:
        return set()
    key_fields = set(resource.key)
    keys = set()
    for key, values in desired.objects.items():
        if values.keys() <= key_fields and key not in desired.expires:
            keys.add(key)
    return keys


def _check_pattern(pattern: str, paths_by_name: Mapping[str, Option], option: Option) -> None:
    """Raise OptionError for a pattern that is empty or matches one of these names."""
    if not pattern.strip():
        raise OptionError(option, "it is empty")
    for name, path in paths_by_name.items():
        if fnmatchcase(name, pattern):
            text = f"'{pattern}' matches {name}, which "
            raise OptionError(option, Message(text, path, " names; keep one of them"))


def numbered(option: str, entries: Sequence[Mapping[str, Any]], path: Option = THE_TASK) -> Entries:
    """The entries of a list option, each with its own: `prefixes[0]`, `prefixes[1]`, and so on;
    without those that could not be read."""
    return [
        (path.at(option, position), entry)
        for position, entry in enumerate(entries)
        if entry is not None
    ]


def check_purge(
    option: str, entries: Sequence[Any] | None, absent: bool = False, path: Option = THE_TASK
) -> None:
    """Raise OptionError for a purge without a list of the objects that stay."""
    if absent:
        problem = Message(
            "it goes with ", STATE, " present only; absent removes just what it names"
        )
        raise OptionError(PURGE, problem)
    if entries is None:
        problem = Message("it takes ", path.at(option), ", the list of what stays")
        raise OptionError(path.at(*PURGE.path), problem)


def check_values(desired: Sequence[Desired]) -> list[str]:
    """Changes that reading made to the options, and warnings of what Cloudflare may refuse, each
    with its option; raises OptionError for what it would refuse.

    The values of an absent object do not matter, so they are not examined.
    """
    present = [collection for collection in desired if not collection.absent]
    warnings: list[str] = []
    for collection in present:
        warnings += collection.remarks
    problems = OptionProblems()
    for collection in present:
        with problems.collected():
            warnings += _examined(collection)
    problems.raise_any()
    return warnings


def raise_any(problems: OptionProblems, parsed: Sequence[Desired]) -> None:
    """Raise the problems of some options, if there are any, with those of all values that could be
    read."""
    if problems.errors:
        with problems.collected():
            check_values(parsed)
    problems.raise_any()


@remembered(256)
def _examined(desired: Desired) -> list[str]:
    warnings: list[str] = []
    problems = OptionProblems()
    for _key, desired_object in desired.in_order():
        path, values = desired_object.path, desired_object.values
        with problems.collected():
            warnings += _examine_object(desired.resource, path, values)
    problems.raise_any()
    return warnings


def _examine_object(resource: Resource, path: Option, values: Values) -> list[str]:
    errors: list[OptionError] = []
    warnings = _examine_fields(resource.fields, path, values, errors)
    if not errors:
        return warnings
    key_options = [path.at(name) for name in resource.key]
    title = resource.title_of({**values})
    titled = []
    for error in errors:
        if error.option in key_options:
            titled.append(error)
        else:
            problem = Message(error.problem, f" ({title})")
            titled.append(OptionError(error.option, problem))
    raise as_one(titled)


def _examine_fields(
    fields: tuple[Field, ...], path: Option, values: Values, errors: list[OptionError]
) -> list[str]:
    warnings: list[str] = []
    for field in fields:
        if field.name not in values:
            continue
        value, option = values[field.name], path.at(field.name)
        if field.fields:
            warnings += _examine_fields(field.fields, option, value, errors)
            continue
        try:
            sentences = field.value.examine(value)
        except ValueError as exc:
            errors.append(OptionError(option, str(exc)))
            continue
        warnings += [Message(option, f": {warning}.") for warning in sentences]
    return warnings


def desired_rules(
    resource: Resource,
    entries: Entries,
    absent: bool,
    purge: bool,
    path: Option,
    ignore: Sequence[str],
    problems: OptionProblems,
) -> Desired:
    """The desired rules of a list, by entries with positions; `path` is the option around the
    patterns of the refs to `ignore`. Raises OptionError, also with these problems."""
    positions: dict[Key, Position] = {}
    for option, entry in entries:
        with problems.collected():
            position = entry["position"]
            if position is not None and not absent:
                positions[resource.key_of(entry)] = _position(option, position, purge)
    desired = parse_desired(resource, entries, absent, purge, problems)
    with problems.collected():
        desired = parse_ignore(desired, ignore, path)
    raise_any(problems, [desired])
    return desired.at_positions(positions)


def _position(path: Option, text: str, purge: bool) -> Position:
    option = path.at("position")
    if purge:
        order = Message(
            "with ", PURGE, " the order of the list is the order of the rules; leave out position"
        )
        raise OptionError(option, order)
    return parsed(option, parse_position, text)
