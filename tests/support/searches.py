# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What people search the documentation for, and the page in docs/ that is about it."""

from __future__ import annotations

from collections.abc import Mapping

SEARCHES: Mapping[str, str] = {
    "dry run": "check_mode",
    "drift": "check_mode",
    "idempotent": "whole_lists",
    "rollback": "undo",
    "revert": "undo",
    "backup": "undo",
    "restore": "undo",
    "undo": "undo",
    "approve": "approve",
    "pull request": "approve",
    "merge request": "approve",
    "expire": "expires",
    "temporary": "expires",
    "terraform": "terraform",
    "dashboard": "terraform",
    "state file": "terraform",
    "lock": "terraform",
    "rate limit": "rate_limit",
    "429": "rate_limit",
    "too many requests": "rate_limit",
    "allowlist": "whole_lists",
    "whitelist": "whole_lists",
    "monitor": "rollout",
    "enable": "rollout",
    "import": "adopt",
    "export": "adopt",
    "token": "credentials",
    "permission": "credentials",
    "pre-commit": "check_inventory",
    "schema": "check_inventory",
    "validate": "check_inventory",
    "awx": "automation_platform",
    "alert": "events",
    "unit test": "expectations",
}
