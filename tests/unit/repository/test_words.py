# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Code, documentation and messages use the words of the field, and names say what they hold.

The patterns have brackets around a letter, so that this file does not match itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXTS = {".cfg", ".ini", ".j2", ".json", ".md", ".py", ".toml", ".txt", ".yaml", ".yml", ""}
FOLDERS = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "changelogs", "docs", "examples", "extensions", "galaxy.yml", "meta", "playbooks",
    "plugins", "pyproject.toml", "roles", "tests", ".ci", "Makefile", "antsibull-nox.toml", "noxfile.py",
)  # fmt: skip
PUBLIC_TEXT = {"tests/fake_service/expressions.json"}  # data from elsewhere, in its own words

# The words to say instead, and the patterns of those that are left out.
WORDS = {
    "desired": r"w[i]sh|(?<![a-z])w[a]nted(?![a-z])",
    "existing, current, or what it is": r"(?<![a-z-])l[i]ve(?![a-z])|(?<![a-z])h[e]ld(?![a-z])|(?<![a-z])h[o]lders?(?![a-z])",
    "predict, planned": r"fore[t]ell|fore[t]old|fore[s]ee",
    "duplicate": r"(?<![a-z])tw[i]ns?(?![a-z])",
    "apply, recover, done": r"carr(y|ies|ied|ying)[ ]out",
    "update to match, converge": r"into[ ]line",
    "exclusive": r"(?<![a-z_])ex[a]ct(?=\s?=[^=]|_)",
    "module spec": r"(?<![a-z])v[i]ews?(?![a-z_])",
    "staged rollout": r"l[a]dder",
    "guard, check a plan": r"j[u]dg(e|ing)",
    "wait budget, rate limiter, wait": r"p[a]tien",
    "concurrently": r"side[ ]by[ ]side",
    "normalise, normalised value": r"sett[l]e|by m[e]aning",
    "may have been applied": r"d[o]ubtful",
}
NAMES_OF_NOTHING = {
    "asked", "found", "given", "h" + "eld", "h" + "older", "l" + "ive", "meaning", "place", "said", "told", "w" + "anted",
}  # fmt: skip


def sources() -> Iterator[str]:
    """The text files of the repository, relative to its root."""
    for folder in FOLDERS:
        for path in sorted([ROOT / folder, *(ROOT / folder).rglob("*")]):
            name = path.relative_to(ROOT).as_posix()
            if path.is_file() and path.suffix in TEXTS and "__pycache__" not in name and name not in PUBLIC_TEXT:
                yield name


def left_out_words(text: str) -> list[str]:
    """One line for each word in a text that is left out of this collection."""
    return [
        f"line {number}: {match.group()!r}, say {instead}"
        for number, line in enumerate(text.splitlines(), start=1)
        for instead, pattern in WORDS.items()
        for match in re.finditer(pattern, line, re.IGNORECASE)
    ]


def names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that a file defines, and where."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node.lineno


def empty_names(text: str) -> list[str]:
    """One line for each name in a Python file that says how a value came about instead of what it is."""
    return [
        f"line {number}: {name!r}, name what it holds"
        for name, number in names(ast.parse(text))
        if name in NAMES_OF_NOTHING
    ]


@pytest.mark.parametrize("name", list(sources()))
def test_the_words_of_the_field(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    problems = left_out_words(text) + (empty_names(text) if name.endswith(".py") else [])
    assert not problems, "\n".join([f"{name} has words that this collection leaves out:", *problems])


@pytest.mark.parametrize(
    "text",
    [
        "a w" + "ish",
        "what is h" + "eld",
        "LIST_H" + "OLDERS",
        "carried" + " out",
        "ex" + "act=True",
        "l" + "ive_state",
    ],
)
def test_left_out_words_are_seen(text: str) -> None:
    assert len(left_out_words(f"fine\n{text}\n")) == 1


@pytest.mark.parametrize(
    "text", ["alive", "delivered", "placeholder", "state: exact", "exactly", "aria-live", "withheld"]
)
def test_other_words_are_not(text: str) -> None:
    assert left_out_words(text) == []


def test_empty_names_are_seen() -> None:
    assert len(empty_names("told = 1\ndef f(said, rules):\n    return rules\n")) == 2
