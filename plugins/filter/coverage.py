# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ..plugin_utils import _bytecode  # noqa: F401  # isort: skip  # pylint: disable=unused-import

from functools import partial
from typing import Any, Callable

from ansible.errors import AnsibleFilterError

from ..module_utils._arguments import TEXTS
from ..module_utils._errors import OptionError, OptionProblems, parsed
from ..module_utils._protection.account_state import read_account
from ..module_utils._protection.coverage import Coverage
from ..module_utils._protection.summary import NetworkAnswer, answer, summarise
from ..module_utils._text import Option
from ..plugin_utils._variables import read_call


def coverage(account: Any, covers: Any = ()) -> dict[str, Any]:
    """The coverage of an account, with an answer for each address that is asked for; see
    coverage.yml."""
    try:
        account_coverage = Coverage(read_account(account))
        answers = _answers(account_coverage, covers)
    except (OptionError, ValueError) as exc:
        raise AnsibleFilterError(f"edgeops.protection.coverage: {exc}") from None
    summary = summarise(account_coverage)
    return {**summary, "covers": answers} if answers else {**summary}


def _answers(account_coverage: Coverage, addresses: Any) -> list[NetworkAnswer]:
    """The answers about addresses and networks; raises OptionError and ValueError."""
    call = read_call({"covers": {**TEXTS, "default": []}}, covers=addresses)
    problems, answers = OptionProblems(), []
    for position, address in enumerate(call["covers"]):
        with problems.collected():
            option = Option("covers", position)
            answers.append(parsed(option, partial(answer, account_coverage), address))
    problems.raise_any()
    return answers


class FilterModule:
    """The filter of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The function, by the name of its filter."""
        return {"coverage": coverage}
