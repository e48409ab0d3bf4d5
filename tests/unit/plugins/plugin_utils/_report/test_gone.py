# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host that the inventory does not have any more is unknown, until somebody has removed it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.gone import gone_records, inventory_files
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import nothing_known

NOW = "2026-11-21T10:00:00+00:00"
PLUGIN = "plugin: edgeops.protection.accounts\n"
CONSTRUCTED = "plugin: ansible.builtin.constructed\ngroups: {shops: inventory_hostname is match('shop')}\n"


def earlier(**fields: Any) -> Any:
    return {**nothing_known("shop.example"), "generated": NOW, **fields}


@pytest.mark.parametrize("was_said", [None, True])
@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"hosts.yml": "accounts: {}"}, ", and no file names it. The next report leaves it out."),
        ({"hosts.yml": "# shop.example has moved"}, ", and no file names it. The next report leaves it out."),
        ({"hosts.yml": "www.shop.example: shop.example.org"}, ", and no file names it. The next report leaves it out."),
        ({"hosts.yml": "zones: {hosts: {shop.example: {}}"}, ", and {folder}/hosts.yml still names it. "),
        ({"hosts.ini": "[zones]\nshop.example edge_zone_id=1"}, ", and {folder}/hosts.ini still names it. "),
        ({"host_vars/shop.example": ""}, ", and {folder}/host_vars/shop.example still names it. "),
        ({"host_vars/shop.example.yml": ""}, ", and {folder}/host_vars/shop.example.yml still names it. "),
        ({"host_vars/shop.example/rules.yml": ""}, ", and {folder}/host_vars/shop.example still names it. "),
        ({"host_vars/shop.example.yaml": ""}, ", and {folder}/host_vars/shop.example.yaml still names it. "),
        ({"host_vars/shop.example.json": "{}"}, ", and {folder}/host_vars/shop.example.json still names it. "),
        ({"host_vars/shop.example.org/rules.yml": ""}, ", and no file names it. The next report leaves it out."),
        ({"host_vars/shop.example.com": ""}, ", and no file names it. The next report leaves it out."),
        ({"README.md": "shop.example is gone"}, ", and no file names it. The next report leaves it out."),
        ({"hosts.yml~": "zones: {hosts: {shop.example: {}}"}, ", and no file names it. The next report leaves it out."),
        ({"group_vars/zones.yml": "partner: shop.example"}, ", and no file names it. The next report leaves it out."),
        ({"zones/hosts.yml": "zones: {hosts: {shop.example: {}}"}, ", and {folder}/zones/hosts.yml still names it. "),
        ({"hosts.ini": "[zones]\nsho[a:z].example x=1\n[all:vars]"}, ", and {folder}/hosts.ini still names it. "),
        ({"hosts.yml": 'zones: {hosts: {"sho[p:q].example": {}}'}, ", and {folder}/hosts.yml still names it. "),
        ({"hosts.ini": "[zones]\nsho[a:c].example"}, ", and no file names it. The next report leaves it out."),
        ({"groups.yml": CONSTRUCTED}, ", and no file names it. The next report leaves it out."),
        (
            {"aws.yml": "---\nplugin: 'amazon.aws.aws_ec2'\n"},
            ": the inventory plugin does not list it. Check the token. ",
        ),
        ({"hosts.sh": "#!/bin/sh\n"}, ": the inventory plugin does not list it. Check the token. "),
        ({"edgeops.yml": PLUGIN}, ": the inventory plugin does not list it. Check the token. "),
        ({"lab.edgeops.yaml": PLUGIN}, ": the inventory plugin does not list it. Check the token. "),
    ],
)
def test_a_host_that_the_inventory_has_lost_is_unknown(
    files: dict[str, str], reason: str, was_said: bool | None, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755 if name.endswith(".sh") else 0o644)
    inventory = inventory_files([str(tmp_path), "lima,"], ["lima", "shop.example.com"])
    lost = [earlier(gone=was_said, owner="team shop", groups=["zones"])]
    records = gone_records(lost, inventory, lambda _host: False, NOW)
    is_removed = "no file names it" in reason
    assert len(records) == (not (is_removed and was_said))
    for record in records:
        assert (record["status"], record["gone"], record["owner"]) == ("unknown", True, "team shop")
        assert record["reasons"][0].startswith("It is not in the inventory any more" + reason.format(folder=tmp_path))
    assert gone_records(lost, inventory, lambda host: host == "shop.example", NOW) == []


def test_a_batch_of_a_play_leaves_no_host_out_that_another_one_has_named(tmp_path: Path) -> None:
    inventory = inventory_files([str(tmp_path)])
    assert gone_records([earlier(gone=True)], inventory, lambda _host: False, NOW, is_whole=False)
