# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Outcomes of packets in the components, and in the Network Firewall before them, in the order in
which Cloudflare evaluates rules.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from .._expressions.grammar import NotKnown
from .._expressions.networks_and_ports import WITHOUT_LISTS
from .._schema.account import ACCOUNT, ALLOWLIST, DISABLED, ENABLED, MONITORING, PREFIXES
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import State
from .._text import excerpt
from .._values.address_set import Address, is_in, range_of
from .coverage import UNKNOWN_STATUS, Coverage
from .decide import Decision, decision, either, in_firewall, rules_in_order
from .expectation import BYPASSED, MITIGATED, MONITORED, PASSING, UNPROTECTED
from .modes import DATA_CENTER, GLOBAL, IN_TURN, REGION, Component, Rule
from .outcomes import Outcome
from .request import DNS, Packet
from .rules_in_force import contents_in
from .zone_rule import ZoneRule


def name_of_entry(prefix: str) -> str:
    """The name that a decision uses for an entry of the allowlist."""
    return f"allowlist entry {prefix}"


def name_of_rule(label: str) -> str:
    """The name that a decision uses for a rule of a component."""
    return f"rule {label}"


def name_of_filter(expression: str) -> str:
    """The name that a decision uses for a filter."""
    return f"filter {excerpt(expression)}"


WORD_OF_MODE = {ENABLED: MITIGATED, MONITORING: MONITORED, DISABLED: UNPROTECTED}
WITHOUT_RULE = Outcome(UNPROTECTED, "no rule")


def decide_packet(coverage: Coverage, packet: Packet, name: str) -> Decision:
    """The decision on a packet by the component with this name."""
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
    """A decision in which every outcome is possible, for this reason."""
    return decision([Outcome(word) for word in (*WORD_OF_MODE.values(), BYPASSED)], [reason])


def _allowlisted(coverage: Coverage, packet: Packet, component: str) -> Decision:
    """The decision that the allowlist lets the source pass, or may let it pass; a decision without
    outcomes if it does not."""
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
    """The first of these prefixes of the allowlist that contains an address; raises ValueError if
    there is none."""
    for prefix in prefixes:
        network = range_of(prefix)
        if network and is_in([network], address):
            return prefix
    raise ValueError(f"no entry has {address}")


def _by_component(component: Component, packet: Packet) -> Decision:
    """The decision on a packet by a component's filters and rules. If it is not known whether a
    filter matches, its decision is one of the possible ones."""
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
    """The decision on a packet by the most specific rule: that of its data center, else of its
    region, else the global one."""
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
    """The decision of the rules for one place. Usually there is one rule; if the mode of a rule is
    not known, every rule may decide."""
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
    """The outcome of a mode; every outcome if the mode is not known. `name` is the object that
    decides."""
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
        """The decision on a packet for each of these components; the name "" stands for a packet
        that no component sees."""
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


def _after_firewall(by_firewall: Decision, by_component: Decision) -> Decision:
    """The decision on a packet that first meets the Network Firewall and, if that lets it pass, a
    component."""
    ends = [outcome for outcome in by_firewall.outcomes if outcome.word not in PASSING]
    if len(ends) == len(by_firewall.outcomes):
        return by_firewall
    reasons = by_firewall.reasons if ends else ()
    ending = by_firewall._replace(outcomes=ends, reasons=reasons)
    return either(ending, by_component)
