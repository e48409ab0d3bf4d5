# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From firewall rules to the custom rules under which every request meets the same.

Firewall rules are evaluated by priority, and among equal priorities by action; custom rules as they
stand. So the order of evaluation becomes the order of the list. What cannot be carried over is
noted with its rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import takewhile
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

from .._expressions.grammar import normalise_expression
from .._schema.zone import ACTIONS_BY_PRECEDENCE, firewall_order
from .._text import first_few
from .firewall_rule import NO_RULE, FirewallRule, read_rule

CustomRule = Mapping[str, Any]
UNORDERED = ("phases", "products")


def by_ref(rules: Any) -> dict[str, CustomRule]:
    """The zone's custom rules by their refs; raises ValueError where `rules` is not a list of
    mappings."""
    if isinstance(rules, (str, bytes)) or not isinstance(rules, Sequence):
        raise ValueError("custom_rules is a list, such as rules of custom_rules_info")
    if not all(isinstance(rule, Mapping) for rule in rules):
        raise ValueError("custom_rules holds something that is not a mapping")
    return {str(rule["ref"]): rule for rule in rules if rule.get("ref")}


def same(existing: CustomRule, rendered: CustomRule) -> bool:
    """Return whether a request meets the same under both."""
    return _same_match(existing, rendered) and _parameters(existing) == _parameters(rendered)


def at_least(existing: CustomRule, rendered: CustomRule) -> bool:
    """Return whether a request that meets the rendered rule meets the same, or skips yet more,
    under the one of the zone."""
    existing_parameters = _parameters(existing)
    return _same_match(existing, rendered) and all(
        value <= existing_parameters.get(name, frozenset())
        if name in UNORDERED
        else existing_parameters.get(name) == value
        for name, value in _parameters(rendered).items()
    )


def _same_match(existing: CustomRule, rendered: CustomRule) -> bool:
    expressions = {normalise_expression(rule.get("expression")) for rule in (existing, rendered)}
    return existing.get("action") == rendered["action"] and len(expressions) == 1


def _parameters(rule: CustomRule) -> dict[str, Any]:
    """Parameters of the action, in a form that can be compared: lists without their order, and
    nothing that is empty."""
    raw = rule.get("action_parameters")
    parameters = raw if isinstance(raw, Mapping) else {}
    return {
        name: frozenset(map(str, value))
        if name in UNORDERED and isinstance(value, (list, tuple))
        else value
        for name, value in parameters.items()
        if value
    }


LONGEST_ORDERED_LIST = 200  # with more rules, Cloudflare orders by priority only
NAMES_SHOWN = 3
COPIED = ("id", "description", "action", "priority", "paused", "filter_paused")  # of each rule
TYPE_NAMES = (
    ((str, bytes), "a text"),
    ((list, tuple), "a list"),
    ((dict,), "a mapping"),
    ((bool,), "true or false"),
    ((int, float), "a number"),
    ((type(None),), "null"),
)

FILTER_PAUSED = (
    "Its filter is paused, though the rule is not: it matches nothing, and the custom rule is"
    " disabled. Cloudflare's own conversion enables it."
)
ID_TWICE = NO_RULE + "a rule with its id stands before it in the list."


class Migration(NamedTuple):
    """`rules`: the custom rules in the order in which they are to stand, each with ref, action,
    expression, description, enabled, and where they apply action_parameters and logging. `entries`:
    the firewall rules in the order of evaluation, each with id, description, action, priority,
    paused, filter_paused, becomes (a ref), position (from 1) and notes; becomes and position are
    None for a rule that is left out."""

    rules: list[dict[str, Any]]
    entries: list[dict[str, Any]]


def migrate(
    rules: Sequence[Mapping[str, Any]], custom_rules: Sequence[CustomRule] = ()
) -> Migration:
    """All firewall rules of a zone, as Cloudflare lists them, to custom rules.

    A rule that is paused since one of the zone's `custom_rules` has replaced it counts as it did
    before. Raises ValueError where one of both is not a list of mappings, firewall rules with an id
    each; everything else that is odd is noted."""
    firewall_rules = _read_rules(rules)
    refs = _refs(firewall_rules)
    listed = _as_before(firewall_rules, refs, by_ref(custom_rules))
    ordered = sorted(listed, key=_evaluation)
    allowed = _pairs(ordered)
    custom = []
    for rule in ordered:
        if not rule.obstacle and rule.id not in allowed:
            active = [other for other in ordered if other.active]
            merged = [other for other in active if allowed.get(other.id) == rule.id]
            custom.append(_custom_rule(rule, refs[rule.id], merged))
    positions = {rule["ref"]: position for position, rule in enumerate(custom, start=1)}
    doubts = _doubts(listed, ordered)
    entries = []
    for rule in ordered:
        ref = None if rule.obstacle else refs[allowed.get(rule.id, rule.id)]
        notes = [*_notes(rule, refs[rule.id]), *(doubts.get(rule.id, []) if rule.active else [])]
        shown = {name: getattr(rule, name) for name in COPIED}
        entry = {**shown, "becomes": ref, "position": positions.get(ref), "notes": notes}
        entries.append(entry)
    return Migration(custom, entries)


