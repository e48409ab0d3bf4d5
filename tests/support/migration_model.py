# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Firewall rules as the service lists them, for the tests of the migration."""

from __future__ import annotations

from typing import Any, Dict

Rule = Dict[str, Any]
OFFICE = "ip.src in {192.0.2.0/24}"
OTHER = 'http.host eq "example.com"'


def rule(
    id_: Any = "a", action: Any = "block", expression: Any = OFFICE, filter_paused: Any = False, **fields: Any
) -> Rule:
    """A firewall rule as the service lists it."""
    return {
        "id": id_,
        "action": action,
        "filter": {"id": "f", "expression": expression, "paused": filter_paused},
        **fields,
    }
