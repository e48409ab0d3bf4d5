# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What single objects of an account take from what a task names."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.holes import DescribedAccount
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import (
    ALLOWLIST,
    DNS_RULES,
    FILTERS,
    PREFIXES,
    RULES,
    STATUS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource

from tests.support.coverage_model import HALF, Entry, account_state, filter_, rule

NETWORK = "192.0.2.0/24"
DESCRIBED = account_state(
    syn_flood_rules=[rule("enabled")], out_of_state_tcp_rules=[rule("monitoring")], dns_rules=[rule("enabled")]
)
TEXT = "256 IPv4 addresses (192.0.2.0/24)"
LESS = f"so that SYN flood protection mitigates less for {TEXT}"


def excluded(prefix: str) -> Entry:
    return {"prefix": prefix, "excluded": True}


def source(prefix: str, enabled: bool = True) -> Entry:
    return {"prefix": prefix, "enabled": enabled}


CASES: list[tuple[Resource, Entry, bool | None, str]] = [
    (PREFIXES, excluded("192.0.2.128/25"), True, "excludes 128 IPv4 addresses (192.0.2.128/25)"),
    (PREFIXES, excluded("0.0.0.0/0"), True, f"excludes {TEXT}"),
    (PREFIXES, excluded("198.51.100.0/24"), False, ""),
    (PREFIXES, excluded("anything"), None, "is malformed, and may exclude protected addresses"),
    (PREFIXES, {"prefix": "198.51.100.0/24", "excluded": False}, False, ""),
    (ALLOWLIST, source("203.0.113.9/32"), True, "lets 1 IPv4 address (203.0.113.9/32) pass as sources"),
    (ALLOWLIST, source("203.0.113.9/32", False), False, ""),
    (ALLOWLIST, source("anything"), None, "is malformed, and may let sources pass"),
    (RULES[0], rule("disabled", "region", "WEUR"), True, f"is disabled, {LESS}: in region WEUR"),
    (RULES[0], rule("monitoring", "datacenter", "lax"), True, f"is monitoring, {LESS}: in data center lax"),
    (RULES[0], rule("enabled", "region", "WEUR"), False, ""),
    (RULES[0], rule("new", "region", "WEUR"), None, "is not understood, so that SYN flood protection may mitigate less"),
    (RULES[1], rule("disabled", "region", "WEUR"), False, ""),
    (DNS_RULES, rule("disabled", "region", "WEUR"), True, f"is disabled, so that DNS protection mitigates less for {TEXT}: in region WEUR"),
    (FILTERS[0], filter_("disabled", "tcp.dstport eq 443"), True, f"is disabled, {LESS}: to port 443"),
    (FILTERS[0], filter_("disabled", "ip.dst eq 198.51.100.1"), False, ""),
    (FILTERS[0], filter_("enabled", "tcp.dstport eq 443"), False, ""),
    (FILTERS[0], filter_("disabled", "ip.dst in $list"), None, "is not understood, so that SYN flood protection may mitigate less"),
    (FILTERS[1], filter_("enabled", HALF), False, ""),
]  # fmt: skip


def named(state: dict[str, Any], *resources: Resource) -> dict[str, frozenset[Any]]:
    return {item.plural: frozenset(map(item.key_of, state[item.plural])) for item in resources}


@pytest.mark.parametrize(("resource", "obj", "weakens", "reason"), CASES)
def test_one_more_object_weakens_or_not(resource: Resource, obj: Entry, weakens: bool | None, reason: str) -> None:
    names = named(DESCRIBED, PREFIXES, *RULES, DNS_RULES)
    state = {**DESCRIBED, resource.plural: [*DESCRIBED.get(resource.plural, []), obj]}
    assert DescribedAccount(state, names).judge(resource, obj) == (weakens, reason)


def test_prefixes_count_as_they_are_if_none_is_named() -> None:
    prefixes = [{"prefix": NETWORK, "excluded": False}, excluded("192.0.2.128/25")]
    account = DescribedAccount({**DESCRIBED, "prefixes": prefixes}, named(DESCRIBED, *RULES))
    assert account.judge(PREFIXES, prefixes[1]).weakens is False
    verdict = account.judge(FILTERS[0], filter_("disabled", "tcp.dstport eq 443"))
    assert verdict.reason.endswith("mitigates less for 128 IPv4 addresses (192.0.2.0/25): to port 443")


def test_a_filter_that_an_enabled_one_precedes_takes_nothing() -> None:
    enabled, disabled = filter_("enabled", "tcp.dstport in {443}"), filter_("disabled", "tcp.dstport eq 443")
    state = {**DESCRIBED, FILTERS[0].plural: [enabled, disabled]}
    names = {**named(DESCRIBED, PREFIXES, *RULES), FILTERS[0].plural: frozenset([FILTERS[0].key_of(enabled)])}
    assert DescribedAccount(state, names).judge(FILTERS[0], disabled).weakens is False


def test_the_status_is_no_hole_of_the_lists() -> None:
    names = named(DESCRIBED, PREFIXES)
    assert DescribedAccount({**DESCRIBED, "status": [{"enabled": False}]}, names).judge(STATUS, {}).weakens is False
