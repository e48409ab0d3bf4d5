# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rate limiting rules of a zone, and the response that a rule of it sends.

The vendor describes them in "Rate limiting rules" (Rulesets API, phase http_ratelimit) and "Rate
limiting parameters".
"""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

from .._expressions.examination import RULE_EXPRESSION
from .._expressions.expression import Expression
from .._expressions.fields import doubts_of_name
from .._values.kinds import FLAG, Value, mapping, number, several
from .._vendor.fields import KNOWN_FIELDS
from .._vendor.rules import ANSWER_OF_RATE_LIMIT
from .products import RATE_LIMITS
from .resource import ZONE_OPTION, Field, Object, Permission, Values, fields_in
from .rulesets import RULE_SEMANTICS, accept_all, entry_point, fields_of_rules, lacking, response

RATE_LIMIT_ACTIONS = ("block", "challenge", "js_challenge", "managed_challenge", "log")
DATA_CENTER = "cf.colo.id"
ADDRESS_COUNTERS = {"ip.src", "cf.unique_visitor_id"}
COUNTERS = KNOWN_FIELDS | {DATA_CENTER, *ADDRESS_COUNTERS}  # names in characteristics
COUNTED_HEADER = re.compile(r'http\.request\.headers\["([^"]*)"\]')
# The vendor's table of plans has more of both.
PERIODS = (10, 60, 120, 300, 600, 3600)
TIMEOUTS = (0, *PERIODS, 86400)
SCORE = "score_per_period"


def _remark_on_characteristics(value: Any) -> str:
    """A remark on characteristics that a list names twice; empty if there are none."""
    names = [str(name).strip() for name in value] if isinstance(value, list) else []
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    return f"it has {' and '.join(twice)} twice" if twice else ""


def _parse_characteristics(value: Sequence[str]) -> Sequence[str]:
    """The characteristics of a task, each once; raises ValueError for those that Cloudflare refuses
    together, or that never tell requests apart."""
    names = list(dict.fromkeys(name.strip() for name in value))
    if DATA_CENTER not in names:
        raise ValueError(f"{DATA_CENTER} is not among them; Cloudflare counts by data center")
    if {*names} >= ADDRESS_COUNTERS:
        raise ValueError(f"{' and '.join(sorted(ADDRESS_COUNTERS))} exclude each other; keep one")
    for header in COUNTED_HEADER.findall("\n".join(names)):
        if header != header.lower():
            problem = f"the name of the header {header} has capital letters"
            raise ValueError(f"{problem}; Cloudflare knows headers in lower case")
    return names


def _parse_counting(value: Any) -> str:
    return RULE_EXPRESSION.parse(value) if str(value).strip() else ""


COUNTING = RULE_EXPRESSION._replace(
    parse=_parse_counting, examine=lambda value: RULE_EXPRESSION.examine(value) if value else ()
)
CHARACTERISTICS = Value(
    {"type": "list", "elements": "str"},
    _parse_characteristics,
    several().normalise,
    remark=_remark_on_characteristics,
)
RATE_LIMIT = Field(
    "ratelimit",
    Value({"type": "dict"}, dict, str),
    narrows=False,
    fields=(
        Field("characteristics", CHARACTERISTICS),
        Field("period", number(1)),
        Field("requests_per_period", number(1)),
        Field("mitigation_timeout", number(0)),
        Field("counting_expression", COUNTING, absent_default="", switch=True),
        Field("requests_to_origin", FLAG, absent_default=False, switch=True),
    ),
)


def limit_of(rule: Object) -> Mapping[str, Any]:
    """The limit in a rule; empty if Cloudflare shows none."""
    return fields_in(rule.get(RATE_LIMIT.name))


def counters(limit: Mapping[str, Any]) -> frozenset[str]:
    """The characteristics by which a limit counts."""
    names = limit.get("characteristics")
    return frozenset(map(str, names)) if isinstance(names, (list, tuple)) else frozenset()


def _invalid_rate_limit(rule: Values) -> str:
    """The reason why Cloudflare would refuse a rule, by the vendor's "Configuration restrictions";
    empty if it would not."""
    limit = limit_of(rule)
    score = SCORE if SCORE in limit else "requests_per_period"
    missing = lacking(rule, "action", "expression", RATE_LIMIT.name)
    missing = missing or lacking(limit, "characteristics", "period", score)
    if missing or rule["action"] not in RATE_LIMIT_ACTIONS:
        return missing
    parameters = rule.get("action_parameters") or {}
    if rule["action"] != "block" and parameters.get("response"):
        return f"has the action {rule['action']}, and only block has a response"
    counting = Expression.of_object(limit, "counting_expression")
    if limit.get("requests_to_origin") and Expression.of_object(rule).lists:
        return "names a list, and requests_to_origin must be false with one"
    if counting.lists and any(".response." in name for name in counting.names):
        return "has a counting_expression with a list and a field of the response; keep one of them"
    return ""


def _unusual_rate_limit(rule: Values) -> str:
    """A remark on values that Cloudflare may reject; empty if there are none."""
    limit = limit_of(rule)
    counting = Expression.of_object(limit, "counting_expression")
    remarks = [Expression.of_object(rule).doubts(), counting.doubts(of_responses=True)]
    odd = [_odd_characteristic(name) for name in sorted(counters(limit))]
    rare = [
        f"has the {name} {limit[name]}, and Cloudflare's page on its API lists only"
        f" {', '.join(map(str, usual))}"
        for name, usual in (("period", PERIODS), ("mitigation_timeout", TIMEOUTS))
        if limit.get(name, usual[0]) not in usual
    ]
    return ", and ".join(filter(None, [*rare, *remarks, *odd]))


def _odd_characteristic(name: str) -> str:
    """A remark on a characteristic that no page of Cloudflare names; empty if there is none."""
    return doubts_of_name(name, COUNTERS, "characteristic")


RATE_LIMIT_RULES = entry_point(
    name="rate_limit_rule",
    title="rate limiting rule",
    owner=ZONE_OPTION,
    phase="http_ratelimit",
    traffic="request",
    product=RATE_LIMITS,
    permission=Permission("Zone WAF", "zone"),
    fields=fields_of_rules(
        RATE_LIMIT_ACTIONS,
        RULE_EXPRESSION,
        mapping({"response": response(ANSWER_OF_RATE_LIMIT)}, accept_all),
        RATE_LIMIT,
    ),
    semantics=RULE_SEMANTICS._replace(
        invalid_reason=_invalid_rate_limit, unusual=_unusual_rate_limit
    ),
)
