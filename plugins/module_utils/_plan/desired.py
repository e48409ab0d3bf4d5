# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From a module's options to the desired state of collections: read strictly, before any
request."""

from __future__ import annotations

from datetime import datetime
from fnmatch import fnmatchcase
from typing import AbstractSet, Any, Mapping, NamedTuple, Sequence, Tuple

from .._errors import OptionError, OptionProblems, parsed
from .._remembered import remembered
from .._schema.resource import API_FIELDS, EXPIRES, NO_ITEMS, Field, Key, Resource, Values, without
from .._text import Message, Option
from .._timestamps import parse_expiry
from .api_fields import with_api_fields
from .plan import merge_nested

PURGE, STATE, THE_TASK = Option("purge"), Option("state"), Option()
IGNORED_IDS = Option("ignore_ids")
Position = Tuple[str, str]  # first, last, before or after; and the key of the other object
# Options of objects, each with the option that names it: `rules[2]`.
Entries = Sequence[Tuple[Option, Mapping[str, Any]]]


class Desired(NamedTuple):
    """The desired state of one collection: objects by their key, each with the fields that the task
    names.

    `absent` means that these keys must not exist, `exclusive` that no others may. `positions`
    says where new objects go in an ordered list, `paths` which option names an object. `ignore` are
    patterns of keys: an exclusive list leaves objects that match one of them alone; `order` has all
    keys that the task names, also those of such objects, which stay where they are. `ignore_ids`
    are ids of objects that nothing changes or deletes, and that count as no duplicates. If it
    `only_deletes`, objects are neither created nor updated.

    `expires` says from when on an object must not exist. `expired` are the keys for which that
    time has come, and `undecided` those for which nobody knows; `at` sets both. `gone` are keys
    that must not exist beside others that must. `remarks` say what reading the options changed in
    them. With `own_order`, the objects of an ordered list come one
    after the other as the task names them.
    """

    resource: Resource
    objects: Mapping[Key, Values]
    absent: bool = False
    exclusive: bool = False
    positions: Mapping[Key, Position] = NO_ITEMS
    paths: Mapping[Key, Option] = NO_ITEMS
    ignore: Sequence[str] = ()
    order: Sequence[Key] = ()
    ignore_ids: AbstractSet[str] = frozenset()
    only_deletes: bool = False
    expires: Mapping[Key, datetime] = NO_ITEMS
    expired: AbstractSet[Key] = frozenset()
    undecided: AbstractSet[Key] = frozenset()
    remarks: Sequence[Message] = ()
    own_order: bool = False
    gone: AbstractSet[Key] = frozenset()

    def at(self, now: datetime | None) -> Desired:
        """The desired state at a time, which is Cloudflare's; None where it does not tell its
        time."""
        if now is None:
            return self._replace(undecided=self.expires.keys())
        expired = {key for key, expires in self.expires.items() if expires <= now}
        return self._replace(expired=expired)

    def drops(self, key: Key) -> bool:
        """Return whether an exclusive list must not have this key."""
        return self.exclusive and key not in self.objects and not self.ignores(key)

    def ignores(self, key: Key) -> bool:
        """Return whether one of the patterns matches this key."""
        return any(fnmatchcase(str(key[0]), pattern) for pattern in self.ignore)


def parse_position(text: str) -> Position:
    """A position in an ordered list: `first`, `last`, `before KEY` or `after KEY`; raises
    ValueError."""
    where, dummy, other = text.strip().partition(" ")
    if (where in ("first", "last") and not other) or (
        where in ("before", "after") and other.strip()
    ):
        return where, other.strip()
    raise ValueError(f"'{text}' is not first, last, before REF or after REF")


def parse_desired(
    resource: Resource, entries: Entries, absent: bool = False, exclusive: bool = False
) -> Desired:
    """Parse the options of some objects.

    Raises OptionError for a malformed value, a key that is given twice, and two values for one
    nested object.
    """
    objects: dict[Key, Values] = {}
    paths: dict[Key, Option] = {}
    expires: dict[Key, datetime] = {}
    problems = OptionProblems()
    remarks: list[Message] = []
    for path, options in entries:
        try:
            named = {name: options.get(name) for name in resource.key} if absent else options
            end = _parse_expiry(path, named) if resource.may_expire else None
            values = parse_values(resource, path, named)
            key = resource.key_of(values)
            if key in objects:
                label = resource.label_of(values)
                named_twice = f"{label} is named here and in "
                raise OptionError(path, Message(named_twice, paths[key], "; keep one of them"))
            objects[key] = values
            paths[key] = path
            remarks.extend(_remarks(resource.fields, path, named))
            if end is not None:
                expires[key] = end
        except OptionError as exc:
            problems.add(exc)
    problems.raise_any()
    merge_nested(resource, objects, paths, {})
    desired = Desired(resource, objects, absent, exclusive)
    return desired._replace(paths=paths, expires=expires, remarks=remarks)


def _remarks(fields: tuple[Field, ...], path: Option, options: Mapping[str, Any]) -> list[Message]:
    """Changes that reading made to the options in a way that nobody may have meant."""
    named = [item for item in fields if not item.fields and options.get(item.name) is not None]
    changes = [(path.at(item.name), item.value.remark(options[item.name])) for item in named]
    return [Message(option, f": {remark}.") for option, remark in changes if remark]


def _parse_expiry(path: Option, options: Mapping[str, Any]) -> datetime | None:
    """Time from which an object has expired, which is not a field of it; raises OptionError."""
    (name,) = EXPIRES
    text = options.get(name)
    return None if text is None else parsed(path.at(name), parse_expiry, str(text))


def parse_values(resource: Resource, path: Option, options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the task names, as they are sent, without what only Cloudflare sets; raises
    OptionError."""
    values = _read_fields(resource.fields, path, options, resource.title, resource.other_options)
    if options.get(API_FIELDS) and API_FIELDS in resource.other_options:
        values = with_api_fields(resource, path, values, options[API_FIELDS])
    try:
        return resource.semantics.complete(values)
    except OptionError as exc:
        raise OptionError(path.at(*exc.option.path), exc.problem) from exc


