# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from functools import partial
from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ..module_utils._arguments import TEXTS
from ..module_utils._errors import OptionError, OptionProblems, parsed
from ..module_utils._protection.account_state import read_account
from ..module_utils._protection.coverage import Coverage
from ..module_utils._protection.summary import CoverageSummary, answer, summarise
from ..module_utils._text import Option
from ..plugin_utils._variables import read_call


def coverage(account: Any) -> CoverageSummary:
    """The coverage of an account; see coverage.yml."""
    return summarise(_covering("coverage", account))


def covers(account: Any, addresses: Any) -> Any:
    """Return whether and how an address, or each of several, is protected; see covers.yml."""
    covering = _covering("covers", account)
    problems, answers = OptionProblems(), []
    try:
        call = read_call({"addresses": {**TEXTS, "required": True}}, addresses=addresses)
        for position, address in enumerate(call["addresses"]):
            with problems.collected():
                option = Option("addresses", position)
                answers.append(parsed(option, partial(answer, covering), address))
        problems.raise_any()
    except (OptionError, ValueError) as exc:
        raise AnsibleFilterError(f"edgeops.protection.covers: {exc}") from None
    return answers[0] if isinstance(addresses, str) else answers


def _covering(name: str, account: Any) -> Coverage:
    try:
        return Coverage(read_account(account))
    except OptionError as exc:
        raise AnsibleFilterError(f"edgeops.protection.{name}: {exc}") from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The functions, by the names of their filters."""
        return {"coverage": coverage, "covers": covers}
