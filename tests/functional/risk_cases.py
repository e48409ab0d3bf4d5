# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One row a wish over one account: through the single module and through account_protection, and the risks it carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

EXISTING: Mapping[str, Any] = {
    "enabled": True,
    "prefixes": [{"prefix": "192.0.2.0/24"}, {"prefix": "203.0.113.0/24"}, {"prefix": "203.0.113.64/28", "excluded": True}],
    "allowlist": [{"prefix": "198.51.100.0/25"}, {"prefix": "10.9.0.0/24", "enabled": False}],
    "syn_flood": {
        "rules": [{"scope": "global", "name": "global", "mode": "enabled"}, {"scope": "region", "name": "WEUR", "mode": "disabled"}],
        "filters": [{"expression": "tcp.dstport eq 80", "mode": "disabled"}, {"expression": "tcp.dstport eq 443", "mode": "monitoring"}],
    },
    "out_of_state_tcp": {"rules": [{"scope": "global", "name": "global", "mode": "monitoring"}]},
}  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """`networks` and `entries` are those that the first risk names; a wish without `codes` carries none.

    `whole` is the same wish as account_protection takes it, `hours` passes after the account was set up.
    """

    name: str
    module: str
    options: Mapping[str, Any]
    whole: Mapping[str, Any]
    codes: Sequence[str] = ()
    networks: Sequence[str] = ()
    entries: Sequence[str] = ()
    existing: Mapping[str, Any] = field(default_factory=lambda: EXISTING)
    hours: float = 0


def prefixes(name: str, wished: Sequence[Mapping[str, Any]], *rest: Any, purge: bool = False, **more: Any) -> Wish:
    whole = {"prefixes": wished, "purge": ["prefixes"] if purge else []}
    return Wish(name, "protected_prefixes", {"prefixes": wished, "purge": purge}, whole, *rest, **more)


def allowlist(name: str, wished: Sequence[Mapping[str, Any]], *rest: Any, purge: bool = False, **more: Any) -> Wish:
    whole = {"allowlist": wished, "purge": ["allowlist"] if purge else []}
    return Wish(name, "allowlist", {"entries": wished, "purge": purge}, whole, *rest, **more)


def rule(name: str, wished: Mapping[str, Any], *rest: Any, **more: Any) -> Wish:
    return Wish(name, "protection_rule", wished, {"rules": [wished]}, *rest, **more)


def filter_(name: str, wished: Mapping[str, Any], *rest: Any, **more: Any) -> Wish:
    return Wish(name, "protection_filter", wished, {"filters": [wished]}, *rest, **more)


def status(name: str, enabled: bool, *rest: Any, **more: Any) -> Wish:
    return Wish(name, "tcp_protection_status", {"enabled": enabled}, {"enabled": enabled}, *rest, **more)


def hosts(count: int, **fields: Any) -> list[dict[str, Any]]:
    """As many single addresses, no two of them side by side."""
    return [{"prefix": f"10.{number // 100}.{2 * (number % 100)}.1", **fields} for number in range(count)]


def many(plural: str, count: int) -> dict[str, Any]:
    return {**EXISTING, plural: hosts(count)}


SYN = {"kind": "syn_flood", "scope": "global"}
OUT = {"kind": "out_of_state_tcp", "scope": "global"}
KEPT = [{"prefix": "192.0.2.0/24"}, {"prefix": "203.0.113.64/28"}]
BOTH_OFF = {**EXISTING, "syn_flood": {"rules": [{"scope": "global", "mode": "monitoring"}]}, "enabled": False}

