# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Postures: values of the baseline that hold until a time, merged into the variables of a host.

Nothing remembers a posture: an entry that only a posture names has expired while it does not hold,
and whatever else it sets, the baseline must name as well, which sets it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from ...module_utils._errors import OptionError
from ...module_utils._plan.desired import Position, parse_position, parse_values
from ...module_utils._schema.lists import WHOLE_LISTS, items_of
from ...module_utils._schema.registry import MANAGED, title_of_resource
from ...module_utils._schema.resource import API_FIELDS, InFiles, Key, Resource, Values
from ...module_utils._specs.arguments import Argument
from ...module_utils._specs.whole_state import NOW
from ...module_utils._text import Option, capitalised, did_you_mean, first_few
from ...module_utils._timestamps import write_timestamp
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

Holds = Callable[[datetime], bool]  # until this moment
SetByPosture = dict[tuple[str, str], tuple[str, Values]]  # by resource and key: variable and values
LONG_AGO = "2010-01-01"  # the end of what does not hold
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
POSTURE_RISKS = f"{POSTURE}.{RISKS}"
NO_FIELDS = (
    "kind",
    "position",
    "expires",
    "purge",
    ITEMS,
)  # of an entry, and no fields to set back
RESOURCES: dict[str, list[Resource]] = {}  # by variable
for _item in MANAGED:
    RESOURCES.setdefault(variable_of(_item), []).append(_item.resource)


class Posture(NamedTuple):
    """The posture of a host: a named one, or values of its own."""

    name: str
    until: datetime
    reason: str | None
    since: datetime | None
    holds: bool
    values: Values
    variable: str

    def sentence(self, verb: str = "holds") -> str:
        """The posture for people, until when it holds, and since when it does not."""
        named = f"The posture {self.name}" if self.name else f"The posture in {self.variable}"
        reason = f" ({self.reason})" if self.reason else ""
        until = f"{write_timestamp(self.until)}{reason}"
        if self.holds:
            return f"{named} {verb} until {until}."
        return f"{named} ended at {until}, and the baseline alone counts. Remove {POSTURE}."

    def record(self) -> dict[str, Any]:
        """The posture as results and reports have it."""
        return {
            "name": self.name or None,
            "until": write_timestamp(self.until),
            "reason": self.reason,
            "since": write_timestamp(self.since) if self.since else None,
        }


@dataclass
class MergedHost:
    """The variables of a host, and what its postures have made of them: `brought` are the variables
    that fill others, or entries of them, in place of the baseline's."""

    values: dict[str, Any]
    posture: Posture | None = None
    brought: dict[str, dict[str, str]] = field(default_factory=dict)
    named: SetByPosture = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def part(self, host: str) -> Part:
        """All that the variables describe; raises ValueError."""
        return host_part(host, self.values, self.brought)

    def still_in_force(self, operations: Iterable[Mapping[str, Any]]) -> list[str]:
        """A sentence for each operation that takes back what a posture has set that is over."""
        current = self.posture.variable if self.posture and self.posture.holds else None
        sentences = []
        for item in operations:
            path, values = self.named.get((str(item["resource"]), str(item["key"])), ("", {}))
            is_back = item["action"] == "delete" or any(
                values.get(name) == item["before"].get(name, "") for name in item["fields"]
            )
            if path and is_back and not path.startswith(f"{current}."):
                title = capitalised(f"{title_of_resource(item['resource'])} {item['key']}")
                sentences.append(f"{title} is as {path} says, which does not hold.")
        return sentences

    def take(self, variable: str, values: Values, holds: bool) -> None:
        """Take the values of a posture that holds; of another one, let the entries expire that
        nothing else names."""
        for option, value in values.items():
            ours, path = f"{PREFIX}{option}", f"{variable}.{option}"
            resources = RESOURCES.get(ours, [])
            if resources and resources[0].key:
                listed = _List(ours, resources, self.values, self.brought.get(ours, {}))
                self.problems += listed.take(path, value, holds)
                self.values[ours] = [entry.values for entry in listed.entries]
                paths = enumerate(entry.path for entry in listed.entries)
                self.brought[ours] = {f"[{index}]": item for index, item in paths if item}
                self.named = {**listed.named, **self.named}
                continue
            if resources:
                name = (resources[0].name, resources[0].label_of({}))
                self.named.setdefault(name, (path, {resources[0].fields[0].name: value}))
                if holds and self.values.get(ours) is None:
                    self.problems.append(f"{path}: nothing sets it back; set {ours} as well.")
            if holds and (resources or ours == EXPECTATIONS):
                self.values[ours], self.brought[ours] = value, {"": path}

    def accept(self, values: Values) -> None:
        """Accept the risks of the posture, for the way in and the way back."""
        known = {ACCEPT_RISKS: values.get(ACCEPT_RISKS), POSTURE_RISKS: values[POSTURE].get(RISKS)}
        if self.posture and self.posture.name:
            known[f"{self.posture.variable}.{RISKS}"] = self.posture.values.get(RISKS)
        listed = [
            (f"{path}[{index}]", risk)
            for path, risks in known.items()
            for index, risk in enumerate(risks or [])
        ]
        self.values[ACCEPT_RISKS] = [risk for _path, risk in listed]
        entries = {f"[{index}]": path for index, (path, _risk) in enumerate(listed)}
        self.brought[ACCEPT_RISKS] = {"": POSTURE_RISKS, **entries}


