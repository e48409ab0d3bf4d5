# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Planning, applying, the engine and the results know no resource and no field by name; the declarations do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES

MODULE_UTILS = Path(__file__).parents[3] / "plugins" / "module_utils"
FILES = [
    MODULE_UTILS / "_engine.py",
    MODULE_UTILS / "_result.py",
    MODULE_UTILS / "_warnings.py",
    *MODULE_UTILS.glob("_plan/*.py"),
    *MODULE_UTILS.glob("_apply/*.py"),
]
# The files of the schema that declare something of the product.
PRODUCT = {path.stem for path in MODULE_UTILS.glob("_schema/*.py")} - {"__init__", "resource"}
RESOURCES = (*ACCOUNT, FIREWALL_RULES, CUSTOM_RULES)
GENERIC = {"id", "action", "name"}  # names of the service's generic object, and of an operation
NAMES = {
    name for resource in RESOURCES for name in (resource.name, resource.plural, *(field.name for field in resource.fields))
} - GENERIC  # fmt: skip


def words(tree: ast.AST) -> Iterator[str]:
    """The texts of a file, documentation aside."""
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(MODULE_UTILS)))
def test_no_resource_and_no_field_is_known_by_name(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert NAMES & set(words(tree)) == set()
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] in PRODUCT
        for alias in node.names
    }
    assert {name for name in imported if name.isupper()} == set()
