# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random rate limits behind custom rules, managed rules with overrides and exceptions, overrides of HTTP DDoS rules, and rules
of the Network Firewall; what becomes of each request or packet of a small universe under them."""

from __future__ import annotations

from itertools import product
from typing import Any, Callable, Mapping, Tuple

from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
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

MANAGED = "c" * 32
CHECKS = {"block": 2, "log": 1}  # how strictly a deployment with an override checks
DEPLOYED = st.lists(
    st.tuples(conditions(OF_REQUESTS), st.sampled_from((*CHECKS, *CHECKS, "exempt", "skip"))), max_size=4
)
SENSITIVITIES = ("default", "medium", "low", "eoff")
Override = Tuple[
    Condition, str, str, bool
]  # its sensitivity, that of a category (empty for none), whether it is enabled
OVERRIDES = st.lists(
    st.tuples(
        conditions(OF_REQUESTS),
        st.sampled_from(("", *SENSITIVITIES)),
        st.sampled_from(("", "", *SENSITIVITIES)),
        st.sampled_from((True, True, True, False)),
    ).filter(lambda override: bool(override[1] or override[2])),
    max_size=3,
)


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


def managed_rule(place: int, ruled: Ruled) -> dict[str, Any]:
    (expression, _predicate), effect = ruled
    if effect in CHECKS:
        parameters: dict[str, Any] = {"id": MANAGED, "overrides": {"action": effect}}
    else:
        parameters = {"rulesets": [MANAGED]} if effect == "exempt" else {"ruleset": "current"}
    action = "execute" if effect in CHECKS else "skip"
    return {
        "ref": f"m{place}",
        "enabled": True,
        "action": action,
        "expression": expression,
        "action_parameters": parameters,
    }


def strictest_check(rules: list[Ruled], sent: Sent) -> int:
    """How strictly the managed ruleset checks a request; 0 if it does not."""
    strictest = 0
    for (_expression, matches), effect in rules:
        if matches(sent) and effect not in CHECKS:
            return strictest
        if matches(sent):
            strictest = max(strictest, CHECKS[effect])
    return strictest


def ddos_override(place: int, override: Override) -> dict[str, Any]:
    (expression, _predicate), sensitivity, of_category, enabled = override
    described: dict[str, Any] = {"ref": f"o{place}", "enabled": enabled, "expression": expression}
    if sensitivity:
        described["sensitivity"] = sensitivity
    if of_category:
        described["categories"] = [{"category": "http-flood", "sensitivity": of_category}]
    return described


def sensitivities(overrides: list[Override], sent: Sent) -> tuple[int, int]:
    """How little sensitive the managed rules of the category are for a request, and all others."""
    found = {"category": 0, "others": 0}
    for (_expression, matches), sensitivity, of_category, enabled in reversed(overrides):
        if not enabled or not matches(sent):
            continue
        if sensitivity:
            found = dict.fromkeys(found, SENSITIVITIES.index(sensitivity))
        if of_category:
            found["category"] = SENSITIVITIES.index(of_category)
    return found["category"], found["others"]


def check_managed_rules(before: list[Ruled], after: list[Ruled]) -> bool:
    """Compare managed rules by each request; whether the difference says that something changes."""
    states = [
        {"zone": [{"name": "shop.example"}], "managed_rules": [managed_rule(*item) for item in enumerate(rules)]}
        for rules in (before, after)
    ]
    changes = traffic_difference(*states)
    assert changes.known
    checked = [[strictest_check(rules, sent) for rules in (before, after)] for sent in REQUESTS]
    assert bool(changes.passes) or not any(was > becomes for was, becomes in checked)
    assert bool(changes.stopped) or not any(was < becomes for was, becomes in checked)
    for change in (*changes.passes, *changes.stopped):
        if change.certain:
            assert change.example
            was, becomes = (strictest_check(rules, change.example) for rules in (before, after))
            assert (becomes < was) is (change in changes.passes) and was != becomes
    return bool(changes.passes or changes.stopped)


def check_overrides(before: list[Override], after: list[Override]) -> bool:
    """Compare overrides by each request; whether the difference says that something changes."""
    states = [
        {
            "zone": [{"name": "shop.example"}],
            "ddos_l7_overrides": [ddos_override(*item) for item in enumerate(overrides)],
        }
        for overrides in (before, after)
    ]
    changes = traffic_difference(*states)
    assert changes.known
    levels = [[sensitivities(overrides, sent) for overrides in (before, after)] for sent in REQUESTS]
    compared = [(was, becomes) for pair in levels for was, becomes in zip(*pair)]
    assert bool(changes.passes) or not any(becomes > was for was, becomes in compared)
    assert bool(changes.stopped) or not any(becomes < was for was, becomes in compared)
    for change in (*changes.passes, *changes.stopped):
        if change.certain:
            assert change.example
            pairs = [*zip(*(sensitivities(overrides, change.example) for overrides in (before, after)))]
            assert any(becomes > was if change in changes.passes else becomes < was for was, becomes in pairs)
    return bool(changes.passes or changes.stopped)
