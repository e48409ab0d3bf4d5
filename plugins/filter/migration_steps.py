# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps from firewall rules to custom rules; documented in migration_steps.yml."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils._migration.migrate import steps
from ..plugin_utils._plain import run_filter


def migration_steps(rules: object, custom_rules: object) -> dict[str, Any]:
    """Settings of each step of the cutover; raises AnsibleFilterError."""
    return run_filter(steps, rules, custom_rules)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The functions, by the names of their filters."""
        return {"migration_steps": migration_steps}
