# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a report, and how they are written: each at once or not at all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from .._baseline.plan_file import PLANS, is_plan, plan_file, report_id
from .._files import write_whole
from .html import html_page
from .markdown import markdown_page
from .prometheus import metrics
from .record import Report

LONGEST_NAME = 240  # bytes; a file system takes 255, and the name gets an ending
BEGINNING = 40  # characters of a longer name, of up to four bytes each


def report_files(report: Report) -> Iterator[tuple[str, str]]:
    """The texts of all files by their path below the directory of the report."""
    yield "report.json", json_text(report)
    yield "report.md", markdown_page(report)
    yield "report.html", html_page(report)
    yield "report.prom", metrics(report)
    generated, identity = report["generated"], report_id(report["generated"], report["hosts"])
    for record in report["hosts"]:
        if record["plan_id"] is not None:
            plan = plan_file(identity, generated, record, record["operations"])
            yield f"{PLANS}/{file_name(record['host'])}.json", json_text(plan)


def stale_plans(directory: Path, names: Collection[str]) -> list[Path]:
    """The plans in the directory of a report that are not among its files; raises OSError."""
    return [
        path
        for path in sorted((directory / PLANS).glob("*.json"))
        if f"{PLANS}/{path.name}" not in names and is_plan(path.read_text("utf-8", "replace"))
    ]


def json_text(document: Any) -> str:
    """A document as JSON that people can read; characters that control text are escaped."""
    return json.dumps(document, indent=2) + "\n"


def file_name(host: str) -> str:
    """A host's name as the name of a file; what could lead elsewhere is percent-encoded, and a name
    that no file could have ends with its SHA-256."""
    safe = re.sub(
        r"[^\w.@:+-]",
        lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()),
        host,
    )
    safe = re.sub(r"^\.", "%2E", safe)
    if len(safe.encode()) <= LONGEST_NAME:
        return safe
    return f"{safe[:BEGINNING]}-{hashlib.sha256(host.encode()).hexdigest()}"


def write_file(path: Path, text: str, mode: int) -> bool:
    """Write a file unless it has this text and mode; raises OSError. Whoever reads it meanwhile
    sees all or nothing."""
    if (
        path.is_file()
        and path.stat().st_mode & 0o777 == mode
        and path.read_bytes() == text.encode()
    ):
        return False
    write_whole(path, text, mode)
    return True
