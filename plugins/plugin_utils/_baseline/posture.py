# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Postures: values of the baseline that hold until a time, merged into the variables of a host.

Nothing remembers a posture: an entry that only a posture names has expired while it does not hold,
and whatever else it sets, the baseline must name as well, which sets it back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ...module_utils._arguments import Argument, Arguments, read_options
from ...module_utils._context import NOW
from ...module_utils._errors import OptionError, PlanError
from ...module_utils._plan.desired import Desired, DesiredObject
from ...module_utils._plan.reconcile import insert_new
from ...module_utils._schema import resource as schema
from ...module_utils._schema.lists import LISTS
from ...module_utils._schema.registry import title_of_operation
from ...module_utils._schema.resource import Resource, State, Values, without
from ...module_utils._specs.registry import host_spec
from ...module_utils._text import capitalised, did_you_mean, first_few, visible, with_names
from ...module_utils._timestamps import END_OF_TIME, write_timestamp
from .._files import locked, write_whole
from .._variables import (
    Mistakes,
    all_read,
    errors_of,
    expiry_of,
    require_none,
    require_valid,
    wrong_variables,
)
from . import variables as of_host
from .variables import (
    NOTHING_CHANGED,
    POSTURE,
    POSTURES,
    PREFIX,
    PURGE,
    Part,
    RunModule,
    acceptances_in,
    read_acceptances,
)

# The postures of a host, each with the place that names it.
PostureEntries = Sequence[tuple[str, Any]]
START_OF_TIME = datetime.min.replace(tzinfo=timezone.utc)  # when every posture holds
AFTERWARDS = timedelta(days=7)  # in which a run is to take a posture back
LONG_AGO = "2010-01-01"  # the end of what does not hold
PREPARED = "does not hold by the file of postures here"  # of a posture that no entry names
TIMES = ("since", "until")
ABOUT: Arguments = {
    **{name: {"type": "str"} for name in ("name", "reason", "since")},
    "until": {"type": "str", "required": True},
}
NAMED_POSTURE: Argument = {"type": "dict", "options": of_host.OF_A_POSTURE}
CHOSEN_POSTURE: Argument = {"type": "dict", "options": {**ABOUT, **of_host.OF_A_POSTURE}}
ITEMS, RISKS = "items", "accept_risks"
# The risks of the end of an object that values without a name have added.
WAY_BACK = (
    *("stops_mitigation", "lowers_sensitivity", "disables_protection", "empties_list"),
    *("weakens_network_firewall", "weakens_zone"),
)


class Posture(NamedTuple):
    """A posture of a host: a named one, or values of its own. `place` is that of its entry, `path`
    that of the values; `risks` are accepted, each with its own place. The `record` is for results
    and reports."""

    name: str
    until: datetime
    record: Mapping[str, Any]
    values: Values
    path: str
    place: str
    risks: Sequence[tuple[str, Any]]

    def sentence(self) -> str:
        """The posture for people, and until when it holds."""
        reason = f" ({self.record['reason']})" if self.record["reason"] else ""
        named = f"The posture {self.name or f'in {self.place}'}"
        return f"{named} holds until {self.record['until']}{reason}."


class PostureObject(NamedTuple):
    """An object that values describe at a place: its collection and key, and its own values as they
    stand there."""

    resource: Resource
    identity: tuple[str, schema.Key]
    named: DesiredObject
    own: dict[str, Any]
    place: str

    @property
    def title(self) -> str:
        """The title of the object."""
        return self.resource.title_of(self.named.values)


