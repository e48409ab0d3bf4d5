# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Data without the marks of Ansible."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from ansible.errors import AnsibleFilterError
from jinja2 import Undefined

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
MOST_REMEMBERED = 256  # lists and dictionaries of variables that are remembered


@remembered(MOST_REMEMBERED)
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


Filtered = TypeVar("Filtered")


def run_filter(
    function: Callable[[Any, Any], Filtered], rules: object, custom_rules: object
) -> Filtered:
    """The result of a function of two lists, whose ValueError becomes an error of Ansible; Jinja
    may pass iterators."""
    # Before ansible-core 2.19 filters see what is undefined; it raises as a list.
    to_list = (Iterator, Undefined)
    both = (rules, custom_rules)
    try:
        lists = [list(value) if isinstance(value, to_list) else value for value in both]
        return function(*lists)
    except ValueError as exc:  # Ansible names the filter itself, and would repeat a cause
        raise AnsibleFilterError(f"{exc}.") from None
