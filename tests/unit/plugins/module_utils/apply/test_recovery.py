# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How far an interrupted run came, in one sentence."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.apply.recovery import _progress

AGAIN = " Run the task again when the cause is gone: it reads first, and does only what is left."


@pytest.mark.parametrize(
    ("done", "left", "unknown", "sentence"),
    [
        (0, 3, 0, ""),
        (0, 0, 1, "Whether 1 operation was applied is not known."),
        (0, 0, 3, "Whether 3 operations were applied is not known."),
        (0, 2, 1, "0 of 3 operations are done, 2 are left; whether 1 other was applied is not known."),
        (1, 0, 0, "1 of 1 operation is done."),
        (1, 1, 0, "1 of 2 operations is done, 1 is left."),
        (2, 0, 1, "2 of 3 operations are done; whether 1 other was applied is not known."),
        (2, 3, 0, "2 of 5 operations are done, 3 are left."),
        (300, 1, 300, "300 of 601 operations are done, 1 is left; whether 300 others were applied is not known."),
    ],
)
def test_how_far_it_came_reads_as_a_sentence(done: int, left: int, unknown: int, sentence: str) -> None:
    assert _progress(done, left, unknown) == (sentence + AGAIN if sentence else "")
