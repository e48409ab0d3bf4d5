# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The check of names finds the vague ones, and its share only falls."""

from __future__ import annotations

import pytest

from tests.prose.names import Share, bound_names, share_of, verdict

SOURCE = """
def labels(rules, one):
    for item in rules:
        label = item.name
    return [every.label for every in rules]
"""


def test_parameters_variables_and_loops_bind_names() -> None:
    names = [name.text for name in bound_names(SOURCE)]
    assert sorted(names) == ["every", "item", "label", "one", "rules"]


def test_a_vague_name_is_listed_with_its_file_and_line() -> None:
    share = share_of(iter([("a.py", SOURCE)]), {"one", "every", "item"})
    assert sorted(share.vague) == ["a.py:2: one", "a.py:3: item", "a.py:5: every"]
    assert share.per_thousand == 600


@pytest.mark.parametrize(
    ("vague", "reason"),
    [
        (5, "5 of 1,000 names say nothing, and names.yml allows 4. Say what each of the new ones holds."),
        (4, ""),
        (3, "Fewer names say nothing than before: write 3 into names.yml."),
    ],
)
def test_the_share_of_vague_names_only_falls(vague: int, reason: str) -> None:
    assert verdict(Share(1000, ["name"] * vague), recorded=4) == reason