WISHES = (
    prefixes("a prefix removed", KEPT, ["unprotects_addresses"], ["203.0.113.0/26", "203.0.113.80/28", "203.0.113.96/27", "203.0.113.128/25"],
             ["203.0.113.0/24"], purge=True),
    prefixes("a prefix excluded", [{"prefix": "192.0.2.0/24", "excluded": True}], ["unprotects_addresses"], ["192.0.2.0/24"], ["192.0.2.0/24"]),
    prefixes("a part of one excluded", [{"prefix": "192.0.2.8/29", "excluded": True}], ["unprotects_addresses"], ["192.0.2.8/29"], ["192.0.2.8/29"]),
    prefixes("what is excluded already excluded again", [{"prefix": "203.0.113.64/29", "excluded": True}]),
    prefixes("what nobody protects excluded", [{"prefix": "10.0.0.0/8", "excluded": True}]),
    prefixes("a prefix replaced by its halves", [{"prefix": "192.0.2.0/25"}, {"prefix": "192.0.2.128/25"}, *EXISTING["prefixes"][1:]], purge=True),
    prefixes("a prefix replaced by one half", [{"prefix": "192.0.2.0/25"}, *EXISTING["prefixes"][1:]], ["unprotects_addresses"],
             ["192.0.2.128/25"], ["192.0.2.0/24"], purge=True),
    prefixes("an exclusion lifted", [{"prefix": "203.0.113.64/28", "excluded": False}]),
    prefixes("an exclusion removed", EXISTING["prefixes"][:2], purge=True),
    prefixes("another prefix", [{"prefix": "2001:db8::/32"}]),
    prefixes("every prefix excluded", [{"prefix": "0.0.0.0/0", "excluded": True}], ["unprotects_addresses", "disables_protection"],
             ["192.0.2.0/24", "203.0.113.0/26", "203.0.113.80/28", "203.0.113.96/27", "203.0.113.128/25"], ["0.0.0.0/0"]),
    prefixes("no prefix left", [], ["unprotects_addresses", "disables_protection", "empties_list"],
             ["192.0.2.0/24", "203.0.113.0/26", "203.0.113.80/28", "203.0.113.96/27", "203.0.113.128/25"],
             ["203.0.113.0/24", "192.0.2.0/24"], purge=True),
    prefixes("half a list deleted", hosts(5), ["unprotects_addresses", "mass_deletion"], purge=True, existing=many("prefixes", 10)),
    prefixes("four of ten deleted, which is fewer than five", hosts(6), ["unprotects_addresses"], purge=True, existing=many("prefixes", 10)),
    status("switched off", False, ["disables_protection"], ["192.0.2.0/24", "203.0.113.0/26", "203.0.113.80/28", "203.0.113.96/27", "203.0.113.128/25"],
           ["tcp_protection_status"]),
    status("off already", False, existing=BOTH_OFF),
    status("switched on", True, existing=BOTH_OFF),
    rule("the last rule disabled", {**OUT, "mode": "disabled"}, ["disables_protection"], entries=["global"]),
    rule("the last global rule disabled, though one for a region is left", {**SYN, "mode": "disabled"}, ["disables_protection"], entries=["global"],
         existing={**EXISTING, "syn_flood": {"rules": [{"scope": "global", "mode": "enabled"}, {"scope": "region", "name": "WEUR", "mode": "enabled"}]}}),
    rule("a rule set back to monitoring", {**SYN, "mode": "monitoring"}),
    rule("a rule for a region disabled, the global one left", {**SYN, "scope": "region", "name": "WEUR", "mode": "disabled"},
         existing={**EXISTING, "syn_flood": {"rules": [{"scope": "global", "mode": "enabled"}, {"scope": "region", "name": "WEUR", "mode": "enabled"}]}}),
    rule("a new rule enabled", {"kind": "syn_flood", "scope": "datacenter", "name": "lax", "mode": "enabled"}, ["skips_monitoring"],
         entries=["datacenter lax"]),
    rule("a disabled rule enabled", {"kind": "syn_flood", "scope": "region", "name": "WEUR", "mode": "enabled"}, ["skips_monitoring"],
         entries=["region WEUR"], hours=100),
    rule("a rule enabled after monitoring a moment", {**OUT, "mode": "enabled"}, ["skips_monitoring"], entries=["global"]),
    rule("a rule enabled after monitoring not quite long enough", {**OUT, "mode": "enabled"}, ["skips_monitoring"], entries=["global"], hours=3.9),
    rule("a rule enabled after monitoring long enough", {**OUT, "mode": "enabled"}, hours=4.1),
    rule("an enabled rule changed", {**SYN, "mode": "enabled", "rate_sensitivity": "high"}),
    rule("a new rule that monitors", {"kind": "syn_flood", "scope": "datacenter", "name": "lax"}),
    filter_("a new filter enabled", {"kind": "syn_flood", "expression": "tcp.dstport eq 22", "mode": "enabled"}, ["skips_monitoring"],
            entries=["tcp.dstport eq 22"]),
    filter_("a disabled filter enabled", {"kind": "syn_flood", "expression": "tcp.dstport eq 80", "mode": "enabled"}, ["skips_monitoring"],
            entries=["tcp.dstport eq 80"]),
    filter_("a filter enabled in time", {"kind": "syn_flood", "expression": "tcp.dstport eq 443", "mode": "enabled"}, hours=5),
    filter_("a disabled filter", {"kind": "syn_flood", "expression": "tcp.dstport eq 22", "mode": "disabled"}),
    allowlist("a wide network", [{"prefix": "10.0.0.0/23"}], ["broad_allowlist"], ["10.0.0.0/23"], ["10.0.0.0/23"]),
    allowlist("a network that is just not too wide", [{"prefix": "10.0.0.0/24"}]),
    allowlist("a wide network that is not active", [{"prefix": "10.0.0.0/8", "enabled": False}]),
    allowlist("two halves of a wide network", [{"prefix": "10.0.0.0/24"}, {"prefix": "10.0.1.0/24"}], ["broad_allowlist"], ["10.0.0.0/23"],
              ["10.0.0.0/24", "10.0.1.0/24"]),
    allowlist("four quarters of a wide network", [{"prefix": f"10.0.{third}.{last}/25"} for third in (2, 3) for last in (0, 128)], ["broad_allowlist"],
              ["10.0.2.0/23"], ["10.0.2.0/25", "10.0.2.128/25", "10.0.3.0/25", "10.0.3.128/25"]),
    allowlist("two halves of a network that is not too wide", [{"prefix": "10.0.0.0/25"}, {"prefix": "10.0.0.128/25"}]),
    allowlist("neighbours that are no network together", [{"prefix": "10.0.1.0/24"}, {"prefix": "10.0.2.0/24"}]),
    allowlist("what was allowed and its other half, in one network that is not too wide", [{"prefix": "198.51.100.128/25"}]),
    allowlist("a neighbour of what was allowed", [{"prefix": "198.51.100.128/25"}, {"prefix": "198.51.101.0/24"}], ["broad_allowlist"], ["198.51.100.0/23"],
              ["198.51.100.128/25", "198.51.101.0/24"]),
    allowlist("everybody, in two halves", [{"prefix": "0.0.0.0/1"}, {"prefix": "128.0.0.0/1"}], ["broad_allowlist", "allowlists_own_prefix"], ["0.0.0.0/0"],
              ["0.0.0.0/1", "128.0.0.0/1"]),
    allowlist("a wide network of IPv6", [{"prefix": "2001:db8::/47"}], ["broad_allowlist"], ["2001:db8::/47"], ["2001:db8::/47"]),
    allowlist("a network of IPv6 that is just not too wide", [{"prefix": "2001:db8::/48"}]),
    allowlist("a wide entry made active", [{"prefix": "10.8.0.0/16", "enabled": True}], ["broad_allowlist"], ["10.8.0.0/16"], ["10.8.0.0/16"],
              existing={**EXISTING, "allowlist": [{"prefix": "10.8.0.0/16", "enabled": False}]}),
    allowlist("another entry beside a wide one", [{"prefix": "172.16.0.1"}], existing={**EXISTING, "allowlist": [{"prefix": "10.8.0.0/16"}]}),
    allowlist("a part of what is allowed already", [{"prefix": "10.8.0.0/17"}], existing={**EXISTING, "allowlist": [{"prefix": "10.8.0.0/16"}]}),
    allowlist("two hundred and one entries", hosts(200), ["broad_allowlist"]),
    allowlist("two hundred entries", hosts(199)),
    allowlist("fewer entries than before, and still many", hosts(205, enabled=False)[:2], existing=many("allowlist", 210)),
    allowlist("an own network", [{"prefix": "192.0.2.7"}], ["allowlists_own_prefix"], ["192.0.2.7/32"], ["192.0.2.7/32"]),
    allowlist("an own network, carved out already", [{"prefix": "203.0.113.64"}], ["allowlists_own_prefix"], ["203.0.113.64/32"], ["203.0.113.64/32"]),
    allowlist("an own network that is not active", [{"prefix": "192.0.2.7", "enabled": False}]),
    allowlist("an entry disabled", [{"prefix": "198.51.100.0/25", "enabled": False}]),
    allowlist("an entry removed", [{"prefix": "198.51.100.0/25"}], purge=True),
    allowlist("no entry left", [], ["empties_list"], ["10.9.0.0/24", "198.51.100.0/25"], ["198.51.100.0/25", "10.9.0.0/24"], purge=True),
    allowlist("many entries removed", hosts(6), ["mass_deletion"], purge=True, existing=many("allowlist", 11)),
    allowlist("30 % of the entries removed", hosts(14), purge=True, existing=many("allowlist", 20)),
)  # fmt: skip
