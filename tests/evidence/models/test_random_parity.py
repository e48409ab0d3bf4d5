# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two hundred random states of a zone and its account: the report says the same of the zone in each inventory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tests.support.parity_of_a_zone import check_parity

STATES = range(20, 220)


def test_random_parity(record_property: Callable[[str, object], None]) -> None:
    counts = Counter(map(check_parity, STATES))
    record_property("parity", dict(counts))
    assert min(counts[status] for status in ("in_order", "drift", "weakened", "unprotected")) >= 5, counts
