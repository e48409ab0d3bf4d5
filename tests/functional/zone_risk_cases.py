# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of one zone's custom rules and firewall rules, with the risks that each has, and harmless neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.functional.idempotence_cases import (
    EXCEPTIONS,
    L4_OVERRIDES,
    L7,
    L7_OVERRIDES,
    MANAGED,
    PER_ADDRESS,
    SYN_FLOOD,
    override,
)
from tests.functional.risk_cases import RiskCase

Rule = dict[str, Any]

EVERYBODY = "ip.src in {0.0.0.0/1 128.0.0.0/1 ::/0}"
NEARLY_HALF = "ip.src in {0.0.0.0/2 128.0.0.0/3 2000::/5}"
SCRAPER = 'http.user_agent contains "scraper"'
SKIP = {"action": "skip", "action_parameters": {"ruleset": "current"}}
OFFICE = {"ref": "office", **SKIP, "expression": "ip.src in {192.0.2.0/24}"}
FOUR: Sequence[Rule] = (
    {"ref": "login", "action": "managed_challenge", "expression": 'http.request.uri.path eq "/login"'},
    {"ref": "scrapers", "action": "block", "expression": SCRAPER},
    {"ref": "admin", "action": "block", "expression": 'starts_with(http.request.uri.path, "/admin")'},
    {"ref": "form", "action": "js_challenge", "expression": 'http.request.uri.path eq "/form"'},
)
BOTS = {"ref": "bots", "action": "log", "expression": "cf.client.bot"}
SHOP: Sequence[Rule] = (OFFICE, *FOUR, BOTS)
TEN: Sequence[Rule] = [{"ref": f"r{number}", "action": "block", "expression": f"ip.src eq 198.51.100.{number}"} for number in range(10)]  # fmt: skip
OFF = {"enabled": False}
PACKET_RULES: Sequence[Rule] = (
    {"ref": "telnet", "action": "block", "expression": "tcp.dstport in {23 2323}"},
    {"ref": "reflection", "action": "block", "expression": "udp.srcport in {123 389}"},
    {"ref": "bogons", "action": "block", "expression": "ip.src in {10.0.0.0/8}"},
)
PACKET_SKIP: Rule = {"action": "skip", "action_parameters": {"ruleset": "current"}}


def custom(
    name: str,
    rules: Sequence[Rule],
    existing: Sequence[Rule] = SHOP,
    state: str = "present",
    purge: bool = False,
    **expected: Any,
) -> RiskCase:
    options = {"rules": rules, "state": state, "purge": purge}
    return RiskCase(name, "custom_rules", options, None, existing={"custom_rules": existing}, **expected)


def exactly(name: str, rules: Sequence[Rule], existing: Sequence[Rule] = SHOP, **expected: Any) -> RiskCase:
    return custom(name, rules, existing, purge=True, **expected)


def firewall(name: str, rules: Sequence[Rule], existing: Sequence[Rule] | None = None, **expected: Any) -> RiskCase:
    existing = FIREWALL if existing is None else existing
    return RiskCase(name, "firewall_rules", {"rules": rules}, None, existing={"rules": existing}, **expected)


def everybody(action: str, **fields: Any) -> dict[str, Any]:
    parameters = {"action_parameters": {"ruleset": "current"}} if action == "skip" else {}
    return {"ref": "everybody", "action": action, "expression": EVERYBODY, **parameters, **fields}


def packets(
    name: str,
    rules: Sequence[Rule],
    existing: Sequence[Rule] | None = None,
    state: str = "present",
    purge: bool = False,
    **expected: Any,
) -> RiskCase:
    options = {"rules": rules, "state": state, "purge": purge}
    existing = PACKET_RULES if existing is None else existing
    return RiskCase(
        name, "network_firewall_rules", options, None, existing={"network_firewall_rules": existing}, **expected
    )


LOGIN_LIMIT = {"ref": "login", "action": "block", "expression": 'http.request.uri.path eq "/login"', "ratelimit": PER_ADDRESS}  # fmt: skip


def managed(name: str, rules: Sequence[Rule], state: str = "present", purge: bool = False, **expected: Any) -> RiskCase:
    return RiskCase(
        name, "managed_rules", {"rules": rules, "state": state, "purge": purge}, None, existing=EXCEPTIONS, **expected
    )


