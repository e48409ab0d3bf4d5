# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Data without the marks of Ansible, and as one level of names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..module_utils._remembered import remembered

MARKS_OF_TEMPLATES = re.compile("[{][{%#]|^#jinja2:")
SCALARS = (bool, int, float, type(None))


def is_data(value: Any) -> bool:
    """True if a value of a variable is data, so that it need not be templated, which takes longer
    than most of what is done with it; a value that Ansible decrypts is none."""
    if isinstance(value, str):  # most values are, and this is the quickest question
        return MARKS_OF_TEMPLATES.search(value) is None
    if isinstance(value, SCALARS):
        return True
    if isinstance(value, (list, tuple)):
        return all(is_data(item) for item in value)
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and is_data(item) for name, item in value.items())
    return False


def plain(value: Any) -> Any:
    """Data of plain types; Ansible's own texts and numbers carry marks."""
    if isinstance(value, str):
        return _unmarked(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {_unmarked(name): plain(item) for name, item in value.items()}
    return value


TEMPLATE = object()  # in the place of the data of a value that Ansible makes them of
MOST_VALUES = 256  # lists and dictionaries of variables that are remembered


@remembered(MOST_VALUES)
def _data_of_container(value: Any) -> Any:
    return plain(value) if is_data(value) else TEMPLATE


def data_of(value: Any) -> Any:
    """The data of a variable, or TEMPLATE; those of a list or dictionary are always the same
    object."""
    if isinstance(value, (list, tuple, Mapping)):
        return _data_of_container(value)
    return plain(value) if is_data(value) else TEMPLATE


def _unmarked(value: Any) -> str:
    """The plain text of a value; of a text, str() keeps the mark of releases before 2.19."""
    return str.__str__(value) if isinstance(value, str) else str(value)


def by_path(values: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """The values within dictionaries by their paths, such as `filter.expression`; an empty
    dictionary is a value."""
    named: dict[str, Any] = {}
    for name, value in values.items():
        own = f"{path}{name}"
        is_inner = isinstance(value, Mapping) and value
        named.update(by_path(value, f"{own}.") if is_inner else {own: value})
    return named
