# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Outcomes of requests under the rules of a zone, and of packets in the Network Firewall and in the
components, in the order in which Cloudflare evaluates the rules.
"""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterable, Mapping, NamedTuple, Sequence

from .._expressions.batch import Batch
from .._expressions.evaluation import Truth
from .._expressions.expression import Expression
from .._expressions.fields import WITHOUT_LISTS
from .._expressions.grammar import NotKnown
from .._expressions.operands import Fields
from .._schema.account import ACCOUNT, ALLOWLIST, DISABLED, ENABLED, MONITORING, PREFIXES
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import Resource, State
from .._text import did_you_mean, excerpt, first_few
from .._values.address_set import Address, is_in, range_of
from .coverage import UNKNOWN_STATUS, Coverage
from .expectation import (
    BYPASSED,
    FIREWALL,
    FULFILLING,
    MITIGATED,
    MONITORED,
    PASSING,
    REQUEST,
    UNPROTECTED,
)
from .modes import DATA_CENTER, GLOBAL, IN_TURN, REGION, UNDECIDED, Component, Rule
from .outcomes import LOG, UNKNOWN_END, Outcome, WalkedRules, outcome_of
from .request import DNS, PROTOCOL_FIELD, Packet
from .routing import met_by
from .rules_in_force import REST_OF_THE_LIST, ZoneRule, contents_in, rules_in_force
from .traffic_sets import Evaluate, PastRequests, SingleRequest, Split


class Decision(NamedTuple):
    """The outcomes that are possible, and why there is more than one; `skips` is what a request
    does not meet beside the rules."""

    outcomes: Sequence[Outcome]
    reasons: Sequence[str] = ()
    skips: Sequence[str] = ()

    @property
    def word(self) -> str:
        """The outcome, if there is one."""
        words = {outcome.word for outcome in self.outcomes}
        return words.pop() if len(words) == 1 else UNDECIDED

    @property
    def by(self) -> str | None:
        """The rule or whatever else decides, if that is known."""
        deciding = {outcome.by for outcome in self.outcomes}
        return deciding.pop() if len(deciding) == 1 else None

    def fulfils(self, expected: str, rule: str | None = None) -> bool | None:
        """True if this is what was expected, decided by a rule if one is named; None if it is not
        known."""
        words = FULFILLING.get(expected, (expected,))
        results = set()
        for outcome in self.outcomes:
            is_by_rule = rule in (None, outcome.by)
            results.add(outcome.word in words and is_by_rule)
        return results.pop() if len(results) == 1 else None


def decision(
    outcomes: Iterable[Outcome], reasons: Iterable[str] = (), skips: Iterable[str] = ()
) -> Decision:
    """A decision with each outcome and each reason once."""
    return Decision(
        list(dict.fromkeys(outcomes)), list(dict.fromkeys(reasons)), list(dict.fromkeys(skips))
    )


def either(*decisions: Decision) -> Decision:
    """The decision if one of these is right, and it is not known which."""
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
    """The active rules of a ruleset in their order."""
    return [rule for rule in rules_in_force(state, resource) if rule.active]


def never_decides(state: State, resource: Resource, name: str) -> str:
    """The reason why a rule of a ruleset decides on nothing at all; empty if it may decide."""
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
    """A decision on each of the requests of a batch; most rules match none of them."""
    sets = PastRequests(batch)
    walked = WalkedRules(sets, rules, sets.everything)
    return [
        _decision(walked, place, partial(Expression.evaluate, fields=fields))
        for place, fields in enumerate(batch.requests)
    ]


def decide_request(
    rules: Sequence[ZoneRule], fields: Fields, evaluate: Evaluate = Expression.evaluate
) -> Decision:
    """A decision on a request; a rule of which it is not known whether it matches may decide."""
    sets = SingleRequest(fields, evaluate)
    walked = WalkedRules(sets, rules, sets.everything)
    return _decision(walked, 0, lambda expression: evaluate(expression, fields))


def _decision(
    walked: WalkedRules[Split], place: int, evaluate: Callable[[Expression], Truth]
) -> Decision:
    """The decision on the request at a place of those that have walked; what is not known is told
    if there is more than one outcome."""
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
    """The reasons why it is not known what a rule does to a request that may meet it."""
    doubts: list[str] = []
    if isinstance(truth, NotKnown):
        doubts += truth.reasons
    elif rule.conditions:
        doubts.append(f"its field {rule.conditions[0]} is not understood")
    if outcome_of(rule) == UNKNOWN_END:
        doubts.append(f"{first_few(rule.unknown)} is not known")
    return [f"rule {rule.entry}: {doubt}" for doubt in doubts]


def _skipped(rule: ZoneRule, truth: Truth) -> list[str]:
    """The names of what a request skips if it meets a rule."""
    skips: list[str] = []
    if rule.action == "skip":
        skips += [f"perhaps {parameter}" for parameter in rule.unknown]
    perhaps = "" if truth is True and not rule.conditions else "perhaps "
    for skipped in sorted(rule.skips - {REST_OF_THE_LIST}):
        skips.append(f"{perhaps}{skipped}")
    return skips


def name_of_entry(prefix: str) -> str:
    """The name of an entry of the allowlist, for a decision by it."""
    return f"allowlist entry {prefix}"


def name_of_rule(label: str) -> str:
    """The name of a rule of a component, for a decision by it."""
    return f"rule {label}"


def name_of_filter(expression: str) -> str:
    """The name of a filter, for a decision by it."""
    return f"filter {excerpt(expression)}"


WORD_OF_MODE = {ENABLED: MITIGATED, MONITORING: MONITORED, DISABLED: UNPROTECTED}
WITHOUT_RULE = Outcome(UNPROTECTED, "no rule")


def decide_packet(coverage: Coverage, packet: Packet, name: str) -> Decision:
    """The decision of a component on a packet."""
    component = coverage.by_kind.get(name)
    if component is None:
        return _open(f"the rules of {name} are not known")
    if component.is_switched and coverage.enabled is False:
        return decision([Outcome(UNPROTECTED, "TCP protection is off")])
    if coverage.state.get(PREFIXES.plural) is None:
        return _open("the protected prefixes are not known")
    if not is_in(coverage.protected, packet.destination):
        is_excluded = is_in(coverage.inside, packet.destination)
        why = "an excluded prefix" if is_excluded else "no protected prefix"
        return decision([Outcome(UNPROTECTED, why)])
    allowed = _allowlisted(coverage, packet, name)
    if allowed.outcomes and not allowed.reasons:
        return allowed
    doubted: list[Decision] = []
    if coverage.malformed_exclusions:
        doubt = f"the excluded prefix {coverage.malformed_exclusions[0]} is malformed"
        doubted.append(decision([Outcome(UNPROTECTED, "an excluded prefix")], [doubt]))
    if component.is_switched and coverage.enabled is None:
        doubt = UNKNOWN_STATUS[0].lower() + UNKNOWN_STATUS[1:].rstrip(".")
        doubted.append(decision([Outcome(UNPROTECTED, "TCP protection is off")], [doubt]))
    return either(allowed, *doubted, _by_component(component, packet))


def _open(reason: str) -> Decision:
    """A decision that may be any."""
    return decision([Outcome(word) for word in (*WORD_OF_MODE.values(), BYPASSED)], [reason])


def _allowlisted(coverage: Coverage, packet: Packet, component: str) -> Decision:
    """The decision of the allowlist if it may let the source pass; else one without outcomes."""
    decided_by = "the allowlist"
    prefixes = [str(entry.get("prefix")) for entry in coverage.active_sources]
    malformed = [prefix for prefix in prefixes if range_of(prefix) is None]
    doubt = ""
    if coverage.state.get(ALLOWLIST.plural) is None:
        doubt = "the allowlist is not known"
    elif not prefixes:
        return decision([])
    elif packet.source is None:
        doubt = packet.fields.not_given("ip.src")
    elif is_in(coverage.bypassing, packet.source) and component == DNS:
        doubt = "whether the allowlist holds for DNS protection is not known"
    elif is_in(coverage.bypassing, packet.source):
        decided_by = name_of_entry(_entry_with(prefixes, packet.source))
    elif malformed:
        doubt = f"the allowlist entry {excerpt(malformed[0])} is malformed"
    else:
        return decision([])
    return decision([Outcome(BYPASSED, decided_by)], [doubt] if doubt else [])


def _entry_with(prefixes: Sequence[str], address: Address) -> str:
    """The first entry of the allowlist that has an address."""
    for prefix in prefixes:
        network = range_of(prefix)
        if network and is_in([network], address):
            return prefix
    raise ValueError(f"no entry has {address}")


def _by_component(component: Component, packet: Packet) -> Decision:
    """The decision of filters and rules; a filter decides as well if it is not known to match."""
    possible: list[Decision] = []
    in_turn = sorted(component.filters, key=lambda candidate: IN_TURN.index(candidate.own_mode))
    for candidate in in_turn:
        truth = candidate.expression.evaluate(packet.fields)
        if truth is False:
            continue
        name = name_of_filter(candidate.expression.text)
        reasons: list[str] = []
        if candidate.own_mode not in WORD_OF_MODE:
            reasons.append(f"{name}: its mode or expression is not known")
        elif isinstance(truth, NotKnown):
            reasons += [f"{name}: {reason}" for reason in truth.reasons]
            if candidate.expression.lists:
                reasons.append(f"{name}: {WITHOUT_LISTS}")
        possible.append(decision(_outcomes_of(candidate.own_mode, name), reasons))
        if not reasons:
            return either(*possible)
    return either(*possible, _by_rules(component, packet))


def _by_rules(component: Component, packet: Packet) -> Decision:
    """The decision of the most specific rule: for the data center, for the region, or for all."""
    possible: list[Decision] = []
    for scope, place, key in (
        (DATA_CENTER, packet.data_center, "data_center"),
        (REGION, packet.region, "region"),
    ):
        rules = [rule for rule in component.rules if rule.scope == scope]
        if place is None and rules:
            doubt = f"there is a rule {rules[0].label}, and the {key} is not given"
            possible.append(_of_rules(rules, [doubt]))
        deciding = [rule for rule in rules if rule.place.casefold() == place]
        if deciding:
            return either(*possible, _decided_by(deciding))
    odd = [rule for rule in component.rules if rule.scope not in (GLOBAL, REGION, DATA_CENTER)]
    doubts = [f"the scope of the rule {rule.label} is not known" for rule in odd]
    possible.append(_of_rules(odd, doubts))
    everywhere = [rule for rule in component.rules if rule.everywhere]
    by_default = _decided_by(everywhere) if everywhere else decision([WITHOUT_RULE])
    return either(*possible, by_default)


def _decided_by(rules: Sequence[Rule]) -> Decision:
    """The decision of rules with one label; a service that has two of them is odd."""
    for rule in rules:
        if rule.mode not in WORD_OF_MODE:
            return _of_rules(rules, [f"the mode of the rule {rule.label} is not known"])
    return _of_rules(rules)


def _of_rules(rules: Sequence[Rule], reasons: Sequence[str] = ()) -> Decision:
    outcomes: list[Outcome] = []
    for rule in rules:
        outcomes += _outcomes_of(rule.mode, name_of_rule(rule.label))
    return decision(outcomes, reasons)


def _outcomes_of(mode: str, name: str) -> list[Outcome]:
    """The outcome of a mode; any of an unknown mode."""
    words = [WORD_OF_MODE[mode]] if mode in WORD_OF_MODE else WORD_OF_MODE.values()
    return [Outcome(word, name) for word in words]


class PacketDecisions:
    """The decisions of one state on packets."""

    def __init__(self, state: State) -> None:
        self._coverage = Coverage(state)
        self._lists = contents_in(state)
        self._firewall_rules: Sequence[ZoneRule] | None = None
        if NETWORK_FIREWALL_RULES.plural in state:
            self._firewall_rules = rules_in_order(state, NETWORK_FIREWALL_RULES)
        self._has_components = any(resource.plural in state for resource in ACCOUNT)

    def decide(self, packet: Packet, components: Sequence[str]) -> Mapping[str, Decision]:
        """The decision on a packet by component; under "" for a packet that none of them sees."""
        return {name: self._decide(packet, name) for name in components}

    def _decide(self, packet: Packet, component: str) -> Decision:
        if self._firewall_rules is None:
            return decide_packet(self._coverage, packet, component)
        seen = packet.seen_by(component)
        views = [fields._replace(lists=self._lists) for fields in seen]
        by_firewall = in_firewall(self._firewall_rules, views)
        if not component or not self._has_components:
            return by_firewall
        return _after_firewall(by_firewall, decide_packet(self._coverage, packet, component))


def in_firewall(rules: Sequence[ZoneRule], views: Sequence[Fields]) -> Decision:
    """The decision of the Network Firewall on a packet of which it may see the fields of each
    view."""
    decisions = [decide_request(rules, view, met_by) for view in views]
    joined = either(*decisions)
    if len(decisions) == 1 or len(joined.outcomes) == 1:
        return decisions[0]
    return decision(joined.outcomes, [views[0].not_given(PROTOCOL_FIELD), *joined.reasons])


def _after_firewall(by_firewall: Decision, by_component: Decision) -> Decision:
    """The decision on a packet that meets a component if the Network Firewall lets it pass."""
    ends = [outcome for outcome in by_firewall.outcomes if outcome.word not in PASSING]
    if len(ends) == len(by_firewall.outcomes):
        return by_firewall
    reasons = by_firewall.reasons if ends else ()
    ending = by_firewall._replace(outcomes=ends, reasons=reasons)
    return either(ending, by_component)
