# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The function that finds each declared risk."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finders.registry import finder_of
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import Risk
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import ALL_RISKS, CODES


@pytest.mark.parametrize("risk", ALL_RISKS, ids=CODES)
def test_each_risk_has_a_function_of_its_name(risk: Risk) -> None:
    finder = finder_of(risk)
    assert finder.risk is risk
    assert getattr(finder.find, "__name__", "") == risk.code


def test_a_code_stands_for_one_risk() -> None:
    assert len(set(CODES)) == len(CODES)
