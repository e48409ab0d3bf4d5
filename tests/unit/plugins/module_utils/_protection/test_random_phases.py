# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random pairs of rate limits behind custom rules, and of rules of the Network Firewall, whose difference is that of all
requests or packets of a small universe, one by one."""

from __future__ import annotations

from itertools import product
from typing import Any, Callable, Mapping, Tuple

from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
from hypothesis import given
from hypothesis import strategies as st

Sent = Mapping[str, Any]  # a request or packet, in the keys of an expectation
Condition = Tuple[str, Callable[[Sent], bool]]  # an expression, and whether it matches

REQUESTS: list[Sent] = [
    {"path": path, "host": host, "source": source}
    for path, host, source in product(("/", "/admin", "/login"), ("shop.example", "b.example"), ("203.0.113.1", "198.51.100.1"))
]  # fmt: skip
PACKETS: list[Sent] = [
    {"protocol": protocol, "destination_port": port, "source": source}
    for protocol, port, source in product(("tcp", "udp"), (23, 53, 80), ("203.0.113.1", "198.51.100.1"))
]
OF_REQUESTS: list[Condition] = [
    ('http.request.uri.path eq "/admin"', lambda sent: sent["path"] == "/admin"),
    ('http.request.uri.path in {"/admin" "/login"}', lambda sent: sent["path"] in ("/admin", "/login")),
    ('http.host eq "shop.example"', lambda sent: sent["host"] == "shop.example"),
    ("ip.src in {203.0.113.0/24}", lambda sent: sent["source"].startswith("203.0.113.")),
    ("true", lambda sent: True),
]
OF_PACKETS: list[Condition] = [
    ("tcp.dstport in {23 80}", lambda sent: sent["protocol"] == "tcp" and sent["destination_port"] in (23, 80)),
    ("udp.dstport eq 53", lambda sent: sent["protocol"] == "udp" and sent["destination_port"] == 53),
    ('ip.proto eq "udp"', lambda sent: sent["protocol"] == "udp"),
    ("ip.src in {203.0.113.0/24}", lambda sent: sent["source"].startswith("203.0.113.")),
    ("true", lambda sent: True),
]


def conditions(atoms: list[Condition]) -> st.SearchStrategy[Condition]:
    """Random combinations of conditions."""

    def negated(part: Condition) -> Condition:
        return f"not ({part[0]})", lambda sent: not part[1](sent)

    def both(left: Condition, right: Condition) -> Condition:
        return f"({left[0]}) and ({right[0]})", lambda sent: left[1](sent) and right[1](sent)

    def either(left: Condition, right: Condition) -> Condition:
        return f"({left[0]}) or ({right[0]})", lambda sent: left[1](sent) or right[1](sent)

    return st.recursive(
        st.sampled_from(atoms),
        lambda parts: st.builds(negated, parts) | st.builds(both, parts, parts) | st.builds(either, parts, parts),
        max_leaves=3,
    )


Ruled = Tuple[Condition, str]  # with an action, or the requests that a limit takes
RATES = ("5", "50")
LIMITS = st.lists(st.tuples(conditions(OF_REQUESTS), st.sampled_from(RATES)), max_size=3)
CUSTOM = st.lists(st.tuples(conditions(OF_REQUESTS), st.sampled_from(("block", "phases", "log"))), max_size=2)
FIREWALL = st.lists(st.tuples(conditions(OF_PACKETS), st.sampled_from(("block", "block", "skip"))), max_size=4)


def custom_rule(place: int, ruled: Ruled) -> dict[str, Any]:
    (expression, _predicate), action = ruled
    skipped = {"phases": {"phases": ["http_ratelimit"]}, "skip": {"ruleset": "current"}}.get(action)
    parameters = {"action": "skip", "action_parameters": skipped} if skipped else {"action": action}
    return {"ref": f"r{place}", "enabled": True, "expression": expression, **parameters}


def limiting_rule(place: int, ruled: Ruled) -> dict[str, Any]:
    (expression, _predicate), rate = ruled
    counted = {"characteristics": ["cf.colo.id", "ip.src"], "period": 60, "mitigation_timeout": 60}
    ratelimit = {**counted, "requests_per_period": int(rate)}
    return {"ref": f"l{place}", "enabled": True, "action": "block", "expression": expression, "ratelimit": ratelimit}


def tightest(custom: list[Ruled], limits: list[Ruled], sent: Sent) -> int | None:
    """The fewest requests that a limit takes of those that it counts; None if they are blocked; 1,000 if none counts."""
    met = [action for (_expression, matches), action in custom if matches(sent)]
    if "block" in met:
        return None
    if "phases" in met:
        return 1000
    return min((int(rate) for (_expression, matches), rate in limits if matches(sent)), default=1000)


def is_blocked(rules: list[Ruled], sent: Sent) -> bool:
    return next((action for (_expression, matches), action in rules if matches(sent)), "skip") == "block"


@given(CUSTOM, LIMITS, LIMITS)
def test_limits_count_less_if_a_request_is_counted_less(
    custom: list[Ruled], before: list[Ruled], after: list[Ruled]
) -> None:
    def state(limits: list[Ruled]) -> dict[str, Any]:
        rules = [custom_rule(place, ruled) for place, ruled in enumerate(custom)]
        limiting = [limiting_rule(place, ruled) for place, ruled in enumerate(limits)]
        return {"zone": [{"name": "shop.example"}], "custom_rules": rules, "rate_limit_rules": limiting}

    changes = traffic_difference(state(before), state(after))
    assert changes.known
    counted = [[tightest(custom, limits, sent) for limits in (before, after)] for sent in REQUESTS]
    known = [(was, becomes) for was, becomes in counted if was is not None and becomes is not None]
    assert changes.passes or not any(was < becomes for was, becomes in known)
    assert changes.stopped or not any(was > becomes for was, becomes in known)
    for change in (*changes.passes, *changes.stopped):
        if change.certain:
            assert change.example
            was, becomes = (tightest(custom, limits, change.example) for limits in (before, after))
            assert was is not None and becomes is not None
            assert (becomes > was) is (change in changes.passes) and was != becomes


@given(FIREWALL, FIREWALL)
def test_packets_pass_if_a_packet_passes(before: list[Ruled], after: list[Ruled]) -> None:
    states = [
        {"network_firewall_rules": [custom_rule(place, ruled) for place, ruled in enumerate(rules)]}
        for rules in (before, after)
    ]
    changes = traffic_difference(*states)
    assert changes.known
    blocked = [[is_blocked(rules, sent) for rules in (before, after)] for sent in PACKETS]
    assert changes.passes or not any(was and not becomes for was, becomes in blocked)
    assert changes.stopped or not any(becomes and not was for was, becomes in blocked)
    for change in (*changes.passes, *changes.stopped):
        example = change.example or {}
        if change.certain and example.get("protocol") in ("tcp", "udp"):
            was, becomes = (is_blocked(rules, example) for rules in (before, after))
            assert was is not becomes and was is (change in changes.passes)
