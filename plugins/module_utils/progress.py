# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module says before it ends: where it runs in the worker process, which has a screen."""

from __future__ import annotations

from typing import Callable, NamedTuple


class Screen(NamedTuple):
    """`show` shows a line at once, and `is_first` claims for this task what a run says only once."""

    show: Callable[[str], None]
    is_first: Callable[[], bool]
