# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests of one client in a period of a rate limit: by the analytics, and by counting each request alone."""

from __future__ import annotations

import math
import random
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.measured import (
    client_counts,
    counted_limit,
    measurement,
)
from ansible_collections.edgeops.protection.plugins.module_utils._protection.past_requests import ANALYTICS, FieldReader
from ansible_collections.edgeops.protection.plugins.module_utils._traffic.queries import Row

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules

API = 'http.request.uri.path eq "/api"'
LIMIT = {
    "characteristics": ["cf.colo.id", "ip.src"],
    "period": 60,
    "requests_per_period": 100,
    "mitigation_timeout": 600,
}
NUMBERS = ("clients", "requests", "p50", "p95", "p99", "p99_9")
NOTHING: dict[str, Any] = dict.fromkeys(NUMBERS)


def rule(ref: str = "api", expression: str = API, **limit: Any) -> dict[str, Any]:
    return {"ref": ref, "action": "block", "expression": expression, "ratelimit": {**LIMIT, **limit}}


def request(service: LocalService, minutes_ago: float, count: int = 1, **dimensions: Any) -> dict[str, Any]:
    moment = service.clock.now() - timedelta(minutes=minutes_ago)
    defaults = {"clientRequestPath": "/api", "clientIP": "203.0.113.7", "coloCode": "FRA"}
    return {**defaults, "datetime": moment.isoformat(), "count": count, **dimensions}


def measured(modules: Modules, *rules: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    """The measurements, which check mode, the run and a second run have in common; the second changes nothing."""
    values = {"rules": list(rules or [rule()]), "measure": True, "measure_hours": 2, **options}
    predicted, done = modules.done("rate_limit_rules", check=True, **values), modules.done("rate_limit_rules", **values)
    again = modules.done("rate_limit_rules", **values)
    assert predicted["measured"] == done["measured"] == again["measured"] and not again["changed"]
    records: list[dict[str, Any]] = done["measured"]
    return records


def steady(service: LocalService) -> list[dict[str, Any]]:
    """Requests that no limit counts, in each hour."""
    return [request(service, minutes, 40, clientRequestPath="/") for minutes in range(5, 120, 20)]


def test_the_requests_of_a_client_in_a_period(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, requests=[
        *steady(service),
        request(service, 60.2, 5), request(service, 60.1, 4), request(service, 30, 2),
        request(service, 30, 7, clientIP="203.0.113.8"), request(service, 30, 1, coloCode="AMS"),
    ])  # fmt: skip
    (record,) = measured(modules)
    assert record["unknown"] == [] and record["known"]
    assert (record["ref"], record["period"], record["clients"], record["requests"]) == ("api", 60, 3, 19)
    assert record["p99"] in (7, 9)


@pytest.mark.parametrize(("limit", "reason"), [
    ({"characteristics": ["cf.colo.id", "cf.unique_visitor_id"]}, "The analytics do not have cf.unique_visitor_id."),
    ({"characteristics": ["cf.colo.id", 'http.request.headers["x-api-key"]']},
     'The analytics do not have http.request.headers["x-api-key"].'),
    ({"requests_to_origin": True}, "It counts requests to the origin alone, which the analytics do not tell apart."),
    ({"counting_expression": "http.response.code eq 401"},
     "Of 19 requests it is not known, without http.response.code."),
])  # fmt: skip
def test_a_limit_that_the_analytics_cannot_tell(
    limit: Any, reason: str, service: LocalService, modules: Modules
) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, requests=[request(service, 30, 19), request(service, 90, 0)])
    (record,) = measured(modules, rule(**limit))
    assert {name: record[name] for name in NUMBERS} == NOTHING and not record["known"]
    assert reason in record["unknown"]


