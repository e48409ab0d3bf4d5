# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Outcomes of requests under the rules of a zone, and of packets in the Network Firewall, in the
order in which Cloudflare evaluates the rules.
"""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterable, NamedTuple, Sequence

from .._expressions.batch import Batch
from .._expressions.evaluation import Truth
from .._expressions.expression import Expression
from .._expressions.grammar import NotKnown
from .._expressions.operands import Fields
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import Resource, State
from .._text import did_you_mean, first_few
from .expectation import FIREWALL, FULFILLING, REQUEST
from .modes import UNDECIDED
from .outcomes import LOG, UNKNOWN_END, Outcome, WalkedRules, outcome_of
from .request import PROTOCOL_FIELD
from .routing import met_in_each_routing
from .rules_in_force import rules_in_force
from .traffic_sets import EvaluateExpression, PastRequests, SingleRequest, Split
from .zone_rule import REST_OF_THE_LIST, ZoneRule


class Decision(NamedTuple):
    """The possible outcomes, and the reasons if there is more than one; `skips` names the
    protection, besides the rules, that a request skips."""

    outcomes: Sequence[Outcome]
    reasons: Sequence[str] = ()
    skips: Sequence[str] = ()

    @property
    def word(self) -> str:
        """The outcome in one word; UNDECIDED if several outcomes are possible."""
        words = {outcome.word for outcome in self.outcomes}
        return words.pop() if len(words) == 1 else UNDECIDED

    @property
    def by(self) -> str | None:
        """The name of the rule or other object that decides; None if nothing decides, or if several
        objects may."""
        deciding = {outcome.by for outcome in self.outcomes}
        return deciding.pop() if len(deciding) == 1 else None

    def fulfils(self, expected: str, rule: str | None = None) -> bool | None:
        """Return whether the decision is the expected outcome and, if `rule` is given, made by that
        rule; None if that is not known."""
        words = FULFILLING.get(expected, (expected,))
        results = set()
        for outcome in self.outcomes:
            is_by_rule = rule in (None, outcome.by)
            results.add(outcome.word in words and is_by_rule)
        if len(results) == 1:
            return results.pop()
        return None


def decision(
    outcomes: Iterable[Outcome], reasons: Iterable[str] = (), skips: Iterable[str] = ()
) -> Decision:
    """A decision from these outcomes, reasons and skips, without duplicates."""
    return Decision(
        outcomes=list(dict.fromkeys(outcomes)),
        reasons=list(dict.fromkeys(reasons)),
        skips=list(dict.fromkeys(skips)),
    )


def either(*decisions: Decision) -> Decision:
    """The decision if one of these decisions is right, and it is not known which one."""
    outcomes: list[Outcome] = []
    reasons: list[str] = []
    skips: list[str] = []
    for possible in decisions:
        outcomes += possible.outcomes
        reasons += possible.reasons
        skips += possible.skips
    return decision(outcomes, reasons, skips)


RULES_OF = {REQUEST: CUSTOM_RULES, FIREWALL: NETWORK_FIREWALL_RULES}  # by the kind that they decide


def rules_in_order(state: State, resource: Resource = CUSTOM_RULES) -> list[ZoneRule]:
    """The active rules of a collection, in the order of their evaluation."""
    return [rule for rule in rules_in_force(state, resource) if rule.active]


def never_decides(state: State, resource: Resource, name: str) -> str:
    """The reason why the rule with this name cannot decide about any traffic; empty if it can."""
    active = rules_in_order(state, resource)
    rules_with_name = [rule for rule in active if rule.entry == name]
    if rules_with_name:
        for rule in rules_with_name:
            if outcome_of(rule) or rule.action == LOG:
                return ""
        return f"the rule {name} neither ends the evaluation nor logs"
    labels = [resource.label_of(obj) for obj in state.get(resource.plural) or ()]
    if name in labels:
        return f"the rule {name} is disabled"
    near = did_you_mean(name, [rule.entry for rule in active])
    return f"there is no rule {name}{near}"


def decide_requests(rules: Sequence[ZoneRule], batch: Batch) -> list[Decision]:
    """The decision on each request of a batch, in the order of the batch."""
    sets = PastRequests(batch)
    walked = WalkedRules(sets, rules, sets.everything)
    return [
        _decision(walked, place, partial(Expression.evaluate, fields=fields))
        for place, fields in enumerate(batch.requests)
    ]


def decide_request(
    rules: Sequence[ZoneRule], fields: Fields, evaluate: EvaluateExpression = Expression.evaluate
) -> Decision:
    """The decision on a request. If it is not known whether a rule matches, the decisions with and
    without that rule are possible."""
    sets = SingleRequest(fields, evaluate)
    walked = WalkedRules(sets, rules, sets.everything)
    return _decision(walked, 0, lambda expression: evaluate(expression, fields))


def _decision(
    walked: WalkedRules[Split], place: int, evaluate: Callable[[Expression], Truth]
) -> Decision:
    """The decision on the request at `place` in the traffic that has walked through the rules;
    reasons are included only if there is more than one outcome."""
    bit = 1 << place
    outcomes = [one.outcome for one in walked.outcomes if one.traffic.possible & bit]
    reasons: list[str] = []
    skips: list[str] = []
    for met in walked.met:
        if met.traffic.possible & bit:
            truth = evaluate(met.rule.expression)
            reasons += _doubts(met.rule, truth)
            skips += _skipped(met.rule, truth)
    return decision(outcomes, reasons if len(outcomes) > 1 else (), skips)


def _doubts(rule: ZoneRule, truth: Truth) -> list[str]:
    """The reasons why the effect of a rule on a request is not known."""
    doubts: list[str] = []
    if isinstance(truth, NotKnown):
        doubts += truth.reasons
    elif rule.conditions:
        doubts.append(f"its field {rule.conditions[0]} is not understood")
    if outcome_of(rule) == UNKNOWN_END:
        doubts.append(f"{first_few(rule.unknown)} is not known")
    return [f"rule {rule.entry}: {doubt}" for doubt in doubts]


def _skipped(rule: ZoneRule, truth: Truth) -> list[str]:
    """The names of the protection that a request skips if a rule matches it; "perhaps" precedes a
    name that is not certain."""
    skips: list[str] = []
    if rule.action == "skip":
        skips += [f"perhaps {parameter}" for parameter in rule.unknown]
    perhaps = "" if truth is True and not rule.conditions else "perhaps "
    for skipped in sorted(rule.skips - {REST_OF_THE_LIST}):
        skips.append(f"{perhaps}{skipped}")
    return skips


def in_firewall(rules: Sequence[ZoneRule], views: Sequence[Fields]) -> Decision:
    """The decision of the Network Firewall on a packet. `views` are the sets of fields that it may
    see of the packet."""
    decisions = [decide_request(rules, view, met_in_each_routing) for view in views]
    joined = either(*decisions)
    if len(decisions) == 1 or len(joined.outcomes) == 1:
        return decisions[0]
    return decision(joined.outcomes, [views[0].not_given(PROTOCOL_FIELD), *joined.reasons])
