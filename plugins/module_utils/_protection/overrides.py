# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where overrides of managed DDoS rules let more of an attack pass than other overrides do.

The first override whose expression matches and that sets something for a managed rule decides about
it, and in it the rule before its category before all rules ("Overrides", DDoS Protection). An
expression that is not about destinations alone is taken as met by some of their traffic and not by
other; of a request, all that is known is whether every one matches.
"""

from __future__ import annotations

from typing import Callable, Iterable, Mapping, NamedTuple, Sequence

from .._expressions.grammar import normalise_expression
from .._expressions.solve import ALL, Matches, Undecided, matched, matches_every_request
from .._schema.overrides import DEFAULT, L4_OVERRIDES, LOG, SENSITIVITIES, levels_of
from .._schema.resource import Key, Object, Resource
from .._schema.rulesets import ENABLED
from .._values.address_set import EVERYTHING, Ranges, difference, union

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


class _Remainder(NamedTuple):
    """The traffic of an expression, without that of stronger ones that come before it."""

    expression: str
    without: frozenset[str]


class _Traffic(NamedTuple):
    """Destinations all of whose traffic, and some of whose traffic, is concerned; and expressions
    of which no more is known."""

    always: Ranges
    sometimes: Ranges
    expressions: frozenset[_Remainder]


class _Decided(NamedTuple):
    """What overrides have decided: all traffic to some destinations, and of stronger ones the
    expressions, with the destinations of which these decide on a part at most."""

    always: Ranges
    partly: Ranges
    stronger: frozenset[str]


NOTHING = _Traffic([], [], frozenset())


def weakenings(
    resource: Resource, before: Sequence[Object], after: Sequence[Object]
) -> list[Weakening]:
    """The overrides afterwards that let more pass than those before, each with its worst level;
    one that would do so only since another is gone or moved is among them."""
    names = dict.fromkeys(name for obj in (*before, *after) for name in levels_of(obj))
    worst: dict[Key, Weakening] = {}
    for level, is_weak in LEVELS.items():
        for name in names:
            was = _union([item for _obj, item in _weak(resource, before, name, is_weak)])
            for obj, traffic in _weak(resource, after, name, is_weak):
                more = _more(traffic, was)
                if more:
                    key, label = resource.key_of(obj), resource.label_of(obj)
                    worst[key] = Weakening(key, label, name, level, more.ranges)
    return list(worst.values())


class _More(NamedTuple):
    """That there is more traffic, to these destinations as far as they are known."""

    ranges: Ranges


def _more(traffic: _Traffic, was: _Traffic) -> _More | None:
    """What traffic there is beyond that before."""
    always = difference(traffic.always, was.always)
    sometimes = difference(traffic.sometimes, was.always)
    is_new = any(not _is_part(item, was.expressions) for item in traffic.expressions)
    if always or (is_new and (sometimes or not traffic.sometimes) and was.always != EVERYTHING):
        return _More(always or sometimes)
    return None


def _is_part(one: _Remainder, others: Iterable[_Remainder]) -> bool:
    """Whether it is proven that all of a remainder is in one of the others."""
    return any(
        _implies(one.expression, other.expression)
        and all(_is_left_out(text, one) for text in other.without)
        for other in others
    )


def _is_left_out(text: str, one: _Remainder) -> bool:
    """Whether it is proven that an expression matches nothing of a remainder."""
    return any(_implies(text, stronger) for stronger in one.without) or matches_every_request(
        f"not ({one.expression}) or not ({text})"
    )


def _implies(expression: str, other: str) -> bool:
    """Whether it is proven that another expression matches all that this one matches."""
    return expression == other or matches_every_request(f"not ({expression}) or ({other})")


def _weak(
    resource: Resource, overrides: Sequence[Object], name: str, is_weak: Level
) -> list[tuple[Object, _Traffic]]:
    """The active overrides that are so weak for these managed rules, with the traffic that they
    decide on."""
    weak: list[tuple[Object, _Traffic]] = []
    decided = _Decided([], [], frozenset())
    for obj in overrides:
        if ENABLED.normalised(obj) == "false":
            continue
        levels = levels_of(obj)
        level = levels.get(name, levels[""])
        traffic = _traffic_of(resource, str(obj.get("expression") or ""), decided)
        if is_weak(*level) and traffic != NOTHING:
            weak.append((obj, traffic))
        if _sets_all(obj) or (name and name in levels):
            decided = _and_also(decided, traffic, is_weak(*level))
    return weak


def _and_also(decided: _Decided, traffic: _Traffic, is_weak: bool) -> _Decided:
    """What is decided behind an override of this traffic, too."""
    always = union(decided.always + traffic.always)
    if is_weak or not traffic.expressions:
        return decided._replace(always=always)
    partly = union(decided.partly + (traffic.sometimes or EVERYTHING))
    stronger = decided.stronger | {one.expression for one in traffic.expressions}
    return _Decided(always, partly, stronger)


def _sets_all(override: Object) -> bool:
    """Whether an override sets something for all managed rules, and not for named ones alone."""
    action = override.get("action") or DEFAULT
    return action != DEFAULT or bool(override.get("sensitivity"))


def _traffic_of(resource: Resource, expression: str, decided: _Decided) -> _Traffic:
    """The traffic that an expression matches, without what is decided already."""
    if decided.always == EVERYTHING:
        return NOTHING
    remainder = frozenset([_Remainder(normalise_expression(expression), decided.stronger)])
    matches = _matches(resource, expression)
    if matches is None:
        return _Traffic([], [], remainder)
    always = difference(matches.always, union(decided.always + decided.partly))
    sometimes = difference(matches.sometimes, decided.always)
    return _Traffic(always, sometimes, remainder if difference(sometimes, always) else frozenset())


def _matches(resource: Resource, expression: str) -> Matches | None:
    """The destinations that an expression matches, None if they are not known."""
    if matches_every_request(expression):
        return ALL
    try:
        return matched(expression) if resource is L4_OVERRIDES else None
    except Undecided:
        return None


def _union(parts: Sequence[_Traffic]) -> _Traffic:
    return _Traffic(
        union([item for part in parts for item in part.always]),
        union([item for part in parts for item in part.sometimes]),
        frozenset(item for part in parts for item in part.expressions),
    )
