# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of the postures of hosts, which the playbook attack writes and the baseline reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ...module_utils._schema.resource import without
from ...module_utils._text import Option, visible
from .._files import locked, write_whole
from .posture import FORM
from .variables import POSTURES_FILE

FILE_NAME = "postures.yml"
HEADER = (
    "---\n# The postures of hosts. The playbook edgeops.protection.attack writes this file, without"
    "\n# the comments of others. Keep it in version control.\n"
)
NEXT_LINE = "\x85"
TIME = "tag:yaml.org,2002:timestamp"
TEXT, MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):
    """Reads times and names as text, even host names such as `1234` or `no`, and rejects
    duplicate names."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        size = len(node.value)
        for name, _value in node.value:
            if isinstance(name, yaml.ScalarNode) and name.tag != MERGE:
                name.tag = TEXT
        mapping = super().construct_mapping(node, deep)
        if len(mapping) < size:
            raise yaml.MarkedYAMLError(problem="a name stands twice", problem_mark=node.start_mark)
        return mapping


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != TIME]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@lru_cache(maxsize=1)
def _document_of_text(text: str) -> Any:
    """The document in a text; remembered, since many hosts share the file, so no caller may
    change it."""
    return yaml.load(text, _Loader)


class Changed(Exception):
    """Raised if the entries of a host in the file are no longer those that the caller read."""


class PostureFile:
    """The file of postures, which may not exist; a symbolic link is followed."""

    def __init__(self, path: str | Path) -> None:
        self._path = path

    @property
    def path(self) -> Path:
        """The path of the file to which a symbolic link leads."""
        return Path(os.path.realpath(self._path))

    def read(self) -> Any:
        """The document with the entries of all hosts; raises ValueError, which names the file."""
        try:
            with open(self._path, encoding="utf-8") as file:
                return _document_of_text(file.read()) or {}
        except FileNotFoundError:
            return {}
        except IsADirectoryError as exc:
            raise ValueError(f"{self.path}: it is a folder; write the postures to a file.") from exc
        except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as exc:
            reason = " ".join(str(exc).split())
            raise ValueError(f"{self.path}: {visible(reason)}.") from exc

    def entries_of(self, host: str) -> list[dict[str, Any]]:
        """The entries of a host; raises ValueError."""
        hosts = self.read()
        entries = (hosts.get(host) or []) if isinstance(hosts, Mapping) else None
        if not isinstance(entries, list):
            form = f"berlin: [{FORM.format('under_attack')}]"
            raise ValueError(f"{self.path}: it takes lists of postures by host, such as {form}.")
        return [*entries]

    def placed(self, host: str, entries: Iterable[Any]) -> list[tuple[Option, Any]]:
        """Entries of a host, each with its place in the file."""
        relative = os.path.relpath(self.path)
        name = str(self.path) if relative.startswith(os.pardir) else relative
        in_file = f"{name}: {host}"
        return [(Option(in_file, index), entry) for index, entry in enumerate(entries)]

    def write(self, host: str, existing: list[Any], entries: list[Any]) -> None:
        """Replace the `existing` entries of a host by `entries`; raises OSError, ValueError, and
        Changed if the file has other entries than `existing`."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.parent):
            if self.entries_of(host) != existing:
                raise Changed
            if entries != existing:
                hosts = {**self.read(), host: entries}
                text = _yaml_of_hosts(hosts if entries else without(hosts, host))
                write_whole(self.path, HEADER + text, 0o644, lasting=True)


def _yaml_of_hosts(hosts: Mapping[str, Any]) -> str:
    form: dict[str, Any] = {"sort_keys": False, "width": 1000}
    text: str = yaml.safe_dump(hosts, allow_unicode=True, **form)
    if NEXT_LINE in text:  # which a reader takes for the end of a line
        text = yaml.safe_dump(hosts, **form)
    return text


def posture_file(path: Any, sources: Iterable[Any]) -> PostureFile | None:
    """The file with this path, or the one beside the first source of the inventory; None if no
    source is a file. Raises ValueError for one within a source, which Ansible would read."""
    if path:
        return PostureFile(os.path.expanduser(str(path)))
    source = next(filter(os.path.exists, map(str, sources)), None)
    if source is None:
        return None
    beside_source = os.path.join(os.path.dirname(os.path.abspath(source)), FILE_NAME)
    if os.path.lexists(os.path.join(source, FILE_NAME)):
        raise ValueError(
            f"{Path(source, FILE_NAME)}: Ansible would read it as an inventory. Move it to"
            f" {beside_source}, or set {POSTURES_FILE}."
        )
    return PostureFile(beside_source)
