# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of an inventory, as Ansible finds them: those that it cannot read, and those in the
folders of hosts and groups that nobody reads."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ansible import constants as C
from ansible.errors import AnsibleError

from ...module_utils._errors import OptionError
from ...module_utils._text import Option, closest, did_you_mean, excerpt
from .._variables import shown_path

OF_HOSTS, OF_GROUPS = "host_vars", "group_vars"
NOUNS = {OF_HOSTS: "host", OF_GROUPS: "group"}
FOR_PEOPLE = "README"  # what the name of a file without variables begins with
PLUGIN = "plugin"  # the key that names the plugin of an inventory file
LIKENESS = 0.8  # of a name that is misspelt


class Folder(NamedTuple):
    """A folder with files of variables, of hosts or of groups, and the names of these."""

    path: Path
    kind: str
    names: Collection[str]


class InventoryFiles:
    """The files from which Ansible reads an inventory; `groups` has the hosts of each group."""

    def __init__(
        self, loader: Any, sources: Iterable[str], groups: Mapping[str, Collection[str]]
    ) -> None:
        self._loader = loader
        # A list of hosts on the command line has a comma.
        self._sources = [Path(source) for source in sources if "," not in source]
        self._groups = groups

    def errors_of(self, host: str) -> list[OptionError]:
        """The errors of the files with the variables of a host."""
        names = {OF_HOSTS: {host}, OF_GROUPS: self._groups_of(host)}
        errors: list[OptionError] = []
        for folder in self._folders:
            for name in sorted(names[folder.kind].intersection(folder.names)):
                errors += self._errors_in(self._files_of(folder, name))
        return errors

    def errors(self) -> list[OptionError]:
        """The errors of all files."""
        errors = [*self._errors_of_sources()]
        for folder in self._folders:
            errors += self._errors_in(self._read_in(folder))
        return errors

    def doubts(self) -> list[OptionError]:
        """The doubts about files that have variables of no host, and no group, of the inventory."""
        doubts = [*self._misspelt_folders()]
        for folder in self._folders:
            read = set(self._read_in(folder))
            for path in _files_below(folder.path):
                if path not in read:
                    doubts.append(
                        _at(path, f"nobody reads this file: {self._reason(folder, path)}")
                    )
        return doubts

    def _groups_of(self, host: str) -> set[str]:
        return {name for name, hosts in self._groups.items() if host in hosts}

    @cached_property
    def _places(self) -> list[Path]:
        """The folders beside which Ansible looks for files of variables."""
        places = [path if path.is_dir() else path.parent for path in self._sources]
        return list(dict.fromkeys(places))

    @cached_property
    def _folders(self) -> list[Folder]:
        hosts = sorted({host for hosts in self._groups.values() for host in hosts})
        names = {OF_HOSTS: hosts, OF_GROUPS: sorted(self._groups)}
        folders = []
        for place in self._places:
            for kind in NOUNS:
                if (place / kind).is_dir():
                    folders.append(Folder(place / kind, kind, names[kind]))
        return folders

    def _read_in(self, folder: Folder) -> list[Path]:
        """The files of a folder that Ansible reads."""
        paths: list[Path] = []
        for name in folder.names:
            paths += self._files_of(folder, name)
        return paths

    def _files_of(self, folder: Folder, name: str) -> list[Path]:
        """The files of a folder that Ansible reads for a host or group of this name."""
        found = self._loader.find_vars_files(str(folder.path), name)
        return [Path(os.fsdecode(path)) for path in found]

    def _errors_of_sources(self) -> Iterator[OptionError]:
        """The errors of the files that list hosts; Ansible only warns of them."""
        for source in self._sources:
            if not source.exists():
                yield OptionError(Option(), f"there is no inventory {_relative_path(source)}")
                continue
            files = sorted(source.iterdir()) if source.is_dir() else [source]
            in_yaml = [path for path in files if _is_in_yaml(path)]
            yield from self._errors_in(in_yaml)
            for path in in_yaml:
                yield from self._misspelt_plugin(path)

    def _errors_in(self, paths: Iterable[Path]) -> list[OptionError]:
        errors: list[OptionError] = []
        for path in paths:
            try:
                self._load(path)
            except (AnsibleError, ValueError) as exc:
                errors.append(_error_of(path, exc))
        return errors

    def _load(self, path: Path) -> Any:
        """The document of a file. It is not kept, since Ansible would take it without its templates
        when it reads the file itself."""
        return self._loader.load_from_file(str(path), cache="none")

    def _misspelt_plugin(self, path: Path) -> Iterator[OptionError]:
        """The error of an inventory file whose key `plugin` is misspelt."""
        try:
            document = self._load(path)
        except (AnsibleError, ValueError):  # which is told already
            return
        names = [str(name) for name in document or ()] if isinstance(document, dict) else []
        if PLUGIN not in names:
            for name in names:
                if closest(name, [PLUGIN], LIKENESS) and not isinstance(document[name], dict):
                    yield _at(path, f"there is no such key {name} (did you mean {PLUGIN}?)")

    def _misspelt_folders(self) -> Iterator[OptionError]:
        """A doubt about each folder whose name is nearly that of one with variables."""
        for place in self._places:
            for path in sorted(place.iterdir()) if place.is_dir() else ():
                meant = closest(path.name, NOUNS, LIKENESS)
                if meant and path.name not in NOUNS and path.is_dir():
                    yield _at(path, f"nobody reads this folder (did you mean {meant}?)")

    def _reason(self, folder: Folder, path: Path) -> str:
        """The reason why nobody reads a file in a folder."""
        first = path.relative_to(folder.path).parts[0]
        name = _meant_by(first, folder.names)
        if path.suffix and path.suffix not in C.YAML_FILENAME_EXTENSIONS and name in folder.names:
            return f"Ansible reads no file that ends in {path.suffix}"
        if name in folder.names:
            read = ", ".join(map(_relative_path, self._files_of(folder, name))) or _relative_path(
                folder.path / name
            )
            return f"Ansible reads {read} in its place"
        if name in self._groups and folder.kind == OF_HOSTS:
            return f"{name} is a group (did you mean {OF_GROUPS}?)"
        meant = did_you_mean(name, folder.names)
        return f"the inventory has no {NOUNS[folder.kind]} {name}{meant}"