def _read_fields(
    fields: tuple[Field, ...],
    path: Option,
    options: Mapping[str, Any],
    title: str,
    others: AbstractSet[str] = frozenset(),
) -> dict[str, Any]:
    """The fields that the options name; `others` are the names of other options."""
    values: dict[str, Any] = {}
    problems = OptionProblems()
    for item in fields:
        option = options.get(item.name)
        if option is None:
            continue
        try:
            if item.fields:
                values[item.name] = _read_fields(item.fields, path.at(item.name), option, item.name)
            else:
                values[item.name] = item.value.parse(option)
        except ValueError as exc:
            problems.add(OptionError(path.at(item.name), str(exc)))
        except OptionError as exc:
            problems.add(exc)
    known = {*others, *(item.name for item in fields)}
    for name, option in options.items():
        if option is not None and name not in known:
            problems.add(OptionError(path.at(name), f"{title} has no such field; leave it out"))
    problems.raise_any()
    return values


def parse_ignore(desired: Desired, patterns: Sequence[str], path: Option = THE_TASK) -> Desired:
    """The desired state that ignores what the patterns match; raises OptionError for one that
    matches a desired key.

    In an exclusive list that has an order, an entry with nothing but such a key says where the
    object of others stands.
    """
    resource = desired.resource
    has_places = desired.exclusive and resource.is_ordered
    named_only = {
        key
        for key, values in desired.objects.items()
        if has_places and values.keys() <= set(resource.key) and key not in desired.expires
    }
    problems = OptionProblems()
    for position, pattern in enumerate(patterns):
        with problems.collected():
            if not pattern.strip():
                raise OptionError(path.at("ignore", position), "it is empty")
            described = desired.objects.keys() - named_only
            names = {str(key[0]): desired.paths[key] for key in desired.objects if key in described}
            matched = next((name for name in names if fnmatchcase(name, pattern)), None)
            if matched is not None:
                text = f"'{pattern}' matches {matched}, which "
                problem = Message(text, names[matched], " names; keep one of them")
                raise OptionError(path.at("ignore", position), problem)
    problems.raise_any()
    ignoring = desired._replace(ignore=tuple(patterns), order=tuple(desired.objects))
    own = {
        key: values
        for key, values in desired.objects.items()
        if key not in named_only or not ignoring.ignores(key)
    }
    return ignoring._replace(objects=own)


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
    """A purge needs a list of what stays; raises OptionError."""
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
    present = [item for item in desired if not item.absent]
    warnings: list[str] = [remark for item in present for remark in item.remarks]
    problems = OptionProblems()
    for item in present:
        with problems.collected():
            warnings += _examined(item)
    problems.raise_any()
    return warnings


@remembered(256)
def _examined(desired: Desired) -> list[str]:
    warnings: list[str] = []
    problems = OptionProblems()
    for key, values in desired.objects.items():
        with problems.collected():
            warnings += _examine_object(desired.resource, desired.paths[key], values)
    problems.raise_any()
    return warnings


def _examine_object(resource: Resource, path: Option, values: Values) -> list[str]:
    try:
        return _examine_fields(resource.fields, path, values)
    except OptionError as exc:
        if exc.option in [path.at(name) for name in resource.key]:
            raise
        raise OptionError(exc.option, Message(exc.problem, f" ({resource.named(values)})")) from exc


def _examine_fields(fields: tuple[Field, ...], path: Option, values: Values) -> list[str]:
    warnings: list[str] = []
    for item in fields:
        if item.name not in values:
            continue
        option, value = path.at(item.name), values[item.name]
        if item.fields:
            warnings += _examine_fields(item.fields, option, value)
        else:
            sentences = parsed(option, item.value.examine, value)
            warnings += [Message(option, f": {warning}.") for warning in sentences]
    return warnings


def desired_rules(
    resource: Resource,
    entries: Entries,
    absent: bool,
    exact: bool,
    path: Option,
    ignore: Sequence[str],
) -> Desired:
    """The desired rules of a list, by entries with positions; `path` is the option around the
    patterns of the refs to `ignore`. Raises OptionError."""
    positions: dict[Key, Position] = {}
    values = []
    problems = OptionProblems()
    for option, entry in entries:
        position = entry["position"]
        if position is not None and not absent:
            with problems.collected():
                positions[resource.key_of(entry)] = _position(option, position, exact)
        values.append((option, without(entry, "position")))
    with problems.collected():
        rules = parse_desired(resource, values, absent=absent, exclusive=exact)
        rules = parse_ignore(rules, ignore, path)
    problems.raise_any()
    return rules._replace(positions=positions)


def _position(path: Option, text: str, exact: bool) -> Position:
    option = path.at("position")
    if exact:
        order = Message("with ", STATE, " exact the order of the list is the order of the rules")
        raise OptionError(option, order)
    return parsed(option, parse_position, text)
