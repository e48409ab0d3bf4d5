# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules of the Network Firewall that meet a packet or not, by the routing of the account.

With unified routing, a rule meets packets of all protocols and families. With legacy routing, one
that names ports, or networks, meets packets of their protocol, or family, alone ("Unified Routing
behavior changes"). No call says which routing an account has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Iterator, Mapping, NamedTuple, Sequence, Union

from .._expressions.evaluation import Truth, decider_of
from .._expressions.expression import Expression
from .._expressions.grammar import (
    Combination,
    Comparison,
    Negation,
    NotKnown,
    Tree,
    with_comparisons,
)
from .._expressions.operands import MISSING, Fields
from .._expressions.solve import Diagrams, Set
from .._schema.lists import ListContents
from .._values.address_set import IPV6
from .traffic_sets import AllTraffic

NAMED_PROTOCOLS = ("tcp", "udp", "icmp")
ADDRESS_FIELDS = ("ip.src", "ip.dst")
ALL_OF_FAMILY = {4: "0.0.0.0/0", 6: "::/0"}
LEGACY, UNIFIED = "legacy", "unified"  # kinds of routing
DEPENDS = "whether it meets the packet depends on the routing of the account, unified or legacy"


def met_in_each_routing(expression: Expression, fields: Fields) -> Truth:
    """Return whether a packet with these fields matches an expression; NotKnown if that depends on
    the kind of routing (unified or legacy)."""
    truth = expression.evaluate(fields)
    if truth is not True:
        return truth
    in_doubt = decider_of(_with_doubts(expression.tree, fields))(fields)
    return in_doubt if isinstance(in_doubt, NotKnown) else truth


def _with_doubts(tree: Tree, fields: Fields) -> Tree:
    """The expression, in which comparisons about another protocol or address family than the
    packet's are not known."""

    def with_doubt(comparison: Comparison) -> Tree:
        condition = "" if comparison.problem else _condition_of(comparison, fields)
        if not condition:
            return comparison
        return comparison._replace(problem=f"{DEPENDS}; write {condition} and ...")

    return with_comparisons(tree, with_doubt)


def _condition_of(comparison: Comparison, fields: Fields) -> str:
    """The condition that a comparison needs in order to ignore this packet, since it is about
    another protocol or family; empty if the comparison is about the packet."""
    for name in comparison.names:
        if fields.values.get(name) is MISSING:
            protocol = name.partition(".")[0]
            return f'ip.proto eq "{protocol}"'
    if comparison.field not in ADDRESS_FIELDS or comparison.field not in fields.values:
        return ""
    families = {*_families_compared(comparison, fields.lists)}
    if len(families) != 1 or fields.values[comparison.field].version in families:
        return ""
    (family,) = families
    return f"{comparison.field} in {{{ALL_OF_FAMILY[family]}}}"


def _families_compared(comparison: Comparison, lists: ListContents) -> Iterator[int]:
    """The families (4 or 6) of the networks to which a comparison compares an address."""
    for token in comparison.operands:
        if token.text.startswith("$"):
            contents = lists.get(token.text[1:])
            for first, _last in contents.ranges if contents else ():
                yield 6 if first >= IPV6 else 4
        else:
            yield 6 if ":" in token.text else 4


def _protocols_of(comparison: Comparison) -> Iterator[str]:
    """The protocols whose fields a comparison uses."""
    for name in comparison.names:
        protocol, dot, _field = name.partition(".")
        if dot and protocol in NAMED_PROTOCOLS:
            yield protocol


class Certainty(NamedTuple):
    """The packets that match in both kinds of routing (`sure`), and those that match in at least
    one (`possible`)."""

    sure: Set
    possible: Set


PacketKind = Union[str, int]  # a protocol, or a family of addresses


@dataclass(frozen=True)
class ByRouting:
    """The variable for packets that match an expression in one kind of routing alone, because it
    negates comparisons about other protocols or families: those in `kinds`. Variables with equal
    kinds are equal, since an account has one routing; `text` is one of the expressions."""

    kinds: frozenset[PacketKind]
    text: str = field(compare=False)

    def __str__(self) -> str:
        """The condition in words for users."""
        return f"the expression {self.text}, which depends on the routing (unified or legacy)"


class AllPackets(AllTraffic):
    """All packets that can exist. If a packet matches an expression in one kind of routing alone, a
    variable decides whether it matches; `routing_variables` are all of these."""

    def __init__(self, diagrams: Diagrams, lists: ListContents) -> None:
        super().__init__(diagrams, lists)
        self.routing_variables: set[Set] = set()

    def matching(self, expression: Expression) -> Set:
        """The packets that match an expression."""
        if expression in self._matching:
            return self._matching[expression]
        met = super().matching(expression)
        if expression.problem or any(leaf.problem for leaf in expression.comparisons):
            return met
        kinds = frozenset(self._negated_kinds(expression.tree))
        if kinds:
            sure = self.intersection(met, self._certainty(expression.tree).sure)
            open_packets = self.without(met, sure)
            by_routing = self.variable(ByRouting(kinds, expression.text))
            self.routing_variables.add(by_routing)
            in_doubt = self.intersection(open_packets, by_routing)
            met = self._matching[expression] = self.union((sure, in_doubt))
        return met

    def _negated_kinds(self, tree: Tree, is_negated: bool = False) -> Iterator[PacketKind]:
        """The protocols and families of negated comparisons, which packets of other kinds may
        match."""
        if isinstance(tree, Negation):
            yield from self._negated_kinds(tree.part, not is_negated)
        elif isinstance(tree, Combination):
            for part in tree.parts:
                yield from self._negated_kinds(part, is_negated)
                if tree.operator == "xor":
                    yield from self._negated_kinds(part, not is_negated)
        elif isinstance(tree, Comparison) and is_negated is not (tree.operator == "ne"):
            yield from _protocols_of(tree)
            yield from self._only_family(tree)

    def _only_family(self, comparison: Comparison) -> Sequence[int]:
        """The family of the networks to which a comparison compares an address; empty if there are
        two families, or the field is not an address."""
        families = {*_families_compared(comparison, self._lists)}
        return [*families] if comparison.field in ADDRESS_FIELDS and len(families) == 1 else []

    def _certainty(self, tree: Tree) -> Certainty:
        if isinstance(tree, Negation):
            negated = self._certainty(tree.part)
            return Certainty(
                self.without(Diagrams.everything, negated.possible),
                self.without(Diagrams.everything, negated.sure),
            )
        if not isinstance(tree, Combination):
            met = self.diagrams.of(tree, self._lists)
            if not isinstance(tree, Comparison):
                return Certainty(met, met)
            foreign = self._foreign(tree)
            # Packets without a field meet no comparison of it but `ne`.
            met_surely = self.without(met, foreign) if tree.operator == "ne" else met
            return Certainty(met_surely, self.union((met, foreign)))
        parts = [self._certainty(part) for part in tree.parts]
        if tree.operator == "xor":
            return self._odd(parts)
        sure, possible = zip(*parts)
        combined = self.diagrams.combined
        return Certainty(combined(tree.operator, sure), combined(tree.operator, possible))

    def _odd(self, parts: Sequence[Certainty]) -> Certainty:
        """The packets that match an odd number of the parts."""
        former = parts[0]
        for latter in parts[1:]:
            sure = self.union(
                (
                    self.without(former.sure, latter.possible),
                    self.without(latter.sure, former.possible),
                )
            )
            possible = self.union(
                (
                    self.without(former.possible, latter.sure),
                    self.without(latter.possible, former.sure),
                )
            )
            former = Certainty(sure, possible)
        return former

    def _foreign(self, comparison: Comparison) -> Set:
        """The packets whose protocol or family a comparison is not about."""
        foreign: list[Set] = []
        for protocol in _protocols_of(comparison):
            foreign.append(self.diagrams.matching(Expression.of(f"not {protocol}")))
        for family in self._only_family(comparison):
            network = ALL_OF_FAMILY[family]
            other_family = Expression.of(f"not {comparison.field} in {{{network}}}")
            foreign.append(self.diagrams.matching(other_family))
        return self.union(foreign)


def traffic_by_routing(sets: Iterable[AllTraffic]) -> Mapping[str, Set]:
    """The traffic that exists in each kind of routing, by the name of the kind; all traffic under
    an empty name if no rule depends on the routing."""
    variables: set[Set] = set()
    for packets in sets:
        if isinstance(packets, AllPackets):
            variables |= packets.routing_variables
            combined, without = packets.diagrams.combined, packets.diagrams.without
    if not variables:
        return {"": Diagrams.everything}
    return {
        LEGACY: without(Diagrams.everything, combined("or", variables)),
        UNIFIED: combined("and", variables),
    }