def _read_rules(rules: Any) -> list[FirewallRule]:
    if isinstance(rules, (str, bytes)) or not isinstance(rules, Sequence):
        raise ValueError(
            f"firewall rules are a list, such as rules of firewall_rules_info, not {_named(rules)}"
        )
    read: list[FirewallRule] = []
    ids = set()
    for number, raw in enumerate(rules, start=1):
        if not isinstance(raw, Mapping):
            raise ValueError(
                f"number {number} of the firewall rules is not a mapping, but {_named(raw)}"
            )
        if not isinstance(raw.get("id"), str) or not raw["id"].strip():
            raise ValueError(f"number {number} of the firewall rules has no id")
        rule = read_rule(raw)
        read.append(replace(rule, obstacle=ID_TWICE) if rule.id in ids else rule)
        ids.add(rule.id)
    return read


def _named(value: Any) -> str:
    named = (name for kinds, name in TYPE_NAMES if isinstance(value, kinds))
    return next(named, f"a {type(value).__name__}")


def _evaluation(rule: FirewallRule) -> tuple[bool, float, int]:
    """Sorts as Cloudflare evaluates; equal ones keep the order of the list."""
    return firewall_order(rule.priority, rule.action)


def _refs(rules: Iterable[FirewallRule]) -> dict[str, str]:
    """By id, the ref of the custom rule: the rule's own where nothing else goes by it, and the id
    otherwise."""
    own: dict[str, str] = {}
    for rule in rules:
        own.setdefault(rule.id, rule.ref or rule.id)
    uses = Counter(own.values())
    return {
        id_: ref if uses[ref] == 1 and (ref == id_ or ref not in own) else id_
        for id_, ref in own.items()
    }


def _pairs(ordered: Iterable[FirewallRule]) -> dict[str, str]:
    """The id of the allow rule into which a bypass rule goes, by the bypass rule's id: every
    request that meets one of the two meets the other. That holds only where nothing between them
    terminates, paused rules included, since those may be resumed."""
    pairs: dict[str, str] = {}
    waiting: list[FirewallRule] = []
    for rule in ordered:
        if rule.action == "bypass":
            waiting.append(rule)
        if not rule.terminates:
            continue
        if rule.action == "allow" and rule.active:
            condition = normalise_expression(rule.expression)
            pairs.update(
                (other.id, rule.id)
                for other in waiting
                if other.active and normalise_expression(other.expression) == condition
            )
        waiting = []
    return pairs


def _as_before(
    listed: Sequence[FirewallRule], refs: Mapping[str, str], existing: Mapping[str, CustomRule]
) -> list[FirewallRule]:
    """The rules as they were before custom rules replaced them: one that is paused, and whose
    custom rule is there, is as paused as that is disabled. A bypass that went into an allow has no
    custom rule of its own; it counts as that of the allow."""

    def replaced(rule: FirewallRule, ref: str) -> bool:
        return (
            rule.paused
            and not rule.obstacle
            and ref in existing
            and at_least(existing[ref], _custom_rule(rule, ref, ()))
        )

    rules = list(listed)
    for index, rule in enumerate(rules):
        if replaced(rule, refs[rule.id]):
            paused = existing[refs[rule.id]].get("enabled") is False
            rules[index] = replace(rule, paused=paused)
    merged = [rule.action == "bypass" and refs[rule.id] not in existing for rule in rules]
    resumed = [replace(rule, paused=False) if gone else rule for rule, gone in zip(rules, merged)]
    pairs = _pairs(sorted(resumed, key=_evaluation))
    return [
        after if rule.id in pairs and replaced(rule, refs[pairs[rule.id]]) else rule
        for rule, after in zip(rules, resumed)
    ]