class MergedHost:
    """The variables of a host with these postures at a time. `postures` are those that hold;
    `titles` are the objects that they set, by owner, and `ended` those of postures that do not
    hold, by resource and key, each with the end. `added` are the objects that postures alone name,
    but for those that are only prepared.

    Raises ValueError for a posture that is wrong, for one of which nothing sets back what it
    changes, and for values of the host that cannot be read.
    """

    def __init__(self, host: str, values: Values, entries: PostureEntries, now: datetime) -> None:
        values = of_host.with_own_purge(values)
        named = postures_of(values)
        chosen = all_read(*(partial(_posture, host, *one, named, now) for one in entries))
        every = [one for one in chosen if one]
        self._host, self.postures = host, [one for one in every if now < one.until]
        layers = [(one.path, one.values, "") for one in self.postures]
        over = (one for one in every if one.until <= now)
        layers += [(one.path, one.values, f"ended at {one.record['until']}") for one in over]
        layers += [(path, without(own, RISKS), PREPARED) for path, own in named.items()]
        self.values, own = without(values, POSTURE, POSTURES), {}
        for option in {option for _path, theirs, _end in layers for option in theirs}:
            if _has_objects(values, option) and values.get(PREFIX + option) is not None:
                own[option] = self.values[PREFIX + option] = deepcopy(values[PREFIX + option])
        self.titles: dict[str, list[str]] = {}
        self.ended: dict[tuple[str, str], list[tuple[PostureObject, str]]] = {}
        self.added: dict[tuple[str, schema.Key], PostureObject] = {}
        self._problems: list[str] = []
        self._brought: dict[str, str] = {}  # by options, and entries of them such as rules[2]
        self._entries = {item.identity: item.own for item in _objects(PREFIX, own, values)}
        self._places: dict[int, str] = {}  # of the entries that postures bring
        taken: list[Values] = []
        for path, theirs, end in layers:
            if theirs not in taken:  # the same again holds longer, and changes nothing else
                taken.append(theirs)
                self._take_all(path, theirs, end)
        if self._problems:
            raise Mistakes(self._problems)
        if every:
            self._accept(every, now)

    def part(self) -> Part:
        """All that the variables describe; raises ValueError."""
        for variable, entries in self.values.items():
            if variable in of_host.OWNERS_OF and isinstance(entries, list):
                places = enumerate(self._places.get(id(entry)) for entry in entries)
                option = variable.removeprefix(PREFIX)
                self._brought.update({f"{option}[{at}]": place for at, place in places if place})
        return of_host.host_part(self._host, self.values, self._brought)

    def still_in_force(self, operations: Iterable[Mapping[str, Any]]) -> Iterator[str]:
        """A sentence for each operation that takes back what a posture has set that is over."""
        for item in operations:
            before, title = item.get("before") or {}, capitalised(title_of_operation(item))
            was = [(name, before[name]) for name in item["fields"] if name in before]
            for one, end in self.ended.get((item["resource"], item["key"]), ()):
                values = one.named.values
                if item["action"] == "delete" or any(values.get(name) == old for name, old in was):
                    yield f"{title} is as {one.place} says, which {end}."
                    break

    def _take_all(self, path: str, values: Values, end: str) -> None:
        """Take the values of a posture that holds; of one with an end, let the entries expire that
        nothing else names. Raises ValueError for values that cannot be read."""
        for option, value in values.items():
            if _has_objects(self.values, option):
                self._take(option, [*_objects(f"{path}.", {option: value}, self.values)], end)
            elif not end:
                self._set(option, value, f"{path}.{option}")

    def _set(self, option: str, value: Any, place: str) -> None:
        self.values[PREFIX + option], self._brought[option] = value, place

    def _take(self, option: str, items: Sequence[PostureObject], end: str) -> None:
        """Take the objects of a posture that stand under an option."""
        is_exclusive = option in (self.values.get(PURGE) or ())  # as with_own_purge names it
        for item in items:
            self._note(item, end)
            if is_exclusive:
                item = item._replace(own=without(item.own, "position"))
            own = self._entries.get(item.identity)
            if own is not None:
                lacking = self._lay_over(option, own, item, end)
            else:
                lacking = self._add(option, item, end)
            if lacking:
                names = f"{lacking}; name it in {PREFIX}{option} as well"
                self._problems.append(f"{item.place}: nothing sets back {names}.")
        moved = {item.identity[1]: item.named for item in items if item.named.position}
        if moved and is_exclusive and not end:
            self._move(PREFIX + option, items[0].resource, moved)

    def _note(self, item: PostureObject, end: str) -> None:
        """Note an object that a posture sets, or has set."""
        resource, values = item.resource, item.named.values
        if end:
            key = resource.name, resource.label_of(values)
            self.ended.setdefault(key, []).append((item, end))
        else:
            level = "" if resource.key else f" {next(iter(values.values()))}".lower()
            self.titles.setdefault(resource.owner, []).append(item.title + level)

    def _add(self, option: str, item: PostureObject, end: str) -> str:
        """Add an entry that nothing else has; of a posture that does not hold, one that has
        expired. A list remains without items, once it was made. The title of what nothing would
        set back."""
        resource, entry = item.resource, item.own
        if not resource.may_expire:
            return "" if end else item.title
        if not item.place.startswith(POSTURES):
            self.added[item.identity] = item
        if end:
            keys = {name: entry[name] for name in (*resource.key, "kind") if name in entry}
            entry = keys if resource is LISTS else {**keys, "expires": LONG_AGO}
        holder: dict[str, Any] | None = self.values
        variable = PREFIX + option
        if resource.parent:
            of_list = LISTS.plural, LISTS.key_of({"name": resource.parent_name})
            holder, variable = self._entries.get(of_list), ITEMS
        if holder and (resource is not LISTS or end != PREPARED):
            own = {**entry, ITEMS: []} if resource is LISTS else {**entry}
            holder[variable] = [*(holder.get(variable) or ()), own]
            self._entries[item.identity], self._places[id(own)] = own, item.place
        return ""

    def _lay_over(self, option: str, own: dict[str, Any], item: PostureObject, end: str) -> str:
        """Lay the values of a posture that holds over those of an entry; the names of those that
        the entry does not have, and that nothing would set back."""
        resource, lacking = item.resource, list[str]()
        if not end or resource is LISTS:
            self._places[id(own)] = item.place
        nested = [schema.API_FIELDS, *(one.name for one in resource.fields if one.fields)]
        named = {} if end else without(item.own, ITEMS, *resource.key, *resource.assigned)
        for name, value in named.items():
            known = own.get(name)
            if name in nested and known and value:
                lacking += [f"{name}.{inner}" for inner in value if known.get(inner) is None]
                value = {**known, **value}
            elif value is not None and known is None and name not in ("kind", "purge"):
                lacking.append(name)
            own[name] = known if value is None else value
        if not (resource.key or end):
            self._set(option, next(iter(own.values())), item.place)
        return f"{' and '.join(lacking)} of {item.title}" if lacking else ""

    def _move(
        self, variable: str, resource: Resource, moved: Mapping[schema.Key, DesiredObject]
    ) -> None:
        """Move entries of an exclusive list to the positions of a posture."""
        entries = {key: own for (of, key), own in self._entries.items() if of == resource.plural}
        keys = {id(own): key for key, own in entries.items()}
        order = [keys[id(own)] for own in self.values[variable] if keys[id(own)] not in moved]
        try:
            insert_new([Desired(resource, moved)], order)
        except PlanError as exc:
            self._problems.append(f"{variable}: {exc}")
        self.values[variable] = [entries[key] for key in order]

    def _accept(self, postures: Sequence[Posture], now: datetime) -> None:
        """Accept the risks of postures: for the way in, and for a week of the way back. Of values
        without a name, the way back is no other than the end of what they added."""
        own = acceptances_in(self.values.get(of_host.ACCEPT_RISKS))
        risks = [(f"{of_host.ACCEPT_RISKS}[{index}]", risk) for index, risk in enumerate(own)]
        ended = [one for of_object in self.ended.values() for one, _end in of_object]
        for posture in postures:
            if now == END_OF_TIME or now - posture.until < AFTERWARDS:
                added = [one for one in ended if one.place.startswith(f"{posture.place}.")]
                entries = [one.resource.entry_of(one.named.values) for one in added]
                back = {"entries": entries, "reason": "the end of the posture"}
                risks += posture.risks
                # The playbook attack, which writes `since`, adds nothing that is there already.
                codes = WAY_BACK if added and posture.record["since"] else ()
                risks += [(posture.place, {"code": code, **back}) for code in codes]
        self.values[of_host.ACCEPT_RISKS] = [risk for _path, risk in risks]
        self._brought[RISKS] = f"{postures[-1].place}.{RISKS}"
        self._brought.update({f"{RISKS}[{at}]": path for at, (path, _risk) in enumerate(risks)})


