# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of one account, through the single module and through account_protection, with the risks that each has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Entries = Sequence[Mapping[str, Any]]

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
class RiskCase:
    """One change, as the options of a single module and as those of account_protection, and the codes of its risks.

    `networks` and `entries` are those of the first risk; where one of them is left out, it is not looked at. `hours`
    pass after the account was set up. `account_options` is None where account_protection cannot make the change.
    """

    name: str
    module: str
    options: Mapping[str, Any]
    account_options: Mapping[str, Any] | None
    codes: Sequence[str] = ()
    networks: Sequence[str] = ()
    entries: Sequence[str] = ()
    existing: Mapping[str, Any] = field(default_factory=lambda: EXISTING)
    hours: float = 0

    @property
    def calls(self) -> Mapping[str, Mapping[str, Any]]:
        """The options by the module that makes the change."""
        whole = {} if self.account_options is None else {"account_protection": self.account_options}
        return {self.module: self.options, **whole}


def prefixes(name: str, desired: Entries, purge: bool = False, **expected: Any) -> RiskCase:
    return _list_case(name, "protected_prefixes", "prefixes", "prefixes", desired, purge, expected)


def allowlist(name: str, desired: Entries, purge: bool = False, **expected: Any) -> RiskCase:
    return _list_case(name, "allowlist", "entries", "allowlist", desired, purge, expected)


def _list_case(
    name: str, module: str, option: str, part: str, entries: Entries, purge: bool, expected: Mapping[str, Any]
) -> RiskCase:
    account_options = {part: entries, "purge": [part] if purge else []}
    return RiskCase(name, module, {option: entries, "purge": purge}, account_options, **expected)


OFFICES: Entries = [{"ip": "192.0.2.1"}, {"ip": "198.51.100.0/24"}]


def in_list(name: str, options: Mapping[str, Any], references: int = 1, **expected: Any) -> RiskCase:
    """A change of a list that so many rules refer to."""
    existing = {"lists": [{"name": "offices", "items": OFFICES, "num_referencing_filters": references}]}
    return RiskCase(name, "ip_list", {"name": "offices", **options}, None, existing=existing, **expected)


HALF: Entries = [{"ip": "10.0.0.0/9"}, {"ip": "203.0.113.9"}]
REST: Entries = [{"ip": "10.128.0.0/9"}]


def of_firewall(
    name: str,
    action: str,
    changed: Entries,
    more: str = "or ip.src in {128.0.0.0..254.255.255.255}",
    *,
    items: Entries | None = None,
    state: str = "present",
    **expected: Any,
) -> RiskCase:
    """A change of a list that a rule of the Network Firewall refers to."""
    rule = {"ref": "offices", "action": action, "expression": f"ip.src in $offices {more}"}
    skipped = {"action_parameters": {"ruleset": "current"}} if action == "skip" else {}
    behind = [{"ref": "telnet", "action": "block", "expression": "tcp.dstport eq 23"}] if action == "skip" else []
    existing = {
        "lists": [{"name": "offices", "items": HALF if items is None else items}],
        "network_firewall_rules": [{**rule, **skipped}, *behind],
    }
    options = {"name": "offices", "items": changed, "state": state}
    return RiskCase(name, "ip_list", options, None, existing=existing, **expected)


def many_items(number: int) -> Entries:
    return [{"ip": f"198.51.100.{last}"} for last in range(number)]


def rule(name: str, options: Mapping[str, Any], **expected: Any) -> RiskCase:
    return RiskCase(name, "protection_rule", options, {"rules": [options]}, **expected)


def dns_rule(name: str, options: Mapping[str, Any], **expected: Any) -> RiskCase:
    return RiskCase(
        name, "dns_protection_rule", options, {"dns_rules": [options]}, **{"existing": WITH_DNS, **expected}
    )


def filter_(name: str, options: Mapping[str, Any], **expected: Any) -> RiskCase:
    return RiskCase(name, "protection_filter", options, {"filters": [options]}, **expected)


