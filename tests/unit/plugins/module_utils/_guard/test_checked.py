# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.check import Checked
from ansible_collections.edgeops.protection.plugins.module_utils._plan.plan import Plan
from ansible_collections.edgeops.protection.plugins.module_utils._protection.coverage import Coverage

from tests.support.coverage_model import account_state


@pytest.mark.parametrize(
    ("state", "known"),
    [(account_state(), True), ({**account_state()}, True), ({"custom_rules": []}, False), ({"allowlist": []}, False)],
)
def test_the_account_is_known_from_all_that_decides(state: dict[str, Any], known: bool) -> None:
    coverage = Coverage(state)
    assert Checked(Plan(state, ()), coverage, coverage).knows_account is known
