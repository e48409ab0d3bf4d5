# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.html import amount, bars, in_words

NONE: Any = {"covered": 0, "monitored": 0, "undecided": 0, "uncovered": 0, "excluded": 0}


def test_a_bar_has_a_part_for_each_class_that_has_addresses() -> None:
    (drawn,) = bars({"ipv4": {**NONE, "covered": 192, "uncovered": 64}, "ipv6": NONE})
    assert (drawn.family, drawn.words) == ("IPv4", "192 mitigated, 64 not covered")
    assert '<rect class="c" x="0%" width="75%" height="100%"/>' in drawn.svg
    assert '<rect class="n" x="75%" width="25%" height="100%"/>' in drawn.svg
    assert 'aria-label="IPv4: 192 mitigated, 64 not covered"' in drawn.svg


def test_without_addresses_there_is_no_bar() -> None:
    assert list(bars({"ipv4": NONE, "ipv6": NONE})) == []
    assert in_words("ipv4", NONE) == "no addresses"


@pytest.mark.parametrize(
    ("family", "number", "words"),
    [("ipv4", 1024, "1,024"), ("ipv6", (1 << 64) - 1, "18,446,744,073,709,551,615"), ("ipv6", 3 << 64, "3 /64")],
)
def test_ipv6_addresses_are_counted_in_networks(family: str, number: int, words: str) -> None:
    assert amount(family, number) == words
