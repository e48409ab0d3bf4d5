# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of a task for a zone's rules, as docs/zone_risks.md and docs/risks.md describe them; see plan_model.py.

Whether every request matches an expression is not proven, but tried with requests that differ in all that the random
expressions ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from tests.evidence.models.plan_model import Item, same_text
from tests.support.requests_evaluator import PRECEDENCE, Request, matches

Risks = dict[str, set[str]]  # the keys of the rules concerned, by code
SOURCES = ("192.0.2.1", "64.0.0.1", "128.0.0.1", "200.0.0.1", "2001:db8::1", "9000::1")
HOSTS = ("", "a.example", "b.example", "other.example")
REQUESTS = [
    Request(source=source, host=host, ssl=ssl, bot=bot)
    for source, host, ssl, bot in product(SOURCES, HOSTS, (False, True), (False, True))
]
ENFORCING = {"block", "challenge", "js_challenge", "managed_challenge"}
THE_REST = "the remaining rules"


class Rule(NamedTuple):
    """A rule as requests meet it; `skips` is what a request that it matches passes."""

    key: str
    action: str
    expression: str
    enabled: bool
    skips: frozenset[str]

    @property
    def enforces(self) -> bool:
        return self.enabled and self.action in ENFORCING

    @property
    def lets_pass(self) -> bool:
        return self.enabled and self.action in ("skip", "allow", "bypass")

    @property
    def ends(self) -> bool:
        return self.enforces or (self.lets_pass and THE_REST in self.skips)


def custom_in_order(rules: Sequence[Item]) -> list[Rule]:
    """Custom rules, in the order of their list."""
    return [
        Rule(rule["ref"], rule["action"], rule["expression"], rule["enabled"], frozenset(skipped_by(rule)))
        for rule in rules
    ]


def skipped_by(rule: Item) -> Iterator[str]:
    parameters = rule.get("action_parameters", {}) if rule["action"] == "skip" else {}
    yield from (*parameters.get("products", ()), *parameters.get("phases", ()))
    if "ruleset" in parameters or "phase" in parameters:
        yield THE_REST
    if "phase" in parameters:
        yield "the rest of the phase"


def firewall_in_order(rules: Sequence[Item]) -> list[Rule]:
    """Firewall rules, by priority and then by action; the first table of docs/migration.md."""

    def turn(rule: Item) -> tuple[bool, int, int]:
        return (rule["priority"] is None, rule["priority"] or 0, PRECEDENCE.index(rule["action"]))

    return [
        Rule(
            rule["id"],
            rule["action"],
            rule["filter"]["expression"],
            not (rule["paused"] or rule["filter"]["paused"]),
            frozenset({"allow": [THE_REST], "bypass": rule.get("products") or []}.get(rule["action"], [])),
        )
        for rule in sorted(rules, key=turn)
    ]


def zone_risks(before: Sequence[Rule], after: Sequence[Rule], percent: int = 30) -> Risks:
    """docs/zone_risks.md; `percent` is max_weakened_percent."""
    risks = {
        "weakens_zone": weakened(before, after, percent),
        "skips_everything": skipping(before, after),
        "blocks_everything": blocking(before, after),
    }
    return {code: keys for code, keys in risks.items() if keys}


def list_risks(before: Sequence[Rule], after: Sequence[Rule], is_exact: bool, percent: int = 30) -> Risks:
    """docs/risks.md, "mass_deletion" and "empties_list"; `percent` is max_deletions_percent.

    Rules that are disabled, or skip, do not count: their deletion lowers no protection.
    """
    deleted = {rule.key for rule in before if rule.enabled and rule.action != "skip"} - {rule.key for rule in after}
    is_mass = len(deleted) >= 5 and len(deleted) * 100 > percent * len(before)
    risks = {
        "mass_deletion": deleted if is_mass else set(),
        "empties_list": deleted if is_exact and not after else set(),
    }
    return {code: keys for code, keys in risks.items() if keys}


def weakened(before: Sequence[Rule], after: Sequence[Rule], percent: int) -> set[str]:
    enforcing = [rule for rule in before if rule.enforces and not by_nobody(rule.expression)]
    left = [rule for rule in after if rule.enforces]
    enforced = {same_text(rule.expression) for rule in left}
    kept = {rule.key for rule in left if not by_nobody(rule.expression)}
    kept |= {rule.key for rule in enforcing if same_text(rule.expression) in enforced}
    keys = {rule.key for rule in enforcing} - kept
    is_mass = len(keys) >= 3 or len(keys) == len(enforcing)
    return keys if is_mass and len(keys) * 100 > percent * len(enforcing) else set()


def rule_risks(
    module: str, before: Sequence[Item], after: Sequence[Item], is_exact: bool, weakened: int, deleted: int
) -> Risks:
    """The risks of ordered rules, with those percentages as limits. The risks of overrides are those of their list; see
    `weaker_overrides` too."""
    if module in MANAGED_RULES:
        return list_risks(overrides_in_order(before), overrides_in_order(after), is_exact, deleted)
    both = custom_in_order(before), custom_in_order(after)
    risks = {**zone_risks(*both, weakened), **list_risks(*both, is_exact, deleted)}
    name = {"weakens_zone": "weakens_network_firewall"} if module == "network_firewall_rules" else {}
    return {name.get(code, code): keys for code, keys in risks.items()}


def overrides_in_order(overrides: Sequence[Item]) -> list[Rule]:
    """Overrides, of which those that weaken lower no protection when they go."""
    return [
        Rule(rule["ref"], "skip" if weakens(rule) else "override", rule["expression"], rule["enabled"], frozenset())
        for rule in overrides
    ]


