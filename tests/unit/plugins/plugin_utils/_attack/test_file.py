# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._attack.file import posture_file

POSTURE = {"name": "under_attack", "until": "2027-01-29T09:00:00+00:00"}


def test_a_folder_appears_and_goes_as_a_whole(tmp_path: Path) -> None:
    own = tmp_path / "host_vars" / "berlin.json"
    own.parent.mkdir()
    own.write_text("{}", encoding="utf-8")
    file = posture_file(tmp_path, "berlin")
    assert (file.read(), file.own) == (None, own)
    file.write(POSTURE)
    assert (file.read(), file.note) == (POSTURE, "")
    assert sorted(path.name for path in file.path.parent.iterdir()) == ["main.json", "posture.yml"]
    again = posture_file(tmp_path, "berlin")
    again.write({**POSTURE, "reason": "INC-7"})
    again.remove()
    assert [path.name for path in own.parent.iterdir()] == ["berlin.json"]


def test_a_folder_that_cannot_be_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OSError, match="no"):
        posture_file(tmp_path, "berlin").write(POSTURE)
    assert not [*(tmp_path / "host_vars").iterdir()]


def test_a_file_that_was_extended_by_hand_is_no_file_of_attack(tmp_path: Path) -> None:
    file = posture_file(tmp_path, "berlin")
    file.write(POSTURE)
    text = file.path.read_text(encoding="utf-8")
    file.path.write_text(text.replace("T09", "T12"), encoding="utf-8")
    assert posture_file(tmp_path, "berlin").path == file.path  # a later end is a posture as well
    file.path.write_text(f"{text}edge_account_id: mine\n", encoding="utf-8")
    beside = posture_file(tmp_path, "berlin")
    assert beside.path.name == "posture-of-attack.yml"
    beside.path.write_text("---\n", encoding="utf-8")
    with pytest.raises(ValueError, match="posture.yml is not a file of attack. Rename it, and run again."):
        posture_file(tmp_path, "berlin")
