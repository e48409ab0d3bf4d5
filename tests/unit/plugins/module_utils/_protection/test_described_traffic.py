# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What protects less than described is what lets traffic pass that the described state stops: by a table of what exists
and what is described."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import Diagrams

from tests.support.changes import weaker_in

ZONE = [{"name": "shop.example", "plan": {"legacy_id": "enterprise"}}]
ADMIN, LOGIN, HEADER = (
    'http.request.uri.path eq "/admin"',
    'http.request.uri.path eq "/login"',
    "len(http.user_agent) gt 3",
)
NETWORK, HALF = "ip.src in {203.0.113.0/24}", "ip.src in {203.0.113.0/25}"
RULESET = "efb7b8c949ac4650a09736fc376e9aee"


def rule(expression: str, ref: str = "a", action: str = "block", **values: Any) -> dict[str, Any]:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **values}


def skip(expression: str, ref: str = "s", **parameters: Any) -> dict[str, Any]:
    return rule(expression, ref, "skip", action_parameters=parameters or {"ruleset": "current"})


DEPLOY = rule("true", "managed", "execute", action_parameters={"id": RULESET})
EXCEPTION = skip(ADMIN, rules={RULESET: ["c" * 32]})


def zone(*rules: dict[str, Any], **collections: Any) -> dict[str, Any]:
    return {"zone": ZONE, "custom_rules": list(rules), **collections}


def with_list(*addresses: str, rules: list[dict[str, Any]], references: int = 1) -> dict[str, Any]:
    office = {"name": "bad", "kind": "ip", "num_referencing_filters": references}
    return zone(*rules, **{"ip_lists": [office], "items of bad": [{"ip": address} for address in addresses]})


def of_account(*rules: dict[str, Any]) -> dict[str, Any]:
    ruleset = {"id": "b" * 32, "name": "Bots", "kind": "custom", "rules": list(rules)}
    deploy = rule('cf.zone.plan eq "ENT"', "deploy", "execute", action_parameters={"id": "b" * 32})
    return zone(account_custom_rules=[deploy], executed_rulesets=[ruleset])


def packets(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"network_firewall_rules": list(rules)}


def managed(*rules: dict[str, Any]) -> dict[str, Any]:
    return zone(managed_rules=[*rules, DEPLOY])


def limit(requests: int, ref: str = "l", expression: str = LOGIN) -> dict[str, Any]:
    counted = {"characteristics": ["ip.src"], "period": 60, "requests_per_period": requests, "mitigation_timeout": 60}
    return rule(expression, ref, ratelimit=counted)


