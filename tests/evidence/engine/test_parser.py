# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Expressions against the parser of the vendor's engine, and the page that counts all such comparisons."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence.engine.comparisons import ENGINE, PARSER, Counts
from tests.evidence.engine.evidence import OF_HOLES, OF_MODELS, PAGE
from tests.support.documents import read_page, rows


@pytest.mark.parametrize("comparison", PARSER, ids=lambda comparison: comparison.__name__)
def test_nothing_differs_from_the_parser(comparison: Callable[[Random, Counts], None]) -> None:
    compared = Counts()

    @settings(max_examples=max(40, settings().max_examples))  # so that ten are decided
    @given(st.integers(0, 2**32))
    def compare(seed: int) -> None:
        counts = Counts()
        comparison(Random(seed), counts)
        compared.count(**counts.counted)
        assert counts.differences == []

    compare()
    assert compared.counted["decided"] + compared.counted["equal"] >= 10


def test_the_page_shows_every_comparison_without_a_difference() -> None:
    table = rows(read_page(PAGE), "what is compared")
    comparisons = [str(item.__doc__).strip().rstrip(".") for item in (*PARSER, *ENGINE)]
    proven = [row for row in table if row[1] == "prover"]  # its program is installed for `make comparisons` alone
    shown = [row[0] for row in table if row not in proven]
    models = {sentence: program for sentence, (program, *_tests) in OF_MODELS.items() if sentence in shown}
    assert shown == [*comparisons, *models]
    assert OF_MODELS.keys() == models.keys()
    programs = ["parser"] * len(PARSER) + ["engine"] * len(ENGINE) + ["prover"] + [*models.values()]
    assert [row[1] for row in table] == programs
    for sentence, program, numbers, differences in table:
        least = 1000 if sentence == OF_HOLES or program == "itself" else 2000
        assert sum(int(part.split()[0].replace(",", "")) for part in numbers.split(", ")) >= least
        assert differences == "0"
