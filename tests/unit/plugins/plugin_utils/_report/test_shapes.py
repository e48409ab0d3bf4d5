# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import misfit


class Inner(TypedDict):
    number: int


class Outer(TypedDict):
    name: Annotated[str, "what it is called"]
    inner: Inner | None
    several: list[Inner]
    by_kind: dict[Literal["a", "b"], int]
    anything: Any
    mode: Literal["on", "off"]


FITTING: dict[str, Any] = {
    "name": "lima",
    "inner": None,
    "several": [{"number": 1}],
    "by_kind": {"a": 1, "b": 2},
    "anything": object(),
    "mode": "on",
}


@pytest.mark.parametrize("inner", [None, {"number": 1}])
def test_a_value_that_fits_has_no_misfit(inner: Any) -> None:
    assert misfit(Outer, {**FITTING, "inner": inner, "more": 1}) == ""


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"name": 1}, "name"),
        ({"inner": {"number": "x"}}, "inner.number"),
        ({"inner": []}, "inner"),
        ({"several": {}}, "several"),
        ({"several": [{"number": 1}, {}]}, "several[1].number"),
        ({"by_kind": []}, "by_kind"),
        ({"by_kind": {"a": 1}}, "by_kind.b"),
        ({"by_kind": {"a": 1, "b": "x"}}, "by_kind.b"),
        ({"mode": "perhaps"}, "mode"),
    ],
)
def test_the_first_misfit_is_named_by_its_path(change: dict[str, Any], path: str) -> None:
    assert misfit(Outer, {**FITTING, **change}) == path


def test_a_missing_key_is_named() -> None:
    assert misfit(Outer, {}) == "name"
