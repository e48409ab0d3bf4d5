# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._report.document import make_report
from ..plugin_utils._report.record import Report
from ..plugin_utils._report.results import read_results


def protection_report(hosts: Iterable[Any], generated: str) -> Report:
    """The report on some hosts; see protection_report.yml."""
    try:
        return make_report([read_results(record) for record in hosts], str.__str__(generated))
    except (AttributeError, KeyError, TypeError, ValueError) as exc:
        raise AnsibleFilterError(f"edgeops.protection.protection_report: {exc}") from None


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """The functions, by the names of their filters."""
        return {"protection_report": protection_report}
