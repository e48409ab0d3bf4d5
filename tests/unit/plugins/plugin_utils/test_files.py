# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._files import write_private, write_whole


def test_a_private_file_is_in_a_folder_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "lima" / "protection.yml"
    write_private(path, "text")
    assert [item.stat().st_mode & 0o777 for item in (path, path.parent)] == [0o600, 0o700]


@pytest.mark.parametrize("lasting", [True, False])
def test_a_file_has_its_text_and_its_mode_and_nothing_lies_beside_it(tmp_path: Path, lasting: bool) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old", encoding="utf-8")
    write_whole(path, "n\u00e9w", 0o640, lasting)
    assert path.read_text(encoding="utf-8") == "n\u00e9w"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["plan.json"]


def test_a_failure_leaves_the_old_file_and_no_part_of_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old", encoding="utf-8")

    def full(_source: str, _target: Path) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "new", 0o600)
    assert (path.read_text(encoding="utf-8"), os.listdir(tmp_path)) == ("old", ["plan.json"])


def test_malformed_unicode_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        write_whole(tmp_path / "plan.json", "\ud800", 0o600)
    assert os.listdir(tmp_path) == []
