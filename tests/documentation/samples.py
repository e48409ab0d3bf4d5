# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results of every module against the local service, the same each time: the samples of RETURN are parts of them."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import CODES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.account import BESIDE, SUBSETS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.traffic import TrafficInfo

from tests.fake_service import LocalService
from tests.fake_service.clock import Clock
from tests.fake_service.credentials import Permission
from tests.support.module_run import ACCOUNT, ZONE, run_main

MOMENT = datetime(2026, 3, 1, 9, 15, 2, 310412, UTC)
READER = "reader"  # a token that may not write
NOBODY = "nobody"  # a token without any permission
ACCEPTED = {"accept_risks": list(CODES)}
ACCOUNT_STATE: Mapping[str, Any] = {
    "enabled": True,
    "prefixes": [
        {"prefix": "192.0.2.0/24", "comment": "Frankfurt"},
        {"prefix": "192.0.2.128/25", "comment": "laboratory", "excluded": True},
    ],
    "allowlist": [{"prefix": "198.51.100.7/32", "comment": "monitoring probe"}],
    "syn_flood": {
        "rules": [{"scope": "global", "name": "global", "mode": "enabled", "mitigation_type": "challenge"}],
        "filters": [{"expression": "tcp.dstport in {80 443}", "mode": "monitoring"}],
    },
    "out_of_state_tcp": {"rules": [{"scope": "global", "name": "global", "mode": "enabled"}]},
    "dns_rules": [{"scope": "global", "name": "global", "mode": "enabled"}],
    "traffic": [
        {"ipDestinationAddress": "192.0.2.7", "packets": 90_000_000, "sampleInterval": 1000},
        {
            "ipDestinationAddress": "192.0.2.7",
            "packets": 45_000,
            "sampleInterval": 1000,
            "verdict": "drop",
            "mitigationReason": "NOT_FOUND",
        },
        {
            "ipDestinationAddress": "192.0.2.7",
            "packets": 12_000,
            "sampleInterval": 1000,
            "verdict": "drop",
            "mitigationReason": "CHALLENGE_NEEDED",
        },
        {
            "ipDestinationAddress": "192.0.2.53",
            "packets": 4_000_000,
            "sampleInterval": 1000,
            "node": "dns",
        },
        {
            "ipDestinationAddress": "192.0.2.53",
            "packets": 8_000,
            "sampleInterval": 1000,
            "node": "dns",
            "verdict": "drop",
            "mitigationReason": "CHALLENGE",
        },
    ],
}
# Beside the protection, which the modules only read.
ACCESS_RULES = [
    {
        "mode": "whitelist",
        "configuration": {"target": "ip_range", "value": "203.0.113.0/24"},
        "notes": "the office",
    }
]
BESIDE_STATE: Mapping[str, Any] = {
    "onboarded": [
        {
            "id": "2af39739cc4e3b5910c918468bb89828",
            "cidr": "192.0.2.0/24",
            "on_demand_enabled": True,
            "bgp_prefixes": [{"cidr": "192.0.2.0/24", "on_demand": {"advertised": True}}],
        }
    ],
    "access_rules": ACCESS_RULES,
    "audit_log": [
        {
            "method": "POST",
            "uri": f"/accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/allowlist",
            "resource": {"id": "81cfe8ae-9abf-4a3b-8b5c-4c1fd0e7a0c7"},
            "zone": {"id": ZONE},
        }
    ],
    "lists": [
        {
            "id": "2c0fc9fa937b11eaa1b71c4d701ab86e",
            "name": "offices",
            "description": "where our people work",
            "items": [
                {"id": "34b12448945f11eaa1b71c4d701ab86e", "ip": "198.51.100.0/24", "comment": "Berlin"},
                {"id": "7c5dae5552338874e5053f2534d2767a", "ip": "203.0.113.7"},
            ],
        }
    ],
}
RULE, OTHER_RULE = "f2d427378e7542acb295380d352e2ebd", "14217d7bd5ab435e84b1bd468bf4fb9f"
ZONE_STATE: Mapping[str, Any] = {
    "rules": [
        {
            "id": RULE,
            "action": "challenge",
            "priority": 20,
            "description": "scrapers",
            "ref": "scrapers",
            "filter": {
                "id": "b7c9b0f2f0c34f0fa8b6c58a1d2e3f40",
                "expression": "ip.src in {203.0.113.0/24}",
                "description": "known scrapers",
                "ref": "scraper-networks",
            },
        },
        {
            "id": OTHER_RULE,
            "action": "bypass",
            "products": ["waf"],
            "filter": {"id": "c1f0b2ad54ab4a6e9f8a7b6c5d4e3f21", "expression": "ip.src in {192.0.2.0/24}"},
        },
    ],
    "custom_rules": [
        {
            "ref": "office",
            "action": "skip",
            "action_parameters": {"ruleset": "current"},
            "expression": "ip.src in {192.0.2.0/24}",
            "description": "the office passes",
        },
        {"ref": "login", "action": "managed_challenge", "expression": 'http.request.uri.path eq "/login"'},
    ],
}

