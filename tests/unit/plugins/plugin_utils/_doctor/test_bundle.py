# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shape of a document has its names and types, and none of its values."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.record import MAX_DEPTH, MAX_NAMES, shape_of


def nested(levels: int) -> Any:
    return [nested(levels - 1)] if levels else 1


SHAPES: list[tuple[Any, Any]] = [
    ({"name": "Frankfurt", "count": 3}, {"name": "str", "count": "int"}),
    ([{"a": 1}, {"a": "x"}], [{"a": "int or str"}]),
    ([{"a": 1}, {"b": True}], [{"a": "int or absent", "b": "bool or absent"}]),
    ([{"a": 1}, {}, {"a": 2}], [{"a": "int or absent"}]),
    ([{"a": []}, {"a": [1]}], [{"a": ["int"]}]),
    ([{"a": None}, {"a": {"b": 1}}], [{"a": "null or dict"}]),
    ([1, "x", None], ["int or str or null"]),
    ([], []),
    (None, "null"),
    ({"023e105f4ecef8ad9ca31a8372d0c353": 1}, {"(a text of 32 characters)": "int"}),
]


@pytest.mark.parametrize(("document", "shape"), SHAPES, ids=[str(document) for document, _shape in SHAPES])
def test_a_shape_has_names_and_types(document: Any, shape: Any) -> None:
    assert shape_of(document) == shape


def test_a_shape_is_bounded() -> None:
    assert len(shape_of({f"name_{'x' * number}": 1 for number in range(2 * MAX_NAMES)})) <= MAX_NAMES
    assert str(shape_of(nested(3 * MAX_DEPTH))).count("[") == MAX_DEPTH + 1