OPENS_NOTHING: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("another ref", zone(rule(ADMIN, "old")), zone(rule(ADMIN))),
    ("another ref beside it", zone(rule(ADMIN, "old")), zone(rule(ADMIN, "old"), rule(ADMIN))),
    ("split by or", zone(rule(ADMIN, "b"), rule(LOGIN, "c")), zone(rule(f"{ADMIN} or {LOGIN}"))),
    ("merged", zone(rule(f"{ADMIN} or {LOGIN}", "b")), zone(rule(ADMIN), rule(LOGIN, "c"))),
    ("a block behind a wider one", zone(rule(NETWORK)), zone(rule(NETWORK), rule(f"{HALF} and {ADMIN}", "b"))),
    ("a narrower block beside a wider one", zone(rule(NETWORK), rule(HALF, "b")), zone(rule(NETWORK), rule(NETWORK, "b"))),
    ("a log behind a block", zone(rule(NETWORK), rule(HALF, "b", "log")), zone(rule(NETWORK), rule(HALF, "b"))),
    ("a dead skip", zone(rule(ADMIN), skip(ADMIN)), zone(rule(ADMIN))),
    ("no dead skip", zone(rule(ADMIN)), zone(rule(ADMIN), skip(ADMIN))),
    ("a field of which nothing is known, with another ref", zone(rule(HEADER, "old")), zone(rule(HEADER))),
    ("a list written out", zone(rule(NETWORK)), with_list("203.0.113.0/24", rules=[rule("ip.src in $bad")])),
    ("an item that is in another one", with_list("203.0.113.0/24", rules=[rule("ip.src in $bad")]),
     with_list("203.0.113.0/24", "203.0.113.7", rules=[rule("ip.src in $bad")])),
    ("a list that is not read", zone(rule("ip.src in $odd", "old")), zone(rule("ip.src in $odd"))),
    ("a rule of an account's ruleset with another ref", of_account(rule(ADMIN, "old")), of_account(rule(ADMIN))),
    ("a prefix of the Network Firewall, split", packets(rule("ip.src in {192.0.2.0/25}", "b"), rule("ip.src in {192.0.2.128/25}", "c")),
     packets(rule("ip.src in {192.0.2.0/24}"))),
    ("an exception of a rule behind the deployment", zone(managed_rules=[DEPLOY, EXCEPTION]), managed()),
    ("a limit with another ref", zone(rate_limit_rules=[limit(9, "old")]), zone(rate_limit_rules=[limit(9)])),
]  # fmt: skip
OPENS: list[tuple[str, dict[str, Any], dict[str, Any], str, bool, str]] = [
    ("missing", zone(), zone(rule(ADMIN)), "a", True, "does not exist"),
    ("missing beside another one", zone(rule(LOGIN, "b")), zone(rule(ADMIN), rule(LOGIN, "b")), "a", True, "does not exist"),
    ("missing, and there are two", zone(), zone(rule(NETWORK), rule(HALF, "b")), "a", True, "does not exist"),
    ("narrowed", zone(rule(HALF)), zone(rule(NETWORK)), "a", True, "matches fewer requests than described"),
    ("a part of a split rule is missing", zone(rule(ADMIN, "b")), zone(rule(f"{ADMIN} or {LOGIN}")), "a", True, "does not exist"),
    ("a field of which nothing is known", zone(rule(HEADER)), zone(rule(ADMIN)), "a", False, "may match fewer requests than described"),
    ("a challenge in place of a block", zone(rule(ADMIN, action="challenge")), zone(rule(ADMIN)), "a", True,
     "has the action challenge, and the baseline says block"),
    ("a skip by hand in front", zone(skip(ADMIN), rule(ADMIN)), zone(rule(ADMIN)), "s", True, "lets requests pass that custom rule a would stop"),
    ("a skip in front that was behind", zone(skip(ADMIN), rule(ADMIN)), zone(rule(ADMIN), skip(ADMIN)), "s", True,
     "lets requests pass that custom rule a would stop"),
    ("an item is missing", with_list("203.0.113.7", rules=[rule("ip.src in $bad")]),
     with_list("203.0.113.7", "203.0.113.9", rules=[rule("ip.src in $bad")]), "bad", True,
     "lacks 203.0.113.9, otherwise than described, and makes the custom rule a stop fewer requests"),
    ("a rule of an account's ruleset is missing", of_account(), of_account(rule(ADMIN)), "a of the ruleset Bots of the account", True, "does not exist"),
    ("a prefix of the Network Firewall is narrowed by port", packets(rule("ip.src in {192.0.2.0/24} and tcp.dstport eq 22")),
     packets(rule("ip.src in {192.0.2.0/24}")), "a", True, "matches fewer packets than described"),
    ("an exception of a rule in front of the deployment", managed(EXCEPTION), managed(), "s", True,
     "lets requests pass that rule for managed rules managed would stop"),
    ("an exception of a rule in front that was behind", managed(EXCEPTION), zone(managed_rules=[DEPLOY, EXCEPTION]), "s", True,
     "lets requests pass that rule for managed rules managed would stop"),
    ("a looser limit", zone(rate_limit_rules=[limit(90)]), zone(rate_limit_rules=[limit(9)]), "l", True,
     "takes 90 requests in 60 s, and not 9 in 60 s"),
    ("an action that nobody knows", zone(rule(ADMIN, action="odd")), zone(rule(ADMIN)), "a", True, "has the action odd, and the baseline says block"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("existing", "described"), [row[1:] for row in OPENS_NOTHING], ids=[row[0] for row in OPENS_NOTHING]
)
def test_rules_that_open_nothing_protect_no_less(existing: dict[str, Any], described: dict[str, Any]) -> None:
    assert weaker_in(existing, described) == []


@pytest.mark.parametrize(
    ("existing", "described", "key", "certain", "reason"), [row[1:] for row in OPENS], ids=[row[0] for row in OPENS]
)
def test_rules_that_let_traffic_pass_protect_less(
    existing: dict[str, Any], described: dict[str, Any], key: str, certain: bool, reason: str
) -> None:
    record = weaker_in(existing, described)[0]
    assert (record["key"], record["certain"], record["reason"]) == (key, certain, reason)


def test_what_cannot_be_compared_is_never_as_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Diagrams, "MOST_STEPS", 0)
    one, other = zone(rule(f"{ADMIN} or {LOGIN}")), zone(rule(ADMIN), rule(f"{LOGIN} or {HALF}", "b"))
    assert [(record["key"], record["reason"]) for record in weaker_in(other, one)] == [
        ("a", "may match fewer requests than described")
    ]
    (record,) = weaker_in(
        zone(rule(ADMIN, "b"), rule(LOGIN), rule(HALF)), zone(rule(LOGIN), rule(HALF), rule(ADMIN, "b"))
    )
    assert (record["certain"], record["reason"]) == (
        False,
        "may let traffic pass that is stopped under the baseline, since the traffic of custom rule b cannot be"
        " compared: too many to compare",
    )
