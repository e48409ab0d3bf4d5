# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The entries of an override of managed rules, and the names of the managed rules that they are
about.

A managed rule is known by its names: its own and those of its categories.
"""

from __future__ import annotations

from itertools import combinations
from operator import itemgetter
from typing import Any, Iterable, List, Mapping, Sequence, Tuple

from .._schema.resource import Object, without
from .._schema.rulesets import ENTRY_KEYS, named_entries

RULE = "rule "
ManagedRuleNames = Tuple[
    str, ...
]  # by which a managed rule may be known: `rule X` first, `category Y`


def names_told_apart(overrides: Sequence[Object]) -> list[ManagedRuleNames]:
    """The combinations of names (rules and categories) by which overrides may distinguish managed
    rules, if the managed rules are not known.

    Since two overrides are compared, a combination has at most two categories.
    """
    names: dict[str, None] = {}
    for obj in overrides:
        names.update((f"{kind} {name}", None) for kind, name, _item in named_entries(obj))
    rules = [name for name in names if name.startswith(RULE)]
    categories = [name for name in names if name not in rules]
    few_categories: list[tuple[str, ...]] = []
    for number in range(3):
        few_categories += combinations(categories, number)
    told_apart = [*few_categories]
    for rule in rules:
        told_apart += [(rule, *categories_of_rule) for categories_of_rule in few_categories]
    return told_apart


OverrideEntries = Mapping[str, List[Tuple[int, Object]]]  # by name, with their places


def entries_by_name(override: Object) -> OverrideEntries:
    """The entries of an override, by the name of the managed rule or category that they are about.
    The whole override is the entry for all managed rules, under an empty name."""
    entries: dict[str, list[tuple[int, Object]]] = {"": [(0, override)]}
    for place, (what, name, item) in enumerate(named_entries(override), 1):
        entries.setdefault(f"{what} {name}", []).append((place, item))
    return entries


def entries_for(entries: OverrideEntries, names: Iterable[str]) -> list[tuple[str, Object]]:
    """The entries of an override that are about a managed rule with these names, each with its
    name. The first entry that sets a value decides; the last one, under an empty name, is for all
    rules."""
    own = [(place, name, item) for name in ("", *names) for place, item in entries.get(name, ())]
    own.sort(key=itemgetter(0), reverse=True)
    return [(name, item) for _place, name, item in own]


def values_for(entries: OverrideEntries, names: ManagedRuleNames) -> dict[str, Any]:
    """The values that an override sets for a managed rule with these names."""
    values: dict[str, Any] = {}
    for _name, item in reversed(entries_for(entries, names)):
        values.update(without(item, *ENTRY_KEYS, *ENTRY_KEYS.values()))
    return values


def by_width(names: ManagedRuleNames) -> tuple[int, bool]:
    """A key that sorts combinations of names: one name first, then a rule in a category, then two
    categories."""
    return len(names), len(names) > 1 and not names[0].startswith(RULE)


def names_of_managed_rule(managed: Object) -> Sequence[str]:
    """The id of a managed rule, its action and its categories, as names for `entries_for`."""
    categories = [f"category {name}" for name in managed.get("categories") or ()]
    return [f"{RULE}{managed.get('id')}", str(managed.get("action")), *categories]
