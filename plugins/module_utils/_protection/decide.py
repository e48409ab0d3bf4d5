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

from typing import Mapping, NamedTuple, Sequence

from .._expressions.comparisons import WITHOUT_LISTS
from .._expressions.evaluation import Batch, NotKnown, decider, is_in
from .._expressions.grammar import lists_in
from .._expressions.operands import Fields
from .._schema.account import ACCOUNT, ALLOWLIST, DISABLED, ENABLED, MODES, MONITORING, PREFIXES
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.registry import ENFORCING, EVALUATION, REST_OF_THE_LIST, ZoneRule, contents_in
from .._schema.resource import Object, Resource, State
from .._schema.zone import CUSTOM_RULES
from .._text import did_you_mean, excerpt
from .._values.address_set import Ranges, range_of
from .coverage import UNKNOWN_STATUS, Coverage, has_flag
from .expectation import (
    ALLOWED,
    BLOCKED,
    BYPASSED,
    CHALLENGED,
    LOGGED,
    MITIGATED,
    MONITORED,
    PASSING,
    SKIPPED,
    UNPROTECTED,
    Decision,
    Outcome,
    decision,
)
from .modes import Component, Rule
from .packet import DNS, Packet

UNKNOWN_END = "unknown"
# What a rule has that makes no difference to what it matches; others, such as
# exposed_credential_check, do.
UNDERSTOOD = frozenset(
    [*(field.name for field in CUSTOM_RULES.fields), *CUSTOM_RULES.read_only, "id", "categories"]
)


class DecidingRule(NamedTuple):
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


def rules_in_order(state: State, resource: Resource = CUSTOM_RULES) -> list[DecidingRule]:
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


def _rule(rule: ZoneRule, obj: Object) -> DecidingRule:
    conditions = sorted(name for name in obj if name not in UNDERSTOOD and obj[name])
    skips = sorted(rule.skips - {REST_OF_THE_LIST}) if rule.action == "skip" else []
    logs, action = rule.action == "log", rule.action
    return DecidingRule(rule.entry, rule.expression, _end(rule), logs, skips, action, conditions)


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

    def meet(self, rule: DecidingRule, fields: Fields) -> bool:
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
    rules: Sequence[DecidingRule], requests: Sequence[Fields], batch: Batch
) -> list[Decision]:
    """What becomes of each of the requests of a batch; most rules match none of them."""
    possible = [batch.possible(rule.expression) for rule in rules]
    return [
        decide_request([rule for rule, some in zip(rules, possible) if some >> index & 1], fields)
        for index, fields in enumerate(requests)
    ]


def decide_request(rules: Sequence[DecidingRule], fields: Fields) -> Decision:
    """What becomes of a request; a rule of which it is not known whether it matches may decide."""
    evaluation = _Evaluation()
    if not any(evaluation.meet(rule, fields) for rule in rules):
        evaluation.pass_all()
    if len(set(evaluation.outcomes)) == 1:
        evaluation.reasons.clear()
    return decision(evaluation.outcomes, evaluation.reasons, evaluation.skips)


WORDS = {ENABLED: MITIGATED, MONITORING: MONITORED, DISABLED: UNPROTECTED}
NO_RULE = Outcome(UNPROTECTED, "no rule")


def decide_packet(
    coverage: Coverage, packet: Packet, components: Sequence[str]
) -> dict[str, Decision]:
    """What each of these components does with a packet."""
    known = {item.kind: item for item in coverage.components}
    return {name: _decide(coverage, packet, name, known) for name in components}


