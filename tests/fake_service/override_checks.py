# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The managed rulesets of DDoS rules, and what an override of their rules has to be like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .answers import NOT_ENTITLED, refusal
from .expressions import PACKETS
from .rule_checks import Item, Problem, check_action, check_shape, same_action

MOST_RULES = 10
LONGEST = 4000
SENSITIVITIES = ("default", "medium", "low", "eoff")
STAMP = "2026-01-01T00:00:00Z"

Allowed = list[str] | None  # of a managed rule; None where the service does not say
BOTH, ANY = ["block", "log"], ["block", "ddos_dynamic", "log"]


@dataclass(frozen=True)
class Overridden:
    """A managed ruleset, the actions that an override of it takes, and the scheme of expressions."""

    managed: Item
    actions: tuple[str, ...]
    scheme: str | None


def managed_ruleset(
    identifier: str, name: str, phase: str, rules: Mapping[str, tuple[str, str, list[str], Allowed]]
) -> Item:
    """The ruleset as it is answered; `rules` are description, action, categories and allowed actions by id."""
    return {
        "id": identifier,
        "name": name,
        "description": "",
        "kind": "managed",
        "phase": phase,
        "version": "12",
        "last_updated": STAMP,
        "rules": [
            {
                "id": rule_id,
                "ref": rule_id,
                "version": "12",
                "action": action,
                "categories": categories,
                "description": description,
                "expression": "",
                "enabled": True,
                "last_updated": STAMP,
                **({"allowed_override_actions": allowed} if allowed is not None else {}),
            }
            for rule_id, (description, action, categories, allowed) in rules.items()
        ],
    }


L4 = Overridden(
    managed_ruleset(
        "3b64149bfa6e4220bbbc2bd6db589552",
        "DDoS L3/4 managed ruleset",
        "ddos_l4",
        {
            "599dab0942ff4898ac1b7797e954e98b": ("UDP flood with high rate", "ddos_dynamic", ["udp", "generic"], ANY),
            "8e9e7d3a0d9b4e1f8c2a6b5d4c3e2f10": ("SYN flood", "block", ["tcp", "syn"], BOTH),
            "a3f1c2d4e5b6478899aabbccddeeff00": ("DNS amplification", "block", ["udp", "dns", "amplification"], BOTH),
            "d60346e3a8c1450f97eb1d2b8e0d1a77": ("ICMP flood", "ddos_dynamic", ["icmp", "generic"], ANY),
            "1f0e1d2c3b4a59687786958493a2b1c0": ("GRE flood", "block", ["gre", "advanced", "read-only"], []),
        },
    ),
    ("block", "log", "ddos_dynamic"),
    PACKETS,
)
L7 = Overridden(
    managed_ruleset(
        "4d21379b4f9f4bb088e0729962c8b3cf",
        "DDoS L7 ruleset",
        "ddos_l7",
        {
            "fdfdac75430c4c47a959592f0aa5e68a": ("HTTP requests from known botnets", "block", ["botnets"], None),
            "65d13d1d0ee2429e8c6e8d1b5c5a9b3e": (
                "HTTP flood with unusual headers",
                "managed_challenge",
                ["generic"],
                None,
            ),
            "0c7e8a35b1de4d3bb1a0c6d9c1d2f3e4": ("Cache-busting requests", "ddos_dynamic", ["cache", "generic"], None),
        },
    ),
    ("block", "managed_challenge", "challenge", "log", "ddos_dynamic"),
    None,
)


def of(overridden: Overridden, advanced: bool) -> Callable[[Item, Item | None, str], None]:
    """The check of an owner; the action log takes the advanced plan."""

    def check(body: Item, existing: Item | None, pointer: str) -> None:
        check_shape(body, existing, pointer, overridden.scheme, LONGEST)
        check_action(body, existing, pointer, ("execute",), lambda _action, given: problems_of(given, overridden))
        if same_action(body, existing) or advanced:
            return
        if "log" in actions_in(body["action_parameters"]["overrides"]):
            reason = "not entitled to use the action log: it takes Advanced DDoS Protection"
            raise refusal(403, NOT_ENTITLED, reason, f"{pointer}/action_parameters/overrides")

    return check


def problems_of(parameters: Mapping[str, Any], overridden: Overridden) -> Iterator[Problem]:
    managed = overridden.managed
    if parameters.get("id") != managed["id"]:
        yield "/id", f"the phase executes the ruleset {managed['id']} only"
    yield from ((f"/{name}", "there is no such parameter") for name in parameters if name not in ("id", "overrides"))
    overrides = parameters.get("overrides")
    if not isinstance(overrides, dict) or not overrides:
        yield "/overrides", "it is an object that overrides something"
        return
    yield from problems_of_override("/overrides", overrides, overridden, ("categories", "rules"))
    ids = {rule["id"] for rule in managed["rules"]}
    categories = {category for rule in managed["rules"] for category in rule["categories"]}
    for name, key, known in (("categories", "category", categories), ("rules", "id", ids)):
        for index, entry in enumerate(overrides.get(name, ())):
            place = f"/overrides/{name}/{index}"
            yield from problems_of_override(place, entry, overridden, (key,))
            if entry.get(key) not in known:
                yield f"{place}/{key}", f"{entry.get(key)!r} is not in the ruleset"
            yield from problems_of_rules(place, entry, rules_about(managed, key, entry.get(key)))
    yield from problems_of_rules("/overrides", overrides, managed["rules"])


def rules_about(managed: Item, key: str, value: Any) -> list[Item]:
    return [
        rule for rule in managed["rules"] if value == rule["id"] or (key == "category" and value in rule["categories"])
    ]


def problems_of_rules(place: str, override: Mapping[str, Any], rules: list[Item]) -> Iterator[Problem]:
    """A read-only rule takes no override, and any other the actions that it lists; of several, one suffices."""
    usual = ["block", "managed_challenge", "challenge", "log"]
    allowed = [rule.get("allowed_override_actions", usual) for rule in rules]
    if rules and not any(allowed):
        yield place, "the rules are read-only"
    elif rules and "action" in override and not any(override["action"] in actions for actions in allowed):
        yield f"{place}/action", f"the rules take {allowed[0]}"


def problems_of_override(
    place: str, override: Mapping[str, Any], overridden: Overridden, others: tuple[str, ...]
) -> Iterator[Problem]:
    for name in override:
        if name == "enabled":
            yield f"{place}/enabled", "DDoS rules cannot be disabled; use the sensitivity_level eoff"
        elif name not in ("action", "sensitivity_level", *others):
            yield f"{place}/{name}", "there is no such field"
    if override.get("action", overridden.actions[0]) not in overridden.actions:
        yield f"{place}/action", f"there are only {', '.join(overridden.actions)}"
    if override.get("sensitivity_level", SENSITIVITIES[0]) not in SENSITIVITIES:
        yield f"{place}/sensitivity_level", f"there are only {', '.join(SENSITIVITIES)}"


def actions_in(overrides: Mapping[str, Any]) -> set[Any]:
    """The actions that an override sets, for all rules, a category, or a rule."""
    parts = [overrides, *overrides.get("categories", ()), *overrides.get("rules", ())]
    return {part.get("action") for part in parts}
