# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter evaluate: the same answers as the modules', from their results and from variables, and sentences for mistakes."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.protection.plugins.filter.evaluate import FilterModule, evaluate
from ansible_collections.edgeops.protection.plugins.module_utils._specs.info import DEFAULT_SUBSETS

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules

RULES: list[dict[str, Any]] = [
    {"ref": "waf", "action": "skip", "expression": "true", "action_parameters": {"products": ["waf"]}},
    {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'},
]
NTP = {"packet": {"destination": "192.0.2.1", "source_port": 123, "protocol": "udp"}}


def test_requests_are_decided_by_the_rules_of_a_result(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(custom_rules=RULES)
    blocked = {"actual": "blocked", "rule": "admin", "reasons": [], "skips": ["products waf"]}
    assert evaluate(modules.done("custom_rules_info"), request={"path": "/admin"}) == blocked
    assert evaluate(RULES, request={"path": "/admin"}) == blocked
    assert evaluate(RULES, request={"source": "192.0.2.1"})["reasons"] == [
        "rule admin: the field http.request.uri.path is not given (path)"
    ]


def test_all_traffic_is_asked_for() -> None:
    every = 'http.request.uri.path in {"/admin" "/login"}'
    answer = evaluate(RULES, every=every)
    assert (answer["met"], answer["actual"], answer["rule"], answer["example"]["path"]) == (
        False,
        "allowed",
        None,
        "/login",
    )
    assert evaluate(RULES, every='http.request.uri.path eq "/admin"', expect="blocked")["met"] is True
    ntp = [{"ref": "ntp", "action": "block", "expression": "udp.srcport eq 123"}]
    of_packets: Any = {"traffic": "packets", "network_firewall": ntp}
    assert evaluate([], every="udp.srcport eq 123", **of_packets)["met"] is True
    assert evaluate([], every="udp.srcport eq 124", **of_packets)["example"]["source_port"] == 124
    with pytest.raises(AnsibleFilterError, match="every: nothing matches the expression"):
        evaluate(RULES, every="ssl and not ssl")


def test_rules_of_the_account_and_rulesets_are_evaluated() -> None:
    execute = {"action": "execute", "expression": 'cf.zone.plan eq "ENT"', "action_parameters": {"id": "a" * 32}}
    blocks = {"ref": "bots", "action": "block", "expression": 'http.request.uri.path eq "/bots"'}
    given: Any = {
        "account_rules": [{"ref": "deploy", **execute}],
        "rulesets": [{"id": "a" * 32, "name": "B", "rules": [blocks]}],
    }
    answer = evaluate(RULES, request={"path": "/bots"}, **given)
    assert (answer["actual"], answer["rule"]) == ("blocked", "bots of the ruleset B of the account")
    assert evaluate(RULES, request={"path": "/bots"})["actual"] == "allowed"
    unknown = evaluate([{"ref": "deploy", **execute}], request={"path": "/"})
    assert unknown["actual"] == "undecided"
    with pytest.raises(AnsibleFilterError, match="rulesets: it is a dictionary; write"):
        evaluate(RULES, request={"path": "/"}, rulesets={"x": 1})


def test_packets_are_decided_by_the_account_of_a_result(service: LocalService, modules: Modules) -> None:
    rules = [{"scope": "global", "mode": "enabled"}]
    service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}], syn_flood={"rules": rules})
    answer = evaluate(modules.done("protection_info"), packet={"destination": "192.0.2.1"})
    assert answer["actual"] == {"syn_flood": "mitigated", "out_of_state_tcp": "unprotected"}
    assert answer["rule"] == {"syn_flood": "rule global", "out_of_state_tcp": "no rule"}


