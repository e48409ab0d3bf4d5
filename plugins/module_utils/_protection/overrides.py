# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of managed DDoS rules: which of them decides, and what each lets pass.

The first override whose expression matches and that sets something for a managed rule decides about
it, and in it the rule before its categories, the last of them first, before all rules ("Overrides",
DDoS Protection). A comparison of which no more is known is taken as met by some of the traffic and
not by other.
"""

from __future__ import annotations

from itertools import groupby
from typing import Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence, Tuple

from .._expressions.expression import Expression
from .._expressions.solve import Diagrams, MatchedDestinations, Set
from .._schema.ddos_overrides import (
    ACTIONS,
    BLOCK,
    DEFAULT,
    L4_OVERRIDES,
    L7_OVERRIDES,
    L7_OVERRIDES_OF_ACCOUNT,
    OFF,
    OTHER_RULE,
    SENSITIVITIES,
    is_off,
    listed_rules,
)
from .._schema.registry import DDOS_OVERRIDES
from .._schema.resource import LOG, Key, Object, Resource, State
from .._schema.rulesets import ENTRY_KEYS, PARAMETERS, named_entries
from .._text import Unread, first_few
from .._values.address_set import Ranges, union
from .modes import Loss, loss_by
from .override_entries import (
    OverrideEntries,
    entries_by_name,
    entries_for,
    names_of_managed_rule,
    names_told_apart,
)


class LevelOfOverride(NamedTuple):
    """The action and sensitivity that an override sets for a managed rule; `name` is the entry that
    sets them, empty for an entry for all rules."""

    name: str
    action: str
    sensitivity: str


NO_LEVEL = LevelOfOverride("", DEFAULT, DEFAULT)
CHALLENGING = ("managed_challenge", "challenge")
OWN_ACTION, GONE = "sets no action for", "no longer decides on"
DOUBTED = "doubted"
CHALLENGED, LOGGED = "sets only a challenge for", "sets the action log for"
BY_SENSITIVITY = [f"sets the sensitivity {name} for" for name in SENSITIVITIES]
# The one that says the most has the highest rank.
RANKS: Mapping[str, int] = {
    GONE: 0,
    **{one: at for at, one in enumerate((OWN_ACTION, CHALLENGED, *BY_SENSITIVITY, LOGGED))},
}


def _is_not_blocked(setting: LevelOfOverride) -> bool:
    return setting.action != BLOCK or setting.sensitivity == OFF


# By the action that a managed rule has by itself, which may be any.
NOT_STRONGER_THAN: Mapping[str, Callable[[LevelOfOverride], bool]] = {
    BLOCK: lambda setting: True,
    **dict.fromkeys(CHALLENGING, _is_not_blocked),
    "": lambda setting: setting.action in (DEFAULT, LOG) or setting.sensitivity == OFF,
}


def weaker_levels(was: LevelOfOverride, becomes: LevelOfOverride, own: str) -> Iterator[str]:
    """The ways in which a managed rule stops less with the level `becomes` than with `was`; `own`
    is the action that the vendor gives the managed rule, empty if it is not known."""
    if was.action == LOG:  # if it was only logged, everything passed
        return
    if becomes.action == DEFAULT and not NOT_STRONGER_THAN[own](was):
        yield OWN_ACTION
    if becomes.action in CHALLENGING and not _is_not_blocked(was):
        yield CHALLENGED
    higher, lower = (
        SENSITIVITIES.index(one.sensitivity) if one.sensitivity in SENSITIVITIES else 0
        for one in (was, becomes)
    )
    yield from BY_SENSITIVITY[higher + 1 : lower + 1]
    if becomes.action == LOG:
        yield LOGGED


class OverridesInForce(NamedTuple):
    """The overrides that are in force, and the collection that they belong to: that of a zone or of
    its account."""

    resource: Resource
    overrides: Sequence[Object]


_Shares = Sequence[
    Tuple[Object, LevelOfOverride, Set]
]  # overrides, with the traffic that they decide on
LATEST_VERSION = {"version": "latest"}  # of the managed ruleset, which is executed by itself
NOT_UNDERSTOOD = "is not understood, and may let more of an attack pass"


def override_expression(resource: Resource, override: Object) -> Expression:
    """The expression of the traffic that an override applies to."""
    expression = Expression.of_object(override)
    return expression.of_packets() if resource is L4_OVERRIDES else expression


def managed_rules(resource: Resource, state: State) -> Sequence[Object]:
    """The managed rules that overrides can set; empty if the state does not contain them."""
    rulesets = state.get(resource.catalogue_object().plural) or ()
    return [rule for ruleset in rulesets for rule in listed_rules(ruleset)]


def overrides_in_force(resource: Resource, state: State) -> OverridesInForce:
    """The overrides of a state; those of the account if the zone has none itself."""
    own = state.get(resource.plural) or ()
    of_account = state.get(L7_OVERRIDES_OF_ACCOUNT.plural) if resource is L7_OVERRIDES else ()
    if of_account and not own:
        return OverridesInForce(L7_OVERRIDES_OF_ACCOUNT, of_account)
    return OverridesInForce(resource, own)


def override_losses(resource: Resource, was: State, becomes: State) -> list[Loss]:
    """The losses because the overrides of the state `becomes` let more traffic pass than those of
    `was`."""
    managed = managed_rules(resource, becomes)
    return losses_between(
        overrides_in_force(resource, was), overrides_in_force(resource, becomes), managed
    )


def losses_between(
    was: OverridesInForce, becomes: OverridesInForce, managed: Sequence[Object] = ()
) -> list[Loss]:
    """The losses by the overrides `becomes`, compared with `was`: one for each override, the worst.
    They include overrides that let more pass only because another is gone or has moved. If
    `managed` is empty, a managed rule may be of any category and have any action."""
    if was.overrides == becomes.overrides:
        return []
    try:
        return _losses(was, becomes, managed)
    except Unread:
        every = [{**obj, "expression": "true"} for obj in becomes.overrides]
        nothing = was._replace(overrides=())
        alone = [becomes._replace(overrides=[obj]) for obj in every]
        return [item for one in alone for item in _losses(nothing, one, managed)]


class _PassingOverride(NamedTuple):
    """An override that lets more traffic pass for managed rules with a name (empty: for all): how
    it does so, for which destinations, and which overrides decided before. It is not `certain` if
    it depends on actions or categories of managed rules that are not known."""

    resource: Resource
    override: Object
    how: str
    name: str
    ranges: Ranges
    certain: bool
    decided: Sequence[Object]


def _losses(
    was: OverridesInForce, becomes: OverridesInForce, managed: Sequence[Object]
) -> list[Loss]:
    by_key: dict[Key, list[_PassingOverride]] = {}
    for part in sorted(_parts(was, becomes, managed), key=lambda one: RANKS[one.how]):
        by_key.setdefault(part.resource.key_of(part.override), []).append(part)
    return [_whole_loss(parts) for parts in by_key.values()]


def _whole_loss(parts: Sequence[_PassingOverride]) -> Loss:
    """The loss by one override, described by the worst of its `parts`, which come last."""
    (how, last) = [(how, [*group]) for how, group in groupby(parts, lambda part: part.how)][-1]
    names = [part.name for part in last]
    what = ", ".join(dict.fromkeys(names)) if all(names) else "all managed rules"
    less = ", whose own action may stop less" if how in (OWN_ACTION, GONE) else ""
    resource, override = last[-1].resource, last[-1].override
    former = {resource.key_of(one): one for part in parts for one in part.decided}
    return Loss(
        resource,
        resource.key_of(override),
        resource.label_of(override),
        f"{how} {what}{less}",
        certain=any(part.certain for part in parts),
        how=how,
        ranges=union(item for part in parts for item in part.ranges),
        deciding_before=[(key, resource.label_of(one)) for key, one in former.items()],
    )


def _parts(
    was: OverridesInForce, becomes: OverridesInForce, managed: Sequence[Object]
) -> Iterator[_PassingOverride]:
    """The overrides that let more traffic pass, for each group of managed rules. If no override
    takes the place of one that decided, the former one is returned."""
    diagrams = Diagrams()
    for (own, settings), is_known in alike_groups(was, becomes, managed).items():
        before, after = (
            _with_traffic(diagrams, side, values) for side, values in zip((was, becomes), settings)
        )
        for obj, setting, traffic in after:
            by_way: dict[str, list[tuple[Object, LevelOfOverride, Set]]] = {}
            for former in before:
                ways = [*weaker_levels(former[1], setting, own)]
                if ways and diagrams.combined("and", [traffic, former[2]]) != Diagrams.nothing:
                    for way in ways:
                        by_way.setdefault(way, []).append(former)
            for way, formers in by_way.items():
                lost = diagrams.combined("or", [met for _obj, _setting, met in formers])
                more = diagrams.combined("and", [traffic, lost])
                name = max(
                    (one.name for one in (setting, *(item[1] for item in formers))), key=_how_exact
                )
                decided = [one for one, _setting, _met in formers if one]
                resource, how = (becomes.resource, way) if obj else (was.resource, GONE)
                is_certain = is_known and way != OWN_ACTION
                for one in [obj] if obj else decided:
                    ranges = _destinations(resource, one, diagrams, more)
                    yield _PassingOverride(resource, one, how, name, ranges, is_certain, decided)


LevelsOfSides = Tuple[Tuple["LevelOfOverride | None", ...], ...]  # of the overrides of both sides


def alike_groups(
    was: OverridesInForce, becomes: OverridesInForce, managed: Sequence[Object]
) -> Mapping[tuple[str, LevelsOfSides], bool]:
    """Groups of managed rules that have the same action and that overrides set alike; the value is
    whether such a managed rule certainly exists."""
    every = [*was.overrides, *becomes.overrides]
    sides = [[*map(entries_by_name, side.overrides)] for side in (was, becomes)]
    groups: dict[tuple[str, LevelsOfSides], bool] = {}
    for names in [*map(names_of_managed_rule, managed)] or names_told_apart(every):
        own = next(one for one in NOT_STRONGER_THAN if not one or one in names)
        group = own, tuple(tuple(level_set_by(one, names) for one in some) for some in sides)
        groups[group] = groups.get(group, False) or bool(managed) or len(names) < 2
    return groups


def _how_exact(name: str) -> int:
    return ("", "category", "rule").index(name.partition(" ")[0])


def level_set_by(parts: OverrideEntries, names: Iterable[str]) -> LevelOfOverride | None:
    """The level that an override sets for a managed rule with these names; None if it sets none."""
    entries = entries_for(parts, names)
    _name, override = entries[-1]
    action = override.get("action") or DEFAULT
    sets_all = action != DEFAULT or bool(override.get("sensitivity"))
    if is_off(override) or not (entries[1:] or sets_all):
        return None
    action, sensitivity = (
        next((str(item[field]) for _name, item in entries if item.get(field)), DEFAULT)
        for field in ("action", "sensitivity")
    )
    return LevelOfOverride(entries[0][0], action, sensitivity)


def _with_traffic(
    diagrams: Diagrams, current: OverridesInForce, settings: Sequence[LevelOfOverride | None]
) -> _Shares:
    """The overrides that set a level, each with that level and the traffic that it decides about.
    The last entry, without an override, has the remaining traffic."""
    decided: list[tuple[Object, LevelOfOverride, Set]] = []
    rest = Diagrams.everything
    for obj, values in zip(current.overrides, settings):
        if values:
            matching = diagrams.matching(override_expression(current.resource, obj))
            decided.append((obj, values, diagrams.combined("and", [rest, matching])))
            rest = diagrams.without(rest, matching)
    return [*decided, ({}, NO_LEVEL, rest)]


def _destinations(resource: Resource, override: Object, diagrams: Diagrams, traffic: Set) -> Ranges:
    """The destinations of `traffic`, if it can be told from the override's expression; empty for
    requests, and if the expression cannot be read."""
    try:
        MatchedDestinations.of(override_expression(resource, override))
    except Unread:
        return []
    return diagrams.destinations(traffic).sometimes if resource is L4_OVERRIDES else []


def not_understood(override: Object) -> bool:
    """Return whether an enabled override has a field or value that is not known, or is another kind
    of rule."""
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


def override_doubts(resource: Resource, was: State, becomes: State) -> Iterator[Loss]:
    """The possible losses by overrides that are not understood in the state `becomes`, but are
    understood in `was`."""
    former = {resource.key_of(obj): obj for obj in was.get(resource.plural) or ()}
    for obj in becomes.get(resource.plural) or ():
        if not_understood(obj) and not not_understood(former.get(resource.key_of(obj), obj)):
            yield loss_by(resource, obj, NOT_UNDERSTOOD, certain=False)._replace(how=DOUBTED)


def _override_of_key(resource: Resource, state: State, key: Key) -> Object:
    """The override in force with this key; empty if there is none."""
    _owner, overrides = overrides_in_force(resource, state)
    with_key = [override for override in overrides if resource.key_of(override) == key]
    return with_key[0] if with_key else {}


def unlike_described(loss: Loss, described: State, existing: State) -> Loss:
    """The loss by an override, with a reason that compares the existing override with the described
    one; any other loss unchanged."""
    resource = L7_OVERRIDES if loss.resource is L7_OVERRIDES_OF_ACCOUNT else loss.resource
    if resource not in DDOS_OVERRIDES or loss.how == DOUBTED:
        return loss
    was = _override_of_key(resource, described, loss.key)
    now = _override_of_key(resource, existing, loss.key)
    if loss.how == GONE:
        return loss._replace(reason="is off, and the baseline turns it on") if is_off(now) else loss
    is_same = all(item.normalised(was) == item.normalised(now) for item in resource.fields)
    if is_same and loss.deciding_before:  # with a version of its own after each write
        others = first_few(label for _key, label in loss.deciding_before)
        return loss._replace(reason=f"{loss.reason} where the baseline has {others} decide")
    return loss._replace(reason=f"{loss.reason}, and the baseline does not")


def losses_by_others(resource: Resource, described: State, state: State) -> Iterator[Loss]:
    """The loss by each override in force that the described state does not contain, if it lets more
    traffic pass, or is not understood."""
    named = described.get(resource.plural) or ()
    keys = {*map(resource.key_of, named)}
    current = overrides_in_force(resource, state)
    hidden = overrides_in_force(resource, {**state, resource.plural: named})
    for obj in current.overrides:
        key = resource.key_of(obj)
        if key in keys:
            continue
        beside = [one for one in current.overrides if resource.key_of(one) in {*keys, key}]
        both, managed = current._replace(overrides=beside), managed_rules(resource, state)
        losses = losses_between(OverridesInForce(resource, named), both, managed)
        if not losses and hidden.resource is not current.resource:
            losses = losses_between(hidden, both, managed)
        if losses:
            yield loss_by(current.resource, obj, _reason_of(losses[0]), losses[0].certain)
        elif not_understood(obj):
            yield loss_by(current.resource, obj, NOT_UNDERSTOOD, certain=False)


def _reason_of(loss: Loss) -> str:
    """The reason why an additional override lets more traffic pass; it may hide an override of the
    account."""
    hides = f"hides the {loss.resource.title} {loss.label}, which "
    return loss.reason if loss.how != GONE else f"{hides}{loss.reason}"
