# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random pairs of managed rules, and of overrides of HTTP DDoS rules, against all requests of a small universe: `make plans`
compares 10,200 of them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from tests.evidence.models.random_plans import plans
from tests.unit.plugins.module_utils._protection.random_phases import (
    DEPLOYED,
    OVERRIDES,
    Override,
    Ruled,
    check_managed_rules,
    check_overrides,
)

pytestmark = pytest.mark.ends("different", "alike", of="traffic", one_in=20)


@given(before=DEPLOYED, after=DEPLOYED)
@plans(8.5)
def test_managed_rules_check_less_exactly_if_a_request_is_checked_less(
    before: list[Ruled], after: list[Ruled], outcomes: Counter[str]
) -> None:
    outcomes["different" if check_managed_rules(before, after) else "alike"] += 1


@given(before=OVERRIDES, after=OVERRIDES)
@plans(8.5)
def test_overrides_weaken_exactly_if_managed_rules_are_less_sensitive_for_a_request(
    before: list[Override], after: list[Override], outcomes: Counter[str]
) -> None:
    outcomes["different" if check_overrides(before, after) else "alike"] += 1
