# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the role export takes: the options of its two tasks, of which each has a variable."""

from __future__ import annotations

from .._variables import Arguments

CONNECTION: Arguments = {
    "api_token": {"type": "str", "no_log": True},
    "api_email": {"type": "str"},
    "api_key": {"type": "str", "no_log": True},
    "base_url": {"type": "str"},
    "timeout": {"type": "float"},
    "retries": {"type": "int"},
    "max_wait": {"type": "float"},
    "call_budget": {"type": "int"},
    "call_budget_period": {"type": "float"},
    "validate_certs": {"type": "bool"},
    "ca_path": {"type": "path"},
}
FILES: Arguments = {
    "directory": {"type": "str", "default": "host_vars"},
    "overwrite": {"type": "bool", "default": False},
}
OF_HOST: Arguments = {
    **CONNECTION,
    "account_id": {"type": "str"},
    "zone_id": {"type": "str"},
    "zone_name": {"type": "str"},
    **FILES,
    "purge": {"type": "bool", "default": False},
    "group": {"type": "str", "default": ""},
    "firewall_rules": {"type": "bool", "default": False},
    "dns_rules": {"type": "bool", "default": False},
    "network_firewall_rules": {"type": "bool", "default": False},
    "ip_lists": {"type": "bool", "default": False},
    "ddos_overrides": {"type": "bool", "default": False},
}
# Of the task that runs once, for all hosts.
SHARED: Arguments = {**FILES, "group_directory": {"type": "str", "default": "group_vars"}}
VARIABLES: Arguments = {f"export_{name}": item for name, item in {**OF_HOST, **SHARED}.items()}
