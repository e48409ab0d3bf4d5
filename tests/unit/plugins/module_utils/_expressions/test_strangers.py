# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expressions of strangers: no mistake is found in one that the vendor's parser takes, and each is read."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions import examination
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.examination import RULE_EXPRESSION
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import normalise_expression, parse

from tests.judges.strangers import expressions_of_strangers

EXPRESSIONS = expressions_of_strangers()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nothing_is_said_of_an_expression_that_the_engine_takes(
    expression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = pytest.importorskip("octorules_wirefilter").parse_expression
    assert "error" not in library(expression)
    for parser in (None, library):
        monkeypatch.setattr(examination, "vendor_parser", parser)
        RULE_EXPRESSION.examine.cache_clear()  # type: ignore[attr-defined]
        assert list(RULE_EXPRESSION.examine(expression)) == []


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_each_is_read_and_sent_as_it_means(expression: str) -> None:
    sent = RULE_EXPRESSION.parse(expression)
    assert parse(sent)
    assert normalise_expression(sent) == normalise_expression(expression)


def test_there_are_three_hundred() -> None:
    assert len({*EXPRESSIONS}) == len(EXPRESSIONS) >= 300
