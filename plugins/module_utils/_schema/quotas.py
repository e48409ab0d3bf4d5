# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The quotas of zones and accounts by their plan: how many rules and lists they may have, and the
parts of rules that a plan withholds.

The vendor has them on its pages "Custom rules", "Rate limiting rules" and "Managed Rules" (sections
"Availability"), "Actions" (of the Rules language: Log is only available on Enterprise plans),
"Override parameters" (HTTP DDoS Attack Protection) and "Custom lists", read on 2026-11-28.
"""

from __future__ import annotations

from typing import AbstractSet, Mapping, NamedTuple, Sequence

from .._expressions.expression import Expression
from .._vendor.rules import FIELDS_OF_PLANS, LOG_IN_OVERRIDE, OfPlan
from .custom_rules import CUSTOM_RULES
from .ddos_overrides import L7_OVERRIDES, levels_of
from .lists import ASN, HOSTNAME, LISTS
from .managed_rules import MANAGED_RULES, ONE_OF
from .rate_limits import ADDRESS_COUNTERS, DATA_CENTER, RATE_LIMIT_RULES, SCORE, counters, limit_of
from .resource import ENFORCING, LOG, Object, Resource, fields_in
from .rulesets import OVERRIDES, PARAMETERS, deployed
from .zone import plan_of


class ListQuota(NamedTuple):
    """The number of lists that an account may have, and of items in all of them together."""

    lists: int
    items: int


ALL = "any"
# By the type of an account, the quotas of all its lists and of those of some kinds.
LIST_QUOTAS: Mapping[str, Mapping[str, ListQuota]] = {
    "enterprise": {
        ALL: ListQuota(1000, 500000),
        ASN: ListQuota(40, 30000),
        HOSTNAME: ListQuota(40, 10000),
    },
    "standard": {
        ALL: ListQuota(LISTS.least_quota, LISTS.least_quota_inside),
        ASN: ListQuota(0, 0),
        HOSTNAME: ListQuota(0, 0),
    },
}


class RateLimitLimits(NamedTuple):
    """The limits of a plan for rate limiting rules, by the vendor's table "Availability": the
    longest times in seconds, the characteristics, and the fields of expressions; 0 and an empty set
    stand for no limit."""

    period: int = 65535
    timeout: int = 0
    characteristics: AbstractSet[str] = frozenset()
    fields: Sequence[str] = ()

    def lacks(self, rule: Object) -> frozenset[str]:
        """The parts of a rule that zones of this Cloudflare plan do not have."""
        limit = limit_of(rule)
        if not limit:
            return frozenset()
        missing = []
        longest_times = {"period": self.period, "mitigation_timeout": self.timeout}
        for name, longest in longest_times.items():
            seconds = limit.get(name)
            if longest and isinstance(seconds, int) and seconds > longest:
                missing.append(f"a {name} above {longest} s")
        if self.characteristics:
            characteristics = counters(limit) - {DATA_CENTER, *self.characteristics}
            missing += [f"the characteristic {name}" for name in sorted(characteristics)]
        if self.fields:
            for name in Expression.of_object(rule).names:
                if not self._allows_field(name):
                    missing.append(f"the field {name} in the expression of a rate limit")
        return frozenset(missing)

    def _allows_field(self, name: str) -> bool:
        """Return whether expressions may read a field; parts of the URI, such as its extension,
        count as the URI."""
        name = name.lower().replace("raw.", "")
        if name in self.fields:
            return True
        uris = [field for field in self.fields if ".uri" in field]
        return any(name.startswith(f"{uri}.") for uri in uris)


_PATH = ("http.request.uri.path", "cf.bot_management.verified_bot", "cf.client.bot")
_URI = (*_PATH, "http.host", "http.request.uri", "http.request.full_uri")
_CLIENT = (*_URI, "http.request.method", "ip.src", "http.user_agent")
FREE_LIMITS = RateLimitLimits(10, 10, frozenset({"ip.src"}), _PATH)
PRO_LIMITS = RateLimitLimits(60, 3600, frozenset({"ip.src"}), _URI)
BUSINESS_LIMITS = RateLimitLimits(600, 86400, frozenset(ADDRESS_COUNTERS), _CLIENT)
ENTERPRISE_LIMITS = RateLimitLimits()  # add-ons, which no zone shows, have more


LOG_FEATURE = "the action log"
REGEX_FEATURE = "the operator matches"


COUNTING_FEATURE = "a counting_expression"
CACHE_FEATURE = "requests_to_origin"
SCORE_FEATURE = f"a {SCORE}"
TIMEOUT_FEATURE = "a mitigation_timeout with a challenge"
THROTTLE_FEATURE = "the mitigation_timeout 0 with the action block"
RESPONSE_FEATURE = "a response of a rule"
SCOPE_FEATURE = "an expression other than true in an override of HTTP DDoS rules"
PAID_RULESETS = {  # by their ids, the managed rulesets that not every plan has
    "efb7b8c949ac4650a09736fc376e9aee": "the Cloudflare Managed Ruleset",
    "4814384a9e5d4991b9815dcfc25d2f1f": "the Cloudflare OWASP Core Ruleset",
}
OF_SOME_PLANS = frozenset(name for row in FIELDS_OF_PLANS for name in row.fields)
LIMITED_COLLECTIONS = (  # of a zone, that its plan limits
    CUSTOM_RULES.plural,
    RATE_LIMIT_RULES.plural,
    MANAGED_RULES.plural,
    L7_OVERRIDES.plural,
)


class Quota(NamedTuple):
    """The limits of the zones of a plan with this title: the number of rules by their collection,
    the limits of rate limits, and the features that are withheld from all of them."""

    title: str
    rules: Mapping[str, int]
    limits: RateLimitLimits
    withheld: AbstractSet[str] = frozenset()

    def lacks(self, resource: Resource, rule: Object) -> frozenset[str]:
        """The features of a rule that zones of this Cloudflare plan do not have."""
        if resource.plural == L7_OVERRIDES.plural:
            return _features_of_override(rule) & self.withheld
        return features(rule) & self.withheld | self.limits.lacks(rule)


def _quota(
    title: str, most: tuple[int, int, int], limits: RateLimitLimits, *withheld: str
) -> Quota:
    """The quota with the greatest numbers of custom rules, rate limiting rules and overrides of
    HTTP DDoS rules."""
    limited = (CUSTOM_RULES.plural, RATE_LIMIT_RULES.plural, L7_OVERRIDES.plural)
    return Quota(title, dict(zip(limited, most)), limits, frozenset(withheld))


_LOWER = (LOG_FEATURE, TIMEOUT_FEATURE, THROTTLE_FEATURE, SCORE_FEATURE, SCOPE_FEATURE)
_LOWEST = (*_LOWER, REGEX_FEATURE, COUNTING_FEATURE, CACHE_FEATURE)
_OF_FREE = (RESPONSE_FEATURE, *PAID_RULESETS.values())
QUOTAS: Mapping[str, Quota] = {  # by the `legacy_id` of the plan
    "free": _quota("Free", (5, 1, 1), FREE_LIMITS, *_LOWEST, *_OF_FREE),
    "pro": _quota("Pro", (20, 2, 1), PRO_LIMITS, *_LOWEST),
    "business": _quota("Business", (100, 5, 1), BUSINESS_LIMITS, *_LOWER),
    "enterprise": _quota("Enterprise", (1000, 100, 10), ENTERPRISE_LIMITS),
}


def quota_of(zone: Object) -> Quota | None:
    """The quota of the plan of a zone; None if the plan is not known."""
    return QUOTAS.get(plan_of(zone))


def features(rule: Object) -> frozenset[str]:
    """The features of a rule that some plans withhold; an expression that cannot be read adds
    none."""
    limit, action = limit_of(rule), str(rule.get("action"))
    timeout = limit.get("mitigation_timeout") or 0
    needs = {
        LOG_FEATURE: action == LOG,
        REGEX_FEATURE: Expression.of_object(rule).has_regular_expression,
        COUNTING_FEATURE: bool(limit.get("counting_expression")),
        SCORE_FEATURE: SCORE in limit,
        CACHE_FEATURE: bool(limit.get("requests_to_origin")),
        TIMEOUT_FEATURE: action in ENFORCING - {"block"} and timeout != 0,
        THROTTLE_FEATURE: bool(limit) and action == "block" and timeout == 0,
        RESPONSE_FEATURE: "response" in fields_in(rule.get(PARAMETERS)),
        PAID_RULESETS.get(deployed(rule), ""): True,
    }
    return frozenset(name for name, is_needed in needs.items() if is_needed)


def fields_of_plans(rule: Object) -> frozenset[str]:
    """The fields that a rule reads, and other parts of it, that not every plan has."""
    limit = limit_of(rule)
    names = {
        *Expression.of_object(rule).names,
        *Expression.of_object(limit, "counting_expression").names,
    }
    of_some_plans = names & OF_SOME_PLANS
    if _logs_by_override(rule):
        of_some_plans.add(LOG_IN_OVERRIDE)
    return frozenset(of_some_plans)


def _logs_by_override(rule: Object) -> bool:
    """Return whether a rule has managed rules log in place of what they do by themselves."""
    overrides = fields_in(fields_in(rule.get(PARAMETERS)).get(OVERRIDES))
    of_categories, of_rules = (overrides.get(name) or () for name in ONE_OF)
    levels = [overrides, *of_categories, *of_rules]
    return any(fields_in(level).get("action") == LOG for level in levels)


def plans_of_field(name: str) -> OfPlan:
    """The plans that have a field, which not every plan has."""
    return next(row for row in FIELDS_OF_PLANS if name in row.fields)


def _features_of_override(override: Object) -> frozenset[str]:
    """The features of an override of HTTP DDoS rules that some plans withhold."""
    needs = {
        LOG_FEATURE: any(action == LOG for action, _level in levels_of(override).values()),
        SCOPE_FEATURE: Expression.of_object(override).text.strip("( )") != "true",
    }
    return frozenset(name for name, is_needed in needs.items() if is_needed)
