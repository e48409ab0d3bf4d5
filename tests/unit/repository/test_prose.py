# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checker of prose reads what people read, and knows where a sentence begins; Harper itself runs in `make lint`."""

from __future__ import annotations

import pytest

from tests.prose.__main__ import FOLDER, PATTERNS, SETTINGS, Finding, applies, matched
from tests.prose.sources import Text, of_source, texts


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


def test_every_rule_of_ours_has_examples() -> None:
    tried = {name for group in SETTINGS.values() for name, examples in group.items() if examples.get("wrong")}
    assert tried == {path.stem for path in FOLDER.glob("rules/*.weir")} | PATTERNS.keys()
    assert len({text.path for text in texts()}) > 100


def test_a_docstring_begins_with_no_clause() -> None:
    (docstring,) = of_source("a.py", '"""Whether names are known."""')
    assert [(finding.rule, finding.words) for finding in matched(docstring)] == [("ClauseAsDocstring", "Whether")]
    assert list(matched(Text("a.py", 1, "Whether names are known."))) == []
