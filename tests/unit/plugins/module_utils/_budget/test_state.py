# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The turns of a credential, in a file that processes share or in memory."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._budget import budget as module
from ansible_collections.edgeops.protection.plugins.module_utils._budget.budget import (
    SIZE,
    CallTime,
    Header,
    SharedTurns,
    Turns,
    Unusable,
    state_path,
)

TOKEN = {"Authorization": "Bearer s3cret"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "edgeops.protection" / "name"


def test_a_file_is_found_as_it_was_left(path: Path) -> None:
    first = SharedTurns(str(path))
    first.write_header(Header(turns=9))
    first.write_call(8, CallTime(1.25))
    second = SharedTurns(str(path))
    assert (second.header().turns, second.moment(8)) == (9, 1.25)
    first.close()
    second.close()
    assert SharedTurns(str(path)).header().turns == 9


def test_only_its_user_may_read_it(path: Path) -> None:
    SharedTurns(str(path)).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.stat().st_blocks * 512 < 65536  # of a ring that is used in part, only that part is on the disk


def test_a_killed_process_leaves_no_lock(path: Path) -> None:
    program = (
        "import os, sys; from ansible_collections.edgeops.protection.plugins.module_utils._budget.budget import SharedTurns\n"
        "with SharedTurns(sys.argv[1]).locked(): os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == -9
    with SharedTurns(str(path)).locked():
        pass


def test_a_lock_that_does_not_end_is_not_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_LOCK", 0.05)
    SharedTurns(str(path)).close()
    with path.open("rb+") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(Unusable, match="another process has locked it for 0.05 s"):
            SharedTurns(str(path))


def truncated(path: Path) -> None:
    os.truncate(path, 100)


def too_long(path: Path) -> None:
    os.truncate(path, SIZE + 1)


def of_something_else(path: Path) -> None:
    path.write_bytes(b"#!/bin/sh\n".ljust(SIZE, b"\n"))


def without_end(path: Path) -> None:
    path.write_bytes(b"edgecal1".ljust(SIZE, b"\xff"))


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("damage", [truncated, too_long, of_something_else, without_end, folder, link, pipe])
def test_another_file_is_not_used(path: Path, damage: Callable[[Path], None]) -> None:
    SharedTurns(str(path)).close()
    damage(path)
    with pytest.raises(Unusable, match=str(path)):
        SharedTurns(str(path))


def test_a_file_of_somebody_else_is_not_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SharedTurns(str(path)).close()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(Unusable, match="it belongs to another user"):
        SharedTurns(str(path))


def test_a_file_that_is_cut_while_it_is_used_is_noticed(path: Path) -> None:
    state = SharedTurns(str(path))
    os.truncate(path, 10)
    with pytest.raises(Unusable, match="damaged"), state.locked():
        state.header()


def test_a_moment_that_is_no_number_is_noticed() -> None:
    state = Turns()
    state.write_call(3, CallTime(float("nan")))
    with pytest.raises(Unusable, match="damaged"):
        state.moment(3)


def test_a_write_after_the_end_touches_no_other_file(path: Path) -> None:
    state = SharedTurns(str(path))
    state.close()
    state.close()
    with path.open("rb+"), pytest.raises(Unusable), state.locked():
        pass


def test_the_path_is_the_same_for_the_same_credentials_and_has_no_secret_in_it() -> None:
    environment = {"ANSIBLE_HOME": "/srv/ansible"}
    one = state_path(environment, "api.cloudflare.com", TOKEN)
    assert one == state_path(environment, "API.cloudflare.com", dict(TOKEN))
    assert one.startswith("/srv/ansible/edgeops.protection/") and "s3cret" not in one
    others = [
        state_path(environment, "127.0.0.1:80", TOKEN),
        state_path(environment, "api.cloudflare.com", {"Authorization": "Bearer other"}),
        state_path(environment, "api.cloudflare.com", {"X-Auth-Email": "a@example.net", "X-Auth-Key": "s3cret"}),
    ]
    assert len({one, *others}) == 4
