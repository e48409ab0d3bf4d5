# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of postures: whole after a kill at any step of a write, with the entries of all who write it at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.posture_file import Changed, PostureFile

UNTIL = "2027-01-29T09:00:00Z"
OLD, NEW = {"until": UNTIL, "reason": "INC-7"}, {"until": UNTIL, "reason": "INC-8"}
WRITERS = 8


def in_child(work: Callable[[], None]) -> int:
    """Start a process that does some work; its id."""
    child = os.fork()
    if not child:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return child


@pytest.mark.parametrize("step", ["open", "fdopen", "fsync", "chmod", "replace", "close"])
@pytest.mark.parametrize("is_done", [False, True])
def test_a_kill_at_any_step_leaves_the_old_entries_or_the_new_ones(step: str, is_done: bool, tmp_path: Path) -> None:
    file = PostureFile(tmp_path / "postures.yml")
    file.write("berlin", [], [OLD])

    def killed() -> None:
        own: Any = getattr(os, step)

        def kill(*arguments: Any, **options: Any) -> None:
            if is_done:
                own(*arguments, **options)
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(os, step, kill)
        file.write("berlin", [OLD], [OLD, NEW])

    assert os.WIFSIGNALED(os.waitpid(in_child(killed), 0)[1])
    known = file.entries_of("berlin")
    assert known == ([OLD, NEW] if (step, is_done) in [("replace", True), ("close", False), ("close", True)] else [OLD])
    file.write("berlin", known, [NEW])
    assert file.entries_of("berlin") == [NEW]


def test_entries_of_all_who_write_at_once_are_there(tmp_path: Path) -> None:
    file = PostureFile(tmp_path / "postures.yml")

    def add(number: int) -> None:
        while True:
            known = file.entries_of("berlin")
            try:
                return file.write("berlin", known, [*known, {"until": UNTIL, "reason": str(number)}])
            except Changed:
                continue

    children = [in_child(lambda number=number: add(number)) for number in range(WRITERS)]  # type: ignore[misc]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * WRITERS
    assert {one["reason"] for one in file.entries_of("berlin")} == {str(number) for number in range(WRITERS)}


SIGNS = [*map(chr, range(0xA1)), "\u2028", "\u2029", "\ufeff", "\ufffe", "\ud800", "\U0001f600"]


@pytest.mark.parametrize("form", ["{}", "{}b", "a{}", "a{}b", "a {} b", "a{0}{0}b", "ä{}\u2028ß"])
def test_a_reason_comes_back_with_all_its_signs(form: str, tmp_path: Path) -> None:
    file = PostureFile(tmp_path / "postures.yml")
    entries = [{"until": UNTIL, "reason": form.format(sign)} for sign in SIGNS]
    others = [one for one in entries if "\x85" not in one["reason"]]  # of which none is escaped that need not be
    file.write("berlin", [], others)
    assert file.entries_of("berlin") == others
    file.write("berlin", others, entries)
    assert file.entries_of("berlin") == entries


def test_a_mistake_of_another_host_is_kept_and_stops_no_run(tmp_path: Path) -> None:
    path = tmp_path / "postures.yml"
    path.write_text("munich: {name: night}\nberlin:\n", encoding="utf-8")
    file = PostureFile(path)
    file.write("berlin", [], [OLD])
    assert (file.entries_of("berlin"), file.entries_of("lima"), file.read()["munich"]) == ([OLD], [], {"name": "night"})
    with pytest.raises(ValueError, match="it takes lists of postures by host"):
        file.entries_of("munich")
    file.write("berlin", [OLD], [])
    assert file.read() == {"munich": {"name": "night"}}


def test_people_may_write_an_entry_once_and_refer_to_it(tmp_path: Path) -> None:
    path = tmp_path / "postures.yml"
    path.write_text(
        f"berlin: [&one {{until: {UNTIL}, reason: INC-7}}]\nlima: [{{<<: *one, reason: INC-8}}]\n", encoding="utf-8"
    )
    file = PostureFile(path)
    assert (file.entries_of("berlin"), file.entries_of("lima")) == ([OLD], [NEW])


@pytest.mark.parametrize("host", ["1234", "no", "null", "1.5", "2027-01-29"])
def test_a_host_is_found_by_its_name_as_it_is_written(host: str, tmp_path: Path) -> None:
    path = tmp_path / "postures.yml"
    path.write_text(f"{host}:\n  - {{until: {UNTIL}, reason: INC-7}}\n")
    file = PostureFile(path)
    assert file.entries_of(host) == [OLD]
    file.write(host, [OLD], [OLD, NEW])
    assert file.entries_of(host) == [OLD, NEW]
    path.write_text(f"{host}: []\n'{host}': []\n")
    with pytest.raises(ValueError, match="a name stands twice"):
        file.entries_of(host)
