# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Inside the worker process or packed and started: the same results, warnings and failures, scene by scene."""

from __future__ import annotations

import datetime
import json
import random
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

from tests.fake_service import LocalService
from tests.fake_service.credentials import TOKEN
from tests.functional.fault_cases import CALLS, FAULTS
from tests.functional.hostile_cases import BOTH_WAYS
from tests.functional.idempotence_cases import CASES, CUSTOM, FIREWALL
from tests.functional.risk_cases import RISK_CASES
from tests.support.ansible_run import Run, ansible_playbook
from tests.support.bad_options import MISTAKES
from tests.support.inventories import LOCAL
from tests.support.sampled_rows import sample
from tests.support.service_state import LEFT_TO_THE_SERVICE

CHECK, DO = {"check_mode": True, "diff": True}, {"diff": True}
TIMED = re.compile(
    r"\d{4}-\d\d-\d\d[T ][\d:.]+(\+00:00)?|\(ray [^)]*\)|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-f]{16}-LOC"
    r"|(?<=/bulk_operations/)[0-9a-f]{32}|(?<=/lists/)[0-9a-f]{32}"  # of what the run itself makes
)


ODD: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("allowlist_entry", {"prefix": "198.51.100.1", "comment": datetime.date(2026, 12, 1)}),
    ("allowlist_entry", {"prefix": "198.51.100.1", "comment": TOKEN}),
    ("allowlist_entry", {"prefix": "198.51.100.1", "comment": f"made with {TOKEN}"}),
    ("allowlist_entry", {"prefix": "198.51.100.1", "retries": float("inf")}),
    ("firewall_rules", {"rules": [{"id": "1" * 32, "filter": 5}]}),
    ("protection_info", {"gather_subset": ["status"], "wrong": TOKEN}),
)

BY_NAME = {"zone_id": None, "rules": [{"ref": "login", "action": "block"}]}


@dataclass(frozen=True)
class Scene:
    """Tasks of one module about a place of their own; `rounds` are keywords of each task, one after the other."""

    name: str
    module: str
    options: Mapping[str, Any]
    existing: Mapping[str, Any] = field(default_factory=dict)
    fault: Mapping[str, Any] | None = None
    rounds: Sequence[Mapping[str, Any]] = (DO,)


OF_MODULES = [case for case in CASES if case.module in MODULE_SPECS]
SCENES = (
    *(Scene(f"cycle {case.name}", case.module, case.options, case.existing, rounds=(CHECK, DO)) for case in sample(OF_MODULES, 8)),
    *(Scene(f"risk {case.name}", case.module, case.options, case.existing) for case in sample(RISK_CASES[::16], 2)),
    *(Scene(f"wrong {number}", module, options) for number, (module, options, _text) in enumerate(sample(MISTAKES[::5], 3))),
    *(
        Scene(f"{words} with a name", "custom_rules", {**BY_NAME, "zone_name": name}, {**CUSTOM, "name": existing}, rounds=(CHECK, DO))
        for words, existing, name in (
            ("one zone", "one.example", "one.example"),
            ("no zone", "another.example", "none.example"),
        )
    ),
    *(Scene(f"odd {number}", *odd, rounds=(CHECK, DO)) for number, odd in enumerate(ODD)),
    *sample([
        Scene(
            f"fault {call.words} {fault.words}",
            call.module,
            {**call.options, "retries": 0, "max_wait": 0},
            FIREWALL if call.module == "firewall_rules" else {"allowlist": [{"prefix": "198.51.100.7"}, {"prefix": "198.51.100.9"}]},
            {"kind": fault.kind, "method": call.method, "times": 1, **fault.settings},
        )
        for call in CALLS[:8]
        for fault in FAULTS
    ], 23),
    *sample([
        Scene(
            f"hostile {call.words} {answer.words}",
            call.module,
            {**call.options, "retries": 0, "max_wait": 0},
            {"allowlist": [{"prefix": "198.51.100.7"}, {"prefix": "198.51.100.9"}]},
            {"kind": answer.kind, "method": call.method, **answer.settings},
        )
        for call in CALLS[:2]
        for answer in BOTH_WAYS
    ], 23),
)  # fmt: skip


def id_of(number: int) -> str:
    return f"{number + 1:032x}"


def stage(service: LocalService) -> None:
    """Give every scene what it starts from, and its fault; what exists has the same ids each time, and so plan_ids."""
    service.reset()
    numbers = random.Random(1)
    with patch("uuid.uuid4", lambda: uuid.UUID(int=numbers.getrandbits(128), version=4)):
        stage_scenes(service)


