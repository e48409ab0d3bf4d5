# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules by name."""

from __future__ import annotations

from typing import Mapping

from .._guard.risks.registry import (
    NETWORK_FIREWALL_LIST_RISKS,
    OVERRIDE_LIST_RISKS,
    ZONE_LIST_RISKS,
)
from .._protection.expectation import FIREWALL, PACKET, REQUEST
from .._schema.account import ALLOWLIST, DNS_RULES, FILTERS, PREFIXES, RULES
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.overrides import L4_OVERRIDES, L7_OVERRIDES
from .._schema.zone import CUSTOM_RULES
from .account import AccountProtection, ProtectionInfo, SingleObject, Status, WholeList
from .base import ModuleSpec
from .ip_lists import IpList, IpLists
from .rulesets import CustomRulesInfo, FirewallRules, FirewallRulesInfo, OrderedRules
from .traffic import TrafficInfo

MODULE_SPECS: Mapping[str, ModuleSpec] = {
    "tcp_protection_status": Status(),
    "protected_prefixes": WholeList(PREFIXES, "prefixes"),
    "allowlist_entry": SingleObject((ALLOWLIST,), "entry"),
    "allowlist": WholeList(ALLOWLIST, "entries"),
    "protection_rule": SingleObject(RULES, "rule"),
    "dns_protection_rule": SingleObject((DNS_RULES,), "rule"),
    "protection_filter": SingleObject(FILTERS, "filter"),
    "account_protection": AccountProtection(),
    "ip_list": IpList(),
    "ip_lists": IpLists(),
    "firewall_rules": FirewallRules(),
    "custom_rules": OrderedRules(CUSTOM_RULES, ZONE_LIST_RISKS, expects=(REQUEST,)),
    "ddos_l4_overrides": OrderedRules(L4_OVERRIDES, OVERRIDE_LIST_RISKS, option="overrides"),
    "ddos_l7_overrides": OrderedRules(L7_OVERRIDES, OVERRIDE_LIST_RISKS, option="overrides"),
    "network_firewall_rules": OrderedRules(
        NETWORK_FIREWALL_RULES, NETWORK_FIREWALL_LIST_RISKS, expects=(PACKET, FIREWALL)
    ),
    "protection_info": ProtectionInfo(),
    "protection_traffic_info": TrafficInfo(),
    "firewall_rules_info": FirewallRulesInfo(),
    "custom_rules_info": CustomRulesInfo(),
}
