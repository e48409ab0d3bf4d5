# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The migration of firewall rules, with errors for the reader of a template."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ansible.errors import AnsibleFilterError, AnsibleTypeError
from ansible_collections.edgeops.protection.plugins.module_utils.migration.migrate import Migration, migrate

Result = TypeVar("Result")


def migrated(rules: object, custom_rules: object = ()) -> Migration:
    """What becomes of `rules`."""
    return told(migrate, rules, custom_rules)


def told(function: Callable[[Any, Any], Result], rules: object, custom_rules: object) -> Result:
    """The outcome of a function of two lists; Jinja's own filters hand over iterators."""
    given, held = (list(value) if isinstance(value, Iterator) else value for value in (rules, custom_rules))
    try:
        return function(given, held)
    except ValueError as exc:
        error = AnsibleFilterError if isinstance(given, list) and isinstance(held, (list, tuple)) else AnsibleTypeError
        raise error(f"{exc}.") from None  # Ansible names the filter itself, and would repeat a cause
