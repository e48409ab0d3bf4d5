# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random changes of a staged rule that stops requests already, against a small model of docs/rollout.md, which goes by single
kinds of requests: does the rule get its new values, or go on as it is? `make plans` compares 600."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence.models.random_plans import ONE_SERVICE
from tests.fake_service import LocalService
from tests.support.module_run import ZONE, Modules

PATHS, METHODS = ("/", "/a", "/a/b", "/b"), ("GET", "POST")
KINDS = [*product(PATHS, METHODS)]
PATH, METHOD = "http.request.uri.path", "http.request.method"
OF_PATHS = {  # by a condition, the paths that meet it
    f'{PATH} eq "/a"': {"/a"},
    f'starts_with({PATH}, "/a")': {"/a", "/a/b"},
    f'{PATH} in {{"/a" "/b"}}': {"/a", "/b"},
    f'{PATH} contains "b"': {"/a/b", "/b"},
}
OF_METHODS = {f'{METHOD} eq "POST"': {"POST"}, f'{METHOD} in {{"GET" "POST"}}': {"GET", "POST"}}
WAITS, REPLACED, SAME = "waits", "replaced", "same"
ACCEPTED = ["weakens_zone", "passes_traffic"]


@dataclass(frozen=True)
class Rule:
    """A rule that stops requests which meet both conditions."""

    action: str
    path: str
    method: str

    @property
    def stopped(self) -> set[tuple[str, str]]:
        return {*product(OF_PATHS[self.path], OF_METHODS[self.method])}

    def values(self, **more: Any) -> dict[str, Any]:
        return {"ref": "admin", "action": self.action, "expression": f"{self.path} and {self.method}", **more}


RULES = st.builds(
    Rule, st.sampled_from(["block", "managed_challenge"]), st.sampled_from([*OF_PATHS]), st.sampled_from([*OF_METHODS])
)
COUNTS = st.lists(st.sampled_from([0, 0, 1, 40, 3000]), min_size=len(KINDS), max_size=len(KINDS))


def expected(existing: Rule, rule: Rule, counts: dict[tuple[str, str], int], most: float) -> str:
    """The end that the page tells: the rule stops so many more of the requests that pass today."""
    if existing == rule:
        return SAME
    blocked = existing.stopped if existing.action == "block" else set()
    is_harder = rule.action == "block" and existing.action != "block"
    newly_stopped = rule.stopped if is_harder else rule.stopped - existing.stopped
    passing = sum(number for kind, number in counts.items() if kind not in blocked)
    stopped = sum(counts[kind] for kind in newly_stopped)
    return WAITS if stopped > Fraction(str(most)) / 100 * passing else REPLACED


@pytest.mark.ends(WAITS, REPLACED, of="evidence")
@given(existing=RULES, rule=RULES, numbers=COUNTS, most=st.sampled_from([0, 0.1, 5]), plan=st.sampled_from(["pro", "enterprise"]))  # fmt: skip
@settings(suppress_health_check=ONE_SERVICE)
def test_a_rule_gets_wider_exactly_if_past_requests_allow_it(
    service: LocalService,
    modules: Modules,
    outcomes: Counter[str],
    existing: Rule,
    rule: Rule,
    numbers: list[int],
    most: float,
    plan: str,
) -> None:
    service.reset()
    zone = service.zone(ZONE).seed(name="shop.example", plan=plan)
    modules.done("custom_rules", zone_id=ZONE, rules=[existing.values()])
    counts = dict(zip(KINDS, numbers, strict=True))
    counts["/", "GET"] += 10000
    requests = [
        {"clientRequestPath": path, "clientRequestHTTPMethodName": method, "count": number}
        for (path, method), number in counts.items()
        if number
    ]
    zone.seed(requests=requests)
    options: dict[str, Any] = {"zone_id": ZONE, "accept_risks": ACCEPTED}
    options["rules"] = [rule.values(staged={"max_stopped_percent": most})]
    predicted = modules.done("custom_rules", check=True, **options)
    done = modules.done("custom_rules", **options)
    end = expected(existing, rule, counts, most)
    assert (done["changed"], bool(done.get("pending"))) == (end == REPLACED, end == WAITS), done
    again = modules.done("custom_rules", **options)
    assert not again["changed"] and again.get("pending") == done.get("pending") == predicted.get("pending")
    assert predicted["operations"] == done["operations"]
    (stored,) = zone.custom_rules
    in_force = existing if end == WAITS else rule
    assert (stored["action"], stored["expression"]) == (in_force.action, in_force.values()["expression"])
    outcomes[end] += 1
