# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules by name."""

from __future__ import annotations

from typing import Mapping

from .._schema.account import ALLOWLIST, DNS_RULES, FILTERS, PREFIXES, RULES
from .account import account_info_spec, account_spec, entry_spec, list_spec, status_spec
from .base import ModuleSpec
from .traffic import traffic_info_spec
from .zone import custom_info_spec, custom_spec, firewall_info_spec, firewall_spec

MODULE_SPECS: Mapping[str, ModuleSpec] = {
    "tcp_protection_status": status_spec(),
    "protected_prefixes": list_spec(PREFIXES, "prefixes"),
    "allowlist_entry": entry_spec((ALLOWLIST,), "entry"),
    "allowlist": list_spec(ALLOWLIST, "entries"),
    "protection_rule": entry_spec(RULES, "rule"),
    "dns_protection_rule": entry_spec((DNS_RULES,), "rule"),
    "protection_filter": entry_spec(FILTERS, "filter"),
    "account_protection": account_spec(),
    "firewall_rules": firewall_spec(),
    "custom_rules": custom_spec(),
    "protection_info": account_info_spec(),
    "protection_traffic_info": traffic_info_spec(),
    "firewall_rules_info": firewall_info_spec(),
    "custom_rules_info": custom_info_spec(),
}
