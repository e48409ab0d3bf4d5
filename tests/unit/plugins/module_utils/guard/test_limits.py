# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The limits of a task: their defaults, their bounds, and which modules take them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.errors import OptionErrors
from ansible_collections.edgeops.protection.plugins.module_utils.guard.limits import (
    CODES,
    HIGHEST,
    LIST_CODES,
    Limits,
    limit_options,
    parse_limits,
)


def test_what_the_options_leave_out_has_its_default() -> None:
    assert parse_limits({}) == Limits() == parse_limits(dict.fromkeys(HIGHEST))
    assert parse_limits({"max_allowlist_entries": 0, "other": 7}) == Limits(max_allowlist_entries=0)
    assert parse_limits({"min_monitoring_hours": 1.5}).monitoring == timedelta(minutes=90)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, -1) for name in HIGHEST),
        *((name, highest + 1) for name, highest in HIGHEST.items()),
        ("min_monitoring_hours", float("nan")),
        ("min_monitoring_hours", float("inf")),
    ],
)
def test_a_limit_beyond_its_bounds_is_refused_with_all_others(name: str, value: Any) -> None:
    other = next(item for item in HIGHEST if item != name)
    with pytest.raises(OptionErrors) as caught:
        parse_limits({name: value, other: -5})
    assert f"{name}: {value} is not between 0 and {HIGHEST[name]}" in caught.value.message
    assert f"{other}: -5 is not between" in caught.value.message


@pytest.mark.parametrize(("name", "highest"), HIGHEST.items())
def test_a_limit_may_be_at_its_bounds(name: str, highest: int) -> None:
    assert [getattr(parse_limits({name: value}), name) for value in (0, highest)] == [0, highest]


@pytest.mark.parametrize(
    ("codes", "names"),
    [(CODES, ["accept_risks", *HIGHEST]), (LIST_CODES, ["accept_risks", "max_deletions_percent"])],
)
def test_a_module_takes_the_limits_of_its_risks(codes: Any, names: list[str]) -> None:
    options = limit_options(codes)
    assert list(options) == names
    assert options["max_deletions_percent"] == {"type": "int", "default": 30}
    assert options.get("min_monitoring_hours", {"type": "float", "default": 4.0}) == {"type": "float", "default": 4.0}
