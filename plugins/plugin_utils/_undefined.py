# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The undefined names of a template that cannot be read.

Python's operators do not name an undefined operand: `list + name` says that a list cannot be joined
with an UndefinedMarker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.defaults import DEFAULT_NAMESPACE

OF_ANSIBLE = frozenset(["lookup", "query", "q", "now", "undef", "omit", "vars"])
TAKE_UNDEFINED = ("default", "d", "defined", "undefined", "mandatory")  # filters and tests


def undefined_names(template: Any, variables: Mapping[str, Any]) -> list[str]:
    """The undefined variables that a template reads, also those in the values of the variables
    that it reads; none for a value that is not a text, or not a template."""
    missing: dict[str, None] = {}
    texts, seen = [template], {""}
    while texts:
        text = texts.pop()
        if not isinstance(text, str) or text in seen:
            continue
        seen.add(text)
        for name in _names_in(text):
            if name in variables:
                texts.append(variables[name])
            else:
                missing[name] = None
    return list(missing)


def _names_in(text: str) -> Iterator[str]:
    """The names of variables that a template reads, except for those that it allows to be
    undefined."""
    try:
        tree = Environment(autoescape=False).parse(str.__str__(text))
    except TemplateSyntaxError:
        return
    own_names = {name.name for name in tree.find_all(nodes.Name) if name.ctx != "load"}
    optional = set()
    for use in tree.find_all((nodes.Filter, nodes.Test)):
        if use.name in TAKE_UNDEFINED and isinstance(use.node, nodes.Name):
            optional.add(use.node.name)
    for name in tree.find_all(nodes.Name):
        is_own = name.name in own_names or name.name in optional
        if not is_own and name.name not in OF_ANSIBLE and name.name not in DEFAULT_NAMESPACE:
            yield name.name