def test_packets_meet_the_network_firewall_first(service: LocalService, modules: Modules) -> None:
    firewall = [{"ref": "ntp", "action": "block", "expression": "udp.srcport eq 123 and not ip.src in $clocks"}]
    lists = [{"name": "clocks", "items": [{"ip": "198.51.100.0/24"}]}]
    rules = [{"scope": "global", "mode": "enabled"}]
    prefixes = [{"prefix": "192.0.2.0/24"}]
    seed: dict[str, Any] = {"prefixes": prefixes, "syn_flood": {"rules": rules}, "out_of_state_tcp": {"rules": rules}}
    service.account(ACCOUNT).seed(enabled=True, network_firewall_rules=firewall, lists=lists, **seed)
    account = modules.done("protection_info", gather_subset=["ip_lists", *DEFAULT_SUBSETS])
    known = {"network_firewall": modules.done("network_firewall_rules", True, rules=[]), "lists": account}
    ntp = {"destination": "192.0.2.1", "source_port": 123, "protocol": "udp"}
    for source, actual, rule in (("203.0.113.1", "blocked", "ntp"), ("198.51.100.1", "allowed", None)):
        answer = evaluate(account, packet={**ntp, "source": source}, **known)
        assert (answer["actual"], answer["rule"], answer["reasons"]) == (actual, rule, [])
    unknown = evaluate(account, packet={**ntp, "source": "203.0.113.1"}, network_firewall=known["network_firewall"])
    assert unknown["reasons"] == ["rule ntp: the content of the list $clocks is not known"]
    assert evaluate(account, packet={**ntp, "protocol": "tcp"}, **known)["actual"] == "mitigated"


def test_lists_of_rules_are_known(service: LocalService) -> None:
    rules = [{"ref": "office", "action": "block", "expression": "ip.src in $office"}]
    lists = [{"name": "office", "items": [{"ip": "192.0.2.0/24"}]}, {"name": "empty", "items": None}]
    assert evaluate(rules, request={"source": "192.0.2.1"}, lists=lists)["actual"] == "blocked"
    assert evaluate(rules, request={"source": "192.0.2.1"})["actual"] == "undecided"


@pytest.mark.parametrize(
    ("state", "question", "problem"),
    [
        (RULES, {}, "it takes either a request or a packet, or the expression of every one."),
        (RULES, {"request": "/admin"}, "request: '/admin' is a text; write {key: /admin}."),
        (RULES, {"request": {"path": "admin"}}, "request.path: 'admin' is no path as rules see it after URL normalization: it begins with /, has no"
         " empty, '.' or '..' part,"
         " and escapes only what needs it, in capitals such as %2F."),
        ({"zone_id": "x"}, {"request": {"path": "/"}}, "rules: it is a dictionary; write [{ref: ...}]."),
        ("x", {"request": {"path": "/"}}, "rules: 'x' is a text; write [{ref: x}]."),
        ([{"ref": "a", "actoin": "block"}], {"request": {"path": "/"}}, "rules[0].actoin: there is no such field (did you mean action?)."),
        (["x"], {"request": {"path": "/"}}, "rules[0]: 'x' is a text; write {ref: x}."),
        ({}, {"packet": {"destination": "192.0.2.1"}}, "account: it says nothing of status, prefixes, allowlist, rules, filters, dns_rules."),
        ({"enabled": True}, {**NTP, "network_firewall": {}}, "network_firewall: it is a dictionary; write [{ref: ...}]."),
        ({"enabled": True}, {**NTP, "network_firewall": ["x"]}, "network_firewall[0]: 'x' is a text; write {ref: x}."),
        ({"enabled": True}, {**NTP, "network_firewall": 7, "lists": 1},
         "2 errors: (1) network_firewall: 7 is a number; write [{ref: ...}]; (2) lists: 1 is a number; write [{name: ...}]."),
        ({"prefixes": [{"prefx": "x"}]}, {"request": {"hst": "x"}, "packet": {"destination": "y"}, "lists": 1},
         "5 errors: (1) lists: 1 is a number; write [{name: ...}]; (2) request.hst: there is no such field (did you mean host?);"
         " (3) packet.destination: 'y' is no address; (4) it takes either a request or a packet, or the expression of every one;"
         " (5) account.prefixes[0].prefx: there is no such field (did you mean prefix?)."),
        ({"enabled": True}, NTP, "packet: no component sees such a packet; DNS protection sees port 53."),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_a_sentence(state: Any, question: dict[str, Any], problem: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        evaluate(state, **question)
    assert caught.value.message == f"edgeops.protection.evaluate: {problem}"
    assert FilterModule().filters() == {"evaluate": evaluate}