def _decide(
    coverage: Coverage, packet: Packet, name: str, known: Mapping[str, Component]
) -> Decision:
    component = known.get(name)
    if component is None:
        return _open([], f"the rules of {name} are not known")
    if component.is_switched and coverage.enabled is False:
        return decision([Outcome(UNPROTECTED, "TCP protection is off")])
    if coverage.state.get(PREFIXES.plural) is None:
        return _open([], "the protected prefixes are not known")
    if not is_in(coverage.protected, packet.destination):
        return decision([Outcome(UNPROTECTED, _outside(coverage, packet))])
    passing, doubts = _allowlisted(coverage, packet, name)
    if passing and not doubts:
        return decision(passing)
    if coverage.malformed_exclusions:
        doubts.append(f"the excluded prefix {coverage.malformed_exclusions[0]} is malformed")
        passing.append(Outcome(UNPROTECTED, "an excluded prefix"))
    if component.is_switched and coverage.enabled is None:
        doubts.append(UNKNOWN_STATUS[0].lower() + UNKNOWN_STATUS[1:].rstrip("."))
        passing.append(Outcome(UNPROTECTED, "TCP protection is off"))
    inner = _by_component(component, packet)
    return decision([*passing, *inner.outcomes], [*doubts, *inner.reasons])


def _open(outcomes: Sequence[Outcome], reason: str) -> Decision:
    """A decision that may be any."""
    every = [Outcome(word) for word in (*WORDS.values(), BYPASSED)]
    return decision([*outcomes, *every], [reason])


def _outside(coverage: Coverage, packet: Packet) -> str:
    """Why a destination is not protected."""
    if is_in(coverage.inside, packet.destination):
        return "an excluded prefix"
    return "no protected prefix"


def _allowlisted(
    coverage: Coverage, packet: Packet, component: str
) -> tuple[list[Outcome], list[str]]:
    """The outcome of the allowlist if it may let the source pass, and why that is not known."""
    if coverage.state.get(ALLOWLIST.plural) is None:
        return [Outcome(BYPASSED, "the allowlist")], ["the allowlist is not known"]
    entries = [entry for entry in coverage.state[ALLOWLIST.plural] if has_flag(entry, "enabled")]
    if not entries:
        return [], []
    bypassed = [Outcome(BYPASSED, "the allowlist")]
    if packet.source is None:
        return bypassed, ["the field ip.src is not given"]
    if is_in(coverage.bypassing, packet.source):
        if component == DNS:
            return bypassed, ["whether the allowlist holds for DNS protection is not known"]
        return [Outcome(BYPASSED, f"allowlist entry {_entry_of(coverage, packet)}")], []
    malformed = [entry for entry in entries if range_of(entry.get("prefix")) is None]
    if malformed:
        return bypassed, [
            f"the allowlist entry {excerpt(str(malformed[0].get('prefix')))} is malformed"
        ]
    return [], []


def _entry_of(coverage: Coverage, packet: Packet) -> str:
    """The first entry of the allowlist that has the source."""
    for entry in coverage.state[ALLOWLIST.plural]:
        network = range_of(entry.get("prefix")) if has_flag(entry, "enabled") else None
        if network and packet.source is not None and is_in([network], packet.source):
            return str(entry.get("prefix"))
    return ""


def _by_component(component: Component, packet: Packet) -> Decision:
    """What filters and rules decide; a filter of which it is not known whether it matches may."""
    outcomes: list[Outcome] = []
    reasons: list[str] = []
    modes = [mode for mode in MODES for item in component.filters if item.own_mode == mode]
    others = [item.own_mode for item in component.filters if item.own_mode not in MODES]
    for mode in dict.fromkeys([*others, *modes]):
        for item in (one for one in component.filters if one.own_mode == mode):
            truth = decider(item.expression)(packet.fields)
            if truth is False:
                continue
            name = f"filter {excerpt(item.expression)}"
            if mode not in WORDS:
                reasons.append(f"{name}: its mode or expression is not known")
                outcomes += [Outcome(word, name) for word in WORDS.values()]
                continue
            outcomes.append(Outcome(WORDS[mode], name))
            if not isinstance(truth, NotKnown):
                return decision(outcomes, reasons)
            more = [WITHOUT_LISTS] if lists_in(item.expression) else []
            reasons += [f"{name}: {reason}" for reason in [*truth.reasons, *more]]
    ruled = _by_rules(component, packet)
    return decision([*outcomes, *ruled.outcomes], [*reasons, *ruled.reasons])


