# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks that rate limits or managed rules stop fewer requests."""

from __future__ import annotations

from itertools import chain

from ..._protection.rules_in_force import rules_in_force
from ..._protection.traffic_changes import TrafficChange
from ..._protection.walk import COUNTED
from ..._schema.managed_rules import MANAGED_RULES
from ..._schema.rate_limits import RATE_LIMIT_RULES
from ..._schema.resource import Resource
from ..finding import FinderAnswer
from ..risks.declaration import Limits
from ..risks.rules import WEAKENS_MANAGED_RULES, WEAKENS_RATE_LIMITS
from .base import Change, finds
from .passing import passing_traffic, traffic_of
from .rule_by_rule import losses_of


@finds(WEAKENS_RATE_LIMITS)
def weakens_rate_limits(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that rate limits let more requests pass."""
    traffic = traffic_of(change)
    if traffic is None or not traffic.known:
        return losses_of(change, RATE_LIMIT_RULES)
    passing = [passed for passed in traffic.passes if passed.family == COUNTED]
    strict = [passed for passed in passing if not passed.is_softer]
    if not strict:
        return None
    skipped = [passed for passed in strict if not _is_due_to(passed, RATE_LIMIT_RULES)]
    return losses_of(change, RATE_LIMIT_RULES) or passing_traffic(change, skipped)


def _is_due_to(passed: TrafficChange, resource: Resource) -> bool:
    """Return whether a rule of this resource is among the reasons why traffic passes."""
    return any(source.resource == resource.name for source in passed.sources)


@finds(WEAKENS_MANAGED_RULES)
def weakens_managed_rules(change: Change, limits: Limits) -> FinderAnswer:
    """The risk that managed rules stop fewer requests."""
    traffic = traffic_of(change)
    is_known = traffic is not None and traffic.known and not _has_exceptions(change)
    if is_known and traffic is not None and not traffic.passes:
        return None
    return losses_of(change, MANAGED_RULES)


def _has_exceptions(change: Change) -> bool:
    """Return whether there are exceptions from managed rules, before a plan or after it."""
    rules = chain.from_iterable(
        rules_in_force(side.state, MANAGED_RULES) for side in (change.before, change.after)
    )
    return any(rule.lets_pass for rule in rules)
