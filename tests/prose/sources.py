# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The texts of the repository that people read, each with the place that it comes from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from tests.support.ansible_run import REPOSITORY

PLUGINS = REPOSITORY / "plugins"
PAGES = (
    "README.md",
    "plugins/README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/*.md",
    "roles/*/README.md",
    "examples/README.md",
)
PROSE_KEYS = {"description", "short_description", "notes", "requirements"}
MARKUP = re.compile(r"\b[A-Z]{1,3}\(((?:[^()\\]|\\.|\([^()]*\))*)\)")  # O(state=absent), of Ansible's documentation
VALUE = "`x`"  # stands for a value in a message
WORDS = 3  # a message has at least so many


@dataclass(frozen=True)
class Text:
    """A text, with its file, as from the root, and its line."""

    path: str
    line: int
    text: str
    is_docstring: bool = False


def pages() -> Iterator[Text]:
    """The pages, line by line, without the text of their code blocks."""
    for path in (path for pattern in PAGES for path in sorted(REPOSITORY.glob(pattern))):
        name, is_code = str(path.relative_to(REPOSITORY)), False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            is_fence = line.startswith("```")
            yield Text(name, number, "" if is_code or is_fence else line)
            is_code ^= is_fence
        yield Text(name, 0, "")


def texts() -> Iterator[Text]:
    """The documentation of plugins and roles, their docstrings and their messages."""
    for path in sorted(PLUGINS.rglob("*.py")):
        yield from of_source(str(path.relative_to(REPOSITORY)), path.read_text(encoding="utf-8"))
    for path in (*sorted(PLUGINS.rglob("*.yml")), *sorted((REPOSITORY / "roles").glob("*/meta/argument_specs.yml"))):
        yield from of_documentation(str(path.relative_to(REPOSITORY)), 1, path.read_text(encoding="utf-8"))


def of_source(path: str, source: str) -> Iterator[Text]:
    """The texts of a Python file."""
    tree = ast.parse(source)
    blocks = {id(node.value): name for node, name in _assignments(tree) if name in ("DOCUMENTATION", "RETURN")}
    docstrings = {id(node) for node in _docstrings(tree)}
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in blocks and isinstance(node, ast.Constant):
            yield from of_documentation(path, node.lineno, str(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            if id(node) in docstrings:
                yield from (Text(path, node.lineno, one_line(part), True) for part in node.value.split("\n\n"))
        elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and id(node) not in inner):
            text = one_line(_literal(node))
            if id(node) in docstrings or is_sentence(text):
                yield Text(path, node.lineno, text, id(node) in docstrings)


def of_documentation(path: str, line: int, document: str) -> Iterator[Text]:
    """The descriptions of a YAML document. Lines are those of the document's mappings' values."""
    for node in _values(yaml.compose(document, Loader=yaml.SafeLoader)):
        yield Text(path, line + node.start_mark.line, one_line(MARKUP.sub(r"`\1`", node.value)))


def is_sentence(text: str) -> bool:
    """Whether a literal is a message: some words, of which the last one ends a sentence."""
    return text.endswith((".", "!")) and len(re.findall(r"[A-Za-z]{2,}", text)) >= WORDS and not text.startswith("...")


def one_line(text: str) -> str:
    return " ".join(text.split())


def _assignments(tree: ast.Module) -> Iterator[tuple[ast.Assign, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node, node.targets[0].id


def _docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def _literal(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else VALUE for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _values(node: Any, prose: bool = False) -> Iterator[yaml.ScalarNode]:
    """The scalars below a key of prose."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            # An option may be called description: its value is a mapping.
            yield from _values(value, key.value in PROSE_KEYS and not isinstance(value, yaml.MappingNode))
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _values(item, prose)
    elif prose and isinstance(node, yaml.ScalarNode):
        yield node
