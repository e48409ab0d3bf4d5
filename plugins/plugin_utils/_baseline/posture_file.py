# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of postures beside the inventory: data, by host, that Ansible does not read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ...module_utils._text import visible
from .._files import locked, write_whole
from .variables import POSTURES_FILE

FILE_NAME = "postures.yml"
FORM = "berlin: [{name: under_attack, until: 2027-01-31T09:00:00Z}]"
HEADER = (
    "---\n# The postures of hosts. The playbook edgeops.protection.attack writes this file, without"
    "\n# the comments of others. It belongs into version control.\n"
)
TIME = "tag:yaml.org,2002:timestamp"


class _Loader(yaml.SafeLoader):
    """Reads times as the texts that they are, and no name twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep)
        if len(mapping) < len(node.value):
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

    def read(self) -> dict[str, list[dict[str, Any]]]:
        """The entries of all hosts; raises ValueError, which names the file."""
        try:
            hosts = _parsed(self.path.read_text(encoding="utf-8")) or {}
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as exc:
            raise ValueError(f"{self.path}: {visible(' '.join(str(exc).split()))}.") from exc
        if not isinstance(hosts, Mapping) or not all(_is_of_host(*item) for item in hosts.items()):
            raise ValueError(f"{self.path}: it takes lists of postures by host, such as {FORM}.")
        return {host: [*(entries or ())] for host, entries in hosts.items()}

    def of(self, host: str) -> list[dict[str, Any]]:
        """The entries of a host; raises ValueError."""
        return self.read().get(host, [])

    def placed(self, host: str, entries: Iterable[Any]) -> list[tuple[str, Any]]:
        """Entries of a host, each with its place in the file."""
        name = os.path.relpath(self.path)
        name = name if not name.startswith(os.pardir) else str(self.path)
        return [(f"{name}: {host}[{index}]", one) for index, one in enumerate(entries)]

    def write(self, host: str, known: list[Any] | None, change: Callable[[list[Any]], Any]) -> bool:
        """Let the entries of a host be what `change` makes of them, and return whether they are
        others; raises OSError, ValueError, and Changed if they are not the `known` ones."""
        with locked(self.path.parent):
            hosts = self.read()
            before = hosts.pop(host, [])
            if known is not None and before != known:
                raise Changed
            after = change(before)
            if before == after:
                return False
            hosts.update({host: after} if after else {})
            text = yaml.safe_dump(hosts, sort_keys=False, allow_unicode=True, width=1000)
            write_whole(self.path, HEADER + text, 0o644, lasting=True)
            return True


def _is_of_host(host: Any, entries: Any) -> bool:
    is_list = isinstance(entries or [], list)
    return isinstance(host, str) and is_list and all(isinstance(one, dict) for one in entries or ())


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
            f" set {POSTURES_FILE}."
        )
    return PostureFile(place)
