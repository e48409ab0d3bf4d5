# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Functions alone, without Ansible and without a service:
`python -m tests.evidence.benchmark.pure CASE SIZE`, with plan, loads, items, items_new, items_half, items_read, items_loads, items_sorted,
html, json, rules, expectations, backtest or rows for CASE.

Each run is a process of its own, since no module plans twice with what it has remembered. It prints the seconds of its
processor. One prefix in a hundred is new, one changes and one goes; the hosts of a report have every status in turn. The
rules of a zone are planned with and without 100 expectations. As many groups of past requests are evaluated under 100 rules, of
which five are new. Items are those of a list that ip_list keeps, in check mode; they come from texts.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._arguments import read_options
from ansible_collections.edgeops.protection.plugins.module_utils._engine import perform, read_state
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import (
    check_values,
    numbered,
    parse_desired,
)
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.backtest import Backtest
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expectation import parse_expectations
from ansible_collections.edgeops.protection.plugins.module_utils._protection.expected import expectation_records
from ansible_collections.edgeops.protection.plugins.module_utils._protection.past_requests import ANALYTICS, Reader
from ansible_collections.edgeops.protection.plugins.module_utils._runner import SELDOM
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.lists import LISTS, items_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import argument_spec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.task import parse_task
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import make_report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import html_page, json_text

from tests.support.report_fleet import fleet

from .accounts import identifier, prefixes

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


NAME = "feed"


def item(number: int, comment: str = "") -> dict[str, Any]:
    """An item of a list: of ten, one is a network, and the others are addresses."""
    first = f"{10 + number // 65536}.{number // 256 % 256}.{number % 256}.0"
    return {"ip": first if number % 10 else f"{first}/24", "comment": comment}


def desired_items(size: int, change: str = "") -> list[dict[str, Any]]:
    """The items of a task. They differ from the existing ones as prefixes do; or all are `new`, or the comment of `half` of
    them changes."""
    if change == "half":
        return [item(number, "changed" * (number % 2)) for number in range(size)]
    if change == "new":
        return [item(number) for number in range(size)]
    every = range(size + size // DIFFERS)
    return [
        item(number, "changed" if number % DIFFERS == 1 else "")
        for number in every
        if number % DIFFERS or number >= size
    ]


PAGE = items_of(NAME).page_size
CHANGED: Mapping[str, Callable[[int], int]] = {  # how many items change, by what is measured
    "items": lambda size: 3 * (size // DIFFERS),
    "items_new": lambda size: size,
    "items_half": lambda size: size // 2,
}


class Serving:
    """Answers the calls for one list of so many items in the place of a session; it keeps none of them."""

    calls = 0

    def __init__(self, existing: int) -> None:
        self.existing = existing

    def page(self, start: int) -> str:
        items = (
            f'{{"id": "{identifier(number)}", "ip": "{item(number)["ip"]}", "comment": "", "created_on": "{STAMP}"}}'
            for number in range(start, min(start + PAGE, self.existing))
        )
        return f"[{', '.join(items)}]"

    def send(self, request: Request) -> Response:
        """A page of the items; or the list, the only one of its account, to whose items no rule refers."""
        number, info = int(request.query.get("cursor", 0)), "{}"
        result = json.dumps([{"id": identifier(1), "name": NAME, "kind": "ip", "description": ""}])
        if not request.path.endswith(("/items", "/lists")):  # the rules of the account, or its type
            result = json.dumps({"id": identifier(2), "type": "enterprise", "rules": []})
        if request.path.endswith("/items"):
            after = number + PAGE if number + PAGE < self.existing else ""
            result, info = self.page(number), json.dumps({"cursors": {"after": str(after)}})
        text = f'{{"success": true, "errors": [], "messages": [], "result": {result}, "result_info": {info}}}'
        return Response(200, {}, text.encode())


def planned_items(existing: int, desired: Sequence[Any]) -> int:
    """The number of changes of ip_list in check mode, from its options to its result."""
    spec = MODULE_SPECS["ip_list"]
    own = {"account_id": identifier(0), "api_token": "x" * 40}
    options = read_options(argument_spec(spec), {**own, "name": NAME, "items": desired, "purge": True})
    warnings: list[str] = []
    gc.set_threshold(*SELDOM)  # as each run does
    task = parse_task(spec, options, {}, warnings.append)
    result = perform(task, Client(Serving(existing), own), True, warnings.append)
    return 0 if warnings else len(result["operations"])


def read_items(existing: int) -> bool:
    """Read the list and its items as the module does; whether these are all."""
    client = Client(Serving(existing), {"account_id": identifier(0)})
    resource = items_of(NAME)
    return bool(read_state(client, [LISTS])) and len(read_state(client, [resource])[resource.plural]) == existing


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
    reader = Reader(tried.fields, ANALYTICS)
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
    if what == "backtest":
        rows = json.loads(past_requests(size))
        return lambda: backtest(rows) > 10 * size
    if what.startswith("items"):
        return work_on_items(what, size)
    text = past_requests(size) if what == "rows" else lists(size)
    if what in ("loads", "rows"):
        return lambda: bool(json.loads(text))
    document = json.loads(text)
    return lambda: plan(document) == 3 * (size // DIFFERS)


def work_on_items(what: str, size: int) -> Callable[[], bool]:
    """What one run does with a list of this size."""
    if what == "items_read":
        return lambda: read_items(size)
    desired = desired_items(size, what.partition("_")[2])
    if what == "items_loads":
        text = json.dumps(desired)
        return lambda: bool(json.loads(text))
    if what == "items_sorted":
        return lambda: bool(sorted(desired, key=lambda one: str(one["ip"])))
    return lambda: planned_items(0 if what == "items_new" else size, desired) == CHANGED[what](size)


def seconds(what: str, size: int) -> float:
    """The processor's time; raises SystemExit for a wrong result."""
    function = work(what, size)
    start = time.process_time()
    right = function()
    taken = time.process_time() - start
    if not right:
        raise SystemExit("The result is not what is expected.")
    return taken


if __name__ == "__main__":
    print(seconds(sys.argv[1], int(sys.argv[2])))
