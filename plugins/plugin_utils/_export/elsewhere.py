# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which variables other groups of the inventory set, or other files of a group, so that they could
win over the exported file of the group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.inventory.group import Group
from ansible.inventory.manager import InventoryManager
from ansible.vars.plugins import get_vars_from_inventory_sources

from .export_file import NAME

ALL = "all"  # the group of every host, which `group_names` leaves out


def set_elsewhere(
    loader: Any,
    sources: Sequence[str],
    group: str,
    groups_of_hosts: Iterable[Iterable[str]],
    folder: Path,
) -> set[str]:
    """The names of all variables that another group of a host sets, in the inventory or in its
    files, and those in other files of the group's `folder`.

    `sources` are those of the inventory, which is read again: the magic variables do not say where
    a value comes from.
    """
    others = sorted({ALL, *(name for names in groups_of_hosts for name in names)} - {group})
    inventory = InventoryManager(loader=loader, sources=list(sources))
    names: set[str] = set()
    for other in others:
        entity = inventory.groups.get(other) or Group(other)
        names.update(entity.get_vars())
        names.update(get_vars_from_inventory_sources(loader, list(sources), [entity], "task"))
    for path in loader.find_vars_files(str(folder.parent), folder.name):
        document = None if Path(path).name == NAME else loader.load_from_file(path)
        names.update(document if isinstance(document, Mapping) else ())
    return {str(name) for name in names}
