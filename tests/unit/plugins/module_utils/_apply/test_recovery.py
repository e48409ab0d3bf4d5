# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writers who write between the requests of another lose nothing of each other."""

from __future__ import annotations

import json
import random
from typing import Callable

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response
from ansible_collections.edgeops.protection.plugins.module_utils._apply import executor
from ansible_collections.edgeops.protection.plugins.module_utils._apply import recovery as second_look
from ansible_collections.edgeops.protection.plugins.module_utils._apply.recovery import Applied, apply_to_end, renewed
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import numbered, parse_desired
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._plan.reconcile import make_plan
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import State


class Ruleset:
    """A ruleset with versions; before each request, other writers may write."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self.version = 1
        self.versions = {1: ["first"]}
        self.calls = 0
        self.meanwhile = meanwhile

    def send(self, request: Request) -> Response:
        self.meanwhile()
        if request.method != "GET":
            self.version += 1
            self.versions[self.version] = [rule["ref"] for rule in request.body["rules"]]
        _path, _versions, asked = request.path.partition("/versions/")
        version = int(asked) if asked else self.version
        rules = [{"id": ref, "ref": ref, "action": "log", "expression": "ssl"} for ref in self.versions[version]]
        result = {"id": "7" * 32, "version": str(version), "rules": rules}
        return Response(200, {}, json.dumps({"success": True, "errors": [], "result": result}).encode())


def interleaved(numbers: random.Random) -> tuple[list[str], list[str], list[str], list[str]]:
    """Two writers and more, each of whom writes between the requests of another: what each adds, what is lost, the warnings."""
    written: list[str] = []
    warnings: list[str] = []
    depth = 0

    def write() -> None:
        nonlocal depth
        depth += 1
        ref = f"r{len(written)}"
        written.append(ref)
        client = Client(service, {"zone_id": "1" * 32})

        rule = {"ref": ref, "action": "log", "expression": "ssl"}
        desired = [parse_desired(CUSTOM_RULES, numbered("rules", [rule]))]

        def plan() -> Plan:
            return make_plan({"custom_rules": client.read(CUSTOM_RULES)}, desired)

        class LaterPlans:
            plan_again = staticmethod(plan)

            def state_after(self, existing: State) -> State:
                return make_plan(existing, desired).after()

            def check_second(self, second: Plan) -> None:
                pass

        first = plan()
        last = renewed(first, plan, client, warnings.append)
        outcome = apply_to_end(last, first, LaterPlans(), client, warnings.append)
        assert isinstance(outcome, Applied)
        depth -= 1

    def others() -> None:
        if depth < 3 and numbers.random() < 0.25:
            write()

    service = Ruleset(others)
    write()
    lost = [ref for ref in ("first", *written) if ref not in service.versions[service.version]]
    put_back = [text for text in warnings if "puts back" in text]
    planned_again = [text for text in warnings if "plans again" in text]
    return written, lost, put_back, planned_again


@pytest.mark.parametrize("age", [0.0, 100.0])
def test_two_writers_never_lose_a_rule(age: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "MAX_AGE", age)
    monkeypatch.setattr(executor, "_can_be_single", lambda *_any: False)  # which would lose nothing anyway
    monkeypatch.setattr(second_look, "MOST_SECOND_PLANS", 1000)  # others go on to write for long
    monkeypatch.setattr(second_look, "concurrently", map)  # one writer of the model takes one step at a time
    runs = [interleaved(random.Random(seed)) for seed in range(100)]
    assert not [run for run in runs if run[1]]
    several = [run for run in runs if len(run[0]) > 1]
    assert len(several) > 30
    assert any(run[3] for run in several) is (age == 0)
    assert len([run for run in several if run[2]]) > 10
