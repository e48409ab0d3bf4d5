# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The comparison with an older commit runs that commit's collection, and says if the clone lacks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .commits import cases, collection_of, is_there, older
from .processes import Failure, run
from .serving import Serving
from .ways import PLAYBOOK, Ways


def test_a_commit_is_a_collection_of_its_own(tmp_path: Path) -> None:
    folder = collection_of("HEAD", tmp_path / "older")
    words: list[str | Path] = [
        "env",
        f"ANSIBLE_COLLECTIONS_PATH={folder}",
        PLAYBOOK.with_name("ansible-galaxy"),
        "collection",
        "list",
    ]
    listed = run(words, tmp_path)[1]
    assert listed.index(str(folder)) < listed.index("edgeops.protection")


def test_a_commit_that_the_clone_lacks_is_said(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="The commit nowhere cannot be compared with: "):
        collection_of("nowhere", tmp_path)
    assert is_there("HEAD")
    assert not is_there("nowhere")


def test_a_task_is_compared_with_that_of_a_commit(tmp_path: Path) -> None:
    with Serving(tmp_path) as serving:
        ways = Ways(serving, tmp_path, less=20)
        every = list(cases(ways, older(ways, "HEAD"), "HEAD"))
        for case in every:
            (row,) = case.rows
            assert set(case.ways) == {row.work, "the same at HEAD"}
        assert all(way.run().peak > 0 for way in every[0].ways.values())
