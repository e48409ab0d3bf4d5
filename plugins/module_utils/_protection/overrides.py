# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of managed DDoS rules that let more of an attack pass than other overrides do.

The first override whose expression matches and that sets something for a managed rule decides about
it, and in it the rule before its categories, the last of them first, before all rules ("Overrides",
DDoS Protection). A managed rule is known by its names: its own and those of its categories. A
comparison of which no more is known is taken as met by some of the traffic and not by other.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import AbstractSet, Callable, Iterator, Mapping, NamedTuple, Sequence, Tuple

from .._expressions.grammar import NotKnown
from .._expressions.solve import EMPTY, WHOLE, Diagrams, Set, TooManyCases, destinations, matched
from .._schema.overrides import (
    ACTIONS,
    BLOCK,
    DEFAULT,
    ENTRY_KEYS,
    L4_OVERRIDES,
    LOG,
    OFF,
    OTHER_RULE,
    PARAMETERS,
    SENSITIVITIES,
    listed_rules,
    named_entries,
    strengthens,
)
from .._schema.resource import ENABLED, Key, Object, Resource, State
from .._values.address_set import Ranges, union

Level = Callable[[str, str], bool]  # whether an action and a sensitivity are as weak as that
CHALLENGES = ("managed_challenge", "challenge")


def _as_weak_as(sensitivity: str) -> Level:
    rank = SENSITIVITIES.index(sensitivity)

    def is_as_weak(action: str, other: str) -> bool:
        return other in SENSITIVITIES and SENSITIVITIES.index(other) >= rank

    return is_as_weak


def _is_logged(action: str, sensitivity: str) -> bool:
    return action == LOG


def _is_challenged(action: str, sensitivity: str) -> bool:
    return action in CHALLENGES


def _is_not_blocked(action: str, sensitivity: str) -> bool:
    return action != BLOCK or sensitivity == OFF


# The strictest first, so that the last one that is met says the most.
LEVELS: Mapping[str, Level] = {
    "the action challenge": _is_challenged,
    **{f"the sensitivity {name}": _as_weak_as(name) for name in SENSITIVITIES[1:]},
    "the action log": _is_logged,
}
# Managed rules by themselves block or challenge: only an override that blocks is stricter.
WEAK_BEFORE: Mapping[Level, Level] = {_is_challenged: _is_not_blocked}


class Weakening(NamedTuple):
    """An override that lets more pass: of which managed rules (empty for all), by which value, and
    for which destinations; for no ranges, by its expression. It is not `certain` if it depends on
    the categories of managed rules, which are not known. `decided` are the overrides that decided
    before, with their labels."""

    key: Key
    label: str
    what: str
    level: str
    ranges: Ranges
    certain: bool
    decided: tuple[tuple[Key, str], ...] = ()

    @property
    def reason(self) -> str:
        """A sentence without its subject."""
        return f"sets {self.level} for {self.what or 'all managed rules'}"


class _Setting(NamedTuple):
    """The values that an override sets for a managed rule, by its entry of a name, empty for all
    rules."""

    name: str
    action: str
    sensitivity: str


_Decided = Sequence[Tuple[Object, _Setting, Set]]  # overrides, with the traffic that they decide on
NOTHING = _Setting("", DEFAULT, DEFAULT)


def managed_rules(resource: Resource, state: State) -> Sequence[Object]:
    """The managed rules that overrides are about, as far as a state has them."""
    return [
        rule
        for ruleset in state.get(resource.catalogue_object().plural) or ()
        for rule in listed_rules(ruleset)
    ]


def weakenings(
    resource: Resource,
    before: Sequence[Object],
    after: Sequence[Object],
    managed: Sequence[Object] = (),
) -> list[Weakening]:
    """The overrides afterwards that let more pass than those before, each with its worst level;
    one that would do so only since another is gone or moved is among them. Without managed rules,
    any may be in any category."""
    if before == after:
        return []
    try:
        return _weakenings(resource, before, after, managed)
    except TooManyCases:
        every = [{**obj, "expression": "true"} for obj in after]
        return [item for obj in every for item in _weakenings(resource, (), [obj], managed)]


def turned_off(
    resource: Resource, before: Sequence[Object], after: Sequence[Object]
) -> list[Object]:
    """The overrides that are off afterwards and may stop something before."""
    on = {resource.key_of(obj) for obj in before if strengthens(obj)}
    off = [obj for obj in after if ENABLED.normalised(obj) == "false"]
    return [obj for obj in off if resource.key_of(obj) in on]


def _weakenings(
    resource: Resource, before: Sequence[Object], after: Sequence[Object], managed: Sequence[Object]
) -> list[Weakening]:
    diagrams = Diagrams()
    groups: dict[tuple[tuple[_Setting | None, ...], ...], bool] = {}  # of rules that are set alike
    for rule in _rules([*before, *after], managed):
        settings = tuple(tuple(_setting_of(obj, rule) for obj in some) for some in (before, after))
        groups[settings] = groups.get(settings, False) or bool(managed) or len(rule) < 2
    decided = [
        [_decided(diagrams, *both) for both in zip((before, after), settings)]
        for settings in groups
    ]
    worst: dict[Key, Weakening] = {}
    for level, is_weak in LEVELS.items():
        for (was, becomes), certain in zip(decided, groups.values()):
            for obj, names, more, former in _losses(diagrams, was, becomes, is_weak):
                key, what = resource.key_of(obj), max(names, key=_how_exact)
                ranges = _destinations(resource, obj, diagrams, more)
                had = tuple((resource.key_of(one), resource.label_of(one)) for one in former)
                item = Weakening(key, resource.label_of(obj), what, level, ranges, certain, had)
                worst[key] = _with(item, worst.get(key, item))
    return list(worst.values())


