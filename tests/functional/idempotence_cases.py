# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One row a case: the existing state, the desired state, and the operations between them. test_idempotence runs every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """`existing` is seeded into the account (into the zone for firewall rules), `operations` are those that it takes, in
    their order, as `action resource key`, and `calls` is how many writing calls these take.
    """

    name: str
    module: str
    options: Mapping[str, Any]
    operations: Sequence[str] = ()
    calls: int = 0
    existing: Mapping[str, Any] = field(default_factory=dict)


RULE_1, RULE_2, RULE_3 = (digit * 32 for digit in "123")
FILTER_1, FILTER_2, FILTER_3 = (digit * 32 for digit in "abc")
FIREWALL: dict[str, Any] = {
    "rules": [
        {"id": RULE_1, "action": "challenge", "description": "login", "ref": "login", "priority": 5,
         "filter": {"id": FILTER_1, "expression": "ip.src in {192.0.2.0/24}", "description": "office", "ref": "office"}},
        {"id": RULE_2, "action": "bypass", "products": ["waf", "bic"], "filter": {"id": FILTER_2, "expression": "true"}},
        {"id": RULE_3, "action": "log", "paused": True, "filter": {"id": FILTER_3, "expression": "false", "paused": True}},
    ]
}  # fmt: skip
RULE_4 = "4" * 32
SHARED: dict[str, Any] = {  # rules 1, 2 and 4 have one filter
    "rules": [
        {"id": RULE_1, "action": "log", "filter": {"id": FILTER_1, "expression": "cf.client.bot", "ref": "bots"}},
        {"id": RULE_2, "action": "challenge", "filter": {"id": FILTER_1, "expression": "cf.client.bot"}},
        {"id": RULE_3, "action": "block", "filter": {"id": FILTER_2, "expression": "true", "paused": True}},
        {"id": RULE_4, "action": "block", "filter": {"id": FILTER_1, "expression": "cf.client.bot"}},
    ]
}
SKIP: dict[str, Any] = {
    "action": "skip",
    "action_parameters": {"ruleset": "current"},
    "expression": "ip.src in {192.0.2.0/24}",
}
QUIET: dict[str, Any] = {**SKIP, "logging": {"enabled": False}}
RESPONSE = {"response": {"status_code": 403, "content": "no", "content_type": "text/plain"}}
CHALLENGE = {"action": "managed_challenge", "expression": 'http.request.uri.path eq "/login"'}
CUSTOM: dict[str, Any] = {
    "custom_rules": [
        {"ref": "office", **SKIP, "description": "office"},
        {"ref": "login", **CHALLENGE},
        {"ref": "last", "action": "log", "expression": "true", "score_per_period": 40.0},
    ]
}
TWO_PREFIXES: dict[str, Any] = {"prefixes": [{"prefix": "192.0.2.0/24", "comment": "old"}, {"prefix": "2001:DB8::/32"}]}
TWO_ENTRIES: dict[str, Any] = {
    "allowlist": [{"prefix": "198.51.100.7", "comment": "probe"}, {"prefix": "203.0.113.0/28"}]
}
RULES: dict[str, Any] = {
    "syn_flood": {
        "rules": [{"scope": "global", "name": "global", "mode": "disabled"}, {"scope": "region", "name": "WEUR"}],
        "filters": [{"expression": "tcp.dstport in {80  443}", "mode": "monitoring"}],
    }
}
DNS: dict[str, Any] = {
    "dns_rules": [{"scope": "global", "mode": "disabled"}, {"scope": "region", "name": "WEUR", "mode": "monitoring"}]
}
WHOLE: dict[str, Any] = {"enabled": False, **TWO_PREFIXES, **TWO_ENTRIES, **RULES}
PAST, FUTURE = "2020-01-31", "2099-01-31"
DUPLICATE_PREFIXES = [
    {"prefix": "192.0.2.0/24", "comment": "first"},
    {"prefix": "192.0.2.9/24", "comment": "second"},
    {"prefix": "2001:db8::/32"},
]

CASES = (
    Case("status on", "tcp_protection_status", {"enabled": True}, ["update tcp_protection_status tcp_protection_status"], 1),
    Case("status off", "tcp_protection_status", {"enabled": False, "accept_risks": ["disables_protection"]},
         ["update tcp_protection_status tcp_protection_status"], 1, {"enabled": True}),
    Case("status in order", "tcp_protection_status", {"enabled": True}, existing={"enabled": True}),
    Case("prefixes from nothing, parents first", "protected_prefixes",
         {"prefixes": [{"prefix": "192.0.2.64/28", "excluded": True}, {"prefix": "192.0.2.0/24", "comment": "Frankfurt"}]},
         ["create prefix 192.0.2.0/24", "create prefix 192.0.2.64/28"], 1),
    Case("prefixes updated to match, others left alone", "protected_prefixes",
         {"prefixes": [{"prefix": "192.0.2.7/24", "comment": "new"}, {"prefix": "203.0.113.1"}]},
         ["create prefix 203.0.113.1/32", "update prefix 192.0.2.0/24"], 2, TWO_PREFIXES),
    Case("a comment cleared, a field left out left alone", "protected_prefixes",
         {"prefixes": [{"prefix": "192.0.2.0/24", "comment": ""}, {"prefix": "2001:db8::/32"}]},
         ["update prefix 192.0.2.0/24"], 1, TWO_PREFIXES),
    Case("prefixes in order, otherwise written", "protected_prefixes",
         {"prefixes": [{"prefix": "2001:0db8::/32", "comment": "", "excluded": False}, {"prefix": "192.0.2.1/24"}], "purge": True},
         existing=TWO_PREFIXES),
    Case("prefixes purged", "protected_prefixes",
         {"prefixes": [{"prefix": "203.0.113.0/24"}, {"prefix": "192.0.2.0/24"}], "purge": True,
          "accept_risks": ["unprotects_addresses"]},
         ["create prefix 203.0.113.0/24", "delete prefix 2001:DB8::/32"], 2, TWO_PREFIXES),
    Case("a purge removes duplicates and what is malformed", "protected_prefixes",
         {"prefixes": [{"prefix": "192.0.2.0/24", "comment": "second"}], "purge": True,
          "accept_risks": ["unprotects_addresses"]},
         ["delete prefix 2001:db8::/32", "delete prefix 192.0.2.0/24", "delete prefix 203.0.113/24"], 3,
         {"prefixes": [*DUPLICATE_PREFIXES, {"prefix": "203.0.113/24"}]}),
    Case("prefixes absent", "protected_prefixes",
         {"prefixes": [{"prefix": "192.0.2.0/24"}, {"prefix": "203.0.113.0/24"}], "state": "absent",
          "accept_risks": ["unprotects_addresses"]},
         ["delete prefix 192.0.2.0/24"], 1, TWO_PREFIXES),
    Case("prefixes absent, duplicates and all, subsets first", "protected_prefixes",
         {"prefixes": [{"prefix": "192.0.2.0/24"}, {"prefix": "192.0.2.64/28"}], "state": "absent",
          "accept_risks": ["unprotects_addresses"]},
         ["delete prefix 192.0.2.64/28", "delete prefix 192.0.2.9/24", "delete prefix 192.0.2.0/24"], 3,
         {"prefixes": [*DUPLICATE_PREFIXES, {"prefix": "192.0.2.64/28", "excluded": True}]}),
    Case("prefixes emptied", "protected_prefixes",
         {"prefixes": [], "purge": True, "accept_risks": ["unprotects_addresses", "disables_protection", "empties_list"]},
         ["delete prefix 2001:DB8::/32", "delete prefix 192.0.2.0/24"], 2, TWO_PREFIXES),
    Case("an entry from nothing", "allowlist_entry", {"prefix": "198.51.100.7"}, ["create allowlist_entry 198.51.100.7/32"], 1),
    Case("an entry disabled", "allowlist_entry", {"prefix": "198.51.100.7/32", "enabled": False},
         ["update allowlist_entry 198.51.100.7"], 1, TWO_ENTRIES),
    Case("a wide entry, accepted", "allowlist_entry", {"prefix": "10.0.0.0/8", "accept_risks": ["broad_allowlist"]},
         ["create allowlist_entry 10.0.0.0/8"], 1, TWO_ENTRIES),
    Case("an entry in order", "allowlist_entry", {"prefix": "198.51.100.7/32", "comment": "probe"}, existing=TWO_ENTRIES),
    Case("an entry absent", "allowlist_entry", {"prefix": "203.0.113.7/28", "state": "absent"},
         ["delete allowlist_entry 203.0.113.0/28"], 1, TWO_ENTRIES),
    Case("an entry absent already", "allowlist_entry", {"prefix": "192.0.2.1", "state": "absent"}, existing=TWO_ENTRIES),
    Case("entries one by one", "allowlist", {"entries": [{"prefix": "192.0.2.2"}, {"prefix": "192.0.2.1", "enabled": False}]},
         ["create allowlist_entry 192.0.2.1/32", "create allowlist_entry 192.0.2.2/32"], 2),
    Case("entries purged", "allowlist",
         {"entries": [{"prefix": "198.51.100.7", "comment": "moved"}, {"prefix": "192.0.2.1"}], "purge": True},
         ["create allowlist_entry 192.0.2.1/32", "update allowlist_entry 198.51.100.7", "delete allowlist_entry 203.0.113.0/28"],
         3, TWO_ENTRIES),
    Case("entries emptied", "allowlist", {"entries": [], "purge": True, "accept_risks": ["empties_list"]},
         ["delete allowlist_entry 203.0.113.0/28", "delete allowlist_entry 198.51.100.7"], 2, TWO_ENTRIES),
    Case("entries absent", "allowlist", {"entries": [{"prefix": "198.51.100.7"}], "state": "absent"},
         ["delete allowlist_entry 198.51.100.7"], 1, TWO_ENTRIES),
    Case("prefixes of which one expired, and one does later", "protected_prefixes",
         {"prefixes": [{"prefix": "2001:db8::/32", "expires": PAST}, {"prefix": "192.0.2.0/24", "comment": "new", "expires": FUTURE}],
          "accept_risks": ["unprotects_addresses"]},
         ["update prefix 192.0.2.0/24", "delete prefix 2001:DB8::/32"], 2, TWO_PREFIXES),
    Case("an expired prefix and all of its duplicates", "protected_prefixes",
         {"prefixes": [{"prefix": "192.0.2.0/24", "comment": "third", "expires": "2020-01-31T12:00:00+01:00"}],
          "accept_risks": ["unprotects_addresses"]},
         ["delete prefix 192.0.2.9/24", "delete prefix 192.0.2.0/24"], 2, {"prefixes": DUPLICATE_PREFIXES}),
    Case("an expired prefix that a purge would keep", "protected_prefixes",
         {"prefixes": [{"prefix": "192.0.2.0/24", "expires": PAST}, {"prefix": "2001:db8::/32"}], "purge": True,
          "accept_risks": ["unprotects_addresses"]},
         ["delete prefix 192.0.2.0/24"], 1, TWO_PREFIXES),
    Case("an entry that expired", "allowlist_entry", {"prefix": "198.51.100.7", "comment": "moved", "expires": PAST},
         ["delete allowlist_entry 198.51.100.7"], 1, TWO_ENTRIES),
    Case("an entry that expires later", "allowlist_entry", {"prefix": "192.0.2.1", "expires": FUTURE},
         ["create allowlist_entry 192.0.2.1/32"], 1, TWO_ENTRIES),
    Case("an entry that expired and is not there", "allowlist_entry", {"prefix": "192.0.2.1", "expires": PAST}, existing=TWO_ENTRIES),
    Case("an entry absent, whatever its expiry", "allowlist_entry", {"prefix": "198.51.100.7", "expires": FUTURE, "state": "absent"},
         ["delete allowlist_entry 198.51.100.7"], 1, TWO_ENTRIES),
    Case("entries that all expired", "allowlist",
         {"entries": [{"prefix": "198.51.100.7", "expires": PAST}, {"prefix": "203.0.113.0/28", "expires": PAST}],
          "accept_risks": ["empties_list"]},
         ["delete allowlist_entry 203.0.113.0/28", "delete allowlist_entry 198.51.100.7"], 2, TWO_ENTRIES),
    Case("a whole account with an exclusion and an entry that expired", "account_protection",
         {"prefixes": [{"prefix": "192.0.2.64/28", "excluded": True, "expires": PAST}, {"prefix": "192.0.2.0/24"}],
          "allowlist": [{"prefix": "198.51.100.7", "expires": PAST}]},
         ["delete prefix 192.0.2.64/28", "delete allowlist_entry 198.51.100.7"], 2,
         {**TWO_ENTRIES, "prefixes": [{"prefix": "192.0.2.0/24"}, {"prefix": "192.0.2.64/28", "excluded": True}]}),
    Case("a rule from nothing", "protection_rule", {"kind": "syn_flood", "scope": "global", "mitigation_type": "retransmit"},
         ["create syn_flood_rule global"], 1),
    Case("a rule of the other kind", "protection_rule",
         {"kind": "out_of_state_tcp", "scope": "datacenter", "name": "lax", "mode": "disabled", "burst_sensitivity": "low"},
         ["create out_of_state_tcp_rule datacenter lax"], 1, RULES),
    Case("a rule changed, named in another case", "protection_rule",
         {"kind": "syn_flood", "scope": "region", "name": "weur", "rate_sensitivity": "high"},
         ["update syn_flood_rule region WEUR"], 1, RULES),
    Case("a rule in order", "protection_rule",
         {"kind": "syn_flood", "scope": "global", "name": "GLOBAL", "mode": "disabled", "mitigation_type": "challenge"}, existing=RULES),
    Case("staged rollout of a new rule", "protection_rule",
         {"kind": "out_of_state_tcp", "scope": "global", "mode": "enabled", "staged_rollout": True},
         ["create out_of_state_tcp_rule global"], 1, RULES),
    Case("staged rollout of a disabled rule", "protection_rule",
         {"kind": "syn_flood", "scope": "global", "mode": "enabled", "staged_rollout": True},
         ["update syn_flood_rule global"], 1, RULES),
    Case("staged rollout of a rule that has not monitored long enough", "protection_rule",
         {"kind": "syn_flood", "scope": "region", "name": "WEUR", "mode": "enabled", "staged_rollout": True}, existing=RULES),
    Case("a rule enabled at once, accepted", "protection_rule",
         {"kind": "syn_flood", "scope": "global", "mode": "enabled", "accept_risks": ["skips_monitoring"]},
         ["update syn_flood_rule global"], 1, RULES),
    Case("a rule absent", "protection_rule", {"kind": "syn_flood", "scope": "region", "name": "WEUR", "state": "absent",
                                              "accept_risks": ["disables_protection"]},
         ["delete syn_flood_rule region WEUR"], 1, RULES),
    Case("a filter from nothing", "protection_filter", {"kind": "out_of_state_tcp", "expression": "tcp.dstport in {80 443}"},
         ["create out_of_state_tcp_filter tcp.dstport in {80 443}"], 1, RULES),
    Case("a filter changed", "protection_filter",
         {"kind": "syn_flood", "expression": " tcp.dstport in {80 443}", "mode": "disabled"},
         ["update syn_flood_filter tcp.dstport in {80  443}"], 1, RULES),
    Case("staged rollout of a filter", "protection_filter",
         {"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 22", "mode": "enabled", "staged_rollout": True},
         ["create out_of_state_tcp_filter tcp.dstport eq 22"], 1, RULES),
    Case("a filter absent", "protection_filter", {"kind": "syn_flood", "expression": "tcp.dstport in {80 443}", "state": "absent",
                                                  "accept_risks": ["empties_list"]},
         ["delete syn_flood_filter tcp.dstport in {80  443}"], 1, RULES),
    Case("a DNS rule from nothing", "dns_protection_rule", {"scope": "global"}, ["create dns_rule global"], 1),
    Case("a DNS rule changed, named in another case", "dns_protection_rule",
         {"scope": "region", "name": "weur", "profile_sensitivity": "very_high", "burst_sensitivity": "low"},
         ["update dns_rule region WEUR"], 1, DNS),
    Case("a DNS rule in order", "dns_protection_rule",
         {"scope": "region", "name": "WEUR", "mode": "monitoring", "rate_sensitivity": "medium", "profile_sensitivity": "low"}, existing=DNS),
    Case("staged rollout of a new DNS rule", "dns_protection_rule",
         {"scope": "datacenter", "name": "lax", "mode": "enabled", "staged_rollout": True}, ["create dns_rule datacenter lax"], 1, DNS),
    Case("staged rollout of a disabled DNS rule", "dns_protection_rule", {"scope": "global", "mode": "enabled", "staged_rollout": True},
         ["update dns_rule global"], 1, DNS),
    Case("a DNS rule absent", "dns_protection_rule", {"scope": "global", "state": "absent"}, ["delete dns_rule global"], 1, DNS),
    Case("a DNS rule absent already", "dns_protection_rule", {"scope": "region", "name": "ENAM", "state": "absent"}, existing=DNS),
    Case("DNS rules of a whole account purged, those of TCP left alone", "account_protection",
         {"dns_rules": [{"scope": "global", "mode": "monitoring"}, {"scope": "datacenter", "name": "lax"}], "purge": ["dns_rules"]},
         ["create dns_rule datacenter lax", "update dns_rule global", "delete dns_rule region WEUR"], 3, {**RULES, **DNS}),
    Case("DNS rules of a whole account in order", "account_protection", {"dns_rules": [{"scope": "global"}]}, existing={**RULES, **DNS}),
    Case("a whole account from nothing", "account_protection",
         {"enabled": True, "prefixes": [{"prefix": "192.0.2.0/24"}, {"prefix": "2001:db8::/32"}],
          "allowlist": [{"prefix": "198.51.100.7"}],
          "rules": [{"kind": "out_of_state_tcp", "scope": "global"}, {"kind": "syn_flood", "scope": "global"}],
          "filters": [{"kind": "syn_flood", "expression": "tcp.dstport eq 80"}]},
         ["create prefix 192.0.2.0/24", "create prefix 2001:db8::/32", "create syn_flood_rule global",
          "create out_of_state_tcp_rule global", "create syn_flood_filter tcp.dstport eq 80",
          "create allowlist_entry 198.51.100.7/32", "update tcp_protection_status tcp_protection_status"], 6),
    Case("a whole account added to, changed, then cleared of the rest", "account_protection",
         {"enabled": True, "prefixes": [{"prefix": "192.0.2.0/24", "comment": "new"}, {"prefix": "203.0.113.0/24"}],
          "allowlist": [{"prefix": "198.51.100.7"}], "rules": [{"kind": "syn_flood", "scope": "global", "mode": "monitoring"}],
          "filters": [{"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 80"}],
          "purge": ["prefixes", "allowlist", "rules", "filters"],
          "accept_risks": ["unprotects_addresses", "empties_list"]},
         ["create prefix 203.0.113.0/24", "create out_of_state_tcp_filter tcp.dstport eq 80",
          "update prefix 192.0.2.0/24", "update syn_flood_rule global", "update tcp_protection_status tcp_protection_status",
          "delete prefix 2001:DB8::/32", "delete syn_flood_rule region WEUR",
          "delete syn_flood_filter tcp.dstport in {80  443}", "delete allowlist_entry 203.0.113.0/28"], 9, WHOLE),
    Case("staged rollout of a whole account", "account_protection",
         {"staged_rollout": True, "rules": [{"kind": kind, "scope": "global", "mode": "enabled"} for kind in ("syn_flood", "out_of_state_tcp")]},
         ["create out_of_state_tcp_rule global", "update syn_flood_rule global"], 2, WHOLE),
    Case("a whole account, nothing said of most of it", "account_protection", {"allowlist": []}, existing=WHOLE),
    Case("custom rules from nothing", "custom_rules",
         {"rules": [{"ref": "office", **SKIP}, {"ref": "login", **CHALLENGE, "position": "first"}]},
         ["create custom_rule login", "create custom_rule office"], 1),
    Case("a custom rule changed, foreign ones left alone", "custom_rules",
         {"rules": [{"ref": "login", "action": "block", "enabled": False}], "accept_risks": ["weakens_zone"]},
         ["update custom_rule login"], 1, CUSTOM),
    Case("a new custom rule before another", "custom_rules", {"rules": [{"ref": "new", **CHALLENGE, "position": "before login"}]},
         ["create custom_rule new"], 1, CUSTOM),
    Case("custom rules in order, otherwise written", "custom_rules",
         {"rules": [{"ref": "login", "expression": 'http.request.uri.path   eq "/login"', "enabled": True, "description": ""},
                    {"ref": "office", **SKIP, "logging": {"enabled": True}}]},
         existing=CUSTOM),
    Case("custom rules absent", "custom_rules", {"rules": [{"ref": "office"}, {"ref": "nowhere"}], "state": "absent"},
         ["delete custom_rule office"], 1, CUSTOM),
    Case("custom rules exact: one made, one moved, one changed, one gone", "custom_rules",
         {"rules": [{"ref": "new", **CHALLENGE}, {"ref": "last"}, {"ref": "office", "description": "the office"}], "state": "exact"},
         ["create custom_rule new", "update custom_rule office", "delete custom_rule login"], 1, CUSTOM),
    Case("an action that brings its parameters, and the logging of the former one goes", "custom_rules",
         {"rules": [{"ref": "office", "action": "block", "action_parameters": RESPONSE}]},
         ["update custom_rule office"], 1, {"custom_rules": [{"ref": "office", **QUIET}]}),
    Case("an action without parameters, said so", "custom_rules",
         {"rules": [{"ref": "office", "action": "block", "action_parameters": {}}]},
         ["update custom_rule office"], 1, {"custom_rules": [{"ref": "office", **QUIET}]}),
    Case("an action with the logging that the former one has", "custom_rules",
         {"rules": [{"ref": "office", "action": "block", "logging": {"enabled": False}}], "state": "exact"},
         ["update custom_rule office"], 1, {"custom_rules": [{"ref": "office", **QUIET}]}),
    Case("another action, and parameters and logging of the former one go", "custom_rules",
         {"rules": [{"ref": "office", "action": "block"}]},
         ["update custom_rule office"], 1, {"custom_rules": [{"ref": "office", **QUIET}]}),
    Case("custom rules absent, whatever else is said of them", "custom_rules",
         {"rules": [{"ref": "login", "expression": "  ", "position": "nowhere", "action_parameters": RESPONSE}], "state": "absent",
          "accept_risks": ["weakens_zone"]},
         ["delete custom_rule login"], 1, CUSTOM),
    Case("custom rules exact: moved and nothing else", "custom_rules",
         {"rules": [{"ref": "last"}, {"ref": "office"}, {"ref": "login"}], "state": "exact"}, ["update custom_rule last"], 1, CUSTOM),
    Case("no custom rule left", "custom_rules", {"rules": [], "state": "exact", "accept_risks": ["empties_list", "weakens_zone"]},
         ["delete custom_rule office", "delete custom_rule login", "delete custom_rule last"], 1, CUSTOM),
    Case("one firewall rule, to its own path", "firewall_rules", {"rules": [{"id": RULE_1, "action": "block"}]},
         [f"update firewall_rule {RULE_1}"], 1, FIREWALL),
    Case("two firewall rules, in one batch", "firewall_rules",
         {"rules": [{"id": RULE_3, "paused": False}, {"id": RULE_1, "priority": "", "description": "", "ref": ""}],
          "accept_risks": ["skips_everything"]},
         [f"update firewall_rule {RULE_1}", f"update firewall_rule {RULE_3}"], 1, FIREWALL),
    Case("products changed", "firewall_rules",
         {"rules": [{"id": RULE_2, "products": ["hot", "waf"]}], "accept_risks": ["skips_everything"]},
         [f"update firewall_rule {RULE_2}"], 1, FIREWALL),
    Case("products cleared", "firewall_rules",
         {"rules": [{"id": RULE_2, "action": "block", "products": []}], "accept_risks": ["blocks_everything"]},
         [f"update firewall_rule {RULE_2}"], 1, FIREWALL),
    Case("products gone with their action", "firewall_rules",
         {"rules": [{"id": RULE_2, "action": "allow"}], "accept_risks": ["skips_everything"]},
         [f"update firewall_rule {RULE_2}"], 1, FIREWALL),
    Case("a filter, through its own path where the service leaves it as it was", "firewall_rules",
         {"rules": [{"id": RULE_1, "filter": {"expression": "ip.src in {198.51.100.0/24}"}}]},
         [f"update firewall_rule {RULE_1}"], 2, FIREWALL),
    Case("two filters and a rule", "firewall_rules",
         {"rules": [{"id": RULE_1, "filter": {"description": ""}}, {"id": RULE_2, "filter": {"paused": True}}, {"id": RULE_3, "priority": 1}]},
         [f"update firewall_rule {rule}" for rule in (RULE_1, RULE_2, RULE_3)], 2, FIREWALL),
    Case("a priority with a decimal point", "firewall_rules", {"rules": [{"id": RULE_1, "priority": 10.0}]},
         [f"update firewall_rule {RULE_1}"], 1, FIREWALL),
    Case("two rules that change one filter", "firewall_rules",
         {"rules": [{"id": RULE_1, "filter": {"expression": "true"}}, {"id": RULE_2, "filter": {"paused": True}}], "accept_risks": ["weakens_zone"]},
         [f"update firewall_rule {rule}" for rule in (RULE_1, RULE_2)], 2, SHARED),
    Case("two rules that change one filter alike", "firewall_rules",
         {"rules": [{"id": RULE_1, "filter": {"paused": True}}, {"id": RULE_2, "filter": {"paused": True, "id": FILTER_1}}],
          "accept_risks": ["weakens_zone"]},
         [f"update firewall_rule {rule}" for rule in (RULE_1, RULE_2)], 2, SHARED),
    Case("a filter that another named rule and an unnamed one share", "firewall_rules",
         {"rules": [{"id": RULE_1, "filter": {"expression": "ssl"}}, {"id": RULE_2, "action": "block"}]},
         [f"update firewall_rule {rule}" for rule in (RULE_1, RULE_2)], 2, SHARED),
    Case("a filter that a rule shares of which nothing else changes", "firewall_rules",
         {"rules": [{"id": RULE_2}, {"id": RULE_1, "filter": {"expression": "ssl"}}]},
         [f"update firewall_rule {RULE_1}"], 2, SHARED),
    Case("a rule that gets the filter of others, and changes it", "firewall_rules",
         {"rules": [{"id": RULE_3, "filter": {"id": FILTER_1, "paused": True}}, {"id": RULE_1, "filter": {"description": "d"}}],
          "accept_risks": ["weakens_zone"]},
         [f"update firewall_rule {rule}" for rule in (RULE_1, RULE_3)], 2, SHARED),
    Case("a rule that leaves a filter while another changes it", "firewall_rules",
         {"rules": [{"id": RULE_1, "filter": {"id": FILTER_2}}, {"id": RULE_2, "filter": {"paused": True}}], "accept_risks": ["weakens_zone"]},
         [f"update firewall_rule {rule}" for rule in (RULE_1, RULE_2)], 2, SHARED),
    Case("firewall rules in order", "firewall_rules",
         {"rules": [{"id": RULE_1, "action": "challenge", "filter": {"expression": "ip.src  in {192.0.2.0/24}", "paused": False}},
                    {"id": RULE_2, "products": ["bic", "waf"], "description": "", "priority": ""}]},
         existing=FIREWALL),
)  # fmt: skip
