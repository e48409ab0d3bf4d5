# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._arguments import NEEDED, Arguments, list_of, result_argument
from ..module_utils._errors import OptionError
from ..plugin_utils._report.document import make_report
from ..plugin_utils._report.record import Report
from ..plugin_utils._report.results import read_results
from ..plugin_utils._variables import plain, read_call

HOST = result_argument(
    host=NEEDED, results={"type": "dict"}, failures={"type": "list", "elements": "dict"}
)
CALL: Arguments = {"hosts": {**list_of(HOST), "required": True}, "generated": NEEDED}


def protection_report(hosts: Iterable[Any], generated: str) -> Report:
    """The report on some hosts; see protection_report.yml."""
    try:
        call = read_call(CALL, hosts=hosts, generated=generated)
        return make_report([*map(read_results, call["hosts"])], plain(call["generated"]))
    except (AttributeError, KeyError, OptionError, TypeError, ValueError) as exc:
        raise AnsibleFilterError(f"edgeops.protection.protection_report: {exc}") from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The functions, by the names of their filters."""
        return {"protection_report": protection_report}