RULESETS_STATE: Mapping[str, Any] = {  # by module
    "ddos_l4_overrides": [
        {
            "ref": "calm",
            "action": "execute",
            "expression": "ip.dst in {203.0.113.0/24}",
            "description": "load tests",
            "action_parameters": {
                "id": "3b64149bfa6e4220bbbc2bd6db589552",
                "overrides": {
                    "action": "block",
                    "sensitivity_level": "medium",
                    "categories": [{"category": "dns", "sensitivity_level": "low"}],
                    "rules": [{"id": "8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10", "action": "log"}],
                },
            },
        },
        {
            "ref": "quiet",
            "action": "execute",
            "expression": "true",
            "action_parameters": {"id": "3b64149bfa6e4220bbbc2bd6db589552", "overrides": {"sensitivity_level": "low"}},
        },
    ],
    "ddos_l7_overrides": [
        {
            "ref": "calm",
            "action": "execute",
            "expression": 'http.request.uri.path eq "/upload"',
            "description": "load tests",
            "action_parameters": {
                "id": "4d21379b4f9f4bb088e0729962c8b3cf",
                "overrides": {
                    "action": "block",
                    "sensitivity_level": "medium",
                    "categories": [{"category": "generic", "sensitivity_level": "low"}],
                    "rules": [{"id": "fdfdac75430c4c47a959592f0aa5e68a", "action": "log"}],
                },
            },
        },
        {
            "ref": "quiet",
            "action": "execute",
            "expression": "true",
            "action_parameters": {"id": "4d21379b4f9f4bb088e0729962c8b3cf", "overrides": {"sensitivity_level": "low"}},
        },
    ],
    "network_firewall_rules": [
        {
            "ref": "monitoring",
            "action": "skip",
            "action_parameters": {"ruleset": "current"},
            "expression": "ip.src in {198.51.100.0/24}",
            "description": "the monitoring passes",
        },
        {"ref": "telnet", "action": "block", "expression": "tcp.dstport in {23 2323}"},
    ],
}
OF_A_LIST = [  # rules that refer to a list
    {**rule, "expression": "ip.src in $offices"} if rule["ref"] == "monitoring" else rule
    for rule in RULESETS_STATE["network_firewall_rules"]
]
AREAS = ("protection", "firewall", "waf", "network_firewall", "ddos_l4", "ddos_l7", "lists")
TOKENS: dict[str, Permission] = {READER: "read", NOBODY: "none"}

