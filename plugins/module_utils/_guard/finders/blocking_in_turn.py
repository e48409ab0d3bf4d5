# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of managed DDoS rules that newly set all managed rules, or those of a category, to
block for all plain traffic: the first override that traffic meets decides.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple, Sequence

from ..._expressions.expression import Expression
from ..._protection.ordinary_traffic import destination_names, plain_traffic
from ..._protection.override_entries import RULE, entries_by_name
from ..._protection.overrides import (
    OverridesInForce,
    level_set_by,
    override_expression,
    overrides_in_force,
)
from ..._schema.ddos_overrides import BLOCK, L4_OVERRIDES, OFF
from ..._schema.registry import DDOS_OVERRIDES
from ..._schema.resource import Object, Resource, State
from ..._text import first_few, sentence
from ..finding import Entry, FinderAnswer, entries_of, entry_of
from .base import Change


class Blocking(NamedTuple):
    """An override of DDoS rules, the traffic for which it sets managed rules to block, and the
    `name` of their category (empty: all managed rules).
    """

    resource: Resource
    override: Object
    name: str
    traffic: Expression

    @property
    def entry(self) -> Entry:
        """The entry by which risks name the override."""
        return entry_of(self.resource, self.override)

    @property
    def words(self) -> str:
        """A clause on the override and the managed rules that it sets to block."""
        title = f"{self.resource.title} {self.entry.text}"
        return f"{title} sets {managed_rules_in_words(self.name)} to block"


def by_ddos_overrides(change: Change) -> FinderAnswer:
    """The risk that overrides of managed DDoS rules newly block all plain traffic."""
    found: list[Blocking] = []
    for resource in DDOS_OVERRIDES:
        found += _newly_blocking(resource, change.before.state, change.after.state)
    if not found:
        return None
    words = first_few(dict.fromkeys(blocking.words for blocking in found))
    changed = {(operation.resource.name, operation.key) for operation in change.plan.operations}
    blamed = {(blocking.resource.name, blocking.entry.key): blocking.entry for blocking in found}
    concerned = [entry for target, entry in blamed.items() if target in changed]
    message = f"{words} for all plain traffic, whatever each managed rule does by itself"
    return sentence(message), [], concerned or entries_of(change.plan.operations)


def _newly_blocking(resource: Resource, before: State, after: State) -> Iterator[Blocking]:
    """The overrides by which managed rules block all plain traffic in the state `after`, but not in
    the state `before`.
    """
    former, latter = (overrides_in_force(resource, state) for state in (before, after))
    if former.overrides == latter.overrides:
        return
    names = {"": None}  # all managed rules, and those of each category
    for override in latter.overrides:
        names.update({name: None for name in entries_by_name(override) if _is_of_category(name)})
    kind = "packet" if resource is L4_OVERRIDES else "request"
    destinations = destination_names(kind, after)
    for name in names:
        blocking = _blocking_everything(latter, name, kind, destinations)
        if blocking and not _blocking_everything(former, name, kind, destinations):
            yield from blocking


def _is_of_category(name: str) -> bool:
    return bool(name) and not name.startswith(RULE)


def _blocking_everything(
    overrides_in_force: OverridesInForce, category: str, kind: str, destinations: tuple[str, ...]
) -> Sequence[Blocking]:
    """The overrides by which managed rules block all plain traffic, alone or together; empty if
    some of it passes. `category` is that of the managed rules, empty for rules without one.
    """

    def is_everything(traffic: Expression) -> bool:
        return bool(plain_traffic(traffic, kind, False, destinations))

    together = _blocking_in_turn(overrides_in_force, category)
    alone = [blocking for blocking in together if is_everything(blocking.traffic)]
    if alone or not together:
        return alone
    union = Expression.any_of([blocking.traffic for blocking in together])
    return together if is_everything(union) else []


def _blocking_in_turn(overrides_in_force: OverridesInForce, category: str) -> Sequence[Blocking]:
    """The overrides that set managed rules to block, each without the traffic for which an override
    in front of it sets something else. `category` is that of the managed rules, empty for rules
    without one.
    """
    names = [category] if category else []
    in_front: list[Expression] = []
    together: list[Blocking] = []
    for override in overrides_in_force.overrides:
        level = level_set_by(entries_by_name(override), names)
        if level is None:
            continue
        expression = override_expression(overrides_in_force.resource, override)
        if level.action == BLOCK and level.sensitivity != OFF:
            traffic = expression.without(*in_front)
            together.append(Blocking(overrides_in_force.resource, override, level.name, traffic))
        else:
            in_front.append(expression)
    return together


def managed_rules_in_words(name: str) -> str:
    """A noun for the managed rules of the category `name`, or for all managed rules if it is
    empty.
    """
    return f"the {name}" if name else "all managed rules"
