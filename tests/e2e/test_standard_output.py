# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What playbooks say to people is on standard output, and warnings are on the error output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_environment, ansible_playbook
from tests.support.inventories import write_inventory, write_play
from tests.support.module_run import ACCOUNT

SAYS = {"doctor": "calls, all of them reads.", "report": "1 of 1 host was read.", "baseline": "TCP protection is on"}


@pytest.mark.parametrize("playbook", SAYS)
def test_what_is_for_people_is_on_standard_output(playbook: str, service: LocalService, tmp_path: Path) -> None:
    service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}])
    host = {"edge_account_id": ACCOUNT, "baseline_enabled": True, "baseline_max_deletions_percent": 30}
    inventory = write_inventory(tmp_path, service, {"accounts": {"lima": host}})
    program, path = Path(sys.executable).parent / "ansible-playbook", REPOSITORY / "playbooks" / f"{playbook}.yml"
    finished = subprocess.run(
        [program, "-i", inventory, "-e", f"{playbook}_directory={tmp_path}", path],
        cwd=tmp_path,
        env={**ansible_environment(str(tmp_path / "home")), "RECORD_TO": os.devnull},
        capture_output=True,
        text=True,
        check=True,
    )
    assert SAYS[playbook] in finished.stdout
    assert SAYS[playbook] not in finished.stderr
    old = " ".join(finished.stderr.split())
    assert "baseline_max_deletions_percent: write baseline_limits: {max_deletions_percent: ...}" in old


def module_task(service: LocalService, prefixes: list[dict[str, Any]]) -> dict[str, Any]:
    connection = {"account_id": ACCOUNT, "base_url": service.base_url, "api_token": service.token}
    return {"edgeops.protection.protected_prefixes": {**connection, "prefixes": prefixes}}


RISK = "256 IPv4 addresses (192.0.2.0/24) would no longer be protected."
MISTAKE = "'perhaps' is a text; write true or false"


@pytest.mark.parametrize(
    ("entry", "sentence"), [({"excluded": True}, RISK), ({"excluded": "perhaps"}, MISTAKE)], ids=["risk", "mistake"]
)
@pytest.mark.parametrize("way", ["module", "role", "role for several hosts"])
def test_a_refusal_says_its_sentence_once(
    way: str, entry: dict[str, Any], sentence: str, service: LocalService, tmp_path: Path
) -> None:
    """On ansible-core 2.19 and newer, no line of the task beside it, which may be one of this collection."""
    service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}])
    service.account("e" * 32)
    prefixes = [{"prefix": "192.0.2.0/24", **entry}]
    hosts: dict[str, Any] = {"lima": {"edge_account_id": ACCOUNT, "baseline_prefixes": prefixes}}
    if way == "role for several hosts":
        hosts["oslo"] = {"edge_account_id": "e" * 32, "baseline_prefixes": []}
    inventory = write_inventory(tmp_path, service, {"accounts": hosts})
    playbook = REPOSITORY / "playbooks" / "baseline.yml"
    if way == "module":
        playbook = write_play(tmp_path, [module_task(service, prefixes)], "accounts")
    run = ansible_playbook("-i", inventory, playbook, directory=tmp_path)
    assert run.code == 2
    assert run.output.count(sentence) == 1
    assert "Origin: " not in run.output


def test_a_task_that_decides_itself_whether_it_failed_sees_the_refusal(service: LocalService, tmp_path: Path) -> None:
    service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24"}])
    inventory = write_inventory(tmp_path, service, {"accounts": {"lima": {"edge_account_id": ACCOUNT}}})
    refused = {**module_task(service, [{"prefix": "192.0.2.0/24", "excluded": True}]), "register": "result"}
    tasks = [
        {**refused, "failed_when": "result.risks is not defined"},
        {**refused, "until": "result.failed", "retries": 2, "ignore_errors": True},
    ]
    playbook = write_play(tmp_path, tasks, "accounts")
    decided, repeated = ansible_playbook("-i", inventory, playbook, directory=tmp_path).done().of()
    assert (decided.outcome, repeated.result["attempts"]) == ("ok", 1)


@pytest.mark.parametrize("hidden", [True, False], ids=["no_log", "shown"])
@pytest.mark.parametrize("way", ["module", "packed module", "role", "role for several hosts"])
def test_a_task_with_no_log_shows_nothing_by_itself(
    way: str, hidden: bool, service: LocalService, tmp_path: Path
) -> None:
    """Neither the diff of a refused plan, nor warnings, nor lines for people; without no_log all of them stay."""
    service.account(ACCOUNT).seed(enabled=True, prefixes=[{"prefix": "192.0.2.0/24", "comment": "confidential"}])
    service.account("e" * 32).seed(enabled=True)
    prefixes: list[dict[str, Any]] = [
        {"prefix": "192.0.2.0/24", "excluded": True},
        {"prefix": "198.51.100.9/24", "comment": "confidential"},  # with a warning of its host part
    ]
    hosts: dict[str, Any] = {"lima": {"edge_account_id": ACCOUNT, "baseline_prefixes": prefixes}}
    if way == "role for several hosts":
        hosts["oslo"] = {"edge_account_id": "e" * 32, "baseline_prefixes": prefixes[1:]}
    in_worker = way != "packed module"
    inventory = write_inventory(tmp_path, service, {"accounts": hosts}, edgeops_protection_in_worker=in_worker)
    tasks = [{"ansible.builtin.import_role": {"name": "edgeops.protection.baseline"}}]
    if "module" in way:
        tasks = [module_task(service, prefixes)]
    playbook = write_play(tmp_path, tasks, "accounts", no_log=hidden)
    run = ansible_playbook("-i", inventory, "--diff", playbook, directory=tmp_path)
    printed = " ".join(run.output.split())
    assert run.code == 2
    # ansible-core shows the warnings in the result of a packed module itself, as those of any module.
    warned = ["198.51.100."] if in_worker else []
    for text in ("confidential", "--- before", *warned):
        assert (text in printed) is not hidden, run.output
