# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the hosts of a group share: their exports as one file of the group and one of each host."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ansible.inventory.group import Group
from ansible.inventory.manager import InventoryManager
from ansible.vars.plugins import get_vars_from_inventory_sources
from ansible_collections.edgeops.protection.plugins.module_utils._text import first_few

from .._files import write_private
from .describe import Export
from .export_file import NAME, SCHEMA, export_text, group_text, read_existing, sealed
from .snapshot import host_folder, require_writable


@dataclass(frozen=True)
class HostExport:
    """The export of one host, which is in a group; `owners` are its account and zone by id."""

    host: str
    group: str
    owners: Mapping[str, str]
    export: Export

    def as_result(self) -> dict[str, Any]:
        """The part of a task's result that `host_exports` reads."""
        of_export = {"notes": self.export.notes, "incomplete": self.export.incomplete}
        return {
            "group": self.group,
            "owners": dict(self.owners),
            "variables": self.export.variables,
            **of_export,
        }


@dataclass(frozen=True)
class ExportFile:
    """A file to write: its text before, None if there is none, and after."""

    path: Path
    before: str | None
    after: str

    @property
    def changes(self) -> bool:
        """Whether the file becomes another one."""
        return self.after != self.before

    @property
    def diff(self) -> dict[str, str]:
        """The difference as Ansible shows it; of a schema, only that there is one."""
        path = str(self.path)
        is_schema = self.path.name == SCHEMA
        before, after = ("", f"(the schema){chr(10)}") if is_schema else (self.before, self.after)
        texts = {"before": before or "", "after": after}
        return {"before_header": path, "after_header": path, **texts}


def host_exports(results: Mapping[str, Mapping[str, Any]]) -> list[HostExport]:
    """The exports out of the results of the hosts, as far as they have one."""
    read = {host: result["export"] for host, result in results.items() if result.get("export")}
    return [
        HostExport(
            host,
            item["group"],
            item["owners"],
            Export(item["variables"], item["notes"], item["incomplete"]),
        )
        for host, item in read.items()
    ]


def require_whole(group: str, exports: Sequence[HostExport], members: Iterable[str]) -> None:
    """Raises ValueError unless every host of the group was exported: what the others hold is not
    known, and a file of the group would count for them too."""
    lacking = sorted({*members} - {item.host for item in exports})
    if lacking:
        raise ValueError(
            f"export_group: this run has no export of {first_few(lacking)}, so that it is not known"
            f" what all hosts of the group {group} share. Nothing was written for the group. Run"
            " without --limit, or leave export_group out."
        )


def shared_variables(
    exports: Sequence[HostExport], elsewhere: Collection[str] = ()
) -> dict[str, Any]:
    """The variables that all hosts have, with the same value; without those that are set
    `elsewhere`, which could win over a variable of the group. A single host shares nothing."""
    if len(exports) < 2:
        return {}
    first, *others = (item.export.variables for item in exports)
    return {
        name: value
        for name, value in first.items()
        if name not in elsewhere and all(_is_same(name, value, other) for other in others)
    }


def _is_same(name: str, value: Any, variables: Mapping[str, Any]) -> bool:
    """Whether a host has the variable with this value, and of its type: true is not 1."""
    return name in variables and repr(variables[name]) == repr(value)


def files_of(
    exports: Sequence[HostExport],
    shared: Mapping[str, Any],
    host_directory: str,
    group_directory: str,
    overwrite: bool,
) -> list[ExportFile]:
    """The files of a group and its hosts; raises ValueError and OSError if one cannot be written.

    A group that shares nothing gets no file, unless it has one.
    """
    group = exports[0].group
    files = [
        _file(host_directory, item.host, export_text(*_reduced(item, shared)), overwrite)
        for item in exports
    ]
    of_group = _file(group_directory, group, group_text(group, shared), overwrite)
    return [of_group, *files] if shared or of_group.before is not None else files


def _reduced(item: HostExport, shared: Mapping[str, Any]) -> tuple[Export, dict[str, Any]]:
    """The export of a host without what its group has, and what the file says of itself."""
    if not shared:
        return item.export, dict(item.owners)
    kept = {
        name: item.export.variables[name] for name in item.export.variables if name not in shared
    }
    note = f"The file of the group {item.group} has what its hosts share."
    export = replace(item.export, variables=kept, notes=[note, *item.export.notes])
    return export, {**item.owners, "group": item.group}


def _file(directory: str, name: str, text: str, overwrite: bool) -> ExportFile:
    path = path_of(directory, name)
    require_writable(path.parent)
    return ExportFile(path, read_existing(path, overwrite), sealed(text))


def path_of(directory: str, name: str) -> Path:
    """The file of a host or group; raises ValueError for the name of no folder, and where Ansible
    would no longer read a file that is there."""
    folder = host_folder(directory, name)
    for file in (Path(f"{folder}{end}") for end in (".yml", ".yaml", ".json")):
        if file.is_file():
            raise ValueError(
                f"{file} is a file, which Ansible does not read beside the folder {folder}. Nothing"
                f" was written. Move it into the folder, for example as {folder / 'main.yml'}."
            )
    return folder / NAME


def schema_files(directories: Iterable[str], schema: str) -> list[ExportFile]:
    """The schema that the files of hosts or groups name, in each directory that has such files."""
    paths = [Path.cwd() / os.path.expanduser(directory) / SCHEMA for directory in directories]
    return [ExportFile(path, _text_of(path), schema) for path in paths]


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None


def write_files(files: Iterable[ExportFile]) -> None:
    """Write the files that change; raises OSError."""
    for file in files:
        if file.changes:
            write_private(file.path, file.after)


ALL = "all"  # the group of every host, which `group_names` leaves out
HOST_VARIABLES = "host_vars"  # the folder beside an inventory, where Ansible looks


def set_elsewhere(
    loader: Any,
    sources: Sequence[str],
    group: Path,
    hosts: Mapping[Path, Iterable[str]],
) -> set[str]:
    """The names of all variables that a host sets itself, another group of a host, or another file
    of the group.

    `group` is the folder of the group, and `hosts` those of its hosts, each with the groups of the
    host. `sources` are those of the inventory, which is read again: the magic variables do not say
    where a value comes from.
    """
    inventory = InventoryManager(loader=loader, sources=list(sources))
    names = {*_in_files(loader, group)}
    others = {ALL, *(name for groups in hosts.values() for name in groups)} - {group.name}
    for other in sorted(others):
        entity = inventory.groups.get(other) or Group(other)
        names.update(entity.get_vars())
        names.update(get_vars_from_inventory_sources(loader, list(sources), [entity], "task"))
    beside = [folder / HOST_VARIABLES for folder in _folders(sources)]
    for folder in hosts:
        host = inventory.get_host(folder.name)
        names.update(host.vars if host else ())
        for place in dict.fromkeys([folder.parent, *beside]):
            names.update(_in_files(loader, place / folder.name))
    return {str(name) for name in names}


def _folders(sources: Iterable[str]) -> Iterator[Path]:
    """The folders of an inventory's sources; a list of hosts has none."""
    for source in sources:
        path = Path(source)
        if path.exists():
            yield path if path.is_dir() else path.parent


def _in_files(loader: Any, folder: Path) -> Iterator[Any]:
    """The names in the files of a host or a group, without the one that an export writes."""
    for path in loader.find_vars_files(str(folder.parent), folder.name):
        document = None if Path(path) == folder / NAME else loader.load_from_file(path)
        yield from document if isinstance(document, Mapping) else ()
