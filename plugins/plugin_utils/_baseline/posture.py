# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Postures: values of the baseline that hold until a time, merged into the variables of a host.

Nothing remembers a posture: an entry that only a posture names has expired while it does not hold,
and whatever else it sets, the baseline must name as well, which sets it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

from ...module_utils._errors import OptionError
from ...module_utils._plan.desired import Position, parse_position, parse_values
from ...module_utils._schema.lists import WHOLE_LISTS, items_in
from ...module_utils._schema.registry import MANAGED, title_of_resource
from ...module_utils._schema.resource import API_FIELDS, InFiles, Key, Resource, State, Values
from ...module_utils._specs.arguments import Argument
from ...module_utils._specs.whole_state import NOW
from ...module_utils._text import Option, capitalised, did_you_mean, first_few
from ...module_utils._timestamps import END_OF_TIME, write_timestamp
from .._variables import expiry_of, require_valid
from .results import NOTHING_CHANGED
from .variables import (
    ACCEPT_RISKS,
    EXPECTATIONS,
    OF_A_POSTURE,
    POSTURE,
    POSTURES,
    PREFIX,
    PURGE,
    Part,
    RunModule,
    described_by,
    host_part,
    names_owner,
    variable_of,
    with_own_purge,
)

# The postures of a host, each with the place that names it.
PostureEntries = Sequence[tuple[str, Any]]
START_OF_TIME = datetime.min.replace(tzinfo=timezone.utc)  # when every posture holds
AFTERWARDS = timedelta(days=7)  # in which a run is to take a posture back
BACK = "the way back"
LONG_AGO = "2010-01-01"  # the end of what does not hold
PREPARED = "does not hold"  # of a posture that no entry names
NAMED_POSTURE: Argument = {"type": "dict", "options": OF_A_POSTURE}
CHOSEN_POSTURE: Argument = {
    "type": "dict",
    "options": {
        **{name: {"type": "str"} for name in ("name", "reason", "since")},
        "until": {"type": "str", "required": True},
        **OF_A_POSTURE,
    },
}
ITEMS, RISKS = "items", "accept_risks"
# Of an entry, and no fields to set back.
NO_FIELDS = ("kind", "position", "expires", "purge", ITEMS)
RESOURCES: dict[str, list[Resource]] = {}  # by variable
for _item in MANAGED:
    RESOURCES.setdefault(variable_of(_item), []).append(_item.resource)
# The risks of the end of values without a name, by their option.
WAY_BACK: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        ("rules", "dns_rules"),
        ("stops_mitigation", "lowers_sensitivity", "disables_protection", "empties_list"),
    ),
    "security_level": ("lowers_sensitivity",),
    "network_firewall_rules": ("weakens_network_firewall", "empties_list"),
    "custom_rules": ("weakens_zone", "empties_list"),
}


class Posture(NamedTuple):
    """A posture of a host: a named one, or values of its own. `place` is that of its entry, `path`
    that of the values; `risks` are accepted, each with its own place."""

    name: str
    until: datetime
    reason: str | None
    since: datetime | None
    values: Values
    path: str
    place: str
    risks: Sequence[tuple[str, Any]]

    def sentence(self, verb: str = "holds") -> str:
        """The posture for people, and until when it holds."""
        reason = f" ({self.reason})" if self.reason else ""
        named = f"The posture {self.name or f'in {self.place}'}"
        return f"{named} {verb} until {write_timestamp(self.until)}{reason}."

    def record(self) -> dict[str, Any]:
        """The posture as results and reports have it."""
        return {
            "name": self.name or None,
            "until": write_timestamp(self.until),
            "reason": self.reason,
            "since": write_timestamp(self.since) if self.since else None,
        }


class Ended(NamedTuple):
    """Values of one object in a posture that does not hold."""

    path: str
    values: Values
    end: str
    option: str
    entry: str  # as acceptances name it

    def sets(self, operation: Mapping[str, Any]) -> bool:
        """Return whether an operation takes back one of the values."""
        before = operation.get("before") or {}
        return operation["action"] == "delete" or any(
            name in before and self.values.get(name) == before[name] for name in operation["fields"]
        )


