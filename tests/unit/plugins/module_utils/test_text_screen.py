# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The channel to the terminal."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._text import Screen


def test_a_screen_shows_lines_under_the_title_of_its_task() -> None:
    lines: list[str] = []
    screen = Screen(lines.append, lambda: True, "lima: prefixes")
    screen.show(f"{screen.title}: 10 s")
    assert lines == ["lima: prefixes: 10 s"]
    assert screen.is_first()
