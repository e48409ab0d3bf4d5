# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What large accounts cost: no more than their size explains."""

from __future__ import annotations

import math

from tests.evidence.benchmark.coverage import reading_time


def test_coverage_grows_no_faster_than_n_log_n() -> None:
    few, many = 1_000, 8_000
    bound = 1.6 * many * math.log(many) / (few * math.log(few))
    quickest = {few: math.inf, many: math.inf}
    for _round in range(8):  # another program only ever makes a run slower, so that the quickest ones count
        quickest = {size: min(seconds, reading_time(size, runs=1)) for size, seconds in quickest.items()}
        if _round and quickest[many] / quickest[few] < bound:
            break
    assert quickest[many] / quickest[few] < bound
