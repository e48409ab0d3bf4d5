# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expectations of a task held against a state, with reasons for those that do not hold."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple, Sequence, TypedDict

from .._expressions.batch import Batch
from .._plan.plan import Operation, Plan
from .._schema.account import ALLOWLIST, COMPONENTS
from .._schema.custom_rules import CUSTOM_RULES_OF_ACCOUNT
from .._schema.lists import ListContents, contents_of, items_of
from .._schema.resource import State
from .._text import Message, first_few, joined, plural
from .decide import RULES_OF, Decision, decide_requests, never_decides, rules_in_order
from .decide_packet import PacketDecisions, name_of_entry, name_of_filter, name_of_rule
from .every import decide_every
from .example import Described
from .expectation import NAME, Expectation
from .modes import UNDECIDED
from .rules_in_force import SUFFIX_OF_ACCOUNT, contents_in, title_in_ruleset, zone_values
from .traffic_changes import example_in_words


class ExpectationRecord(TypedDict):
    """An expectation as results show it.

    `met` is None if it is not decided; `reasons` say why. `rule` names the object that decides. If
    components treat a packet differently, `actual` and `rule` are dictionaries by component.
    `skips` names the protection, besides the rules, that a request skips. `example` is a request or
    packet that refutes an expectation about all traffic. `before` contains `actual`, `rule`, `met`
    and `example` in the state before the plan.
    """

    description: str
    expected: Any
    actual: Any
    rule: Any
    met: bool | None
    reasons: list[str]
    skips: list[str]
    example: dict[str, Any] | None
    before: dict[str, Any]


class Evaluated(NamedTuple):
    """The result of an expectation in a state: the decisions by component, or under "" without
    components. `unable` says why the rule named in the expectation cannot decide (empty: it can);
    `example` refutes an expectation about all traffic."""

    expectation: Expectation
    decisions: Mapping[str, Decision]
    unable: str = ""
    example: Described | None = None

    @property
    def met(self) -> bool | None:
        """Return whether the expectation is met; None if that is not decided."""
        results = set()
        for component, decision in self.decisions.items():
            expected = self.expectation.expected_of(component)
            results.add(decision.fulfils(expected, self.expectation.rule))
        if False in results:
            return False
        if None in results:
            return None
        return True

    @property
    def reasons(self) -> list[str]:
        """The reasons why the expectation cannot be met, or is not decided."""
        if self.met is False and self.unable:
            return [self.unable]
        not_known: dict[str, None] = {}
        for decision in self.decisions.values():
            not_known.update(dict.fromkeys(decision.reasons))
        is_impossible = self.met is False and self.actual == UNDECIDED
        return [self._possible(), *not_known] if is_impossible else [*not_known]

    def _possible(self) -> str:
        """A clause that names every possible outcome: `it is ... or ...`."""
        outcomes: dict[str, None] = {}
        for decision in self.decisions.values():
            for outcome in decision.outcomes:
                outcomes[with_rule(outcome.word, outcome.by)] = None
        return f"it is {' or '.join(outcomes)}"

    @property
    def actual(self) -> Any:
        """The outcome; a dictionary by component if the components differ."""
        return _as_one({name: decision.word for name, decision in self.decisions.items()})

    @property
    def rule(self) -> Any:
        """The name of the object that decides (None: not known, or nothing); a dictionary by
        component if the components differ."""
        return _as_one({name: decision.by for name, decision in self.decisions.items()})

    @property
    def skips(self) -> list[str]:
        """The names of the protection, besides the rules, that the request skips."""
        skips: list[str] = []
        for decision in self.decisions.values():
            skips += decision.skips
        return skips

    def record(self) -> dict[str, Any]:
        """The outcome, the deciding object, whether the expectation is met, and the example, for
        results."""
        return {"actual": self.actual, "rule": self.rule, "met": self.met, "example": self.example}


