# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One row a host, whose account and zone, with lists and rulesets, are one plan. test_idempotence runs every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE

from tests.functional.idempotence_cases import (
    CHALLENGE,
    CUSTOM,
    DEPLOYMENTS,
    EXCEPTIONS,
    EXECUTED,
    FIREWALL,
    L4_OVERRIDES,
    L7_LOGGED,
    LISTS,
    PACKETS,
    PAST,
    PER_ADDRESS,
    RATES,
    RULE_1,
    SKIP,
    WHOLE,
    Case,
)
from tests.support.module_run import ACCOUNT, ZONE


def host(
    name: str,
    options: Mapping[str, Any],
    operations: Sequence[str] = (),
    calls: int = 0,
    account: Mapping[str, Any] | None = None,
    zone: Mapping[str, Any] | None = None,
) -> Case:
    """A case of a host whose account and zone have this."""
    return Case(name, HOST_MODULE, options, operations, calls, {"account": account or {}, "zone": zone or {}})


SHOPS: dict[str, Any] = {"ip_lists": [{"name": "shops", "items": [{"ip": "192.0.2.1"}]}]}
FROM_SHOPS = {"ref": "shops", "action": "block", "expression": "ip.src in $shops"}
AGENTS = {"ref": "agents", "action": "block", "expression": 'http.user_agent eq ""'}
EVERYTHING: dict[str, Any] = {
    "enabled": True,
    "prefixes": [{"prefix": "192.0.2.0/24"}],
    "allowlist": [{"prefix": "198.51.100.7"}],
    "rules": [{"kind": kind, "scope": "global"} for kind in ("syn_flood", "out_of_state_tcp")],
    "filters": [{"kind": "syn_flood", "expression": "tcp.dstport eq 80"}],
    "dns_rules": [{"scope": "global"}],
    **SHOPS,
    "network_firewall_rules": [FROM_SHOPS],
    "ddos_l4_overrides": [{"ref": "strict", "expression": "true", "action": "block"}],
    "custom_rulesets": [{"name": "Shops", "rules": [FROM_SHOPS], "deploy": {"expression": 'cf.zone.plan eq "ENT"'}}],
    "custom_rules": [FROM_SHOPS],
    "rate_limit_rules": [{"ref": "login", **CHALLENGE, "action": "block", "ratelimit": PER_ADDRESS}],
    "managed_rules": [{"ref": "managed", **EXECUTED}],
    "ddos_l7_overrides": [{"ref": "upload", "expression": 'http.request.uri.path eq "/upload"', "action": "block"}],
    "security_level": "high",
}
EXACT: dict[str, Any] = {
    "purge": ["prefixes", "allowlist", "rules", "filters", "dns_rules", "ip_lists", "network_firewall_rules", "ddos_l4_overrides",
              "custom_rules", "rate_limit_rules", "managed_rules", "ddos_l7_overrides"],
}  # fmt: skip
IN_ACCOUNT = {**WHOLE, **LISTS, **PACKETS, **L4_OVERRIDES}
IN_ZONE = {**FIREWALL, **CUSTOM, **RATES, **EXCEPTIONS, **L7_LOGGED}
FROM_OLD = {"ref": "old", "action": "block", "expression": "ip.src in $old"}
WITH_OLD: dict[str, Any] = {
    "lists": [{"name": "old", "items": [{"ip": "192.0.2.1"}]}],
    "network_firewall_rules": [FROM_OLD, *PACKETS["network_firewall_rules"]],
}

