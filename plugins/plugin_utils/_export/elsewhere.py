# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which variables something else sets than the exported files of a group and its hosts, so that it
could win over the file of the group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.inventory.group import Group
from ansible.inventory.manager import InventoryManager
from ansible.vars.plugins import get_vars_from_inventory_sources

from .export_file import NAME

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
