# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a zone may hold, by its plan.

The vendor lists the quotas on its page "Custom rules" (section "Availability").
"""

from __future__ import annotations

from typing import AbstractSet, Mapping, NamedTuple

from .._expressions.grammar import MATCHES, Unread, tokens_of
from .resource import Object
from .zone import CUSTOM_RULES

LOG = "the action log"
REGEX = "the operator matches"


class Quota(NamedTuple):
    """What the zones of a plan, which has this title, may hold: how many rules, and which features
    none of them has."""

    title: str
    rules: int
    withheld: AbstractSet[str] = frozenset()


LIMITED = CUSTOM_RULES  # the resource that the quotas are about
QUOTAS: Mapping[str, Quota] = {  # by the `legacy_id` of the plan
    "free": Quota("Free", 5, frozenset([LOG, REGEX])),
    "pro": Quota("Pro", 20, frozenset([LOG, REGEX])),
    "business": Quota("Business", 100, frozenset([LOG])),
    "enterprise": Quota("Enterprise", 1000),
}


def quota_of(zone: Object) -> Quota | None:
    """The quota by the plan of a zone, as Cloudflare shows the zone; None where the plan is not
    known."""
    plan = zone.get("plan")
    return QUOTAS.get(str(plan.get("legacy_id"))) if isinstance(plan, Mapping) else None


def features(rule: Object) -> frozenset[str]:
    """What a custom rule needs that some plans withhold; an expression that cannot be read needs
    nothing."""
    try:
        words = [token.text for token in tokens_of(str(rule.get("expression") or ""))]
    except Unread:
        words = []
    needs = {LOG: rule.get("action") == "log", REGEX: any(word in MATCHES for word in words)}
    return frozenset(name for name, is_needed in needs.items() if is_needed)