# What each module is asked for, in this order. The last request is made again to be refused and to be interrupted.
REQUESTS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "tcp_protection_status": [{"enabled": False, **ACCEPTED}],
    "protected_prefixes": [
        {
            "prefixes": [
                {"prefix": "192.0.2.0/24", "comment": "Frankfurt, building 2"},
                {"prefix": "192.0.2.64/28", "comment": "load tests", "excluded": True},
                {"prefix": "192.0.2.128/25", "expires": "2026-02-28"},
            ],
            **ACCEPTED,
        }
    ],
    "allowlist_entry": [
        {"prefix": "198.51.100.7", "expires": "2026-02-28", **ACCEPTED},
        {"prefix": "203.0.112.0/23", "comment": "payment provider", **ACCEPTED},
    ],
    "allowlist": [
        {
            "entries": [
                {"prefix": "203.0.112.0/23", "comment": "payment provider"},
                {"prefix": "198.51.100.7", "expires": "2026-02-28"},
            ],
            **ACCEPTED,
        }
    ],
    "protection_rule": [
        {"kind": "syn_flood", "scope": "region", "name": "WEUR", "mode": "enabled", "staged_rollout": True, **ACCEPTED},
        {"kind": "syn_flood", "scope": "region", "name": "WEUR", "mode": "enabled", **ACCEPTED},
    ],
    "dns_protection_rule": [
        {"scope": "region", "name": "WEUR", "mode": "enabled", "staged_rollout": True, **ACCEPTED},
        {"scope": "region", "name": "WEUR", "mode": "enabled", **ACCEPTED},
    ],
    "protection_filter": [
        {
            "kind": "syn_flood",
            "expression": "tcp.dstport in {22}",
            "mode": "enabled",
            "staged_rollout": True,
            **ACCEPTED,
        },
        {"kind": "syn_flood", "expression": "tcp.dstport in {22}", "mode": "enabled", **ACCEPTED},
    ],
    "account_protection": [
        {
            "prefixes": [{"prefix": "192.0.2.64/28", "comment": "load tests", "excluded": True}],
            "allowlist": [{"prefix": "198.51.100.7", "expires": "2026-02-28"}],
            "rules": [{"kind": "syn_flood", "scope": "region", "name": "WEUR", "mode": "enabled"}],
            "dns_rules": [{"scope": "global"}],
            "expectations": [
                {
                    "description": "SSH is mitigated",
                    "packet": {
                        "destination": "192.0.2.7",
                        "destination_port": 22,
                        "source": "203.0.113.9",
                        "region": "EEUR",
                    },
                    "expect": "mitigated",
                }
            ],
            "staged_rollout": True,
            **ACCEPTED,
        }
    ],
    "ip_list": [
        {
            "name": "offices",
            "items": [{"ip": "198.51.100.0/24", "comment": "Hamburg"}, {"ip": "203.0.113.7", "expires": "2026-02-28"}],
        },
        {"name": "offices", "items": [], "purge": True, **ACCEPTED},
    ],
    "ip_lists": [
        {
            "lists": [
                {"name": "offices", "items": [{"ip": "203.0.113.7", "expires": "2026-02-28"}]},
                {"name": "scrapers"},
            ]
        },
        {"lists": [{"name": "offices", "items": []}], "state": "exact", **ACCEPTED},
    ],
    "firewall_rules": [
        {"rules": [{"id": RULE, "action": "block", "filter": {"expression": "ip.src in {203.0.112.0/23}"}}]},
        {"rules": [{"id": RULE, "action": "block"}, {"id": OTHER_RULE, "paused": True}]},
        {"rules": [{"id": RULE, "action": "log"}, {"id": OTHER_RULE, "paused": False}], **ACCEPTED},
    ],
    "custom_rules": [
        {
            "rules": [{"ref": "login", "action": "block", "expression": 'http.request.uri.path in {"/login" "/form"}'}],
            "expectations": [
                {
                    "description": "the form is closed",
                    "request": {"source": "203.0.113.9", "path": "/form"},
                    "expect": "blocked",
                }
            ],
        },
        {"rules": [], "state": "exact", **ACCEPTED},
    ],
    **{
        f"ddos_{layer}_overrides": [
            {
                "overrides": [
                    {"ref": "quiet", "sensitivity": "default"},
                    {"ref": "new", "expression": "true", "action": "block"},
                ]
            },
            {
                "overrides": [{"ref": "calm", "sensitivity": "eoff", "rules": [{"id": rule, "action": "block"}]}],
                "state": "exact",
                **ACCEPTED,
            },
            {"overrides": [], "state": "exact", **ACCEPTED},
        ]
        for layer, rule in (("l4", "8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10"), ("l7", "fdfdac75430c4c47a959592f0aa5e68a"))
    },
    "network_firewall_rules": [
        {
            "rules": [
                {"ref": "reflection", "action": "block", "expression": "udp.srcport in {123 389 1900}"},
                {"ref": "telnet", "expression": "tcp.dstport in {23 2323 5555}"},
            ],
            "expectations": [
                {
                    "description": "NTP answers do not reach the shop",
                    "packet": {
                        "destination": "203.0.113.10",
                        "source": "192.0.2.7",
                        "protocol": "udp",
                        "source_port": 123,
                    },
                    "expect": "blocked",
                }
            ],
        },
        {"rules": [], "state": "exact", **ACCEPTED},
    ],
    "protection_info": [
        {"covers": ["192.0.2.0/24"], "gather_subset": [*SUBSETS, *BESIDE], "changes_hours": 24},
        {"gather_subset": ["prefixes"]},
    ],
    "protection_traffic_info": [{"call_budget": 0}],
    "firewall_rules_info": [{}],
    "custom_rules_info": [{"access_rules": True, "changes_hours": 24}],
}


