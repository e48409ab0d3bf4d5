# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hosts of a playbook: its target, or the groups that the inventory has."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible_collections.edgeops.protection.plugins.plugin_utils._inventory.pattern import (
    inventory_of,
    pattern_of_hosts,
)


@pytest.mark.parametrize(
    ("target", "groups", "pattern"),
    [
        (None, [], "accounts:zones"),
        ("", ["zones", "all"], "zones"),
        (None, ["zones", "accounts"], "accounts:zones"),
        ("shop*", ["zones"], "shop*"),
        (["shop", "!blog"], ["zones"], "shop:!blog"),
    ],
)
def test_a_playbook_is_for_its_target_or_for_all(target: Any, groups: list[str], pattern: str) -> None:
    assert pattern_of_hosts(target, groups) == pattern


def test_a_pattern_finds_hosts_by_their_groups() -> None:
    inventory = inventory_of(DataLoader(), {"zones": ["shop", "blog"], "accounts": ["acme"]})
    assert [str(host) for host in inventory.list_hosts("zones:!blog")] == ["shop"]
