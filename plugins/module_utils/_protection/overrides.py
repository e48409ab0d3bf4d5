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

from functools import partial
from itertools import chain, combinations
from typing import AbstractSet, Callable, Iterator, Mapping, NamedTuple, Sequence, Tuple

from .._expressions.grammar import NotKnown
from .._expressions.solve import EMPTY, WHOLE, Diagrams, Set, TooManyCases, destinations, matched
from .._schema.managed_rules import ENTRY_KEYS, PARAMETERS, named_entries
from .._schema.overrides import (
    ACTIONS,
    BLOCK,
    DEFAULT,
    L4_OVERRIDES,
    L7_OVERRIDES,
    L7_OVERRIDES_OF_ACCOUNT,
    LOG,
    OFF,
    OTHER_RULE,
    SENSITIVITIES,
    is_off,
    listed_rules,
)
from .._schema.registry import DDOS_OVERRIDES
from .._schema.resource import Key, Object, Resource, State
from .._text import first_few
from .._values.address_set import Ranges, union
from .losses import Loss, WeakerRecord, weaker_record


class _Setting(NamedTuple):
    """The values that an override sets for a managed rule, by its entry of a name, empty for all
    rules."""

    name: str
    action: str
    sensitivity: str


Level = Callable[[_Setting], bool]  # whether a setting is as weak as that
CHALLENGING = ("managed_challenge", "challenge")


def _is_among(weak: Sequence[str], setting: _Setting) -> bool:
    return setting.sensitivity in weak


def _is_logged(setting: _Setting) -> bool:
    return setting.action == LOG


def _is_challenged(setting: _Setting) -> bool:
    return setting.action in CHALLENGING


def _is_not_blocked(setting: _Setting) -> bool:
    return setting.action != BLOCK or setting.sensitivity == OFF


OWN_ACTION, GONE = "sets no action for", "no longer decides on"
# The strictest first, so that the last one that is met says the most.
WEAK_LEVELS: Mapping[str, Level] = {
    OWN_ACTION: lambda setting: setting.action == DEFAULT,
    "sets the action challenge for": _is_challenged,
    **{
        f"sets the sensitivity {name} for": partial(_is_among, SENSITIVITIES[rank:])
        for rank, name in enumerate(SENSITIVITIES)
        if rank
    },
    "sets the action log for": _is_logged,
}
# Managed rules by themselves block or challenge: only an override that blocks is stricter.
WEAK_BEFORE: Mapping[Level, Level] = {_is_challenged: _is_not_blocked}
# By the action that a managed rule has by itself, which may be any: what is no stricter.
NO_STRICTER: Mapping[str, Level] = {
    BLOCK: lambda setting: True,
    **dict.fromkeys(CHALLENGING, _is_not_blocked),
    "": lambda setting: setting.action in (DEFAULT, LOG) or setting.sensitivity == OFF,
}


class Weakening(NamedTuple):
    """An override that lets more pass: of which managed rules (empty for all), by which value, and
    for which destinations; for no ranges, by its expression. It is not `certain` if it depends on
    what managed rules do by themselves, or on their categories, and these are not known. `decided`
    are the overrides that decided before, with their labels; if none takes the place of one, it is
    that one which lets more pass."""

    resource: Resource
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
        less = ", whose own action may stop less" if self.level in (OWN_ACTION, GONE) else ""
        return f"{self.level} {self.what or 'all managed rules'}{less}"


class Held(NamedTuple):
    """Overrides that are in force, and whose they are: those of a zone, or of its account."""

    resource: Resource
    overrides: Sequence[Object]


_Shares = Sequence[Tuple[Object, _Setting, Set]]  # overrides, with the traffic that they decide on
NO_SETTING = _Setting("", DEFAULT, DEFAULT)
LATEST_VERSION = {"version": "latest"}  # of the managed ruleset, which is executed by itself
NOT_UNDERSTOOD = "is not understood, and may let more of an attack pass"


def managed_rules(resource: Resource, state: State) -> Sequence[Object]:
    """The managed rules that overrides are about, as far as a state has them."""
    rulesets = state.get(resource.catalogue_object().plural) or ()
    return [rule for ruleset in rulesets for rule in listed_rules(ruleset)]


def in_force(resource: Resource, state: State) -> Held:
    """The overrides of a state; a zone that has none has those of its account."""
    own = state.get(resource.plural) or ()
    of_account = state.get(L7_OVERRIDES_OF_ACCOUNT.plural) if resource is L7_OVERRIDES else ()
    if of_account and not own:
        return Held(L7_OVERRIDES_OF_ACCOUNT, of_account)
    return Held(resource, own)


