# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of the mark of a watched change, where the directory is not as it should be."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.mark import MarkFile


@pytest.mark.parametrize("in_the_way", ["watch", "watch/shop.lock/x"])
def test_something_in_the_way_of_the_mark_is_said_with_its_path(tmp_path: Path, in_the_way: str) -> None:
    path = tmp_path / in_the_way
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("", encoding="utf-8")
    words = r"^baseline_snapshot_directory: .*/watch/shop.lock cannot be written: (File exists|Is a directory)\.$"
    with pytest.raises(ValueError, match=words), MarkFile.of_host(str(tmp_path), "shop").watching():
        pass
