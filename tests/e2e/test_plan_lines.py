# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a host at a terminal: traffic, what is refused, and the operations, with values that are copied and pasted."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_environment, ansible_playbook
from tests.support.inventories import write_inventory
from tests.support.module_run import ZONE

PLAYBOOK = REPOSITORY / "playbooks" / "baseline.yml"
RULE = {"ref": "it's", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
NARROW = {**RULE, "expression": f"{RULE['expression']} and ip.src in {{203.0.113.0/25}}"}
LOG = {**RULE, "action": "log"}
KNOWN = {"code": "weakens_zone", "entries": ["of another's"], "resource": "custom_rule", "reason": 'the "boss"'}
PASS = "lima: Requests pass that are blocked today: GET "
NAME = "lima: ~ Custom rule it's: "


def inventory(folder: Path, service: LocalService, rule: Mapping[str, Any], accepted: Any = (KNOWN,)) -> Path:
    service.zone(ZONE).seed(custom_rules=[RULE])
    host = {"edge_zone_id": ZONE, "baseline_custom_rules": [dict(rule)], "baseline_accept_risks": [*accepted]}
    return write_inventory(folder, service, {"zones": {"lima": host}})


def play(path: Path, *arguments: str, **environment: str) -> Run:
    return ansible_playbook("-i", path, *arguments, PLAYBOOK, environment=environment)


def lines_on_plan(run: Run) -> list[str]:
    return [
        line for line in run.output.splitlines() if line.startswith(("lima: ~", "lima: Requests ", "lima: Refused"))
    ]


def test_a_plan_says_what_becomes_of_traffic_and_then_its_operations(service: LocalService, tmp_path: Path) -> None:
    path = inventory(tmp_path, service, NARROW, ["weakens_zone"])
    traffic, operation = lines_on_plan(play(path, "--check").done())
    assert traffic.startswith(PASS)
    assert operation == f"{NAME}expression {RULE['expression']} \u2192 {NARROW['expression']}"
    assert lines_on_plan(play(path).done()) == [traffic]
    assert lines_on_plan(play(path, "--check").done()) == []


def test_a_refused_plan_says_the_same_and_what_to_copy(service: LocalService, tmp_path: Path) -> None:
    path = inventory(tmp_path, service, LOG)
    for mode in (["--check"], []):
        run = play(path, *mode)
        assert run.code == 2
        traffic, refused, operation = lines_on_plan(run)
        assert traffic.startswith("lima: Requests are logged that are blocked today: GET ")
        assert operation == f"{NAME}action block \u2192 log"
        assert refused.startswith("lima: Refused for weakens_zone; the failure says why. ")
    assert not service.writes


CALLBACKS = {
    "default": {},
    "yaml": {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"},
    "minimal": {"ANSIBLE_STDOUT_CALLBACK": "minimal"},
    "oneline": {"ANSIBLE_STDOUT_CALLBACK": "oneline"},
}


def on_terminal(path: Path, folder: Path, environment: Mapping[str, str]) -> str:
    """The output of a run on a terminal of 80 columns."""
    controller, terminal = pty.openpty()
    program = Path(sys.executable).parent / "ansible-playbook"
    variables = {**ansible_environment(str(folder / "home")), **environment, "RECORD_TO": os.devnull, "TERM": "dumb"}
    with subprocess.Popen(
        [program, "-i", path, PLAYBOOK], env=variables, stdout=terminal, stderr=subprocess.DEVNULL, cwd=folder
    ) as process:
        os.close(terminal)
        shown = b""
        while chunk := _read(controller):
            shown += chunk
    os.close(controller)
    assert process.returncode == 2
    return shown.decode().replace("\r\n", "\n")


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65536)
    except OSError:  # the terminal has no writer any more
        return b""


@pytest.mark.parametrize("callback", CALLBACKS)
def test_a_command_is_copied_from_a_terminal_and_pasted_into_a_shell(
    callback: str, service: LocalService, tmp_path: Path
) -> None:
    """It keeps what the inventory accepts already, which it replaces."""
    path = inventory(tmp_path, service, LOG)
    shown = on_terminal(path, tmp_path, CALLBACKS[callback])
    (copied,) = re.findall(r"^  (--limit .*)$", shown, flags=re.MULTILINE)
    script = f'printf "%s\\0" {copied}'
    pasted = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    assert pasted == shlex.split(copied)
    known, lacking = yaml.safe_load(pasted[-1])["baseline_accept_risks"]
    assert (known, lacking["entries"]) == (KNOWN, ["it's"])
    assert play(path, *pasted).done().of()[-1].result["changed"] is True
    assert play(path, "--check").done().of()[-1].result["changed"] is False


def test_an_acceptance_is_copied_into_the_inventory(service: LocalService, tmp_path: Path) -> None:
    path = inventory(tmp_path, service, LOG)
    acceptances = re.findall(r"^  (- \{.*)$", play(path, "--check").output, flags=re.MULTILINE)
    text = "\n".join(["baseline_accept_risks:", *acceptances])
    accepted = tmp_path / "accepted.yml"
    accepted.write_text(text, encoding="utf-8")
    assert play(path, "-e", f"@{accepted}").done().of()[-1].result["changed"] is True


def test_a_task_without_a_log_shows_nothing_of_its_plan(service: LocalService, tmp_path: Path) -> None:
    path = inventory(tmp_path, service, LOG)
    run = play(path, "--check", "--diff", ANSIBLE_NO_LOG="true")
    assert run.code == 2
    assert "it's" not in run.output and "--limit" not in run.output


def test_each_hunk_of_a_diff_stands_under_its_object(service: LocalService, tmp_path: Path) -> None:
    path = inventory(tmp_path, service, LOG)
    accepted = json.dumps({"baseline_accept_risks": ["weakens_zone"]})
    for arguments, code in ((["--diff"], 2), (["--diff", "-e", accepted], 0)):
        run = play(path, "--check", *arguments)
        assert run.code == code
        shown = re.findall(r"^--- before: (.*)\n\+\+\+ after: (.*)\n@@ ", run.output, flags=re.MULTILINE)
        assert shown == [("custom rule it's", "custom rule it's")]
