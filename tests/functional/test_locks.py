# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""On one control node, one run at a time writes to an account or a zone, and the others wait as long as they may."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api.lock import Waiting, locked_owners
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import Settings, parse_base_url
from ansible_collections.edgeops.protection.plugins.module_utils._errors import ProtectionError

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, Modules, run_main, warnings_of

RULES = [{"ref": "a", "action": "log", "expression": "true"}]


def held(
    url: str, waits: list[float] | None = None, said: list[str] | None = None, **owners: str
) -> AbstractContextManager[None]:
    """The locks of another run, which waits at most two seconds."""
    waited = [] if waits is None else waits

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        return sum(waited) < 2

    settings = Settings(parse_base_url(url)[0], {}, owners, None, 1, 0, 1, 0, True)
    return locked_owners(settings.address, owners, Waiting(wait, ([] if said is None else said).append, "berlin"))


def test_a_run_that_writes_waits_for_another_one_and_says_for_whom(
    service: LocalService, modules: Modules, waits: list[float]
) -> None:
    with held(service.base_url.upper().replace("HTTP", "http") + "/", account_id=ACCOUNT):
        result = modules.failed("allowlist_entry", prefix="192.0.2.1", max_wait=20)
    assert 15 < sum(waits) <= 20
    holder = f"host berlin, process {os.getpid()}, since 20"
    assert result["msg"].startswith(f"Another run writes to the account {ACCOUNT}: {holder}")
    assert "max_wait leaves no more. Run again later, or raise max_wait. Nothing was changed." in result["msg"]
    assert f"Another run writes to the account {ACCOUNT}: {holder}" in warnings_of(result)
    assert service.calls == []
    assert modules.done("allowlist_entry", prefix="192.0.2.1")["changed"] is True


def test_what_writes_nothing_there_takes_no_lock(service: LocalService, modules: Modules) -> None:
    with held(service.base_url, account_id=ACCOUNT, zone_id=ZONE):
        assert modules.done("allowlist_entry", check=True, prefix="192.0.2.1")["changed"] is True
        modules.done("protection_info")
        modules.done("host", check=True, custom_rules=RULES)
    with held(service.base_url, account_id=ACCOUNT):
        modules.done("custom_rules", rules=RULES)
        modules.done("host", custom_rules=[{**RULES[0], "ref": "b"}])
    with held(service.base_url, zone_id=ZONE):
        modules.done("allowlist_entry", prefix="192.0.2.2")
    with held("https://api.example.com/client/v4", account_id=ACCOUNT):
        modules.done("allowlist_entry", prefix="192.0.2.3")


def test_a_zone_by_its_name_is_locked_by_its_id(service: LocalService, modules: Modules) -> None:
    service.zone(ZONE).seed(name="example.com")
    options = {"base_url": service.base_url, "api_token": service.token, "zone_name": "example.com", "rules": RULES}
    with held(service.base_url, zone_id=ZONE):
        assert f"writes to the zone {ZONE}" in run_main("custom_rules", {**options, "max_wait": 0})["msg"]
    assert run_main("custom_rules", options)["changed"] is True


def test_the_account_is_locked_before_the_zone() -> None:
    """So that no two runs wait for each other."""
    url, first, second = "https://api.example.com", threading.Event(), threading.Event()

    def other() -> None:
        with held(url, zone_id=ZONE):
            first.set()
            second.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    first.wait(10)
    with pytest.raises(ProtectionError, match=f"zone {ZONE}"), held(url, zone_id=ZONE, account_id=ACCOUNT):
        raise AssertionError
    with held(url, account_id=ACCOUNT):  # which the failure gave back
        second.set()
    thread.join(10)


def test_a_lock_that_cannot_be_used_is_said_and_holds_up_nobody(
    modules: Modules, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ANSIBLE_HOME", str(tmp_path / "file"))
    result = modules.done("allowlist_entry", prefix="192.0.2.1")
    assert (
        f"The account {ACCOUNT} is not locked against other runs on this control node: {tmp_path}/file/"
        in warnings_of(result)
    )


def test_the_file_of_a_lock_is_of_this_user_alone_and_holds_no_secret(
    service: LocalService, modules: Modules, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANSIBLE_HOME", str(tmp_path))
    modules.done("allowlist_entry", prefix="192.0.2.1")
    (file,) = (tmp_path / "edgeops.protection").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text(encoding="utf-8").startswith(f"process {os.getpid()}, since ")
    assert service.token not in file.read_text(encoding="utf-8")
