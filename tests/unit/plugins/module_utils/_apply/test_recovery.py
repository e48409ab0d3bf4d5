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
from ansible_collections.edgeops.protection.plugins.module_utils._apply.recovery import (
    Applied,
    BrokenOff,
    apply_with_recovery,
)
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ProtectionError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._result import failure_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ALLOWLIST
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import CUSTOM_RULES

OWNER = {"account_id": "0" * 32}
ZONE = {"zone_id": "1" * 32}
A, B, C = (
    "10.0.0.0/8",
    "10.0.0.0/16",
    "10.0.0.0/24",
)  # networks that overlap are sent one after the other, in this order
ANSWERS = {403: "not allowed", 409: "conflict", 500: "late", 502: "gone"}
FOUND = "The module read again and found {} as desired."
PLANNED = "The module read again and planned {} again."
FAILS: Sequence[str] = ["the second look fails"]
AGAIN = " Run the task again when the cause is gone: it reads first, and does only what is left."
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


CONVERGED = {
    "at once": Row((200, 200, 200), None, done=(A, B, C)),
    "lost, and found done": Row((200, 500, 200), (A, B), done=(A, B, C), warnings=[(500, FOUND.format(B))]),
    "lost, and not done": Row((200, 500, 200, 200), (A,), done=(A, B, C), warnings=[(500, PLANNED.format(B))]),
    "lost at the end": Row((200, 200, 500), (A, B, C), done=(A, B, C), warnings=[(500, FOUND.format(C))]),
    "conflict": Row((409, 200, 200), (A,), done=(B, C), warnings=[(409, FOUND.format(A))]),
    "conflict, and deleted since": Row((409, 200, 200, 200), (), done=(A, B, C), warnings=[(409, PLANNED.format(A))]),
}
FAILURES = {
    "refused": Row((200, 403), None, done=(A,), left=(B, C), failure="not allowed"),
    "refused at once": Row((403,), None, done=(), left=(A, B, C), failure="not allowed"),
    "lost, and the second look fails": Row((200, 500), FAILS, done=(A,), left=(C,), unknown=(B,), failure=READ_FAILED),
    "lost and found done, then refused": Row(
        (200, 500, 403), (A, B), (A, B), left=(C,), warnings=[(500, FOUND.format(B))], failure="not allowed"
    ),
    "lost and not done, then refused": Row(
        (500, 403), (), (), left=(A, B, C), warnings=[(500, PLANNED.format(A))], failure="not allowed"
    ),
    "lost twice": Row((200, 500, 500), (A,), done=(A,), left=(C,), unknown=(B,), failure="late"),
    "conflict, then lost": Row(
        (200, 409, 502), (A,), done=(A,), left=(C,), unknown=(B,), warnings=[(409, PLANNED.format(B))], failure="gone"
    ),
}


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


@pytest.mark.parametrize("row", CONVERGED.values(), ids=list(CONVERGED))
def test_a_plan_is_applied(row: Row) -> None:
    applied = run(row, [])
    assert tuple(item.label for item in applied.operations) == row.done
    assert sorted(item["prefix"] for item in applied.state[ALLOWLIST.plural]) == sorted((A, B, C))
    assert (applied.again is None) == (row.second_look is None)


@pytest.mark.parametrize("row", FAILURES.values(), ids=list(FAILURES))
def test_a_plan_that_fails_says_what_is_done_left_and_unknown(row: Row) -> None:
    with pytest.raises(BrokenOff) as caught:
        run(row, [])
    broken = caught.value
    assert row.failure in failure_of(broken).message
    assert failure_of(broken).message.endswith(AGAIN) == bool(row.done or row.unknown)
    keys = [tuple(item.label for item in part) for part in (broken.done, broken.left, broken.unknown)]
    assert keys == [row.done, row.left, row.unknown]


APART = ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]  # these are sent at the same time


class Concurrent(Service):
    """Answers the first calls by their network, once all of them have begun; and then one after the other."""

    def __init__(self, first: Sequence[int], statuses: Sequence[int]) -> None:
        super().__init__(statuses)
        self.first = dict(zip(APART, first))
        self.all_begun = threading.Barrier(len(first))

    def send(self, request: Request) -> Response:
        with self.lock:
            status = self.first.pop(request.body["prefix"], None)
        if status is None:
            return super().send(request)
        self.all_begun.wait(30)
        return self.answer(status, request)


def test_operations_with_the_same_answer_share_a_warning() -> None:
    warnings: list[str] = []
    service = Concurrent([500] * 4, [200, 200])
    again = Again(planned(APART[:2], APART))
    apply_with_recovery(planned((), APART), lambda: again, Client(service, OWNER), warnings.append)
    assert len(warnings) == 1
    assert f"and found {', '.join(APART[:2])} as desired. The module" in warnings[0]
    assert warnings[0].endswith(f"and planned {', '.join(APART[2:])} again.")


def test_the_answer_that_ends_the_run_is_no_warning_and_the_others_are() -> None:
    warnings: list[str] = []
    desired = APART[:3]
    service = Concurrent([500, 409, 502], [500, 500, 500])
    with pytest.raises(ProtectionError, match="late"):
        apply_with_recovery(
            planned((), desired), lambda: Again(planned((), desired)), Client(service, OWNER), warnings.append
        )
    assert [next(text for text in ("conflict", "gone", "late") if text in warning) for warning in warnings] == [
        "conflict",
        "gone",
    ]


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


class Failing(Ruleset):
    """A ruleset whose requests fail, each with the next status; 0 is for one that succeeds."""

    def __init__(self, statuses: Sequence[int]) -> None:
        super().__init__(lambda: None)
        self.statuses = deque(statuses)

    def send(self, request: Request) -> Response:
        status = self.statuses.popleft()
        if not status:
            return super().send(request)
        body = {"success": False, "errors": [{"code": status, "message": ANSWERS[status]}], "result": None}
        return Response(status, {}, json.dumps(body).encode())


def rules_of(client: Client) -> Plan:
    """A plan that adds a rule to what there is."""
    desired = parse_desired(CUSTOM_RULES, numbered("rules", [{"ref": "new", "action": "log", "expression": "ssl"}]))
    return make_plan({"custom_rules": client.read(CUSTOM_RULES)}, [desired])


def test_a_list_that_cannot_be_read_again_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "MAX_AGE", 0.0)
    service = Failing([0, 403])
    client = Client(service, ZONE)
    plan = rules_of(client)
    with pytest.raises(ProtectionError, match=r"not allowed.* Nothing was changed\.$"):
        apply_with_recovery(plan, lambda: Again(rules_of(client)), client, print)


@pytest.mark.parametrize(("statuses", "looks"), [([0, 0, 0, 0], 1), ([0, 0, 0, 500, 0, 0], 2)])
def test_the_last_of_several_looks_is_the_one_that_counts(
    statuses: list[int], looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "MAX_AGE", 0.0)
    service = Failing(statuses)
    client = Client(service, ZONE)
    plan = rules_of(client)
    service.version = 2
    made: list[Again] = []

    def plan_again() -> Again:
        made.append(Again(rules_of(client)))
        return made[-1]

    applied = apply_with_recovery(plan, plan_again, client, lambda text: None)
    assert len(made) == looks
    assert applied.again is made[-1]
    assert applied.before == made[0].plan.before
    assert service.refs == ["first", "new"]


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
