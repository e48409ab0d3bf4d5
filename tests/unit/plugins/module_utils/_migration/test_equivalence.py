# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a custom rule of the zone does what another one does, or more."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._migration.migrate import at_least, same

from tests.support.migration_model import OFFICE, OTHER, Rule

BLOCK: Rule = {"action": "block", "expression": OFFICE}


def skip(**parameters: Any) -> Rule:
    return {"action": "skip", "expression": OFFICE, "action_parameters": parameters}


@pytest.mark.parametrize(
    ("existing", "rendered", "is_same", "is_at_least"),
    [
        (BLOCK, BLOCK, True, True),
        ({**BLOCK, "description": "x", "enabled": False}, BLOCK, True, True),
        ({**BLOCK, "expression": "ip.src  in { 192.0.2.0/24 }"}, BLOCK, True, True),
        ({**BLOCK, "expression": OTHER}, BLOCK, False, False),
        ({**BLOCK, "action": "log"}, BLOCK, False, False),
        ({"action": "block"}, BLOCK, False, False),
        ({**BLOCK, "action_parameters": None}, BLOCK, True, True),
        ({**BLOCK, "action_parameters": {"response": {}}}, BLOCK, True, True),
        ({**BLOCK, "action_parameters": {"response": {"status_code": 403}}}, BLOCK, False, True),
        (skip(products=["waf", "bic"]), skip(products=["bic", "waf"]), True, True),
        (skip(products=["waf", "bic"]), skip(products=["waf"]), False, True),
        (skip(products=["waf"]), skip(products=["waf", "bic"]), False, False),
        (skip(ruleset="current", products=["waf"]), skip(ruleset="current"), False, True),
        (skip(products=["waf"]), skip(ruleset="current"), False, False),
    ],
)
def test_a_rule_does_the_same_or_more(existing: Rule, rendered: Rule, is_same: bool, is_at_least: bool) -> None:
    assert same(existing, rendered) is is_same
    assert at_least(existing, rendered) is is_at_least