def sampled_results(module: str, service: LocalService) -> list[dict[str, Any]]:
    """The results of a module's requests, and of the last one once more: refused, and with an answer that is lost."""
    owner = {"zone_id": ZONE} if MODULE_SPECS[module].owner == "zone_id" else {"account_id": ACCOUNT}
    shared = {**owner, "base_url": service.base_url, "api_token": service.token}
    last = {**shared, **REQUESTS[module][-1]}
    with _the_same_each_time():
        prepare(service, module)
        results = [_run(module, {**shared, **request}) for request in REQUESTS[module]]
        prepare(service, module)
        if isinstance(MODULE_SPECS[module], TrafficInfo):  # what it does not learn is no failure
            return results
        token = READER if MODULE_SPECS[module].writes else NOBODY
        results.append(_run(module, {**last, "api_token": token}, fails=True))
        if MODULE_SPECS[module].writes:
            _lose_the_last_answer(service, module, last)
            results.append(_run(module, {**last, "retries": 0}, fails=True))
    return results


def _lose_the_last_answer(service: LocalService, module: str, options: Mapping[str, Any]) -> None:
    """From now on the answer to the last change is lost, and the state cannot be read again."""
    prepare(service, module)
    _run(module, options)
    reads, writes = len(service.calls) - len(service.writes), len(service.writes)
    prepare(service, module)
    service.misbehave("lost_after", method="POST|PUT|PATCH|DELETE", skip=writes - 1)
    service.misbehave("status", method="GET", status=503, skip=reads)


def prepare(service: LocalService, module: str) -> None:
    """One account and one zone, and two tokens that are not allowed everything."""
    service.reset()
    for token, permission in TOKENS.items():
        service.add_token(token, **dict.fromkeys(AREAS, permission))
    service.account(ACCOUNT).seed(**ACCOUNT_STATE, **BESIDE_STATE)
    service.zone(ZONE).seed(**ZONE_STATE, access_rules=ACCESS_RULES, account_id=ACCOUNT)
    if module in ("ip_list", "ip_lists"):
        service.account(ACCOUNT).seed(network_firewall_rules=OF_A_LIST)
    if module in RULESETS_STATE:  # the ids of all other samples stay as they are
        of_zone = MODULE_SPECS[module].owner == "zone_id"
        owner = service.zone(ZONE) if of_zone else service.account(ACCOUNT)
        owner.seed(**{module: RULESETS_STATE[module]})


def _run(module: str, options: Mapping[str, Any], fails: bool = False) -> dict[str, Any]:
    result = run_main(module, options, verbose=True)
    if result.get("failed", False) is not fails:
        raise ValueError(f"{module}: {result.get('msg', 'it did not fail')}")
    return result


@contextmanager
def _the_same_each_time() -> Iterator[None]:
    """Cloudflare's clock stands still, and the ids that it gives come in the same order."""
    numbers = random.Random(1)

    def next_id() -> uuid.UUID:
        return uuid.UUID(int=numbers.getrandbits(128), version=4)

    with patch.object(Clock, "now", lambda clock: MOMENT), patch("uuid.uuid4", next_id):
        yield
