# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of the plan page, and the report of the base branch with which it is compared."""

from __future__ import annotations

from collections.abc import Container, Sequence
from pathlib import Path
from typing import NamedTuple

from .._baseline.approval import REPORT_FILE
from .files import json_text, read_report_file
from .plan_document import Base, PlanDocument, plan_document
from .plan_findings import sarif_of_plans
from .plan_page import plan_page
from .record import HostRecord


class PlanFiles(NamedTuple):
    """The content of plan.json, and the texts of all files by their name in the directory of the
    report."""

    document: PlanDocument
    texts: dict[str, str]


def plan_files(
    generated: str, records: Sequence[HostRecord], base: Base, inventory: Container[str]
) -> PlanFiles:
    """The files of the plans of some hosts; `inventory` has the names of all its hosts."""
    document = plan_document(generated, records, base, inventory)
    texts = {
        "plan.json": json_text(document),
        "plan.md": plan_page(document),
        "plan.sarif": json_text(sarif_of_plans(records, base)),
    }
    return PlanFiles(document, texts)


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
