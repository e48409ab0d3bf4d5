# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The least that a task can take: an action that does nothing, and runs no module."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):  # type: ignore[misc]
    """Takes any arguments and looks at none of them."""

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        return {"changed": False}
