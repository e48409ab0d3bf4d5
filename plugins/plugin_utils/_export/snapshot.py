# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Snapshots: the state of a host before its first write, as a file; and the way back from one, or
from an export."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._arguments import TEXTS, Argument, Arguments, read_options
from ...module_utils._context import EXISTING, NOW
from ...module_utils._errors import NOTHING_CHANGED, OptionError
from ...module_utils._plan.desired import Desired
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import OWNERS, Object, Resource, State, without
from ...module_utils._specs.base import RESTORED
from ...module_utils._specs.registry import HOST_MODULE, host_spec
from ...module_utils._specs.whole_state import all_inside, collections_of
from ...module_utils._text import Option, first_joined
from ...module_utils._timestamps import DATE, TIMESTAMP, read_timestamp, write_time
from .._baseline.approval import EXPECTED_PLAN
from .._baseline.service_time import ReadFailed
from .._baseline.variables import (
    OF_HOST,
    OPTIONS,
    POSTURE,
    POSTURES,
    POSTURES_FILE,
    PREFIX,
    PURGE,
    ROLE,
    SNAPSHOT,
    SNAPSHOT_DIRECTORY,
    SOURCE,
    VARIABLE_OF,
    Part,
    RunModule,
    TakeSnapshot,
    connection_options,
    described_by,
    host_part,
    names_owner,
    of_another,
)
from .._files import host_folder, require_writable, variables_file, write_private
from .._variables import Mistakes, plain, read_variables, require_valid
from .describe import IGNORE_IDS, exclusive_entries, purge_of

# Objects by their keys alone, by the plural of the resource.
NamedKeys = Mapping[str, Sequence[Object]]


class HostState(NamedTuple):
    """The account and the zone of a host by their ids, the objects that they have, and the time
    there; None if Cloudflare does not tell it."""

    owners: Mapping[str, str]
    objects: State
    now: datetime | None = None


def read_part(part: Part, run_module: RunModule) -> HostState:
    """All that a host may change; raises ValueError for a state that cannot be read."""
    touched = [item.resource for item in described_by(part)]
    return read_host(touched, connection_options(part), run_module)


def read_host(
    resources: Sequence[Resource], connection: Mapping[str, Any], run_module: RunModule
) -> HostState:
    """These resources of the account and the zone that the options of the connection name; raises
    ValueError for a state that cannot be read."""
    reads = _plurals_of(resources)
    if not reads:
        return HostState({}, {})
    owners = {BY_PLURAL[plural].owner for plural in reads}
    unread_owners = [owner for name, owner in OWNERS.items() if name not in owners]
    options = dict(connection)
    for owner in unread_owners:
        options = without(options, *owner.options)
    result = plain(run_module(Part(HOST_MODULE, options, ROLE._replace(reads=reads)), False))
    if result.get("failed"):
        raise ReadFailed(str(result["msg"]), result)
    return _host_state(reads, result)


def _plurals_of(resources: Sequence[Resource]) -> list[str]:
    """The names of resources, in the order of the registry."""
    return [plural for plural, resource in BY_PLURAL.items() if resource in resources]


def _host_state(reads: Sequence[str], result: Mapping[str, Any]) -> HostState:
    """The collections with these names, and all inside of them, as a result has them; raises
    KeyError if it lacks some."""
    owners = {BY_PLURAL[plural].owner for plural in reads}
    collections = collections_of(reads)
    collections += all_inside(collections, result)
    objects = {collection.plural: result[collection.plural] for collection in collections}
    ids = {owner: result[owner] for owner in OWNERS if owner in owners}
    return HostState(ids, objects, read_timestamp(result.get(NOW)))


def _predicted_from(part: Part, predicted: Mapping[str, Any]) -> HostState | None:
    """The state that a prediction has read; None if it lacks some of what the host may change, such
    as the items of a list that the host does not name."""
    try:
        plurals = _plurals_of([item.resource for item in described_by(part)])
        return _host_state(plurals, plain(predicted.get(EXISTING) or {}))
    except KeyError:
        return None