def rates(name: str, rules: Sequence[Rule], state: str = "present", purge: bool = False, **expected: Any) -> RiskCase:
    options, existing = {"rules": rules, "state": state, "purge": purge}, {"rate_limit_rules": [LOGIN_LIMIT]}
    return RiskCase(name, "rate_limit_rules", options, None, existing=existing, **expected)


def identity(number: int) -> str:
    return f"{number:032x}"


def rule(number: int, action: str, expression: str, filter_: int = 0, **fields: Any) -> dict[str, Any]:
    """A firewall rule with a filter of its own, or with one that several have."""
    nested = {"id": identity(filter_ or number + 100), "expression": expression}
    return {"id": identity(number), "action": action, "filter": nested, **fields}


FIREWALL: Sequence[Rule] = (
    rule(1, "block", SCRAPER, priority=10, description="scrapers"),
    rule(2, "challenge", 'http.request.uri.path eq "/login"', filter_=99, priority=20),
    rule(3, "block", 'http.request.uri.path eq "/login"', filter_=99, priority=30),
    rule(4, "managed_challenge", 'http.request.uri.path eq "/login"', filter_=99),
    rule(5, "allow", "ip.src in {192.0.2.0/24}", priority=5),
    rule(6, "log", "true", priority=1),
    rule(7, "bypass", "ip.src in {198.51.100.0/24}", products=["waf"], priority=40),
    rule(8, "block", "true", paused=True, priority=50),
)

SHOP_TODAY = {
    "custom_rules": SHOP,
    "requests": [
        {
            "clientRequestPath": path,
            "clientIP": "203.0.113.7",
            "userAgent": "curl",
            "clientCountryName": "DE",
            "count": 50,
        }
        for path in ("/", "/shop")
    ],
}


def tried(name: str, action: str, country: str, most: float, **expected: Any) -> RiskCase:
    rule = {"ref": "country", "action": action, "expression": f'ip.src.country eq "{country}"'}
    options = {"rules": [rule], "backtest": {"max_blocked_percent": most}}
    return RiskCase(name, "custom_rules", options, None, existing=SHOP_TODAY, **expected)


