# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checker of prose reads what people read, and knows where a sentence begins; Harper itself runs in `make lint`."""

from __future__ import annotations

import pytest

from tests.prose.__main__ import FOLDER, PATTERNS, SETTINGS, Finding, applies, matched, parts_of
from tests.prose.sources import Text, of_documentation, of_source, pages, texts

SOURCE = '''
"""Reads
an account."""

DOCUMENTATION = r"""
short_description: Read it
options:
  description:
    description: The text of O(state=absent).
"""


def f(name):
    """The name.

    More of it.
    """
    raise ValueError(f"The account {name} has no zone.", "a key", f"{name}: the end of a longer one.")
'''


def test_a_source_has_documentation_docstrings_and_messages() -> None:
    assert {(text.line, text.text) for text in of_source("a.py", SOURCE)} == {
        (2, "Reads an account."), (6, "Read it"), (9, "The text of `state=absent`."),
        (14, "The name."), (14, "More of it."), (18, "The account `x` has no zone."),
        (18, "`x`: the end of a longer one."),
    }  # fmt: skip


def test_other_values_of_a_document_are_no_prose() -> None:
    document = "options:\n  mode:\n    description: [The mode., Or none.]\n    default: not prose at all.\n"
    assert [text.text for text in of_documentation("a.yml", 1, document)] == ["The mode.", "Or none."]


def test_pages_lose_their_code_and_keep_their_lines() -> None:
    readme = [text for text in pages() if text.path == "README.md" and text.line]
    assert [text.line for text in readme] == list(range(1, len(readme) + 1))
    assert not any(text.text.startswith(("```", "$ ")) for text in readme)


@pytest.mark.parametrize(
    ("path", "text", "words", "expected"),
    [
        ("docs/a.md", "What is read is read once.", "What", True),
        ("docs/a.md", "It knows. Where it fails, it stops.", "Where", True),
        ("docs/a.md", "**What now?** Nothing.", "What", False),
        ("docs/a.md", "| What a customer has |", "What", False),
        ("docs/a.md", "It says what it is.", "what", False),
        ("plugins/a.py", "Where the rule applies.", "Where", False),
        ("plugins/a.py", "It reads. Where that fails, it stops.", "Where", True),
    ],
)
def test_a_clause_is_a_subject_at_the_beginning_of_a_sentence(path: str, text: str, words: str, expected: bool) -> None:
    finding = Finding(Text(path, 1, text), text.index(words) + 1, "ClauseAsSubject", "", words)
    assert applies(finding) is expected


@pytest.mark.parametrize(("path", "words", "expected"), [("docs/a.md", "wrod", True), ("plugins/a.py", "wrod", False)])
def test_spelling_is_that_of_pages(path: str, words: str, expected: bool) -> None:
    assert applies(Finding(Text(path, 1, words), 1, "SpellCheck", "", words)) is expected


def test_parts_are_all_lines_and_end_at_empty_ones() -> None:
    lines = [Text("a", number, "text" if number % 3 else "") for number in range(100)]
    parts = list(parts_of(lines))
    assert [line for part in parts for line in part] == lines
    assert len(parts) > 1 and all(not part[-1].text for part in parts)


def test_every_rule_of_ours_has_examples() -> None:
    tried = {name for group in SETTINGS.values() for name, examples in group.items() if examples.get("wrong")}
    assert tried == {path.stem for path in FOLDER.glob("rules/*.weir")} | PATTERNS.keys()
    assert len({text.path for text in texts()}) > 100


def test_a_docstring_begins_with_no_clause() -> None:
    (docstring,) = of_source("a.py", '"""Whether names are known."""')
    assert [(finding.rule, finding.words) for finding in matched(docstring)] == [("ClauseAsDocstring", "Whether")]
    assert list(matched(Text("a.py", 1, "Whether names are known."))) == []
