# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random states of a zone and its account, and what the report says of the zone in each of three inventories: alone, beside the
host of its account, and as one host with it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from tests.fake_service import LocalService
from tests.support.host_parts import LOGIN_LIMIT, host
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.reported_host import reported_together

SAID = (
    *("status", "reasons", "traffic_changes", "risks", "operations", "unmanaged", "enforces", "not_served"),
    *("expectations", "ineffective", "not_evaluated", "accepted_statuses"),
)
LISTS: Mapping[str, Sequence[str]] = {
    "office": ["198.51.100.0/24"],
    "none": [],
    "half": [f"{first}.0.0.0/8" for first in range(1, 128)],
    "world": [f"{first}.0.0.0/8" for first in range(1, 224)],
}
PATHS = (
    'http.request.uri.path eq "/admin"',
    'starts_with(http.request.uri.path, "/a")',
    "true",
    'http.host eq "shop.example"',
)
PLANS = ("free", "pro", "business", "enterprise")
MANAGED = {
    "ref": "managed",
    "action": "execute",
    "expression": "true",
    "action_parameters": {"id": "efb7b8c949ac4650a09736fc376e9aee"},
}


def expression(chance: random.Random, names: Sequence[str]) -> str:
    """An expression by a path or a list, or both."""
    by_list = [f"ip.src in ${name}" for name in names] or ["ip.src eq 192.0.2.1"]
    path, source = chance.choice(PATHS), chance.choice(by_list)
    return chance.choice([path, source, f"{path} and {source}", f"{path} and not {source}"])


def rules(chance: random.Random, names: Sequence[str], prefix: str, most: int) -> list[dict[str, Any]]:
    """Some rules that block, log, challenge, or skip something."""
    made = []
    for number in range(chance.randint(0, most)):
        action = chance.choice(["block", "block", "managed_challenge", "skip", "skip"])
        rule = {"ref": f"{prefix}{number}", "action": action, "expression": expression(chance, names)}
        skipped = [
            {"ruleset": "current"},
            {"phases": ["http_ratelimit"]},
            {"phases": ["http_request_firewall_managed"]},
        ]
        made.append({**rule, "action_parameters": chance.choice(skipped)} if action == "skip" else rule)
    return made


def of_account(chance: random.Random, names: Sequence[str]) -> dict[str, Any]:
    """The rulesets of an account, and the rules that deploy them."""
    rulesets, deploying = [], []
    for number in range(chance.randint(0, 2)):
        identity = f"{number + 1}" * 32
        rulesets.append({"name": f"of_account{number}", "id": identity, "rules": rules(chance, names, "account", 2)})
        deploy = {"ref": f"deploy{number}", "action": "execute", "action_parameters": {"id": identity}}
        deploying.append(
            {**deploy, "expression": chance.choice(['cf.zone.plan eq "ENT"', 'cf.zone.plan eq "ENT" and true'])}
        )
    return {"custom_rulesets": rulesets, "custom_rules": deploying or None}


def seeded(service: LocalService, chance: random.Random) -> list[dict[str, Any]]:
    """The variables of the zone and of the account, after the service has a random state of both."""
    names = sorted(chance.sample(sorted(LISTS), chance.randint(0, len(LISTS))))
    lists = [{"name": name, "items": [{"ip": address} for address in LISTS[name]]} for name in names]
    service.account(ACCOUNT).seed(
        **{"entitled": False, "dns_entitled": False, "lists": lists, **of_account(chance, names)},
        firewall_entitled=chance.random() < 0.5,
        network_firewall_rules=[{"ref": "udp", "action": "block", "expression": "udp"}]
        if chance.random() < 0.5
        else None,
    )
    custom_rules = rules(chance, names, "r", 4)
    service.zone(ZONE).seed(
        account_id=ACCOUNT,
        name="shop.example",
        plan=chance.choice(PLANS),
        custom_rules=custom_rules,
        status=chance.choice(["active"] * 8 + ["pending", "moved"]),
        managed_rules=[MANAGED] if chance.random() < 0.5 else None,
        rate_limit_rules=[LOGIN_LIMIT] if chance.random() < 0.5 else None,
    )
    described = [rule for rule in custom_rules if rule["action"] != "skip" or chance.random() < 0.5]
    more = rules(chance, names, "new", 1)
    zone: dict[str, Any] = {"baseline_custom_rules": [*described, *more], "baseline_accept_risks": []}
    if chance.random() < 0.5:
        zone["baseline_rate_limit_rules"] = [LOGIN_LIMIT]
    if chance.random() < 0.5:
        zone["baseline_managed_rules"] = [MANAGED]
    names_lists = (
        "world" not in names and chance.random() < 0.5
    )  # a list with everything is no hole where it is described
    return [zone, {"baseline_ip_lists": [{**each, "purge": True} for each in lists]} if names_lists else {}]


def said(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in SAID}


def check_parity(number: int) -> str:
    """The status of the zone in the state with this number, which is the same in each inventory."""
    with LocalService() as service:
        of_zone, of_its_account = seeded(service, random.Random(number))
        shared = {**host(service), **of_zone}
        zone, whole = {**shared, "edge_account_id": None}, {**shared, **of_its_account}
        account = {**host(service), "edge_zone_id": None, **of_its_account}
        alone = reported_together({"shop": zone})["shop"]
        beside_account = reported_together({"lima": account, "shop": zone})["shop"]
        as_one = reported_together({"shop": whole})["shop"]
    assert said(beside_account) == said(alone)
    assert beside_account["planned"] == alone["planned"]
    assert said(as_one) == said(alone)
    return str(alone["status"])
