# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Risks and objects that cannot work as SARIF 2.1.0, which code hosts show beside a change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...module_utils._text import capitalised
from .record import HostRecord, Report, ineffective_text

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGES = "https://github.com/edgeops/ansible-protection/blob/main/docs"
INEFFECTIVE, RISK = "ineffective", "risk"


def sarif(report: Report) -> dict[str, Any]:
    """The findings of a report; one that is accepted is suppressed, with its reason."""
    results = [item for record in report["hosts"] for item in _results(record)]
    rules = [
        {"id": name, "helpUri": f"{PAGES}/{'risks' if name.startswith(RISK) else INEFFECTIVE}.md"}
        for name in sorted({item["ruleId"] for item in results})
    ]
    driver = {"name": "edgeops.protection", "informationUri": PAGES, "rules": rules}
    run = {"tool": {"driver": driver}, "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _results(record: HostRecord) -> Iterator[dict[str, Any]]:
    for item in record["ineffective"]:
        name, text = f"{INEFFECTIVE}/{item['kind']}", ineffective_text(item)
        place = f"{record['host']}/{item['resource']}/{item['key']}"
        yield _result(name, "warning", text, place, item["accepted"])
    for risk in record["risks"]:
        place = "/".join([record["host"], *(risk.get("entries") or ())[:1]])
        reason = risk["reason"] or "accepted" if risk["accepted"] else None
        yield _result(f"{RISK}/{risk['code']}", "error", risk["message"], place, reason)


def _result(name: str, level: str, text: str, place: str, accepted: str | None) -> dict[str, Any]:
    location = {"logicalLocations": [{"fullyQualifiedName": place}]}
    suppressed = [{"kind": "external", "justification": accepted}] if accepted else []
    return {
        "ruleId": name,
        "level": level,
        "message": {"text": capitalised(text)},
        "locations": [location],
        **({"suppressions": suppressed} if suppressed else {}),
    }
