# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rules of a zone take from the protection that other rules give.

A rule that lets requests pass matters if it stands before one that blocks or challenges some of
these requests, or if it skips anything beside the list. That it does is proven where it can be
proven; otherwise it may.
"""

from __future__ import annotations

from typing import Sequence, TypedDict

from .._expressions.grammar import normalise_expression
from .._expressions.proof import matches_every_request
from .._schema.evaluation import EVALUATION, REST_OF_THE_LIST, ZoneRule, traffic_of
from .._schema.resource import Key, Resource, State
from .._text import first_few
from .verdict import HARMLESS, Named, Verdict


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
