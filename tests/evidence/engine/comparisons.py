# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is compared with the parser and with the engine of the vendor: how often, and what differed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from random import Random
from tempfile import NamedTemporaryFile
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.batch import Batch
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.examination import (
    FILTER_EXPRESSION,
    FILTER_SCHEME,
)
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import (
    Comparison,
    NotKnown,
    leaves,
    normalise_expression,
    parse,
)
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Fields, Items, Pairs
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import (
    MatchedDestinations,
    matches_every_request,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.backtest import Backtest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.decide import (
    decide_requests,
    rules_in_order,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import (
    FULFILLING,
    parse_expectations,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expected import find
from ansible_collections.edgeops.protection.plugins.module_utils._protection.ineffective import ineffective_records
from ansible_collections.edgeops.protection.plugins.module_utils._protection.outcomes import Outcome
from ansible_collections.edgeops.protection.plugins.module_utils._protection.past_requests import (
    LOGPUSH,
    FieldReader,
    Records,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import Unread
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import intersection, range_of
from octorules_wirefilter import parse_expression

from tests.evidence.engine import chains, generators
from tests.evidence.engine.chains import STRENGTH, Links, sent
from tests.evidence.engine.library import packets_engine, requests_engine, rich_engine
from tests.support.requests_evaluator import Request, matches

LITERALS = ("string_literals", "regex_literals", "ip_literals", "int_literals")


@dataclass
class Counts:
    """How many of what were compared, and what differed, in words."""

    counted: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def count(self, **numbers: int) -> None:
        self.counted.update(numbers)

    def check(self, equal: bool, difference: str) -> None:
        if not equal:
            self.differences.append(difference)


def literals(expression: str, scheme: str | None) -> Mapping[str, list[Any]] | None:
    """What the vendor's parser reads in an expression; None where it refuses it."""
    read = parse_expression(expression, scheme)
    return None if "error" in read else {name: read[name] for name in (*LITERALS, "fields", "operators", "functions")}


def decided_filters_parse(random: Random, counts: Counts) -> None:
    """A filter that the collection decides or accepts is one that the parser takes, with the same addresses and ports."""
    expression = generators.combination(random, generators.odd_packet_atom)
    try:
        MatchedDestinations.of(Expression.of(expression))
    except Unread:
        counts.count(undecided=1)
        return
    counts.count(decided=1)
    read = parse_expression(expression, FILTER_SCHEME)
    counts.check("error" not in read, f"decided and refused: {expression!r}")
    doubts = [warning for warning in FILTER_EXPRESSION.examine(expression) if "may refuse" in warning]
    counts.check(not doubts, f"decided with a warning: {expression!r}")
    words = [
        word
        for leaf in leaves(parse(expression))
        if isinstance(leaf, Comparison)
        for token in leaf.operands
        for word in token.text.split("..")
    ]
    ours = {word for word in words if not word.isdigit()}, {int(word) for word in words if word.isdigit()}
    theirs = {part for text in read["ip_literals"] for part in re.split(r"\.\.|-", text)}, set(read["int_literals"])
    counts.check(ours[0] >= theirs[0] and ours[1] >= theirs[1], f"other literals: {expression!r}: {ours} {theirs}")


def equal_expressions_have_equal_literals(random: Random, counts: Counts) -> None:
    """Two expressions that the collection takes for equal are read alike by the parser."""
    scheme = random.choice([None, FILTER_SCHEME])
    atom = generators.packet_atom if scheme else generators.request_atom
    one = generators.combination(random, atom)
    other = generators.respaced(random, one)
    if normalise_expression(one) == normalise_expression(other):
        counts.count(equal=1)
        counts.check(literals(one, scheme) == literals(other, scheme), f"read differently: {one!r} and {other!r}")
    else:
        counts.count(different=1)


def filters_match_what_is_claimed(random: Random, counts: Counts) -> None:
    """A packet that a filter is said to match always or never does so in the engine."""
    expression = generators.combination(random, generators.packet_atom)
    claims = MatchedDestinations.of(Expression.of(expression))
    packets = generators.packets(random, 30)
    counts.count(expressions=1, decisions=len(packets))
    for packet, decision in zip(packets, packets_engine().decisions(expression, packets), strict=True):
        destination = range_of(packet["ip.dst"])
        assert destination is not None
        always = bool(intersection(claims.always, [destination]))
        never = not intersection(claims.sometimes, [destination])
        counts.check(not (always and not decision) and not (never and decision), f"{expression!r}: {packet}")


def values_of(request: Request) -> dict[str, object]:
    """A request by the names of its fields."""
    return {
        "http.request.uri.path": request.path,
        "http.host": request.host,
        "http.request.method": request.method,
        "http.user_agent": request.user_agent,
        "ip.src": request.source,
    }


def requests_match_as_evaluated(random: Random, counts: Counts) -> None:
    """The evaluator of the tests decides requests as the engine does."""
    expression = generators.combination(random, generators.request_atom)
    requests = generators.requests(random, 12)
    counts.count(expressions=1, decisions=len(requests))
    decisions = requests_engine().decisions(expression, [values_of(request) for request in requests])
    for request, decision in zip(requests, decisions, strict=True):
        counts.check(matches(expression, request) == decision, f"{expression!r}: {request}")


def fields_of(values: Mapping[str, Any]) -> Fields:
    """The fields of a request for the collection's evaluation, of those that the engine is told."""

    def value_of(value: Any) -> Any:
        if isinstance(value, list):
            return Items(tuple(map(value_of, value)))
        if isinstance(value, dict):
            return Pairs({name.encode(): value_of(items) for name, items in value.items()})
        return value.encode() if isinstance(value, str) else value

    source = {"ip.src": ip_address(values["ip.src"])} if "ip.src" in values else {}
    return Fields({name: value_of(value) for name, value in values.items()} | source)


def requests_are_decided_as_by_the_engine(random: Random, counts: Counts) -> None:
    """A request that the collection decides matches an expression as in the engine, with functions, headers and cookies."""
    expression = generators.combination(random, generators.rich_atom, 2)
    requests = generators.rich_requests(random, 12)
    counts.count(expressions=1)
    for request, decision in zip(requests, rich_engine().decisions(expression, requests), strict=True):
        truth = Expression.of(expression).evaluate(fields_of(request))
        counts.count(**{"undecided" if isinstance(truth, NotKnown) else "decided": 1})
        counts.check(truth is decision, f"{expression!r}: {truth}: {request}")


def ended(rules: Sequence[Mapping[str, Any]], matching: Sequence[bool]) -> Outcome:
    """What becomes of a request, in the words of docs/expectations.md; `matching` are its rules as the engine decides."""
    logged = None
    for rule, matches_it in zip(rules, matching, strict=True):
        if not matches_it or not rule["enabled"]:
            continue
        if rule["action"] == "log":
            logged = logged or rule["ref"]
        elif rule["action"] != "skip":
            return Outcome("blocked" if rule["action"] == "block" else "challenged", rule["ref"])
        elif "ruleset" in rule["action_parameters"]:
            return Outcome("skipped", rule["ref"])
    return Outcome("logged", logged) if logged else Outcome("allowed")


def rules_decide_as_in_the_engine(random: Random, counts: Counts) -> None:
    """A request ends under the rules of a zone as in the engine; if not all of it is known, in one of the named outcomes."""
    rules = generators.custom_rules(random)
    requests = generators.rich_requests(random, 12)
    matching = [rich_engine().decisions(rule["expression"], requests) for rule in rules]
    whole = [fields_of(request) for request in requests]
    parts = [fields_of(generators.partial(random, request)) for request in requests]
    in_order = rules_in_order({"custom_rules": rules})
    counts.count(rule_sets=1)
    for name, given in (("decisions", whole), ("decisions_on_parts", parts)):
        for index, decided in enumerate(decide_requests(in_order, Batch(given))):
            expected = ended(rules, [decisions[index] for decisions in matching])
            counts.count(**({name: 1} if len(decided.outcomes) == 1 else {f"undecided_{name}": 1}))
            counts.check(expected in decided.outcomes, f"{rules}: {requests[index]}: {expected}: {decided}")
            counts.check(name != "decisions" or len(decided.outcomes) == 1, f"undecided: {rules}: {decided.reasons}")


def chains_decide_as_link_by_link(random: Random, counts: Counts) -> None:
    """A request ends on its way through account, zone and what both execute as in the engine, run link by link."""
    chain = generators.chain(random)
    requests = generators.rich_requests(random, 6)
    every = [rule for name in ("account_custom_rules", "custom_rules") for rule in chain[name]]
    every += [rule for ruleset in chain["executed_rulesets"] for rule in ruleset["rules"]]
    truths = {rule["expression"]: rich_engine().decisions(rule["expression"], requests) for rule in every}
    whole = [fields_of(request) for request in requests]
    parts = [fields_of(generators.partial(random, request)) for request in requests]
    hidden = generators.hidden(random, chain)
    counts.count(chains=1)
    for name, state, given in (
        ("decisions", chain, whole),
        ("decisions_on_parts", chain, parts),
        ("decisions_without_rulesets", hidden, whole),
    ):
        in_order = rules_in_order(state)
        for index, decided in enumerate(decide_requests(in_order, Batch(given))):
            meets = {expression: decisions[index] for expression, decisions in truths.items()}
            expected = Links(chain, meets.__getitem__).outcome(chain)
            is_decided = len(decided.outcomes) == 1
            counts.count(**({name: 1} if is_decided else {f"undecided_{name}": 1}))
            possible = expected in decided.outcomes or any(one.word == "unknown" for one in decided.outcomes)
            counts.check(possible, f"{chain}: {requests[index]}: {expected}: {decided}")
            counts.check(is_decided or bool(decided.reasons), f"without a reason: {chain}: {decided}")
            counts.check(name != "decisions" or is_decided, f"undecided: {chain}: {decided.reasons}")


def complete_expressions_match_every_request(random: Random, counts: Counts) -> None:
    """No request escapes an expression that every request is proven to match."""
    expression = generators.combination(random, generators.broad_atom)
    if not matches_every_request(Expression.of(expression)):
        counts.count(unproven=1)
        return
    requests = [
        {**values_of(request), "cf.threat_score": 0, "ssl": random.random() < 0.5}
        for request in generators.requests(random, 30)
    ]
    counts.count(proven=1, requests=len(requests))
    for request, decision in zip(requests, requests_engine().decisions(expression, requests), strict=True):
        counts.check(decision, f"{expression!r}: {request}")


def past_requests_change_as_in_the_engine(random: Random, counts: Counts) -> None:
    """As many requests of a file are newly stopped, or newly pass, as in the engine, or undecided with what is not known."""
    existing, planned = generators.planned_rules(random)
    logged = generators.logged_requests(random, 10)
    requests = [request for request, _record in logged]
    effects = Counter(
        _effect(*(ended(rules, decisions).word for rules, decisions in zip((existing, planned), both, strict=True)))
        for both in zip(_decisions(existing, requests), _decisions(planned, requests), strict=True)
    )
    backtest = Backtest({"custom_rules": existing}, {"custom_rules": planned})
    reader = FieldReader(backtest.fields, LOGPUSH)
    with NamedTemporaryFile("w") as file:
        file.write("".join(f"{json.dumps(record)}\n" for _request, record in logged))
        file.flush()
        for part in reader.groups(Records(file.name, reader.names)):
            backtest.add(part)
    shown = backtest.record((None, None), ())
    undecided, fields = shown["undecided"]["requests"] or 0, shown["undecided"]["fields"]
    missing = {name: effects[name] - (shown[name]["requests"] or 0) for name in ("newly_blocked", "newly_passed")}
    case = f"{existing}: {planned}: {logged}: {effects}: {shown}"
    counts.count(
        rule_sets=1, decided=len(logged) - undecided, undecided=undecided, newly_blocked=effects["newly_blocked"]
    )
    counts.check(min(missing.values()) >= 0 and sum(missing.values()) <= undecided, case)
    counts.check(bool(fields) is bool(undecided), f"without a name: {case}")


def _decisions(rules: Sequence[Mapping[str, Any]], requests: Sequence[Mapping[str, Any]]) -> list[list[bool]]:
    """What the engine decides on each request, rule by rule."""
    of_rules = [rich_engine().decisions(rule["expression"], requests) for rule in rules]
    return [[decisions[index] for decisions in of_rules] for index in range(len(requests))]


def _effect(before: str, after: str) -> str:
    """What becomes of a request, in the words of docs/backtest.md."""
    stopping = ("blocked", "challenged")
    if after in stopping and (before not in stopping or (before, after) == ("challenged", "blocked")):
        return "newly_blocked"
    return "newly_passed" if before in stopping and after not in stopping else "same"


def rules_that_are_shadowed_never_decide(random: Random, counts: Counts) -> None:
    """A rule of which it is claimed that earlier ones decide all that it matches decides no request in the engine."""
    rules = generators.custom_rules(random, random.choice([generators.request_atom, generators.rich_atom]))
    rules += [{**random.choice(rules), "ref": "again"}, {**random.choice(rules), "ref": "late", "action": "log"}]
    requests = generators.rich_requests(random, 12)
    matching = {rule["ref"]: rich_engine().decisions(rule["expression"], requests) for rule in rules}
    for claim in ineffective_records({"custom_rules": rules}):
        case = f"{claim}: {rules}"
        counts.count(**{claim["kind"]: 1, "requests": len(requests)})
        for index, matches_it in enumerate(matching[claim["key"]]):
            decided = any(matching[ref][index] for ref in claim["by"])
            is_zero = requests[index]["cf.threat_score"] == 0  # as it always is, which the engine does not know
            counts.check(not matches_it or decided or not is_zero, f"{case}: {requests[index]}")


def outcomes_in_engine(rules: Sequence[Mapping[str, Any]], requests: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """What becomes of requests under rules, as the engine decides."""
    return [ended(rules, decisions) for decisions in _decisions(rules, requests)]


def differences_are_those_of_the_engine(random: Random, counts: Counts) -> None:
    """Rules that change treat exactly those requests differently that the difference tells, with an example that does so."""
    before = generators.custom_rules(random, generators.request_atom)
    after = generators.changed_rules(random, before)
    changes = traffic_difference({"custom_rules": before}, {"custom_rules": after})
    requests = generators.rich_requests(random, 20 if changes.passes or changes.stopped else 200)
    weaker = stronger = False
    sides = (outcomes_in_engine(before, requests), outcomes_in_engine(after, requests))
    for was, becomes in zip(*sides, strict=True):
        weaker = weaker or STRENGTH[becomes.word] < STRENGTH[was.word]
        stronger = stronger or STRENGTH[becomes.word] > STRENGTH[was.word]
    case = f"{before}: {after}: {changes}"
    counts.count(pairs=1, requests=len(requests))
    counts.check(not weaker or bool(changes.passes) or not changes.known, f"passes: {case}")
    counts.check(not stronger or bool(changes.stopped) or not changes.known, f"stopped: {case}")
    for change in (*changes.passes, *changes.stopped):
        if change.certain and change.example and change.family == "stopped":
            request = sent(change.example, requests[0])
            (was,), (becomes,) = (outcomes_in_engine(rules, [request]) for rules in (before, after))
            counts.count(examples=1)
            is_weaker = STRENGTH[becomes.word] < STRENGTH[was.word]
            is_told = change in changes.passes if is_weaker else STRENGTH[becomes.word] > STRENGTH[was.word]
            counts.check(
                is_told and was.word == change.what.split()[0].replace("passing", was.word), f"{change}: {case}"
            )


def differences_of_chains_are_those_of_the_engine(random: Random, counts: Counts) -> None:
    """Rules of account, zone and rulesets, and lists, that change treat exactly those requests differently that are told."""
    states = chains.pair(random, generators.request_atom)
    requests = [{**values_of(request), "ssl": request.ssl} for request in generators.requests(random, 30)]
    changes, wrongs = chains.wrongs_of_pair(states, requests, requests_engine().decisions)
    counts.count(pairs=1, requests=len(requests), examples=len(chains.certain_changes(changes)))
    counts.differences += wrongs


def expectations_of_all_requests_are_those_of_the_engine(random: Random, counts: Counts) -> None:
    """An outcome of all requests that match an expression is that of each of them, or an example has another one."""
    rules = generators.custom_rules(random, generators.request_atom)
    every = generators.combination(random, generators.request_atom, 2)
    expect = random.choice(["blocked", "challenged", "skipped", "logged", "allowed"])
    try:
        expectations = parse_expectations({"expectations": [{"every": every, "expect": expect}]})
    except OptionError:
        counts.count(refused=1)
        return
    (finding,) = find(expectations, {"custom_rules": rules})
    requests = generators.rich_requests(random, 30)
    matching = rich_engine().decisions(every, requests)
    words = FULFILLING.get(expect, (expect,))
    asked = [request for request, is_matching in zip(requests, matching, strict=True) if is_matching]
    outcomes = outcomes_in_engine(rules, asked)
    counts.count(**{f"met_{finding.met}".lower(): 1, "requests": len(asked)})
    case = f"{rules}: every {every} {expect}: {finding}"
    counts.check(finding.met is not True or all(one.word in words for one in outcomes), case)
    if finding.example:
        request = sent(finding.example, requests[0])
        (is_asked,) = rich_engine().decisions(every, [request])
        (outcome,) = outcomes_in_engine(rules, [request])
        counts.check(is_asked and (outcome.word, outcome.by) == (finding.actual, finding.rule), f"{outcome}: {case}")


PARSER: tuple[Callable[[Random, Counts], None], ...] = (decided_filters_parse, equal_expressions_have_equal_literals)
ENGINE: tuple[Callable[[Random, Counts], None], ...] = (
    filters_match_what_is_claimed,
    requests_match_as_evaluated,
    requests_are_decided_as_by_the_engine,
    rules_decide_as_in_the_engine,
    past_requests_change_as_in_the_engine,
    chains_decide_as_link_by_link,
    complete_expressions_match_every_request,
    rules_that_are_shadowed_never_decide,
    differences_are_those_of_the_engine,
    differences_of_chains_are_those_of_the_engine,
    expectations_of_all_requests_are_those_of_the_engine,
)
