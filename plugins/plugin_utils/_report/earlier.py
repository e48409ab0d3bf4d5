# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Earlier reports: which of them this release reads, and what has changed since."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from jinja2 import TemplateError

from .files import report_files
from .record import REPORT_VERSION, ComparedReport, HostChange, HostRecord, Report, misfit_of

MISFITS = (ArithmeticError, AttributeError, LookupError, TemplateError, TypeError, ValueError)
RAY = re.compile(r" \(ray [^()]*\)")  # of an answer of Cloudflare, which no other answer has
CLOCKS_DIFFER = timedelta(hours=1)  # at most, between the machines that write a report


def read_report(name: str, text: str, now: str) -> Report:
    """The report in a text of JSON; raises ValueError, with the name, for what is not a report of
    this version, and for one that is made after `now`, a timestamp with an offset."""
    report = _document(name, text)
    is_report = isinstance(report, Mapping) and isinstance(report.get("hosts"), list)
    if not is_report or "version" not in report:
        raise ValueError(f"{name} is not a report; give it the report.json of another run")
    if report["version"] != REPORT_VERSION:
        raise ValueError(
            f"{name} is a report of version {report['version']!r}, and this release of the"
            f" collection reads version {REPORT_VERSION}; make both reports with the same release"
        )
    try:
        for _file in report_files(cast(Report, report)):
            pass  # what can be written again is a report
        ahead = datetime.fromisoformat(report["generated"]) - datetime.fromisoformat(now)
    except MISFITS as exc:
        raise ValueError(f"{name} is a damaged report: {misfit_of(exc)}") from exc
    if ahead > CLOCKS_DIFFER:
        raise ValueError(
            f"{name} was made at {report['generated']}, and now is {now}; correct the clock of the"
            " machine that made it, and make it again"
        )
    return cast(Report, dict(report))


def read_report_file(path: str, now: str) -> Report:
    """The report in a file; raises OSError, and ValueError as `read_report` does."""
    try:
        return read_report(path, Path(path).read_text(encoding="utf-8"), now)
    except UnicodeDecodeError as exc:
        raise ValueError(f"{path} is not JSON: {exc}") from exc


def _document(name: str, text: str) -> Any:
    """The content of a text of JSON that can be written again; raises ValueError, with the name."""
    problem = "not JSON"
    try:
        document = json.loads(text)
        problem = "a damaged report"
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"{name} is {problem}: {exc}") from exc
    return document


def compare(previous: Report, records: Sequence[HostRecord]) -> ComparedReport:
    """The hosts that stand otherwise than in an earlier report, in the order of these records, and
    then those that only the earlier report has."""
    earlier = {record["host"]: record for record in previous["hosts"]}
    current = {record["host"]: record for record in records}
    names = dict.fromkeys([*current, *earlier])
    changes = [_host_change(name, earlier.get(name), current.get(name)) for name in names]
    others = [
        item
        for item in changes
        if item["before"] != item["now"] or item["new"] or item["gone"] or item["differences"]
    ]
    return ComparedReport(generated=previous["generated"], hosts=others)


def _host_change(host: str, before: HostRecord | None, now: HostRecord | None) -> HostChange:
    old, new = (record["reasons"] if record else [] for record in (before, now))
    known = before["operations"] if before else []
    return HostChange(
        host=host,
        before=before["status"] if before else None,
        now=now["status"] if now else None,
        new=other_reasons(new, old),
        gone=other_reasons(old, new),
        differences=[item for item in (now["operations"] if now else ()) if item not in known],
    )


def other_reasons(reasons: Iterable[str], known: Iterable[str]) -> list[str]:
    """The reasons that are not known; the same answer of Cloudflare to another call is known."""
    same = {RAY.sub("", reason) for reason in known}
    return [reason for reason in reasons if RAY.sub("", reason) not in same]