SNAPSHOT_HEADER = (
    "The state before a run of edgeops.protection.baseline, as Cloudflare had it;"
    " edgeops.protection.restore takes this file."
)
TIME_AS_NAME = "%Y-%m-%dT%H-%M-%S.%fZ.yml"  # of a file, by the time in UTC


def snapshots_in(
    directory: Any,
    host: str,
    part: Part,
    run_module: RunModule,
    check_mode: bool,
    named_keys: NamedKeys | None = None,
) -> TakeSnapshot | None:
    """Writes what a host may change, as its prediction has read it; None without a directory.

    `named_keys` limit it, as `snapshot_text` says. In check mode it is only tried whether the file
    could be written.
    """
    if not directory:
        return None

    def take_snapshot(predicted: Mapping[str, Any]) -> str:
        folder = host_folder(str(directory), host)
        if check_mode:
            require_writable(folder)
            return ""
        state = _predicted_from(part, predicted) or read_part(part, run_module)
        text = snapshot_text(part, state, named_keys)
        return write_snapshot(folder, text, datetime.now(timezone.utc))

    return take_snapshot


def named_by(part: Part, now: datetime | None) -> NamedKeys:
    """The objects that a host names, with their keys alone, in the collections of which it changes
    no others; an object that goes takes along all that it holds."""
    options = read_options(OPTIONS, part.options)
    desired = [collection.at(now) for collection in host_spec(options).desired(options)]
    exclusive: set[str] = set()
    for collection in desired:
        contents = collection.resource.contents
        if collection.exclusive:
            exclusive.add(collection.resource.plural)
        if contents:
            for key in collection.gone | collection.expired:
                exclusive.add(contents(collection.objects[key]).plural)
    return {
        collection.resource.plural: _objects_with_keys(collection)
        for collection in desired
        if collection.resource.plural not in exclusive
    }


def _objects_with_keys(collection: Desired) -> list[Object]:
    """The desired objects of a collection, with their keys alone."""
    names = collection.resource.key
    return [
        {name: values[name] for name in names if name in values}
        for values in collection.objects.values()
    ]


def snapshot_text(part: Part, state: HostState, named_keys: NamedKeys | None = None) -> str:
    """The text of the file: what a host may change, as Cloudflare has it. Of the collections in
    `named_keys`, the run only changes these objects, though its variables may say more."""
    ignored = {
        f"{PREFIX}{option}": list(value)
        for option, value in part.options.items()
        if value and option.endswith(("_ignore", "ignore_ids"))
    }
    keys = {**named_by(part, state.now), **(named_keys or {})}
    source: dict[str, Any] = {**state.owners}
    if ignored:
        source["ignore"] = plain(ignored)
    if keys:
        source["named"] = plain(keys)
    return variables_file({SOURCE: source, SNAPSHOT: state.objects}, [SNAPSHOT_HEADER])


def write_snapshot(folder: Path, text: str, now: datetime) -> str:
    """Write the file of a host, readable for its owner only, completely or not at all; returns its
    path.

    Raises OSError.
    """
    path = folder / now.strftime(TIME_AS_NAME)
    write_private(path, text, lasting=True)
    return str(path)


LATEST = "latest"
HEAD = 4096  # characters of a file, in which it names its account and its zone
BEGINNING = f"---\n# {SNAPSHOT_HEADER}\n{SOURCE}:\n"
OWNER = re.compile(rf"  ({'|'.join(OWNERS)}): '?([^'\n]+)'?\n")


def parse_before(text: str, name: str) -> datetime | None:
    """A moment, or None for the word latest; raises ValueError."""
    return None if text.strip() == LATEST else parse_moment(text, name, f"{LATEST}, nor ")


def parse_moment(text: str, name: str, words: str = "") -> datetime:
    """A moment of the variable `name`: a timestamp with an offset, or a date, which means its
    beginning in UTC. Raises ValueError; `words` says what else the variable takes."""
    text = text.strip()
    match = TIMESTAMP.fullmatch(f"{text}T00:00:00Z" if DATE.fullmatch(text) else text)
    moment = read_timestamp(match[0]) if match and match[4] else None
    if moment is None:
        forms = "a date such as 2027-01-31, nor a time such as 2027-01-31T18:00:00+01:00"
        raise Mistakes([OptionError(Option(name), f"'{text}' is neither {words}{forms}")])
    return moment


