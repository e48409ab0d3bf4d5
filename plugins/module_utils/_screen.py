# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The channel to the terminal, for modules that run in the worker process."""

from __future__ import annotations

from typing import Callable, NamedTuple


class Screen(NamedTuple):
    """How a task shows lines before it ends.

    `show` shows a line at once, `is_first` claims for this task what a run says once, and `title`
    names the task.
    """

    show: Callable[[str], None]
    is_first: Callable[[], bool]
    title: str
