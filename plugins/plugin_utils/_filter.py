# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The errors of the migration, for the reader of a template."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ansible.errors import AnsibleFilterError
from jinja2 import Undefined

Result = TypeVar("Result")


def run_filter(
    function: Callable[[Any, Any], Result], rules: object, custom_rules: object
) -> Result:
    """The result of a function of two lists, whose ValueError becomes an error of Ansible; Jinja
    may pass iterators."""
    to_list = (
        Iterator,
        Undefined,
    )  # before ansible-core 2.19 filters see what is undefined; it raises as a list
    try:
        return function(
            *(
                list(value) if isinstance(value, to_list) else value
                for value in (rules, custom_rules)
            )
        )
    except ValueError as exc:
        raise AnsibleFilterError(
            f"{exc}."
        ) from None  # Ansible names the filter itself, and would repeat a cause
