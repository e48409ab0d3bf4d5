# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No function of the plugins is longer than 40 lines of code.

ruff holds branches, statements and complexity (C901, PLR0912, PLR0915); it does not count lines of code. A file has no
limit: it is one idea, whatever its length.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "plugins").rglob("*.py"))
MAX_LINES_OF_FUNCTION = 40

LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENCODING, tokenize.ENDMARKER,
}  # fmt: skip


def lines_of_code(source: str) -> set[int]:
    """The numbers of the lines that hold code: no blank lines, comments, docstrings, or documentation of a module."""
    texts = {
        line
        for statement in ast.walk(ast.parse(source))
        if isinstance(statement, (ast.Expr, ast.Assign))
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        and (isinstance(statement, ast.Expr) or statement.end_lineno != statement.lineno)
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = {line for token in tokens if token.type not in LAYOUT for line in range(token.start[0], token.end[0] + 1)}
    return code - texts


def too_long(source: str) -> Iterator[str]:
    code = lines_of_code(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            count = len(code & set(range(node.lineno, (node.end_lineno or node.lineno) + 1)))
            if count > MAX_LINES_OF_FUNCTION:
                yield f"{node.name} (line {node.lineno}) has {count} lines of code"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_are_short(path: Path) -> None:
    assert list(too_long(path.read_text(encoding="utf-8"))) == []
