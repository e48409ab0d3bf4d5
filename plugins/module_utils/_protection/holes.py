# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What exists beside the objects that a task names, and whether it takes protection away.

Each object is checked as if it were the only one beside the named ones.
"""

from __future__ import annotations

from functools import cached_property
from typing import AbstractSet, Mapping, NamedTuple, Sequence, TypedDict

from .._expressions.grammar import normalise_expression
from .._expressions.solve import matches_every_request
from .._plan.desired import Desired
from .._schema.account import ALLOWLIST, COMPONENTS, ENABLED, PREFIXES, RESOURCES, STATUS
from .._schema.registry import DDOS_OVERRIDES, EVALUATION, REST_OF_THE_LIST, ZoneRule, traffic_of
from .._schema.resource import Key, Object, Resource, State
from .._text import first_few
from .._values.address_set import Ranges, counted, difference, intersection, networks
from .coverage import Coverage, has_flag, ranges_of
from .mitigation import no_longer_mitigated
from .modes import UNDECIDED, Component, Modes, component, union_of_modes
from .overrides import weakenings

Named = Mapping[str, AbstractSet[Key]]  # by plural: the keys of the objects that a task names


class Verdict(NamedTuple):
    """Whether an object takes protection away (None: it may), and how: a sentence without its
    subject."""

    weakens: bool | None
    reason: str


HARMLESS = Verdict(False, "")


class DescribedAccount:
    """An account with just what a task names of a state, while it is on."""

    def __init__(self, state: State, named: Named) -> None:
        self._state: dict[str, list[Object]] = {
            resource.plural: [
                obj
                for obj in state[resource.plural]
                if resource.key_of(obj) in named.get(resource.plural, ())
            ]
            for resource in RESOURCES
            if state.get(resource.plural) is not None
        }
        self._takes_prefixes_as_they_are = not named.get(PREFIXES.plural)
        if self._takes_prefixes_as_they_are:
            self._state[PREFIXES.plural] = list(state.get(PREFIXES.plural) or ())

    @cached_property
    def _coverage(self) -> Coverage:
        return Coverage({**self._state, STATUS.plural: [{"enabled": True}]})

    @cached_property
    def _described(self) -> Mapping[str, tuple[Component, Modes]]:
        """By kind: the component, and the modes that it has for protected addresses."""
        components = {kind: component(kind, self._state) for kind in COMPONENTS}
        return {
            kind: (one, _modes_of(one, self._coverage.protected))
            for kind, one in components.items()
        }

    def judge(self, resource: Resource, obj: Object) -> Verdict:
        """Whether this account would protect less with one more object."""
        if resource is PREFIXES:
            return self._judge_prefix(obj)
        if resource is ALLOWLIST:
            return self._judge_source(obj)
        return self._judge_decider(resource, obj) if resource.component else HARMLESS

    def _judge_prefix(self, prefix: Object) -> Verdict:
        if not has_flag(prefix, "excluded") or self._takes_prefixes_as_they_are:
            return HARMLESS
        network = ranges_of([prefix])
        if not network and self._coverage.protected:
            return Verdict(None, "is malformed, and may exclude protected addresses")
        lost = intersection(network, self._coverage.protected)
        return Verdict(True, f"excludes {_named(lost)}") if lost else HARMLESS

    def _judge_source(self, entry: Object) -> Verdict:
        if not has_flag(entry, "enabled"):
            return HARMLESS
        network = ranges_of([entry])
        if not network:
            return Verdict(None, "is malformed, and may let sources pass")
        passing = difference(network, self._coverage.bypassing)
        return Verdict(True, f"lets {_named(passing)} pass as sources") if passing else HARMLESS

    def _judge_decider(self, resource: Resource, obj: Object) -> Verdict:
        """Whether a rule or filter takes mitigation from addresses."""
        kind, space = str(resource.component), self._coverage.protected
        objects = [*self._state.get(resource.plural, ()), obj]
        described, modes = self._described[kind]
        existing = component(kind, {**self._state, resource.plural: objects})
        title = COMPONENTS[kind].title
        if UNDECIDED not in modes and UNDECIDED in _modes_of(existing, space):
            text = f"is not understood, so that {title} may mitigate less"
            return Verdict(None, text) if ENABLED in modes else HARMLESS
        lost = [
            f"{_named(ranges)}{f': {what}' if what else ''}"
            for ranges, what in no_longer_mitigated(described, existing, space)
        ]
        mode = str(obj.get(resource.mode_field or ""))
        text = f"is {mode}, so that {title} mitigates less for {first_few(lost)}"
        return Verdict(True, text) if lost else HARMLESS


def _modes_of(one: Component, space: Ranges) -> Modes:
    """The modes that some traffic to these addresses may meet."""
    return union_of_modes(modes for dummy, modes in one.pieces(space))


def _named(ranges: Ranges) -> str:
    return f"{counted(ranges)} ({first_few(networks(ranges))})"


class WeakerRecord(TypedDict):
    """A rule that enforces less before a plan than after it; `certain` is false if it may.

    `reason` is a sentence without its subject.
    """

    resource: str
    key: str
    certain: bool
    reason: str


def judge_rules(state: State, named: Named) -> dict[tuple[str, Key], Verdict]:
    """By plural and key, what each rule that is not named takes from the named ones."""
    verdicts: dict[tuple[str, Key], Verdict] = {}
    for resource, in_order in EVALUATION:
        rules = in_order(state.get(resource.plural) or ())
        keys = named.get(resource.plural, frozenset())
        for index, rule in enumerate(rules):
            if rule.key not in keys:
                behind = [item for item in rules[index + 1 :] if item.key in keys]
                verdicts[resource.plural, rule.key] = judge_skip(resource, rule, behind)
    return verdicts


def weaker_records(before: State, after: State) -> list[WeakerRecord]:
    """The rules that enforce less before a plan than after it by their expression, their place or
    their parameters.

    A rule that does not exist, that is off, or that has another kind of action is none of them. One
    that a plan deletes is checked like one that no task names.
    """
    records = []
    for resource, in_order in EVALUATION:
        was, becomes = (in_order(state.get(resource.plural) or ()) for state in (before, after))
        existing = {rule.key: rule for rule in was}
        for rule in becomes if was != becomes else ():
            if rule.key in existing:
                verdict = _lack(resource, existing[rule.key], rule, _passed(rule.key, was, becomes))
                records += _records(resource, rule, verdict)
        left = {rule.key: rule for rule in becomes}
        for index, rule in enumerate(was):
            if rule.key not in left:
                behind = [left[item.key] for item in was[index + 1 :] if item.key in left]
                records += _records(resource, rule, judge_skip(resource, rule, behind))
    return records


def _records(resource: Resource, rule: ZoneRule, verdict: Verdict) -> list[WeakerRecord]:
    if verdict.weakens is False:
        return []
    certain = verdict.weakens is True
    return [
        WeakerRecord(resource=resource.name, key=rule.entry, certain=certain, reason=verdict.reason)
    ]


def _lack(
    resource: Resource, existing: ZoneRule, planned: ZoneRule, passed: Sequence[ZoneRule]
) -> Verdict:
    """What a rule lacks before a plan if it blocks, or lets pass, both before and after it.

    `passed` are the rules that it stands before, and behind after the plan.
    """
    if existing.enforces and planned.enforces:
        narrower = leaves_out(existing.expression, planned.expression)
        fewer = f"fewer {traffic_of(resource)}s than described"
        return _verdict(narrower, "matches", "match", fewer)
    if not (existing.lets_pass and planned.lets_pass):
        return HARMLESS
    if not existing.skips <= planned.skips:
        more = first_few(sorted(existing.skips - planned.skips))
        return Verdict(True, f"skips more than described ({more})")
    wider = leaves_out(planned.expression, existing.expression)
    if wider is not False:
        more = f"more {traffic_of(resource)}s pass than described"
        return _verdict(wider, "lets", "let", more)
    return _judge_list_skip(resource, existing, passed)


def _passed(key: Key, was: Sequence[ZoneRule], becomes: Sequence[ZoneRule]) -> list[ZoneRule]:
    """The rules that stand behind a rule before a plan, and before it after the plan."""
    keys = [rule.key for rule in was]
    behind = frozenset(keys[keys.index(key) + 1 :])
    places = [rule.key for rule in becomes]
    return [rule for rule in becomes[: places.index(key)] if rule.key in behind]


def judge_skip(resource: Resource, rule: ZoneRule, behind: Sequence[ZoneRule]) -> Verdict:
    """What a rule takes from those behind it, and from what is not a rule of the list."""
    of_list = _judge_list_skip(resource, rule, behind)
    others = sorted(rule.skips - {REST_OF_THE_LIST})
    if not rule.lets_pass or not others or _matches_nothing(rule.expression):
        return of_list
    every = True if matches_every_request(rule.expression) else None
    if of_list.weakens and not every:
        return of_list
    kind = traffic_of(resource)
    of_what = f"every {kind}" if every else f"{kind}s"
    return _verdict(every, "skips", "skip", f"{first_few(others)} for {of_what}")


def _judge_list_skip(resource: Resource, rule: ZoneRule, behind: Sequence[ZoneRule]) -> Verdict:
    """What a rule takes from those behind it in the list."""
    if not rule.lets_pass or REST_OF_THE_LIST not in rule.skips:
        return HARMLESS
    concerned = [item for item in behind if item.enforces and not _are_apart(rule, item)]
    certain = [item for item in concerned if _covers(rule, item) or _covers(item, rule)]
    if not concerned:
        return HARMLESS
    stopped = _stopped_by(resource, certain or concerned)
    passing = f"{traffic_of(resource)}s pass that {stopped}"
    return _verdict(bool(certain) or None, "lets", "let", passing)


def _stopped_by(resource: Resource, rules: Sequence[ZoneRule]) -> str:
    titles = resource.titles if len(rules) > 1 else resource.title
    return f"{titles} {first_few(rule.title for rule in rules)} would stop"


def _verdict(weakens: bool | None, verb: str, infinitive: str, rest: str) -> Verdict:
    """A verdict, and its verb in the sentence; nothing for one that is harmless."""
    if weakens is False:
        return HARMLESS
    return Verdict(weakens, f"{verb if weakens else f'may {infinitive}'} {rest}")


def leaves_out(expression: str, other: str) -> bool | None:
    """Whether an expression leaves out requests that another one matches; None if nothing is
    proven."""
    if normalise_expression(expression) == normalise_expression(other):
        return False
    if matches_every_request(f"not ({other}) or ({expression})"):
        return False
    is_part = matches_every_request(f"not ({expression}) or ({other})")
    return True if is_part or _matches_nothing(f"({expression}) and ({other})") else None


def _covers(one: ZoneRule, other: ZoneRule) -> bool:
    """Whether it is proven that a rule matches every request that another one matches."""
    return leaves_out(one.expression, other.expression) is False


def _are_apart(one: ZoneRule, other: ZoneRule) -> bool:
    """Whether it is proven that no request matches both rules."""
    return _matches_nothing(f"({one.expression}) and ({other.expression})")


def _matches_nothing(expression: str) -> bool:
    return matches_every_request(f"not ({expression})")


def judge_overrides(state: State, named: Named) -> dict[tuple[str, Key], Verdict]:
    """By plural and key, what each override that is not named takes from the managed rules, if it
    is the only one beside the named ones."""
    verdicts: dict[tuple[str, Key], Verdict] = {}
    for resource in DDOS_OVERRIDES:
        overrides = state.get(resource.plural) or ()
        keys = named.get(resource.plural, frozenset())
        described = [obj for obj in overrides if resource.key_of(obj) in keys]
        for obj in overrides:
            key = resource.key_of(obj)
            if key not in keys:
                both = [item for item in overrides if resource.key_of(item) in {*keys, key}]
                worse = weakenings(resource, described, both)
                reason = worse[0].reason if worse else ""
                verdicts[resource.plural, key] = Verdict(True, reason) if worse else HARMLESS
    return verdicts


def weaker_overrides(before: State, after: State) -> list[tuple[str, str, str]]:
    """The overrides that let more pass before a plan than after it: resource, key and reason."""
    return [
        (resource.name, item.label, f"{item.reason}, and the baseline does not")
        for resource in DDOS_OVERRIDES
        for item in weakenings(
            resource, after.get(resource.plural) or (), before.get(resource.plural) or ()
        )
    ]


STAMPS = ("modified_on", "last_updated", "created_on")


class UnmanagedRecord(TypedDict):
    """An object that exists and that the task does not name.

    `weakens` says whether it takes protection away from what the task describes: None if it may.
    `reason` is a sentence without its subject. `since` is when the object last changed, None if
    Cloudflare does not say.
    """

    resource: str
    key: str
    weakens: bool | None
    reason: str
    since: str | None


def unmanaged_records(desired: Sequence[Desired], state: State) -> list[UnmanagedRecord]:
    """The objects of a state that the desired state does not name, in the order of the state."""
    named = {item.resource.plural: frozenset(item.objects) for item in desired}
    rules = {**judge_rules(state, named), **judge_overrides(state, named)}
    account = DescribedAccount(state, named)
    records = []
    for resource in (item.resource for item in desired if item.resource.key):
        for obj in state[resource.plural]:
            key = resource.key_of(obj)
            if key not in named[resource.plural]:
                verdict = rules.get((resource.plural, key)) or account.judge(resource, obj)
                records.append(record_of(resource, obj, verdict))
    return records


def record_of(resource: Resource, obj: Object, verdict: Verdict) -> UnmanagedRecord:
    """An object that a task does not name, as results list it."""
    since = next((str(obj[name]) for name in STAMPS if obj.get(name)), None)
    return UnmanagedRecord(
        resource=resource.name,
        key=resource.label_of(obj),
        weakens=verdict.weakens,
        reason=verdict.reason,
        since=since,
    )
