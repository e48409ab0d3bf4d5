# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state that the role leaves of objects that a baseline names, in the words of docs/accounts.md: a switch that an entry
leaves out has its default, unless the existing value protects more."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import Any

from tests.evidence.models.plan_model import Item, named
from tests.evidence.models.traffic_model import (
    ENFORCING,
    MET_BY_OVERRIDES,
    PACKETS,
    Rule,
    custom_in_order,
    is_weaker,
    level_met,
    nothing_is_stricter,
)
from tests.evidence.models.zone_model import API_NAMES, KEYS, L4, custom_rule_after

NEW: dict[str, Item] = {
    "prefixes": {"excluded": False},
    "allowlist": {"enabled": True},
    "rules": {"mode": "monitoring", "rate_sensitivity": "medium", "burst_sensitivity": "medium"},
    "filters": {"mode": "monitoring"},
}
CONDITIONS = ("exposed_credential_check", "future")


def account_after(existing: Item, entries: Item, alone: bool = False) -> Item:
    """An account after the role; `alone`, only the objects that the entries name."""

    def listed(name: str, objects: Sequence[Item], own: Sequence[Item]) -> list[Item]:
        known = {place(item): item for item in objects}
        after = [described(known.get(place(item), NEW[name]), item) for item in own]
        named_ones = {place(item) for item in own}
        return [*after, *(item for item in objects if place(item) not in named_ones and not alone)]

    return {
        "enabled": True,
        **{name: listed(name, existing[name], entries[name]) for name in ("prefixes", "allowlist")},
        **{
            name: {kind: listed(name, existing[name][kind], entries[name][kind]) for kind in entries[name]}
            for name in ("rules", "filters")
        },
    }


def place(item: Item) -> list[Any] | str:
    return str([item.get(name) for name in ("prefix", "expression", "scope", "name")])


def described(existing: Item, entry: Item) -> Item:
    """An object of an account: one that protects nobody, though its entry does not say so, is set back."""
    after = {**existing, **entry}
    if after.get("excluded") and "excluded" not in entry:
        after["excluded"] = False
    if after.get("mode") == "disabled" and "mode" not in entry:
        after["mode"] = "monitoring"
    return after


def rules_after(existing: Sequence[Item], entries: Sequence[Item]) -> list[Item]:
    """Custom rules, or those of the Network Firewall, after the role, in their order."""
    after = {rule["ref"]: rule for rule in existing}
    for entry in entries:
        values = {**named(entry), **entry.get("api_fields", {})}
        values.pop("api_fields", None)
        rule = custom_rule_after(after.get(entry["ref"]), values)
        if rule["action"] in ENFORCING:
            rule["enabled"] |= "enabled" not in values
            if rule["enabled"]:  # what may narrow it, and the entry does not name
                rule = {name: value for name, value in rule.items() if name not in CONDITIONS or name in values}
        after[entry["ref"]] = rule
    new = [entry for entry in entries if entry["ref"] not in {rule["ref"] for rule in existing}]
    front = [entry["ref"] for entry in new if entry.get("position") == "first"]
    order = [*front, *(ref for ref in after if ref not in front)]
    described_refs = iter(in_described_order(entries))
    refs = {entry["ref"] for entry in entries}
    own = [next(described_refs) if ref in refs else ref for ref in order]
    narrowed = {ref: frozenset(CONDITIONS) & {*rule} for ref, rule in after.items()}
    planned, others = (custom_in_order([after[ref] for ref in refs_in_order]) for refs_in_order in (order, own))
    is_stricter = any(
        not nothing_is_stricter(_met(planned, narrowed, some), _met(others, narrowed, some))
        for some in map(frozenset, ((), CONDITIONS[:1], CONDITIONS[1:], CONDITIONS))
    )
    return [after[ref] for ref in (own if is_stricter else order)]


def in_described_order(entries: Sequence[Item]) -> list[str]:
    """The refs of entries in the order in which they would stand if all were new: those with the position `first`, and then
    the others, of which `last` says nothing more."""
    refs = [entry["ref"] for entry in entries if entry.get("position") == "first"]
    return [*refs, *(entry["ref"] for entry in entries if entry["ref"] not in refs)]


