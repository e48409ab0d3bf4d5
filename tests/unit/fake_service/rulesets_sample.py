# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ruleset to try things on."""

from __future__ import annotations

from typing import Any

MISSING = "0" * 32
ENTRY_POINT = "/phases/http_request_firewall_custom/entrypoint"
FIRST, SECOND, FOREIGN = "1" * 32, "2" * 32, "3" * 32
NEW = {"ref": "new", "action": "log", "expression": "ssl"}

Rules = list[dict[str, Any]]

# Two rules of ours, and one of a kind that the service takes from nobody.
EXISTING: Rules = [
    {"id": FIRST, "ref": "office", "action": "skip", "action_parameters": {"ruleset": "current"}, "expression": "ssl"},
    {"id": SECOND, "action": "block", "expression": 'http.request.uri.path eq "/login"', "version": "7"},
    {"id": FOREIGN, "ref": "leaked", "action": "execute", "action_parameters": {"id": "4" * 32, "overrides": {"enabled": True}}, "expression": "true",
     "exposed_credential_check": {"username_expression": "a", "password_expression": "b"},
     "ratelimit": {"characteristics": ["ip.src"], "period": 60, "score_per_period": 40}, "score_per_period": 40},
]  # fmt: skip