def _objects(prefix: str, values: Values, host: Values) -> Iterator[PostureObject]:
    """The objects that values of a host describe, of which the prefix says the place; raises
    ValueError for malformed ones."""
    if not values:
        return
    ids = {name: "its own" for name in schema.OWNERS if of_host.names_owner(host, name)}
    options = read_options(of_host.OPTIONS, {**ids, **values})
    try:
        desired = host_spec(options).desired(options)
    except OptionError as exc:
        names = {name: f"{prefix}{name}" for name in values}
        raise Mistakes(f"{with_names(one.message, names)}." for one in exc.errors) from exc
    for item in desired:
        for key, one in item.entries.items():
            own: Any = values if one.path.path else dict(one.values)
            for step in one.path.path:
                own = own[step]
            place = one.path.name({}) or of_host.VARIABLE_OF[item.resource.plural][len(PREFIX) :]
            yield PostureObject(
                item.resource, (item.resource.plural, key), one, own, f"{prefix}{place}"
            )


def read_there(part: Part, run_module: RunModule, wanted: str = "") -> tuple[datetime, State]:
    """The time of Cloudflare, by one more read of what the host has anyway, and the collection that
    was read: the wanted one, if the host has it. Raises ValueError."""
    described = [item.resource for item in of_host.described_by(part)]
    if not described:
        raise ValueError(f"{POSTURE}: the host describes nothing to read. {NOTHING_CHANGED}")
    in_files = schema.InFiles  # of which the answers tell no time
    read = min(described, key=lambda one: (one.plural != wanted, isinstance(one.listing, in_files)))
    clock = replace(part, context=part.context._replace(reads=[read.plural]))
    result = run_module(clock, True)
    if not result.get(NOW):
        unknown = f"{POSTURE}: Cloudflare does not tell its time, so nobody knows if it holds."
        raise ValueError(f"{result.get('msg') or unknown} {NOTHING_CHANGED}")
    return datetime.fromisoformat(result[NOW]), {read.plural: result.get(read.plural) or ()}


