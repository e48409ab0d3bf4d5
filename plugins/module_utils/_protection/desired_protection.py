# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A baseline describes an object that it names with the defaults of the switches that it leaves
out: an existing value that protects less is set back, and one that protects more stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._plan.desired import Desired
from .._plan.plan import Plan, overlay
from .._plan.reconcile import Adjust, Make
from .._plan.task_order import in_task_order
from .._schema.custom_rulesets import CUSTOM_RULESETS, EXECUTED_RULESETS, whole_rulesets
from .._schema.registry import DDOS_OVERRIDES, evaluated_as
from .._schema.resource import (
    NO_ITEMS,
    Field,
    Key,
    Object,
    Resource,
    State,
    Values,
    fields_in,
    without,
)
from .._schema.rulesets import PARAMETERS, SKIP, deployed
from .coverage import Coverage
from .rules_in_force import IN_ORDER
from .worse import worse
from .zone_rule import SKIPPING, ZoneRule, unknown_parameters


class Neighbours(NamedTuple):
    """The objects of a list that stand before one of its objects, and those that stand behind
    it."""

    before: Sequence[Object]
    behind: Sequence[Object]


NO_NEIGHBOURS = Neighbours((), ())


def plan_as_described(make: Make, desired: Sequence[Desired], adjust: Adjust) -> Plan:
    """The plan that `make` returns for a baseline. If the state after the plan would protect less
    than the baseline describes, the plan is made again with further values set."""
    plan = make(desired, adjust)
    after = plan.after()
    executed = {
        owner: {EXECUTED_RULESETS: whole_rulesets(after, owner)} for owner in CUSTOM_RULESETS
    }
    filled = []
    for collection in desired:
        planned = after[collection.resource.plural]
        described, objects = _with_switches(collection, planned)
        executed_rulesets = executed.get(collection.resource.owner, NO_ITEMS)
        own_order = _is_lost_by_order(collection, desired, objects, executed_rulesets)
        filled.append(replace(described, own_order=own_order))
    return plan if filled == list(desired) else make(filled, adjust)


def _with_switches(desired: Desired, planned: Sequence[Object]) -> tuple[Desired, Sequence[Object]]:
    """The desired collection, with further values that set omitted switches back to their defaults,
    and the objects with these values. `planned` are the objects after the plan."""
    resource = desired.resource
    if desired.absent or desired.only_deletes:
        return desired, planned
    in_order = IN_ORDER.get(evaluated_as(resource).plural)
    rules = in_order(planned) if in_order else ()
    conditions = {id(rule.obj): _extra_fields(rule) for rule in rules}
    defaults = [_defaults(desired, obj, planned, conditions.get(id(obj), ())) for obj in planned]
    if not any(defaults):
        return desired, planned
    described = [_stored(resource, obj, changes) for obj, changes in zip(planned, defaults)]
    objects: dict[Key, Values] = {}
    after: list[Object] = []
    for index, changes in enumerate(defaults):
        obj = planned[index]
        needed: Sequence[Values] = ()
        if changes:
            neighbours = Neighbours(after, described[index + 1 :])
            needed = _to_set_back(resource, obj, changes, neighbours)
        if needed:
            key = resource.key_of(obj)
            objects[key] = _named_as_well(desired.objects[key], needed)
        after.append(_stored(resource, obj, needed))
    return desired.with_values(objects), after


def _is_lost_by_order(
    desired: Desired,
    collections: Sequence[Desired],
    planned: Sequence[Object],
    executed_rulesets: State,
) -> bool:
    """Return whether traffic passes, or may pass, by the `planned` order of a list that the order
    and the positions in the task stop; `collections` are all that the task describes. False if the
    task writes the whole list."""
    resource = desired.resource
    is_unordered = desired.absent or desired.only_deletes or desired.exclusive
    if not resource.is_ordered or is_unordered:
        return False
    keys = [resource.key_of(obj) for obj in planned]
    by_key = dict(zip(keys, planned))
    of_list = [other for other in collections if other.resource.plural == resource.plural]
    ordered = [by_key[key] for key in in_task_order(desired, of_list, keys)]
    return ordered != planned and _lets_pass(resource, ordered, planned, executed_rulesets)


def _lets_pass(
    resource: Resource, was: Sequence[Object], becomes: Sequence[Object], executed: State
) -> bool:
    """Return whether traffic passes, or may pass, by the objects `becomes` that the objects `was`
    stop."""
    from .difference import traffic_difference  # loaded if the order of a list is another one

    plural = evaluated_as(resource).plural
    changes = traffic_difference({**executed, plural: was}, {**executed, plural: becomes})
    return bool(changes.passes) or not changes.known


def _defaults(
    desired: Desired, obj: Object, planned: Sequence[Object], conditions: Iterable[str]
) -> Sequence[Values]:
    """The changes that make a planned object as the task describes it: omitted switches return to
    their defaults, and `conditions` that the task does not name are removed. Empty if the task does
    not name the object."""
    resource = desired.resource
    values = desired.objects.get(resource.key_of(obj))
    if values is None:
        return ()
    if resource in DDOS_OVERRIDES and PARAMETERS in obj:
        conditions = frozenset([PARAMETERS])
    unnamed: list[Values] = [{name: None} for name in sorted(conditions) if name not in values]
    if resource.is_ordered:
        unnamed += _unknown_of_parts(resource.fields, values, obj)
    if resource.is_ordered and resource not in DDOS_OVERRIDES:
        unnamed += _without_unknown_parameters(values, obj)
    changes = [*_omitted_switches(resource.fields, values, obj), *unnamed]
    nested = resource.nested.field if resource.nested else ""
    fields: set[str] = set()
    for change in changes:
        fields.update(change.get(nested) or ())
    if fields and _is_shared(desired, nested, fields, obj, planned):
        return [change for change in changes if nested not in change]
    return changes


