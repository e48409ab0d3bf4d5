# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What changed between two reports: statuses and their reasons, host by host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .record import Comparison, HostChange, HostRecord, Report


def compare(previous: Report, records: Sequence[HostRecord]) -> Comparison:
    """The hosts that stand otherwise than in an earlier report, in the order of these records, and
    then those that only the earlier report has."""
    earlier = {record["host"]: record for record in previous["hosts"]}
    changes = (_change(earlier.get(record["host"]), record) for record in records)
    names = {record["host"] for record in records}
    gone = (_change(record, None) for host, record in earlier.items() if host not in names)
    return Comparison(
        generated=previous["generated"],
        hosts=[item for item in (*changes, *gone) if item["before"] != item["now"] or _moved(item)],
    )


def _change(before: HostRecord | None, now: HostRecord | None) -> HostChange:
    old, new = (record["reasons"] if record else [] for record in (before, now))
    record = now or before
    return HostChange(
        host=record["host"] if record else "",
        before=before["status"] if before else None,
        now=now["status"] if now else None,
        new=list(_beyond(new, old)),
        gone=list(_beyond(old, new)),
    )


def _moved(item: HostChange) -> bool:
    return bool(item["new"] or item["gone"])


def _beyond(reasons: Iterable[str], others: Sequence[str]) -> Iterator[str]:
    return (reason for reason in reasons if reason not in others)
