# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the playbook restore: it makes a host exactly what a snapshot or an export says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleError
from ansible_collections.edgeops.protection.plugins.action.host_baseline import (
    ActionModule as BaselineAction,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.restore import (
    OF_INVENTORY,
    parts_to_restore,
)

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "file": {"type": "path", "required": True},
    "accept_risks": {"type": "list", "elements": "raw", "default": []},
}


class ActionModule(BaselineAction):
    """Updates a host to match a file, whose variables it takes, and no others that describe a
    state."""

    variables_read = OF_INVENTORY
    predicts_first = True  # half of a restore is a state that nobody knows

    def parts(self, host: str, values: Mapping[str, Any]) -> list[Part]:
        """The modules to run, with what the file says; raises ValueError for a file that is not of
        this host."""
        _result, options = self.validate_argument_spec(ARGUMENTS)
        file = options["file"]
        try:
            document = self._loader.load_from_file(
                os.path.join(os.environ.get("PWD") or os.getcwd(), file)
            )
        except AnsibleError as exc:
            raise ValueError(f"{file} cannot be read: {exc}") from exc
        return parts_to_restore(host, values, document, file, options["accept_risks"])
