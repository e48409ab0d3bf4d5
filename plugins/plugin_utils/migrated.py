# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The migration of firewall rules, with errors for the reader of a template."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.errors import AnsibleFilterError, AnsibleTypeError
from ansible_collections.edgeops.protection.plugins.module_utils.migration import Migration, migrate


def migrated(rules: object) -> Migration:
    """What becomes of `rules`; Jinja's own filters hand over iterators."""
    given = list(rules) if isinstance(rules, Iterator) else rules
    try:
        return migrate(given)  # type: ignore[arg-type]
    except ValueError as exc:
        error = AnsibleFilterError if isinstance(given, list) else AnsibleTypeError
        raise error(f"{exc}.") from None  # Ansible names the filter itself, and would repeat a cause
