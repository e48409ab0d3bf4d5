# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How long a module call waits in all, for a service that limits calls or fails."""

from __future__ import annotations

import time


class WaitTooLong(Exception):
    """The next wait would be longer than what is left of max_wait."""

    def __init__(self, seconds: float, status: int | None) -> None:
        super().__init__(seconds, status)
        self.seconds = seconds
        self.status = status
        self.doubtful = False


class Patience:
    """What is left of max_wait, shared by all requests of a session."""

    def __init__(self, max_wait: float) -> None:
        self.left = max_wait

    def wait(self, seconds: float, status: int | None) -> None:
        """Wait, or raise WaitTooLong at once."""
        if seconds > self.left:
            raise WaitTooLong(seconds, status)
        self.left -= seconds
        time.sleep(seconds)
