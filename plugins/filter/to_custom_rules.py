# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Firewall rules as custom rules; documented in to_custom_rules.yml."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..module_utils._migration.migrate import migrate
from ..plugin_utils._plain import run_filter


def to_custom_rules(rules: object, custom_rules: object = ()) -> list[dict[str, Any]]:
    """The custom rules, as `custom_rules` takes them; raises AnsibleFilterError."""
    return run_filter(migrate, rules, custom_rules).rules


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The functions, by the names of their filters."""
        return {"to_custom_rules": to_custom_rules}