def _as_one(by_component: Mapping[str, Any]) -> Any:
    value, *further_values = by_component.values()
    are_equal = all(further_value == value for further_value in further_values)
    return value if are_equal else dict(by_component)


def find(
    expectations: Sequence[Expectation], state: State, requests: Batch | None = None
) -> list[Evaluated]:
    """The result of each expectation in a state. `requests` are the parsed requests of the
    expectations (None: made here); passing them again for another state with the same lists saves
    work."""
    requests = _expected_requests(expectations, state) if requests is None else requests
    request_decisions = iter(decide_requests(rules_in_order(state), requests))
    packet_decisions = PacketDecisions(state)
    contents = contents_in(state)
    evaluated = []
    for expectation in expectations:
        decisions: Mapping[str, Decision]
        example: Described | None = None
        if expectation.every is not None:
            lists = {**contents, **_contents_of_lists(expectation.every.lists, state)}
            decision, example = decide_every(expectation, state, lists)
            decisions = {"": decision}
        elif expectation.packet:
            decisions = packet_decisions.decide(expectation.packet, expectation.components)
        else:
            decisions = {"": next(request_decisions)}
        unable = ""
        if expectation.rule:
            unable = never_decides(state, RULES_OF[expectation.kind], expectation.rule)
        evaluated.append(Evaluated(expectation, decisions, unable, example))
    return evaluated


def _contents_of_lists(names: Iterable[str], state: State) -> ListContents:
    """The contents of the lists with these names; lists whose items the state does not contain are
    left out."""
    items = {name: state.get(items_of(name).plural) for name in names}
    return {name: contents_of(entries) for name, entries in items.items() if entries is not None}


def _expected_requests(expectations: Sequence[Expectation], state: State) -> Batch:
    """The requests of the expectations, with the fields that the zone decides and the contents of
    lists in a state."""
    lists, zone = contents_in(state), zone_values(state)
    requests = []
    for expectation in expectations:
        request = expectation.request
        if request is not None:
            requests.append(request._replace(values={**zone, **request.values}, lists=lists))
    return Batch(requests)


def expectation_records(
    expectations: Sequence[Expectation], before: State, after: State
) -> list[ExpectationRecord]:
    """The results of the expectations in the state `after` a plan, and in the state `before` it."""
    requests = _expected_requests(
        expectations, after
    )  # a rule that both states have is decided once
    results = former_results = find(expectations, after, requests)
    if before is not after:
        same_lists = contents_in(before) == contents_in(after)
        former_results = find(expectations, before, requests if same_lists else None)
    return [
        ExpectationRecord(
            description=result.expectation.description,
            expected=result.expectation.expected,
            actual=result.actual,
            rule=result.rule,
            met=result.met,
            reasons=result.reasons,
            skips=result.skips,
            example=dict(result.example) if result.example else None,
            before=former_result.record(),
        )
        for result, former_result in zip(results, former_results)
    ]


def expectation_results(
    expectations: Sequence[Expectation], before: State, after: State
) -> dict[str, list[ExpectationRecord]]:
    """The key and value that expectations add to the result of a task; empty if the task has no
    expectations."""
    if not expectations:
        return {}
    return {NAME: expectation_records(expectations, before, after)}


def unmet_expectations(
    expectations: Sequence[Expectation],
    results: Mapping[str, Sequence[ExpectationRecord]],
    plan: Plan,
    broken_alone: bool = False,
) -> str:
    """The reason to refuse a plan because expectations are not met after it; empty if all are met.
    With `broken_alone`, only expectations that are met before the plan count."""
    records = results.get(NAME, ())
    pairs = zip(expectations, records)
    unmet = [(expected, record) for expected, record in pairs if record["met"] is not True]
    if broken_alone:
        unmet = [pair for pair in unmet if pair[1]["before"]["met"] is True]
    if not unmet:
        return ""
    count = plural(len(unmet), "expectation is", "expectations are")
    sentences = [f"After the plan, {count} not met, or not decided."]
    for number, (expectation, record) in enumerate(unmet, 1):
        sentence = _unmet_sentence(expectation, record, plan)
        clause = f", {record['description']}: {sentence}"
        sentences.append(Message(f"({number}) ", expectation.option, clause))
    to_do = "Change the plan or the expectation; it cannot be accepted."
    return joined(" ", [*sentences, to_do])


