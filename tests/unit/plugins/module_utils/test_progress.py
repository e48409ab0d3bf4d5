# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module says before it ends."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils.progress import Screen


def test_a_screen_shows_lines() -> None:
    lines: list[str] = []
    screen = Screen(lines.append, lambda: True)
    screen.show("a line")
    assert (lines, screen.is_first()) == (["a line"], True)
