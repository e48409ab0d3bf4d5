# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One class for the modules of all entry points."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import codes_of
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.rulesets import OrderedRules

SPECS = {name: spec for name, spec in MODULE_SPECS.items() if isinstance(spec, OrderedRules)}


@pytest.mark.parametrize("name", SPECS)
def test_the_risks_of_a_ruleset_are_those_that_its_documentation_shows(name: str) -> None:
    assert {"mass_deletion", "empties_list"} < set(codes_of(SPECS[name].risks))
