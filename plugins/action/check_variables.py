# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of roles that are lists of tasks: it checks the variables of a host against what the
role declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.misspelt import (
    declared_in,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import require_valid


class ActionModule(ActionBase):  # type: ignore[misc]
    """Fails if a variable of the host is of the wrong type, or none of its choices."""

    _supports_check_mode = True
    _supports_async = False
    TRANSFERS_FILES = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        variables = task_vars or {}
        _validated, options = self.validate_argument_spec(
            argument_spec={"role": {"type": "str", "required": True}}
        )
        declared = declared_in(options["role"])
        described = {name: variables[name] for name in declared if name in variables}
        try:
            require_valid(declared, self._templar.template(described))
        except ValueError as exc:
            return {"failed": True, "msg": str(exc)}
        return {"changed": False}