def weakenings_between(resource: Resource, before: State, after: State) -> list[Weakening]:
    """The overrides of a state that let more pass than those of the state before."""
    managed = managed_rules(resource, after)
    return weakenings(in_force(resource, before), in_force(resource, after), managed)


def weakenings(before: Held, after: Held, managed: Sequence[Object] = ()) -> list[Weakening]:
    """The overrides afterwards that let more pass than those before, each with its worst level;
    one that would do so only since another is gone or moved is among them. Without managed rules,
    any may be in any category, and do anything by itself."""
    if before.overrides == after.overrides:
        return []
    try:
        return _weakenings(before, after, managed)
    except TooManyCases:
        every = [{**obj, "expression": "true"} for obj in after.overrides]
        nothing = before._replace(overrides=())
        alone = [after._replace(overrides=[obj]) for obj in every]
        return [item for one in alone for item in _weakenings(nothing, one, managed)]


def weaker_overrides(before: State, after: State) -> Iterator[WeakerRecord]:
    """The overrides that let more of an attack pass before a plan than after it, or may."""
    for resource in DDOS_OVERRIDES:
        for item in weakenings_between(resource, before=after, after=before):
            loss = Loss(item.certain, unlike_described(item, resource, after, before))
            yield weaker_record(item.resource, item.label, loss)
        described = {resource.key_of(obj): obj for obj in after.get(resource.plural) or ()}
        for obj in before.get(resource.plural) or ():
            planned = described.get(resource.key_of(obj), obj)
            if not_understood(obj) and not not_understood(planned):
                yield weaker_record(resource, resource.label_of(obj), Loss(False, NOT_UNDERSTOOD))


def unlike_described(item: Weakening, resource: Resource, described: State, existing: State) -> str:
    """The reason for which an existing override lets more pass than those that are described."""
    was, now = (
        next((obj for obj in in_force(resource, state)[1] if resource.key_of(obj) == item.key), {})
        for state in (described, existing)
    )
    if item.level == GONE:
        return "is off, and the baseline turns it on" if is_off(now) else item.reason
    if was == now and item.decided:
        others = first_few(label for _key, label in item.decided)
        return f"{item.reason} where the baseline has {others} decide"
    return f"{item.reason}, and the baseline does not"


def _weakenings(before: Held, after: Held, managed: Sequence[Object]) -> list[Weakening]:
    diagrams, sides = Diagrams(), (before.overrides, after.overrides)
    # Of managed rules that are set alike, and have the same action by themselves.
    groups: dict[tuple[str, tuple[tuple[_Setting | None, ...], ...]], bool] = {}
    for rule in _all_names([*sides[0], *sides[1]], managed):
        settings = tuple(tuple(_setting_of(obj, rule) for obj in some) for some in sides)
        group = next(name for name in NO_STRICTER if not name or name in rule), settings
        groups[group] = groups.get(group, False) or bool(managed) or len(rule) < 2
    decided = [
        (own, is_certain, [_with_traffic(diagrams, *side) for side in zip(sides, settings)])
        for (own, settings), is_certain in groups.items()
    ]
    worst: dict[Key, Weakening] = {}
    for level, is_weak in WEAK_LEVELS.items():
        for own, is_certain, (was, becomes) in decided:
            is_own = level == OWN_ACTION
            was_weak = NO_STRICTER[own] if is_own else WEAK_BEFORE.get(is_weak, is_weak)
            for obj, names, more, former in _losses(diagrams, was, becomes, is_weak, was_weak):
                resource, how = (after.resource, level) if obj else (before.resource, GONE)
                what, is_known = max(names, key=_how_exact), is_certain and not is_own
                had = tuple((resource.key_of(one), resource.label_of(one)) for one in former)
                for one in [obj] if obj else former:
                    key, label = resource.key_of(one), resource.label_of(one)
                    ranges = _destinations(resource, one, diagrams, more)
                    item = Weakening(resource, key, label, what, how, ranges, is_known, had)
                    worst[key] = _joined_with(item, worst.get(key, item))
    return list(worst.values())


