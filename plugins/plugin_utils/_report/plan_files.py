# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of the plan page, and the report of the base branch with which it is compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .._baseline.approval import REPORT_FILE
from .files import json_text, read_report_file
from .plan_document import Base, PlanDocument
from .plan_page import plan_page


def plan_files(document: PlanDocument) -> Iterator[tuple[str, str]]:
    """The texts of the files by their name in the directory of the report."""
    yield "plan.json", json_text(document)
    yield "plan.md", plan_page(document)


def read_base(directory: str | None, now: str) -> Base:
    """The report in the directory of the base branch; one that cannot be read says why."""
    if not directory:
        return Base()
    try:
        report = read_report_file(str(Path(directory) / REPORT_FILE), now)
    except (OSError, ValueError) as exc:
        problem = f"The report of the base branch cannot be read ({exc})"
        return Base(
            unread=f"{problem}, so that changes by hand cannot be told from those of this branch."
        )
    return Base(report["generated"], {record["host"]: record for record in report["hosts"]})