def postures_of(values: Values) -> dict[str, Values]:
    """By their variables: the prepared postures, with the values that are for this host. Raises
    ValueError."""
    named = {f"{POSTURES}.{name}": item for name, item in (values.get(POSTURES) or {}).items()}
    require_valid(dict.fromkeys(named, NAMED_POSTURE), named)
    return {
        path: {
            option: value
            for option, value in (item or {}).items()
            if value not in (None, [])
            and (PREFIX + option not in of_host.OWNERS_OF or _has_objects(values, option))
        }
        for path, item in named.items()
    }


def require_risks(named: Mapping[str, Values]) -> None:
    """Raise ValueError for malformed accepted risks of prepared postures, also of those that no
    entry names."""
    places = ((f"{path}.{RISKS}", own.get(RISKS)) for path, own in named.items())
    require_none(errors_of(*(partial(read_acceptances, *place) for place in places)), {}, {})


def _has_objects(values: Values, option: str) -> bool:
    """Return whether objects stand under an option, whose account or zone a host has."""
    owners = of_host.OWNERS_OF.get(PREFIX + option, ())
    return any(of_host.names_owner(values, owner) for owner in owners)


def _posture(host: str, place: str, entry: Any, named: Values, now: datetime) -> Posture | None:
    """The posture of an entry; None for one that has ended, and that nobody prepares any more.
    Raises ValueError."""
    if not isinstance(entry or {}, Mapping):
        raise ValueError(f"{place}: it is no posture; write {FORM.format(visible(str(entry)))}.")
    own = entry or {}
    texts = (name for name in TIMES if isinstance(own.get(name), str))
    ends = errors_of(*(partial(expiry_of, f"{place}.{name}", own[name]) for name in texts))
    errors = wrong_variables({place: CHOSEN_POSTURE}, {place: own})
    require_none([*errors, *ends], {}, {})
    known = {name: item for name, item in own.items() if item not in (None, [])}
    known.update({name: str(known[name]) for name in ABOUT if name in known})  # also a number
    until = expiry_of(f"{place}.until", known["until"])
    since = expiry_of(f"{place}.since", known["since"]) if "since" in known else None
    name, values = known.get("name"), without(known, *ABOUT, RISKS)
    if bool(name) is bool(values):
        raise ValueError(f"{place} takes until, and a name or the values themselves.")
    path = f"{POSTURES}.{name}" if name else place
    if name and path not in named:
        if until <= now:
            return None
        raise ValueError(f"{place}.name: {no_such_posture(name, named)}.")
    values = named[path] if name else values
    risks = [  # of a prepared posture, the path may be the place
        (f"{at}.{RISKS}[{index}]", risk)
        for at, theirs in ((path, values.get(RISKS)), (place, known.get(RISKS)))
        for index, risk in enumerate(acceptances_in(theirs))
    ]
    own = without(values, RISKS)
    if not own:
        raise ValueError(f"{place}.name: the posture {name} has nothing for {host}.")
    record = {"name": name, "until": write_timestamp(until), "reason": known.get("reason")}
    record["since"] = write_timestamp(since) if since else None
    return Posture(name or "", until, record, own, path, place, risks)


