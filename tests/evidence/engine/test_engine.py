# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters and requests against the vendor's engine, which `make engine` fetches."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from tests.evidence.engine.comparisons import ENGINE, Counts
from tests.evidence.engine.evidence import run

TIMES = 1000


@pytest.mark.parametrize("comparison", ENGINE, ids=lambda comparison: comparison.__name__)
def test_nothing_differs_from_the_engine(comparison: Callable[[Random, Counts], None]) -> None:
    counts = run(comparison, TIMES)
    assert counts.differences == []
    assert max(counts.counted.values()) >= 5 * TIMES
