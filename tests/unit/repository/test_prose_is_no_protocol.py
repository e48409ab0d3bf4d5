# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No function decides by the text of a sentence: a message carries its kind in a field. Texts of others may be all that
there is to decide by; the functions that read them stand in READS_OTHERS."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from tests.support.ansible_run import REPOSITORY

PLUGINS = REPOSITORY / "plugins"
NAMES_OF_SENTENCES = ("advice", "doubt", "hint", "message", "msg", "phrase", "problem", "reason", "sentence", "why")
READING = ("endswith", "find", "match", "partition", "removeprefix", "rpartition", "search", "startswith")
FEWEST_WORDS = 3  # of a sentence
READS_OTHERS = {
    "_already_exists": "Cloudflare has no code for it",
    "_node_in": "the analytics name what they refuse in their message alone",
    "concerns": "a reason is a code of the analytics",
    "advice": "a reason is a code of the analytics",
}


# Constants whose words stand for a kind in a field of a record, or that are no sentences.
NAMES_OF_KINDS = {
    "FIREWALL": "a kind of traffic, as expectations and sentences name it",
    "REST_OF_THE_LIST": "what a rule skips, as results name it",
    "PLAYBOOK_PYTHON": "a template of an inventory",
    "ENTERPRISE_ZONES": "a condition in an expression",
}


def constants_in(tree: ast.Module) -> set[str]:
    """The names of constants of a file whose text is a sentence, or a part of one."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and is_sentence(node.value, set()):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names - NAMES_OF_KINDS.keys()


def imported(tree: ast.Module, by_module: Mapping[str, set[str]]) -> set[str]:
    """Those among the names that a file imports."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").rpartition(".")[2]
            names |= {alias.name for alias in node.names} & by_module.get(module, set())
    return names


def is_sentence(node: ast.AST, constants: set[str]) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(is_sentence(part, constants) for part in node.values)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and len(node.value.split()) >= FEWEST_WORDS
    return last_name(node) in constants


def last_name(node: ast.AST) -> str:
    """The name that says what an expression holds, such as msg of str(result["msg"])."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        return last_name(node.args[0])
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def compares_sentence(node: ast.Compare, constants: set[str]) -> bool:
    operands = [node.left, *node.comparators]
    for operator, left, right in zip(node.ops, operands[:-1], operands[1:], strict=True):
        looks_inside = isinstance(operator, (ast.In, ast.NotIn))
        if looks_inside and last_name(right) in NAMES_OF_SENTENCES:
            return True
        is_compared = looks_inside or isinstance(operator, (ast.Eq, ast.NotEq))
        if is_compared and (is_sentence(left, constants) or is_sentence(right, constants)):
            return True
    return False


def reads_sentence(node: ast.Call, constants: set[str]) -> bool:
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in READING:
        return False
    texts = [node.func.value, *node.args]
    return any(last_name(text) in NAMES_OF_SENTENCES or is_sentence(text, constants) for text in texts)


def decisions(source: str, constants: set[str]) -> list[str]:
    """The functions, and the lines in them, that read a sentence."""
    found: list[str] = []
    lines = source.splitlines()
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef) or function.name in READS_OTHERS:
            continue
        for node in ast.walk(function):
            if (isinstance(node, ast.Compare) and compares_sentence(node, constants)) or (
                isinstance(node, ast.Call) and reads_sentence(node, constants)
            ):
                found.append(f"{function.name}: {lines[node.lineno - 1].strip()}")
    return found


def test_no_function_decides_by_a_sentence() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(PLUGINS.rglob("*.py"))}
    trees = {path: ast.parse(source) for path, source in sources.items()}
    by_module: dict[str, set[str]] = {}
    for path, tree in trees.items():
        by_module.setdefault(path.stem, set()).update(constants_in(tree))
    found: list[str] = []
    for path, tree in trees.items():
        constants = constants_in(tree) | imported(tree, by_module)
        found += [f"{path.relative_to(PLUGINS)}: {line}" for line in decisions(sources[path], constants)]
    assert found == [], chr(10).join(found)


@pytest.mark.parametrize(
    "line",
    [
        "return 'level' in message",
        "return str(result['msg']).removeprefix('lima: ')",
        "return exc.reason.startswith('The')",
        "return re.search('x', error.message)",
        "return hint == GONE",
        "return end != 'is no more there'",
    ],
)
def test_a_decision_by_a_sentence_is_found(line: str) -> None:
    assert decisions(f"def decide():\n    {line}\n", {"GONE"}) == [f"decide: {line}"]
