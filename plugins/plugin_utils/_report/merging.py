# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports of several runs as one, such as those of the slices of an inventory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import (
    VERSION,
    Record,
    report_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.statuses import STATUSES

LISTS = ("reasons", "operations", "risks", "pending", "unmanaged")


def read_report(name: str, text: str) -> Record:
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
    problems = [problem for problem in (_problem(record) for record in report["hosts"]) if problem]
    if problems or not _is_timestamp(report.get("generated")):
        raise ValueError(
            f"{name} is a damaged report:"
            f" {problems[0] if problems else 'generated is no timestamp'}"
        )
    return dict(report)


def merge_reports(reports: Iterable[Record]) -> Record:
    """One report on the hosts of all; of a host that stands in several, what the newest says."""
    ordered = sorted(reports, key=lambda report: datetime.fromisoformat(report["generated"]))
    if not ordered:
        raise ValueError("there is no report to merge")
    records = {record["host"]: record for report in ordered for record in report["hosts"]}
    return report_of(records.values(), ordered[-1]["generated"])


def _problem(record: Any) -> str:
    """What is wrong with a record of a host; an empty text where it can be shown."""
    if not isinstance(record, Mapping) or not isinstance(record.get("host"), str):
        return "a host has no name"
    if record.get("status") not in STATUSES:
        return f"the status of {record['host']} is {record.get('status')!r}"
    missing = [name for name in LISTS if not isinstance(record.get(name), list)]
    if "mitigates" not in record or "coverage" not in record:
        missing.append("coverage")
    return f"{record['host']} lacks {', '.join(missing)}" if missing else ""


def _is_timestamp(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False
