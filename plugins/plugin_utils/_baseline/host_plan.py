# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a host, which may be an account and a zone: the plans of the modules that it needs,
as one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def plan_ids(results: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The plan_id of each module that has something to do, by module, of results by module."""
    return {
        module: str(result["plan_id"])
        for module, result in results.items()
        if result.get("plan_id")
    }


def host_plan_id(plans: Mapping[str, str]) -> str:
    """The plan_id of a host: SHA-256 over those of its modules, by module; empty where none has
    anything to do."""
    parts = {str(module): str(plan_id) for module, plan_id in plans.items() if plan_id}
    if not parts:
        return ""
    return hashlib.sha256(
        json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()