HOSTS = (
    host("an account and a zone from nothing", {**EVERYTHING, "accept_risks": ["blocks_everything"]},
         ["create ip_list shops", "create ip_list_item shops 192.0.2.1", "create prefix 192.0.2.0/24", "create syn_flood_rule global",
          "create out_of_state_tcp_rule global", "create syn_flood_filter tcp.dstport eq 80", "create dns_rule global",
          "create allowlist_entry 198.51.100.7/32", "create network_firewall_rule shops", "create ddos_l4_override strict",
          "create account_custom_ruleset Shops", "create custom_ruleset_rule Shops shops", "create account_custom_rule Shops",
          "create custom_rule shops", "create rate_limit_rule login", "create managed_rule managed", "create ddos_l7_override upload",
          "update tcp_protection_status tcp_protection_status", "update security_level security_level"], 18),
    host("all of an account and a zone changed, and cleared of the rest",
         {**EVERYTHING, **EXACT, "firewall_rules": [{"id": RULE_1, "action": "block"}],
          "accept_risks": ["weakens_zone", "weakens_network_firewall", "unprotects_addresses", "weakens_ddos_rules", "weakens_managed_rules",
                           "blocks_everything", "weakens_rate_limits"]},
         ["create ip_list shops", "create ip_list_item shops 192.0.2.1", "create out_of_state_tcp_rule global",
          "create syn_flood_filter tcp.dstport eq 80", "create dns_rule global", "create network_firewall_rule shops",
          "create account_custom_ruleset Shops", "create custom_ruleset_rule Shops shops", "create account_custom_rule Shops",
          "create custom_rule shops", "update syn_flood_rule global", "update tcp_protection_status tcp_protection_status", f"update firewall_rule {RULE_1}",
          "update rate_limit_rule login", "update ddos_l7_override upload", "update security_level security_level",
          "delete prefix 2001:DB8::/32", "delete syn_flood_rule region WEUR", "delete syn_flood_filter tcp.dstport in {80  443}",
          "delete allowlist_entry 203.0.113.0/28",
          *(f"delete network_firewall_rule {ref}" for ref in ("office", "telnet", "last")),
          *(f"delete ddos_l4_override {ref}" for ref in ("calm", "other")),
          *(f"delete custom_rule {ref}" for ref in ("office", "login", "last")),
          *(f"delete rate_limit_rule {ref}" for ref in ("api", "last")),
          *(f"delete managed_rule {ref}" for ref in ("scanner", "last")), "delete ddos_l7_override plain",
          *(f"delete ip_list {name}" for name in ("theirs", "old", "offices"))], 26, IN_ACCOUNT, IN_ZONE),
    host("an account and a zone in order",
         {"prefixes": [{"prefix": "192.0.2.7/24"}], "allowlist": [{"prefix": "198.51.100.7/32"}],
          "rules": [{"kind": "syn_flood", "scope": "global", "mode": "disabled"}],
          "ip_lists": [{"name": "offices", "items": [{"ip": "192.0.2.1/32"}]}], "network_firewall_rules": [{"ref": "telnet"}],
          "ddos_l4_overrides": [{"ref": "strict", "action": "block"}], "custom_rules": [{"ref": "login"}],
          "rate_limit_rules": [{"ref": "login"}], "managed_rules": [{"ref": "managed"}], "firewall_rules": [{"id": RULE_1}],
          "security_level": "medium"}, account=IN_ACCOUNT, zone={**IN_ZONE, "security_level": {"value": "medium"}}),
    host("a list is gone with the rules that name it",
         {"ip_lists": [], "purge": ["ip_lists"], "custom_rules": [{"ref": "old", "expires": PAST}],
          "network_firewall_rules": [{"ref": "old", "expires": PAST}], "accept_risks": ["empties_list"]},
         ["delete network_firewall_rule old", "delete custom_rule old", "delete ip_list old"], 3,
         WITH_OLD, {"custom_rules": [FROM_OLD, *CUSTOM["custom_rules"]]}),
    host("what expired of an account and a zone",
         {"prefixes": [{"prefix": "2001:db8::/32", "expires": PAST}], "allowlist": [{"prefix": "198.51.100.7", "expires": PAST}],
          "ip_lists": [{"name": "offices", "items": [{"ip": "192.0.2.1", "expires": PAST}]}],
          **{f"{name}_rules": [{"ref": ref, "expires": PAST}] for name, ref in
             {"network_firewall": "telnet", "custom": "login", "rate_limit": "login"}.items()},
          "accept_risks": ["weakens_zone", "weakens_network_firewall", "unprotects_addresses", "weakens_rate_limits"]},
         ["delete prefix 2001:DB8::/32", "delete allowlist_entry 198.51.100.7", "delete network_firewall_rule telnet",
          "delete custom_rule login", "delete rate_limit_rule login", "delete ip_list_item offices 192.0.2.1"], 6, IN_ACCOUNT, IN_ZONE),
    host("an account alone", {"account_id": ACCOUNT, "enabled": True, **SHOPS, "network_firewall_rules": [{**FROM_SHOPS, "position": "first"}]},
         ["create ip_list shops", "create ip_list_item shops 192.0.2.1", "create network_firewall_rule shops",
          "update tcp_protection_status tcp_protection_status"], 4, IN_ACCOUNT),
    host("a zone alone, with a rule beside a deployment beside a rule, all of them new",
         {"zone_id": ZONE, "custom_rules": [{"ref": "new", **CHALLENGE, "position": "after Bots"}, {"ref": "login", **CHALLENGE}],
          "custom_rulesets": [{"name": "Bots", "rules": [AGENTS], "deploy": {"expression": "not ssl", "position": "before login"}}]},
         ["create custom_ruleset Bots", "create custom_ruleset_rule Bots agents", "create custom_rule Bots", "create custom_rule new",
          "create custom_rule login"], 2),
    host("a ruleset replaced by a rule in its place",
         {"zone_id": ZONE, "custom_rulesets": [{"name": "Bots", "expires": PAST}],
          "custom_rules": [{**AGENTS, "position": "before last"}, {"ref": "office", **SKIP}]},
         ["create custom_rule agents", "delete custom_rule by hand", "delete custom_ruleset Bots"], 3, zone=DEPLOYMENTS),
    host("exactly these rules, and the deployment of a ruleset of the host",
         {"zone_id": ZONE, "custom_rulesets": [{"name": "Bots", "deploy": {"expression": "not ssl"}}],
          "custom_rules": [{"ref": "login", **CHALLENGE}], "purge": ["custom_rules"]},
         ["create custom_rule login", "delete custom_rule office", "delete custom_rule last"], 3, zone=DEPLOYMENTS),
    host("rules in another order around the deployment of a ruleset of the host",
         {"zone_id": ZONE, "custom_rulesets": [{"name": "Bots", "deploy": {"expression": "not ssl"}}], "purge": ["custom_rules"],
          "custom_rules": [{"ref": "last"}, {"ref": "by hand"}, {"ref": "office"}]},
         ["update custom_rule by hand", "update custom_rule office"], 1, zone=DEPLOYMENTS),
)  # fmt: skip
