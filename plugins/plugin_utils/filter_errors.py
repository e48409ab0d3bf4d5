# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The errors of the migration, for the reader of a template."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ansible.errors import AnsibleFilterError, AnsibleTypeError

Result = TypeVar("Result")


def run_filter(function: Callable[[Any, Any], Result], rules: object, custom_rules: object) -> Result:
    """The result of a function of two lists, whose ValueError becomes an error of Ansible; Jinja may pass iterators."""
    lists = [list(value) if isinstance(value, Iterator) else value for value in (rules, custom_rules)]
    try:
        return function(*lists)
    except ValueError as exc:
        error = AnsibleFilterError if all(isinstance(value, (list, tuple)) for value in lists) else AnsibleTypeError
        raise error(f"{exc}.") from None  # Ansible names the filter itself, and would repeat a cause
