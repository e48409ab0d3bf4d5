# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan comes to an end that can be told: done, left or unknown, after at most one second look."""

from __future__ import annotations

import json
import random
import threading
from collections import deque
from typing import Callable, NamedTuple, Sequence

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._apply import executor
from ansible_collections.edgeops.protection.plugins.module_utils._apply.recovery import Applied, apply_with_recovery
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ProtectionError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES

OWNER = {"account_id": "0" * 32}
A, B, C = (
    "10.0.0.0/8",
    "10.0.0.0/16",
    "10.0.0.0/24",
)  # networks that overlap are sent one after the other, in this order
ANSWERS = {403: "not allowed", 409: "conflict", 500: "late", 502: "gone"}
FAILS: Sequence[str] = ["the second look fails"]
READ_FAILED = "The second look failed."


class Service:
    """Answers the calls one after the other, each with the next status."""

    def __init__(self, statuses: Sequence[int]) -> None:
        self.statuses = deque(statuses)
        self.calls = 0
        self.lock = threading.Lock()

    def send(self, request: Request) -> Response:
        return self.answer(self.statuses.popleft(), request)

    def answer(self, status: int, request: Request) -> Response:
        good = status < 300
        errors = [] if good else [{"code": status, "message": ANSWERS[status]}]
        envelope = {"success": good, "errors": errors, "result": request.body if good else None}
        return Response(status, {}, json.dumps(envelope).encode())


class Again(NamedTuple):
    plan: Plan


class Row(NamedTuple):
    """The statuses of all writes, what a second look finds (None: none is made), and how it ends."""

    statuses: Sequence[int]
    second_look: Sequence[str] | None
    done: Sequence[str]
    left: Sequence[str] = ()
    unknown: Sequence[str] = ()
    warnings: Sequence[tuple[int, str]] = ()
    failure: str = ""


def planned(existing: Sequence[str], desired: Sequence[str] = (A, B, C)) -> Plan:
    before = [{"id": prefix, "prefix": prefix, "comment": "", "enabled": True} for prefix in existing]
    entries = numbered("x", [{"prefix": prefix} for prefix in desired])
    return make_plan({ALLOWLIST.plural: before}, [parse_desired(ALLOWLIST, entries)])


def run(row: Row, warnings: list[str]) -> Applied[Again]:
    """Apply the plan; a second look that the row does not expect fails, and so does a call that is not made."""
    looks = iter([] if row.second_look is None else [row.second_look])

    def plan_again() -> Again:
        look = next(looks)
        if look is FAILS:
            raise ProtectionError(READ_FAILED)
        return Again(planned(look))

    service = Service(row.statuses)
    try:
        return apply_with_recovery(planned(()), plan_again, Client(service, OWNER), warnings.append)
    finally:
        assert not service.statuses
        assert not list(looks)
        assert len(warnings) == len(row.warnings)
        for text, (status, end) in zip(warnings, row.warnings):
            assert ANSWERS[status] in text
            assert text.endswith(f" {end}")


class Ruleset:
    """A ruleset with versions; before each request, other writers may write."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self.version = 1
        self.refs = ["first"]
        self.calls = 0
        self.meanwhile = meanwhile

    def send(self, request: Request) -> Response:
        self.meanwhile()
        if request.method == "PUT":
            self.version += 1
            self.refs = [rule["ref"] for rule in request.body["rules"]]
        rules = [{"id": ref, "ref": ref, "action": "log", "expression": "ssl"} for ref in self.refs]
        result = {"id": "7" * 32, "version": str(self.version), "rules": rules}
        return Response(200, {}, json.dumps({"success": True, "errors": [], "result": result}).encode())


def interleaved(numbers: random.Random) -> tuple[list[str], list[str], list[str], list[str]]:
    """Two writers and more, each of whom writes between the requests of another: what each adds, the refs, the warnings."""
    written: list[str] = []
    warnings: list[str] = []
    depth = 0

    def write() -> None:
        nonlocal depth
        depth += 1
        ref = f"r{len(written)}"
        written.append(ref)
        client = Client(service, {"zone_id": "1" * 32})

        def plan() -> Plan:
            rule = {"ref": ref, "action": "log", "expression": "ssl"}
            desired = parse_desired(CUSTOM_RULES, numbered("rules", [rule]))
            return make_plan({"custom_rules": client.read(CUSTOM_RULES)}, [desired])

        apply_with_recovery(plan(), lambda: Again(plan()), client, warnings.append)
        depth -= 1

    def meanwhile() -> None:
        if depth < 3 and numbers.random() < 0.25:
            write()

    service = Ruleset(meanwhile)
    write()
    lost = [ref for ref in ("first", *written) if ref not in service.refs]
    replaced = [text for text in warnings if "which this write replaced" in text]
    planned_again = [text for text in warnings if "plans again" in text]
    return written, lost, replaced, planned_again


@pytest.mark.parametrize("age", [0.0, 100.0])
def test_two_writers_never_lose_a_rule_silently(age: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "MAX_AGE", age)
    runs = [interleaved(random.Random(seed)) for seed in range(400)]
    assert not [run for run in runs if run[1] and not run[2]]
    several = [run for run in runs if len(run[0]) > 1]
    assert len(several) > 120
    assert any(run[3] for run in several) is (age == 0)
    if age == 0:
        assert len([run for run in several if run[3] and not run[1]]) > 40
