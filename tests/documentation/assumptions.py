# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of the assumptions, which follows from their declaration."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.doctor import assumptions

from tests.support.documents import with_table

PAGE = Path(__file__).parents[2] / "docs" / "evidence.md"
HEAD = "| name | assumption | source | if it does not hold | the doctor |"


def with_assumptions(text: str) -> str:
    """The page with its table of assumptions brought up to date."""
    lines = [
        (f"`{item.name}`", item.statement, item.source or "none", item.otherwise, "looks" if item.is_checked else "")
        for item in assumptions()
    ]
    return with_table(text, HEAD, lines)
