# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every module has its specification, and every specification its module."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE, MODULE_SPECS

MODULES = Path(__file__).parents[5] / "plugins" / "modules"


def test_there_is_a_specification_for_every_module() -> None:
    assert {*MODULE_SPECS} == {path.stem for path in MODULES.glob("[a-z]*.py")}


@pytest.mark.parametrize("name", MODULE_SPECS)
def test_a_module_that_only_reads_is_named_so_and_accepts_no_risks(name: str) -> None:
    spec = MODULE_SPECS[name]
    assert spec.writes is not name.endswith("_info")
    assert "accept_risks" not in spec.options or spec.writes
    of_zones = ("firewall", "custom", "rate_limit", "managed", "ddos_l7")
    plain = {managed.module: managed.resource.owner for managed in MANAGED if managed.plain}
    owner = "" if name == HOST_MODULE else "zone_id" if name.startswith(of_zones) else "account_id"
    assert spec.owner == plain.get(name, owner)
