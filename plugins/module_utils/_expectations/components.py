# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the components of an account do with a packet: status, prefixes, allowlist, then filters and
rules.

A component mitigates a packet if it is enabled for it; whether it then drops the packet depends on
the traffic. The vendor describes the order in "Advanced TCP Protection: concepts".
"""

from __future__ import annotations

from typing import Mapping, Sequence

from .._coverage.coverage import UNKNOWN_STATUS, Coverage, has_flag
from .._coverage.modes import Component, Rule
from .._expressions.comparisons import WITHOUT_LISTS
from .._expressions.evaluation import decider, is_in
from .._expressions.lists import lists_in
from .._expressions.truth import NotKnown
from .._schema.account import ALLOWLIST, DISABLED, ENABLED, MODES, MONITORING, PREFIXES
from .._text import excerpt
from .._values.address_set import range_of
from .outcome import BYPASSED, MITIGATED, MONITORED, UNPROTECTED, Decision, Outcome, decision
from .packet import DNS, Packet

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
