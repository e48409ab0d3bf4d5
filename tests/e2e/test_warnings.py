# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Warnings of the roles name their host: Ansible shows equal ones once, so that nobody would know whose they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_playbook
from tests.support.inventories import write_inventory

HOSTS = {"lima": "a" * 32, "oslo": "b" * 32}
WARNED = {
    "baseline_allowlist": [{"prefix": "192.0.2.99/28"}, {"prefix": "192.0.2.1", "expires": "2020-01-01"}],
    "baseline_mine": [],
    "report_accepted": [{"resource": "x"}],
}
ENDINGS = (
    "baseline_allowlist[0].prefix: 192.0.2.99/28 is an address within 192.0.2.96/28",
    "baseline_allowlist[1].expires: allowlist entry 192.0.2.1/32 expired",
    "baseline_mine: there is no such variable",
)


@pytest.mark.parametrize("in_worker", [True, False])
def test_warnings_of_a_role_begin_with_the_host(service: LocalService, in_worker: bool, tmp_path: Path) -> None:
    for account in HOSTS.values():
        service.account(account)
    hosts = {host: {"edge_account_id": account} for host, account in HOSTS.items()}
    variables = {**WARNED, "edgeops_protection_in_worker": in_worker}
    path = write_inventory(tmp_path, service, {"accounts": hosts}, **variables)
    run = ansible_playbook("-i", path, "--check", REPOSITORY / "playbooks" / "baseline.yml").done()
    printed = " ".join(run.output.split())
    for host in HOSTS:
        for ending in ENDINGS:
            assert f"[WARNING]: {host}: {ending}" in printed
        assert f"[WARNING]: {host}: 3 errors: (1) report_accepted[0].resource: 'x' is none of ip_list, " in printed
        assert "(2) report_accepted[0].keys: it is missing; write a list" in printed
