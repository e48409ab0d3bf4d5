# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results that are kept for objects which are asked about again, as those that many hosts have in
common."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, TypeVar

Remembered = TypeVar("Remembered")
Of = Callable[..., Remembered]


def remembered(most: int) -> Callable[[Of[Remembered]], Of[Remembered]]:
    """Keep so many results of a function, for arguments that are the same objects as before.

    Nobody may change the arguments, nor the results.
    """

    def remembering(function: Of[Remembered]) -> Of[Remembered]:
        known: dict[tuple[int, ...], tuple[tuple[Any, ...], Remembered]] = {}

        @wraps(function)
        def of(*values: Any) -> Remembered:
            key = tuple(map(id, values))
            entry = known.get(key)
            if entry is None:
                if len(known) >= most:
                    known.clear()
                # The values are kept as well, so that no other object gets their ids.
                entry = known[key] = values, function(*values)
            return entry[1]

        return of

    return remembering
