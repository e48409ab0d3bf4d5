# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules by name."""

from __future__ import annotations

from typing import Mapping

from .account_views import account_info_view, account_view, entry_view, list_view, status_view
from .resources import ALLOWLIST, FILTERS, PREFIXES, RULES
from .view import View
from .zone_views import custom_info_view, custom_view, firewall_info_view, firewall_view

VIEWS: Mapping[str, View] = {
    "tcp_protection_status": status_view(),
    "protected_prefixes": list_view(PREFIXES, "prefixes"),
    "allowlist_entry": entry_view((ALLOWLIST,), "entry"),
    "allowlist": list_view(ALLOWLIST, "entries"),
    "protection_rule": entry_view(RULES, "rule"),
    "protection_filter": entry_view(FILTERS, "filter"),
    "account_protection": account_view(),
    "firewall_rules": firewall_view(),
    "custom_rules": custom_view(),
    "protection_info": account_info_view(),
    "firewall_rules_info": firewall_info_view(),
    "custom_rules_info": custom_info_view(),
}
