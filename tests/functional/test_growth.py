# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What large accounts cost: no more than their size explains."""

from __future__ import annotations

import math

from tests.benchmark.coverage import reading_time


def test_coverage_grows_no_faster_than_n_log_n() -> None:
    few, many = 1_000, 8_000
    growth = reading_time(many, runs=3) / reading_time(few, runs=3)
    assert growth < 1.6 * many * math.log(many) / (few * math.log(few))