ZONE_RISK_CASES = (
    tried("a rule that blocks what passes today", "block", "DE", 5, codes=["blocks_traffic"], entries=["country"]),
    tried("a rule that blocks no more than allowed", "block", "FR", 0),
    tried("a rule that logs what passes today", "log", "DE", 0),
    RiskCase("a DDoS override that is essentially off", "ddos_l4_overrides",
             {"overrides": [{"ref": "test", "expression": "ip.dst in {203.0.113.0/24}", "sensitivity": "eoff", "position": "first"}]},
             None, existing=L4_OVERRIDES,
             codes=["weakens_ddos_rules"], networks=["203.0.113.0/24"], entries=["test"]),
    RiskCase("a DDoS override that logs one rule", "ddos_l4_overrides",
             {"overrides": [{"ref": "strict", "rules": [{"id": SYN_FLOOD, "action": "log"}]}]}, None, existing=L4_OVERRIDES,
             codes=["weakens_ddos_rules"], entries=["strict"]),
    RiskCase("a DDoS override that blocks more", "ddos_l4_overrides", {"overrides": [{"ref": "calm", "action": "block", "sensitivity": "default"}]},
             None, existing=L4_OVERRIDES),
    RiskCase("HTTP DDoS rules that all block", "ddos_l7_overrides", {"overrides": [{"ref": "all", "expression": "true", "action": "block"}]},
             None, existing={"ddos_l7_overrides": []}, codes=["blocks_everything"], entries=["all"]),
    RiskCase("DDoS rules of a category that all block packets", "ddos_l4_overrides",
             {"overrides": [{"ref": "all", "expression": "true", "categories": [{"category": "syn", "action": "block"}]}]},
             None, existing={"ddos_l4_overrides": []}, codes=["blocks_everything"], entries=["all"]),
    RiskCase("HTTP DDoS rules that all block a path", "ddos_l7_overrides",
             {"overrides": [{"ref": "some", "expression": 'http.request.uri.path eq "/admin"', "action": "block"}]}, None,
             existing={"ddos_l7_overrides": []}),
    RiskCase("an HTTP DDoS override that logs", "ddos_l7_overrides", {"overrides": [{"ref": "upload", "action": "log"}]}, None, existing=L7_OVERRIDES,
             codes=["weakens_ddos_rules"], entries=["upload"]),
    managed("managed rules that only log", [
        {"ref": "managed", "action_parameters": {"id": MANAGED, "overrides": {"action": "log"}}}],
        codes=["weakens_managed_rules"], entries=["managed"]),
    managed("managed rules that all block", [
        {"ref": "managed", "action_parameters": {"id": MANAGED, "overrides": {"action": "block"}}}],
        codes=["blocks_everything"], entries=["managed"]),
    managed("managed rules that all block, for a path", [
        {"ref": "managed", "expression": 'starts_with(http.request.uri.path, "/admin")',
         "action_parameters": {"id": MANAGED, "overrides": {"action": "block"}}}], codes=["weakens_managed_rules"], entries=["managed"]),
    managed("managed rules that are no longer deployed", [{"ref": "managed"}], state="absent",
            codes=["weakens_managed_rules"], entries=["managed"]),
    managed("one exception fewer", [{"ref": "scanner"}], state="absent"),
    rates("a rate limit that takes more requests", [{"ref": "login", "ratelimit": {"requests_per_period": 6}}], codes=["weakens_rate_limits"],
          entries=["login"]),
    rates("the same number of requests in a shorter period", [{"ref": "login", "ratelimit": {"period": 30}}], codes=["weakens_rate_limits"],
          entries=["login"]),
    rates("the same rate in a longer period, so that more may come at once", [{"ref": "login", "ratelimit": {"period": 600, "requests_per_period": 50}}],
          codes=["weakens_rate_limits"], entries=["login"]),
    rates("the same rate in a shorter period", [{"ref": "login", "ratelimit": {"period": 12, "requests_per_period": 1}}]),
    rates("a rate limit that acts for a shorter time", [{"ref": "login", "ratelimit": {"mitigation_timeout": 10}}], codes=["weakens_rate_limits"],
          entries=["login"]),
    rates("a rate limit that challenges where it blocked, and perhaps other requests",
          [{"ref": "login", "action": "managed_challenge", "expression": 'http.host eq "a.example"', "ratelimit": {"mitigation_timeout": 0}}],
          codes=["weakens_rate_limits"], entries=["login"]),
    rates("a rate limit for perhaps other requests", [{"ref": "login", "expression": 'http.host eq "a.example"'}],
          codes=["weakens_rate_limits"], entries=["login"]),
    rates("a rate limit that challenges where it blocked", [{"ref": "login", "action": "managed_challenge", "ratelimit": {"mitigation_timeout": 0}}]),
    rates("a rate limit that only logs", [{"ref": "login", "action": "log"}], codes=["weakens_rate_limits"], entries=["login"]),
    rates("a rate limit disabled", [{"ref": "login", **OFF}], codes=["weakens_rate_limits"], entries=["login"]),
    rates("a rate limit for fewer requests", [{"ref": "login", "expression": 'http.request.uri.path eq "/login" and ssl'}], codes=["weakens_rate_limits"],
          entries=["login"]),
    rates("a rate limit for more requests", [{"ref": "login", "expression": 'http.request.uri.path in {"/login" "/form"}'}]),
    rates("a rate limit with one more counter", [{"ref": "login", "ratelimit": {"characteristics": ["cf.colo.id", "ip.src", "http.host"]}}],
          codes=["weakens_rate_limits"], entries=["login"]),
    rates("a rate limit with one counter fewer", [{"ref": "login", "ratelimit": {"characteristics": ["cf.colo.id"]}}]),
    rates("a rate limit with another counter", [{"ref": "login", "ratelimit": {"characteristics": ["cf.colo.id", "http.host"]}}],
          codes=["weakens_rate_limits"], entries=["login"]),
    rates("a rate limit that no longer counts what the cache answers", [{"ref": "login", "ratelimit": {"requests_to_origin": True}}],
          codes=["weakens_rate_limits"], entries=["login"]),
    rates("a rate limit that counts otherwise", [{"ref": "login", "ratelimit": {"counting_expression": "http.response.code eq 401"}}],
          codes=["weakens_rate_limits"], entries=["login"]),
    rates("a rate limit that counts its own requests, said so", [{"ref": "login", "ratelimit": {"counting_expression": 'http.request.uri.path eq "/login"'}}]),
    rates("a rate limit removed", [{"ref": "login"}], state="absent", codes=["weakens_rate_limits"], entries=["login"]),
    rates("a rate limit under another ref", [{**LOGIN_LIMIT, "ref": "new"}], purge=True),
    RiskCase("an HTTP DDoS override that is split in two", "ddos_l7_overrides",
             {"overrides": [{"ref": "all", "expression": 'http.request.uri.path eq "/upload"', "action": "block"},
                            {"ref": "rest", "expression": 'http.request.uri.path ne "/upload"', "action": "block"}]}, None,
             existing={"ddos_l7_overrides": [override("all", "true", L7, action="block")]}),
    RiskCase("a DDoS override that is essentially off for all but TCP", "ddos_l4_overrides",
             {"overrides": [{"ref": "others", "expression": "not tcp.dstport in {0..65535}", "sensitivity": "eoff", "position": "first"}]},
             None, existing=L4_OVERRIDES, codes=["weakens_ddos_rules"], entries=["others"]),
    RiskCase("a lower security level", "security_level", {"level": "high"}, None, existing={"security_level": {"value": "under_attack"}},
             codes=["lowers_sensitivity"], entries=["security_level"]),
    RiskCase("a security level in the place of a word of the future", "security_level", {"level": "under_attack"}, None,
             existing={"security_level": {"value": "extreme"}}, codes=["lowers_sensitivity"], entries=["security_level"]),
    RiskCase("another level that challenges nobody", "security_level", {"level": "off"}, None, existing={"security_level": {"value": "high"}}),
    RiskCase("a higher security level", "security_level", {"level": "high"}, None, existing={"security_level": {"value": "essentially_off"}}),
    packets("the only block, of all but TCP, removed", [{"ref": "others"}], [{"ref": "others", "action": "block",
            "expression": "not tcp.dstport in {0..65535}"}], state="absent", codes=["weakens_network_firewall"], entries=["others"]),
    packets("every rule that blocks packets disabled or logged",
            [{"ref": "telnet", "action": "log"}, {"ref": "reflection", "action": "skip"}, {"ref": "bogons", **OFF}],
            codes=["weakens_network_firewall"], entries=["telnet", "reflection", "bogons"]),
    packets("two of three that block packets disabled", [{"ref": "telnet", **OFF}, {"ref": "bogons", **OFF}]),
    packets("a skip of every packet", [{"ref": "all", "action": "skip", "expression": "ip.dst in {0.0.0.0/0 ::/0}", "position": "before bogons"}],
            codes=["skips_everything"],
            entries=["all"]),
    packets("a block of every packet", [{"ref": "all", "action": "block", "expression": "true"}], codes=["blocks_everything"], entries=["all"]),
    packets("a block of ICMP and a skip of SIP", [{"ref": "icmp", "action": "block", "expression": 'ip.proto eq "icmp"'},
            {"ref": "sip", "action": "skip", "expression": "sip"}]),
    packets("a block of TCP", [{"ref": "tcp", "action": "block", "expression": 'ip.proto eq "tcp"'}], codes=["blocks_everything"], entries=["tcp"]),
    packets("a block of UDP, without which TCP goes on", [{"ref": "udp", "action": "block", "expression": 'ip.proto eq "udp"'}]),
    packets("a skip of UDP", [{"ref": "udp", "action": "skip", "expression": 'ip.proto eq "udp"', "position": "before bogons"}], codes=["skips_everything"],
            entries=["udp"]),
    packets("a skip of every packet behind which nothing stands", [{"ref": "all", "action": "skip", "expression": "true"}]),
    packets("a skip of nearly everything, once a skip of everything in front of it is removed", [{"ref": "office"}, {"ref": "all"}],
            [{"ref": "office", "action": "block", "expression": "ip.src in {198.51.100.0/24}"}, {"ref": "all", **PACKET_SKIP, "expression": "true"},
             {"ref": "most", **PACKET_SKIP, "expression": "not ip.src in {192.0.2.0/24 198.51.100.0/24}"}, *PACKET_RULES], state="absent"),
    packets("a block of half of IPv4", [{"ref": "half", "action": "block", "expression": "ip.src in {0.0.0.0/1}"}], codes=["blocks_everything"],
            entries=["half"]),
    packets("a block of everything but an office", [{"ref": "others", "action": "block", "expression": "not ip.src in {203.0.113.0/24}"}],
            codes=["blocks_everything"], entries=["others"]),
    packets("a block of one port and one network", [{"ref": "few", "action": "block", "expression": "tcp.dstport eq 443 or ip.src in {10.0.0.0/8}"}]),
    packets("no rule of packets left", [], purge=True, codes=["empties_list", "weakens_network_firewall"]),
    custom("every rule that blocks or challenges disabled", [{"ref": item["ref"], **OFF} for item in FOUR], codes=["weakens_zone"],
           entries=["login", "scrapers", "admin", "form"]),
    custom("three of four removed", [{"ref": ref} for ref in ("login", "scrapers", "form")], state="absent", codes=["weakens_zone"],
           entries=["login", "scrapers", "form"]),
    custom("three of four turned into log and skip, or matching nothing",
           [{"ref": "login", "action": "log"}, {"ref": "admin", **SKIP}, {"ref": "form", "expression": "ip.src in {::/0} and not ip.src in {::/0}"}],
           codes=["weakens_zone"], entries=["login", "admin", "form"]),
    custom("a rule that no request matches, in other words", [{"ref": "none", "expression": "ssl and not ssl"}],
           [{"ref": "none", "action": "block", "expression": "not true"}]),
    custom("a rule disabled that no request matches", [{"ref": "none", "enabled": False}], [{"ref": "none", "action": "block", "expression": "false"}]),
    exactly("rules removed that are disabled, or skip", [], [{**FOUR[0], **OFF}, everybody("skip")]),
    custom("two of four disabled, which is fewer than three", [{"ref": "login", **OFF}, {"ref": "admin", **OFF}]),
    custom("three of ten disabled, which is 30 %", [{"ref": item["ref"], **OFF} for item in TEN[:3]], TEN),
    custom("four of ten disabled", [{"ref": item["ref"], **OFF} for item in TEN[:4]], TEN, codes=["weakens_zone"], entries=["r0", "r1", "r2", "r3"]),
    custom("the only one removed by name", [{"ref": "login"}], FOUR[:1], "absent", codes=["weakens_zone"], entries=["login"]),
    custom("the only one that is enabled disabled", [{"ref": "login", **OFF}], [FOUR[0], {**FOUR[1], **OFF}], codes=["weakens_zone"], entries=["login"]),
    custom("one that was disabled removed", [{"ref": "login"}], [{**FOUR[0], **OFF}], "absent"),
    custom("a rule that logs and one that skips removed", [{"ref": "bots"}, {"ref": "office"}], state="absent"),
    custom("challenges turned into blocks, and a block into a challenge",
           [{"ref": "login", "action": "block"}, {"ref": "form", "action": "block"}, {"ref": "admin", "action": "challenge"}]),
    custom("expressions changed", [{"ref": item["ref"], "expression": "ip.src eq 203.0.113.7"} for item in FOUR]),
    exactly("every rule under another ref", [OFFICE, *({**item, "ref": f"new-{item['ref']}"} for item in FOUR), BOTS]),
    exactly("every rule under another ref, and three of them disabled",
            [OFFICE, *({**item, "ref": f"new-{item['ref']}", "enabled": item is FOUR[0]} for item in FOUR), BOTS], codes=["weakens_zone"],
            entries=["scrapers", "admin", "form"]),
    RiskCase("a narrowed rule, where no traffic may pass", "custom_rules",
             {"rules": [{"ref": "admin", "expression": 'starts_with(http.request.uri.path, "/admin") and ssl'}], "limits": {"passes_traffic": False}},
             None, codes=["passes_traffic"], entries=["admin"], existing={"custom_rules": SHOP}),
    RiskCase("a narrowed rule, where traffic may pass", "custom_rules",
             {"rules": [{"ref": "admin", "expression": 'starts_with(http.request.uri.path, "/admin") and ssl'}], "limits": {"passes_traffic": True}},
             None, existing={"custom_rules": SHOP}),
    exactly("no rule left", [], codes=["mass_deletion", "empties_list", "weakens_zone"]),
    exactly("everything in another order", [{"ref": item["ref"]} for item in reversed(SHOP)]),
    custom("a skip of everything first", [everybody("skip", position="first")], codes=["weakens_zone", "skips_everything"]),
    custom("a skip of everything behind which nothing stands", [everybody("skip")]),
    custom("a skip of everything before the last rule that stops", [everybody("skip", position="before form")], codes=["skips_everything"],
           entries=["everybody"]),
    custom("a skip of one product for everything", [everybody("skip", action_parameters={"products": ["bic"]})], codes=["skips_everything"]),
    custom("a skip of everything that is disabled", [everybody("skip", enabled=False)]),
    custom("a skip of nearly half of IPv4", [everybody("skip", expression=NEARLY_HALF)]),
    custom("a skip of what is not known to be everything", [everybody("skip", expression='http.user_agent contains "."')]),
    custom("a skip of all of IPv4", [everybody("skip", expression="ip.src in {0.0.0.0/0}", position="first")],
           codes=["skips_everything"], entries=["everybody"]),
    custom("a skip of every path by wildcard", [everybody("skip", expression='http.request.uri.path wildcard "/*"', position="before form")],
           codes=["skips_everything"]),
    custom("a block of every path by its beginning", [everybody("block", expression='starts_with(http.request.uri.path, "/")')], codes=["blocks_everything"]),
    custom("a block of what comes over HTTPS", [everybody("block", expression="ssl")], codes=["blocks_everything"]),
    custom("a block of every address but one", [everybody("block", expression="ip.src ne 192.0.2.1")], codes=["blocks_everything"]),
    custom("a block of a country, a path and a user agent",
           [everybody("block", expression=f'ip.src.country eq "DE" or {SCRAPER} or http.request.uri.path eq "/a"')]),
    custom("a block of the other half of IPv4", [everybody("block", expression="ip.src in {128.0.0.0/1}", ref="other")],
           [*SHOP, everybody("block", expression="ip.src in {0.0.0.0/1}")], codes=["blocks_everything"], entries=["other"]),
    custom("a block of half of IPv4 widened to all of it", [everybody("block", expression="ip.src in {0.0.0.0/0}")],
           [*SHOP, everybody("block", expression="ip.src in {0.0.0.0/1}")], codes=["blocks_everything"], entries=["everybody"]),
    custom("a block of all but an office widened by a part of the office", [everybody("block", expression="not ip.src in {203.0.113.0/25}")],
           [*SHOP, everybody("block", expression="not ip.src in {203.0.113.0/24}")]),
    custom("a skip of everything behind a block of everything", [everybody("skip", ref="late")], [*SHOP, everybody("block")]),
    custom("a skip of everything between a skip of one product and a block of everything", [everybody("skip", ref="new", position="before last")],
           [everybody("skip", action_parameters={"products": ["bic"]}), everybody("block", ref="last")], codes=["weakens_zone", "skips_everything"]),
    custom("a skip of everything enabled", [everybody("skip", enabled=True)], [*SHOP[:4], everybody("skip", enabled=False), *SHOP[4:]],
           codes=["skips_everything"],
           entries=["everybody"]),
    custom("a skip widened to everything", [{"ref": "office", "expression": "ip.src in {::/0} or not ip.src in {::/0}"}],
           codes=["weakens_zone", "skips_everything"]),
    custom("a skip widened to less than everything", [{"ref": "office", "expression": "ip.src in {192.0.2.0/23}"}]),
    custom("a log of everything turned into a skip", [{"ref": "all", "action": "skip", "action_parameters": {"phase": "current"}}],
           [*SHOP[:4], {"ref": "all", "action": "log", "expression": "true"}, *SHOP[4:]], codes=["skips_everything"], entries=["all"]),
    custom("a skip of everything that skips more", [{"ref": "everybody", "action_parameters": {"products": ["bic", "waf"]}}],
           [*SHOP, everybody("skip", action_parameters={"products": ["bic"]})], codes=["skips_everything", "weakens_managed_rules"], entries=["everybody"]),
    custom("a skip of everything that skips the rest of the phase instead of that of the list",
           [{"ref": "everybody", "action_parameters": {"phase": "current"}}], [*SHOP, everybody("skip")]),
    custom("a skip of everything that skips less", [{"ref": "everybody", "action_parameters": {"products": ["bic"]}}],
           [*SHOP, everybody("skip", action_parameters={"products": ["bic", "waf"]})]),
    custom("a skip of everything described, and a rule before it", [{"ref": "everybody", "description": "mine"}, {**BOTS, "ref": "new", "position": "first"}],
           [*SHOP, everybody("skip")]),
    exactly("a skip of everything moved to an earlier place", [{"ref": ref} for ref in ("login", "everybody", "form")],
            [FOUR[0], FOUR[3], everybody("skip")], codes=["skips_everything"], entries=["everybody"]),
    exactly("a skip of everything moved to a later place", [{"ref": ref} for ref in ("login", "form", "everybody")],
            [FOUR[0], everybody("skip"), FOUR[3]]),
    custom("a rule before a skip of everything removed", [{"ref": "bots"}], [BOTS, everybody("skip")], "absent"),
    custom("the block before a skip of everything removed", [{"ref": "everybody"}], [FOUR[0], everybody("block"), everybody("skip", ref="skip")], "absent",
           codes=["skips_everything"], entries=["skip"]),
    custom("a block of everything", [everybody("block")], codes=["blocks_everything"], entries=["everybody"]),
    custom("a challenge of everything, first", [everybody("managed_challenge", position="first", expression="true")], codes=["blocks_everything"],
           entries=["everybody"]),
    custom("a block of what a field has or has not", [everybody("block", expression=f"{SCRAPER} or not {SCRAPER}")], codes=["blocks_everything"]),
    custom("a block of everything that is disabled", [everybody("block", enabled=False)]),
    custom("a log of everything", [everybody("log")]),
    custom("a block of nearly half of IPv4", [everybody("block", expression=NEARLY_HALF)]),
    custom("a block of everything behind another", [everybody("block", ref="late")], [*SHOP, everybody("block")]),
    custom("a block of everything where all that comes over HTTPS is blocked", [everybody("block", position="before https")],
           [*SHOP, everybody("block", expression="ssl", ref="https")]),
    custom("a block of everything where all that comes over HTTPS is challenged", [everybody("block", position="before https")],
           [*SHOP, everybody("challenge", expression="ssl", ref="https")], codes=["blocks_everything"], entries=["everybody"]),
    custom("a block of everything where two rules block all that comes over HTTPS", [everybody("block", position="before https")],
           [*SHOP, everybody("block", expression='http.host eq "shop.example" and ssl', ref="https"),
            everybody("block", expression='http.host ne "shop.example" and ssl', ref="others")]),
    custom("a skip of everything in front of one of what comes over HTTPS", [everybody("skip", position="first")],
           [everybody("skip", expression="ssl", ref="https"), *SHOP[1:]], codes=["weakens_zone"]),
    custom("a block of everything behind a skip of everything", [everybody("block", ref="late")], [*SHOP, everybody("skip")]),
    custom("a block of everything behind a skip of one product for everything", [everybody("block", ref="late")],
           [everybody("skip", action_parameters={"products": ["bic"]})], codes=["blocks_everything"], entries=["late"]),
    custom("a block of everything behind another that is disabled", [everybody("block", ref="late")], [*SHOP, everybody("block", enabled=False)],
           codes=["blocks_everything"], entries=["late"]),
    custom("a block of everything enabled", [everybody("block", enabled=True)], [*SHOP, everybody("block", enabled=False)], codes=["blocks_everything"]),
    custom("a block widened to everything", [{"ref": "admin", "expression": "true"}], codes=["blocks_everything"], entries=["admin"]),
    custom("a log of everything turned into a block", [{"ref": "everybody", "action": "block"}], [*SHOP, everybody("log")], codes=["blocks_everything"]),
    custom("a challenge of everything turned into a block", [{"ref": "everybody", "action": "block"}], [*SHOP, everybody("js_challenge")],
           codes=["blocks_everything"], entries=["everybody"]),
    custom("a block of everything turned into a challenge, with another description", [{"ref": "everybody", "action": "challenge", "description": "mine"}],
           [*SHOP, everybody("block")]),
    custom("a block of everything written in another way", [everybody("block", expression="true")], [*SHOP, everybody("block")]),
    exactly("a block of everything moved before a rule that skips", [{"ref": "everybody"}, {"ref": "office"}, {"ref": "login"}],
            [OFFICE, everybody("block"), FOUR[0]], codes=["blocks_everything"], entries=["everybody"]),
    exactly("a block of everything moved before another block", [{"ref": "office"}, {"ref": "everybody"}, {"ref": "login"}],
            [OFFICE, FOUR[0], everybody("block")]),
    custom("the skip before a block of everything removed", [{"ref": "everybody"}], [FOUR[0], everybody("skip"), everybody("block", ref="block")], "absent",
           codes=["blocks_everything"], entries=["block"]),
    custom("a skip and a block of everything, in a zone that has no rule", [everybody("block"), everybody("skip", ref="skip", position="first",
           action_parameters={"products": ["bic"]})], [], codes=["blocks_everything"], entries=["everybody"]),
    custom("a skip of rate limits", [{"ref": "office", "action_parameters": {"products": ["rateLimit"]}}], codes=["weakens_rate_limits"], entries=["office"]),
    firewall("every rule that blocks or challenges paused", [{"id": identity(number), "paused": True} for number in (1, 2, 3, 4)], codes=["weakens_zone"],
             entries=[identity(1), identity(2)]),
    firewall("a filter paused that three rules have", [{"id": identity(2), "filter": {"paused": True}}], FIREWALL[1:4], codes=["weakens_zone"],
             entries=[identity(2)]),
    firewall("a filter that no request matches, of three rules of which one decides", [{"id": identity(2), "filter": {"expression": "not true"}}]),
    firewall("three rules turned into others", [{"id": identity(1), "action": "log"}, {"id": identity(2), "action": "allow"},
             {"id": identity(3), "action": "log"},
             {"id": identity(4), "action": "log"}], codes=["weakens_zone"]),
    firewall("two rules of three with one filter paused", [{"id": identity(2), "paused": True}, {"id": identity(3), "paused": True}]),
    firewall("rules that log, allow and bypass paused", [{"id": identity(number), "paused": True} for number in (5, 6, 7)]),
    firewall("priorities, descriptions and an expression", [{"id": identity(1), "priority": 11}, {"id": identity(2), "description": "login"},
             {"id": identity(7), "filter": {"expression": "ip.src in {198.51.100.0/25}"}}]),
    firewall("a bypass of managed rules widened", [{"id": identity(7), "filter": {"expression": "ip.src in {198.51.100.0/23}"}}],
             codes=["weakens_managed_rules"], entries=[identity(7)]),
    firewall("an allow widened to everything", [{"id": identity(5), "filter": {"expression": "true"}}], codes=["weakens_zone", "skips_everything"]),
    firewall("a bypass widened to everything", [{"id": identity(7), "filter": {"expression": EVERYBODY}}], codes=["skips_everything", "weakens_managed_rules"],
             entries=[identity(7)]),
    firewall("a log of everything turned into an allow", [{"id": identity(6), "action": "allow"}], codes=["weakens_zone", "skips_everything"]),
    firewall("an allow of everything turned from a bypass", [{"id": identity(1), "action": "allow"}],
             [rule(1, "bypass", "true", products=["waf"], priority=1), rule(2, "block", SCRAPER, priority=2)],
             codes=["weakens_zone", "skips_everything"], entries=[identity(2)]),
    firewall("an allow of everything before what it was behind", [{"id": identity(2), "priority": 1}],
             [rule(1, "block", SCRAPER, priority=5), rule(2, "allow", "true", priority=9)],
             codes=["weakens_zone", "skips_everything"]),
    firewall("an allow of everything behind what it was before", [{"id": identity(2), "priority": ""}],
             [rule(1, "block", SCRAPER, priority=5), rule(2, "allow", "true", priority=1)]),
    firewall("a bypass of rate limits", [{"id": identity(7), "products": ["rateLimit"]}], codes=["weakens_rate_limits"], entries=[identity(7)]),
    firewall("a bypass of everything resumed, with equal priority before a block of everything", [{"id": identity(2), "paused": False}],
             [rule(1, "block", "true", priority=5), rule(2, "bypass", "true", priority=5, paused=True, products=["hot"])]),
    firewall("an allow of everything resumed behind a block of everything", [{"id": identity(2), "paused": False}],
             [rule(1, "block", "true", priority=5), rule(2, "allow", "true", priority=6, paused=True)]),
    firewall("a block of everything resumed", [{"id": identity(8), "paused": False}], codes=["blocks_everything"], entries=[identity(8)]),
    firewall("a filter of three rules widened to everything", [{"id": identity(2), "filter": {"expression": "true"}}], codes=["blocks_everything"],
             entries=[identity(2)]),
    firewall("the filter of a block of everything resumed", [{"id": identity(1), "filter": {"paused": False}}],
             [{**rule(1, "block", "true"), "filter": {"id": identity(9), "expression": "true", "paused": True}}], codes=["blocks_everything"]),
    firewall("a challenge of everything before the bypass of a product", [{"id": identity(1), "priority": 1}],
             [rule(1, "challenge", "true", priority=9), rule(2, "bypass", "true", priority=5, products=["waf"])]),
    firewall("a challenge of everything before an allow", [{"id": identity(1), "priority": 1}],
             [rule(1, "challenge", "true", priority=9), rule(2, "allow", "ssl", priority=5)], codes=["blocks_everything"], entries=[identity(1)]),
    firewall("a block of everything resumed behind an allow of everything", [{"id": identity(8), "paused": False}],
             [*FIREWALL[:6], rule(7, "allow", "true", priority=49), FIREWALL[7]]),
    firewall("a rule that gets the filter of another that every request matches", [{"id": identity(1), "filter": {"id": identity(106)}}],
             codes=["blocks_everything"], entries=[identity(1)]),
)  # fmt: skip
