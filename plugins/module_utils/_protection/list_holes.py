# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What lists of addresses take from the protection that rules give which refer to them.

A list is checked by the rules that are known: those of the Network Firewall, and those of a zone
where the task names it. If more rules refer to a list than are known, its items may let traffic
pass.
"""

from __future__ import annotations

from typing import Container, Iterator, Mapping, NamedTuple, Sequence

from .._api.neighbours import managed_lists
from .._expressions.grammar import lists_in, with_contents
from .._plan.desired import Desired
from .._schema.lists import LISTS, items_of, uses_of
from .._schema.registry import EVALUATION, ZoneRule, contents_in, traffic_of
from .._schema.resource import Key, Object, Resource, State
from .._text import first_few, plural
from .._values.address_set import Ranges, difference, range_of, union
from .holes import (
    HARMLESS,
    UnmanagedRecord,
    Verdict,
    WeakerRecord,
    judge_skip,
    leaves_out,
    record_of,
)

MOST_JUDGED = 100  # items of a list one by one; more are checked together


class _Reference(NamedTuple):
    """A rule that refers to a list, as it is written, and the rules behind it."""

    resource: Resource
    rule: ZoneRule
    behind: Sequence[ZoneRule]


class _Referring:
    """The rules of a state that refer to its lists."""

    def __init__(self, state: State) -> None:
        self._lists = contents_in(state)
        self._references: dict[str, list[_Reference]] = {}
        for resource, in_order in EVALUATION:
            rules = in_order(state.get(resource.plural) or ())
            spelt_out = [self._with(rule, {}) for rule in rules]
            for index, rule in enumerate(rules):
                for name in lists_in(rule.expression):
                    reference = _Reference(resource, rule, spelt_out[index + 1 :])
                    self._references.setdefault(name, []).append(reference)

    def _with(self, rule: ZoneRule, lists: Mapping[str, Ranges]) -> ZoneRule:
        return rule._replace(expression=with_contents(rule.expression, {**self._lists, **lists}))

    def judge(self, obj: Object, lacks: Ranges, has: Ranges) -> Verdict:
        """What it takes from the protection that a list has some addresses, and that it lacks
        others."""
        name = LISTS.label_of(obj)
        if not lacks and not has:
            return HARMLESS
        known = self._references.get(name, [])
        verdicts = [self._judge(item, {name: lacks}, {name: has}) for item in known]
        weakening = [item for item in verdicts if item.weakens is not False]
        more = uses_of(obj) - len(known)
        if has and more > 0:
            refer = plural(more, "rule refers", "rules refer")
            reason = f"may let traffic pass, since {refer} to the list that are not known"
            weakening.append(Verdict(None, reason))
        return min(weakening, key=lambda item: item.weakens is None, default=HARMLESS)

    def _judge(
        self, item: _Reference, described: Mapping[str, Ranges], existing: Mapping[str, Ranges]
    ) -> Verdict:
        resource = item.resource
        was, becomes = (self._with(item.rule, lists) for lists in (described, existing))
        by = f"the {resource.title} {item.rule.title}"
        if item.rule.lets_pass:
            more = f"({becomes.expression}) and not ({was.expression})"
            verdict = judge_skip(resource, item.rule._replace(expression=more), item.behind)
            return verdict._replace(reason=f"{verdict.reason}, by {by}" if verdict.reason else "")
        fewer = leaves_out(becomes.expression, was.expression) if item.rule.enforces else False
        if fewer is False:
            return HARMLESS
        verb = "makes" if fewer else "may make"
        return Verdict(fewer, f"{verb} {by} stop fewer {traffic_of(resource)}s")


def unmanaged_items(desired: Desired, state: State) -> list[Object]:
    """The items of a list that the desired ones do not name."""
    resource = desired.resource
    if resource.parent is not LISTS:
        return []
    return _without(resource, state.get(resource.plural) or (), desired.objects)


def lists_of_others(desired: Sequence[Desired], state: State) -> list[Object]:
    """The lists of a state that a task does not name."""
    named = {key for item in desired if item.resource is LISTS for key in item.objects}
    return _without(LISTS, managed_lists(state), named)


def unmanaged_lists(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The lists that a task does not name, and the items of its lists that it does not name and
    that weaken rules, or may; in the order of the state."""
    referring, contents = _Referring(state), contents_in(state)
    inner = {item.resource.within: item for item in desired if item.resource.parent is LISTS}
    others = {LISTS.label_of(obj) for obj in lists_of_others(desired, state)}
    records: list[UnmanagedRecord] = []
    for obj in state[LISTS.plural]:
        name = LISTS.label_of(obj)
        if name in inner:
            records += _records_of_items(referring, obj, inner[name], state)
        elif name in others:
            verdict = referring.judge(obj, [], contents.get(name) or [])
            records.append(record_of(LISTS, obj, verdict))
    return records


def _records_of_items(
    referring: _Referring, obj: Object, desired: Desired, state: State
) -> Iterator[UnmanagedRecord]:
    resource, items = desired.resource, unmanaged_items(desired, state)
    unmanaged = frozenset(map(resource.key_of, items))
    described = _ranges(_without(resource, state.get(resource.plural) or (), unmanaged))
    others = difference(_ranges(items), described)
    together = referring.judge(obj, [], others)
    if together.weakens is False:
        return
    for item in items:
        verdict = together._replace(weakens=None)
        if len(items) <= MOST_JUDGED:
            new = difference(_ranges([item]), described)
            verdict = referring.judge(obj, [], new)
        if verdict.weakens is not False:
            yield record_of(resource, item, verdict)


def weaker_lists(before: State, after: State) -> list[WeakerRecord]:
    """The lists with items that make rules let more pass before a plan than after it, or stop
    less."""
    referring = _Referring(before)
    records: list[WeakerRecord] = []
    for obj in before.get(LISTS.plural, ()):
        resource = items_of(LISTS.label_of(obj))
        if resource.plural in before and resource.plural in after:
            was, becomes = before[resource.plural], after[resource.plural]
            existing, described = (
                frozenset(map(resource.key_of, items)) for items in (was, becomes)
            )
            lacking = _without(resource, becomes, existing)
            more = _without(resource, was, described)
            lacks = difference(_ranges(lacking), _ranges(was))
            has = difference(_ranges(more), _ranges(becomes))
            for listed, verb, verdict in (
                (lacking, "lacks", referring.judge(obj, lacks, [])),
                (more, "has", referring.judge(obj, [], has)),
            ):
                records += _weaker(obj, f"{verb} {_shown(listed)}", verdict)
    return records


def _shown(items: Sequence[Object]) -> str:
    return first_few(str(item["ip"]) for item in items)


def _without(resource: Resource, objects: Sequence[Object], keys: Container[Key]) -> list[Object]:
    """The objects whose keys are not among these."""
    return [obj for obj in objects if resource.key_of(obj) not in keys]


def _weaker(obj: Object, items: str, verdict: Verdict) -> Iterator[WeakerRecord]:
    if verdict.weakens is not False:
        yield WeakerRecord(
            resource=LISTS.name,
            key=LISTS.label_of(obj),
            certain=verdict.weakens is True,
            reason=f"{items}, otherwise than described, and {verdict.reason}",
        )


def _ranges(items: Sequence[Object]) -> Ranges:
    return union([item for item in (range_of(item.get("ip")) for item in items) if item])
