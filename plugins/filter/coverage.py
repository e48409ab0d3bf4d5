# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.protection.plugins.module_utils.coverage.coverage import Coverage
from ansible_collections.edgeops.protection.plugins.module_utils.coverage.inputs import read_account
from ansible_collections.edgeops.protection.plugins.module_utils.coverage.summary import answer, summarise


def coverage(told: Any) -> dict[str, Any]:
    """What an account protects, and how; see coverage.yml."""
    return summarise(_covering(told))


def covers(told: Any, asked: Any) -> Any:
    """Whether and how an address, or each of several, is protected; see covers.yml."""
    covering = _covering(told)
    try:
        return answer(covering, asked) if isinstance(asked, str) else [answer(covering, one) for one in asked]
    except (TypeError, ValueError) as exc:
        raise AnsibleFilterError(f"edgeops.protection.covers: {exc}") from exc


def _covering(told: Any) -> Coverage:
    try:
        return Coverage(read_account(told))
    except ValueError as exc:
        raise AnsibleFilterError(f"edgeops.protection.coverage: {exc}") from exc


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """By name."""
        return {"coverage": coverage, "covers": covers}
