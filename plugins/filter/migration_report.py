# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page about a migration of firewall rules; documented in migration_report.yml."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils._migration.migrate import migrate
from ..module_utils._migration.report import report
from ..plugin_utils._plain import run_filter


def migration_report(rules: object, custom_rules: object = ()) -> str:
    """The page in Markdown; raises AnsibleFilterError."""
    return report(run_filter(migrate, rules, custom_rules))


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The functions, by the names of their filters."""
        return {"migration_report": migration_report}
