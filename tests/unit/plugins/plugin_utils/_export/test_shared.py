# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import Export
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.restore import read_file
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.shared import (
    ExportFile,
    HostExport,
    files_of,
    host_exports,
    path_of,
    require_whole,
    shared_variables,
    write_files,
)

PROBE = {"prefix": "198.51.100.7", "comment": "probe"}


def export(host: str, **variables: Any) -> HostExport:
    return HostExport(host, "zones", {"zone_id": host * 32}, Export(variables, [f"A note of {host}."]))


def write(folder: Path, exports: list[HostExport], shared: dict[str, Any]) -> list[ExportFile]:
    files = files_of(exports, shared, str(folder / "host_vars"), str(folder / "group_vars"), False)
    write_files(files)
    return files


def read(folder: Path, *names: str) -> Any:
    return yaml.safe_load(folder.joinpath(*names, "protection.yml").read_text(encoding="utf-8"))


def test_a_variable_is_shared_if_every_host_has_it_with_one_value() -> None:
    exports = [
        export("a", rules=[PROBE], timeout=1, state="present", only_a=1, enabled=True),
        export("b", rules=[dict(PROBE)], timeout=2, state="present", enabled=1),
    ]
    assert shared_variables(exports) == {"rules": [PROBE], "state": "present"}
    assert shared_variables(exports, {"rules"}) == {"state": "present"}
    assert shared_variables(exports[:1]) == {}  # so that another host of the group inherits nothing by accident


def test_the_files_of_hosts_and_their_group_make_each_whole_again(tmp_path: Path) -> None:
    exports = [
        export("a", baseline_custom_rules=[PROBE], baseline_purge=[]),
        export("b", baseline_custom_rules=[PROBE], baseline_purge=["rules"]),
    ]
    files = write(tmp_path, exports, shared_variables(exports))
    assert [file.path.parent.name for file in files] == ["zones", "a", "b"]
    shared = read(tmp_path, "group_vars", "zones")
    assert shared == {"baseline_custom_rules": [PROBE]}
    for item in exports:
        own = read(tmp_path, "host_vars", item.host)
        assert own.pop("baseline_source") == {**item.owners, "group": "zones"}
        assert {**shared, **own} == item.export.variables
    text = (tmp_path / "host_vars" / "a" / "protection.yml").read_text(encoding="utf-8")
    assert "# The file of the group zones has what its hosts share.\n# A note of a.\n" in text
    with pytest.raises(ValueError, match="x.yml has a part of the variables only; the file of the group zones has"):
        read_file(yaml.safe_load(text), "x.yml")
    again = files_of(
        exports, shared_variables(exports), str(tmp_path / "host_vars"), str(tmp_path / "group_vars"), False
    )
    assert [file.after == file.before for file in again] == [True, True, True]


def test_a_value_that_is_no_longer_shared_returns_into_every_file(tmp_path: Path) -> None:
    exports = [export("a", baseline_custom_rules=[PROBE]), export("b", baseline_custom_rules=[PROBE])]
    write(tmp_path, exports, shared_variables(exports))
    exports = [export("a", baseline_custom_rules=[PROBE]), export("b", baseline_custom_rules=[])]
    assert len(write(tmp_path, exports, shared_variables(exports))) == 3
    assert not read(tmp_path, "group_vars", "zones")
    assert read(tmp_path, "host_vars", "a")["baseline_custom_rules"] == [PROBE]
    assert read_file(read(tmp_path, "host_vars", "b"), "x.yml")


def test_a_group_that_shares_nothing_gets_no_file(tmp_path: Path) -> None:
    assert len(write(tmp_path, [export("a", baseline_custom_rules=[PROBE])], {})) == 1
    assert not (tmp_path / "group_vars").exists()


def test_an_edited_file_stops_all_of_a_group(tmp_path: Path) -> None:
    edited = tmp_path / "host_vars" / "b" / "protection.yml"
    edited.parent.mkdir(parents=True)
    edited.write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="was edited since. Nothing was written"):
        write(tmp_path, [export("a"), export("b")], {})
    assert not (tmp_path / "host_vars" / "a").exists()


def test_a_group_of_which_a_host_is_not_known_is_refused() -> None:
    exports = [export("a"), export("b")]
    require_whole("zones", exports, ["b", "a"])
    with pytest.raises(ValueError, match="this run has no export of c, d, so .* all hosts of the group zones share"):
        require_whole("zones", exports, ["a", "b", "c", "d"])


@pytest.mark.parametrize("end", [".yml", ".yaml", ".json"])
def test_a_file_that_ansible_would_no_longer_read_is_not_hidden(end: str, tmp_path: Path) -> None:
    """Ansible reads host_vars/lima or host_vars/lima.yml, and not both."""
    file = tmp_path / f"lima{end}"
    file.write_text("edge_api_token: x\n", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{file} is a file, which Ansible does not read beside the folder")):
        path_of(str(tmp_path), "lima")
    assert path_of(str(tmp_path), "lim") == tmp_path / "lim" / "protection.yml"


def test_exports_come_back_out_of_results() -> None:
    item = export("a", baseline_custom_rules=[PROBE])
    assert host_exports({"a": {"export": item.as_result()}, "b": {"failed": True}, "c": {}}) == [item]
