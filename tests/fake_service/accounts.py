# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one account holds of Advanced TCP Protection and Advanced DNS Protection, and of the rulesets beside them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_network
from typing import Any

from . import beside
from .clock import Clock
from .custom_rules import PHASE, Ruleset, seed, seeded_ruleset, written
from .declared import initial_objects, seed_objects
from .identity import content_name, new_uuid
from .ip_lists import IpLists
from .traffic import NODES, SETTINGS, Flow, flow

UNSEEN = "0" * 31 + "f"  # the account of a zone for which nobody made one: it has nothing

Item = dict[str, Any]

KINDS = ("syn_flood", "out_of_state_tcp")
RULESETS = {  # their rules in a state document, and the phase
    "custom_rules": PHASE,
    "network_firewall_rules": "magic_transit",
    "network_managed_rules": "magic_transit_managed",
    "intrusion_detection_rules": "magic_transit_ids_managed",
    "network_rate_limits": "magic_transit_ratelimit",
    "ddos_l4_overrides": "ddos_l4",
    "ddos_l7_overrides": "ddos_l7",
}
ASSIGNED = ("id", "created_on", "modified_on")
PLAIN = (
    *("entitled", "dns_entitled", "firewall_entitled", "not_entitled"),
    *("name", "type", "enabled", "advanced", "most_network_firewall_rules"),
)
MADE: Mapping[str, Callable[[Item, Clock], Item]] = {
    "traffic": flow,
    "onboarded": beside.onboarded_prefix,
    "audit_log": beside.change,
    "custom_rulesets": lambda fields, clock: seeded_ruleset(fields, clock.timestamp()),
    "managed_rulesets": lambda fields, clock: fields,
}


