# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

from ansible.parsing.dataloader import DataLoader
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.elsewhere import set_elsewhere

INVENTORY = """
[all:vars]
in_all=1
[zones]
lima
[zones:vars]
in_zones=1
[shops]
lima
[shops:vars]
in_shops=1
[others]
kilo
[others:vars]
in_others=1
"""


def test_variables_of_other_groups_and_of_other_files_of_the_group_are_named(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text(INVENTORY, encoding="utf-8")
    for name in ("all", "shops/own", "zones/protection", "zones/zz", "others/own"):
        path = tmp_path / "group_vars" / f"{name}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"in_file_{name.replace('/', '_')}: 1\n", encoding="utf-8")
    folder = tmp_path / "group_vars" / "zones"
    names = set_elsewhere(DataLoader(), [str(tmp_path / "hosts")], "zones", [["zones", "shops"], ["zones"]], folder)
    ours = {name for name in names if name.startswith("in_")}
    assert ours == {"in_all", "in_shops", "in_file_all", "in_file_shops_own", "in_file_zones_zz"}


def test_a_group_that_the_inventory_does_not_know_may_have_files(tmp_path: Path) -> None:
    """Such as one that a task of the play has made."""
    (tmp_path / "hosts").write_text("lima\n", encoding="utf-8")
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars" / "made.yml").write_text("in_made: 1\n", encoding="utf-8")
    names = set_elsewhere(DataLoader(), [str(tmp_path / "hosts")], "zones", [["made"]], tmp_path / "group_vars/zones")
    assert "in_made" in names
