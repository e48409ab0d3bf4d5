# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one account holds of Advanced TCP Protection and Advanced DNS Protection, and of the rulesets beside them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import Any

from . import beside
from .clock import Clock
from .custom_rules import seed, written
from .ip_lists import IpLists
from .traffic import NODES, SETTINGS, Flow, flow

Item = dict[str, Any]

KINDS = ("syn_flood", "out_of_state_tcp")
RULESETS = {  # their rules in a state document, and the phase
    "network_firewall_rules": "magic_transit",
    "ddos_l4_overrides": "ddos_l4",
    "ddos_l7_overrides": "ddos_l7",
}
ASSIGNED = ("id", "created_on", "modified_on")


@dataclass
class Account:
    """The lists are plain ones of plain dicts, as the service shows them; a test may look at them and change them."""

    clock: Clock = field(repr=False)
    entitled: bool = True
    dns_entitled: bool = True
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
    access_rules: list[Item] = field(default_factory=list)
    audit_log: list[Item] = field(default_factory=list)
    entry_points: dict[str, Item] = field(default_factory=dict)  # by phase, as the service shows them
    advanced: bool = True  # whether it has the action log, and the fields and lists of higher plans
    most_network_firewall_rules: int = 200

    def __post_init__(self) -> None:
        self.ip_lists = IpLists(self.clock)

    def seed(
        self,
        *,
        entitled: bool | None = None,
        dns_entitled: bool | None = None,
        name: str | None = None,
        type: str | None = None,
        enabled: bool | None = None,
        prefixes: Iterable[Item] = (),
        allowlist: Iterable[Item] = (),
        syn_flood: Mapping[str, Iterable[Item]] | None = None,
        out_of_state_tcp: Mapping[str, Iterable[Item]] | None = None,
        dns_rules: Iterable[Item] = (),
        traffic: Iterable[Flow] = (),
        analytics: Mapping[str, Item] | None = None,
        onboarded: Iterable[Item] = (),
        access_rules: Iterable[Item] = (),
        audit_log: Iterable[Item] = (),
        lists: Iterable[Item] = (),
        advanced: bool | None = None,
        most_network_firewall_rules: int | None = None,
        **rules: Iterable[Item] | None,
    ) -> Account:
        """Add to the account, in the shape of a state document; ids, times and defaults are filled in where missing.

        `rules` are those of the entry points, by their names in RULESETS; None leaves the account without one.
        """
        unknown = rules.keys() - RULESETS
        if unknown:
            raise ValueError(f"an account has no {', '.join(sorted(unknown))}")
        for ruleset, phase in RULESETS.items():
            seed(self.entry_points, phase, "root", rules.get(ruleset), self.clock.timestamp())
        self.advanced = self.advanced if advanced is None else advanced
        if most_network_firewall_rules is not None:
            self.most_network_firewall_rules = most_network_firewall_rules
        if entitled is not None:
            self.entitled = entitled
        if dns_entitled is not None:
            self.dns_entitled = dns_entitled
        if enabled is not None:
            self.enabled = enabled
        self.name = self.name if name is None else name
        self.type = self.type if type is None else type
        self.traffic.extend(flow(fields, self.clock) for fields in traffic)
        for node, settings in (analytics or {}).items():
            self.analytics[node].update(settings)
        self.onboarded.extend(beside.onboarded_prefix(fields, self.clock) for fields in onboarded)
        self.access_rules.extend(beside.access_rule(fields, self.clock, "account") for fields in access_rules)
        self.audit_log.extend(beside.change(fields, self.clock) for fields in audit_log)
        self._seed("prefixes", prefixes)
        self._seed("allowlist", allowlist)
        self._seed("dns_rules", dns_rules)
        for kind, parts in (("syn_flood", syn_flood), ("out_of_state_tcp", out_of_state_tcp)):
            for name, items in (parts or {}).items():
                self._seed(f"{kind}.{name}", items)
        self.ip_lists.seed(lists)
        return self

    def _seed(self, name: str, items: Iterable[Item]) -> None:
        collection = COLLECTIONS[name]
        collection.items(self).extend(collection.item(fields, self.clock) for fields in items)

    def document(self) -> Item:
        """The account in the shape of a state document."""
        return {
            "entitled": self.entitled,
            "dns_entitled": self.dns_entitled,
            "name": self.name,
            "type": self.type,
            "enabled": self.enabled,
            "prefixes": self.prefixes,
            "allowlist": self.allowlist,
            **{kind: {"rules": self.rules[kind], "filters": self.filters[kind]} for kind in KINDS},
            "dns_rules": self.dns_rules,
            "traffic": self.traffic,
            "analytics": self.analytics,
            "onboarded": self.onboarded,
            "access_rules": self.access_rules,
            "audit_log": self.audit_log,
            "lists": self.ip_lists.document(),
            "advanced": self.advanced,
            "most_network_firewall_rules": self.most_network_firewall_rules,
            **{
                name: self.entry_points[phase]["rules"]
                for name, phase in RULESETS.items()
                if phase in self.entry_points
            },
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
        return {
            "id": fields.get("id") or str(uuid.uuid4()),
            **{name: fields.get(name, self.defaults.get(name)) for name in self.fields},
            "created_on": created_on,
            "modified_on": written(fields.get("modified_on", created_on)),
        }


def same_network(item: Item) -> Hashable:
    return ip_network(item["prefix"], strict=False)


def same_scope(item: Item) -> Hashable:
    return item["scope"], item["name"].casefold()


def same_expression(item: Item) -> Hashable:
    return str(item["expression"])


RULE_FIELDS = ("scope", "name", "mode", "rate_sensitivity", "burst_sensitivity")
RULE_DEFAULTS = {
    "scope": "global",
    "name": "global",
    "mode": "monitoring",
    "rate_sensitivity": "medium",
    "burst_sensitivity": "medium",
}


def filters(kind: str, component: str) -> Collection:
    return Collection(
        path=f"{component}/filters",
        noun="filter",
        fields=("expression", "mode"),
        items=lambda account: account.filters[kind],
        duplicate=same_expression,
        defaults={"mode": "monitoring"},
    )


COLLECTIONS = {
    "prefixes": Collection(
        path="prefixes",
        noun="prefix",
        fields=("prefix", "comment", "excluded"),
        items=lambda account: account.prefixes,
        duplicate=same_network,
        defaults={"comment": "", "excluded": False},
        order="prefix",
    ),
    "allowlist": Collection(
        path="allowlist",
        noun="allowlist entry",
        fields=("prefix", "comment", "enabled"),
        items=lambda account: account.allowlist,
        duplicate=same_network,
        defaults={"comment": "", "enabled": True},
        order="prefix",
    ),
    "syn_flood.rules": Collection(
        path="syn_protection/rules",
        noun="rule",
        fields=(*RULE_FIELDS, "mitigation_type"),
        items=lambda account: account.rules["syn_flood"],
        duplicate=same_scope,
        defaults={**RULE_DEFAULTS, "mitigation_type": "challenge"},
    ),
    "syn_flood.filters": filters("syn_flood", "syn_protection"),
    "out_of_state_tcp.rules": Collection(
        path="tcp_flow_protection/rules",
        noun="rule",
        fields=RULE_FIELDS,
        items=lambda account: account.rules["out_of_state_tcp"],
        duplicate=same_scope,
        defaults=RULE_DEFAULTS,
    ),
    "out_of_state_tcp.filters": filters("out_of_state_tcp", "tcp_flow_protection"),
    "dns_rules": Collection(
        path="dns_protection/rules",
        noun="rule",
        fields=(*RULE_FIELDS, "profile_sensitivity"),
        items=lambda account: account.dns_rules,
        duplicate=same_scope,
        defaults={**RULE_DEFAULTS, "profile_sensitivity": "low"},
        family="advanced_dns_protection",
    ),
}
