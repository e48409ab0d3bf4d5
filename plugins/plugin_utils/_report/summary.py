# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report in some lines of a terminal."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._text import (
    excerpt,
    left_out,
    plural,
    sentence,
    visible,
)

from .record import LABELS, STATUSES, Report

MAX_HOSTS = 10  # are shown, the worst
MAX_LINE = 100  # characters of a reason


def summary(report: Report, directory: str) -> list[str]:
    """How many hosts have which status, the hosts that are not in order, and where the report
    lies."""
    totals = report["totals"]
    counts = [
        f"{totals['statuses'][name]} {LABELS[name]}"
        for name in STATUSES
        if totals["statuses"][name]
    ]
    concerned = [record for record in report["hosts"] if record["status"] != "in_order"]
    lines = [f"{plural(totals['hosts'], 'host', 'hosts')}: {', '.join(counts) or 'none'}."]
    for record in concerned[:MAX_HOSTS]:
        reason = visible(excerpt(record["reasons"][0], MAX_LINE)) if record["reasons"] else ""
        lines.append(f"{visible(record['host'])}: {LABELS[record['status']]}. {reason}".rstrip())
    more = left_out(len(concerned), MAX_HOSTS, "host", "hosts")
    return [*lines, *([sentence(more)] if more else []), f"{directory}/report.html"]
