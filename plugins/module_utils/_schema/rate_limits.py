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
from typing import AbstractSet, Any, Mapping, NamedTuple, Sequence

from .._expressions.examination import RULE_EXPRESSION
from .._expressions.fields import doubts, lists_in, names_in
from .._expressions.grammar import expression_of
from .._values.kinds import FLAG, Value, mapping, number, several
from .resource import (
    RULE_SEMANTICS,
    ZONE_OPTION,
    Field,
    Object,
    Permission,
    Values,
    entry_point,
    fields_in,
    fields_of_rules,
    lacking,
)

RATE_LIMIT_ACTIONS = ("block", "challenge", "js_challenge", "managed_challenge", "log")
DATA_CENTER = "cf.colo.id"
ADDRESS_COUNTERS = {"ip.src", "cf.unique_visitor_id"}
COUNTED_HEADER = re.compile(r'http\.request\.headers\["([^"]*)"\]')
# The vendor's table of plans has more of both.
PERIODS = (10, 60, 120, 300, 600, 3600)
TIMEOUTS = (0, *PERIODS, 86400)
SCORE = "score_per_period"
MOST_CONTENT = 30 * 1024  # bytes; custom rules may take less
RESPONSE: Mapping[str, Mapping[str, Any]] = {
    "status_code": {"type": "int", "required": True},
    "content": {"type": "str", "required": True},
    "content_type": {"type": "str", "required": True},
}


def check_response(parameters: Values) -> None:
    """Raises ValueError for a response that Cloudflare does not take in place of a request."""
    response = parameters.get("response", {})
    status, size = response.get("status_code", 403), len(response.get("content", "").encode())
    if not 400 <= status <= 499:
        raise ValueError(f"response.status_code is {status}, and not between 400 and 499")
    if size > MOST_CONTENT:
        raise ValueError(f"response.content has {size} bytes, and Cloudflare takes {MOST_CONTENT}")


def _parse_characteristics(value: Sequence[str]) -> Sequence[str]:
    """Characteristics of a task; raises ValueError for those that Cloudflare refuses together, or
    that never tell requests apart."""
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
    {"type": "list", "elements": "str"}, _parse_characteristics, several().normalise
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
    """The limit in a rule; an empty one where Cloudflare shows none."""
    return fields_in(rule.get(RATE_LIMIT.name))


def counters(limit: Mapping[str, Any]) -> frozenset[str]:
    """The characteristics by which a limit counts."""
    names = limit.get("characteristics")
    return frozenset(map(str, names)) if isinstance(names, (list, tuple)) else frozenset()


class Available(NamedTuple):
    """The most that a plan has of rate limits, by the vendor's table "Availability": seconds, the
    ways to count, and the fields of expressions; 0 and none of both if it has all."""

    period: int = 65535
    timeout: int = 0
    characteristics: AbstractSet[str] = frozenset()
    fields: Sequence[str] = ()

    def lacks(self, rule: Object) -> frozenset[str]:
        """The parts of a rule that the plan does not have."""
        limit, text = limit_of(rule), expression_of(rule)
        numbers = {"period": self.period, "mitigation_timeout": self.timeout}
        found = [
            f"a {name} above {most} s"
            for name, most in numbers.items()
            if most and isinstance(limit.get(name), int) and limit[name] > most
        ]
        if self.characteristics:
            others = {*counters(limit)} - {DATA_CENTER, *self.characteristics}
            found += [f"the characteristic {name}" for name in sorted(others)]
        if self.fields:
            others = {name for name in names_in(text) if not self._has_field(name)}
            found += [f"the field {name} in the expression of a rate limit" for name in others]
        return frozenset(found if limit else ())

    def _has_field(self, name: str) -> bool:
        """Parts of the URI, such as its extension, count as it."""
        own = name.lower().replace("raw.", "")
        return own in self.fields or own.startswith(
            tuple(f"{one}." for one in self.fields if ".uri" in one)
        )


_PATH = ("http.request.uri.path", "cf.bot_management.verified_bot", "cf.client.bot")
_URI = (*_PATH, "http.host", "http.request.uri", "http.request.full_uri")
_CLIENT = (*_URI, "http.request.method", "ip.src", "http.user_agent")
FREE_LIMITS = Available(10, 10, frozenset({"ip.src"}), _PATH)
PRO_LIMITS = Available(60, 3600, frozenset({"ip.src"}), _URI)
BUSINESS_LIMITS = Available(600, 86400, frozenset(ADDRESS_COUNTERS), _CLIENT)
ENTERPRISE_LIMITS = Available()  # add-ons, which no zone shows, have more


def _invalid_rate_limit(rule: Values) -> str:
    """Return why Cloudflare would refuse a rule, by the vendor's "Configuration restrictions"."""
    limit, expression = limit_of(rule), str(rule.get("expression"))
    score = SCORE if SCORE in limit else "requests_per_period"
    missing = lacking(rule, "action", "expression", RATE_LIMIT.name)
    missing = missing or lacking(limit, "characteristics", "period", score)
    if missing or rule["action"] not in RATE_LIMIT_ACTIONS:
        return missing
    if rule["action"] != "block" and (rule.get("action_parameters") or {}).get("response"):
        return f"has the action {rule['action']}, and only block has a response"
    counting = str(limit.get("counting_expression") or "")
    if limit.get("requests_to_origin") and lists_in(expression):
        return "names a list, and requests_to_origin must be false with one"
    if lists_in(counting) and any(".response." in name for name in names_in(counting)):
        return "has a counting_expression with a list and a field of the response; keep one of them"
    return ""


def _unusual_rate_limit(rule: Values) -> str:
    """Remark on what Cloudflare may take, and may not."""
    limit = limit_of(rule)
    texts = (expression_of(rule), expression_of(limit, "counting_expression"))
    remarks = map(doubts, texts)
    rare = [
        f"has the {name} {limit[name]}, and Cloudflare's page on its API lists only"
        f" {', '.join(map(str, usual))}"
        for name, usual in (("period", PERIODS), ("mitigation_timeout", TIMEOUTS))
        if limit.get(name, usual[0]) not in usual
    ]
    return ", and ".join([*rare, *filter(None, remarks)])


RATE_LIMIT_RULES = entry_point(
    name="rate_limit_rule",
    title="rate limiting rule",
    owner=ZONE_OPTION,
    phase="http_ratelimit",
    traffic="request",
    permission=Permission("Zone WAF", "zone"),
    fields=fields_of_rules(
        RATE_LIMIT_ACTIONS,
        RULE_EXPRESSION,
        mapping({"response": {"type": "dict", "options": RESPONSE}}, check_response),
        RATE_LIMIT,
    ),
    semantics=RULE_SEMANTICS._replace(
        invalid_reason=_invalid_rate_limit, unusual=_unusual_rate_limit
    ),
)
