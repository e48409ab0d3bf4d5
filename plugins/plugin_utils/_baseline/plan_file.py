# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a host as a file of a report, which says of which report, moment and host it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

PLANS = "plans"  # the folder of these files in the directory of a report
REPORT = "report.json"
OF_OPERATIONS = ("action", "resource", "key", "fields", "before")


class PlanFile(TypedDict):
    """A plan; `report` is the id of the report that it belongs to, and `generated` its moment."""

    host: str
    generated: str
    report: str
    plan_id: str
    plans: dict[str, str]
    operations: list[dict[str, Any]]


def plan_file(
    report_id: str, generated: str, record: Mapping[str, Any], operations: Sequence[Any]
) -> PlanFile:
    """The file of a host of a report."""
    return PlanFile(
        host=record["host"],
        generated=generated,
        report=report_id,
        plan_id=record["plan_id"],
        plans=record["plans"],
        operations=[{name: item[name] for name in OF_OPERATIONS} for item in operations],
    )


def report_id(generated: str, records: Iterable[Mapping[str, Any]]) -> str:
    """SHA-256 over the moment of a report and the plan of each of its hosts, in whichever order."""
    plans = sorted([str(record.get("host")), str(record.get("plan_id"))] for record in records)
    return hashlib.sha256(json.dumps([generated, plans]).encode()).hexdigest()


def is_plan(text: str) -> bool:
    """Whether a text is a plan of a host."""
    try:
        plan = json.loads(text)
    except ValueError:
        return False
    return isinstance(plan, Mapping) and {"plan_id", "plans", "operations"} <= plan.keys()


def not_of_its_report(plan: Mapping[str, Any], path: Path) -> str:
    """Why the report beside a plan does not name it; an empty text if it does, or if there is no
    report."""
    file = path.absolute().parent.parent / REPORT
    if path.absolute().parent.name != PLANS or not file.is_file():
        return ""
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
        hosts = {record["host"]: record for record in report["hosts"]}
        identity = report_id(report["generated"], hosts.values())
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return f"{file} cannot be read, so nobody knows whether it names this plan"
    record = hosts.get(plan.get("host"))
    if record is None:
        return f"{file} does not have this host"
    if record.get("plan_id") is None:
        return f"{file} does not know this host, since it could not be read"
    if plan.get("report") != identity or record["plan_id"] != plan.get("plan_id"):
        return f"{file}, made {report['generated']}, has another plan of this host"
    return ""