def status(name: str, enabled: bool, **expected: Any) -> RiskCase:
    return RiskCase(name, "tcp_protection_status", {"enabled": enabled}, {"enabled": enabled}, **expected)


def removed(name: str, module: str, options: Mapping[str, Any], **expected: Any) -> RiskCase:
    return RiskCase(name, module, {**options, "state": "absent"}, None, **expected)


def mitigating(syn_rules: Sequence[Mapping[str, Any]], syn_filters: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """The account with a global rule of each kind that mitigates, and more rules and filters against SYN floods."""
    enabled = {"scope": "global", "mode": "enabled"}
    syn_flood = {"rules": [enabled, *syn_rules], "filters": list(syn_filters)}
    return {**EXISTING, "syn_flood": syn_flood, "out_of_state_tcp": {"rules": [enabled]}}


def hosts(count: int, **fields: Any) -> list[dict[str, Any]]:
    """As many single addresses, no two of them adjacent."""
    return [{"prefix": f"10.{number // 100}.{2 * (number % 100)}.1", **fields} for number in range(count)]


def many(plural: str, count: int) -> dict[str, Any]:
    return {**EXISTING, plural: hosts(count)}


SYN: dict[str, Any] = {"kind": "syn_flood", "scope": "global"}
SYN_ENABLED = {"scope": "global", "mode": "enabled"}
OUT: dict[str, Any] = {"kind": "out_of_state_tcp", "scope": "global"}
KEPT = [{"prefix": "192.0.2.0/24"}, {"prefix": "203.0.113.64/28"}]
BOTH_OFF = {**EXISTING, "syn_flood": {"rules": [{"scope": "global", "mode": "monitoring"}]}, "enabled": False}

GLOBAL: dict[str, Any] = {"scope": "global"}
WITH_DNS = {
    **EXISTING,
    "dns_rules": [{"scope": "global", "mode": "enabled"}, {"scope": "region", "name": "WEUR", "mode": "monitoring"}],
}
PROTECTED = ["192.0.2.0/24", "203.0.113.0/26", "203.0.113.80/28", "203.0.113.96/27", "203.0.113.128/25"]

RISK_CASES = (
    dns_rule("the DNS rule that mitigates set back to monitoring", {**GLOBAL, "mode": "monitoring"}, codes=["stops_mitigation"],
             networks=PROTECTED, entries=["dns global"]),
    dns_rule("the DNS rule that mitigates set back to monitoring while TCP protection is off", {**GLOBAL, "mode": "monitoring"},
             codes=["stops_mitigation"], networks=PROTECTED, entries=["dns global"], existing={**WITH_DNS, "enabled": False}),
    dns_rule("the last global DNS rule disabled", {**GLOBAL, "mode": "disabled"}, codes=["disables_protection"], entries=["dns global"]),
    dns_rule("a DNS rule for a region disabled, the global one left", {"scope": "region", "name": "WEUR", "mode": "disabled"}),
    dns_rule("a new DNS rule enabled", {"scope": "datacenter", "name": "lax", "mode": "enabled"}, codes=["skips_monitoring"],
             entries=["dns datacenter lax"]),
    dns_rule("a DNS rule enabled after monitoring not quite long enough", {"scope": "region", "name": "WEUR", "mode": "enabled"},
             codes=["skips_monitoring"], entries=["dns region WEUR"], hours=3.9),
    dns_rule("a DNS rule enabled after monitoring long enough", {"scope": "region", "name": "WEUR", "mode": "enabled"}, hours=4.1),
    dns_rule("a DNS rule made more sensitive", {**GLOBAL, "mode": "enabled", "profile_sensitivity": "high"}),
    dns_rule("a DNS rule made less sensitive", {**GLOBAL, "mode": "enabled", "profile_sensitivity": "high"}, codes=["lowers_sensitivity"],
             entries=["dns global"], existing={**WITH_DNS, "dns_rules": [{**SYN_ENABLED, "profile_sensitivity": "very_high"}]}),
    removed("the global DNS rule removed", "dns_protection_rule", GLOBAL, codes=["disables_protection"], entries=["dns global"], existing=WITH_DNS),
    RiskCase("every DNS rule removed by purge", "account_protection", {"dns_rules": [], "purge": ["dns_rules"]}, None,
             codes=["disables_protection", "empties_list"], entries=["dns region WEUR", "dns global"], existing=WITH_DNS),
    prefixes("a prefix removed", KEPT, codes=["unprotects_addresses"],
             networks=["203.0.113.0/26", "203.0.113.80/28", "203.0.113.96/27", "203.0.113.128/25"], entries=["203.0.113.0/24"], purge=True),
    prefixes("a prefix excluded", [{"prefix": "192.0.2.0/24", "excluded": True}], codes=["unprotects_addresses"], networks=["192.0.2.0/24"],
             entries=["192.0.2.0/24"]),
    prefixes("a part of one excluded", [{"prefix": "192.0.2.8/29", "excluded": True}], codes=["unprotects_addresses"], networks=["192.0.2.8/29"],
             entries=["192.0.2.8/29"]),
    prefixes("what is excluded already excluded again", [{"prefix": "203.0.113.64/29", "excluded": True}]),
    prefixes("what nobody protects excluded", [{"prefix": "10.0.0.0/8", "excluded": True}]),
    prefixes("a prefix replaced by its halves", [{"prefix": "192.0.2.0/25"}, {"prefix": "192.0.2.128/25"}, *EXISTING["prefixes"][1:]], purge=True),
    prefixes("a prefix replaced by one half", [{"prefix": "192.0.2.0/25"}, *EXISTING["prefixes"][1:]], codes=["unprotects_addresses"],
             networks=["192.0.2.128/25"], entries=["192.0.2.0/24"], purge=True),
    prefixes("an exclusion lifted", [{"prefix": "203.0.113.64/28", "excluded": False}]),
    prefixes("an exclusion removed", EXISTING["prefixes"][:2], purge=True),
    prefixes("another prefix", [{"prefix": "2001:db8::/32"}]),
    prefixes("every prefix excluded", [{"prefix": "0.0.0.0/0", "excluded": True}], codes=["unprotects_addresses", "disables_protection"],
             networks=PROTECTED, entries=["0.0.0.0/0"]),
    prefixes("no prefix left", [], codes=["unprotects_addresses", "disables_protection", "empties_list"],
             networks=PROTECTED,
             entries=["203.0.113.0/24", "192.0.2.0/24"], purge=True),
    prefixes("half a list deleted", hosts(5), codes=["unprotects_addresses", "mass_deletion"], purge=True, existing=many("prefixes", 10)),
    prefixes("four of ten deleted, which is fewer than five", hosts(6), codes=["unprotects_addresses"], purge=True, existing=many("prefixes", 10)),
    status("switched off", False, codes=["disables_protection"],
           networks=PROTECTED, entries=["tcp_protection_status"]),
    status("off already", False, existing=BOTH_OFF),
    status("switched on", True, existing=BOTH_OFF),
    rule("the last rule disabled", {**OUT, "mode": "disabled"}, codes=["disables_protection"], entries=["out_of_state_tcp global"]),
    rule("the last global rule disabled, though one for a region is left", {**SYN, "mode": "disabled"}, codes=["disables_protection"],
         entries=["syn_flood global"],
         existing={**EXISTING, "syn_flood": {"rules": [{"scope": "global", "mode": "enabled"}, {"scope": "region", "name": "WEUR", "mode": "enabled"}]}}),
    rule("the rule that mitigates set back to monitoring", {**SYN, "mode": "monitoring"}, codes=["stops_mitigation"],
         networks=PROTECTED, entries=["syn_flood global"]),
    rule("the global rule set back to monitoring, though one for a region mitigates", {**SYN, "mode": "monitoring"}, codes=["stops_mitigation"],
         entries=["syn_flood global"], existing=mitigating([{"scope": "region", "name": "WEUR", "mode": "enabled"}])),
    rule("the global rule set back to monitoring, though a filter for one port mitigates", {**SYN, "mode": "monitoring"}, codes=["stops_mitigation"],
         existing=mitigating([], [{"expression": "tcp.dstport eq 443", "mode": "enabled"}])),
    rule("the global rule set back to monitoring, where a filter mitigates for half of a prefix", {**SYN, "mode": "monitoring"},
         codes=["stops_mitigation"], networks=["192.0.2.0/25", "203.0.113.0/26", "203.0.113.80/28", "203.0.113.96/27", "203.0.113.128/25"],
         existing=mitigating([], [{"expression": "ip.dst in {192.0.2.128/25}", "mode": "enabled"}])),
    rule("a rule for a region set back to monitoring, where the global one mitigates", {**SYN, "scope": "region", "name": "WEUR", "mode": "monitoring"},
         codes=["stops_mitigation"], networks=PROTECTED, entries=["syn_flood region WEUR"],
         existing=mitigating([{"scope": "region", "name": "WEUR", "mode": "enabled"}])),
    rule("the only rule that mitigates, for a region, set back to monitoring", {**OUT, "scope": "region", "name": "WEUR", "mode": "monitoring"},
         codes=["stops_mitigation"], entries=["out_of_state_tcp region WEUR"],
         existing={**EXISTING, "out_of_state_tcp": {"rules": [{"scope": "global"}, {"scope": "region", "name": "WEUR", "mode": "enabled"}]}}),
    rule("the rule that mitigates set back to monitoring while the protection is off", {**SYN, "mode": "monitoring"}, existing={**EXISTING, "enabled": False}),
    RiskCase("both global rules set back to monitoring", "account_protection", {"rules": [{**SYN, "mode": "monitoring"}, {**OUT, "mode": "monitoring"}]},
             None, codes=["stops_mitigation"], entries=["syn_flood global", "out_of_state_tcp global"], existing=mitigating([])),
    RiskCase("one component disabled and the other set back to monitoring", "account_protection",
             {"rules": [{**SYN, "mode": "monitoring"}, {**OUT, "mode": "disabled"}]}, None, codes=["stops_mitigation", "disables_protection"],
             entries=["syn_flood global"], existing=mitigating([])),
    filter_("a filter that mitigates for a network set back to monitoring",
            {"kind": "syn_flood", "expression": "ip.dst in {192.0.2.0/25}", "mode": "monitoring"},
            codes=["stops_mitigation"], networks=["192.0.2.0/25"], entries=["syn_flood ip.dst in {192.0.2.0/25}"],
            existing=mitigating([], [{"expression": "ip.dst in {192.0.2.0/25}", "mode": "enabled"}])),
    filter_("a new filter that lets a network go with monitoring only", {"kind": "syn_flood", "expression": "ip.dst in {192.0.2.0/25}"},
            codes=["stops_mitigation"], networks=["192.0.2.0/25"], entries=["syn_flood ip.dst in {192.0.2.0/25}"], existing=mitigating([])),
    filter_("a new filter that only monitors one port", {"kind": "syn_flood", "expression": "tcp.dstport eq 22"}, codes=["stops_mitigation"],
            networks=PROTECTED, entries=["syn_flood tcp.dstport eq 22"], existing=mitigating([])),
    filter_("a new filter that disables all ports but one", {"kind": "syn_flood", "expression": "tcp.dstport ne 22", "mode": "disabled"},
            codes=["stops_mitigation"], entries=["syn_flood tcp.dstport ne 22"], existing=mitigating([])),
    RiskCase("two filters that together take all traffic from the rule of a region", "account_protection",
             {"filters": [{"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 1024"},
                          {"kind": "out_of_state_tcp", "expression": "not (tcp.dstport eq 1024)", "mode": "disabled"}]}, None,
             codes=["stops_mitigation"], networks=PROTECTED,
             entries=["out_of_state_tcp not (tcp.dstport eq 1024)", "out_of_state_tcp tcp.dstport eq 1024"],
             existing={**EXISTING, "out_of_state_tcp": {"rules": [
                 {"scope": "global", "mode": "disabled"}, {"scope": "region", "name": "EEUR", "mode": "enabled"}]}}),
    filter_("a new filter for a port where nothing mitigates", {"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 22", "mode": "disabled"}),
    removed("a filter that mitigates removed, where the global rule does too", "protection_filter",
            {"kind": "syn_flood", "expression": "ip.dst in {192.0.2.0/25}"},
            existing=mitigating([], [{"expression": "ip.dst in {192.0.2.0/25}", "mode": "enabled"}])),
    removed("the filter that mitigates removed, where the global rule monitors", "protection_filter",
            {"kind": "out_of_state_tcp", "expression": "tcp.dstport eq 22"}, codes=["stops_mitigation"], entries=["out_of_state_tcp tcp.dstport eq 22"],
            existing={**EXISTING, "out_of_state_tcp": {"rules": [{"scope": "global"}], "filters": [{"expression": "tcp.dstport eq 22", "mode": "enabled"}]}}),
    rule("a rule for a region disabled, the global one left", {**SYN, "scope": "region", "name": "WEUR", "mode": "disabled"},
         codes=["stops_mitigation"], entries=["syn_flood region WEUR"],
         existing={**EXISTING, "syn_flood": {"rules": [{"scope": "global", "mode": "enabled"}, {"scope": "region", "name": "WEUR", "mode": "enabled"}]}}),
    rule("a new rule enabled", {"kind": "syn_flood", "scope": "datacenter", "name": "lax", "mode": "enabled"}, codes=["skips_monitoring"],
         entries=["syn_flood datacenter lax"]),
    rule("a disabled rule enabled", {"kind": "syn_flood", "scope": "region", "name": "WEUR", "mode": "enabled"}, codes=["skips_monitoring"],
         entries=["syn_flood region WEUR"], hours=100),
    rule("a rule enabled after monitoring a moment", {**OUT, "mode": "enabled"}, codes=["skips_monitoring"], entries=["out_of_state_tcp global"]),
    rule("a rule enabled after monitoring not quite long enough", {**OUT, "mode": "enabled"}, codes=["skips_monitoring"], entries=["out_of_state_tcp global"],
         hours=3.9),
    rule("a rule enabled after monitoring long enough", {**OUT, "mode": "enabled"}, hours=4.1),
    RiskCase("a rule enabled although no traffic was seen", "protection_rule", {**OUT, "mode": "enabled", "rollout_evidence": {}},
             {"rules": [{**OUT, "mode": "enabled"}], "rollout_evidence": {}}, codes=["drops_traffic"], entries=["out_of_state_tcp global"], hours=48),
    rule("an enabled rule changed", {**SYN, "mode": "enabled", "rate_sensitivity": "high"}),
    rule("an enabled rule made less sensitive", {**SYN, "mode": "enabled", "rate_sensitivity": "low", "burst_sensitivity": "low"},
         codes=["lowers_sensitivity"], entries=["syn_flood global"]),
    rule("an enabled rule made less sensitive while the protection is off", {**SYN, "mode": "enabled", "rate_sensitivity": "low"},
         codes=["lowers_sensitivity"], entries=["syn_flood global"], existing={**EXISTING, "enabled": False}),
    rule("a rule that goes on monitoring made less sensitive", {**OUT, "burst_sensitivity": "low"}, hours=100),
    rule("a rule enabled after monitoring with more sensitivity", {**OUT, "mode": "enabled", "burst_sensitivity": "low"},
         codes=["lowers_sensitivity"], entries=["out_of_state_tcp global"], hours=4.1),
    RiskCase("a rule made less sensitive while it monitors before it is enabled", "protection_rule",
             {**OUT, "mode": "enabled", "burst_sensitivity": "low", "staged_rollout": True},
             {"rules": [{**OUT, "mode": "enabled", "burst_sensitivity": "low"}], "staged_rollout": True},
             codes=["lowers_sensitivity"], entries=["out_of_state_tcp global"]),
    rule("a new rule enabled for a region, less sensitive than the global one",
         {**SYN, "scope": "region", "name": "WEUR", "mode": "enabled", "rate_sensitivity": "low"},
         codes=["lowers_sensitivity", "skips_monitoring"], entries=["syn_flood region WEUR"], existing=mitigating([])),
    removed("a rule for a region removed, more sensitive than the global one", "protection_rule", {**SYN, "scope": "region", "name": "WEUR"},
            codes=["lowers_sensitivity"], entries=["syn_flood region WEUR"],
            existing=mitigating([{"scope": "region", "name": "WEUR", "mode": "enabled", "burst_sensitivity": "high"}])),
    rule("a disabled rule made less sensitive", {**SYN, "scope": "region", "name": "WEUR", "mode": "disabled", "rate_sensitivity": "low"}),
    rule("a rule of a level that this release does not know made less sensitive", {**SYN, "mode": "enabled", "rate_sensitivity": "low"},
         existing={**EXISTING, "syn_flood": {"rules": [{**SYN_ENABLED, "rate_sensitivity": "extreme"}]}}),
    rule("a rule made less sensitive in one way, and more in another", {**SYN, "mode": "enabled", "rate_sensitivity": "low", "burst_sensitivity": "high"},
         codes=["lowers_sensitivity"], entries=["syn_flood global"]),
    rule("a new rule that monitors", {"kind": "syn_flood", "scope": "datacenter", "name": "lax"}, codes=["stops_mitigation"],
         entries=["syn_flood datacenter lax"]),
    rule("a new rule that monitors where nothing mitigates", {"kind": "out_of_state_tcp", "scope": "datacenter", "name": "lax"}),
    filter_("a new filter enabled", {"kind": "syn_flood", "expression": "tcp.dstport eq 22", "mode": "enabled"}, codes=["skips_monitoring"],
            entries=["syn_flood tcp.dstport eq 22"]),
    filter_("a disabled filter enabled", {"kind": "syn_flood", "expression": "tcp.dstport eq 80", "mode": "enabled"}, codes=["skips_monitoring"],
            entries=["syn_flood tcp.dstport eq 80"]),
    filter_("a filter enabled in time", {"kind": "syn_flood", "expression": "tcp.dstport eq 443", "mode": "enabled"}, hours=5),
    filter_("a disabled filter", {"kind": "syn_flood", "expression": "tcp.dstport eq 22", "mode": "disabled"}, codes=["stops_mitigation"],
            entries=["syn_flood tcp.dstport eq 22"]),
    allowlist("a wide network", [{"prefix": "10.0.0.0/23"}], codes=["broad_allowlist"], networks=["10.0.0.0/23"], entries=["10.0.0.0/23"]),
    allowlist("a network that is just not too wide", [{"prefix": "10.0.0.0/24"}]),
    allowlist("a wide network that is not active", [{"prefix": "10.0.0.0/8", "enabled": False}]),
    allowlist("two halves of a wide network", [{"prefix": "10.0.0.0/24"}, {"prefix": "10.0.1.0/24"}], codes=["broad_allowlist"],
              networks=["10.0.0.0/23"], entries=["10.0.0.0/24", "10.0.1.0/24"]),
    allowlist("four quarters of a wide network", [{"prefix": f"10.0.{third}.{last}/25"} for third in (2, 3) for last in (0, 128)],
              codes=["broad_allowlist"], networks=["10.0.2.0/23"], entries=["10.0.2.0/25", "10.0.2.128/25", "10.0.3.0/25", "10.0.3.128/25"]),
    allowlist("two halves of a network that is not too wide", [{"prefix": "10.0.0.0/25"}, {"prefix": "10.0.0.128/25"}]),
    allowlist("neighbours that are no network together", [{"prefix": "10.0.1.0/24"}, {"prefix": "10.0.2.0/24"}]),
    allowlist("what was allowed and its other half, in one network that is not too wide", [{"prefix": "198.51.100.128/25"}]),
    allowlist("a neighbour of what was allowed", [{"prefix": "198.51.100.128/25"}, {"prefix": "198.51.101.0/24"}], codes=["broad_allowlist"],
              networks=["198.51.100.0/23"], entries=["198.51.100.128/25", "198.51.101.0/24"]),
    allowlist("everybody, in two halves", [{"prefix": "0.0.0.0/1"}, {"prefix": "128.0.0.0/1"}], codes=["broad_allowlist", "allowlists_own_prefix"],
              networks=["0.0.0.0/0"], entries=["0.0.0.0/1", "128.0.0.0/1"]),
    allowlist("a wide network of IPv6", [{"prefix": "2001:db8::/47"}], codes=["broad_allowlist"], networks=["2001:db8::/47"],
              entries=["2001:db8::/47"]),
    allowlist("a network of IPv6 that is just not too wide", [{"prefix": "2001:db8::/48"}]),
    allowlist("a wide entry made active", [{"prefix": "10.8.0.0/16", "enabled": True}], codes=["broad_allowlist"], networks=["10.8.0.0/16"],
              entries=["10.8.0.0/16"], existing={**EXISTING, "allowlist": [{"prefix": "10.8.0.0/16", "enabled": False}]}),
    allowlist("another entry beside a wide one", [{"prefix": "172.16.0.1"}], existing={**EXISTING, "allowlist": [{"prefix": "10.8.0.0/16"}]}),
    allowlist("a part of what is allowed already", [{"prefix": "10.8.0.0/17"}], existing={**EXISTING, "allowlist": [{"prefix": "10.8.0.0/16"}]}),
    allowlist("two hundred and one entries", hosts(200), codes=["broad_allowlist"]),
    allowlist("two hundred entries", hosts(199)),
    allowlist("fewer entries than before, and still many", hosts(205, enabled=False)[:2], existing=many("allowlist", 210)),
    allowlist("an own network", [{"prefix": "192.0.2.7"}], codes=["allowlists_own_prefix"], networks=["192.0.2.7/32"], entries=["192.0.2.7/32"]),
    allowlist("an own network, carved out already", [{"prefix": "203.0.113.64"}], codes=["allowlists_own_prefix"], networks=["203.0.113.64/32"],
              entries=["203.0.113.64/32"]),
    allowlist("an own network that is not active", [{"prefix": "192.0.2.7", "enabled": False}]),
    allowlist("an entry disabled", [{"prefix": "198.51.100.0/25", "enabled": False}]),
    allowlist("an entry removed", [{"prefix": "198.51.100.0/25"}], purge=True),
    allowlist("no entry left", [], codes=["empties_list"], networks=["198.51.100.0/25"], entries=["198.51.100.0/25"], purge=True),
    allowlist("an empty list, with purge, where there is no entry", [], purge=True, existing={**EXISTING, "allowlist": []}),
    allowlist("an empty list without purge", []),
    removed("the only entry removed by name", "allowlist_entry", {"prefix": "198.51.100.7"},
            existing={**EXISTING, "allowlist": [{"prefix": "198.51.100.7"}]}),
    removed("the only entry and its duplicate removed by name", "allowlist_entry", {"prefix": "198.51.100.7"},
            existing={**EXISTING, "allowlist": [{"prefix": "198.51.100.7"}, {"prefix": "198.51.100.7"}]}),
    removed("every entry removed by name", "allowlist", {"entries": EXISTING["allowlist"]}),
    removed("the only filter removed by name", "protection_filter", {"kind": "syn_flood", "expression": "tcp.dstport eq 443"},
            existing={**EXISTING, "syn_flood": {"rules": [SYN_ENABLED], "filters": [{"expression": "tcp.dstport eq 443"}]}}),
    allowlist("many entries removed", hosts(6), codes=["mass_deletion"], purge=True, existing=many("allowlist", 11)),
    allowlist("30 % of the entries removed", hosts(14), purge=True, existing=many("allowlist", 20)),
    RiskCase("the only filter removed by purge, which is disabled", "account_protection", {"filters": [], "purge": ["filters"]}, None,
             existing={**EXISTING, "syn_flood": {"rules": [SYN_ENABLED], "filters": [{"expression": "tcp.dstport eq 443", "mode": "disabled"}]}}),
    RiskCase("the only filter removed by purge, which monitors", "account_protection", {"filters": [], "purge": ["filters"]}, None,
             codes=["empties_list"], entries=["syn_flood tcp.dstport eq 443"],
             existing={**EXISTING, "syn_flood": {"rules": [SYN_ENABLED], "filters": [{"expression": "tcp.dstport eq 443", "mode": "monitoring"}]}}),
    prefixes("every excluded prefix removed by purge", [], purge=True, existing={**EXISTING, "prefixes": [{"prefix": "192.0.2.0/24", "excluded": True}]}),
    allowlist("entries removed that are disabled", [], purge=True, existing={**EXISTING, "allowlist": hosts(6, enabled=False)}),
    removed("the last rule removed while the protection is off", "protection_rule", {"kind": "syn_flood", "scope": "global"}, existing=BOTH_OFF),
    removed("a disabled filter removed whose expression is not understood", "protection_filter", {"kind": "syn_flood", "expression": "tcp.flags eq 2"},
            existing={**EXISTING, "syn_flood": {"rules": [{"scope": "global", "mode": "disabled"}],
                                                "filters": [{"expression": "tcp.flags eq 2", "mode": "disabled"}]}}),
    removed("a filter removed whose expression is not understood, and which monitors", "protection_filter",
            {"kind": "syn_flood", "expression": "tcp.flags eq 2"}, codes=["disables_protection"], entries=["syn_flood tcp.flags eq 2"],
            existing={**EXISTING, "syn_flood": {"rules": [{"scope": "global", "mode": "disabled"}],
                                                "filters": [{"expression": "tcp.flags eq 2", "mode": "monitoring"}]}}),
    in_list("a list deleted that no rule refers to", {"state": "absent"}, references=0),
    in_list("the last items removed by name, of a list that rules refer to", {"items": OFFICES, "state": "absent"},
            codes=["removes_referenced_list"], entries=["offices"]),
    in_list("the last items removed by name, of a list that no rule refers to", {"items": OFFICES, "state": "absent"}, references=0),
    in_list("a list emptied by purge, which an empty source must not do", {"items": [], "purge": True}, references=0,
            codes=["empties_list"], networks=["192.0.2.1/32", "198.51.100.0/24"], entries=["offices 198.51.100.0/24", "offices 192.0.2.1"]),
    in_list("an item of a list removed", {"items": OFFICES[:1], "purge": True}),
    in_list("an item of a list replaced", {"items": [{"ip": "203.0.113.9"}], "purge": True}),
    of_firewall("an item that makes a rule let every packet pass", "skip", REST, codes=["skips_everything"], entries=["offices"]),
    of_firewall("an item that makes a rule block every packet", "block", REST, codes=["blocks_everything"], entries=["offices"]),
    of_firewall("an item that makes a rule let more packets pass", "skip", [{"ip": "10.128.0.0/10"}]),
    of_firewall("an item with another comment, of a rule that blocks every packet", "block", [{"ip": "10.0.0.0/8", "comment": "all"}],
                items=[{"ip": "10.0.0.0/8"}]),
    of_firewall("an item that takes a rule its packets", "block", HALF[:1], "and not ip.src in {203.0.113.9}", state="absent",
                codes=["weakens_network_firewall"], entries=["offices"]),
    RiskCase("half the items of a list deleted", "ip_list", {"name": "offices", "items": many_items(5), "purge": True}, None,
             codes=["mass_deletion"], existing={"lists": [{"name": "offices", "items": many_items(10)}]}),
    RiskCase("a list deleted because the task does not name it", "ip_lists", {"lists": [], "purge": True}, None,
             codes=["empties_list"], entries=["offices"], existing={"lists": [{"name": "offices", "items": OFFICES}]}),
)  # fmt: skip
