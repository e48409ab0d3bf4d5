# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of the mark of a watched change, where the directory is not as it should be."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.mark import MarkFile, watched_fields
from ansible_collections.edgeops.protection.plugins.plugin_utils._watch.watch import watched


@pytest.mark.parametrize("in_the_way", ["watch", "watch/shop.lock/x"])
def test_something_in_the_way_of_the_mark_is_said_with_its_path(tmp_path: Path, in_the_way: str) -> None:
    path = tmp_path / in_the_way
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("", encoding="utf-8")
    words = r"^baseline_snapshot_directory: .*/watch/shop.lock cannot be written: (File exists|Is a directory)\.$"
    with pytest.raises(ValueError, match=words), MarkFile.of_host(str(tmp_path), "shop").watching():
        pass


def test_a_host_whose_name_is_no_name_of_a_file_runs_unless_it_is_to_be_watched(tmp_path: Path) -> None:
    task: Any = SimpleNamespace(host="shops/berlin")
    part: Any = None
    values = {"baseline_snapshot_directory": str(tmp_path)}
    now = datetime(2027, 1, 31, tzinfo=timezone.utc)
    fields = watched_fields("shops/berlin", str(tmp_path), [], lambda: now)
    assert fields == {"watched": (), "not_set_back": ()}
    assert watched(task, values, part, False, lambda run_values, _begin: run_values) is values  # type: ignore[arg-type, return-value, comparison-overlap]
    with pytest.raises(ValueError, match="is not a name of a folder"):
        watched(task, {**values, "baseline_watch": {"minutes": 5}}, part, False, lambda *_arguments: None)  # type: ignore[arg-type]