@dataclass
class MergedHost:
    """The variables of a host with the postures that hold. `brought` are the variables that fill
    others, or entries of them, in place of the baseline's; `titles` are the objects that postures
    set, by owner, and `ended` those of postures that do not hold, by resource and key."""

    values: dict[str, Any]
    postures: list[Posture] = field(default_factory=list)
    brought: dict[str, dict[str, str]] = field(default_factory=dict)
    titles: dict[str, list[str]] = field(default_factory=dict)
    ended: dict[tuple[str, str], list[Ended]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    _lists: dict[str, _List] = field(default_factory=dict)

    def part(self, host: str) -> Part:
        """All that the variables describe; raises ValueError."""
        return host_part(host, self.values, self.brought)

    def records(self) -> list[dict[str, Any]]:
        """The postures that hold, as results and reports have them."""
        return [one.record() for one in self.postures]

    def still_in_force(self, operations: Iterable[Mapping[str, Any]]) -> list[str]:
        """A sentence for each operation that takes back what a posture has set that is over."""
        sentences = []
        for item in operations:
            key = str(item["resource"]), str(item["key"])
            over = next((one for one in self.ended.get(key, ()) if one.sets(item)), None)
            if over:
                title = capitalised(f"{title_of_resource(item['resource'])} {item['key']}")
                sentences.append(f"{title} is as {over.path} says, which {over.end}.")
        return sentences

    def take(self, path: str, values: Values, end: str = "") -> None:
        """Take the values of a posture that holds; of one with an end, let the entries expire that
        nothing else names."""
        for option, value in values.items():
            ours, place = f"{PREFIX}{option}", f"{path}.{option}"
            resources = RESOURCES.get(ours, [])
            if resources and resources[0].key:
                listed = self._lists.setdefault(ours, _List(ours, resources, self.values))
                self.problems += listed.take(place, value, not end, end != PREPARED)
                for resource, keys, entry in listed.taken:
                    self._note(option, resource, keys, entry, end)
                self.values[ours] = [entry.values for entry in listed.entries]
                paths = enumerate(entry.path for entry in listed.entries)
                self.brought[ours] = {f"[{index}]": item for index, item in paths if item}
                continue
            if resources:
                single = _Entry({resources[0].fields[0].name: value}, place)
                self._note(option, resources[0], {}, single, end)
                if not end and self.values.get(ours) is None:
                    self.problems.append(f"{place}: nothing sets it back; set {ours} as well.")
            if not end and (resources or ours == EXPECTATIONS):
                self.values[ours], self.brought[ours] = value, {"": place}

    def _note(self, option: str, resource: Resource, keys: Values, entry: _Entry, end: str) -> None:
        if not end:
            value = "" if resource.key else f" {next(iter(entry.values.values()))}".lower()
            self.titles.setdefault(resource.owner, []).append(resource.named(keys) + value)
            return
        one = Ended(entry.path, entry.values, end, option, resource.entry_of(keys))
        self.ended.setdefault((resource.name, resource.label_of(keys)), []).append(one)

    def accept(self, postures: Sequence[Posture], now: datetime) -> None:
        """Accept the risks of postures: for the way in, and for a week of the way back. Of values
        without a name, the way back is no other than the end of what they added."""
        own = self.values.get(ACCEPT_RISKS) or []
        risks = [(f"{ACCEPT_RISKS}[{index}]", risk) for index, risk in enumerate(own)]
        every = [one for of_object in self.ended.values() for one in of_object]
        for posture in postures:
            if now == END_OF_TIME or now - posture.until < AFTERWARDS:
                risks += posture.risks
                risks += [
                    (posture.place, {"code": code, "entries": [one.entry], "reason": BACK})
                    for one in every
                    if one.path.startswith(f"{posture.place}.")
                    for code in WAY_BACK.get(one.option, ())
                ]
        self.values[ACCEPT_RISKS] = [risk for _path, risk in risks]
        entries = {f"[{index}]": path for index, (path, _risk) in enumerate(risks)}
        self.brought[ACCEPT_RISKS] = {"": f"{postures[-1].place}.{RISKS}", **entries}


def merged(host: str, values: Values, entries: PostureEntries, now: datetime) -> MergedHost:
    """The variables of a host with these postures at a time; raises ValueError for a posture that
    is wrong, and for one of which nothing sets back what it changes."""
    values = with_own_purge(values)
    named = postures_of(values)
    postures = [
        _posture(host, place, entry, values, named)
        for place, entry in entries
        if not _is_forgotten(entry, named, now)
    ]
    holding = [one for one in postures if now < one.until]
    plain = {name: value for name, value in values.items() if name not in (POSTURE, POSTURES)}
    result = MergedHost(plain, holding)
    # The same again holds longer, and changes nothing else.
    for one in {one.name or str(one.values): one for one in holding}.values():
        result.take(one.path, one.values)
        named.pop(one.path, None)
    for one in reversed(postures):
        if one not in holding and (not one.name or named.pop(one.path, {})):
            result.take(one.path, one.values, f"ended at {write_timestamp(one.until)}")
    for path, other in named.items():
        result.take(path, other, PREPARED)
    if result.problems:
        raise ValueError(" ".join(result.problems))
    if postures:
        result.accept(postures, now)
    return result


def not_forgotten(entries: PostureEntries, values: Values, now: datetime) -> PostureEntries:
    """The entries without those that have ended, and whose posture nobody prepares any more."""
    named = postures_of(values)
    return [item for item in entries if not _is_forgotten(item[1], named, now)]


def _is_forgotten(entry: Any, named: Values, now: datetime) -> bool:
    name = entry.get("name") if isinstance(entry, Mapping) else None
    try:
        ended = name and expiry_of(POSTURE, entry.get("until")) <= now
    except ValueError:  # which is told
        return False
    return bool(ended) and f"{POSTURES}.{name}" not in named


def read_there(part: Part, run_module: RunModule, wanted: str = "") -> tuple[datetime, State]:
    """The time of Cloudflare, by one more read of what the host has anyway, and the collection that
    was read: the wanted one, if the host has it. Raises ValueError."""
    resources = [item.resource for item in described_by(part)]
    short = [one for one in resources if not isinstance(one.listing, InFiles)] or resources
    read = next((one for one in short if one.plural == wanted), short[0])
    clock = replace(part, context=part.context._replace(reads=[read.plural]))
    result = run_module(clock, True)
    if not result.get(NOW):
        unknown = f"{POSTURE}: Cloudflare does not tell its time, so nobody knows if it holds."
        raise ValueError(f"{result.get('msg') or unknown} {NOTHING_CHANGED}")
    return datetime.fromisoformat(result[NOW]), {read.plural: result.get(read.plural) or ()}


def postures_of(values: Values) -> dict[str, Values]:
    """By their variables: the prepared postures, with the values that are for this host. Raises
    ValueError."""
    postures: dict[str, Values] = {}
    for name, item in (values.get(POSTURES) or {}).items():
        path = f"{POSTURES}.{name}"
        require_valid({path: NAMED_POSTURE}, {path: item})
        postures[path] = {
            option: value
            for option, value in (item or {}).items()
            if value not in (None, []) and _is_for(values, f"{PREFIX}{option}")
        }
    return postures


def _is_for(values: Values, variable: str) -> bool:
    """Return whether a host has the account or the zone that a variable describes."""
    owners = [item.owner for item in RESOURCES.get(variable, ())]
    return not owners or any(names_owner(values, owner) for owner in owners)


def _posture(host: str, place: str, entry: Any, values: Values, named: Values) -> Posture:
    """The posture of an entry; raises ValueError."""
    require_valid({place: CHOSEN_POSTURE}, {place: entry or {}})
    chosen = {name: item for name, item in (entry or {}).items() if item not in (None, [])}
    until, since = (
        expiry_of(f"{place}.{name}", chosen.pop(name)) if name in chosen else None
        for name in ("until", "since")
    )
    name, reason = (chosen.pop(key, None) for key in ("name", "reason"))
    risks = [(f"{place}.{RISKS}", item) for item in chosen.pop(RISKS, ())]
    if until is None or (name is None) is not bool(chosen):
        raise ValueError(f"{place} takes until, and a name or the values themselves.")
    path = place if name is None else f"{POSTURES}.{name}"
    if name is not None and path not in named:
        names = [item.partition(".")[2] for item in named]
        there = f"there are {first_few(names)}" if names else f"{POSTURES} names none"
        raise ValueError(
            f"{place}.name: no posture is called {name}{did_you_mean(str(name), names)}; {there}."
        )
    own = dict(chosen if name is None else named[path])
    risks += [(f"{path}.{RISKS}", item) for item in own.pop(RISKS, ())]
    if not own:
        raise ValueError(f"{place}.name: the posture {name} has nothing for {host}.")
    return Posture(str(name or ""), until, reason, since, own, path, place, risks)


@dataclass
class _Entry:
    """An entry of a list; the place of the posture that brings it, if one does, and whether nothing
    else has it."""

    values: dict[str, Any]
    path: str = ""
    is_new: bool = False
    title: str = ""


class _List:
    """The list in a variable of the baseline, into which postures bring entries by their keys."""

    def __init__(self, variable: str, resources: Sequence[Resource], values: Values) -> None:
        self._variable, self._resources = variable, resources
        purge = values.get(PURGE)  # as with_own_purge names it
        self._is_exclusive = isinstance(purge, list) and variable.removeprefix(PREFIX) in purge
        self.entries = [_Entry(entry) for entry in values.get(variable) or []]
        self._by_key = {self._identity(entry.values)[1]: entry for entry in self.entries}
        self._behind: dict[Position, _Entry] = {}  # the last new entry at each position
        self.taken: list[tuple[Resource, Values, _Entry]] = []  # of the last posture

    def take(
        self, path: str, brought: Sequence[Values], holds: bool, was_taken: bool = True
    ) -> Iterator[str]:
        """Take the entries of a posture; a sentence for each that nothing would set back. One that
        was never taken makes no list of addresses."""
        self.taken = []
        seen: dict[Key, str] = {}
        for index, values in enumerate(brought):
            entry = _Entry(dict(values), f"{path}[{index}]", True)
            resource, key = self._identity(values)
            if holds and seen.setdefault(key, entry.path) != entry.path:
                yield f"{entry.path}: {seen[key]} names the same; keep one of them."
            elif resource is None:  # which the module refuses
                self.entries.append(entry)
            elif was_taken or resource is not WHOLE_LISTS or key in self._by_key:
                yield from self._take(entry, resource, key, holds)

    def _take(self, entry: _Entry, resource: Resource, key: Key, holds: bool) -> Iterator[str]:
        keys = {name: entry.values[name] for name in _key_names(resource) if name in entry.values}
        parsed = parse_values(resource, Option(), _key_in(resource, keys))
        entry.title = resource.named(parsed)
        self.taken.append((resource, parsed, _Entry(dict(entry.values), entry.path)))
        own = self._by_key.get(key)
        if own is None and (not holds or resource is WHOLE_LISTS):
            # A list remains without items.
            gone: dict[str, Any] = {ITEMS: []} if resource is WHOLE_LISTS else {"expires": LONG_AGO}
            own = self._by_key[key] = _Entry({**keys, **gone}, entry.path)
            self.entries += [own] if holds or resource.may_expire else []
        if own is None and not resource.may_expire:
            yield f"{entry.path}: nothing takes {entry.title} away; name it in {self._variable}."
        elif own is None:
            self._by_key[key] = entry
            yield from self._place(entry)
        else:
            yield from self._laid_over(own, entry, resource, holds)

    def _laid_over(
        self, own: _Entry, entry: _Entry, resource: Resource, holds: bool
    ) -> Iterator[str]:
        """Lay the values of a posture over those of an entry."""
        values, position = dict(entry.values), entry.values.get("position")
        if ITEMS in values and resource is WHOLE_LISTS:
            items = _List(ITEMS, [items_in({**own.values, **values})], own.values)
            yield from items.take(f"{entry.path}.{ITEMS}", values.pop(ITEMS) or [], holds)
            self.taken += items.taken
            own.values = {**own.values, ITEMS: [item.values for item in items.entries]}
            own.path = entry.path
        if not holds:
            return
        if lacking := [*_not_set_back(resource, own.values, values)]:
            fields = f"{' and '.join(lacking)} of {entry.title}"
            yield f"{entry.path}: nothing sets back {fields}; name it in {self._variable} as well."
        if values.get("expires") and not own.values.get("expires"):
            yield f"{entry.path}.expires: {self._variable} names it without; leave it out."
        own.values, own.path = _with_posture(resource, own.values, values), entry.path
        if position and self._is_exclusive:
            self.entries.remove(own)
            yield from self._place(own)
        elif position and not own.is_new:
            name = self._variable.removeprefix(PREFIX)
            yield f"{entry.path}.position: an entry that is there moves with {PURGE}: [{name}]."

    def _place(self, entry: _Entry) -> Iterator[str]:
        """Put an entry into its place, which in an exclusive list is that of its object."""
        if not self._is_exclusive or not entry.values.get("position"):
            self.entries.append(entry)
            return
        where, other = position = parse_position(str(entry.values.pop("position")))
        refs = [str(item.values.get("ref")) for item in self.entries]
        if other and other not in refs:
            yield f"{entry.path}.position: there is no {other} in {self._variable}."
            return
        index = refs.index(other) if other else 0
        if where == "last":
            index = len(refs)
        elif where != "before":
            before = self._behind.get(position)
            index = self.entries.index(before) + 1 if before else index + bool(other)
        self.entries.insert(index, entry)
        self._behind[position] = entry

    def _identity(self, values: Values) -> tuple[Resource | None, Key]:
        """The resource of an entry and its key; None for an entry that has none."""
        for resource in self._resources:
            if len(self._resources) == 1 or resource.kind == values.get("kind"):
                try:
                    named = parse_values(resource, Option(), _key_in(resource, values))
                except OptionError:
                    break
                return resource, (resource.plural, *resource.key_of(named))
        return None, (id(values),)


def _key_names(resource: Resource) -> Sequence[str]:
    """The names of the values that say which object an entry is."""
    return (*resource.key, "kind")


def _key_in(resource: Resource, values: Values) -> Values:
    """The values of a key."""
    return {name: values.get(name) for name in resource.key}


def _nesting(resource: Resource) -> list[str]:
    """The names of the values that are laid over one another part by part."""
    return [API_FIELDS, *(item.name for item in resource.fields if item.fields)]


def _not_set_back(resource: Resource, own: Values, values: Values) -> Iterator[str]:
    """The fields of a posture's entry that the baseline's does not name."""
    for name, value in values.items():
        if value is None or name in (*resource.key, *resource.assigned, *NO_FIELDS):
            continue
        if own.get(name) is None:
            yield name
        elif name in _nesting(resource):
            yield from (f"{name}.{inner}" for inner in value if own[name].get(inner) is None)


def _with_posture(resource: Resource, own: Values, values: Values) -> dict[str, Any]:
    """The values of an entry with those of a posture laid over them."""
    named = {name: item for name, item in values.items() if item is not None}
    for name in _nesting(resource):
        if named.get(name):
            named[name] = {**(own.get(name) or {}), **named[name]}
    return {**own, **named}
