# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ..module_utils._protection.coverage import Coverage
from ..module_utils._protection.summary import CoverageSummary, answer, read_account, summarise


def coverage(account: Any) -> CoverageSummary:
    """The coverage of an account; see coverage.yml."""
    return summarise(_covering(account))


def covers(account: Any, addresses: Any) -> Any:
    """Return whether and how an address, or each of several, is protected; see covers.yml."""
    covering = _covering(account)
    try:
        if isinstance(addresses, str):
            return answer(covering, addresses)
        return [answer(covering, address) for address in addresses]
    except (TypeError, ValueError) as exc:
        raise AnsibleFilterError(f"edgeops.protection.covers: {exc}") from None


def _covering(account: Any) -> Coverage:
    try:
        return Coverage(read_account(account))
    except ValueError as exc:
        raise AnsibleFilterError(f"edgeops.protection.coverage: {exc}") from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The functions, by the names of their filters."""
        return {"coverage": coverage, "covers": covers}
