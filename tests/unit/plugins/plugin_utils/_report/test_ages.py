# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import ages, shown


def report(*read: str) -> Any:
    return {"generated": "2026-11-21T10:00:00+00:00", "hosts": [{"generated": moment} for moment in read]}


@pytest.mark.parametrize(
    ("read", "words"),
    [
        ("2026-11-21T10:00:00+00:00", "1 host was read 2026-11-21 10:00 UTC"),
        ("2026-11-21T09:59:30+00:00", "1 host was read 2026-11-21 09:59 UTC, less than a minute before this report"),
        ("2026-11-21T09:30:00+01:00", "1 host was read 2026-11-21 08:30 UTC, 1 hour before this report"),
        ("2026-11-18T10:00:00+00:00", "1 host was read 2026-11-18 10:00 UTC, 3 days before this report"),
    ],
)
def test_an_age_is_told_in_its_largest_unit(read: str, words: str) -> None:
    (part,) = ages(report(read))
    assert part.in_words() == words


def test_the_oldest_part_comes_first_with_the_number_of_its_hosts() -> None:
    old, new = "2026-11-20T10:00:00+00:00", "2026-11-21T10:00:00+00:00"
    assert [(part.generated, part.hosts) for part in ages(report(new, old, new))] == [(old, 1), (new, 2)]


def test_a_moment_is_shown_in_utc() -> None:
    assert shown("2026-11-21T23:30:59-02:00") == "2026-11-22 01:30 UTC"
