# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each fault at each kind of call: what the user sees, and the state of the service afterwards. Writes faults.md beside this file.

`python -m tests.functional.test_faults` runs every pair against the local service and prints the page.
"""

from __future__ import annotations

from tests.functional.idempotence_cases import PER_ADDRESS, RULE_1, RULE_2
from tests.support.misbehaviour import Call, Misbehaviour

FAULTS = (
    Misbehaviour("The connection breaks before the service applies the request", "lost_before"),
    Misbehaviour("The service applies the request, and the connection breaks before the response", "lost_after"),
    Misbehaviour("The response breaks off in the middle of its body", "cut_body"),
    Misbehaviour("The response is JSON cut in half", "truncated"),
    Misbehaviour("The response has no body", "empty"),
    Misbehaviour("An edge page in HTML, HTTP 522", "html"),
    Misbehaviour("The service fails, HTTP 500", "status", {"status": 500}),
    Misbehaviour("The service applies the request, and responds with HTTP 502", "status_after"),
    Misbehaviour("Too many calls, HTTP 429 with Retry-After of 10 seconds", "status", {"status": 429, "headers": {"Retry-After": "10"}}),
    Misbehaviour("Too many calls, HTTP 429 with Retry-After of 300 seconds", "status", {"status": 429, "headers": {"Retry-After": "300"}}),
    Misbehaviour("No permission, HTTP 403", "status", {"status": 403, "errors": [{"code": 10000, "message": "Authentication error"}]}),
    Misbehaviour("A conflict, HTTP 409", "status", {"status": 409, "errors": [{"code": 10409, "message": "It exists already"}]}),
    Misbehaviour("HTTP 200 with success false", "success_false_200"),
    Misbehaviour("A redirect to another host", "redirect", {"location": "https://elsewhere.example.net/"}),
)  # fmt: skip
RATE_LIMIT = {"ref": "new", "action": "block", "expression": "ssl", "ratelimit": PER_ADDRESS}
RULE = {"action": "block", "expression": "ip.len lt 40"}
TWO = [{"prefix": "192.0.2.0/24"}, {"prefix": "2001:db8::/32"}]
CALLS = (
    Call("read a listing", "GET", "allowlist_entry", {"prefix": "10.0.0.1"}),
    Call("create one object", "POST", "allowlist_entry", {"prefix": "10.0.0.1"}),
    Call("add in bulk", "POST", "protected_prefixes", {"prefixes": TWO}),
    Call("change one object", "PATCH", "allowlist_entry", {"prefix": "198.51.100.7", "comment": "new"}),
    Call("delete one object", "DELETE", "allowlist_entry", {"prefix": "198.51.100.7", "state": "absent"}),
    Call("update a batch of firewall rules", "PUT", "firewall_rules",
         {"rules": [{"id": RULE_1, "action": "block"}, {"id": RULE_2, "paused": True}]}),
    Call("add items to a list", "POST", "ip_list", {"name": "offices", "items": [{"ip": "192.0.2.2"}, {"ip": "192.0.2.3"}]}),
    Call("remove items from a list", "DELETE", "ip_list", {"name": "offices", "items": [{"ip": "192.0.2.1"}], "state": "absent"}),
    Call("replace Network Firewall rules", "PUT", "network_firewall_rules", {"rules": [{**RULE, "ref": ref} for ref in "abcd"]}),
    Call("add a Network Firewall rule", "POST", "network_firewall_rules", {"rules": [{**RULE, "ref": "new"}]}),
    Call("create a custom ruleset", "POST", "custom_ruleset",
         {"name": "Robots", "rules": [{"ref": "new", "action": "block", "expression": "ssl"}]}),
    Call("deploy a custom ruleset", "PUT", "custom_ruleset", {"name": "Bots", "deploy": {"expression": "not ssl"}}),
    Call("replace rate limiting rules", "PUT", "rate_limit_rules", {"rules": [RATE_LIMIT]}),
    Call("change a managed rule", "PATCH", "managed_rules", {"rules": [{"ref": "scanner", "description": "new"}]}),
    Call("change a DDoS override of an account", "PATCH", "ddos_l4_overrides", {"overrides": [{"ref": "calm", "sensitivity": "default"}]}),
    Call("delete a DDoS override of a zone", "DELETE", "ddos_l7_overrides",
         {"overrides": [{"ref": "upload"}], "state": "absent", "accept_risks": ["weakens_ddos_rules"]}),
    Call("change a setting of a zone", "PATCH", "security_level", {"level": "high"}),
)  # fmt: skip