def _joined_with(item: Weakening, known: Weakening) -> Weakening:
    """The last weakening of an override, and those that are known already."""
    names = known.what.split(", ") if known.level == item.level else [item.what]
    what = ", ".join(dict.fromkeys([*names, item.what])) if item.what and all(names) else ""
    ranges = union([*known.ranges, *item.ranges])
    decided = tuple(dict.fromkeys([*known.decided, *item.decided]))
    certain = item.certain or known.certain
    return item._replace(what=what, ranges=ranges, certain=certain, decided=decided)


def _losses(
    diagrams: Diagrams, was: _Shares, becomes: _Shares, is_weak: Level, was_weak: Level
) -> Iterator[tuple[Object, list[str], Set, list[Object]]]:
    """The overrides that are so weak where others were not, with the names by which both say so,
    the traffic, and those others."""
    # If managed rules were only logged, everything passed.
    strict = [item for item in was if not (_is_logged(item[1]) or was_weak(item[1]))]
    lost = diagrams.combined("or", [traffic for _obj, _setting, traffic in strict])
    for obj, setting, traffic in becomes:
        more = diagrams.combined("and", [traffic, lost]) if is_weak(setting) else EMPTY
        if more != EMPTY:
            former = [item for item in strict if diagrams.combined("and", [item[2], more])]
            names = [setting.name, *(one.name for _obj, one, _traffic in former)]
            yield obj, names, more, [one for one, _setting, _traffic in former if one]


def _how_exact(name: str) -> int:
    return ("", "category", "rule").index(name.partition(" ")[0])


def _all_names(
    overrides: Sequence[Object], managed: Sequence[Object]
) -> Sequence[AbstractSet[str]]:
    """The names of each managed rule; if these are not known, of all that the overrides may tell
    apart."""
    if managed:
        return [
            {
                f"rule {rule.get('id')}",
                str(rule.get("action")),
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
    if is_off(override) or not (own or sets_all):
        return None
    sources = [*(item for _name, item in own), override]
    action, sensitivity = (
        next((str(item[field]) for item in sources if item.get(field)), DEFAULT)
        for field in ("action", "sensitivity")
    )
    return _Setting(own[0][0] if own else "", action, sensitivity)


def _with_traffic(
    diagrams: Diagrams, overrides: Sequence[Object], settings: Sequence[_Setting | None]
) -> _Shares:
    """The overrides that set something for a managed rule, with the traffic that they decide on;
    at last the traffic that none decides on."""
    decided: list[tuple[Object, _Setting, Set]] = []
    rest = WHOLE
    for obj, values in zip(overrides, settings):
        if values:
            matching = diagrams.matching(str(obj.get("expression") or ""))
            decided.append((obj, values, diagrams.combined("and", [rest, matching])))
            rest = diagrams.without(rest, matching)
    return [*decided, ({}, NO_SETTING, rest)]


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
    if is_off(override):
        return False
    entries = [item for _what, _name, item in named_entries(override)]
    return (
        OTHER_RULE in override
        or override.get(PARAMETERS) not in (None, LATEST_VERSION)
        or any(item.keys() - {"action", "sensitivity", *ENTRY_KEYS.values()} for item in entries)
        or any(
            str(item.get("action") or DEFAULT) not in ACTIONS
            or str(item.get("sensitivity") or DEFAULT) not in SENSITIVITIES
            for item in (override, *entries)
        )
    )


def losses_by_overrides(described: State, state: State) -> Iterator[tuple[tuple[str, Key], Loss]]:
    """The overrides of a state beside described ones that let more of an attack pass, or may."""
    for resource in DDOS_OVERRIDES:
        named = described.get(resource.plural) or ()
        keys = {*map(resource.key_of, named)}
        managed = managed_rules(resource, state)
        current = in_force(resource, state)
        hidden = in_force(resource, {**state, resource.plural: named})
        for obj in current.overrides:
            key = resource.key_of(obj)
            if key in keys:
                continue
            beside = [one for one in current.overrides if resource.key_of(one) in {*keys, key}]
            both = current._replace(overrides=beside)
            worse = weakenings(Held(resource, named), both, managed)
            if not worse and hidden.resource is not current.resource:
                worse = weakenings(hidden, both, managed)
            loss = Loss(False, NOT_UNDERSTOOD) if not_understood(obj) else None
            if worse:
                loss = Loss(worse[0].certain, _reason_of(worse[0]))
            if loss:
                yield (current.resource.plural, key), loss


def _reason_of(item: Weakening) -> str:
    """The reason for which one more override lets more pass; it may hide those of an account."""
    hides = f"hides the {item.resource.title} {item.label}, which "
    return item.reason if item.level != GONE else f"{hides}{item.reason}"
