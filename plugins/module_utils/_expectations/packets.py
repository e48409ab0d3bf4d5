# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What becomes of packets in a state: the Network Firewall first, if the state has it, and then the
components, if it has those.

A module that manages the Network Firewall does not know the components, and account_protection does
not know the Network Firewall; whoever asks once may know both.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from .._coverage.coverage import Coverage
from .._expressions.operands import Fields
from .._schema.account import ACCOUNT
from .._schema.lists import contents_in
from .._schema.network_firewall import NETWORK_FIREWALL_RULES
from .._schema.resource import State
from .._values.address_set import Ranges
from .components import decide_packet
from .outcome import PASSING, Decision, decision
from .packet import Packet
from .rules import Rule, decide_request, rules_in_order

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
    rules: Sequence[Rule], seen: Sequence[Fields], lists: Mapping[str, Ranges]
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
