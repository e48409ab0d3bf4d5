# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A hundred module runs concurrently against a service that takes fewer calls a second than they make."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils import _engine
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import CONNECTION_NUMBERS
from ansible_collections.edgeops.protection.plugins.module_utils._engine import run
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, OTHERS

RUNS = 100
SPEC = MODULE_SPECS["allowlist_entry"]


def add_entry(service: LocalService, number: int) -> dict[str, Any]:
    """What the module does between its start and its end, since AnsibleModule itself is one to a process."""
    options = {
        **{name: default for name, (_type, default, _least) in CONNECTION_NUMBERS.items()},
        "call_budget": 0,
        "timeout": 300.0,  # a slow machine must not make a run repeat a call
        "base_url": service.base_url,
        "api_token": service.token,
        "account_id": ACCOUNT,
        "validate_certs": True,
        "ca_path": None,
        "state": "present",
        "prefix": f"10.0.0.{number}",
        "comment": f"run {number}",
        "enabled": None,
    }
    warnings: list[str] = []
    result = run(SPEC, options, check_mode=False, verbose=False, warn=warnings.append)
    assert (result.get("failed", False), warnings) == (False, []), result
    return result


def test_all_end_and_every_entry_is_there_once(service: LocalService, monkeypatch: pytest.MonkeyPatch) -> None:
    # As on a hundred control nodes: on one they wait for each other.
    monkeypatch.setattr(_engine, "locked_owners", lambda *_any: nullcontext())
    service.rate_limit(200, seconds=1, retry_after=1)
    # However slow the machine is, so many calls are refused.
    service.misbehave("status", status=429, skip=RUNS, times=RUNS, headers={"Retry-After": "1"})
    with ThreadPoolExecutor(RUNS) as pool:
        results = list(pool.map(lambda number: add_entry(service, number), range(RUNS)))
    assert all(result["changed"] for result in results)
    stored = Counter((entry["prefix"], entry["comment"]) for entry in service.account(ACCOUNT).allowlist)
    assert stored == Counter((f"10.0.0.{number}/32", f"run {number}") for number in range(RUNS))
    assert Counter(call.method for call in service.calls if call.status == 200) == {
        "GET": RUNS * (2 + OTHERS),
        "POST": RUNS,
    }
    assert len([call for call in service.calls if call.status == 429]) >= RUNS
