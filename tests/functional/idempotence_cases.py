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
PACKETS: dict[str, Any] = {
    "network_firewall_rules": [
        {"ref": "office", **SKIP},
        {"ref": "telnet", "action": "block", "expression": "tcp.dstport in {23 2323}"},
        {"ref": "last", "action": "log", "expression": "true", "score_per_period": 40.0},
    ]
}
PER_ADDRESS: dict[str, Any] = {
    "characteristics": ["cf.colo.id", "ip.src"],
    "period": 60,
    "requests_per_period": 5,
    "mitigation_timeout": 600,
}
BY_SCORE: dict[str, Any] = {
    "characteristics": ["cf.colo.id"],
    "period": 60,
    "score_per_period": 40,
    "mitigation_timeout": 60,
}
RATES: dict[str, Any] = {
    "rate_limit_rules": [
        {"ref": "login", **CHALLENGE, "action": "block", "ratelimit": {**PER_ADDRESS, "of_the_future": 1}},
        {"ref": "api", "action": "log", "expression": "cf.api_gateway.fallthrough_detected", "ratelimit": BY_SCORE},
        {"ref": "last", "action": "log", "expression": "true", "ratelimit": PER_ADDRESS, "score_per_period": 40.0},
    ]
}
MANAGED, OWASP = "efb7b8c949ac4650a09736fc376e9aee", "4814384a9e5d4991b9815dcfc25d2f1f"
EXECUTED = {"action": "execute", "expression": "true", "action_parameters": {"id": MANAGED}}
EXCEPTIONS: dict[str, Any] = {
    "managed_rules": [
        {"ref": "scanner", **SKIP},
        {"ref": "managed", **EXECUTED},
        {"ref": "last", **EXECUTED, "action_parameters": {"id": OWASP}, "score_per_period": 40.0},
    ]
}
SYN_FLOOD = "8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10"
L4, L7 = "3b64149bfa6e4220bbbc2bd6db589552", "4d21379b4f9f4bb088e0729962c8b3cf"


def override(ref: str, expression: str, managed: str, **overrides: Any) -> dict[str, Any]:
    """An override in the shape of the API."""
    parameters = {"id": managed, "overrides": overrides}
    return {"ref": ref, "action": "execute", "expression": expression, "action_parameters": parameters}


