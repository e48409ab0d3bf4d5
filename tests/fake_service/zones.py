# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one zone holds: firewall rules and the filters they act on, the rules of its rulesets, and its settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .accounts import Item
from .clock import Clock
from .custom_rules import PHASE, Ruleset, seed, seeded_ruleset
from .declared import initial_objects, seed_objects
from .identity import new_id
from .traffic import SETTINGS, Flow, event, past_request

RULESETS = {  # their rules in a state document, and the phase
    "custom_rules": PHASE,
    "rate_limit_rules": "http_ratelimit",
    "managed_rules": "http_request_firewall_managed",
    "ddos_l7_overrides": "ddos_l7",
}
PLAIN = ("name", "plan", "status", "paused", "account_id", "advanced", "not_entitled")
BESIDE = ("custom_rulesets", "managed_rulesets", "events", "requests", "analytics")
OPTIONAL = ("products", "ref")


@dataclass
class Zone:
    """The `filter` of a rule is the very dict that stands in `filters`, so the two never differ.

    `entry_point` is the ruleset that holds the custom rules, as the service shows it, or None while there is none.
    """

    clock: Clock = field(repr=False)
    rules: list[Item] = field(default_factory=list)
    filters: list[Item] = field(default_factory=list)
    entry_points: dict[str, Ruleset] = field(default_factory=dict)  # by phase, as the service shows them
    name: str = ""
    plan: str = "enterprise"
    status: str = "active"
    paused: bool = False  # its names resolve, and requests pass Cloudflare by
    account_id: str | None = None
    custom_rulesets: list[Ruleset] = field(default_factory=list)
    managed_rulesets: list[Item] = field(default_factory=list)  # of the vendor, which comes before one of the same id
    not_entitled: list[str] = field(default_factory=list)  # names of phases
    advanced: bool = True  # whether its plan has the action log of managed DDoS rules
    events: list[Flow] = field(default_factory=list)
    requests: list[Flow] = field(default_factory=list)
    analytics: dict[str, Item] = field(default_factory=lambda: {"events": dict(SETTINGS), "requests": dict(SETTINGS)})
    declared: dict[str, Any] = field(default_factory=lambda: initial_objects("zone_id"))  # by the names of their rows

    def events_by_rules(self) -> list[Flow]:
        """The events; one with a ref, and without an id, is of the rule with this ref, if there is one."""
        ids = {rule.get("ref"): rule["id"] for ruleset in self.entry_points.values() for rule in ruleset["rules"]}
        named = [{**one, "ruleId": one["ruleId"] or ids.get(one.get("ref"), "")} for one in self.events]
        return [one for one in named if one["ruleId"] or "ref" not in one]

    @property
    def entry_point(self) -> Item | None:
        """The ruleset of the custom rules."""
        return self.entry_points.get(PHASE)

    @property
    def ddos_l7_overrides(self) -> list[Item]:
        """The overrides of managed DDoS rules, the list itself."""
        return self.rules_of("ddos_l7_overrides")

    @property
    def custom_rules(self) -> list[Item]:
        """The rules of the entry point, the list itself: a test may look at them and change them."""
        return self.rules_of("custom_rules")

    def rules_of(self, name: str) -> list[Item]:
        """The rules of an entry point, the list itself."""
        rules: list[Item] = self.entry_points[RULESETS[name]]["rules"] if RULESETS[name] in self.entry_points else []
        return rules

    def seed(self, **contents: Any) -> Zone:
        """Add filters, rules with their filters nested, and custom rules; ids and defaults are filled in where missing.

        A nested filter that names the id of a filter already there is that filter. Custom rules, be it none of them,
        come with their entry point; None leaves the zone without one.
        """
        unknown = contents.keys() - self.document().keys() - RULESETS.keys()
        if unknown:
            raise ValueError(f"a zone has no {', '.join(sorted(unknown))}")
        given = {name: value for name, value in contents.items() if value is not None}
        for name in given.keys() & set(PLAIN):
            setattr(self, name, given[name])
        seed_objects(self.declared, given, self.clock, "zone_id")
        self.events.extend(event(fields, self.clock) for fields in given.get("events", ()))
        self.requests.extend(past_request(fields, self.clock) for fields in given.get("requests", ()))
        for node, settings in given.get("analytics", {}).items():
            self.analytics[node].update(settings)
        rulesets = given.get("custom_rulesets", ())
        self.custom_rulesets.extend(seeded_ruleset(fields, self.clock.timestamp()) for fields in rulesets)
        self.managed_rulesets.extend(given.get("managed_rulesets", ()))
        for fields in given.get("filters", ()):
            self._seed_filter(fields)
        for fields in given.get("rules", ()):
            known = self.find(self.filters, fields["filter"].get("id", ""))
            self.rules.append(rule(fields, known or self._seed_filter(fields["filter"])))
        for name, phase in RULESETS.items():
            seed(self.entry_points, phase, "zone", given.get(name), self.clock.timestamp())
        return self

    def _seed_filter(self, fields: Item) -> Item:
        self.filters.append(filter_(fields))
        return self.filters[-1]

    @staticmethod
    def find(items: list[Item], identifier: str) -> Item | None:
        return next((item for item in items if item["id"] == identifier), None)

    def document(self) -> Item:
        """The zone in the shape of a state document."""
        return {
            **{name: getattr(self, name) for name in (*PLAIN, *BESIDE, "rules", "filters")},
            **self.declared,
            **{name: self.rules_of(name) for name, phase in RULESETS.items() if phase in self.entry_points},
        }


def rule(fields: Item, its_filter: Item) -> Item:
    """A whole rule; whatever the fields leave out is at its default, as the service keeps nothing of what was there."""
    unknown = fields.keys() - {"id", "action", "filter", "paused", "description", "priority", *OPTIONAL}
    if unknown:
        raise ValueError(f"a firewall rule has no {', '.join(sorted(unknown))}")
    return {
        "id": fields.get("id") or new_id("firewall rule", its_filter["expression"]),
        "paused": fields.get("paused", False),
        "description": fields.get("description", ""),
        "action": fields["action"],
        "priority": fields.get("priority"),
        **{name: fields[name] for name in OPTIONAL if name in fields},
        "filter": its_filter,
    }


def filter_(fields: Item) -> Item:
    """A whole filter; whatever the fields leave out is at its default."""
    unknown = fields.keys() - {"id", "expression", "paused", "description", "ref"}
    if unknown:
        raise ValueError(f"a filter has no {', '.join(sorted(unknown))}")
    return {
        "id": fields.get("id") or new_id("filter", fields["expression"]),
        "expression": fields["expression"],
        "paused": fields.get("paused", False),
        "description": fields.get("description", ""),
        **({"ref": fields["ref"]} if "ref" in fields else {}),
    }