def _by_rules(component: Component, packet: Packet) -> Decision:
    """What the most specific rule decides: that of the data center, of the region, or of all."""
    outcomes: list[Outcome] = []
    reasons: list[str] = []
    for scope, place, what in (
        ("datacenter", packet.data_center, "data_center"),
        ("region", packet.region, "region"),
    ):
        rules = [rule for rule in component.rules if rule.label.partition(" ")[0] == scope]
        if place is None and rules:
            reasons.append(f"there is a rule {rules[0].label}, and the {what} is not given")
            outcomes += [item for rule in rules for item in _of_rule(rule)]
        deciding = [rule for rule in rules if _place_of(rule) == place]
        if deciding:
            return _decided_by(deciding, outcomes, reasons)
    everywhere = [rule for rule in component.rules if rule.everywhere]
    odd = [rule for rule in component.rules if not rule.everywhere and _scope_is_odd(rule)]
    reasons += [f"the scope of the rule {rule.label} is not known" for rule in odd]
    outcomes += [item for rule in odd for item in _of_rule(rule)]
    if not everywhere:
        return decision([*outcomes, NO_RULE], reasons)
    return _decided_by(everywhere, outcomes, reasons)


def _decided_by(
    rules: Sequence[Rule], outcomes: Sequence[Outcome], reasons: Sequence[str]
) -> Decision:
    """The decision of rules with one label; a service that has two of them is odd."""
    decided = [item for rule in rules for item in _of_rule(rule)]
    odd = [rule for rule in rules if rule.mode not in WORDS]
    more = [f"the mode of the rule {odd[0].label} is not known"] if odd else []
    return decision([*outcomes, *decided], [*reasons, *more])


def _place_of(rule: Rule) -> str:
    return rule.label.partition(" ")[2].casefold()


def _scope_is_odd(rule: Rule) -> bool:
    return rule.label.partition(" ")[0] not in ("datacenter", "region")


def _of_rule(rule: Rule) -> list[Outcome]:
    words = [WORDS[rule.mode]] if rule.mode in WORDS else list(WORDS.values())
    return [Outcome(word, f"rule {rule.label}") for word in words]


PROTOCOL_NOT_GIVEN = "the field ip.proto is not given"


class Packets:
    """The decisions of one state on packets."""

    def __init__(self, state: State) -> None:
        self._coverage = Coverage(state)
        self._lists = contents_in(state)
        has_firewall = NETWORK_FIREWALL_RULES.plural in state
        self._rules = rules_in_order(state, NETWORK_FIREWALL_RULES) if has_firewall else None
        self._has_components = any(resource.plural in state for resource in ACCOUNT)

    def decide(self, packet: Packet, components: Sequence[str]) -> Mapping[str, Decision]:
        """The decision on a packet by component; under "" for a packet that none of them sees."""
        if self._rules is None:
            return decide_packet(self._coverage, packet, components)
        first = {
            name: _in_firewall(self._rules, packet.seen_by(name), self._lists)
            for name in components
        }
        if not self._has_components:
            return first
        then = decide_packet(self._coverage, packet, [name for name in components if name])
        return {name: _after(one, then[name]) if name else one for name, one in first.items()}


def _in_firewall(
    rules: Sequence[DecidingRule], seen: Sequence[Fields], lists: Mapping[str, Ranges]
) -> Decision:
    """What the Network Firewall does with a packet of which this may be what it sees."""
    decided = [decide_request(rules, fields._replace(lists=lists)) for fields in seen]
    outcomes = [outcome for one in decided for outcome in one.outcomes]
    if len(decided) == 1 or len(set(outcomes)) == 1:
        return decided[0]
    reasons = [reason for one in decided for reason in one.reasons]
    return decision(outcomes, [PROTOCOL_NOT_GIVEN, *reasons])


def _after(first: Decision, component: Decision) -> Decision:
    """What becomes of a packet that meets a component if the Network Firewall lets it pass."""
    ends = [outcome for outcome in first.outcomes if outcome.word not in PASSING]
    if len(ends) == len(first.outcomes):
        return first
    outcomes = [*ends, *component.outcomes]
    reasons = [*(first.reasons if ends else ()), *component.reasons]
    return decision(outcomes, reasons, first.skips)
