# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The approval of a single task, and of a host by two jobs, of which the first has a token that only reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.inventories import write_inventory, write_play
from tests.support.module_run import ACCOUNT

LEFT_OUT = "{{ omit }}"
IN_WORKER = pytest.mark.parametrize("in_worker", [True, False], ids=["in the worker", "packed"])


def play(service: LocalService, folder: Path, in_worker: bool, approvals: list[Any], *arguments: str) -> Run:
    """Give the only prefix of an account another comment, in a task for each of these approvals."""
    connection = {"api_token": service.token, "base_url": service.base_url, "account_id": ACCOUNT}
    prefixes = [{"prefix": "192.0.2.0/24", "comment": "POP 8"}]
    tasks = [
        {"edgeops.protection.protected_prefixes": {"prefixes": prefixes, "expected_plan": value}, "ignore_errors": True}
        for value in approvals
    ]
    defaults = {"group/edgeops.protection.account": connection}
    where = {"edgeops_protection_in_worker": in_worker}
    return ansible_playbook(*arguments, write_play(folder, tasks, vars=where, module_defaults=defaults))


@IN_WORKER
def test_an_approval_that_comes_out_empty_approves_nothing(
    service: LocalService, in_worker: bool, tmp_path: Path
) -> None:
    approvals = [None, "{{ none }}", "{{ '' }}", LEFT_OUT]
    account = service.account(ACCOUNT).seed(prefixes=[{"prefix": "192.0.2.0/24", "comment": "POP 7"}])
    run = play(service, tmp_path, in_worker, approvals)
    *refused, applied = [task.result for task in run.tasks]
    for result in refused:
        assert "an empty expected_plan approves none" in result.get("msg", ""), run.output
    assert applied["changed"] is True, run.output
    assert [call.method for call in service.writes] == ["PATCH"]
    assert account.prefixes[0]["comment"] == "POP 8"


def test_the_job_that_plans_only_reads_and_the_one_that_applies_writes(service: LocalService, tmp_path: Path) -> None:
    """The two commands of the guide, with the token of each job in its environment."""
    account = service.account(ACCOUNT)
    reading = service.add_token("reading-token", protection="read", firewall="read", waf="read")
    host = {
        "edge_account_id": ACCOUNT,
        "edge_api_token": "{{ lookup('ansible.builtin.env', 'CLOUDFLARE_API_TOKEN') }}",
        "baseline_prefixes": [{"prefix": "192.0.2.0/24"}],
    }
    inventory = write_inventory(tmp_path, service, {"accounts": {"singapore": host}})

    def job(playbook: str, token: str, variables: str) -> Run:
        path = REPOSITORY / "playbooks" / f"{playbook}.yml"
        arguments = ("-i", inventory, path, "-e", variables)
        return ansible_playbook(*arguments, environment={"CLOUDFLARE_API_TOKEN": token}, directory=tmp_path)

    approval = '{"baseline_expected_plan": "report/plans/{{ inventory_hostname }}.json"}'
    planned = job("report", reading, "report_directory=report")
    assert (planned.code, service.writes) == (0, []), planned.output
    refused = job("baseline", reading, approval)
    assert refused.code == 2, refused.output
    assert ("HTTP 403" in refused.output, account.prefixes) == (True, []), refused.output
    job("baseline", service.token, approval).done()
    assert [prefix["prefix"] for prefix in account.prefixes] == ["192.0.2.0/24"]