def _is_in_yaml(path: Path) -> bool:
    return path.suffix in C.YAML_FILENAME_EXTENSIONS and path.is_file()


def _meant_by(file_name: str, names: Collection[str]) -> str:
    """The name of the host or group that a file or folder is for: one of `names` with any ending,
    or else its own name without the ending of YAML."""
    fitting = [name for name in names if file_name == name or file_name.startswith(f"{name}.")]
    if fitting:
        return max(fitting, key=len)
    stem, ending = os.path.splitext(file_name)
    if ending in C.YAML_FILENAME_EXTENSIONS:
        return stem
    return file_name


def _files_below(folder: Path) -> Iterator[Path]:
    """The files in a folder and in those inside of it, without hidden ones and backups, which
    Ansible leaves out as well."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", FOR_PEOPLE)) or path.name.endswith("~"):
            continue
        if path.is_dir():
            yield from _files_below(path)
        else:
            yield path


def _error_of(path: Path, exc: Exception) -> OptionError:
    """The error of a file that Ansible cannot read, with its line as far as that is known."""
    words = " ".join(str(getattr(exc, "message", exc)).split())
    origin = getattr(exc, "obj", None)
    mark = getattr(exc.__cause__ or getattr(exc, "orig_exc", None), "problem_mark", None)
    line = getattr(origin, "line_num", None) or (mark.line + 1 if mark else None)
    return _at(path, excerpt(words, 300).rstrip("."), line or 1)


def _at(path: Path, problem: str, line: int = 1) -> OptionError:
    """A problem at a line of a file."""
    return OptionError(Option(), problem, f"{_relative_path(path)}:{line}")


def _relative_path(path: Path) -> str:
    return shown_path(os.path.abspath(path))
