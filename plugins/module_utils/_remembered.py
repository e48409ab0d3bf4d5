# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results that are kept for objects which are asked about again, as those that many hosts have in
common."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, TypeVar

Result = TypeVar("Result")
RememberedFunction = Callable[..., Result]


def remembered(most: int) -> Callable[[RememberedFunction[Result]], RememberedFunction[Result]]:
    """A decorator that keeps at most `most` results of a function, for arguments that are the same
    objects as before.

    Neither the arguments nor the results may be changed.
    """

    def remembering(function: RememberedFunction[Result]) -> RememberedFunction[Result]:
        # With the arguments, so that no other object gets their ids.
        calls: dict[tuple[int, ...], tuple[tuple[Any, ...], Result]] = {}

        @wraps(function)
        def remembering_function(*arguments: Any) -> Result:
            ids = tuple(map(id, arguments))
            call = calls.get(ids)
            if call is None:
                if len(calls) >= most:
                    calls.clear()
                call = (arguments, function(*arguments))
                calls[ids] = call
            _arguments, result = call
            return result

        return remembering_function

    return remembering
