# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which rows of a long table a run goes through: a part of them for a change, all of them with EVERY_ROW=1."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

EVERY_ROW = os.environ.get("EVERY_ROW") == "1"


def sample(rows: Sequence[T], of: int, first: int = 0) -> Sequence[T]:
    """One row `of` so many, from another one for another `first`; so a table of two sides meets each side whole."""
    return rows if EVERY_ROW else rows[first % of :: of]