def snapshots_of(folder: Path) -> list[tuple[datetime, Path]]:
    """The files in the folder of a host that are named as snapshots are, newest first; raises
    OSError."""
    try:
        names = sorted((path.name for path in folder.iterdir()), reverse=True)
    except FileNotFoundError:
        return []
    taken = ((_time_of(name), folder / name) for name in names)
    return [(time, path) for time, path in taken if time is not None and path.is_file()]


def _time_of(name: str) -> datetime | None:
    try:
        return datetime.strptime(name, TIME_AS_NAME).replace(tzinfo=timezone.utc)
    except ValueError:
        return None


def snapshot_before(
    directory: object, host: str, before: datetime | None, since: datetime | None = None
) -> Path:
    """The newest snapshot of a host that was taken before a moment, and not before `since`.

    Raises ValueError for a host without one, and OSError.
    """
    if not directory:
        raise ValueError(
            f"{host} has no directory of snapshots; set {SNAPSHOT_DIRECTORY}, or restore_file for"
            " a single file."
        )
    folder = host_folder(str(directory), host)
    taken = snapshots_of(folder)
    for time, path in taken:
        if (before is None or time < before) and (since is None or time >= since):
            return path
    bounds = []
    if before:
        bounds.append(f"before {write_time(before)}")
    if since:
        bounds.append(f"since {write_time(since)}")
    between = f" from {' and '.join(bounds)}" if bounds else ""
    existing = _times_in_words([time for time, _path in taken])
    raise ValueError(f"{host} has no snapshot{between} in {folder}{existing}. {NOTHING_CHANGED}")


def _times_in_words(times: Sequence[datetime]) -> str:
    """A clause on the number of snapshots and their times, of which the newest is the first; empty
    if there are none."""
    if not times:
        return ""
    return f"; it has {len(times)}, from {write_time(times[-1])} to {write_time(times[0])}"


def delete_older(written: Path, keep: int) -> list[str]:
    """Delete the oldest snapshots of the host that has just `written` one, so that `keep` remain.

    Files that are no snapshots, or those of another account or zone, are left alone and do not
    count. Returns the paths of the deleted files; raises OSError.
    """
    owners = owners_in(written)
    earlier = [path for _time, path in snapshots_of(written.parent) if path != written]
    of_host = [path for path in earlier if _are_same(owners_in(path), owners)]
    oldest = of_host[keep - 1 :]
    for path in oldest:
        path.unlink(missing_ok=True)  # another run may have deleted it
    return [str(path) for path in oldest]


def owners_in(path: Path) -> dict[str, str]:
    """The account and the zone that a snapshot names; none for another file. Raises OSError."""
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(HEAD)
    if path.is_symlink() or not text.startswith(BEGINNING):
        return {}
    owners: dict[str, str] = {}
    place = len(BEGINNING)
    while match := OWNER.match(text, place):
        owners[match[1]] = match[2].lower()
        place = match.end()
    return owners


def _are_same(owners: Mapping[str, str], compared: Mapping[str, str]) -> bool:
    """Return whether both name an account or zone, and none names another one."""
    common = owners.keys() & compared.keys()
    return bool(common) and all(owners[name] == compared[name] for name in common)


MOST_DIFFERENCES = 10  # differences in a message
STATE = frozenset(VARIABLE_OF.values())
IGNORED = {
    f"{VARIABLE_OF[plural]}_ignore": resource
    for plural, resource in BY_PLURAL.items()
    if resource.has_patterns
}
OF_UNMANAGED = (IGNORE_IDS, *IGNORED)  # which name objects that are left alone
# Which are not of a restore, that brings back what was there.
OF_A_ROLLOUT = ("accept_risks", "staged_rollout", "rollout_evidence", "backtest")
# Variables of the playbook in messages, which do not advise a staged rollout.
NAMES = {"accept_risks": "restore_accept_risks", "staged_rollout": ""}
NOT_ASKED = (SOURCE, POSTURES, POSTURE, POSTURES_FILE, EXPECTED_PLAN, f"{PREFIX}validate")
# A restore reads these of the host: its place, how to reach it, limits, and the objects of others.
OF_INVENTORY: Arguments = {
    name: argument
    for name, argument in OF_HOST.items()
    if name not in (*STATE, PURGE, *NOT_ASKED, *(f"{PREFIX}{option}" for option in OF_A_ROLLOUT))
}


