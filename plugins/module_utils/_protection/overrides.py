# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of managed DDoS rules that let more of an attack pass than other overrides do.

The first override whose expression matches and that sets something for a managed rule decides about
it, and in it the rule before its category before all rules ("Overrides", DDoS Protection). An
comparison of which no more is known is taken as met by some of the traffic and not by other.
"""

from __future__ import annotations

from typing import Callable, Mapping, NamedTuple, Sequence

from .._expressions.grammar import NotKnown
from .._expressions.solve import EMPTY, WHOLE, Diagrams, Set, TooManyCases, destinations, matched
from .._schema.overrides import DEFAULT, L4_OVERRIDES, LOG, SENSITIVITIES, levels_of, strengthens
from .._schema.resource import ENABLED, Key, Object, Resource
from .._values.address_set import Ranges, union

Level = Callable[[str, str], bool]  # whether an action and a sensitivity are as weak as that


def _as_weak_as(sensitivity: str) -> Level:
    rank = SENSITIVITIES.index(sensitivity)

    def is_as_weak(action: str, other: str) -> bool:
        return other in SENSITIVITIES and SENSITIVITIES.index(other) >= rank

    return is_as_weak


def _is_logged(action: str, sensitivity: str) -> bool:
    return action == LOG


# The strictest first, so that the last one that is met says the most.
LEVELS: Mapping[str, Level] = {
    **{f"the sensitivity {name}": _as_weak_as(name) for name in SENSITIVITIES[1:]},
    "the action log": _is_logged,
}


class Weakening(NamedTuple):
    """An override that lets more pass: of which managed rules (empty for all), by which value, and
    for which destinations; for no ranges, by its expression."""

    key: Key
    label: str
    what: str
    level: str
    ranges: Ranges

    @property
    def reason(self) -> str:
        """A sentence without its subject."""
        return f"sets {self.level} for {self.what or 'all managed rules'}"


def weakenings(
    resource: Resource, before: Sequence[Object], after: Sequence[Object]
) -> list[Weakening]:
    """The overrides afterwards that let more pass than those before, each with its worst level;
    one that would do so only since another is gone or moved is among them."""
    if before == after:
        return []
    try:
        return _weakenings(resource, before, after)
    except TooManyCases:
        every = [{**obj, "expression": "true"} for obj in after]
        return [item for obj in every for item in _weakenings(resource, (), [obj])]


def turned_off(
    resource: Resource, before: Sequence[Object], after: Sequence[Object]
) -> list[Object]:
    """The overrides that are off afterwards and may stop something before."""
    on = {resource.key_of(obj) for obj in before if strengthens(obj)}
    off = [obj for obj in after if ENABLED.normalised(obj) == "false"]
    return [obj for obj in off if resource.key_of(obj) in on]


def _weakenings(
    resource: Resource, before: Sequence[Object], after: Sequence[Object]
) -> list[Weakening]:
    diagrams = Diagrams()
    names = dict.fromkeys(name for obj in (*before, *after) for name in levels_of(obj))
    worst: dict[Key, Weakening] = {}
    for level, is_weak in LEVELS.items():
        for name in names:
            weak = [traffic for _obj, traffic in _weak(diagrams, before, name, is_weak)]
            was = diagrams.combined("or", weak)
            for obj, traffic in _weak(diagrams, after, name, is_weak):
                more = diagrams.without(traffic, was)
                if more != EMPTY:
                    key, label = resource.key_of(obj), resource.label_of(obj)
                    known = worst.get(key, Weakening(key, label, name, level, []))
                    names = dict.fromkeys([known.what, name] if known.level == level else [name])
                    ranges = union([*known.ranges, *_destinations(resource, obj, diagrams, more)])
                    what = ", ".join(names) if all(names) else ""
                    worst[key] = Weakening(key, label, what, level, ranges)
    return list(worst.values())


def _weak(
    diagrams: Diagrams, overrides: Sequence[Object], name: str, is_weak: Level
) -> list[tuple[Object, Set]]:
    """The active overrides that are so weak for these managed rules, with the traffic that they
    decide on."""
    weak: list[tuple[Object, Set]] = []
    rest = WHOLE
    for obj in overrides:
        if ENABLED.normalised(obj) == "false":
            continue
        levels = levels_of(obj)
        matching = diagrams.matching(str(obj.get("expression") or ""))
        traffic = diagrams.combined("and", [rest, matching])
        if is_weak(*levels.get(name, levels[""])) and traffic != EMPTY:
            weak.append((obj, traffic))
        if _sets_all(obj) or (name and name in levels):
            rest = diagrams.without(rest, matching)
    return weak


def _destinations(resource: Resource, override: Object, diagrams: Diagrams, traffic: Set) -> Ranges:
    """The destinations of more traffic of an override, as far as its expression tells them."""
    try:
        matched(str(override.get("expression") or ""))
    except NotKnown:
        return []
    return destinations(diagrams, traffic).sometimes if resource is L4_OVERRIDES else []


def _sets_all(override: Object) -> bool:
    """True if an override sets something for all managed rules, and not for named ones alone."""
    action = override.get("action") or DEFAULT
    return action != DEFAULT or bool(override.get("sensitivity"))