def _custom_rule(rule: FirewallRule, ref: str, merged: Iterable[FirewallRule]) -> dict[str, Any]:
    parameters: dict[str, Any] = {"ruleset": "current"} if rule.action == "allow" else {}
    bypassed = (product for bypass in (rule, *merged) for product in bypass.products)
    products = list(dict.fromkeys(bypassed))
    if products:
        parameters["products"] = products
    custom = {
        "ref": ref,
        "action": "skip" if parameters else rule.action,
        "expression": rule.expression,
        "description": rule.description,
        "enabled": rule.active,
    }
    if parameters:
        custom.update(action_parameters=parameters, logging={"enabled": True})
    return custom


def _notes(rule: FirewallRule, ref: str) -> list[str]:
    notes = list(rule.remarks)
    if rule.obstacle:
        notes.append(rule.obstacle)
    elif rule.filter_paused and not rule.paused:
        notes.append(FILTER_PAUSED)
    if rule.ref and rule.ref != ref and not rule.obstacle:
        notes.append(
            f"Its ref '{rule.ref}' is not its alone, so the custom rule goes by the rule's id."
        )
    return notes


def _doubts(
    listed: Sequence[FirewallRule], ordered: Sequence[FirewallRule]
) -> dict[str, list[str]]:
    """Notes by id for rules that would swap places if the zone evaluated its rules in the order of
    the list, as it may where there are no priorities. Two rules that both go on to the next rule
    may swap."""
    if len(listed) > LONGEST_ORDERED_LIST or any(rule.priority is not None for rule in listed):
        return {}
    rank = {rule.id: number for number, rule in enumerate(ordered) if rule.active}
    active = [rule for rule in listed if rule.active]
    doubts: dict[str, list[str]] = {}
    for number, rule in enumerate(active):
        for others, where, instead in (
            (active[:number], "after", "before"),
            (active[number + 1 :], "before", "after"),
        ):
            swapped = [
                other.id
                for other in others
                if (rank[other.id] > rank[rule.id]) == (where == "after")
                and (rule.terminates or other.terminates)
            ]
            if swapped:
                doubts.setdefault(rule.id, []).append(
                    "No rule has a priority. If the zone therefore evaluates its rules in the"
                    f" order of the list, it evaluates this one {where}"
                    f" {first_few(swapped, NAMES_SHOWN)}, not {instead}; move it then."
                )
    return doubts


def steps(rules: Sequence[Mapping[str, Any]], custom_rules: Sequence[CustomRule]) -> dict[str, Any]:
    """From all firewall rules and all custom rules of a zone to `conflicts`, the refs under which
    the zone has a custom rule that does something else than the firewall rule in effect; `create`,
    the custom rules that are missing, each with its position; and `pause`, what pauses the firewall
    rules that custom rules then stand for.

    Raises ValueError as migrate does.
    """
    existing = by_ref(custom_rules)
    entries = migrate(rules).entries
    in_effect = {one["id"] for one in entries if not (one["paused"] or one["filter_paused"])}
    migration = migrate(rules, custom_rules)
    needed = {entry["becomes"] for entry in migration.entries if entry["id"] in in_effect}
    conflicts = []
    for rule in migration.rules:
        there = existing.get(rule["ref"], {})
        is_in_effect = there and same(there, rule) and there.get("enabled") is not False
        if there and rule["ref"] in needed and not is_in_effect:
            conflicts.append(rule["ref"])
    return {
        "conflicts": conflicts,
        "create": _placed(migration.rules, existing),
        "pause": _pausable([entry for entry in migration.entries if entry["id"] in in_effect]),
    }


def _placed(
    rules: Sequence[CustomRule], existing: Mapping[str, CustomRule]
) -> list[dict[str, Any]]:
    """The missing rules, each behind the one that comes before it; the first before all others, or
    where there are none, behind everything that the zone has."""
    refs = [rule["ref"] for rule in rules]
    first = next((f"before {ref}" for ref in refs if ref in existing), "last")
    positions = [first, *(f"after {ref}" for ref in refs)]
    return [
        dict(rule, position=position)
        for rule, position in zip(rules, positions)
        if rule["ref"] not in existing
    ]


def _pausable(in_effect: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The options that pause the rules, the last rule first: a rule that is not paused yet then
    decides before any custom rule does, as before. Rules before one with an unknown action stay
    too."""
    behind = takewhile(
        lambda entry: entry["becomes"] or entry["action"] in ACTIONS_BY_PRECEDENCE,
        reversed(in_effect),
    )
    return [{"id": entry["id"], "paused": True} for entry in behind if entry["becomes"]]