def test_sampled_requests_tell_no_single_client(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(
        account_id=ACCOUNT, requests=[*steady(service), request(service, 30, 100, sampleInterval=10)]
    )
    (record,) = measured(modules)
    assert not record["known"] and record["p99"] is None
    assert record["unknown"] == ["Cloudflare samples these requests, so that it does not count single ones."]


def test_nothing_is_known_without_analytics(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, analytics={"requests": {"enabled": False}})
    (record,) = measured(modules)
    assert not record["known"] and record["unknown"] and record["requests"] is None


def test_no_requests_that_a_limit_counts_are_no_quantile(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(account_id=ACCOUNT, requests=steady(service))
    (record,) = measured(modules)
    assert record["known"] and {name: record[name] for name in NUMBERS} == {**NOTHING, "clients": 0, "requests": 0}


def test_a_task_that_asks_for_nothing_measures_nothing(service: LocalService, modules: Modules) -> None:
    assert "measured" not in modules.done("rate_limit_rules", check=True, rules=[rule()])
    assert not service.queries


@pytest.mark.parametrize("hours", [0, -1, 5000])
def test_hours_that_no_analytics_have(hours: float, modules: Modules) -> None:
    failed = modules.failed("rate_limit_rules", check=True, rules=[rule()], measure=True, measure_hours=hours)
    assert failed["msg"].startswith("measure_hours: ")


# By the field, the dimension of the analytics.
CHARACTERISTICS = {"ip.src": "clientIP", "http.host": "clientRequestHTTPHost", "ip.src.country": "clientCountryName"}


class Model:
    """Requests at random, one by one, and the limit that counts them."""

    def __init__(self, seed: int, service: LocalService) -> None:
        self.random = random.Random(seed)
        self.until = service.clock.now()
        self.period = self.random.choice([10, 60, 120, 300, 600, 900, 3600])
        chosen = self.random.sample(sorted(CHARACTERISTICS), self.random.randint(0, 3))
        self.characteristics = ["cf.colo.id", *chosen]
        self.requests = [self._request() for _number in range(self.random.randint(40, 400))]

    def _request(self) -> dict[str, Any]:
        choose = self.random.choice
        moment = self.until - timedelta(seconds=self.random.randint(1, 7199))
        return {
            "clientIP": f"203.0.113.{self.random.randint(1, 5)}",
            "clientRequestHTTPHost": choose(["a.example", "b.example"]),
            "clientCountryName": choose(["DE", "FR"]),
            "coloCode": choose(["FRA", "AMS"]),
            "clientRequestPath": choose(["/api", "/api", "/"]),
            "datetime": moment.replace(microsecond=0).isoformat(),
            "moment": int(moment.timestamp()),
        }

    def expected(self) -> dict[str, Any]:
        """The numbers by counting each request: a quantile is the lowest number that so many periods keep to."""
        dimensions = ["coloCode", *(CHARACTERISTICS[name] for name in self.characteristics[1:])]
        counts: Counter[Any] = Counter()
        for each in self.requests:
            if each["clientRequestPath"] == "/api":
                client = tuple(each[name] for name in dimensions)
                counts[client, each["moment"] // self.period] += 1
        numbers = list(counts.values())

        def quantile(share: float) -> int:
            needed = math.ceil(round(share * len(numbers), 6))
            return min(number for number in numbers if sum(each <= number for each in numbers) >= needed)

        shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99_9": 0.999}
        return {
            "clients": len({client for client, _period in counts}),
            "requests": sum(numbers),
            **{name: quantile(share) for name, share in shares.items()},
        }

    def measured(self) -> dict[str, Any]:
        """The numbers of the collection, for these requests as rows of the analytics."""
        limit = counted_limit(rule(characteristics=self.characteristics, period=self.period), {})
        reader = FieldReader([*limit.expression.names, *limit.fields], ANALYTICS)
        rows = Counter((*(each[name] for name in reader.names), each["datetime"]) for each in self.requests)
        groups = [Row("", "", "", "", "", number, number, values) for values, number in rows.items()]
        record: dict[str, Any] = {**measurement(limit, client_counts(limit, reader, groups, {}))}
        assert record["known"]
        return {name: record[name] for name in NUMBERS}


def test_the_measurement_equals_counting_one_by_one(service: LocalService) -> None:
    for seed in range(200):
        model = Model(seed, service)
        assert model.measured() == model.expected(), seed


@pytest.mark.parametrize("seed", range(200, 206))
def test_the_module_measures_what_counting_one_by_one_finds(seed: int, service: LocalService, modules: Modules) -> None:
    model = Model(seed, service)
    sent = [{name: value for name, value in each.items() if name != "moment"} for each in model.requests]
    service.zone(ZONE).seed(account_id=ACCOUNT, requests=sent)
    (record,) = measured(modules, rule(characteristics=model.characteristics, period=model.period))
    assert {name: record[name] for name in NUMBERS} == model.expected()