def differences_in(result: Mapping[str, Any]) -> list[str]:
    """The differences that the prediction of one more restore shows, a text for each object."""
    texts = [str(result["msg"])] if result.get("failed") else []
    for operation in result.get("operations") or ():
        resource = operation["resource"].replace("_", " ")
        texts.append(f"{resource} {operation['key']}{_difference(operation)}")
    return texts


def _difference(operation: Mapping[str, Any]) -> str:
    """The difference that an operation would take away, after the name of its object."""
    if operation["action"] == "create":
        return " is missing"
    if operation["action"] == "delete":
        return " is there in addition"
    before = operation["before"]
    values = [
        f"{name} is {before.get(name)!r} instead of {value!r}"
        for name, value in operation["fields"].items()
    ]
    return f": {'; '.join(values)}"


@dataclass(frozen=True)
class StateFile:
    """A snapshot or an export: its account and zone by id, and the state of them, as Cloudflare
    had it (`objects`) or as variables; and the objects that alone its run could change, of the
    collections in `named`."""

    name: str
    owners: Mapping[str, str]
    incomplete: Sequence[str] = ()
    ignore: Mapping[str, Sequence[str]] = field(default_factory=dict)
    named: NamedKeys = field(default_factory=dict)
    objects: State | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)

    def part(
        self,
        host: str,
        values: Mapping[str, Any],
        accept_risks: Sequence[Any] = (),
        objects: Sequence[str] = (),
        fields: Sequence[str] = (),
        validates: bool = False,
    ) -> Part:
        """Return what makes the host as the file says; without these objects, named by id or by
        name, and these fields. If it `validates`, Cloudflare checks rules before the first write,
        which a token that only reads may not ask for."""
        variables = {
            **self._inventory_variables(values),
            f"{PREFIX}staged_rollout": False,  # each mode as it was
            f"{PREFIX}accept_risks": list(accept_risks),
            f"{PREFIX}validate": validates,
            **self._unmanaged_variables(values),
        }
        if self.objects is None:
            variables.update(_exclusive(self.variables, self.incomplete))
        in_file = {name.removeprefix(PREFIX): f"{self.name}: {name}" for name in self.variables}
        part = host_part(host, variables).named({**NAMES, **in_file})
        if self.objects is not None:
            part.options[RESTORED] = {
                "objects": self.objects,
                "named": self.named,
                "leave_objects": list(objects),
                "leave_fields": list(fields),
            }
        return part

    def _inventory_variables(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The variables of the host, without those of an account or zone that the file is not
        about."""
        foreign: list[str] = []
        for name, owner in OWNERS.items():
            if name not in self.owners:
                foreign += owner.options
        return {
            name: value
            for name, value in values.items()
            if name not in OF_UNMANAGED and not name.endswith(tuple(foreign))
        }

    def _unmanaged_variables(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The variables that name unmanaged objects: those of the host, and those of the file."""
        variables = {}
        for name in OF_UNMANAGED:
            names = [*(values.get(name) or []), *self.ignore.get(name, [])]
            if names:
                variables[name] = names
        return variables

    def check_kind(self, host: str, values: Mapping[str, Any]) -> None:
        """Raises ValueError if the host has neither the account nor the zone of the file, but the
        other of them."""
        of_host = [name for name in OWNERS if names_owner(values, name)]
        of_file = [name for name in OWNERS if name in self.owners]
        if of_file and of_host and not set(of_file) & set(of_host):
            kind, host_kind = OWNERS[of_file[0]].with_article, OWNERS[of_host[0]].with_article
            raise ValueError(
                f"{self.name} is of {kind}, and {host} is {host_kind}. Use --limit, or the file of"
                " this host."
            )

    def check_owners(self, host: str, owners: Mapping[str, str]) -> None:
        """Raises ValueError unless the file is about these accounts and zones."""
        for name, kind in (("account_id", "account"), ("zone_id", "zone")):
            file_id, host_id = self.owners.get(name, ""), owners.get(name)
            if host_id is not None and file_id.lower() != host_id.lower():
                problem = of_another(kind, file_id, host, host_id)
                raise ValueError(f"{self.name} {problem}. Use --limit, or the file of this host.")

    def unmet(self, host: str, prediction: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a result that says what differs, by the prediction of one more restore;
        empty if nothing does."""
        differences = differences_in(prediction)
        if not differences:
            return {}
        listed = first_joined(differences, "; ", MOST_DIFFERENCES)
        message = (
            f"{host} is not what {self.name} says, though the changes were made: {listed}."
            " Look at differences in the result, and restore again."
        )
        return {"failed": True, "msg": message, "differences": differences}


OBJECTS: Argument = {"type": "list", "elements": "dict"}
OF_SOURCE: Arguments = {
    "account_id": {"type": "str"},
    "zone_id": {"type": "str"},
    "incomplete": TEXTS,
    "ignore": {"type": "dict", "options": dict.fromkeys(OF_UNMANAGED, TEXTS)},
    "named": {"type": "dict"},
}
# The variables of the playbook restore.
RESTORE: Arguments = {
    **{f"restore_{name}": {"type": "str", "default": ""} for name in ("file", "before", "since")},
    "restore_accept_risks": {"type": "list", "elements": "raw", "default": []},
    "restore_leave_objects": {**TEXTS, "default": []},
    "restore_leave_fields": {**TEXTS, "default": []},
}
OF_FILE: Arguments = {
    **{name: {"type": "raw"} for name in (*STATE, PURGE, *OF_UNMANAGED)},
    SOURCE: {"type": "dict", "options": OF_SOURCE, "required": True},
    SNAPSHOT: {"type": "dict"},
}


def read_file(document: Any, name: str) -> StateFile:
    """The file out of its YAML; raises ValueError if no export and no snapshot would look so."""
    content = plain(document)
    try:
        variables = read_variables(OF_FILE, content if isinstance(content, dict) else {})
        source = {name: value for name, value in variables[SOURCE].items() if value}
        objects = variables[SNAPSHOT] or {}
        _require_objects(source.get("named", {}))
        _require_objects(objects)
    except ValueError as exc:
        raise ValueError(f"{name} is neither a snapshot nor an export: {exc}") from None
    _require_known(objects, name)
    ignoring = {**source.get("ignore", {}), **content}  # a snapshot, or an export
    return StateFile(
        name,
        owners={owner: source[owner] for owner in ("account_id", "zone_id") if owner in source},
        incomplete=source.get("incomplete", []),
        ignore={
            variable: ignoring[variable] for variable in OF_UNMANAGED if ignoring.get(variable)
        },
        named=source.get("named", {}),
        objects=variables[SNAPSHOT],
        variables={variable: value for variable, value in content.items() if variable in STATE},
    )


def _require_known(objects: State, name: str) -> None:
    """Raises ValueError if a file with this name has a collection that nobody knows here."""
    collections = collections_of(objects)
    known = {resource.plural for resource in (*collections, *all_inside(collections, objects))}
    for plural in objects:
        if plural not in known:
            raise ValueError(
                f"{name} has {plural}, which this release of the collection does not know. Take"
                " the release that wrote the file."
            )


def _require_objects(collections: Mapping[str, Any]) -> None:
    """Raises ValueError if collections are no lists of objects."""
    require_valid(dict.fromkeys(collections, OBJECTS), collections)


def _exclusive(variables: Mapping[str, Any], incomplete: Sequence[str]) -> dict[str, Any]:
    """The variables of an export, with exclusive lists as far as it describes all of them."""
    purge = purge_of(variables, incomplete)
    described = {**variables, PURGE: purge}
    for resource in IGNORED.values():
        name = VARIABLE_OF[resource.plural]
        if name.removeprefix(PREFIX) in purge:
            described[name] = exclusive_entries(resource, variables[name])
    return described
