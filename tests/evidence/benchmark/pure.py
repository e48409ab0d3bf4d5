# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Functions alone, without Ansible and without a service:
`python -m tests.evidence.benchmark.pure CASE SIZE`, with plan, loads, html, json, rules, expectations, traffic, backtest or
rows for CASE.

Each run is a process of its own, since no module plans twice with what it has remembered. It prints the seconds of its
processor. One prefix in a hundred is new, one changes and one goes; the hosts of a report have every status in turn. The
rules of a zone are planned with and without 100 expectations, and their traffic is compared with that of rules of which one is
narrower, with the search for garbage as rare as in a module. As many groups of past requests are evaluated under 100 rules, of
which five are new.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._engine import RARE_COLLECTION
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import (
    check_values,
    numbered,
    parse_desired,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.backtest import Backtest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.difference import traffic_difference
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import parse_expectations
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expected import expectation_records
from ansible_collections.edgeops.protection.plugins.module_utils._protection.past_requests import ANALYTICS, FieldReader
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import html_page, json_text

from tests.support.report_fleet import fleet
from tests.support.reports import make_report

from .accounts import identifier, prefixes
from .items import seconds

STAMP = "2026-01-01T00:00:00Z"
DIFFERS = 100


def lists(size: int) -> bytes:
    """What is existing and what is desired, as the service and the options of a module have it."""
    everything = prefixes(size + size // DIFFERS)
    existing = [
        {"id": identifier(number), **entry, "created_on": STAMP, "modified_on": STAMP}
        for number, entry in enumerate(everything[:size])
    ]
    desired = [
        {**entry, "comment": "changed" if number % DIFFERS == 1 else ""}
        for number, entry in enumerate(everything)
        if number % DIFFERS or number >= size
    ]
    return json.dumps({"existing": existing, "desired": desired}).encode()


def plan(document: Any) -> int:
    """The number of changes that follow."""
    desired = parse_desired(PREFIXES, numbered("prefixes", document["desired"]), exclusive=True)
    return len(make_plan({PREFIXES.plural: document["existing"]}, [desired]).operations)


def zone_rules(size: int) -> list[dict[str, Any]]:
    """The custom rules of a zone, whose expressions have four comparisons each."""
    return [
        {
            "ref": f"rule-{number}",
            "action": "block" if number % 3 else "log",
            "expression": f'(http.host eq "h{number}.example" and http.request.uri.path contains "/p{number}")'
            f' or (ip.src in {{198.51.{number % 200}.0/24}} and lower(http.user_agent) contains "bot{number}")',
        }
        for number in range(size)
    ]


def expected() -> list[dict[str, Any]]:
    """What is expected of 100 requests, each from another source to another host."""
    return [
        {
            "request": {"source": f"192.0.2.{number}", "host": f"h{number}.example", "path": "/", "user_agent": "x"},
            "expect": "allowed",
        }
        for number in range(100)
    ]


def plan_rules(rules: list[dict[str, Any]], expectations: Sequence[Mapping[str, Any]]) -> bool:
    """Plan a rule that changes among all others, as a task does; whether all that is expected is met."""
    desired = parse_desired(CUSTOM_RULES, numbered("rules", rules), exclusive=True)
    existing = [{**rule, "id": identifier(number), "enabled": True} for number, rule in enumerate(rules)]
    existing[-1]["action"] = "managed_challenge"
    plan = make_plan({CUSTOM_RULES.plural: existing}, [desired])
    parsed = parse_expectations({"expectations": expectations})
    records = expectation_records(parsed, plan.before, plan.after()) if parsed else []
    warnings = check_values([desired])
    return len(plan.operations) == 1 and not warnings and all(record["met"] for record in records)


def traffic_of_change(rules: Sequence[Mapping[str, Any]]) -> bool:
    """Compare the traffic of rules with that of the same, one of which blocks less; whether a request passes."""
    middle = len(rules) // 2
    narrower = {**rules[middle], "expression": f"({rules[middle]['expression']}) and ssl"}
    states = [{CUSTOM_RULES.plural: side} for side in (rules, [*rules[:middle], narrower, *rules[middle + 1 :]])]
    changes = traffic_difference(*states)
    return changes.known and bool(changes.passes) and not changes.stopped


def past_requests(size: int) -> bytes:
    """Groups of requests as the analytics answer with them: no two have the same address and user agent."""
    requests = [
        {
            "clientRequestHTTPHost": f"h{number % 120}.example",
            "clientRequestPath": f"/p{number % 200}/{number}.html",
            "clientIP": f"198.51.{number % 256}.{number // 256 % 256}",
            "userAgent": f"Mozilla/5.0 (X11; Linux x86_64; rv:{number}.0) bot{number % 300}",
        }
        for number in range(size)
    ]
    rows = [
        {"count": 10 + number, "confidence": {"count": {"sampleSize": 10}}, "dimensions": request}
        for number, request in enumerate(requests)
    ]
    return json.dumps(rows).encode()


def backtest(rows: Sequence[Mapping[str, Any]]) -> int:
    """The number of requests that were evaluated."""
    rules = [{**rule, "id": identifier(number), "enabled": True} for number, rule in enumerate(zone_rules(100))]
    tried = Backtest({CUSTOM_RULES.plural: rules[:-5]}, {CUSTOM_RULES.plural: rules})
    reader = FieldReader(tried.fields, ANALYTICS)
    of_rows = ((tuple(map(row["dimensions"].get, reader.names)), row["count"], 10) for row in rows)
    for part in reader.groups(of_rows):
        tried.add(part)
    record = tried.record((None, None), ())
    return (record["requests"] or 0) if record["rules"] and not record["undecided"]["requests"] else 0


def work(what: str, size: int) -> Callable[[], bool]:
    """What is measured; it returns whether the result is right."""
    if what in ("html", "json"):
        make: Mapping[str, Callable[[Any], str]] = {"html": html_page, "json": json_text}
        report = make_report(fleet(size), "2026-01-01T00:00:00+00:00")
        return lambda: f"host-{size - 1:04}" in make[what](report)
    if what in ("rules", "expectations"):
        return lambda: plan_rules(zone_rules(size), expected() if what == "expectations" else [])
    if what == "traffic":
        gc.set_threshold(*RARE_COLLECTION)
        rules = [{**rule, "enabled": True} for rule in zone_rules(size)]
        return lambda: traffic_of_change(rules)
    if what == "backtest":
        rows = json.loads(past_requests(size))
        return lambda: backtest(rows) > 10 * size
    text = past_requests(size) if what == "rows" else lists(size)
    if what in ("loads", "rows"):
        return lambda: bool(json.loads(text))
    document = json.loads(text)
    return lambda: plan(document) == 3 * (size // DIFFERS)


if __name__ == "__main__":
    print(seconds(work(sys.argv[1], int(sys.argv[2]))))