def _with(item: Weakening, known: Weakening) -> Weakening:
    """The last weakening of an override, and those that are known already."""
    names = known.what.split(", ") if known.level == item.level else [item.what]
    what = ", ".join(dict.fromkeys([*names, item.what])) if item.what and all(names) else ""
    ranges = union([*known.ranges, *item.ranges])
    decided = tuple(dict.fromkeys([*known.decided, *item.decided]))
    certain = item.certain or known.certain
    return item._replace(what=what, ranges=ranges, certain=certain, decided=decided)


def _losses(
    diagrams: Diagrams, was: _Decided, becomes: _Decided, is_weak: Level
) -> Iterator[tuple[Object, list[str], Set, list[Object]]]:
    """The overrides that are so weak where others were not, with the names by which both say so,
    the traffic, and those others."""
    was_weak = WEAK_BEFORE.get(is_weak, is_weak)
    strict = [item for item in was if not was_weak(*item[1][1:])]
    lost = diagrams.combined("or", [traffic for _obj, _level, traffic in strict])
    for obj, level, traffic in becomes:
        more = diagrams.combined("and", [traffic, lost]) if is_weak(*level[1:]) else EMPTY
        if more != EMPTY:
            former = [item for item in strict if diagrams.combined("and", [item[2], more])]
            names = [level.name, *(one.name for _obj, one, _traffic in former)]
            yield obj, names, more, [one for one, _level, _traffic in former if one]


def _how_exact(name: str) -> int:
    return ("", "category", "rule").index(name.partition(" ")[0])


def _rules(overrides: Sequence[Object], managed: Sequence[Object]) -> Sequence[AbstractSet[str]]:
    """The names of each managed rule; if these are not known, of all that the overrides may tell
    apart."""
    if managed:
        return [
            {
                f"rule {rule.get('id')}",
                *(f"category {name}" for name in rule.get("categories") or ()),
            }
            for rule in managed
        ]
    names = dict.fromkeys(
        f"{what} {name}" for obj in overrides for what, name, _item in named_entries(obj)
    )
    own, categories = ([one for one in names if _how_exact(one) == at] for at in (2, 1))
    # Two overrides are compared: no more than one category of each counts.
    some = list(chain.from_iterable(combinations(categories, number) for number in range(3)))
    return [{*rule, *more} for rule in [[], *([one] for one in own)] for more in some]


def _setting_of(override: Object, rule: AbstractSet[str]) -> _Setting | None:
    """The values that an override sets for a managed rule; None if it sets none."""
    named = [(f"{what} {name}", item) for what, name, item in named_entries(override)]
    own = [(name, item) for name, item in reversed(named) if name in rule]
    action = override.get("action") or DEFAULT
    sets_all = action != DEFAULT or bool(override.get("sensitivity"))
    if ENABLED.normalised(override) == "false" or not (own or sets_all):
        return None
    sources = [*(item for _name, item in own), override]
    action, sensitivity = (
        next((str(item[field]) for item in sources if item.get(field)), DEFAULT)
        for field in ("action", "sensitivity")
    )
    return _Setting(own[0][0] if own else "", action, sensitivity)


def _decided(
    diagrams: Diagrams, overrides: Sequence[Object], settings: Sequence[_Setting | None]
) -> _Decided:
    """The overrides that set something for a managed rule, with the traffic that they decide on;
    at last the traffic that none decides on."""
    decided: list[tuple[Object, _Setting, Set]] = []
    rest = WHOLE
    for obj, values in zip(overrides, settings):
        if values:
            matching = diagrams.matching(str(obj.get("expression") or ""))
            decided.append((obj, values, diagrams.combined("and", [rest, matching])))
            rest = diagrams.without(rest, matching)
    return [*decided, ({}, NOTHING, rest)]


def _destinations(resource: Resource, override: Object, diagrams: Diagrams, traffic: Set) -> Ranges:
    """The destinations of more traffic of an override, as far as its expression tells them."""
    try:
        matched(str(override.get("expression") or ""))
    except NotKnown:
        return []
    return destinations(diagrams, traffic).sometimes if resource is L4_OVERRIDES else []


def not_understood(override: Object) -> bool:
    """Return whether an override that is on has a value or field that is not known, or is a rule of
    another kind."""
    if ENABLED.normalised(override) == "false":
        return False
    entries = [item for _what, _name, item in named_entries(override)]
    return (
        OTHER_RULE in override
        or PARAMETERS in override
        or any(item.keys() - {"action", "sensitivity", *ENTRY_KEYS.values()} for item in entries)
        or any(
            str(item.get("action") or DEFAULT) not in ACTIONS
            or str(item.get("sensitivity") or DEFAULT) not in SENSITIVITIES
            for item in (override, *entries)
        )
    )
