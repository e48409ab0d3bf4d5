# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules by name."""

from __future__ import annotations

from typing import Mapping, Sequence

from .._guard.risks.registry import RULESET_RISKS
from .._protection.expectation import FIREWALL, PACKET, REQUEST
from .._schema.account import ALLOWLIST, DNS_RULES, FILTERS, PREFIXES, RULES
from .._schema.registry import MANAGED, Managed
from .._schema.zone import FIREWALL_RULES
from .account import AccountProtection, SingleObject, StatusSpec, WholeList
from .base import ModuleSpec
from .info import ProtectionInfo
from .ip_lists import IpList, IpLists
from .rulesets import CustomRulesInfo, FirewallRules, OrderedRules, RulesInfo
from .traffic import TrafficInfo

# By the traffic that meets the rules of a ruleset: the kinds of expectations.
EXPECTED_OF: Mapping[str, Sequence[str]] = {
    "request": (REQUEST,),
    "packet": (PACKET, FIREWALL),
    "": (),
}


def _of_ruleset(item: Managed) -> OrderedRules:
    risks = RULESET_RISKS[item.traffic]
    return OrderedRules(item.resource, risks, item.option, EXPECTED_OF[item.traffic])


MODULE_SPECS: Mapping[str, ModuleSpec] = {
    "tcp_protection_status": StatusSpec(),
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
    **{item.module: _of_ruleset(item) for item in MANAGED if item.resource.is_ordered},
    "protection_info": ProtectionInfo(),
    "protection_traffic_info": TrafficInfo(),
    "firewall_rules_info": RulesInfo(FIREWALL_RULES),
    "custom_rules_info": CustomRulesInfo(),
}
