# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic that two states treat differently by rate limits, managed rules, overrides of DDoS rules and packets, by a
table: what of it passes, and what is treated more strictly."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference

Rule = Dict[str, Any]
LOGIN, ADMIN = 'http.request.uri.path eq "/login"', 'http.request.uri.path eq "/admin"'
LIMIT = {"characteristics": ["cf.colo.id", "ip.src"], "period": 60, "requests_per_period": 5, "mitigation_timeout": 60}
MANAGED = "e" * 32


def rule(expression: str, action: str = "block", ref: str = "a", **values: Any) -> Rule:
    return {"ref": ref, "action": action, "expression": expression, "enabled": True, **values}


def limit(expression: str = LOGIN, action: str = "block", ref: str = "l", **values: Any) -> Rule:
    return rule(expression, action, ref, ratelimit={**LIMIT, **values})


def deploy(expression: str = "true", ref: str = "m", **overrides: Any) -> Rule:
    parameters = {"id": MANAGED, **({"overrides": overrides} if overrides else {})}
    return rule(expression, "execute", ref, action_parameters=parameters)


def skip(expression: str, **parameters: Any) -> Rule:
    return rule(expression, "skip", "s", action_parameters=parameters)


def limits(*rules: Rule, **collections: Any) -> dict[str, Any]:
    return {"zone": [{"name": "shop.example"}], "rate_limit_rules": list(rules), **collections}


def managed(*rules: Rule, **collections: Any) -> dict[str, Any]:
    return {"zone": [{"name": "shop.example"}], "managed_rules": list(rules), **collections}


def packets(*rules: Rule) -> dict[str, Any]:
    return {"network_firewall_rules": list(rules)}


SKIPS_LIMITS = skip("ip.src in {192.0.2.0/24}", phases=["http_ratelimit"])
SKIPS_MANAGED = skip("ip.src in {192.0.2.0/24}", rulesets=[MANAGED])
WEAKER = [
    ("a limit goes", limits(limit()), limits()),
    ("a limit is disabled", limits(limit()), limits({**limit(), "enabled": False})),
    ("a limit takes more requests", limits(limit()), limits(limit(requests_per_period=50))),
    ("a limit lasts less long", limits(limit()), limits(limit(mitigation_timeout=10))),
    ("a limit logs", limits(limit()), limits(limit(action="log"))),
    ("a limit is narrower", limits(limit()), limits(limit(f"{LOGIN} and ssl"))),
    ("a limit counts by one thing more", limits(limit(characteristics=["cf.colo.id"])), limits(limit())),
    ("a custom rule skips the limits", limits(limit(), custom_rules=[]), limits(limit(), custom_rules=[SKIPS_LIMITS])),
    ("a deployment goes", managed(deploy()), managed()),
    ("a deployment is narrower", managed(deploy()), managed(deploy("ssl"))),
    ("a deployment logs", managed(deploy()), managed(deploy(action="log"))),
    ("a deployment is off", managed(deploy()), managed(deploy(enabled=False))),
    ("an exception in front", managed(deploy()), managed(SKIPS_MANAGED, deploy())),
    ("a port of packets less", packets(rule("tcp.dstport in {23 2323}")), packets(rule("tcp.dstport in {23}"))),
    ("packets of one protocol", packets(rule("ip.dst in {203.0.113.0/24}")), packets(rule('ip.dst in {203.0.113.0/24} and ip.proto eq "tcp"'))),
    ("a skip of packets", packets(rule("true")), packets(skip("ip.src in {192.0.2.0/24}", ruleset="current"), rule("true"))),
]  # fmt: skip
ALIKE = [
    ("another ref of a limit", limits(limit()), limits(limit(ref="k"))),
    ("another description of a limit", limits(limit()), limits({**limit(), "description": "x"})),
    ("limits of other requests exchanged", limits(limit(), limit(ADMIN, ref="k")), limits(limit(ADMIN, ref="k"), limit())),
    ("an exception behind", managed(deploy()), managed(deploy(), SKIPS_MANAGED)),
    ("another ref of a deployment", managed(deploy()), managed(deploy(ref="n"))),
    ("a skip of limits where there is none", limits(custom_rules=[]), limits(custom_rules=[SKIPS_LIMITS])),
    ("ports as two rules", packets(rule("tcp.dstport in {23 2323}")), packets(rule("tcp.dstport eq 23"), rule("tcp.dstport eq 2323", ref="b"))),
    ("a range of ports written out", packets(rule("tcp.dstport in {1..3}")), packets(rule("tcp.dstport in {1 2 3}"))),
    ("packets behind a wider rule", packets(rule("true"), rule("udp.dstport eq 53", ref="b")), packets(rule("true"))),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "after"), WEAKER)
def test_traffic_is_treated_less_strictly_one_way_and_more_the_other(
    name: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    strict, lax = before, after
    changes = traffic_difference(strict, lax)
    assert changes.known and changes.passes and not changes.stopped
    assert all(change.example for change in changes.passes if change.certain)
    back = traffic_difference(lax, strict)
    assert back.known and back.stopped and not back.passes


@pytest.mark.parametrize(("name", "before", "after"), ALIKE)
def test_traffic_is_treated_alike(name: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    for pair in ((before, after), (after, before)):
        changes = traffic_difference(*pair)
        assert changes.known and not changes.passes and not changes.stopped
