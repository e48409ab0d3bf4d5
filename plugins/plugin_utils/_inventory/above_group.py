# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables that an inventory sets for a host where they hide those in the file of a group."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ansible.inventory.helpers import sort_groups
from ansible.vars.plugins import get_vars_from_inventory_sources


def set_above(
    loader: Any, sources: Iterable[str], host: Any, group: str, exported: Path
) -> set[str]:
    """The names of variables of an inventory host that hide those in the file of one of its groups:
    of files of groups that Ansible reads later, of the line of the host, and of files beside
    `exported`, the file of its export. Raises AnsibleError for a file that cannot be read."""
    groups = sort_groups(host.get_groups())
    position = [entity.name for entity in groups].index(group)
    files = get_vars_from_inventory_sources(loader, sources, groups[position + 1 :], "task")
    names = {*files, *host.vars}
    for path in loader.find_vars_files(str(exported.parents[1]), host.name):
        file = os.fsdecode(path)
        if file != str(exported):
            # A document that is kept would be taken without its templates later.
            names.update(loader.load_from_file(file, cache="none") or {})
    return names
