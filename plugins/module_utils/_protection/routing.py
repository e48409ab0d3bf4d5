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

from typing import Iterator

from .._expressions.evaluation import Truth, decider_of
from .._expressions.expression import Expression
from .._expressions.fields import fields_in_expression
from .._expressions.grammar import Comparison, NotKnown, Tree, with_comparisons
from .._expressions.operands import MISSING, Fields
from .._values.address_set import IPV6

ADDRESSES = ("ip.src", "ip.dst")
ALL_OF_FAMILY = {4: "0.0.0.0/0", 6: "::/0"}
DEPENDS = "whether it meets the packet depends on the routing of the account, unified or legacy"


def met_by(expression: Expression, fields: Fields) -> Truth:
    """Return whether a packet with these fields matches an expression in both kinds of routing."""
    truth = expression.evaluate(fields)
    if truth is not True:
        return truth
    in_doubt = decider_of(_with_doubts(expression.tree, fields))(fields)
    return in_doubt if isinstance(in_doubt, NotKnown) else truth


def _with_doubts(tree: Tree, fields: Fields) -> Tree:
    """An expression whose comparisons of another protocol or family are not known."""

    def with_doubt(comparison: Comparison) -> Tree:
        condition = "" if comparison.problem else _condition_of(comparison, fields)
        if not condition:
            return comparison
        return comparison._replace(problem=f"{DEPENDS}; write {condition} and ...")

    return with_comparisons(tree, with_doubt)


def _condition_of(comparison: Comparison, fields: Fields) -> str:
    """The condition under which a comparison is about a packet; empty if it is about this one."""
    for name in fields_in_expression(comparison.field):
        if fields.values.get(name) is MISSING:
            protocol = name.partition(".")[0]
            return f'ip.proto eq "{protocol}"'
    if comparison.field not in ADDRESSES or comparison.field not in fields.values:
        return ""
    families = {*_families_of(comparison, fields)}
    if len(families) != 1 or fields.values[comparison.field].version in families:
        return ""
    (family,) = families
    return f"{comparison.field} in {{{ALL_OF_FAMILY[family]}}}"


def _families_of(comparison: Comparison, fields: Fields) -> Iterator[int]:
    """The families of the networks to which an address is compared."""
    for token in comparison.operands:
        if token.text.startswith("$"):
            contents = fields.lists.get(token.text[1:])
            for first, _last in contents.ranges if contents else ():
                yield 6 if first >= IPV6 else 4
        else:
            yield 6 if ":" in token.text else 4
