# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.arguments import BASELINE, OF_HOST
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import INVENTORY, KNOWN, READ


def test_every_variable_of_the_role_has_an_argument() -> None:
    assert BASELINE.keys() == KNOWN
    assert OF_HOST.keys() == set(READ)


def test_a_variable_of_the_inventory_takes_what_that_of_the_role_takes() -> None:
    assert {theirs: OF_HOST[theirs] for theirs in INVENTORY.values()} == {
        theirs: OF_HOST[ours] for ours, theirs in INVENTORY.items()
    }
    assert OF_HOST["edge_api_token"]["no_log"]
