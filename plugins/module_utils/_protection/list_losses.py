# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The protection that rules lose by the items of lists to which they refer.

A list is checked by the rules that are known. If more rules refer to it, its items may let traffic
pass.
"""

from __future__ import annotations

from typing import Container, Iterator, NamedTuple, Sequence

from .._expressions.grammar import lists_in
from .._plan.desired import Desired
from .._schema.lists import LISTS, items_of, managed_lists, uses_of
from .._schema.registry import EVALUATION, ZoneRule, contents_in, rules_in_force, spelt_out
from .._schema.resource import Key, Object, Resource, State
from .._text import first_few, plural
from .._values.address_set import Ranges, difference, range_of, union
from .losses import (
    Loss,
    UnmanagedRecord,
    WeakerRecord,
    leaves_out,
    skip_loss,
    unmanaged_record,
    weaker_record,
)

MOST_JUDGED = 100  # items of a list one by one; more are checked together


class _Reference(NamedTuple):
    """A rule that refers to a list, as it is written, and the rules behind it."""

    resource: Resource
    rule: ZoneRule
    behind: Sequence[ZoneRule]


def _names_itself(rule: ZoneRule, name: str) -> bool:
    """True if a rule refers to a list, and not only the rule that executes its ruleset."""
    is_inner = rule.via or rule.of_account
    return not is_inner or name in lists_in(str(rule.obj.get("expression")))


class Referring:
    """The rules of a state that refer to its lists."""

    def __init__(self, state: State) -> None:
        self.contents = contents_in(state)
        self._references: dict[str, list[_Reference]] = {}
        for resource, _read in EVALUATION:
            rules = rules_in_force(state, resource)
            spelt_out = [self._with(rule) for rule in rules]
            for index, rule in enumerate(rules):
                for name in lists_in(rule.expression):
                    reference = _Reference(resource, rule, spelt_out[index + 1 :])
                    self._references.setdefault(name, []).append(reference)

    def _with(self, rule: ZoneRule, **lists: Ranges) -> ZoneRule:
        return spelt_out(rule, {**self.contents, **lists})

    def loss(self, obj: Object, lacks: Ranges, has: Ranges) -> Loss | None:
        """The protection that is lost if a list has some addresses and lacks others."""
        if not lacks and not has:
            return None
        name = LISTS.label_of(obj)
        known = self._references.get(name, [])
        losses = list(filter(None, (self._loss(item, name, lacks, has) for item in known)))
        more = uses_of(obj) - sum(_names_itself(item.rule, name) for item in known)
        if has and more > 0:
            ones = plural(more, "rule that is not known refers", "rules that are not known refer")
            reason = f"may let traffic pass, since {ones} to the list"
            losses.append(Loss(False, reason))
        return max(losses, key=lambda item: item.certain, default=None)

    def _loss(self, item: _Reference, name: str, lacks: Ranges, has: Ranges) -> Loss | None:
        resource, by = item.resource, f"the {item.resource.title} {item.rule.title}"
        was, becomes = (self._with(item.rule, **{name: ranges}) for ranges in (lacks, has))
        if item.rule.lets_pass:
            more = f"({becomes.expression}) and not ({was.expression})"
            loss = skip_loss(resource, item.rule._replace(expression=more), item.behind)
            return loss._replace(reason=f"{loss.reason}, by {by}") if loss else None
        fewer = leaves_out(becomes.expression, was.expression) if item.rule.enforces else False
        if fewer is False:
            return None
        verb = "makes" if fewer else "may make"
        return Loss(bool(fewer), f"{verb} {by} stop fewer {resource.traffic}s")


def unmanaged_items(desired: Desired, state: State) -> list[Object]:
    """The items of a list that the desired ones do not name."""
    resource = desired.resource
    if resource.parent is not LISTS:
        return []
    return other_objects(resource, state.get(resource.plural) or (), desired.objects)


def lists_of_others(desired: Sequence[Desired], state: State) -> list[Object]:
    """The lists of a state that a task does not name."""
    named = {key for item in desired if item.resource is LISTS for key in item.objects}
    return other_objects(LISTS, managed_lists(state), named)


def unmanaged_lists(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The lists that a task does not name, and the items of its lists that it does not name and
    that weaken rules, or may; in the order of the state."""
    referring = Referring(state)
    inner = {item.resource.within: item for item in desired if item.resource.parent is LISTS}
    others = {LISTS.label_of(obj) for obj in lists_of_others(desired, state)}
    records: list[UnmanagedRecord] = []
    for obj in state[LISTS.plural]:
        name = LISTS.label_of(obj)
        if name in inner:
            records += _records_of_items(referring, obj, inner[name], state)
        elif name in others:
            loss = referring.loss(obj, [], referring.contents.get(name) or [])
            records.append(unmanaged_record(LISTS, obj, loss))
    return records


def _records_of_items(
    referring: Referring, obj: Object, desired: Desired, state: State
) -> Iterator[UnmanagedRecord]:
    resource, items = desired.resource, unmanaged_items(desired, state)
    described = ranges_of_items(
        objects_among(resource, state.get(resource.plural) or (), desired.objects)
    )
    together = referring.loss(obj, [], difference(ranges_of_items(items), described))
    for item in items if together else ():
        loss = together and together._replace(certain=False)
        if len(items) <= MOST_JUDGED:
            loss = referring.loss(obj, [], difference(ranges_of_items([item]), described))
        if loss:
            yield unmanaged_record(resource, item, loss)


def weaker_lists(before: State, after: State) -> Iterator[WeakerRecord]:
    """The lists with items that make rules let more pass before a plan than after it, or stop
    less."""
    referring = Referring(before)
    for obj in before.get(LISTS.plural, ()):
        name = LISTS.label_of(obj)
        resource = items_of(name)
        if resource.plural not in before or resource.plural not in after:
            continue
        existing, described = before[resource.plural], after[resource.plural]
        lacking = other_objects(resource, described, {*map(resource.key_of, existing)})
        more = other_objects(resource, existing, {*map(resource.key_of, described)})
        lacks = difference(ranges_of_items(lacking), ranges_of_items(existing))
        has = difference(ranges_of_items(more), ranges_of_items(described))
        for items, verb, loss in (
            (lacking, "lacks", referring.loss(obj, lacks, [])),
            (more, "has", referring.loss(obj, [], has)),
        ):
            if loss:
                shown = first_few(str(item["ip"]) for item in items)
                reason = f"{verb} {shown}, otherwise than described, and {loss.reason}"
                yield weaker_record(LISTS, name, loss._replace(reason=reason))


def objects_among(
    resource: Resource, objects: Sequence[Object], keys: Container[Key]
) -> list[Object]:
    """The objects whose keys are among these."""
    return [obj for obj in objects if resource.key_of(obj) in keys]


def other_objects(
    resource: Resource, objects: Sequence[Object], keys: Container[Key]
) -> list[Object]:
    """The objects whose keys are not among these."""
    return [obj for obj in objects if resource.key_of(obj) not in keys]


def ranges_of_items(items: Sequence[Object]) -> Ranges:
    return union(filter(None, (range_of(item.get("ip")) for item in items)))