def is_lost(
    was: Sequence[Rule],
    becomes: Sequence[Rule],
    refs: Collection[str],
    narrowed: Sequence[Mapping[str, frozenset[str]]] = ({}, {}),
) -> bool:
    """Whether existing rules treat something less strictly than those after the role, or all these treat something less
    strictly than those among them that entries name. Of rules after the role, and of existing ones, `narrowed` has conditions that nobody knows,
    by key: each may be met, or not."""
    names = sorted({name for side in narrowed for conditions in side.values() for name in conditions})
    subsets = [frozenset(some) for size in range(len(names) + 1) for some in combinations(names, size)]
    lacking = any(
        not nothing_is_stricter(_met(becomes, narrowed[1], some), _met(was, narrowed[0], some)) for some in subsets
    )
    named = [rule for rule in was if rule.key in refs]
    passing = any(
        not nothing_is_stricter(_met(was, narrowed[0], some), _met(named, narrowed[0], some)) for some in subsets
    )
    return lacking or passing


def _met(rules: Sequence[Rule], narrowed: Mapping[str, frozenset[str]], some: frozenset[str]) -> list[Rule]:
    """The rules that match anything if these conditions are met, and no others."""
    return [rule for rule in rules if narrowed.get(rule.key, frozenset()) <= some]


def unpaused(rules: Sequence[Item], entries: Sequence[Item]) -> list[Item]:
    """Firewall rules after the role, from those with the values of their entries: a rule that blocks is on, unless an entry
    says otherwise, or its filter is also that of a rule that lets pass, or of another entry that says whether it is paused."""
    said = {entry["id"]: entry for entry in entries}
    on: set[str] = set()
    for rule in rules:
        entry = said.get(rule["id"])
        if entry is None or rule["action"] not in ENFORCING:
            continue
        sharing = [one for one in rules if one["filter"]["id"] == rule["filter"]["id"] and one is not rule]
        is_kept = any(
            one["action"] == "allow" or "paused" in said.get(one["id"], {}).get("filter", {}) for one in sharing
        )
        stays = is_kept or "paused" in entry.get("filter", {})
        if (rule["paused"] and "paused" in entry) or (rule["filter"]["paused"] and stays):
            continue
        on |= {rule["id"], rule["filter"]["id"]}
    return [
        {**rule, "paused": rule["paused"] and rule["id"] not in on,
         "filter": {**rule["filter"], "paused": rule["filter"]["paused"] and rule["filter"]["id"] not in on}}
        for rule in rules
    ]  # fmt: skip


MANAGED = list(L4.rules.items())
TRAFFIC = {tuple(matches(packet) for matches in MET_BY_OVERRIDES.values()): packet for packet in PACKETS}.values()


def overridden(override: Item) -> Item:
    said: Item = override["action_parameters"]["overrides"]
    return said


def with_defaults(planned: Item, entry: Item) -> Item:
    """An override with the default of each switch that its entry leaves out."""
    named_ones = {API_NAMES.get(name, name) for name in entry}
    said = {name: value for name, value in overridden(planned).items() if name in named_ones}
    parameters = {**planned["action_parameters"], "overrides": said}
    return {**planned, "enabled": planned["enabled"] or "enabled" not in entry, "action_parameters": parameters}


def switches_of(planned: Item, described: Item, after: Item) -> Iterator[tuple[str, Item]]:
    """The switches that were set back, each with the override in which it was not; any other one is as it was planned."""
    if after["enabled"] != planned["enabled"]:
        yield "enabled", {**after, "enabled": planned["enabled"]}
    for name in ("action", "sensitivity_level", "categories", "rules"):
        was, becomes, default = (overridden(one).get(name) or None for one in (planned, after, described))
        if was != becomes:
            assert becomes == default
            said = {key: value for key, value in {**overridden(after), name: was}.items() if value}
            yield name, {**after, "action_parameters": {**after["action_parameters"], "overrides": said}}


def possible_rules(overrides: Sequence[Item]) -> list[tuple[str, tuple[str, ...]]]:
    """Managed rules that some overrides may tell apart, if nobody knows in which categories they are."""
    names = {
        key: {item[key] for one in overrides for item in overridden(one).get(name, ())} for name, key in KEYS.items()
    }
    pairs = chain.from_iterable(combinations(sorted(names["category"]), number) for number in range(3))
    return list(product([*sorted(names["id"]), ""], pairs))


def lets_more_pass(before: Sequence[Item], after: Sequence[Item], managed: Sequence[Any] = ()) -> bool:
    """Whether some packet meets a weaker managed rule than before. If nobody knows the managed rules, one may do nothing by
    itself."""
    own = "block" if managed else ""
    return any(
        is_weaker(level_met(before, packet, *one), level_met(after, packet, *one), own)
        for packet, one in product(TRAFFIC, managed or possible_rules([*before, *after]))
    )
