# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks that rate limits or managed rules stop fewer requests."""

from __future__ import annotations

from itertools import chain
from typing import Iterable, NamedTuple, Sequence

from ..._protection.rules_in_force import rules_in_force
from ..._protection.traffic_changes import TrafficChange
from ..._protection.walk import CHECKED, COUNTED
from ..._schema.managed_rules import MANAGED_RULES
from ..._schema.rate_limits import RATE_LIMIT_RULES
from ..._schema.registry import DECIDING
from ..._schema.resource import Resource
from ..._schema.rulesets import phase_of
from ..finding import FinderAnswer
from ..risks.declaration import Limits
from ..risks.rules import WEAKENS_MANAGED_RULES, WEAKENS_RATE_LIMITS
from .base import Change, finds
from .changed_rules import rules_with_changes
from .passing import is_due_alone, passing_traffic, traffic_of
from .rule_by_rule import losses_of


class SkippedRules(NamedTuple):
    """Rules that rules of other phases can skip: the family of their marks, the name that a skip
    uses for the product that was their previous version, and the other parameters of a skip that
    name parts of them."""

    resource: Resource
    family: str
    product: str
    parts: Sequence[str] = ()

    def are_skipped_by(self, name: str) -> bool:
        """Return whether something that a skip names is, or may be, these rules or parts of
        them."""
        names = (phase_of(self.resource), self.product, f"products {self.product}")
        return name in names or name.partition(" ")[0] in self.parts


SKIPPED_RATE_LIMITS = SkippedRules(RATE_LIMIT_RULES, COUNTED, "rateLimit")
SKIPPED_MANAGED_RULES = SkippedRules(MANAGED_RULES, CHECKED, "waf", ("rulesets", "rules"))


@finds(WEAKENS_RATE_LIMITS)
def weakens_rate_limits(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that rate limits let more requests pass."""
    traffic = traffic_of(change)
    if traffic is None or not traffic.known or _stricter(traffic.passes, SKIPPED_RATE_LIMITS):
        return losses_of(change, RATE_LIMIT_RULES) or _skipping(change, SKIPPED_RATE_LIMITS)
    return _skipping(change, SKIPPED_RATE_LIMITS)


@finds(WEAKENS_MANAGED_RULES)
def weakens_managed_rules(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that managed rules stop fewer requests."""
    traffic = traffic_of(change)
    is_known = traffic is not None and traffic.known and not _has_exceptions(change)
    if is_known and traffic is not None and not traffic.passes:
        return None
    return losses_of(change, MANAGED_RULES) or _skipping(change, SKIPPED_MANAGED_RULES)


def _stricter(passes: Iterable[TrafficChange], rules: SkippedRules) -> list[TrafficChange]:
    """The traffic that these rules treat less strictly, other than by a challenge for a block."""
    return [passed for passed in passes if passed.family == rules.family and not passed.is_softer]


def _skipping(change: Change, rules: SkippedRules) -> FinderAnswer:
    """The risk that rules of other phases take requests past these rules, or may do so."""
    traffic = traffic_of(change)
    if traffic is None:
        return None
    passing = _stricter(traffic.passes, rules)
    passing += [passed for passed in traffic.passes if rules.are_skipped_by(passed.skipped)]
    skipped = [passed for passed in passing if not is_due_alone(passed, [rules.resource])]
    is_doubtful = not traffic.known and _is_newly_skipped(change, rules)
    return passing_traffic(change, skipped, traffic.unknown if is_doubtful else ())


def _is_newly_skipped(change: Change, rules: SkippedRules) -> bool:
    """Return whether a new or changed rule of another phase skips these rules."""
    for changed in rules_with_changes(change, DECIDING):
        for rule in changed.after:
            is_new = rule.lets_pass and rule not in changed.before
            if is_new and any(map(rules.are_skipped_by, rule.skips)):
                return True
    return False


def _has_exceptions(change: Change) -> bool:
    """Return whether there are exceptions from managed rules, before a plan or after it."""
    rules = chain.from_iterable(
        rules_in_force(side.state, MANAGED_RULES) for side in (change.before, change.after)
    )
    return any(rule.lets_pass for rule in rules)
