# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What becomes of a request under the rules of a zone, and of a packet in the Network Firewall, in
the order in which the rules are evaluated.

The vendor describes the actions in "Rules language: actions": a block and a challenge end the
evaluation, a skip does if it skips the remaining rules, and after a log it goes on.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from .._expressions.batch import Batch
from .._expressions.evaluation import decider
from .._expressions.operands import Fields
from .._expressions.truth import NotKnown
from .._schema.evaluation import ENFORCING, EVALUATION, REST_OF_THE_LIST, ZoneRule
from .._schema.resource import Object, Resource, State
from .._schema.zone import CUSTOM_RULES
from .._text import did_you_mean
from .outcome import ALLOWED, BLOCKED, CHALLENGED, LOGGED, SKIPPED, Decision, Outcome, decision

UNKNOWN_END = "unknown"
# What a rule has that makes no difference to what it matches; others, such as
# exposed_credential_check, do.
UNDERSTOOD = frozenset(
    [*(field.name for field in CUSTOM_RULES.fields), *CUSTOM_RULES.read_only, "id", "categories"]
)


class Rule(NamedTuple):
    """An active rule: its name, its expression, and the outcome that it decides.

    `end` is empty if the evaluation goes on, and `unknown` for an action that is not known. Fields
    in `conditions` may narrow what the rule matches.
    """

    name: str
    expression: str
    end: str
    logs: bool
    skips: Sequence[str]
    action: str
    conditions: Sequence[str] = ()


def rules_in_order(state: State, resource: Resource = CUSTOM_RULES) -> list[Rule]:
    """The active rules of a ruleset in their order."""
    in_order = next(read for other, read in EVALUATION if other.plural == resource.plural)
    objects = state.get(resource.plural) or ()
    return [_rule(rule, obj) for rule, obj in zip(in_order(objects), objects) if rule.active]


def never_decides(state: State, resource: Resource, name: str) -> str:
    """Why a rule of a ruleset decides on nothing at all; empty if it may decide."""
    active = rules_in_order(state, resource)
    own = [rule for rule in active if rule.name == name]
    if own:
        is_idle = not any(rule.end or rule.logs for rule in own)
        return f"the rule {name} neither ends the evaluation nor logs" if is_idle else ""
    if any(resource.label_of(obj) == name for obj in state.get(resource.plural) or ()):
        return f"the rule {name} is disabled"
    return f"there is no rule {name}{did_you_mean(name, [rule.name for rule in active])}"


def _rule(rule: ZoneRule, obj: Object) -> Rule:
    conditions = sorted(name for name in obj if name not in UNDERSTOOD and obj[name])
    skips = sorted(rule.skips - {REST_OF_THE_LIST}) if rule.action == "skip" else []
    logs, action = rule.action == "log", rule.action
    return Rule(rule.entry, rule.expression, _end(rule), logs, skips, action, conditions)


def _end(rule: ZoneRule) -> str:
    if rule.action in ENFORCING:
        return BLOCKED if rule.action == "block" else CHALLENGED
    if rule.action == "skip":
        return SKIPPED if REST_OF_THE_LIST in rule.skips else ""
    return "" if rule.action == "log" else UNKNOWN_END


class _Evaluation:
    """One request on its way through the rules."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.reasons: list[str] = []
        self.skips: list[str] = []
        self.logged_by: list[str | None] = [None]

    def meet(self, rule: Rule, fields: Fields) -> bool:
        """Whether the evaluation ends with this rule for sure."""
        truth = decider(rule.expression)(fields)
        if truth is True and rule.conditions:
            truth = NotKnown((f"its field {rule.conditions[0]} is not understood",))
        if truth is False:
            return False
        is_certain = not isinstance(truth, NotKnown)
        if isinstance(truth, NotKnown):
            self.reasons += [f"rule {rule.name}: {reason}" for reason in truth.reasons]
        if rule.end == UNKNOWN_END:
            self.reasons.append(f"rule {rule.name}: the action {rule.action} is not known")
            self.outcomes.append(Outcome(UNKNOWN_END, rule.name))
            return False
        self.skips += rule.skips if is_certain else [f"perhaps {item}" for item in rule.skips]
        if rule.end:
            self.outcomes.append(Outcome(rule.end, rule.name))
            return is_certain
        if rule.logs and None in self.logged_by:
            others = [name for name in self.logged_by if name or not is_certain]
            self.logged_by = [*others, rule.name]
        return False

    def pass_all(self) -> None:
        """The request has met all rules."""
        self.outcomes += [Outcome(LOGGED if name else ALLOWED, name) for name in self.logged_by]


def decide_requests(
    rules: Sequence[Rule], requests: Sequence[Fields], batch: Batch
) -> list[Decision]:
    """What becomes of each of the requests of a batch; most rules match none of them."""
    possible = [batch.possible(rule.expression) for rule in rules]
    return [
        decide_request([rule for rule, some in zip(rules, possible) if some >> index & 1], fields)
        for index, fields in enumerate(requests)
    ]


def decide_request(rules: Sequence[Rule], fields: Fields) -> Decision:
    """What becomes of a request; a rule of which it is not known whether it matches may decide."""
    evaluation = _Evaluation()
    if not any(evaluation.meet(rule, fields) for rule in rules):
        evaluation.pass_all()
    if len(set(evaluation.outcomes)) == 1:
        evaluation.reasons.clear()
    return decision(evaluation.outcomes, evaluation.reasons, evaluation.skips)