def merged(host: str, values: Values, holds: Holds) -> MergedHost:
    """The variables of a host at a time; raises ValueError for a posture that is wrong, and for one
    of which nothing sets back what it changes."""
    values = with_own_purge(values)
    postures = postures_of(values)
    posture = _posture(host, values, postures, holds)
    result = MergedHost({k: v for k, v in values.items() if k not in (POSTURE, POSTURES)}, posture)
    if posture:
        postures.pop(posture.variable, None)
        result.take(posture.variable, posture.values, posture.holds)
        result.accept(values)
    for variable, other in postures.items():
        result.take(variable, other, False)
    if result.problems:
        raise ValueError(" ".join(result.problems))
    return result


def afterwards(host: str, values: Values) -> MergedHost:
    """The variables of a host after its posture."""
    return merged(host, values, lambda _until: False)


def time_there(part: Part, run_module: RunModule) -> datetime:
    """The time of Cloudflare, by one more read of what the host has anyway; raises ValueError."""
    resources = [item.resource for item in described_by(part)]
    short = next((one for one in resources if not isinstance(one.listing, InFiles)), resources[0])
    clock = replace(part, context=part.context._replace(reads=[short.plural]))
    result = run_module(clock, True)
    if not result.get(NOW):
        unknown = f"{POSTURE}: Cloudflare does not tell its time, so nobody knows if it holds."
        raise ValueError(f"{result.get('msg') or unknown} {NOTHING_CHANGED}")
    return datetime.fromisoformat(result[NOW])


def postures_of(values: Values) -> dict[str, Values]:
    """By their variables: the postures, with the values that are for this host. Raises
    ValueError."""
    require_valid({POSTURE: CHOSEN_POSTURE}, values)
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


def _posture(host: str, values: Values, named: Values, holds: Holds) -> Posture | None:
    chosen = {
        name: item for name, item in (values.get(POSTURE) or {}).items() if item not in (None, [])
    }
    if not chosen:
        return None
    until, since = (_moment(name, chosen.pop(name, None)) for name in ("until", "since"))
    name, reason = (chosen.pop(key, None) for key in ("name", "reason"))
    more = [] if name is None else chosen.pop(RISKS, [])
    if until is None or (name is None) is not bool(chosen):
        raise ValueError(f"{POSTURE} takes until, and a name or the values themselves.")
    variable = POSTURE if name is None else f"{POSTURES}.{name}"
    if name is not None and variable not in named:
        names = [item.partition(".")[2] for item in named]
        there = f"there are {first_few(names)}" if names else f"{POSTURES} names none"
        raise ValueError(
            f"{POSTURE}.name: no posture is called {name}{did_you_mean(str(name), names)}; {there}."
        )
    own = chosen if name is None else named[variable]
    own = {**own, RISKS: [*own.get(RISKS, ()), *more]} if more else own
    if not own.keys() - {RISKS}:
        raise ValueError(f"{POSTURE}.name: the posture {name} has nothing for {host}.")
    return Posture(str(name or ""), until, reason, since, holds(until), own, variable)


def _moment(name: str, value: Any) -> datetime | None:
    return None if value is None else expiry_of(f"{POSTURE}.{name}", value)


@dataclass
class _Entry:
    """An entry of a list, and the variable of the posture that brings it, if one does."""

    values: dict[str, Any]
    path: str = ""
    title: str = ""


class _List:
    """The list in a variable of the baseline, into which postures bring entries by their keys."""

    def __init__(
        self, variable: str, resources: Sequence[Resource], values: Values, brought: Values
    ) -> None:
        self._variable, self._resources = variable, resources
        purge = values.get(PURGE)  # as with_own_purge names it
        self._is_exclusive = isinstance(purge, list) and variable.removeprefix(PREFIX) in purge
        own = enumerate(values.get(variable) or [])
        self.entries = [_Entry(entry, brought.get(f"[{index}]", "")) for index, entry in own]
        self._by_key = {self._identity(entry.values)[1]: entry for entry in self.entries}
        self._behind: dict[Position, _Entry] = {}  # the last new entry at each position
        self.named: SetByPosture = {}

    def take(self, path: str, brought: Sequence[Values], holds: bool) -> Iterator[str]:
        """Take the entries of a posture; a sentence for each that nothing would set back."""
        seen: dict[Key, str] = {}
        for index, values in enumerate(brought):
            entry = _Entry(dict(values), f"{path}[{index}]")
            resource, key = self._identity(values)
            if holds and seen.setdefault(key, entry.path) != entry.path:
                yield f"{entry.path}: {seen[key]} names the same; keep one of them."
                continue
            if resource is None:  # which the module refuses
                self.entries.append(entry)
                continue
            keys = {name: values[name] for name in (*resource.key, "kind") if name in values}
            entry.title = resource.named(parse_values(resource, Option(), _key_in(resource, keys)))
            label = entry.title.removeprefix(f"{resource.title} ")
            self.named[resource.name, label] = (entry.path, values)
            own = self._by_key.get(key)
            if own is None and resource is WHOLE_LISTS:  # it remains without items
                own = self._by_key[key] = _Entry({**keys, ITEMS: []}, entry.path)
                self.entries.append(own)
            if own is None and not holds:
                self._by_key[key] = _Entry({**keys, "expires": LONG_AGO}, entry.path)
                self.entries += [self._by_key[key]] if resource.may_expire else []
            elif own is None and not resource.may_expire:
                title = f"nothing takes {entry.title} away"
                yield f"{entry.path}: {title}; name it in {self._variable}."
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
            items = _List(ITEMS, [items_of(str(values["name"]))], own.values, {})
            yield from items.take(f"{entry.path}.{ITEMS}", values.pop(ITEMS) or [], holds)
            self.named.update(items.named)
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
        elif position:
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
