# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows of tables of cases that a change concerns: those of the modules whose declaration or documentation it touches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._specs.host import HOST_SECTIONS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS, ROOMS

PACKAGE = "ansible_collections.edgeops.protection"
DECLARATION = re.compile(r"(plugins/module_utils/_schema/\w+)\.py")
MODULE = re.compile(r"plugins/modules/(\w+)\.py")
NAMES = {*MODULE_SPECS, *HOST_SECTIONS}  # of modules, and of parts of hosts


def modules_of(names: Iterable[str]) -> set[str]:
    """The modules of the resources that some files declare, and those that have a file among them."""
    modules: set[str] = set()
    for name in names:
        declaration, module = DECLARATION.fullmatch(name), MODULE.fullmatch(name)
        if declaration:
            modules |= _declared_modules(declaration[1])
        if module:
            modules.add(module[1])
    return modules


def _declared_modules(path: str) -> set[str]:
    """The modules of the resources in a file, with those of the same specifications."""
    contents = vars(import_module(f"{PACKAGE}.{path.replace('/', '.')}"))
    plurals = {resource.plural for resource in _resources_in(contents.values())}
    modules = {managed.module for managed in MANAGED if managed.resource.plural in plurals}
    for room, names in ROOMS.items():
        if modules & {room, *names}:
            modules |= {*names}
    return modules


def _resources_in(values: Iterable[Any]) -> Iterator[Resource]:
    """The resources among some values, and in tables and tuples."""
    for value in values:
        if isinstance(value, Resource):
            yield value
        elif isinstance(value, Mapping):
            yield from _resources_in(value.values())
        elif isinstance(value, tuple):
            yield from _resources_in(value)


def is_concerned(parameters: Mapping[str, Any], modules: set[str]) -> bool:
    """Return whether a row is about one of the modules, or about none at all."""
    values: list[Any] = []
    for value in parameters.values():
        values += value if isinstance(value, tuple) else [value]
    named = {value for value in values if isinstance(value, str)} & NAMES
    modules_of_rows = {getattr(value, "module", None) for value in values} & NAMES
    subjects = named or modules_of_rows
    return not subjects or bool(subjects & modules)
