# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expectations of a task held against a state, with reasons for those that do not hold."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence, TypedDict

from .._expressions.batch import Batch
from .._plan.plan import Plan
from .._schema.account import COMPONENTS
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import State
from .._text import Message, first_few, joined, plural
from .decide import Decision, PacketDecisions, decide_requests, never_decides, rules_in_order
from .expectation import FIREWALL, NAME, REQUEST, Expectation
from .modes import UNDECIDED
from .rules_in_force import contents_in, zone_values

RULES_OF = {REQUEST: CUSTOM_RULES, FIREWALL: NETWORK_FIREWALL_RULES}


class ExpectationRecord(TypedDict):
    """An expectation as results show it.

    `met` is None if it is not decided; `reasons` say what is not known. `rule` is whatever decides.
    If components treat a packet differently, `actual` and `rule` are dictionaries by component.
    `skips` is what a request does not meet beside the rules. `before` has `actual`, `rule` and
    `met` in the state before the plan.
    """

    description: str
    expected: Any
    actual: Any
    rule: Any
    met: bool | None
    reasons: list[str]
    skips: list[str]
    before: dict[str, Any]


class Evaluated(NamedTuple):
    """An expectation held against a state: a decision by component, or under "" for a request;
    `unable` says why the rule that it names decides on nothing at all."""

    expectation: Expectation
    decisions: Mapping[str, Decision]
    unable: str = ""

    @property
    def met(self) -> bool | None:
        """True if the expectation holds; None if that is not decided."""
        item = self.expectation
        parts = {
            decided.fulfils(item.expected_of(name), item.rule)
            for name, decided in self.decisions.items()
        }
        return False if False in parts else None if None in parts else True

    @property
    def reasons(self) -> list[str]:
        """Reasons why it cannot be met, or is not decided."""
        if self.met is False and self.unable:
            return [self.unable]
        reasons = [reason for decided in self.decisions.values() for reason in decided.reasons]
        not_known = list(dict.fromkeys(reasons))
        is_impossible = self.met is False and self.actual == UNDECIDED
        return [self._possible(), *not_known] if is_impossible else not_known

    def _possible(self) -> str:
        """All outcomes that are possible."""
        outcomes = [one for decided in self.decisions.values() for one in decided.outcomes]
        return f"it is {' or '.join(dict.fromkeys(with_rule(*one) for one in outcomes))}"

    @property
    def actual(self) -> Any:
        """The outcome, by component if the components differ."""
        return _as_one({name: decided.word for name, decided in self.decisions.items()})

    @property
    def rule(self) -> Any:
        """Whatever decides, by component if the components differ."""
        return _as_one({name: decided.by for name, decided in self.decisions.items()})

    @property
    def skips(self) -> list[str]:
        """Names of what a request does not meet beside the rules."""
        return [item for decided in self.decisions.values() for item in decided.skips]

    def record(self) -> dict[str, Any]:
        """The part of a result that says how it ends."""
        return {"actual": self.actual, "rule": self.rule, "met": self.met}


def _as_one(by_component: Mapping[str, Any]) -> Any:
    values = list(by_component.values())
    return values[0] if all(value == values[0] for value in values) else dict(by_component)


def find(
    expectations: Sequence[Expectation], state: State, requests: Batch | None = None
) -> list[Evaluated]:
    """Each expectation held against a state of an account or a zone; `requests` are those that
    another state with the same lists has already met."""
    requests = _requests(expectations, state) if requests is None else requests
    decided = iter(decide_requests(rules_in_order(state), requests))
    packets = PacketDecisions(state)
    return [
        Evaluated(
            item,
            packets.decide(item.packet, item.components) if item.packet else {"": next(decided)},
            never_decides(state, RULES_OF[item.kind], item.rule) if item.rule else "",
        )
        for item in expectations
    ]


def _requests(expectations: Sequence[Expectation], state: State) -> Batch:
    """The requests of expectations, which know the lists of a state, and its zone."""
    lists, zone = contents_in(state), zone_values(state)
    known = [item.request for item in expectations if item.request is not None]
    return Batch([one._replace(values={**zone, **one.values}, lists=lists) for one in known])


