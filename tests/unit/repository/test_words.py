# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names in the plugins say what they hold, not how it came about. The words of texts are codespell's (tests/words.txt)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EMPTY = {"asked", "found", "given", "held", "meaning", "said", "told", "wanted"}


def empty_names(source: str) -> set[str]:
    """The names that a file defines and that say nothing about their value."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
    return names & EMPTY


@pytest.mark.parametrize("path", sorted((ROOT / "plugins").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_names_say_what_they_hold(path: Path) -> None:
    assert empty_names(path.read_text(encoding="utf-8")) == set()


def test_empty_names_are_seen() -> None:
    assert empty_names("told = 1\ndef f(said, rules):\n    return [given for rule in rules]\n") == {"told", "said"}
