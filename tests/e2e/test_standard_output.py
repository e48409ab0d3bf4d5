# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What playbooks say to people is on standard output, and warnings are on the error output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, ansible_environment
from tests.support.inventories import write_inventory
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
