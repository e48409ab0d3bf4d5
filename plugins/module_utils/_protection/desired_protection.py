# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A baseline describes an object that it names with the defaults of the switches that it leaves
out: an existing value that protects less is set back, and one that protects more stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterable, Iterator, Mapping, Sequence

from .._plan.desired import Desired
from .._plan.plan import Plan, overlay
from .._plan.reconcile import Adjust, Make, in_own_order
from .._schema.registry import DDOS_OVERRIDES, evaluated_as
from .._schema.resource import Field, Key, Object, Resource, Values
from .._schema.rulesets import PARAMETERS, deployed
from .coverage import Coverage
from .rules_in_force import CONDITIONS, IN_ORDER, SKIPPING
from .worse import worse


def plan_as_described(make: Make, desired: Sequence[Desired], adjust: Adjust) -> Plan:
    """The plan of a baseline. It is made anew if the state after it protects less than the baseline
    describes."""
    plan = make(desired, adjust)
    after = plan.after()
    filled = [_with_switches(item, after[item.resource.plural]) for item in desired]
    return plan if filled == list(desired) else make(filled, adjust)


def _with_switches(desired: Desired, planned: Sequence[Object]) -> Desired:
    """The desired state, with the switches to set back in the objects that it names."""
    resource = desired.resource
    if desired.absent or desired.only_deletes:
        return desired
    in_order = IN_ORDER.get(evaluated_as(resource).plural)
    rules = in_order(planned) if in_order else ()
    conditions = {id(rule.obj): CONDITIONS.intersection(rule.conditions) for rule in rules}
    defaults = [_defaults(desired, obj, planned, conditions.get(id(obj), ())) for obj in planned]
    if not any(defaults):
        return replace(desired, own_order=_is_lost_by_order(desired, planned))
    described = [_stored(resource, obj, changes) for obj, changes in zip(planned, defaults)]
    objects: dict[Key, Values] = {}
    after: list[Object] = []
    for index, changes in enumerate(defaults):
        kept: Sequence[Values] = ()
        if changes:
            beside = (after, described[index + 1 :])
            kept = _to_set_back(resource, planned[index], changes, beside)
        if kept:
            key = resource.key_of(planned[index])
            objects[key] = _overlaid(resource, desired.objects[key], kept)
        after.append(_stored(resource, planned[index], kept))
    own_order = _is_lost_by_order(desired, after)
    return replace(desired.with_values(objects), own_order=own_order)


def _is_lost_by_order(desired: Desired, planned: Sequence[Object]) -> bool:
    """True if a list protects less than with the objects of a task in its order, and that order
    takes nothing away; a task that gives positions says itself where an object goes."""
    resource = desired.resource
    if not resource.is_ordered or desired.exclusive or desired.positions:
        return False
    by_key = {resource.key_of(obj): obj for obj in planned}
    ordered = [by_key[key] for key in in_own_order(desired, [*map(resource.key_of, planned)])]
    return (
        ordered != planned
        and _protects_less(resource, ordered, planned)
        and not _protects_less(resource, planned, ordered)
    )


def _defaults(
    desired: Desired, obj: Object, planned: Sequence[Object], conditions: Iterable[str]
) -> Sequence[Values]:
    """Changes that make an object the described one, also one without these further `conditions`;
    none of an object that no entry names."""
    resource = desired.resource
    values = desired.objects.get(resource.key_of(obj))
    if values is None:
        return ()
    if resource in DDOS_OVERRIDES and PARAMETERS in obj:
        conditions = frozenset([PARAMETERS])
    unnamed: list[Values] = [{name: None} for name in conditions if name not in values]
    changes = [*_left_out(resource.fields, values, obj), *unnamed]
    nested = resource.nested.field if resource.nested else ""
    fields = {name for change in changes for name in change.get(nested) or ()}
    if fields and _is_shared(desired, nested, fields, obj, planned):
        return [change for change in changes if nested not in change]
    return changes


def _is_shared(
    desired: Desired, nested: str, fields: set[str], obj: Object, planned: Sequence[Object]
) -> bool:
    """True if the object within another one is also in a rule that lets traffic pass, or in one
    whose entry has some of these fields of it."""
    inner = (obj.get(nested) or {}).get("id")
    entries, key_of = desired.objects, desired.resource.key_of
    return any(
        one.get("action") in SKIPPING
        or fields.intersection(entries.get(key_of(one), {}).get(nested) or ())
        for one in planned
        if one is not obj and (one.get(nested) or {}).get("id") == inner
    )


def _left_out(fields: Sequence[Field], values: Values, obj: Object) -> Iterator[Values]:
    """The defaults of the switches that the values of a task leave out and that an object has
    otherwise, one by one."""
    for item in fields:
        value = values.get(item.name)
        if item.fields and isinstance(obj.get(item.name), Mapping):
            inner = _left_out(item.fields, value or {}, obj[item.name])
            yield from ({item.name: change} for change in inner)
        elif item.switch and value is None:
            default: Any = item.absent_default if item.default is None else item.default
            if item.normalised(obj) != item.value.normalise(default):
                yield {item.name: default}


def _overlaid(resource: Resource, values: Values, changes: Sequence[Values]) -> Values:
    """Values with changes laid over them, one after the other."""
    for change in changes:
        values = overlay(resource.fields, values, change)
    return values


def _stored(resource: Resource, obj: Object, changes: Sequence[Values]) -> Object:
    """An object with changes, as Cloudflare stores it."""
    names = {name for change in changes for name in change}
    return resource.semantics.normalise(_overlaid(resource, obj, changes), obj, names)


def _to_set_back(
    resource: Resource,
    obj: Object,
    changes: Sequence[Values],
    beside: tuple[Sequence[Object], Sequence[Object]],
) -> Sequence[Values]:
    """As few of the changes as are needed so that an object protects no less than with all."""
    front, behind = beside if resource in DDOS_OVERRIDES else ((), ())

    def among_others(some: Sequence[Values]) -> Sequence[Object]:
        return [*front, _stored(resource, obj, some), *behind]

    described, kept = among_others(changes), list(changes)
    for change in changes:
        fewer = [item for item in kept if item is not change]
        if not _protects_less(resource, described, among_others(fewer)):
            kept = fewer
    return kept


def _protects_less(resource: Resource, was: Sequence[Object], becomes: Sequence[Object]) -> bool:
    """True if objects protect less than the same objects with other values."""
    evaluated = evaluated_as(resource)
    if evaluated.plural not in IN_ORDER and resource not in DDOS_OVERRIDES:
        # An object that is off does not even monitor.
        is_off = resource.semantics.protects_nobody
        return any(is_off(now) > is_off(then) for then, now in zip(was, becomes))
    before, after = (Coverage({evaluated.plural: objects}) for objects in (was, becomes))
    gone = _deployed(resource, was) - _deployed(resource, becomes)
    return bool(gone) or any(worse(before, after, evaluated))


def _deployed(resource: Resource, rules: Sequence[Object]) -> set[Key]:
    """The keys of the rules that execute a ruleset, and are enabled."""
    is_off = resource.semantics.protects_nobody
    return {resource.key_of(rule) for rule in rules if deployed(rule) and not is_off(rule)}