def expectation_records(
    expectations: Sequence[Expectation], before: State, after: State
) -> list[ExpectationRecord]:
    """The results of expectations in the state after a plan, and before it."""
    requests = _requests(expectations, after)  # a rule that both states have is decided once
    findings = earlier = find(expectations, after, requests)
    if before is not after:
        same_lists = contents_in(before) == contents_in(after)
        earlier = find(expectations, before, requests if same_lists else None)
    return [
        ExpectationRecord(
            description=finding.expectation.description,
            expected=finding.expectation.expected,
            actual=finding.actual,
            rule=finding.rule,
            met=finding.met,
            reasons=finding.reasons,
            skips=finding.skips,
            before=was.record(),
        )
        for finding, was in zip(findings, earlier)
    ]


def expectation_results(
    expectations: Sequence[Expectation], before: State, after: State
) -> dict[str, list[ExpectationRecord]]:
    """The result of a task that expects something; nothing for another task."""
    if not expectations:
        return {}
    return {NAME: expectation_records(expectations, before, after)}


def unmet_expectations(
    expectations: Sequence[Expectation],
    results: Mapping[str, Sequence[ExpectationRecord]],
    plan: Plan,
) -> str:
    """The reason why a plan is refused for what is expected; empty if all of it is met."""
    records = results.get(NAME, ())
    wrong = [
        (item, record) for item, record in zip(expectations, records) if record["met"] is not True
    ]
    if not wrong:
        return ""
    number = plural(len(wrong), "expectation is", "expectations are")
    sentences = [f"After the plan, {number} not met, or not decided."]
    for index, (item, record) in enumerate(wrong, 1):
        clause = f", {record['description']}: {_unmet_sentence(item, record, plan)}"
        sentences.append(Message(f"({index}) ", item.option, clause))
    to_do = "Change the plan or the expectation; it cannot be accepted."
    return joined(" ", [*sentences, to_do])


def _unmet_sentence(item: Expectation, record: ExpectationRecord, plan: Plan) -> str:
    expected = expected_in_words(record["expected"])
    if item.rule is not None:
        expected += f" by the rule {item.rule}"
    reasons = "; ".join(record["reasons"])
    if record["met"] is None:
        return f"expected {expected}, and undecided: {reasons}."
    if record["actual"] == UNDECIDED:
        return f"expected {expected}, and unmet: {reasons}."
    actual = with_rule(record["actual"], record["rule"])
    more = f": {reasons}" if reasons else ""
    was = record["before"]
    if was["actual"] == record["actual"] and was["rule"] == record["rule"]:
        return f"expected {expected}, but {actual}, as it is already{more}."
    return (
        f"expected {expected}, but {actual}; before the plan it is"
        f" {with_rule(was['actual'], was['rule'])}{_changed_by(record, plan)}{more}."
    )


def expected_in_words(value: Any) -> str:
    """The expected outcome, in a sentence."""
    if isinstance(value, Mapping):
        return ", ".join(f"{COMPONENTS[name].title} {word}" for name, word in value.items())
    return str(value)


def with_rule(actual: Any, rule: Any) -> str:
    """An outcome and whatever decides, in a sentence."""
    if isinstance(actual, Mapping) or isinstance(rule, Mapping):
        names = list(actual if isinstance(actual, Mapping) else rule)
        return ", ".join(
            f"{COMPONENTS[name].title} {with_rule(_own(actual, name), _own(rule, name))}"
            for name in names
        )
    if actual == UNDECIDED or rule is None:
        return str(actual)
    return f"{actual} by {rule}"


def _own(value: Any, name: str) -> Any:
    return value[name] if isinstance(value, Mapping) else value


def _changed_by(record: ExpectationRecord, plan: Plan) -> str:
    """The operations of a plan that concern a rule that decides, before the plan or after it."""
    names = [name for name in (record["rule"], record["before"]["rule"]) if isinstance(name, str)]
    concerned = [one for one in plan.operations if any(one.label in name for name in names)]
    changes = [
        f"{one.action}s {one.resource.title} {one.label}" for one in concerned or plan.operations
    ]
    return f" (the plan {first_few(changes)})" if changes else ""