def stage_scenes(service: LocalService) -> None:
    for number, scene in enumerate(SCENES):
        if MODULE_SPECS[scene.module].owner == "zone_id":
            service.zone(id_of(number)).seed(**scene.existing)
        else:
            service.account(id_of(number)).seed(**scene.existing)
        if scene.fault:
            service.misbehave(**{"path": id_of(number), **scene.fault})


def plays() -> list[dict[str, Any]]:
    """A play for each round of each module; its hosts are the scenes."""
    hosts: dict[tuple[int, str, str], list[str]] = {}
    for index, scene in enumerate(SCENES):
        for number, keywords in enumerate(scene.rounds):
            hosts.setdefault((number, scene.module, json.dumps(keywords)), []).append(f"h{index}")
    return [
        {
            "name": f"{module}, round {number + 1}",
            "hosts": ":".join(mine),
            "gather_facts": False,
            "tasks": [
                {
                    "name": "Act",
                    f"edgeops.protection.{module}": "{{ options }}",
                    "ignore_errors": True,
                    **json.loads(keywords),
                }
            ],
        }
        for (number, module, keywords), mine in sorted(hosts.items())
    ]


def inventory(service: LocalService) -> dict[str, Any]:
    hosts = {}
    for number, scene in enumerate(SCENES):
        options = {
            "api_token": service.token,
            "base_url": service.base_url,
            "call_budget": 0,  # or the 429 of one scene would hold up the others, which share its token
            MODULE_SPECS[scene.module].owner: id_of(number),
            **scene.options,
        }
        hosts[f"h{number}"] = {"options": {name: value for name, value in options.items() if value is not None}}
    return {"all": {"hosts": hosts, "vars": LOCAL}}


def given(value: Any) -> Any:
    """The options of a task without those that it leaves out."""
    if isinstance(value, Mapping):
        return {name: given(item) for name, item in value.items() if item is not None}
    return [given(item) for item in value] if isinstance(value, list) else value


def comparable(value: Any) -> Any:
    """A result without what differs from one run to the next."""
    if isinstance(value, Mapping):
        # A failure inside the worker process has no empty list of deprecations.
        ignored = LEFT_TO_THE_SERVICE | {"exception"} | ({"deprecations"} if not value.get("deprecations") else set())
        shown = {name: item for name, item in value.items() if name not in ignored}
        # Inside the worker process, an item of a long list has the options alone that the task gives.
        shown.update({"invocation": given(shown["invocation"])} if "invocation" in shown else {})
        return {comparable(name): comparable(item) for name, item in shown.items()}
    if isinstance(value, str):
        return TIMED.sub("...", value)
    return [comparable(item) for item in value] if isinstance(value, list) else value


def played(folder: Path, service: LocalService, inside: bool) -> tuple[Run, list[str]]:
    """All scenes one way: the run, and the calls that the service saw."""
    stage(service)
    run = ansible_playbook(
        *("-i", folder / "inventory.yml", "--forks", "4"),
        *("-e", json.dumps({"edgeops_protection_in_worker": inside}), folder / "plays.yml"),
        environment={"ANSIBLE_INJECT_FACT_VARS": "0", "ANSIBLE_INJECT_INVOCATION": "1"},
    )
    return run, sorted(TIMED.sub("...", f"{call.method} {call.path} {call.status}") for call in service.calls)


def endings(run: Run) -> list[tuple[str, str, Any]]:
    """How each scene ended, round by round."""
    tasks = sorted(run.tasks, key=lambda task: task.host)
    return [(SCENES[int(task.host[1:])].name, task.outcome, comparable(task.result)) for task in tasks]


def warnings(run: Run) -> list[str]:
    return sorted(TIMED.sub("...", line) for line in run.output.splitlines() if "[WARNING]" in line)


def test_every_scene_ends_the_same_with_the_same_calls_and_warnings(tmp_path: Path) -> None:
    with LocalService() as service:
        (tmp_path / "inventory.yml").write_text(yaml.safe_dump(inventory(service)), encoding="utf-8")
        (tmp_path / "plays.yml").write_text(yaml.safe_dump(plays()), encoding="utf-8")
        inside, packed = (played(tmp_path, service, way) for way in (True, False))
    assert len(inside[0].tasks) == sum(len(scene.rounds) for scene in SCENES)
    for here, there in zip(endings(inside[0]), endings(packed[0]), strict=True):
        assert here == there
    assert inside[1] == packed[1]
    assert warnings(inside[0]) == warnings(packed[0])
    assert any("Accepted" in line for line in warnings(inside[0]))
    assert all("module_args" in task.result["invocation"] for task in inside[0].tasks)
    assert not any(TOKEN in json.dumps(task.result) for run in (inside[0], packed[0]) for task in run.tasks)
