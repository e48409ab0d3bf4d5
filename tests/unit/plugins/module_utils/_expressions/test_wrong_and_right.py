# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The forms of expressions and values by the vendor's tables."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions import examination
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.examination import (
    PACKET_EXPRESSION,
    RULE_EXPRESSION,
)
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import Value

from .wrong_and_right import OF_PACKETS, OF_REQUESTS, Row

ROWS = [*((RULE_EXPRESSION, row) for row in OF_REQUESTS), *((PACKET_EXPRESSION, row) for row in OF_PACKETS)]


@pytest.fixture(params=["without the library", "with the library"], autouse=True)
def _either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = None
    if request.param == "with the library":
        parser = pytest.importorskip("octorules_wirefilter").parse_expression
    monkeypatch.setattr(examination, "vendor_parser", parser)


def findings(value: Value, expression: str) -> list[str]:
    """The mistakes and warnings of an expression."""
    value.examine.cache_clear()  # type: ignore[attr-defined]
    try:
        return list(value.examine(expression))
    except ValueError as exc:
        return [str(exc)]


@pytest.mark.parametrize(("value", "row"), ROWS)
def test_a_wrong_expression_is_said_with_the_form_to_write(value: Value, row: Row) -> None:
    (finding,) = findings(value, row.wrong)
    assert row.words in finding
    assert "so says the parser" not in finding


@pytest.mark.parametrize(("value", "row"), ROWS)
def test_its_right_neighbour_has_no_findings(value: Value, row: Row) -> None:
    assert findings(value, row.right) == []
