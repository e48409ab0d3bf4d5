# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The vendor's own SDK as an independent client of the rate limiting rules."""

from __future__ import annotations

from typing import Any

import cloudflare
import pytest

from tests.fake_service import LocalService

from .conftest import ZONE

PHASE: Any = "http_ratelimit"
LIMIT: Any = {
    "characteristics": ["cf.colo.id", "ip.src"],
    "period": 60,
    "requests_per_period": 5,
    "mitigation_timeout": 600,
}
RULE: Any = {"ref": "login", "action": "block", "expression": 'http.request.uri.path eq "/login"', "ratelimit": LIMIT}
RESPONSE = {"status_code": 429, "content": "Later.", "content_type": "text/plain"}


def limited(**fields: Any) -> dict[str, Any]:
    return {**RULE, "ratelimit": {**LIMIT, **fields}}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({**RULE, "action": "skip", "action_parameters": {"ruleset": "current"}}, "there are only block, challenge"),
        ({**RULE, "ratelimit": None}, "rate limiting rule needs it|ratelimit"),
        ({**RULE, "action": "log", "action_parameters": {"response": RESPONSE}}, "no such parameter"),
        ({**RULE, "action_parameters": {"response": {**RESPONSE, "content": "x" * 30721}}}, "more than 30720 bytes"),
        ({**RULE, "ratelimit": {"characteristics": ["cf.colo.id"], "period": 60}}, "it is required"),
        (limited(characteristics=["ip.src"]), "cf.colo.id is required"),
        (limited(characteristics=["cf.colo.id", "ip.src", "cf.unique_visitor_id"]), "exclude each other"),
        (limited(characteristics=["cf.colo.id", 'http.request.headers["X-Key"]']), "lower case"),
        (limited(requests_per_period=0), "it is a number of 1 or more"),
        (limited(mitigation_timeout=-1), "it is a number of 0 or more"),
        (limited(counting_expression="ssl and"), "20127"),
        (
            limited(counting_expression="ip.src in $a and http.response.code eq 401"),
            "a list and a field of the response",
        ),
        ({**limited(requests_to_origin=True), "expression": "ip.src in $a"}, "the expression has a list"),
        (limited(of_the_future=1), "there is no such field"),
    ],
)
def test_a_rate_limit_that_cannot_work_is_refused(service: LocalService, sdk: Any, rule: Any, message: str) -> None:
    service.zone(ZONE)
    with pytest.raises(cloudflare.BadRequestError, match=message):
        sdk.rulesets.phases.update(PHASE, zone_id=ZONE, rules=[rule])
    assert service.zone(ZONE).entry_points == {}


@pytest.mark.parametrize(
    ("plan", "rule"),
    [
        ("free", {**RULE, "action": "challenge"}),
        ("business", limited(mitigation_timeout=0)),
        ("pro", limited(counting_expression="ssl")),
        ("free", limited(mitigation_timeout=10)),
        ("pro", limited(mitigation_timeout=7200)),
        ("business", limited(period=900)),
        ("pro", limited(characteristics=["cf.colo.id", "cf.unique_visitor_id"])),
        ("pro", limited(requests_to_origin=True)),
    ],
)
def test_what_a_plan_does_not_have(service: LocalService, sdk: Any, plan: str, rule: Any) -> None:
    zone = service.zone(ZONE).seed(plan=plan)
    with pytest.raises(cloudflare.PermissionDeniedError, match="not entitled"):
        sdk.rulesets.phases.update(PHASE, zone_id=ZONE, rules=[rule])
    zone.seed(plan="enterprise")
    sdk.rulesets.phases.update(PHASE, zone_id=ZONE, rules=[rule])


@pytest.mark.parametrize(("plan", "most"), [("free", 1), ("pro", 2), ("business", 5), ("enterprise", 100)])
def test_the_number_of_rate_limits_of_a_plan(service: LocalService, sdk: Any, plan: str, most: int) -> None:
    service.zone(ZONE).seed(plan=plan)
    rules = [{**limited(period=10, mitigation_timeout=10), "ref": f"r{number}"} for number in range(most + 1)]
    with pytest.raises(cloudflare.BadRequestError, match=f"{most + 1} out of {most}"):
        sdk.rulesets.phases.update(PHASE, zone_id=ZONE, rules=rules)
    sdk.rulesets.phases.update(PHASE, zone_id=ZONE, rules=rules[:most])
