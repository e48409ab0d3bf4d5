# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports of results that modules have returned to a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record, report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import Report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import HostResults, host_results


def read_results(record: Mapping[str, Any]) -> HostResults:
    """The results of the modules of a host, which has `host`, and perhaps `results`, `failures` and its owners."""
    return host_results(record["host"], record, record.get("results") or {}, record.get("failures") or ())


def make_report(hosts: Iterable[HostResults], generated: str) -> Report:
    """The report on some hosts; `generated` is when it was made, as a timestamp with an offset."""
    return report_of([host_record(host, generated) for host in hosts], generated)
