# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pattern of the hosts of a playbook, and the hosts of an inventory that it matches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.inventory.manager import InventoryManager

GROUPS = ("accounts", "zones")  # of the inventory plugin, and of the docs


def pattern_of_hosts(target: Any, groups: Iterable[str] = ()) -> str:
    """The pattern of the hosts of a playbook: the variable target, which is a pattern or a list of
    patterns, or else those of GROUPS that the inventory has; all of GROUPS if it has none."""
    pattern = ":".join(map(str, target)) if isinstance(target, list) else str(target or "")
    present = [name for name in GROUPS if name in groups]
    return pattern or ":".join(present or GROUPS)


def inventory_of(loader: Any, groups: Mapping[str, Iterable[str]]) -> InventoryManager:
    """An inventory with these hosts, by group, and without variables."""
    inventory = InventoryManager(loader, parse=False)
    for group, hosts in groups.items():
        inventory.add_group(group)
        for host in hosts:
            inventory.add_host(host, group=group)
    return inventory
