# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module says before it ends, and how far it is."""

from __future__ import annotations

import time

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._api import progress as module
from ansible_collections.edgeops.protection.plugins.module_utils._api.progress import Progress
from ansible_collections.edgeops.protection.plugins.module_utils._text import Screen


def test_how_far_a_task_is() -> None:
    progress = Progress()
    assert str(progress) == "no response yet"
    progress.begin("prefixes")
    progress.begin("allowlist")
    assert str(progress) == "0 of 2 pages read (not all of prefixes, allowlist)"
    progress.read_page("prefixes", 4)
    progress.read_page("prefixes")
    progress.read_page("allowlist", 1)
    assert str(progress) == "3 of 5 pages read (not all of prefixes)"
    progress.read_page("allowlist")
    progress.read_page("prefixes")
    progress.read_page("prefixes")
    assert str(progress) == "6 of 6 pages read"
    progress.planned(calls=4, operations=1000)
    progress.applied(300)
    progress.applied(300)
    assert str(progress) == "6 of 6 pages read, 600 of 1000 operations done with 2 of 4 calls"


def test_a_wait_is_shown_with_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Progress()
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with progress.waiting(250):
        now[0] += 40
        assert str(progress) == "1 call waits since 40 s, 210 s more"
        with progress.waiting(30):
            assert str(progress) == "2 calls wait since 40 s, 30 s more"
    assert str(progress) == "no response yet"


def test_that_nothing_answers_is_said_once_in_a_run() -> None:
    lines: list[str] = []
    first = iter([True, False])
    progress = Progress()
    progress.unreachable("got no response")  # nobody looks
    with progress.watched(Screen(lines.append, lambda _subject: next(first), "lima: prefixes")):
        progress.unreachable("got no response from 192.0.2.1: Connection refused")
        progress.unreachable("got no response from 192.0.2.1: Connection refused")
    assert lines == ["lima: prefixes got no response from 192.0.2.1: Connection refused; it tries again."]


def lines_of(monkeypatch: pytest.MonkeyPatch, interval: float, seconds: float, with_screen: bool = True) -> list[str]:
    """What a task of so many seconds shows."""
    monkeypatch.setattr(module, "SHOW_INTERVAL", interval)
    lines: list[str] = []
    progress = Progress()
    with progress.watched(Screen(lines.append, lambda _subject: True, "lima: prefixes") if with_screen else None):
        time.sleep(seconds)
    length = len(lines)
    time.sleep(2 * interval if interval < 1 else 0)
    assert len(lines) == length
    return lines


def test_a_long_task_says_every_interval_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = lines_of(monkeypatch, 0.05, 0.5)
    assert 1 <= len(lines) <= 10
    assert lines[0] == "lima: prefixes: 0 s, no response yet"


def test_a_task_says_nothing_while_calls_wait_for_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget has said how long they wait."""
    monkeypatch.setattr(module, "calls_await_turns", lambda: True)
    assert lines_of(monkeypatch, 0.05, 0.3) == []
