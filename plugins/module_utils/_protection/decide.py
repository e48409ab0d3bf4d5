# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Outcomes of requests under the rules of a zone, and of packets in the Network Firewall and in the
components, in the order in which Cloudflare evaluates the rules.

The vendor describes the actions in "Rules language: actions": a block and a challenge end the
evaluation, a skip does if it skips the remaining rules, and after a log it goes on.
"""

from __future__ import annotations

from itertools import chain
from typing import Iterable, Mapping, NamedTuple, Sequence

from .._expressions.batch import Batch
from .._expressions.evaluation import is_in
from .._expressions.fields import WITHOUT_LISTS
from .._expressions.grammar import NotKnown
from .._expressions.operands import Fields
from .._schema.account import ACCOUNT, ALLOWLIST, DISABLED, ENABLED, MONITORING, PREFIXES
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import ENFORCING, Resource, State
from .._text import did_you_mean, excerpt, first_few
from .._values.address_set import Contents, range_of
from .coverage import UNKNOWN_STATUS, Coverage
from .expectation import (
    ALLOWED,
    BLOCKED,
    BYPASSED,
    CHALLENGED,
    FULFILLING,
    LOGGED,
    MITIGATED,
    MONITORED,
    PASSING,
    SKIPPED,
    UNPROTECTED,
)
from .modes import DATA_CENTER, GLOBAL, IN_TURN, REGION, UNDECIDED, Component, Rule
from .request import DNS, PROTOCOL_FIELD, Packet
from .rules_in_force import REST_OF_THE_LIST, ZoneRule, contents_in, rules_in_force

LOG, UNKNOWN_END = "log", "unknown"


class Outcome(NamedTuple):
    """An outcome, and the rule or whatever else decides it; None if nothing does."""

    word: str
    by: str | None = None


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
        fulfilled = {
            outcome.word in words and rule in (None, outcome.by) for outcome in self.outcomes
        }
        return fulfilled.pop() if len(fulfilled) == 1 else None


def decision(
    outcomes: Iterable[Outcome], reasons: Iterable[str] = (), skips: Iterable[str] = ()
) -> Decision:
    """A decision with each outcome and each reason once."""
    return Decision(
        list(dict.fromkeys(outcomes)), list(dict.fromkeys(reasons)), list(dict.fromkeys(skips))
    )


def either(*decisions: Decision) -> Decision:
    """A decision that may be any of some."""
    outcomes = chain(*(one.outcomes for one in decisions))
    reasons = chain(*(one.reasons for one in decisions))
    return decision(outcomes, reasons, chain(*(one.skips for one in decisions)))


def rules_in_order(state: State, resource: Resource = CUSTOM_RULES) -> list[ZoneRule]:
    """The active rules of a ruleset in their order."""
    return [rule for rule in rules_in_force(state, resource) if rule.active]


def never_decides(state: State, resource: Resource, name: str) -> str:
    """The reason why a rule of a ruleset decides on nothing at all; empty if it may decide."""
    active = rules_in_order(state, resource)
    own = [rule for rule in active if rule.entry == name]
    if own:
        is_idle = not any(outcome_of(rule) or rule.action == LOG for rule in own)
        return f"the rule {name} neither ends the evaluation nor logs" if is_idle else ""
    if any(resource.label_of(obj) == name for obj in state.get(resource.plural) or ()):
        return f"the rule {name} is disabled"
    return f"there is no rule {name}{did_you_mean(name, [rule.entry for rule in active])}"


def outcome_of(rule: ZoneRule) -> str:
    """The outcome of a request that a rule matches; empty if the evaluation goes on, and `unknown`
    for an action, or a parameter of a skip, that is not known."""
    if rule.action in ENFORCING:
        return BLOCKED if rule.action == "block" else CHALLENGED
    if REST_OF_THE_LIST in rule.skips and rule.action == "skip":
        return SKIPPED
    return UNKNOWN_END if rule.unknown else ""


def _effect(rule: ZoneRule, truth: object) -> Decision:
    """The outcome of a request that meets a rule, none if the evaluation goes on, with what is not
    known, and what the request skips."""
    doubts = truth.reasons if isinstance(truth, NotKnown) else ()
    reasons, end = [f"rule {rule.entry}: {doubt}" for doubt in doubts], outcome_of(rule)
    if end == UNKNOWN_END:
        reasons.append(f"rule {rule.entry}: {first_few(rule.unknown)} is not known")
    perhaps = "perhaps " if isinstance(truth, NotKnown) else ""
    skips = [f"perhaps {item}" for item in rule.unknown if rule.action == "skip"]
    skips += [f"{perhaps}{item}" for item in sorted(rule.skips - {REST_OF_THE_LIST})]
    return Decision([Outcome(end, rule.entry)] if end else [], reasons, skips)


def decide_requests(rules: Sequence[ZoneRule], batch: Batch) -> list[Decision]:
    """A decision on each of the requests of a batch; most rules match none of them."""
    possible = [batch.matching(rule.expression)[1] for rule in rules]
    return [
        decide_request([rule for rule, some in zip(rules, possible) if some >> index & 1], fields)
        for index, fields in enumerate(batch.requests)
    ]


def decide_request(rules: Sequence[ZoneRule], fields: Fields) -> Decision:
    """A decision on a request; a rule of which it is not known whether it matches may decide."""
    effects: list[Decision] = []
    logged_by: list[str | None] = [None]  # by none, unless one logs for sure
    for rule in rules:
        truth = rule.expression.evaluate(fields)
        if truth is True and rule.conditions:
            truth = NotKnown((f"its field {rule.conditions[0]} is not understood",))
        if truth is False:
            continue
        effect, is_certain = _effect(rule, truth), truth is True
        effects.append(effect)
        if is_certain and effect.outcomes and not effect.reasons:
            break
        if not effect.outcomes and rule.action == LOG and None in logged_by:
            logged_by.append(rule.entry)
            if is_certain:
                logged_by.remove(None)
    else:
        passing = [Outcome(LOGGED if name else ALLOWED, name) for name in logged_by]
        effects.append(decision(passing))
    every = either(*effects)
    return every._replace(reasons=[]) if len(every.outcomes) == 1 else every


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
    by, entries = "the allowlist", coverage.active_sources
    prefixes = {str(item.get("prefix")): range_of(item.get("prefix")) for item in entries}
    malformed = [prefix for prefix, network in prefixes.items() if network is None]
    doubt = ""
    if coverage.state.get(ALLOWLIST.plural) is None:
        doubt = "the allowlist is not known"
    elif not entries:
        return decision([])
    elif packet.source is None:
        doubt = packet.fields.not_given("ip.src")
    elif is_in(coverage.bypassing, packet.source) and component == DNS:
        doubt = "whether the allowlist holds for DNS protection is not known"
    elif is_in(coverage.bypassing, packet.source):
        around = (text for text, one in prefixes.items() if one and is_in([one], packet.source))
        by = f"allowlist entry {next(around)}"
    elif malformed:
        doubt = f"the allowlist entry {excerpt(malformed[0])} is malformed"
    else:
        return decision([])
    return decision([Outcome(BYPASSED, by)], [doubt] if doubt else [])


def _by_component(component: Component, packet: Packet) -> Decision:
    """The decision of filters and rules; a filter decides as well if it is not known to match."""
    parts: list[Decision] = []
    for item in sorted(component.filters, key=lambda one: IN_TURN.index(one.own_mode)):
        truth = item.expression.evaluate(packet.fields)
        if truth is False:
            continue
        name, reasons = f"filter {excerpt(item.expression.text)}", []
        if item.own_mode not in WORD_OF_MODE:
            reasons = [f"{name}: its mode or expression is not known"]
        elif isinstance(truth, NotKnown):
            more = [WITHOUT_LISTS] if item.expression.lists else []
            reasons = [f"{name}: {reason}" for reason in [*truth.reasons, *more]]
        parts.append(decision(_outcomes_of(item.own_mode, name), reasons))
        if not reasons:
            return either(*parts)
    return either(*parts, _by_rules(component, packet))


def _by_rules(component: Component, packet: Packet) -> Decision:
    """The decision of the most specific rule: for the data center, for the region, or for all."""
    parts: list[Decision] = []
    for scope, place, key in (
        (DATA_CENTER, packet.data_center, "data_center"),
        (REGION, packet.region, "region"),
    ):
        rules = [rule for rule in component.rules if rule.scope == scope]
        if place is None and rules:
            doubt = f"there is a rule {rules[0].label}, and the {key} is not given"
            parts.append(_of_rules(rules, [doubt]))
        deciding = [rule for rule in rules if rule.place.casefold() == place]
        if deciding:
            return either(*parts, _decided_by(deciding))
    odd = [rule for rule in component.rules if rule.scope not in (GLOBAL, REGION, DATA_CENTER)]
    parts.append(_of_rules(odd, [f"the scope of the rule {one.label} is not known" for one in odd]))
    everywhere = [rule for rule in component.rules if rule.everywhere]
    return either(*parts, _decided_by(everywhere) if everywhere else decision([WITHOUT_RULE]))


def _decided_by(rules: Sequence[Rule]) -> Decision:
    """The decision of rules with one label; a service that has two of them is odd."""
    odd = [rule for rule in rules if rule.mode not in WORD_OF_MODE]
    return _of_rules(rules, [f"the mode of the rule {one.label} is not known" for one in odd[:1]])


def _of_rules(rules: Sequence[Rule], reasons: Sequence[str]) -> Decision:
    every = [_outcomes_of(rule.mode, f"rule {rule.label}") for rule in rules]
    return decision(chain(*every), reasons)


def _outcomes_of(mode: str, by: str) -> list[Outcome]:
    """The outcome of a mode; any of an unknown mode."""
    words = [WORD_OF_MODE[mode]] if mode in WORD_OF_MODE else WORD_OF_MODE.values()
    return [Outcome(word, by) for word in words]


class PacketDecisions:
    """The decisions of one state on packets."""

    def __init__(self, state: State) -> None:
        self._coverage = Coverage(state)
        self._lists = contents_in(state)
        has_firewall = NETWORK_FIREWALL_RULES.plural in state
        self._rules = rules_in_order(state, NETWORK_FIREWALL_RULES) if has_firewall else None
        self._has_components = any(resource.plural in state for resource in ACCOUNT)

    def decide(self, packet: Packet, components: Sequence[str]) -> Mapping[str, Decision]:
        """The decision on a packet by component; under "" for a packet that none of them sees."""
        return {name: self._decide(packet, name) for name in components}

    def _decide(self, packet: Packet, component: str) -> Decision:
        if self._rules is None:
            return decide_packet(self._coverage, packet, component)
        first = _in_firewall(self._rules, packet.seen_by(component), self._lists)
        if not component or not self._has_components:
            return first
        return _after_firewall(first, decide_packet(self._coverage, packet, component))


def _in_firewall(
    rules: Sequence[ZoneRule], seen: Sequence[Fields], lists: Mapping[str, Contents]
) -> Decision:
    """The decision of the Network Firewall on a packet of which it may see these fields."""
    decided = [decide_request(rules, fields._replace(lists=lists)) for fields in seen]
    outcomes = [outcome for one in decided for outcome in one.outcomes]
    if len(decided) == 1 or len(set(outcomes)) == 1:
        return decided[0]
    reasons = [reason for one in decided for reason in one.reasons]
    return decision(outcomes, [seen[0].not_given(PROTOCOL_FIELD), *reasons])


def _after_firewall(first: Decision, component: Decision) -> Decision:
    """The decision on a packet that meets a component if the Network Firewall lets it pass."""
    ends = [outcome for outcome in first.outcomes if outcome.word not in PASSING]
    if len(ends) == len(first.outcomes):
        return first
    ending = first._replace(outcomes=ends, reasons=first.reasons if ends else ())
    return either(ending, component)