@dataclass
class Account:
    """The lists are plain ones of plain dicts, as the service shows them; a test may look at them and change them."""

    clock: Clock = field(repr=False)
    entitled: bool = True
    dns_entitled: bool = True
    firewall_entitled: bool = True
    not_entitled: list[str] = field(default_factory=list)  # names of phases, or lists
    name: str = ""
    type: str = "enterprise"
    enabled: bool = False
    prefixes: list[Item] = field(default_factory=list)
    allowlist: list[Item] = field(default_factory=list)
    rules: dict[str, list[Item]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    filters: dict[str, list[Item]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    dns_rules: list[Item] = field(default_factory=list)
    traffic: list[Flow] = field(default_factory=list)
    analytics: dict[str, Item] = field(default_factory=lambda: {node: dict(SETTINGS) for node in NODES})
    onboarded: list[Item] = field(default_factory=list)
    audit_log: list[Item] = field(default_factory=list)
    entry_points: dict[str, Ruleset] = field(default_factory=dict)  # by phase, as the service shows them
    custom_rulesets: list[Ruleset] = field(default_factory=list)
    managed_rulesets: list[Item] = field(default_factory=list)  # of the vendor, which comes before one of the same id
    declared: dict[str, Any] = field(
        default_factory=lambda: initial_objects("account_id")
    )  # by the names of their rows
    advanced: bool = True  # whether it has the action log, and the fields and lists of higher plans
    most_network_firewall_rules: int = 200

    def __post_init__(self) -> None:
        self.ip_lists = IpLists(self.clock)

    def seed(self, **contents: Any) -> Account:
        """Add to the account, in the shape of a state document; ids, times and defaults are filled in where missing.

        The rules of an entry point go by their name in RULESETS; None leaves the account without one.
        """
        unknown = contents.keys() - self.document().keys() - RULESETS.keys()
        if unknown:
            raise ValueError(f"an account has no {', '.join(sorted(unknown))}")
        given = {name: value for name, value in contents.items() if value is not None}
        for ruleset, phase in RULESETS.items():
            seed(self.entry_points, phase, "root", given.get(ruleset), self.clock.timestamp())
        for name in given.keys() & set(PLAIN):
            setattr(self, name, given[name])
        for name, make in MADE.items():
            getattr(self, name).extend(make(fields, self.clock) for fields in given.get(name, ()))
        for node, settings in given.get("analytics", {}).items():
            self.analytics[node].update(settings)
        for name, collection in COLLECTIONS.items():
            kind, _dot, part = name.partition(".")
            items = given.get(kind, {}).get(part, ()) if part else given.get(kind, ())
            collection.items(self).extend(collection.item(fields, self.clock) for fields in items)
        self.ip_lists.seed(given.get("lists", ()))
        seed_objects(self.declared, given, self.clock, "account_id")
        return self

    def document(self) -> Item:
        """The account in the shape of a state document."""
        return {
            **{
                name: getattr(self, name) for name in (*PLAIN, *MADE, "prefixes", "allowlist", "dns_rules", "analytics")
            },
            **{kind: {"rules": self.rules[kind], "filters": self.filters[kind]} for kind in KINDS},
            "lists": self.ip_lists.lists,
            **self.declared,
            **{name: self.rules_of(name) for name, phase in RULESETS.items() if phase in self.entry_points},
        }

    def rules_of(self, name: str) -> list[Item]:
        """The rules of an entry point, the list itself."""
        rules: list[Item] = self.entry_points[RULESETS[name]]["rules"] if RULESETS[name] in self.entry_points else []
        return rules


ATP = "advanced_tcp_protection"


@dataclass(frozen=True)
class Collection:
    """One list of an account: where it is served, what is in it, and what makes two of its items duplicates."""

    path: str
    noun: str
    fields: tuple[str, ...]
    items: Callable[[Account], list[Item]]
    duplicate: Callable[[Item], Hashable]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    order: str | None = None
    family: str = ATP

    def item(self, fields: Item, clock: Clock) -> Item:
        """A whole item made of the fields given; ValueError when one of them is unknown or lacking."""
        unknown = fields.keys() - {*self.fields, *ASSIGNED}
        if unknown:
            raise ValueError(f"a {self.noun} has no {', '.join(sorted(unknown))}")
        lacking = [name for name in self.fields if name not in fields and name not in self.defaults]
        if lacking:
            raise ValueError(f"a {self.noun} needs {', '.join(lacking)}")
        created_on = written(fields.get("created_on", clock.now()))
        values = {name: fields.get(name, self.defaults.get(name)) for name in self.fields}
        return {
            "id": fields.get("id") or str(new_uuid(self.path, content_name(values))),
            **values,
            "created_on": created_on,
            "modified_on": written(fields.get("modified_on", created_on)),
        }


def same_network(item: Item) -> Hashable:
    return ip_network(item["prefix"], strict=False)


def same_scope(item: Item) -> Hashable:
    return item["scope"], item["name"].casefold()


RULE = {
    "scope": "global",
    "name": "global",
    "mode": "monitoring",
    "rate_sensitivity": "medium",
    "burst_sensitivity": "medium",
}


def networks(name: str, noun: str, **defaults: Any) -> Collection:
    fields = ("prefix", *defaults)
    return Collection(name, noun, fields, lambda account: getattr(account, name), same_network, defaults, "prefix")


def rules(path: str, items: Callable[[Account], list[Item]], **more: str) -> Collection:
    defaults = {**RULE, **more}
    return Collection(path, "rule", tuple(defaults), items, same_scope, defaults)


def filters(path: str, kind: str) -> Collection:
    fields, defaults = ("expression", "mode"), {"mode": "monitoring"}
    return Collection(
        path, "filter", fields, lambda account: account.filters[kind], lambda item: str(item["expression"]), defaults
    )


COLLECTIONS = {
    "prefixes": networks("prefixes", "prefix", comment="", excluded=False),
    "allowlist": networks("allowlist", "allowlist entry", comment="", enabled=True),
    "dns_rules": replace(
        rules("dns_protection/rules", lambda account: account.dns_rules, profile_sensitivity="low"),
        family="advanced_dns_protection",
    ),
    "syn_flood.rules": rules(
        "syn_protection/rules", lambda account: account.rules["syn_flood"], mitigation_type="challenge"
    ),
    "syn_flood.filters": filters("syn_protection/filters", "syn_flood"),
    "out_of_state_tcp.rules": rules("tcp_flow_protection/rules", lambda account: account.rules["out_of_state_tcp"]),
    "out_of_state_tcp.filters": filters("tcp_flow_protection/filters", "out_of_state_tcp"),
}