def weakens(override: Item) -> bool:
    """Whether an override lets more pass than the managed rules do by themselves."""
    return any(level_of(override, managed) != NO_LEVEL for rules in MANAGED_RULES.values() for managed in rules)


# By module, of a managed rule its id and its categories; the rulesets have more of them.
MANAGED_RULES = {
    "ddos_l4_overrides": [
        ("599dab0942ff4898ac1b7797e954e98b", ("udp", "generic")),
        ("8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10", ("tcp", "syn")),
        ("a3f1c2d4e5b6478899aabbccddeeff00", ("udp", "dns", "amplification")),
        ("d60346e3a8c1450f97eb1d2b8e0d1a77", ("icmp", "generic")),
    ],
    "ddos_l7_overrides": [
        ("fdfdac75430c4c47a959592f0aa5e68a", ("botnets",)),
        ("65d13d1d0ee2429e8c6e8d1b5c5a9b3e", ("generic",)),
        ("0c7e8a35b1de4d3bb1a0c6d9c1d2f3e4", ("cache", "generic")),
    ],
}
LEVELS = ("default", "medium", "low", "eoff")
NO_LEVEL = (False, 0)
PACKETS = tuple(product(("203.0.113.53", "203.0.113.9", "198.51.100.1"), (53, 80)))  # destination, and port over UDP
MET_BY: Mapping[str, Callable[[str, int], bool]] = {
    "ip.dstin{203.0.113.0/24}": lambda destination, port: destination.startswith("203.0.113."),
    "ip.dstin{203.0.113.53}": lambda destination, port: destination == "203.0.113.53",
    "true": lambda destination, port: True,
    "udp.dstportin{53}": lambda destination, port: port == 53,
}


def level_of(override: Item, managed: tuple[str, tuple[str, ...]]) -> tuple[bool, int]:
    """Whether a managed rule only logs, and how far its sensitivity is lowered; a rule comes before its category."""
    overrides = override.get("action_parameters", {}).get("overrides", {})  # none in a rule of another kind
    rules = [item for item in overrides.get("rules", ()) if item["id"] == managed[0]]
    categories = [item for item in overrides.get("categories", ()) if item["category"] in managed[1]]
    said: Item = {}
    for item in (*rules, *categories, overrides):
        said = {**item, **said}
    return said.get("action") == "log", LEVELS.index(said.get("sensitivity_level", "default"))


def weaker_overrides(before: Sequence[Item], after: Sequence[Item]) -> bool:
    """docs/ruleset_risks.md, "weakens_ddos_rules": whether some packet meets a weaker managed rule than before."""
    for packet, managed in product(PACKETS, MANAGED_RULES["ddos_l4_overrides"]):
        levels = [level_met(overrides, packet, managed) for overrides in (before, after)]
        if any(now > earlier for earlier, now in zip(*levels, strict=True)):
            return True
    return False


def level_met(
    overrides: Sequence[Item], packet: tuple[str, int], managed: tuple[str, tuple[str, ...]]
) -> tuple[bool, int]:
    met = (rule for rule in overrides if rule["enabled"] and MET_BY[same_text(rule["expression"])](*packet))
    first = next(met, None)
    return level_of(first, managed) if first else NO_LEVEL


def skipping(before: Sequence[Rule], after: Sequence[Rule]) -> set[str]:
    """A rule that had the effect before counts where it skips more, or moves before an enabled rule."""
    did = {rule.key: rule for rule in met_by_all(before) if rule.lets_pass}
    does = [rule for rule in met_by_all(after) if rule.lets_pass]
    return {
        rule.key
        for rule in does
        if rule.key not in did or rule.skips - did[rule.key].skips or passed(rule.key, before, after)
    }


def blocking(before: Sequence[Rule], after: Sequence[Rule]) -> set[str]:
    """A rule that had the effect before counts where it turns into a block, or moves before one that let requests
    pass it."""
    did = {rule.key: rule.action for rule in met_by_all(before) if rule.enforces}
    does = [rule for rule in met_by_all(after) if rule.enforces]
    return {
        rule.key
        for rule in does
        if rule.key not in did
        or (rule.action == "block" != did[rule.key])
        or any(other.lets_pass and other.ends for other in passed(rule.key, before, after))
    }


def met_by_all(rules: Sequence[Rule]) -> Iterator[Rule]:
    """The rules that every request matches and meets."""
    for rule in rules:
        if (rule.enforces or rule.lets_pass) and by_everybody(rule.expression):
            yield rule
            if rule.ends:
                return


def passed(key: str, before: Sequence[Rule], after: Sequence[Rule]) -> list[Rule]:
    """The rules that stood before this one and now stand behind it, and are enabled all the time."""
    keys = [rule.key for rule in before], [rule.key for rule in after]
    behind = {rule.key for rule in after[keys[1].index(key) :] if rule.enabled}
    return [rule for rule in before[: keys[0].index(key)] if rule.enabled and rule.key in behind]


@cache
def decisions(expression: str) -> set[bool]:
    return {matches(expression, request) for request in REQUESTS}


def by_everybody(expression: str) -> bool:
    return decisions(expression) == {True}


def by_nobody(expression: str) -> bool:
    return decisions(expression) == {False}


def risks_in(result: Item) -> Risks:
    """The risks that a result names."""
    risks: Sequence[dict[str, Any]] = result.get("risks", ())
    return {risk["code"]: set(risk["entries"]) for risk in risks}
