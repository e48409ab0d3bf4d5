# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random pairs of rate limits behind custom rules, of managed rulesets with overrides and exceptions, of overrides of HTTP DDoS
rules, and of rules of the Network Firewall, whose difference is that of all requests or packets of a small universe, one by
one."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
from hypothesis import given

from .random_phases import (
    CUSTOM,
    DEPLOYED,
    FIREWALL,
    LIMITS,
    OVERRIDES,
    PACKETS,
    REQUESTS,
    Override,
    Ruled,
    check_managed_rules,
    check_overrides,
    custom_rule,
    is_blocked,
    limiting_rule,
    tightest,
)


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


@given(DEPLOYED, DEPLOYED)
def test_managed_rules_check_less_if_a_request_is_checked_less(before: list[Ruled], after: list[Ruled]) -> None:
    check_managed_rules(before, after)


@given(OVERRIDES, OVERRIDES)
def test_overrides_weaken_if_managed_rules_are_less_sensitive_for_a_request(
    before: list[Override], after: list[Override]
) -> None:
    check_overrides(before, after)
