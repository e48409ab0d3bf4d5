# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic that two states treat differently, by a table: nothing, traffic that passes, traffic that is stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
from ansible_collections.edgeops.protection.plugins.module_utils._protection.traffic_changes import TrafficChange

from tests.support.work import calls_of

ZONE = [{"name": "shop.example", "plan": {"legacy_id": "enterprise"}}]


def rule(expression: str, action: str = "block", ref: str = "a", **values: Any) -> dict[str, Any]:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **values}


def skip(expression: str, ref: str = "s", **parameters: Any) -> dict[str, Any]:
    return rule(expression, "skip", ref, action_parameters=parameters or {"ruleset": "current"})


def zone(*rules: dict[str, Any], **collections: Any) -> dict[str, Any]:
    return {"zone": ZONE, "custom_rules": list(rules), **collections}


def with_list(*addresses: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    items = [{"ip": address} for address in addresses]
    return zone(*rules, **{"ip_lists": [{"name": "bad", "kind": "ip"}], "items of bad": items})


def with_ruleset(*rules: dict[str, Any]) -> dict[str, Any]:
    ruleset = {"id": "b" * 32, "name": "Bots", "kind": "custom", "rules": list(rules)}
    deploy = rule("true", "execute", "deploy", action_parameters={"id": "b" * 32})
    return zone(deploy, executed_rulesets=[ruleset])


ADMIN, LOGIN, NETWORK = 'http.request.uri.path eq "/admin"', 'http.request.uri.path eq "/login"', "203.0.113.0/24"
FROM_NETWORK = f"ip.src in {{{NETWORK}}}"
HALVES = ("ip.src in {203.0.113.0/25}", "ip.src in {203.0.113.128/25}")
NEITHER = [
    ("another ref", zone(rule(ADMIN)), zone(rule(ADMIN, ref="b"))),
    ("split by or", zone(rule(f"{ADMIN} or {LOGIN}")), zone(rule(ADMIN), rule(LOGIN, ref="b"))),
    ("merged", zone(rule(ADMIN), rule(LOGIN, ref="b")), zone(rule(f"{ADMIN} or {LOGIN}"))),
    ("split by network", zone(rule(FROM_NETWORK)), zone(rule(HALVES[0]), rule(HALVES[1], ref="b"))),
    (
        "split by the items of a set",
        zone(rule('http.host in {"a.example" "b.example"}')),
        zone(rule('http.host eq "a.example"'), rule('http.host eq "b.example"', ref="b")),
    ),
    (
        "rules that no request matches both, exchanged",
        zone(rule(ADMIN), rule(LOGIN, "managed_challenge", "b")),
        zone(rule(LOGIN, "managed_challenge", "b"), rule(ADMIN)),
    ),
    (
        "a block behind a wider block removed",
        zone(rule(FROM_NETWORK), rule(f"{FROM_NETWORK} and {ADMIN}", ref="b")),
        zone(rule(FROM_NETWORK)),
    ),
    ("De Morgan", zone(rule(f"not ({ADMIN} or ssl)")), zone(rule(f"not {ADMIN} and not ssl"))),
    ("a skip replaced by and not", zone(skip(HALVES[0]), rule(ADMIN)), zone(rule(f"{ADMIN} and not {HALVES[0]}"))),
    ("and not replaced by a skip", zone(rule(f"{ADMIN} and not {HALVES[0]}")), zone(skip(HALVES[0]), rule(ADMIN))),
    ("a dead skip removed", zone(rule(ADMIN), skip(ADMIN)), zone(rule(ADMIN))),
    (
        "a list written out",
        with_list(NETWORK, rules=[rule("ip.src in $bad")]),
        with_list(NETWORK, rules=[rule(FROM_NETWORK)]),
    ),
    (
        "a network as a list",
        with_list(NETWORK, rules=[rule(FROM_NETWORK)]),
        with_list(NETWORK, rules=[rule("ip.src in $bad")]),
    ),
    ("another kind of challenge", zone(rule(ADMIN, "challenge")), zone(rule(ADMIN, "js_challenge"))),
    (
        "a path behind its beginning removed",
        zone(
            rule('starts_with(http.request.uri.path, "/admin")'), rule('http.request.uri.path eq "/admin/x"', ref="b")
        ),
        zone(rule('starts_with(http.request.uri.path, "/admin")')),
    ),
    (
        "an action that nobody knows, elsewhere",
        zone(rule(ADMIN, "x"), rule(LOGIN)),
        zone(rule(ADMIN, "x"), rule(LOGIN, ref="b")),
    ),
    (
        "a list that is not read",
        zone(rule("ip.src in $odd"), rule(ADMIN, ref="b")),
        zone(rule("ip.src in $odd", ref="c"), rule(ADMIN, ref="b")),
    ),
]
PASSING = [
    ("a network narrowed to a half", zone(rule(FROM_NETWORK)), zone(rule(HALVES[0]))),
    (
        "a network narrowed to two with a gap",
        zone(rule(FROM_NETWORK)),
        zone(rule("ip.src in {203.0.113.0/26}"), rule("ip.src in {203.0.113.128/25}", ref="b")),
    ),
    (
        "a part of an or gets a condition",
        zone(rule(f"{ADMIN} or {LOGIN}")),
        zone(rule(f"({ADMIN} and ssl) or {LOGIN}")),
    ),
    ("a skip in front of a block", zone(rule(ADMIN)), zone(skip(FROM_NETWORK), rule(ADMIN))),
    ("two skips that are everything", zone(rule(ADMIN)), zone(skip("ssl"), skip("not ssl", "t"), rule(ADMIN))),
    ("a block turned into log", zone(rule(ADMIN)), zone(rule(ADMIN, "log"))),
    (
        "narrowed to a host that does not exist",
        zone(rule(ADMIN)),
        zone(rule(f'{ADMIN} and http.host eq "nowhere.invalid"')),
    ),
    (
        "a skip widened to a user agent",
        zone(skip(FROM_NETWORK), rule(ADMIN)),
        zone(skip('http.user_agent contains "Mozilla"'), rule(ADMIN)),
    ),
    (
        "an item removed from a list that a block uses",
        with_list(NETWORK, "198.51.100.1", rules=[rule("ip.src in $bad")]),
        with_list(NETWORK, rules=[rule("ip.src in $bad")]),
    ),
    (
        "an item added to a list that a skip uses",
        with_list("198.51.100.1", rules=[skip("ip.src in $bad"), rule(ADMIN)]),
        with_list("198.51.100.1", "203.0.113.9", rules=[skip("ip.src in $bad"), rule(ADMIN)]),
    ),
    (
        "a rule of a ruleset changed",
        with_ruleset(rule(f"{ADMIN} or {LOGIN}", ref="r")),
        with_ruleset(rule(LOGIN, ref="r")),
    ),
    (
        "Network Firewall narrowed by port",
        {"network_firewall_rules": [rule(f"ip.dst in {{{NETWORK}}}")]},
        {"network_firewall_rules": [rule(f"ip.dst in {{{NETWORK}}} and tcp.dstport eq 80")]},
    ),
]
STOPPED = [
    ("a block widened", zone(rule(HALVES[0])), zone(rule(FROM_NETWORK))),
    (
        "an unmanaged block taken to the front",
        zone(skip(FROM_NETWORK), rule(ADMIN)),
        zone(rule(ADMIN), skip(FROM_NETWORK)),
    ),
]
SOFTENED = [
    ("a challenge in front of a block", zone(rule(ADMIN)), zone(rule("ssl", "managed_challenge", "c"), rule(ADMIN)))
]


def ids(rows: list[Any]) -> list[str]:
    return [name for name, *_states in rows]


@pytest.mark.parametrize(("name", "before", "after"), NEITHER, ids=ids(NEITHER))
def test_nothing_differs(name: str, before: Any, after: Any) -> None:
    changes = traffic_difference(before, after)
    assert (changes.passes, changes.stopped, changes.unknown) == ([], [], [])


def check_certain(changes: Sequence[TrafficChange]) -> None:
    assert changes
    for change in changes:
        assert change.certain, change
        assert change.example
        assert change.sources


@pytest.mark.parametrize(("name", "before", "after"), PASSING, ids=ids(PASSING))
def test_traffic_passes_and_nothing_else_differs(name: str, before: Any, after: Any) -> None:
    changes = traffic_difference(before, after)
    check_certain(changes.passes)
    is_moved = name == "a skip widened to a user agent"  # the office is blocked then
    assert (bool(changes.stopped), changes.unknown) == (is_moved, [])
    reverse = traffic_difference(before=after, after=before)
    check_certain(reverse.stopped)
    assert bool(reverse.passes) is is_moved


@pytest.mark.parametrize(("name", "before", "after"), STOPPED, ids=ids(STOPPED))
def test_traffic_is_stopped_and_nothing_else_differs(name: str, before: Any, after: Any) -> None:
    changes = traffic_difference(before, after)
    check_certain(changes.stopped)
    assert (changes.passes, changes.unknown) == ([], [])


def test_an_example_has_the_zone_in_punycode() -> None:
    munich = {"zone": [{**ZONE[0], "name": "münchen.example"}]}
    before, after = ({**munich, "custom_rules": rules} for rules in ([rule(ADMIN)], []))
    (change,) = traffic_difference(before, after).passes
    assert change.example
    assert change.example["host"] == "xn--mnchen-3ya.example"


def firewall(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"network_firewall_rules": list(rules)}


TELNET, GERMAN = rule("tcp.dstport eq 23"), ['ip.src.country eq "DE"', 'ip.geoip.country eq "DE"']


def test_a_skip_for_the_source_becomes_one_for_either_end() -> None:
    narrow, wide = (firewall(skip(expression), TELNET) for expression in GERMAN)
    changes = traffic_difference(narrow, wide)
    check_certain(changes.passes)
    assert (changes.stopped, changes.unknown) == ([], [])
    both_ends = 'ip.dst.country eq "DE" or ip.src.country eq "DE"'
    same = traffic_difference(wide, firewall(skip(both_ends), TELNET))
    assert (same.passes, same.stopped, same.unknown) == ([], [], [])
    in_zone = traffic_difference(*(zone(skip(expression), rule(ADMIN)) for expression in GERMAN))
    assert (in_zone.passes, in_zone.stopped) == ([], [])


UNTIL_80, UDP = "not tcp.dstport in {80}", rule('ip.proto eq "udp"', ref="u")
BY_ROUTING = [
    (
        "a block of the other family behind a negated network",
        [rule("not ip.src in {192.0.2.0/24}"), rule("ip.src in {2001:db8::/32}", ref="six")],
        [rule("not ip.src in {192.0.2.0/24}")],
        "not ip.src in {192.0.2.0/24}",
    ),
    ("a block of UDP that becomes one by a negated port of TCP", [UDP], [{**UDP, "expression": UNTIL_80}], UNTIL_80),
    ("the same by another operator", [UDP], [{**UDP, "expression": "tcp.dstport ne 80"}], "tcp.dstport ne 80"),
    ("a block of UDP behind a negated port of TCP", [rule(UNTIL_80), UDP], [rule(UNTIL_80)], UNTIL_80),
]


@pytest.mark.parametrize(("name", "before", "after", "expression"), BY_ROUTING, ids=[row[0] for row in BY_ROUTING])
def test_traffic_may_pass_by_the_routing_of_the_account(name: str, before: Any, after: Any, expression: str) -> None:
    (change,) = traffic_difference(firewall(*before), firewall(*after)).passes
    assert (change.certain, change.example) == (False, None)
    assert f"the expression {expression}, which depends on the routing (unified or legacy)" in change.traffic
    assert change.sentence.startswith("packets may pass that are blocked today")


NOT_80, OF_TCP = rule(UNTIL_80), 'ip.proto eq "tcp" and '
ALIKE_IN_EACH_ROUTING = [
    ("behind the same condition", [rule(OF_TCP + UNTIL_80), rule(f"{OF_TCP}tcp.dstport eq 22", ref="b")], [rule(OF_TCP + UNTIL_80)]),
    ("TCP behind a negated port of TCP", [NOT_80, rule("tcp.dstport eq 22", ref="b")], [NOT_80]),
    ("IPv4 behind a negated network", [rule("not ip.src in {10.0.0.0/8}"), rule("ip.src in {192.0.2.1}", ref="b")],
     [rule("not ip.src in {10.0.0.0/8}")]),
    ("networks of both families", [rule("not ip.src in {2001:db8::/32 10.0.0.0/8}"), rule("ip.src in {2001:db9::/32}", ref="b")],
     [rule("not ip.src in {2001:db8::/32 10.0.0.0/8}")]),
    ("written another way", [rule("not tcp.dstport in {80 443}")], [rule("not (tcp.dstport eq 443 or tcp.dstport eq 80)")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "after"), ALIKE_IN_EACH_ROUTING, ids=ids(ALIKE_IN_EACH_ROUTING))
def test_packets_are_treated_alike_in_each_routing(name: str, before: Any, after: Any) -> None:
    changes = traffic_difference(firewall(*before), firewall(*after))
    assert (changes.passes, changes.stopped, changes.unknown) == ([], [], [])


def test_one_more_port_concerns_packets_of_tcp_alone() -> None:
    both = "not tcp.dstport in {80 443}"
    changes = traffic_difference(firewall(NOT_80), firewall(rule(both)))
    check_certain(changes.passes)
    assert (len(changes.passes), changes.stopped, changes.unknown) == (1, [], [])


@pytest.mark.parametrize(("name", "before", "after"), SOFTENED, ids=ids(SOFTENED))
def test_traffic_is_stopped_less(name: str, before: Any, after: Any) -> None:
    changes = traffic_difference(before, after)
    check_certain(changes.passes)
    assert {(change.what, change.afterwards) for change in changes.passes} == {
        ("blocked", "is challenged (managed_challenge)")
    }
    check_certain(changes.stopped)
    assert {(change.what, change.afterwards) for change in changes.stopped} == {
        ("passing", "is challenged (managed_challenge)")
    }


MANY = [
    rule(
        f'http.request.uri.path eq "/p{number}" and ip.src in {{198.{number % 250}.{number // 250}.0/24}}',
        ref=f"r{number}",
    )
    for number in range(1000)
]
BEHIND = [*MANY[:500], *MANY[501:]]
AMONG_MANY = {
    "narrowed": [*MANY[:500], {**MANY[500], "expression": f"({MANY[500]['expression']}) and ssl"}, *MANY[501:]],
    "logs": [*MANY[:500], {**MANY[500], "action": "log"}, *MANY[501:]],
    "removed": BEHIND,
    "moved to the front": [MANY[500], *BEHIND],
    "moved to the end": [*BEHIND, MANY[500]],
    "a skip in front": [skip(FROM_NETWORK), *MANY],
    "a challenge behind": [*MANY, rule("ssl", "managed_challenge", "c")],
}


@pytest.mark.parametrize("name", AMONG_MANY)
def test_a_change_among_1000_rules_takes_little_work(name: str) -> None:
    before, after = zone(*MANY), zone(*AMONG_MANY[name])
    traffic_difference(before, after)  # reads the expressions
    assert calls_of(lambda: traffic_difference(before, after)) < 700_000


TEXTS = [rule(f'http.user_agent contains "bot-{number:03}-"', ref=f"t{number}") for number in range(1000)]
AMONG_TEXTS = {
    "narrowed": [*TEXTS[:500], {**TEXTS[500], "expression": f"({TEXTS[500]['expression']}) and ssl"}, *TEXTS[501:]],
    "a skip in front": [skip(FROM_NETWORK), *TEXTS],
}


@pytest.mark.parametrize("name", AMONG_TEXTS)
def test_1000_texts_of_which_no_more_is_known_are_compared(name: str) -> None:
    """As many variables on one way through a diagram are more than Python calls functions deep."""
    before, after = zone(*TEXTS), zone(*AMONG_TEXTS[name])
    found = [traffic_difference(before, after)]  # reads the expressions
    assert found[0].known and found[0].passes and not found[0].stopped
    assert calls_of(lambda: traffic_difference(before, after)) < 1_200_000


@pytest.mark.parametrize("passes", [True, False])
def test_an_example_that_many_texts_leave_is_looked_for_with_little_work(passes: bool) -> None:
    """The text that passes is among all of those that rules name, or contradicts one of them."""
    named = [rule(f'http.user_agent contains "bot{number}"', ref=f"t{number}") for number in range(1000)]
    changed = 7 if passes else 500  # "bot500" has "bot5" in it
    before, after = zone(*named), zone(*named[:changed], *named[changed + 1 :])
    found = traffic_difference(before, after)
    assert [change.certain for change in found.passes] == [passes]
    assert calls_of(lambda: traffic_difference(before, after)) < 1_200_000


def test_rules_that_do_not_change_are_joined_once() -> None:
    """A rule that moves from the end to the front takes no more sets than one that goes."""
    blocks = [
        rule(
            f'(http.host eq "h{number}" and ip.src in {{198.51.{number}.0/24}}) or http.user_agent eq "u{number}"',
            ref=f"r{number}",
        )
        for number in range(200)
    ]
    before = zone(*blocks)
    gone = calls_of(lambda: traffic_difference(before, zone(*blocks[:-1])))
    moved = calls_of(lambda: traffic_difference(before, zone(blocks[-1], *blocks[:-1])))
    assert moved < 1.5 * gone


WORDS = [
    ("http.request.body.size gt 100", "every request with http.request.body.size 101 or more"),
    ("http.request.body.size gt 100 and http.request.body.size lt 200", "every request with http.request.body.size 101..199"),
    ("cf.bot_management.score eq 30", "every request with cf.bot_management.score 30"),
    ('http.request.uri.path ne "/a" and ssl', "every request to any path but /a that meet ssl"),
    ('http.request.uri.path in {"/a" "/b"} and not ssl', "every request to path /a, /b that do not meet ssl"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "words"), WORDS, ids=[words for _expression, words in WORDS])
def test_the_traffic_that_passes_is_told_by_the_values_of_its_fields(expression: str, words: str) -> None:
    (change,) = traffic_difference(zone(rule(expression)), zone()).passes
    assert change.traffic == words
