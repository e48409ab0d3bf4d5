# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that are wrong: the module, its options, the option that the failure names, and the reason that it gives."""

from __future__ import annotations

from typing import Any

from tests.functional.idempotence_cases import RULE_1
from tests.support.module_run import ACCOUNT, ZONE

PREFIX = {"prefix": "192.0.2.0/24"}
REGION = {"kind": "syn_flood", "scope": "region"}
DNS = {"scope": "global"}
STATUS = {"enabled": True}
MITIGATED = {"kind": "out_of_state_tcp", "scope": "global", "mitigation_type": "challenge"}


def limited(**fields: Any) -> dict[str, Any]:
    return {"rules": [{"ref": "a", "ratelimit": fields}]}


TABLE: list[tuple[str, dict[str, Any], str, str]] = [
    ("protected_prefixes", {"prefixes": [PREFIX, {"prefix": "203.0.113/24"}]}, "prefixes[1].prefix", "did you mean 203.0.113.0/24?"),
    ("protected_prefixes", {"prefixes": [PREFIX, {"prefix": "192.0.2.9/24"}]}, "prefixes[1]", "is named here and in prefixes[0]"),
    ("protected_prefixes", {"prefixes": [PREFIX, PREFIX], "state": "absent"}, "prefixes[1]", "keep one of them"),
    ("protected_prefixes", {"prefixes": [PREFIX], "state": "absent", "purge": True}, "purge", "state present only"),
    ("protected_prefixes", {"prefixes": None, "purge": True}, "prefixes", "cannot be converted to a list"),
    ("protected_prefixes", {"prefixes": [{"comment": "no prefix"}]}, "prefix", "required"),
    ("allowlist", {"entries": [{"prefix": "198.51.100.300"}]}, "entries[0].prefix", "is not a network"),
    ("allowlist", {"entries": [{"prefix": "198.51.100.3", "expires": "friday"}]}, "entries[0].expires", "'friday' is neither a date such as 2027-01-31"),
    ("protected_prefixes", {"prefixes": [{**PREFIX, "expires": "2027-01-31T18:00:00"}]}, "prefixes[0].expires", "nor a time such as"),
    ("account_protection", {"allowlist": [{**PREFIX, "expires": "2027-02-31"}]}, "allowlist[0].expires", "is not a date that exists"),
    ("allowlist_entry", {**PREFIX, "expires": "9999-02-30"}, "expires", "is not a date that exists"),
    ("allowlist_entry", {"prefix": "", "state": "absent"}, "prefix", "is not a network"),
    ("protection_rule", REGION, "name", "a rule with scope region needs the code of its region"),
    ("protection_rule", {**REGION, "name": " "}, "name", "it is empty"),
    ("protection_rule", {**REGION, "scope": "global", "name": "WEUR"}, "name", "is the scope right?"),
    ("protection_rule", {**REGION, "name": "WEUR", "mode": "mitigation"}, "mode", "must be one of: enabled, monitoring, disabled"),
    ("protection_rule", MITIGATED, "mitigation_type", "out-of-state TCP rule has no such field"),
    ("protection_filter", {"kind": "syn_flood", "expression": " "}, "expression", "it is empty"),
    ("protection_filter", {"kind": "syn_flood", "expression": "ip.dst eq 192.0.2.0/24"}, "expression",
     "column 11, at '192.0.2.0/24': '192.0.2.0/24' is more than one address"),
    ("protection_filter", {"kind": "syn_flood", "expression": "tcp.dstport eq 080"}, "expression",
     "column 16, at '080': '080' is not a port, but a number to base 8"),
    ("protection_filter", {"kind": "syn_flood", "expression": f"ip.dst in {{{'192.0.2.1 ' * 820}}}"}, "expression",
     "it has 8212 characters, and Cloudflare takes at most 8192"),
    ("account_protection", {"filters": [{"kind": "syn_flood", "expression": "ip.dst in {192.0.2.7/24}"}]}, "filters[0].expression", "write 192.0.2.0/24"),
    ("account_protection", {"rules": [REGION]}, "rules[0].name", "needs the code"),
    ("account_protection", {"rules": [MITIGATED]}, "rules[0].mitigation_type", "has no such field"),
    ("account_protection", {"purge": ["filters"]}, "purge", "it takes filters"),
    ("account_protection", {"enabled": True, "allowlist": [{"prefix": "x"}]}, "allowlist[0].prefix", "is not a network"),
    ("account_protection", {"purge": ["dns_rules"]}, "purge", "it takes dns_rules"),
    ("account_protection", {"dns_rules": [{"scope": "region"}]}, "dns_rules[0].name", "needs the code of its region"),
    ("account_protection", {"dns_rules": [DNS, DNS]}, "dns_rules[1]", "is named here and in dns_rules[0]"),
    ("account_protection", {"dns_rules": [{**DNS, "mitigation_type": "challenge"}]}, "mitigation_type", "Unsupported parameters"),
    ("dns_protection_rule", {**DNS, "mitigation_type": "challenge"}, "mitigation_type", "Unsupported parameters"),
    ("dns_protection_rule", {**DNS, "kind": "dns"}, "kind", "Unsupported parameters"),
    ("dns_protection_rule", {**DNS, "profile_sensitivity": "off"}, "profile_sensitivity", "must be one of: low, medium, high, very_high"),
    ("dns_protection_rule", {**DNS, "rate_sensitivity": "very_high"}, "rate_sensitivity", "must be one of: low, medium, high"),
    ("dns_protection_rule", {"scope": "datacenter"}, "name", "needs the code of its datacenter"),
    ("dns_protection_rule", {**DNS, "name": "WEUR"}, "name", "is the scope right?"),
    ("firewall_rules", {"rules": [{"id": RULE_1}, {"id": RULE_1, "paused": True}]}, "rules[1]", "is named here and in rules[0]"),
    ("firewall_rules", {"rules": [{"id": "../../accounts"}]}, "rules[0].id", "is not an id"),
    ("firewall_rules", {"rules": [{"id": RULE_1, "priority": 1.5}]}, "rules[0].priority", "whole number"),
    ("firewall_rules", {"rules": [{"id": RULE_1, "action": "block", "products": ["waf"]}]}, "rules[0].products", "only a rule with action bypass"),
    ("firewall_rules", {"rules": [{"id": RULE_1, "filter": {"expression": ""}}]}, "rules[0].filter.expression", "it is empty"),
    ("firewall_rules_info", {"id": "login"}, "id", "is not an id"),
    ("custom_rules", {"rules": [], "expected_plan": "the last one"}, "expected_plan", "is not a plan_id, which has 64 hexadecimal digits"),
    ("firewall_rules", {"zone_id": "example.net", "rules": []}, "zone_id", "is not an id"),
    ("custom_rules_info", {"zone_name": "example.com"}, "zone_name", "it stands for zone_id; leave out one of them"),
    ("custom_rules_info", {"zone_id": None, "zone_name": "contains:example"}, "zone_name", "is not the name of a zone such as example.com"),
    ("custom_rules_info", {"zone_id": None, "zone_name": ""}, "zone_name", "'' is not the name of a zone"),
    ("firewall_rules", {"zone_id": None, "rules": []}, "zone_id", "give zone_id or zone_name, or set the environment variable CLOUDFLARE_ZONE_ID"),
    ("firewall_rules_info", {"zone_id": ""}, "zone_id", "is not an id"),
    ("custom_rules", {"rules": [{"ref": "a"}, {"ref": "a", "enabled": True}]}, "rules[1]", "a is named here and in rules[0]"),
    ("custom_rules", {"rules": [{"ref": " "}]}, "rules[0].ref", "it is empty"),
    ("custom_rules", {"rules": [{"ref": "a", "expression": " "}]}, "rules[0].expression", "it is empty"),
    ("custom_rules", {"rules": [{"ref": "a", "expression": "(ssl"}]}, "rules[0].expression",
     "column 5, at the end: it ends where ')' is expected (custom rule a)"),
    ("custom_rules", {"rules": [{"ref": "a", "expression": f"ip.src in {{{'192.0.2.1 ' * 410}}}"}]}, "rules[0].expression",
     "it has 4112 characters, and Cloudflare takes at most 4096 (custom rule a)"),
    ("custom_rules", {"rules": [{"ref": "a", "expression": 'http.host matches "(a"'}]}, "rules[0].expression",
     "unclosed group (so says the parser of the vendor's engine) (custom rule a)"),
    ("firewall_rules", {"rules": [{"id": RULE_1, "filter": {"expression": "ip.src eq 192.0.2.0/24"}}]}, "rules[0].filter.expression",
     f"write in {{192.0.2.0/24}} (firewall rule {RULE_1})"),
    ("custom_rules", {"rules": [{"ref": "a", "position": "before"}]}, "rules[0].position", "is not first, last, before REF or after REF"),
    ("custom_rules", {"rules": [{"ref": "a", "position": "first b"}]}, "rules[0].position", "is not first, last"),
    ("custom_rules", {"rules": [{"ref": "a", "position": "first"}], "state": "exact"}, "rules[0].position", "the order of the list"),
    ("custom_rules", {"rules": [{"ref": "a", "action": "allow"}]}, "action", "must be one of"),
    ("custom_rules", {"rules": [{"ref": "a", "action_parameters": {"response": {"status_code": 403}}}]}, "content", "missing required"),
    ("custom_rules", {"rules": [{"ref": "a", "action_parameters": {"response": {"status_code": 200, "content": "", "content_type": ""}}}]},
     "rules[0].action_parameters", "is 200, and not between 400 and 499"),
    ("rate_limit_rules", limited(characteristics=["ip.src"]), "rules[0].ratelimit.characteristics", "cf.colo.id is not among them"),
    ("rate_limit_rules", limited(characteristics=["cf.colo.id", "ip.src", "cf.unique_visitor_id"]), "rules[0].ratelimit.characteristics",
     "cf.unique_visitor_id and ip.src exclude each other"),
    ("rate_limit_rules", limited(characteristics=["cf.colo.id", 'lower(http.request.headers["X-Key"][0])']), "rules[0].ratelimit.characteristics",
     "the name of the header X-Key has capital letters"),
    ("rate_limit_rules", limited(requests_per_period=0), "rules[0].ratelimit.requests_per_period", "0 is not a whole number of 1 or more"),
    ("rate_limit_rules", limited(period=0), "rules[0].ratelimit.period", "0 is not a whole number of 1 or more"),
    ("rate_limit_rules", limited(mitigation_timeout=-1), "rules[0].ratelimit.mitigation_timeout", "-1 is not a whole number of 0 or more"),
    ("rate_limit_rules", limited(counting_expression="(ssl"), "rules[0].ratelimit.counting_expression", "it ends where ')' is expected"),
    ("rate_limit_rules", limited(counting_expression=f"ip.src in {{{'192.0.2.1 ' * 410}}}"), "rules[0].ratelimit.counting_expression",
     "it has 4112 characters, and Cloudflare takes at most 4096 (rate limiting rule a)"),
    ("rate_limit_rules", {"rules": [{"ref": "a", "action_parameters": {"response": {"status_code": 429, "content": "x" * 30721, "content_type": "text/plain"}}}]},
     "rules[0].action_parameters", "response.content has 30721 bytes, and Cloudflare takes 30720"),
    ("rate_limit_rules", {"rules": [{"ref": "a", "action": "skip"}]}, "action", "must be one of"),
    ("rate_limit_rules", {"rules": [{"ref": "a", "api_fields": {"ratelimit": {"period": 10}}}]}, "rules[0].ratelimit.period", "there is an option"),
    ("custom_rules", {"rules": [], "max_deletions_percent": -1}, "max_deletions_percent", "not between 0 and 100"),
    ("custom_rules_info", {"id": "office"}, "id", "is not an id"),
    ("security_level", {"level": "strict"}, "level", "must be one of: off, essentially_off, low, medium, high, under_attack, got: strict"),
    ("security_level", {"level": "high", "zone_id": None}, "zone_id", "give zone_id or zone_name"),
    ("tcp_protection_status", {**STATUS, "account_id": ""}, "account_id", "is not an id"),
    ("tcp_protection_status", {**STATUS, "account_id": ACCOUNT + "/.."}, "account_id", "is not an id"),
    ("tcp_protection_status", {**STATUS, "api_key": "x", "api_email": "a@example.net"}, "api_token", "it goes alone"),
    ("tcp_protection_status", {**STATUS, "api_token": None}, "api_token", "there are no credentials"),
    ("tcp_protection_status", {**STATUS, "api_token": None, "api_key": "x", "api_email": "a@example.net"}, "api_key", "takes API tokens only"),
    ("tcp_protection_status", {**STATUS, "zone_id": ACCOUNT.upper()}, "account_id", "it is the same as zone_id"),
    ("firewall_rules", {"rules": [], "account_id": ZONE}, "zone_id", "it is the same as account_id"),
    ("tcp_protection_status", {**STATUS, "accept_risks": ["everything"]}, "accept_risks[0]", "'everything' is not a risk"),
    ("tcp_protection_status", {**STATUS, "base_url": "http://192.0.2.1/client/v4"}, "base_url", "must be https"),
    ("tcp_protection_status", {**STATUS, "timeout": 0}, "timeout", "at least 0.1"),
    ("tcp_protection_status", {**STATUS, "timeout": float("inf")}, "timeout", "a number of at least 0.1"),
    ("tcp_protection_status", {**STATUS, "max_wait": float("nan")}, "max_wait", "a number of at least 0"),
    ("tcp_protection_status", {**STATUS, "retries": -1}, "retries", "at least 0"),
    ("tcp_protection_status", {**STATUS, "call_budget": -1}, "call_budget", "at least 0"),
    ("tcp_protection_status", {**STATUS, "call_budget": 32769}, "call_budget", "a number of at most 32768; 0 stands for no budget"),
    ("tcp_protection_status", {**STATUS, "call_budget_period": float("nan")}, "call_budget_period", "a number of at least 0"),
    ("tcp_protection_status", {**STATUS, "max_wait": -1}, "max_wait", "at least 0"),
    ("tcp_protection_status", {**STATUS, "ca_path": "/nowhere.pem"}, "ca_path", "there is nothing at /nowhere.pem"),
    ("tcp_protection_status", {}, "enabled", "required"),
]  # fmt: skip
