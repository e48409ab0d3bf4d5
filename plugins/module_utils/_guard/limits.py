# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The limits of a task, from how much on a change is a risk, and those of a zone, which no task can
raise."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Mapping

from .._errors import OptionError, OptionProblems
from .._messages import Option
from .._plan.plan import Plan
from .._schema.directory import LIMITED, QUOTAS, Quota, features, quota_of
from .._schema.resource import Object
from .._text import first_few

CODES = (
    "unprotects_addresses",
    "stops_mitigation",
    "disables_protection",
    "skips_monitoring",
    "broad_allowlist",
    "allowlists_own_prefix",
    "mass_deletion",
    "empties_list",
    "weakens_zone",
    "skips_everything",
    "blocks_everything",
)
ZONE_CODES = ("weakens_zone", "skips_everything", "blocks_everything")
LIST_CODES = ("mass_deletion", "empties_list")  # those that concern any list, of a zone as well
ACCOUNT_CODES = tuple(code for code in CODES if code not in ZONE_CODES)
CODES_OF = {
    "account_id": ACCOUNT_CODES,
    "zone_id": LIST_CODES + ZONE_CODES,
}  # by the owner that a plan is about


@dataclass(frozen=True)
class Limits:
    """Thresholds: a percentage of a list, hours, prefix lengths, a number of entries."""

    max_deletions_percent: int = 30
    min_monitoring_hours: float = 4.0
    min_allowlist_prefix_length_ipv4: int = 24
    min_allowlist_prefix_length_ipv6: int = 48
    max_allowlist_entries: int = 200
    max_weakened_percent: int = 30

    @property
    def monitoring(self) -> timedelta:
        """How long a rule or filter monitors before it is enabled."""
        return timedelta(hours=self.min_monitoring_hours)


HIGHEST = {
    "max_deletions_percent": 100,
    "min_monitoring_hours": 24 * 365,
    "min_allowlist_prefix_length_ipv4": 32,
    "min_allowlist_prefix_length_ipv6": 128,
    "max_allowlist_entries": 10**6,
    "max_weakened_percent": 100,
}
CODE_OF = {  # the risk that each limit is about
    "max_deletions_percent": "mass_deletion",
    "min_monitoring_hours": "skips_monitoring",
    "min_allowlist_prefix_length_ipv4": "broad_allowlist",
    "min_allowlist_prefix_length_ipv6": "broad_allowlist",
    "max_allowlist_entries": "broad_allowlist",
    "max_weakened_percent": "weakens_zone",
}


def limit_options(codes: tuple[str, ...] = ACCOUNT_CODES) -> dict[str, dict[str, Any]]:
    """The argument spec of a module whose plans can have these risks; accept_risks takes codes and
    dictionaries."""
    spec: dict[str, dict[str, Any]] = {
        "accept_risks": {"type": "list", "elements": "raw", "default": []}
    }
    for name in (name for name, code in CODE_OF.items() if code in codes):
        default = getattr(Limits, name)
        spec[name] = {"type": type(default).__name__, "default": default}
    return spec


def parse_limits(options: Mapping[str, Any]) -> Limits:
    """The limits that a module's options set; raises OptionError for one out of range."""
    thresholds = {name: options[name] for name in HIGHEST if options.get(name) is not None}
    problems = OptionProblems()
    for name, value in thresholds.items():
        with problems.collected():
            if not 0 <= value <= HIGHEST[name]:
                raise OptionError(Option(name), f"{value} is not between 0 and {HIGHEST[name]}")
    problems.raise_any()
    return Limits(**thresholds)


def may_exceed_quota(plan: Plan) -> bool:
    """Whether there are zones that would not take this plan, so that the quota of its zone
    matters."""
    return any(_exceeded(plan, quota) for quota in QUOTAS.values())


def exceeded_quota(plan: Plan, zone: Object) -> str | None:
    """Why a zone would not take this plan; empty where it would, None where its quota is
    unknown."""
    quota = quota_of(zone)
    if quota is None:
        return None
    reasons = "; ".join(_exceeded(plan, quota))
    to_do = "Remove what is too much, or choose another plan for the zone."
    return f"The zone has the plan {quota.title}: {reasons}. {to_do}" if reasons else ""


def _exceeded(plan: Plan, quota: Quota) -> list[str]:
    """What a plan brings into a zone beyond its quota; a zone that holds more already has a larger
    quota."""
    changed = [item for item in plan.operations if item.resource is LIMITED and item.planned]
    if not changed:
        return []
    before, after = (len(state[LIMITED.plural]) for state in (plan.before, plan.after()))
    crosses = before <= quota.rules < after
    reasons = (
        [f"it takes {quota.rules} {LIMITED.title}s, and {after} would be there"] if crosses else []
    )
    had = frozenset().union(*map(features, plan.before[LIMITED.plural]))
    for feature in sorted(quota.withheld - had):
        concerned = [item.label for item in changed if feature in features(item.planned or {})]
        reasons += (
            [f"it has not {feature}, which is in {first_few(concerned)}"] if concerned else []
        )
    return reasons
