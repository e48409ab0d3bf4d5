# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports of several runs as one, such as those of the slices of an inventory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, cast

from .document import report_of
from .record import VERSION, Report
from .shapes import misfit


def read_report(name: str, text: str) -> Report:
    """The report in a text of JSON; raises ValueError, with the name, for what is no report of this
    version."""
    try:
        report = json.loads(text)
    except ValueError as exc:
        raise ValueError(f"{name} is not JSON: {exc}") from exc
    if (
        not isinstance(report, Mapping)
        or "version" not in report
        or not isinstance(report.get("hosts"), list)
    ):
        raise ValueError(f"{name} is no report; give it the report.json of another run")
    if report["version"] != VERSION:
        raise ValueError(
            f"{name} is a report of version {report['version']!r}, and this release of the"
            f" collection reads version {VERSION}; make both reports with the same release"
        )
    wrong = misfit(Report, report) or ("" if _is_timestamp(report["generated"]) else "generated")
    if wrong:
        raise ValueError(f"{name} is a damaged report: {wrong} is missing or has another type")
    return cast(Report, dict(report))


def merge_reports(reports: Iterable[Report]) -> Report:
    """One report on the hosts of all; of a host that stands in several, what the newest says.

    Raises ValueError without a report.
    """
    ordered = sorted(reports, key=lambda report: datetime.fromisoformat(report["generated"]))
    if not ordered:
        raise ValueError("there is no report to merge")
    records = {record["host"]: record for report in ordered for record in report["hosts"]}
    return report_of(records.values(), ordered[-1]["generated"])


def _is_timestamp(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False