L4_OVERRIDES: dict[str, Any] = {
    "ddos_l4_overrides": [
        override(
            "calm",
            "ip.dst in {192.0.2.0/24}",
            L4,
            sensitivity_level="medium",
            categories=[{"category": "udp", "sensitivity_level": "low"}],
            rules=[{"id": SYN_FLOOD, "sensitivity_level": "eoff"}],
        ),
        override("strict", "true", L4, action="block"),
        {"ref": "other", "action": "log", "expression": "true", "score_per_period": 40.0},
    ]
}
L7_OVERRIDES: dict[str, Any] = {
    "ddos_l7_overrides": [override("upload", 'http.request.uri.path eq "/upload"', L7, action="challenge")]
}
L7_LOGGED: dict[str, Any] = {
    "ddos_l7_overrides": [
        override(
            "upload",
            'http.request.uri.path eq "/upload"',
            L7,
            action="log",
            sensitivity_level="low",
            categories=[{"category": "generic", "action": "block"}],
            rules=[{"id": "fdfdac75430c4c47a959592f0aa5e68a", "action": "block"}],
        ),
        override("plain", "not ssl", L7, action="block"),
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

LISTS: dict[str, Any] = {
    "lists": [
        {"name": "offices", "description": "our offices",
         "items": [{"ip": "192.0.2.1", "comment": "door"}, {"ip": "198.51.100.0/24", "comment": "Berlin"}]},
        {"name": "hosts", "kind": "hostname"},
        {"name": "old", "items": [{"ip": "192.0.2.1"}]},
        {"name": "theirs"},
    ]
}  # fmt: skip

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
         ["update syn_flood_rule global"], 1, {**RULES, **TWO_PREFIXES, "enabled": True}),
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
    Case("custom rules exact: ignored ones stay where they are", "custom_rules",
         {"rules": [{"ref": "new", **CHALLENGE}, {"ref": "login"}], "state": "exact", "ignore": ["l?st", "off*"]},
         ["create custom_rule new"], 1, CUSTOM),
    Case("custom rules exact: in order with ignored ones", "custom_rules", {"rules": [{"ref": "login"}], "state": "exact", "ignore": ["last", "office"]},
         existing=CUSTOM),
    Case("custom rules exact: one of the foreign ones ignored", "custom_rules", {"rules": [{"ref": "login"}], "state": "exact", "ignore": ["last"]},
         ["delete custom_rule office"], 1, CUSTOM),
    Case("managed rules from nothing, an exception in front", "managed_rules",
         {"rules": [{"ref": "managed", **EXECUTED}, {"ref": "scanner", **SKIP, "position": "first"}],
          "accept_risks": ["weakens_managed_rules"]},
         ["create managed_rule scanner", "create managed_rule managed"], 1),
    Case("managed rules with other values, foreign ones left alone", "managed_rules",
         {"rules": [{"ref": "managed", "action_parameters": {"id": MANAGED, "overrides": {
             "action": "block", "categories": [{"category": "wordpress", "enabled": False}, {"category": "php", "action": "log"}],
             "rules": [{"id": SYN_FLOOD, "score_threshold": 40}]}}}], "accept_risks": ["weakens_managed_rules"]},
         ["update managed_rule managed"], 1, EXCEPTIONS),
    Case("managed rules in order, otherwise written", "managed_rules",
         {"rules": [{"ref": "managed", "enabled": True, "description": "", "expression": " true "}, {"ref": "scanner", **SKIP}]},
         existing=EXCEPTIONS),
    Case("a deployment that becomes an exception", "managed_rules",
         {"rules": [{"ref": "managed", "action": "skip", "action_parameters": {"rules": {MANAGED: [SYN_FLOOD]}}}],
          "accept_risks": ["weakens_managed_rules"]},
         ["update managed_rule managed"], 1, EXCEPTIONS),
    Case("managed rules exact: one made, one gone, one ignored", "managed_rules",
         {"rules": [{"ref": "new", **EXECUTED}, {"ref": "managed"}], "state": "exact", "ignore": ["last"]},
         ["create managed_rule new", "delete managed_rule scanner"], 1, EXCEPTIONS),
    Case("an exception behind the deployment from now on", "managed_rules",
         {"rules": [{"ref": "managed"}, {"ref": "scanner"}, {"ref": "last"}], "state": "exact"},
         ["update managed_rule scanner"], 1, EXCEPTIONS),
    Case("a managed rule absent", "managed_rules", {"rules": [{"ref": "scanner"}, {"ref": "nowhere"}], "state": "absent"},
         ["delete managed_rule scanner"], 1, EXCEPTIONS),
    Case("DDoS overrides from nothing", "ddos_l4_overrides",
         {"overrides": [{"ref": "calm", "expression": "ip.dst in {192.0.2.0/24}", "sensitivity": "medium"},
                        {"ref": "strict", "expression": "true", "action": "block", "rules": [{"id": SYN_FLOOD.upper(), "action": "block"}],
                         "position": "first"}], "accept_risks": ["weakens_ddos_rules"]},
         ["create ddos_l4_override strict", "create ddos_l4_override calm"], 1),
    Case("a DDoS override changed in all of its values", "ddos_l4_overrides",
         {"overrides": [{"ref": "calm", "action": "default", "sensitivity": "default", "categories": [{"category": "dns", "action": "block"}],
                         "rules": []}]}, ["update ddos_l4_override calm"], 1, L4_OVERRIDES),
    Case("a DDoS override with a category less", "ddos_l4_overrides", {"overrides": [{"ref": "calm", "categories": []}]},
         ["update ddos_l4_override calm"], 1, L4_OVERRIDES),
    Case("DDoS overrides in order, otherwise written", "ddos_l4_overrides",
         {"overrides": [{"ref": "calm", "expression": "ip.dst in { 192.0.2.0/24 }", "sensitivity": "medium",
                         "rules": [{"id": SYN_FLOOD, "sensitivity": "eoff"}], "enabled": True, "description": ""},
                        {"ref": "strict", "action": "block", "sensitivity": "", "rules": []}]}, existing=L4_OVERRIDES),
    Case("a DDoS override gets the default sensitivity", "ddos_l4_overrides", {"overrides": [{"ref": "strict", "sensitivity": "default"}]},
         ["update ddos_l4_override strict"], 1, L4_OVERRIDES),
    Case("DDoS overrides absent", "ddos_l4_overrides", {"overrides": [{"ref": "calm"}, {"ref": "nowhere"}], "state": "absent"},
         ["delete ddos_l4_override calm"], 1, L4_OVERRIDES),
    Case("DDoS overrides exact: one made, one gone, one ignored", "ddos_l4_overrides",
         {"overrides": [{"ref": "new", "expression": "true", "action": "block"}, {"ref": "strict", "description": "all"}], "state": "exact",
          "ignore": ["other"]}, ["create ddos_l4_override new", "update ddos_l4_override strict", "delete ddos_l4_override calm"], 1, L4_OVERRIDES),
    Case("DDoS overrides exact: moved and nothing else", "ddos_l4_overrides",
         {"overrides": [{"ref": "strict"}, {"ref": "calm"}], "state": "exact", "ignore": ["other"]},
         ["update ddos_l4_override calm"], 1, L4_OVERRIDES),
    Case("HTTP DDoS overrides from nothing", "ddos_l7_overrides",
         {"overrides": [{"ref": "upload", "expression": 'http.request.uri.path eq "/upload"', "action": "managed_challenge"}]},
         ["create ddos_l7_override upload"], 1),
    Case("an HTTP DDoS override that logs", "ddos_l7_overrides", {"overrides": [{"ref": "upload", "action": "log"}],
         "accept_risks": ["weakens_ddos_rules"]}, ["update ddos_l7_override upload"], 1, L7_OVERRIDES),
    Case("HTTP DDoS overrides in order", "ddos_l7_overrides", {"overrides": [{"ref": "upload", "action": "challenge"}], "state": "exact"},
         existing=L7_OVERRIDES),
    Case("HTTP DDoS overrides absent", "ddos_l7_overrides", {"overrides": [{"ref": "upload"}, {"ref": "nowhere"}], "state": "absent",
         "accept_risks": ["weakens_ddos_rules"]}, ["delete ddos_l7_override upload"], 1, L7_LOGGED),
    Case("HTTP DDoS overrides exact: one made, one gone, one ignored", "ddos_l7_overrides",
         {"overrides": [{"ref": "new", "expression": "true", "action": "block"}], "state": "exact", "ignore": ["pl*"]},
         ["create ddos_l7_override new", "delete ddos_l7_override upload"], 1, L7_LOGGED),
    Case("rate limits from nothing", "rate_limit_rules",
         {"rules": [{"ref": "all", "action": "block", "expression": "ssl", "action_parameters": RESPONSE,
                     "ratelimit": {**PER_ADDRESS, "counting_expression": "http.response.code eq 401", "requests_to_origin": True}},
                    {"ref": "login", **CHALLENGE, "ratelimit": {**PER_ADDRESS, "mitigation_timeout": 0}, "position": "first"}]},
         ["create rate_limit_rule login", "create rate_limit_rule all"], 1),
    Case("a rate limit with fields of the future, tightened", "rate_limit_rules", {"rules": [{"ref": "login", "ratelimit": {"requests_per_period": 4}}]},
         ["update rate_limit_rule login"], 1, RATES),
    Case("rate limits in order, otherwise written", "rate_limit_rules",
         {"rules": [{"ref": "login", "expression": ' http.request.uri.path  eq "/login" ',
                     "ratelimit": {"characteristics": ["ip.src", "cf.colo.id"], "counting_expression": "", "requests_to_origin": False}}]},
         existing=RATES),
    Case("rate limits, fields without an option set and removed", "rate_limit_rules",
         {"rules": [{"ref": "login", "api_fields": {"ratelimit": {"of_the_future": 2}}},
                    {"ref": "api", "api_fields": {"ratelimit": {"score_response_header_name": "score"}}},
                    {"ref": "last", "api_fields": {"score_per_period": None}}], "accept_risks": ["weakens_rate_limits"]},
         ["update rate_limit_rule login", "update rate_limit_rule api", "update rate_limit_rule last"], 1, RATES),
    Case("a field of the future removed from a rate limit", "rate_limit_rules",
         {"rules": [{"ref": "login", "api_fields": {"ratelimit": {"of_the_future": None}}}], "accept_risks": ["weakens_rate_limits"]},
         ["update rate_limit_rule login"], 1, RATES),
    Case("rate limits absent", "rate_limit_rules", {"rules": [{"ref": "login"}, {"ref": "nowhere"}], "state": "absent",
         "accept_risks": ["weakens_rate_limits"]}, ["delete rate_limit_rule login"], 1, RATES),
    Case("rate limits exact: one made, one ignored, one gone", "rate_limit_rules",
         {"rules": [{"ref": "new", **CHALLENGE, "action": "block", "ratelimit": PER_ADDRESS}], "state": "exact", "ignore": ["ap*", "last"],
          "accept_risks": ["weakens_rate_limits"]}, ["create rate_limit_rule new", "delete rate_limit_rule login"], 1, RATES),
    Case("rate limits exact: moved and nothing else", "rate_limit_rules", {"rules": [{"ref": "api"}, {"ref": "last"}, {"ref": "login"}], "state": "exact"},
         ["update rate_limit_rule login"], 1, RATES),
    Case("a security level raised", "security_level", {"level": "under_attack"}, ["update security_level security_level"], 1),
    Case("a security level lowered", "security_level", {"level": "low", "accept_risks": ["lowers_sensitivity"]},
         ["update security_level security_level"], 1, {"security_level": {"value": "high", "modified_on": "2026-01-12T08:30:00Z"}}),
    Case("a security level in the place of a word of the future", "security_level", {"level": "high", "accept_risks": ["lowers_sensitivity"]},
         ["update security_level security_level"], 1, {"security_level": {"value": "extreme"}}),
    Case("a security level in order", "security_level", {"level": "medium"}, existing={"security_level": {"value": "medium", "editable": False}}),
    Case("network firewall rules from nothing", "network_firewall_rules",
         {"rules": [{"ref": "office", "action": "skip", "expression": "ip.src in {192.0.2.0/24}"},
                    {"ref": "telnet", "action": "block", "expression": "tcp.dstport eq 23", "position": "first"}]},
         ["create network_firewall_rule telnet", "create network_firewall_rule office"], 1),
    Case("a network firewall rule that skips from now on", "network_firewall_rules", {"rules": [{"ref": "telnet", "action": "skip"}],
         "accept_risks": ["weakens_network_firewall"]}, ["update network_firewall_rule telnet"], 1, PACKETS),
    Case("a network firewall rule that no longer skips", "network_firewall_rules", {"rules": [{"ref": "office", "action": "log"}]},
         ["update network_firewall_rule office"], 1, PACKETS),
    Case("network firewall rules in order, otherwise written", "network_firewall_rules",
         {"rules": [{"ref": "telnet", "expression": "tcp.dstport in { 23 2323 }", "enabled": True},
                    {"ref": "office", "action": "skip", "action_parameters": {"ruleset": "current"}, "logging": {"enabled": True}}]},
         existing=PACKETS),
    Case("network firewall rules absent", "network_firewall_rules", {"rules": [{"ref": "office"}, {"ref": "nowhere"}], "state": "absent"},
         ["delete network_firewall_rule office"], 1, PACKETS),
    Case("network firewall rules exact: one made, one gone, one ignored", "network_firewall_rules",
         {"rules": [{"ref": "new", "action": "log", "expression": "sip"}, {"ref": "telnet", "description": "no telnet"}], "state": "exact",
          "ignore": ["office"]},
         ["create network_firewall_rule new", "update network_firewall_rule telnet", "delete network_firewall_rule last"], 1, PACKETS),
    Case("network firewall rules exact: moved and nothing else", "network_firewall_rules",
         {"rules": [{"ref": "last"}, {"ref": "office"}, {"ref": "telnet"}], "state": "exact"},
         ["update network_firewall_rule last"], 1, PACKETS),
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
         {"rules": [{"id": RULE_1, "filter": {"expression": "not ssl"}}, {"id": RULE_2, "action": "block"}]},
         [f"update firewall_rule {rule}" for rule in (RULE_1, RULE_2)], 2, SHARED),
    Case("a filter that a rule shares of which nothing else changes", "firewall_rules",
         {"rules": [{"id": RULE_2}, {"id": RULE_1, "filter": {"expression": "not ssl"}}]},
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
    Case("a list from nothing", "ip_list",
         {"name": "$offices", "description": "work", "items": [{"ip": "192.0.2.7/24"}, {"ip": "2001:DB8::1/128", "comment": "gate"}]},
         ["create ip_list offices", "create ip_list_item offices 192.0.2.0/24", "create ip_list_item offices 2001:db8::1"], 2),
    Case("an empty list from nothing", "ip_list", {"name": "offices"}, ["create ip_list offices"], 1),
    Case("items added and updated to match, others left alone", "ip_list",
         {"name": "offices", "description": "", "items": [{"ip": "192.0.2.1/32", "comment": "new"}, {"ip": "203.0.113.0/24"}]},
         ["create ip_list_item offices 203.0.113.0/24", "update ip_list offices", "update ip_list_item offices 192.0.2.1"], 3, LISTS),
    Case("items purged", "ip_list", {"name": "offices", "items": [{"ip": "198.51.100.0/24"}, {"ip": "192.0.2.9"}], "purge": True},
         ["create ip_list_item offices 192.0.2.9", "delete ip_list_item offices 192.0.2.1"], 2, LISTS),
    Case("an item that expired, and one that does later", "ip_list",
         {"name": "offices", "items": [{"ip": "192.0.2.1", "expires": PAST}, {"ip": "198.51.100.0/24", "expires": FUTURE}]},
         ["delete ip_list_item offices 192.0.2.1"], 1, LISTS),
    Case("a list in order, otherwise written", "ip_list",
         {"name": "offices", "items": [{"ip": "198.51.100.9/24", "comment": "Berlin"}, {"ip": "192.0.2.1/32"}], "purge": True}, existing=LISTS),
    Case("an item of a list absent", "ip_list", {"name": "offices", "items": [{"ip": "192.0.2.1"}, {"ip": "192.0.2.2"}], "state": "absent"},
         ["delete ip_list_item offices 192.0.2.1"], 1, LISTS),
    Case("a list absent", "ip_list", {"name": "offices", "state": "absent"}, ["delete ip_list offices"], 1, LISTS),
    Case("a list absent already", "ip_list", {"name": "shops", "state": "absent"}, existing=LISTS),
    Case("items of a list that is absent already", "ip_list", {"name": "shops", "items": [{"ip": "192.0.2.1"}], "state": "absent"}, existing=LISTS),
    Case("lists beside others", "ip_lists",
         {"lists": [{"name": "shops", "items": [{"ip": "192.0.2.1"}]}, {"name": "offices", "items": [{"ip": "192.0.2.1"}], "purge": True}]},
         ["create ip_list shops", "create ip_list_item shops 192.0.2.1", "delete ip_list_item offices 198.51.100.0/24"], 3, LISTS),
    Case("lists absent", "ip_lists", {"lists": [{"name": "offices"}, {"name": "shops"}], "state": "absent"}, ["delete ip_list offices"], 1, LISTS),
    Case("exactly these lists, but for those of others", "ip_lists",
         {"lists": [{"name": "offices", "items": [{"ip": "192.0.2.1"}]}, {"name": "new", "description": "n"}], "state": "exact", "ignore": ["their*"]},
         ["create ip_list new", "delete ip_list old", "delete ip_list_item offices 198.51.100.0/24"], 3, LISTS),
    Case("a list emptied", "ip_list", {"name": "offices", "items": [], "purge": True, "accept_risks": ["empties_list"]},
         ["delete ip_list_item offices 198.51.100.0/24", "delete ip_list_item offices 192.0.2.1"], 1, LISTS),
    Case("no list left but one whose item expired", "ip_lists",
         {"lists": [{"name": "offices", "items": [{"ip": "192.0.2.1", "expires": PAST}]}], "state": "exact", "accept_risks": ["empties_list"]},
         ["delete ip_list theirs", "delete ip_list old", "delete ip_list_item offices 198.51.100.0/24",
          "delete ip_list_item offices 192.0.2.1"], 3, LISTS),
)  # fmt: skip