def _unmet_sentence(expectation: Expectation, record: ExpectationRecord, plan: Plan) -> str:
    expected = expected_in_words(record["expected"])
    if expectation.rule is not None:
        expected += f" by the rule {expectation.rule}"
    reasons = "; ".join(record["reasons"])
    if record["met"] is None:
        return f"expected {expected}, and undecided: {reasons}."
    if record["actual"] == UNDECIDED:
        return f"expected {expected}, and unmet: {reasons}."
    actual = with_rule(record["actual"], record["rule"])
    if record["example"]:
        actual += f": {example_in_words(expectation.traffic, record['example'])}"
    because = f": {reasons}" if reasons else ""
    before = record["before"]
    if before["actual"] == record["actual"] and before["rule"] == record["rule"]:
        when = "with the lists as the run leaves them" if plan.contents else "as it is already"
        return f"expected {expected}, but {actual}, {when}{because}."
    former = with_rule(before["actual"], before["rule"])
    changes = _changed_by(record, plan)
    return f"expected {expected}, but {actual}; before the plan it is {former}{changes}{because}."


def expected_in_words(expected: Any) -> str:
    """The expected outcome, in words for a sentence."""
    if isinstance(expected, Mapping):
        titles = {name: COMPONENTS[name].title for name in expected}
        return ", ".join(f"{titles[name]} {word}" for name, word in expected.items())
    return str(expected)


def with_rule(actual: Any, rule: Any) -> str:
    """An outcome and the object that decides, in words for a sentence."""
    if isinstance(actual, Mapping) or isinstance(rule, Mapping):
        clauses = []
        for component in actual if isinstance(actual, Mapping) else rule:
            outcome = with_rule(_of_component(actual, component), _of_component(rule, component))
            clauses.append(f"{COMPONENTS[component].title} {outcome}")
        return ", ".join(clauses)
    if actual == UNDECIDED or rule is None:
        return str(actual)
    return f"{actual} by {rule}"


def _of_component(by_component: Any, component: str) -> Any:
    """The value for a component; `by_component` itself if it is not a dictionary."""
    return by_component[component] if isinstance(by_component, Mapping) else by_component


def _changed_by(record: ExpectationRecord, plan: Plan) -> str:
    """The operations of a plan, in words, that change an object which decides before or after it;
    all operations if no such operation is known. Empty if there are no operations."""
    rules = record["rule"], record["before"]["rule"]
    deciding = {rule for rule in rules if isinstance(rule, str)}
    concerned = [
        operation
        for operation in plan.operations
        if not deciding.isdisjoint(_names_in_decisions(operation))
    ]
    changes = []
    for operation in concerned or plan.operations:
        changes.append(f"{operation.action}s {operation.resource.title} {operation.label}")
    return f" (the plan {first_few(changes)})" if changes else ""


def _names_in_decisions(operation: Operation) -> set[str]:
    """The names that decisions use for the object of an operation."""
    resource, label = operation.resource, operation.label
    if resource is ALLOWLIST:
        return {name_of_entry(label)}
    if resource.component:
        return {name_of_rule(label), name_of_filter(label)}
    if resource is CUSTOM_RULES_OF_ACCOUNT:
        return {f"{label}{SUFFIX_OF_ACCOUNT}"}
    if resource.parent_name:
        label = label[len(resource.parent_name) :].lstrip()
        name = title_in_ruleset(label, resource.parent_name)
        return {name, f"{name}{SUFFIX_OF_ACCOUNT}"}
    return {label}
