# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An outcome of all requests or packets that match an expression: proven, refuted with one of them
as an example, or not known."""

from __future__ import annotations

from typing import Iterable, Iterator, NamedTuple, Sequence

from .._expressions.expression import Expression
from .._expressions.operands import Fields
from .._expressions.solve import Diagrams, Set
from .._schema.lists import ListContents
from .._schema.resource import State
from .._text import Unread, first_few
from .decide import RULES_OF, Decision, decide_request, decision, in_firewall, rules_in_order
from .example import Described, Wanted, example_of
from .expectation import REQUEST, Expectation
from .outcomes import UNKNOWN_END, Outcome, OutcomeTraffic, WalkedRules
from .request import NOTHING_MATCHES
from .routing import AllPackets
from .rules_in_force import host_of_zone, zone_values
from .traffic_sets import AllTraffic, diagrams_of
from .traffic_words import diagram_in_words

MOST_REFUTED = 8  # outcomes of which an example is looked for


class Proof(NamedTuple):
    """The decision on all traffic that an expectation is about, with an example that refutes the
    expectation (None: no example). The decision has no outcome if nothing is proven."""

    decision: Decision
    example: Described | None = None


def decide_every(expectation: Expectation, state: State, lists: ListContents) -> Proof:
    """The decision on all traffic that an expectation is about."""
    try:
        return _Question(expectation, state, lists).proof()
    except (Unread, RecursionError) as exc:
        reason = exc.reason if isinstance(exc, Unread) else Diagrams.TOO_MANY
        return Proof(decision([], [f"the rules cannot be compared: {reason}"]))


class _Question:
    """The question whether all traffic of an expectation has the expected outcome under the rules
    of a state."""

    def __init__(self, expectation: Expectation, state: State, lists: ListContents) -> None:
        self._expectation, self._lists = expectation, lists
        self._asked = expectation.every or Expression.of("false")
        self._kind = "request" if expectation.kind == REQUEST else "packet"
        self._rules = rules_in_order(state, RULES_OF[expectation.kind])
        self._values = zone_values(state) if self._kind == "request" else {}
        self._host = host_of_zone(state)
        diagrams = diagrams_of(self._values, [self._asked, *self._expressions()])
        sets_of_kind = AllTraffic if self._kind == "request" else AllPackets
        self._sets: AllTraffic = sets_of_kind(diagrams, lists)

    def _expressions(self) -> Iterator[Expression]:
        for rule in self._rules:
            yield rule.whole or rule.expression
            yield from (skip.expression for skip in rule.unless)

    def proof(self) -> Proof:
        """The outcome that is proven for all of the traffic, or an example with another outcome;
        without either, the reasons."""
        traffic = self._traffic()
        if traffic == Diagrams.nothing:
            return Proof(decision([], [*self._unread_lists(), NOTHING_MATCHES]))
        walked = WalkedRules(self._sets, self._rules, traffic)
        refuting = [one for one in walked.outcomes if not self._is_met_by(one.outcome)]
        if not refuting:
            return Proof(self._proven(walked.outcomes))
        fields = [*self._fields_named(walked)]
        for outcome_traffic in refuting[:MOST_REFUTED]:
            example = self._example(outcome_traffic, fields)
            if example is not None:
                return Proof(decision([outcome_traffic.outcome]), example)
        reasons = [self._in_words(one, fields) for one in refuting]
        return Proof(decision([], [*self._unread_lists(), *self._doubts(), *reasons]))

    def _traffic(self) -> Set:
        """All traffic that the expectation is about and that can exist."""
        asked = self._sets.matching(self._asked)
        if self._kind == "request":
            return asked
        for expression in self._expressions():
            self._sets.matching(expression)  # its fields of protocols have facts, too
        diagrams = self._sets.diagrams
        return diagrams.combined("and", [asked, diagrams.possible(), *diagrams.facts()])

    def _is_met_by(self, outcome: Outcome) -> bool:
        expected = self._expectation.expected_of("")
        return decision([outcome]).fulfils(expected) is True

    def _proven(self, outcomes: Sequence[OutcomeTraffic[Set]]) -> Decision:
        proven = decision(one.outcome for one in outcomes)
        words = {one.outcome.word for one in outcomes}
        word = words.pop() if len(words) == 1 else self._expectation.expected_of("")
        return decision([Outcome(word, proven.by)])

    def _fields_named(self, walked: WalkedRules[Set]) -> Iterable[str]:
        """The fields that the expectation uses, and those of all rules that its traffic may
        meet."""
        names = dict.fromkeys(self._asked.names)
        meeting = {met.rule.key for met in walked.met}
        for rule in self._rules:
            # A rule that no request meets says nothing of one that lacks its fields.
            expression = rule.expression
            if rule.key in meeting or self._sets.matching(expression) == Diagrams.nothing:
                names.update(dict.fromkeys(expression.names))
        return names

    def _example(
        self, outcome_traffic: OutcomeTraffic[Set], fields: Sequence[str]
    ) -> Described | None:
        """A request or packet that has this outcome, confirmed by evaluating it alone; None if none
        is found."""

        def confirms(seen: Sequence[Fields]) -> bool:
            known = [fields._replace(lists=self._lists) for fields in seen]
            truths = [self._asked.evaluate(fields) for fields in known]
            if any(truth is not True for truth in truths):
                return False
            outcomes = self._decided(known).outcomes
            return outcomes == [outcome_traffic.outcome]

        traffic = outcome_traffic.traffic
        wanted = Wanted(self._kind, traffic, self._values, fields, self._host)
        return example_of(self._sets.diagrams, wanted, confirms).described

    def _decided(self, views: Sequence[Fields]) -> Decision:
        if self._kind == "packet":
            return in_firewall(self._rules, views)
        return decide_request(self._rules, views[0])

    def _in_words(self, outcome_traffic: OutcomeTraffic[Set], fields: Sequence[str]) -> str:
        """A clause on the traffic that may have this outcome, which is not the expected one."""
        outcome = outcome_traffic.outcome
        words = diagram_in_words(self._sets.diagrams, outcome_traffic.traffic, self._kind, fields)
        by = f" by {outcome.by}" if outcome.by else ""
        if outcome.word == UNKNOWN_END:
            return f"the rule {outcome.by} may do anything with {words}"
        return f"no example shows whether {words} can be {outcome.word}{by}"

    def _doubts(self) -> Iterator[str]:
        for rule in self._rules:
            if rule.doubts:
                yield f"rule {rule.entry}: {first_few(rule.doubts)} is not known"

    def _unread_lists(self) -> list[str]:
        """A clause on each list whose contents are not known and that the expectation or the rules
        refer to."""
        names = dict.fromkeys(self._asked.lists)
        for expression in self._expressions():
            names.update(dict.fromkeys(expression.lists))
        return [
            f"the content of the list ${name} is not known"
            for name in names
            if name not in self._lists
        ]
