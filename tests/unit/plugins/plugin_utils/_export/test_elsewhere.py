# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

from ansible.parsing.dataloader import DataLoader
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.shared import set_elsewhere

INVENTORY = """
[all:vars]
in_all=1
[zones]
lima in_lima=1
oslo
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
    groups = [f"group_vars/{name}" for name in ("all", "shops/own", "zones/protection", "zones/zz", "others/own")]
    hosts = [f"host_vars/{name}" for name in ("lima/protection", "lima/own", "kilo")]
    for name in (*groups, *hosts, "exported/oslo/protection", "exported/oslo/staged"):
        path = tmp_path / f"{name}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"in_{name.replace('/', '_')}: 1\n", encoding="utf-8")
    names = set_elsewhere(
        DataLoader(),
        [str(tmp_path / "hosts")],
        tmp_path / "group_vars" / "zones",
        {tmp_path / "exported" / "lima": ["zones", "shops"], tmp_path / "exported" / "oslo": ["zones"]},
    )
    of_groups = {"in_all", "in_shops", "in_group_vars_all", "in_group_vars_shops_own", "in_group_vars_zones_zz"}
    of_hosts = {"in_lima", "in_host_vars_lima_own", "in_exported_oslo_staged"}
    assert {name for name in names if name.startswith("in_")} == of_groups | of_hosts


def test_a_group_that_the_inventory_does_not_know_may_have_files(tmp_path: Path) -> None:
    """Such as one that a task of the play has made."""
    (tmp_path / "hosts").write_text("lima\n", encoding="utf-8")
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars" / "made.yml").write_text("in_made: 1\n", encoding="utf-8")
    hosts = {tmp_path / "host_vars" / "lima": ["made"]}
    names = set_elsewhere(DataLoader(), [str(tmp_path / "hosts"), "kilo,"], tmp_path / "group_vars" / "zones", hosts)
    assert "in_made" in names