def no_such_posture(name: Any, named: Iterable[str]) -> str:
    """The problem of a name that none of these paths of postures has."""
    names = [item.rpartition(".")[2] for item in named]
    there = f"the postures are {first_few(names)}" if names else f"{POSTURES} names none"
    return f"no posture is called {name}{did_you_mean(str(name), names)}; {there}"


FILE_NAME = "postures.yml"
FORM = "{{name: {}, until: 2027-01-31T09:00:00Z}}"
HEADER = (
    "---\n# The postures of hosts. The playbook edgeops.protection.attack writes this file, without"
    "\n# the comments of others. Keep it in version control.\n"
)
NEXT_LINE = "\x85"
TIME = "tag:yaml.org,2002:timestamp"


class _Loader(yaml.SafeLoader):
    """Reads times as the texts that they are, and no name twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        size, mapping = len(node.value), super().construct_mapping(node, deep)
        if len(mapping) < size:
            raise yaml.MarkedYAMLError(problem="a name stands twice", problem_mark=node.start_mark)
        return mapping


_Loader.yaml_implicit_resolvers = {
    first: [pair for pair in pairs if pair[0] != TIME]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@lru_cache(maxsize=1)
def _parsed(text: str) -> Any:
    """The document in a text, which many hosts have in common; nobody may change it."""
    return yaml.load(text, _Loader)


class Changed(Exception):
    """The entries of a host are others than those that somebody has read."""


class PostureFile:
    """The file, which may not exist; a link leads to it."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))

    def read(self) -> Any:
        """The document of all hosts; raises ValueError, which names the file."""
        try:
            return _parsed(self.path.read_text(encoding="utf-8")) or {}
        except FileNotFoundError:
            return {}
        except IsADirectoryError as exc:
            raise ValueError(f"{self.path}: it is a folder; write the postures to a file.") from exc
        except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as exc:
            raise ValueError(f"{self.path}: {visible(' '.join(str(exc).split()))}.") from exc

    def of(self, host: str) -> list[dict[str, Any]]:
        """The entries of a host; raises ValueError."""
        hosts = self.read()
        entries = (hosts.get(host) or []) if isinstance(hosts, Mapping) else None
        if not isinstance(entries, list):
            form = f"berlin: [{FORM.format('under_attack')}]"
            raise ValueError(f"{self.path}: it takes lists of postures by host, such as {form}.")
        return [*entries]

    def placed(self, host: str, entries: Iterable[Any]) -> list[tuple[str, Any]]:
        """Entries of a host, each with its place in the file."""
        name = os.path.relpath(self.path)
        name = name if not name.startswith(os.pardir) else str(self.path)
        return [(f"{name}: {host}[{index}]", one) for index, one in enumerate(entries)]

    def write(self, host: str, known: list[Any], entries: list[Any]) -> None:
        """Let a host have these entries in place of the known ones; raises OSError, ValueError, and
        Changed if it has others."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.parent):
            if self.of(host) != known:
                raise Changed
            if entries != known:
                hosts = {**self.read(), host: entries}
                hosts = hosts if entries else without(hosts, host)
                form: dict[str, Any] = {"sort_keys": False, "width": 1000}
                text = yaml.safe_dump(hosts, allow_unicode=True, **form)
                if NEXT_LINE in text:  # which a reader takes for the end of a line
                    text = yaml.safe_dump(hosts, **form)
                write_whole(self.path, HEADER + text, 0o644, lasting=True)


def posture_file(named: Any, sources: Iterable[Any]) -> PostureFile | None:
    """The file with this name, or the one beside the first source of the inventory; None if no
    source is a file. Raises ValueError for one within a source, which Ansible would read."""
    if named:
        return PostureFile(Path.cwd() / os.path.expanduser(str(named)))
    source = next((Path(str(item)) for item in sources if os.path.exists(str(item))), None)
    if source is None:
        return None
    place = Path(os.path.abspath(source)).parent / FILE_NAME
    if os.path.lexists(source / FILE_NAME):
        raise ValueError(
            f"{source / FILE_NAME}: Ansible would read it as an inventory. Move it to {place}, or"
            f" set {of_host.POSTURES_FILE}."
        )
    return PostureFile(place)
