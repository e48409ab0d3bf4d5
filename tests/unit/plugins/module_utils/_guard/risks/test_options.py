# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks that there are, and the options that follow from them: defaults, bounds, and which modules take them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionErrors
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.account import (
    ACCOUNT_RISKS,
    LOWERS_SENSITIVITY,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.declaration import (
    Limit,
    Limits,
    limits_of,
    parse_limits,
    risk_options,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.deletions import DELETION_RISKS
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import ALL_RISKS
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.rules import RULE_RISKS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

ALL_LIMITS = limits_of(ALL_RISKS)
NAMES = [limit.name for limit in ALL_LIMITS]


def test_an_account_and_a_zone_share_the_risks_of_lists() -> None:
    assert {risk for spec in MODULE_SPECS.values() if spec.writes for risk in spec.risks} == {*ALL_RISKS}
    assert {*ACCOUNT_RISKS} & {*RULE_RISKS} == {*DELETION_RISKS}


def test_an_option_left_out_has_its_default() -> None:
    assert parse_limits({}, ALL_RISKS) == Limits() == parse_limits({"limits": dict.fromkeys(NAMES)}, ALL_RISKS)
    assert parse_limits({"limits": {"max_allowlist_entries": 0, "other": 7}}, ALL_RISKS) == Limits(
        {"max_allowlist_entries": 0}
    )
    assert [Limits()[limit] for limit in ALL_LIMITS] == [limit.default for limit in ALL_LIMITS]


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        *((limit, -1) for limit in ALL_LIMITS),
        *((limit, limit.highest + 1) for limit in ALL_LIMITS),
        (ALL_LIMITS[0], float("nan")),
        (ALL_LIMITS[0], float("inf")),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_a_limit_beyond_its_bounds_is_refused_with_all_others(limit: Limit, value: Any) -> None:
    other = next(item for item in NAMES if item != limit.name)
    with pytest.raises(OptionErrors) as caught:
        parse_limits({"limits": {limit.name: value, other: -5}}, ALL_RISKS)
    assert f"limits.{limit.name}: {value} is not between 0 and {limit.highest}" in caught.value.message
    assert f"{other}: -5 is not between" in caught.value.message


@pytest.mark.parametrize("risks", [ALL_RISKS, ACCOUNT_RISKS, DELETION_RISKS], ids=len)
def test_a_module_takes_the_limits_of_its_risks(risks: Any) -> None:
    options = risk_options(risks)["limits"]["options"]
    assert list(options) == [limit.name for limit in limits_of(risks)]
    assert options["max_deletions_percent"] == {"type": "int", "default": 30}
    assert options.get("min_monitoring_hours", {"type": "float", "default": 4.0}) == {"type": "float", "default": 4.0}


def test_a_module_whose_risks_have_no_limit_takes_none() -> None:
    assert list(risk_options((LOWERS_SENSITIVITY,))) == ["accept_risks"]