def _is_shared(
    desired: Desired, nested: str, fields: set[str], obj: Object, planned: Sequence[Object]
) -> bool:
    """Return whether another rule contains the same nested object, and either lets traffic pass, or
    has an entry in the task that sets some of these fields of the nested object."""
    for rule in planned:
        if rule is obj or _nested_id(rule, nested) != _nested_id(obj, nested):
            continue
        if rule.get("action") in SKIPPING:
            return True
        entry = desired.objects.get(desired.resource.key_of(rule), {})
        if fields.intersection(entry.get(nested) or ()):
            return True
    return False


def _nested_id(obj: Object, nested: str) -> Any:
    """The id of the object in the field `nested` of another object; None if it has none."""
    return (obj.get(nested) or {}).get("id")


def _omitted_switches(fields: Sequence[Field], values: Values, obj: Object) -> Iterator[Values]:
    """The changes, one by one, that set a switch to its default: each switch that the task omits
    and that has another value in the object."""
    for field in fields:
        existing = obj.get(field.name) if field.fields else None
        if existing is not None and isinstance(existing, Mapping):
            named = values.get(field.name) or {}
            for change in _omitted_switches(field.fields, named, existing):
                yield {field.name: change}
        elif field.switch and values.get(field.name) is None:
            default = _switch_default(field)
            if field.normalised(obj) != field.value.normalise(default):
                yield {field.name: default}


def _unknown_of_parts(fields: Sequence[Field], values: Values, obj: Object) -> Iterator[Values]:
    """The changes, one by one, that remove what the fields of a rule that the task names contain
    beside their declared parts, such as an exemption from a rate limit, unless the task names it
    as well."""
    for field in fields:
        named = fields_in(values.get(field.name)) if field.fields else NO_ITEMS
        for name in fields_in(obj.get(field.name)) if named else ():
            if name not in field.nested_names and name not in named:
                yield {field.name: {name: None}}


def _extra_fields(rule: ZoneRule) -> frozenset[str]:
    """The fields of a rule that are not understood, and may narrow it."""
    return frozenset(name for name in rule.conditions if name in rule.obj)


def _without_unknown_parameters(values: Values, obj: Object) -> Iterator[Values]:
    """The change that removes the action parameters of a rule that are not understood, unless the
    task names the parameters; none for a skip that would skip nothing without them."""
    unknown = [] if PARAMETERS in values else unknown_parameters(obj)
    known = without(obj[PARAMETERS], *unknown) if unknown else {}
    if known or (unknown and obj.get("action") != SKIP):
        yield {PARAMETERS: known}


def _switch_default(field: Field) -> Any:
    """The value that a switch has if the task omits it."""
    return field.absent_default if field.default is None else field.default


def _named_as_well(values: Values, changes: Sequence[Values]) -> Values:
    """The values of a task, which names these changes as well; a part with the value None is
    removed."""
    named = dict(values)
    for change in changes:
        for name, value in change.items():
            is_nested = isinstance(value, Mapping)
            named[name] = {**fields_in(named.get(name)), **value} if is_nested else value
    return named


def _overlaid(resource: Resource, values: Values, changes: Sequence[Values]) -> Values:
    """The values after these changes are applied to them, one after the other."""
    for change in changes:
        values = overlay(resource.fields, values, change)
    return values


def _stored(resource: Resource, obj: Object, changes: Sequence[Values]) -> Object:
    """The object with these changes, in the form in which Cloudflare stores it."""
    names: set[str] = set()
    for change in changes:
        names.update(change)
    return resource.semantics.normalise(_overlaid(resource, obj, changes), obj, names)


def _to_set_back(
    resource: Resource, obj: Object, changes: Sequence[Values], neighbours: Neighbours
) -> Sequence[Values]:
    """The changes that are needed; without the others, the object protects no less than with all
    changes."""
    in_front, behind = neighbours if resource in DDOS_OVERRIDES else NO_NEIGHBOURS

    def planned(chosen: Sequence[Values]) -> Sequence[Object]:
        return [*in_front, _stored(resource, obj, chosen), *behind]

    described = planned(changes)
    needed = list(changes)
    for change in changes:
        fewer = [candidate for candidate in needed if candidate is not change]
        if not _protects_less(resource, described, planned(fewer)):
            needed = fewer
    return needed


def _protects_less(
    resource: Resource,
    was: Sequence[Object],
    becomes: Sequence[Object],
    executed_rulesets: State = NO_ITEMS,
) -> bool:
    """Return whether the objects `becomes` protect less than the objects `was`: the same objects
    with other values, or in another order. `executed_rulesets` are the rulesets that they may
    execute."""
    evaluated = evaluated_as(resource)
    if evaluated.plural not in IN_ORDER and resource not in DDOS_OVERRIDES:
        # An object that is off does not even monitor.
        is_off = resource.semantics.protects_nobody
        return any(is_off(now) > is_off(then) for then, now in zip(was, becomes))
    if _deployed(resource, was) - _deployed(resource, becomes):
        return True
    before = Coverage({**executed_rulesets, evaluated.plural: was})
    after = Coverage({**executed_rulesets, evaluated.plural: becomes})
    return any(worse(before, after, evaluated))


def _deployed(resource: Resource, rules: Sequence[Object]) -> set[Key]:
    """The keys of the enabled rules that execute a ruleset."""
    is_off = resource.semantics.protects_nobody
    return {resource.key_of(rule) for rule in rules if deployed(rule) and not is_off(rule)}
