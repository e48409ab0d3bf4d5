# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A local service that behaves like the API that this collection speaks to, in memory.

`python -m tests.fake_service` starts one; tests use LocalService.
"""

from __future__ import annotations

from .server import LocalService

__all__ = ["LocalService"]
