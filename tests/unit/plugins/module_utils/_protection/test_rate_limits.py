# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.looser_rules import loosened
from ansible_collections.edgeops.protection.plugins.module_utils._schema.quotas import features
from ansible_collections.edgeops.protection.plugins.module_utils._schema.rate_limits import RATE_LIMIT_RULES

SEMANTICS = RATE_LIMIT_RULES.semantics
LIMIT = {"characteristics": ["cf.colo.id"], "period": 60, "requests_per_period": 5, "mitigation_timeout": 60}


def rule(action: str = "block", **fields: Any) -> dict[str, Any]:
    return {"ref": "a", "action": action, "expression": "ssl", "ratelimit": {**LIMIT, **fields}}


def exceeds(arrivals: list[int], requests: int, period: int) -> bool:
    """Whether more requests come in some window than a limit takes."""
    return any(sum(start <= moment < start + period for moment in arrivals) > requests for start in arrivals)


@pytest.mark.parametrize("was", [*itertools.product(range(1, 4), range(1, 5))])
@pytest.mark.parametrize("becomes", [*itertools.product(range(1, 4), range(1, 5))])
def test_a_limit_is_looser_if_some_requests_exceed_the_other_one_alone(
    was: tuple[int, int], becomes: tuple[int, int]
) -> None:
    """All requests of six seconds, up to two in each, and up to four at the beginning."""
    streams = [
        [moment for moment, number in enumerate((first, *numbers)) for _each in range(number)]
        for first in range(5)
        for numbers in itertools.product(range(4), repeat=4)
    ]
    passes = any(exceeds(arrivals, *was) and not exceeds(arrivals, *becomes) for arrivals in streams)
    rules = [rule(requests_per_period=requests, period=period) for requests, period in (was, becomes)]
    found = loosened(RATE_LIMIT_RULES, *rules)
    assert (found is not None and found[1]) is passes


@pytest.mark.parametrize(
    ("was", "becomes", "certain"),
    [
        (rule(), rule(), None),
        (rule(), rule(mitigation_timeout=59), True),
        (rule(), rule(mitigation_timeout=3600), None),
        (rule(), rule("challenge", mitigation_timeout=0), None),
        (rule("challenge"), rule("managed_challenge", mitigation_timeout=0), True),
        (rule(), rule(characteristics=["cf.colo.id", "ip.src"]), True),
        (rule(characteristics=["cf.colo.id", "ip.src"]), rule(), None),
        (rule(characteristics=["cf.colo.id", "ip.src"]), rule(characteristics=["cf.colo.id", "http.host"]), False),
        (rule(), rule(requests_to_origin=True), True),
        (rule(requests_to_origin=True), rule(), None),
        (rule(), rule(counting_expression="http.response.code eq 401"), False),
        (rule(counting_expression="http.response.code eq 401"), rule(), False),
        (rule(), rule(counting_expression=""), None),
        (rule(counting_expression=" ssl "), rule(), None),
        (rule(), {**rule(), "expression": "true"}, None),
        (rule(counting_expression="ssl"), {**rule(counting_expression="ssl"), "expression": "true"}, None),
        (rule(), rule(score_per_period=4), False),
    ],
)
def test_other_ways_to_loosen_a_limit(was: dict[str, Any], becomes: dict[str, Any], certain: bool | None) -> None:
    found = loosened(RATE_LIMIT_RULES, was, becomes)
    assert (found and found[1]) is certain


ODD: tuple[Any, ...] = (None, 5, -1, True, "60", [], ["a", {}], {"a": 1}, 1.5)


@pytest.mark.parametrize("name", [*LIMIT, "counting_expression", "requests_to_origin", "score_per_period"])
@pytest.mark.parametrize("value", ODD)
def test_odd_values_of_the_service_raise_nothing(name: str, value: Any) -> None:
    odd = rule(**{name: value})
    for was, becomes in itertools.permutations(
        (rule(), odd, {**rule(), "ratelimit": value}, {**rule(), "action": value}), 2
    ):
        loosened(RATE_LIMIT_RULES, was, becomes)
        SEMANTICS.invalid_reason(becomes)
        SEMANTICS.unusual(becomes)
        SEMANTICS.normalise(becomes, was, set())
        features(becomes)
        RATE_LIMIT_RULES.declared_values(becomes)
