# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that cannot work, risks, and mistakes for which a host is unknown, as SARIF 2.1.0, which
code hosts show beside a change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .record import HostRecord, Report, ineffective_text

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGES = "https://github.com/edgeops/ansible-protection/blob/main/docs"
PAGE_OF = {"ineffective": "ineffective", "risk": "risks", "unknown": "check_inventory"}
PLACE = re.compile(r" \(([^()\s:]+):([1-9]\d*)\)")  # of a value, behind the mistake in it


def sarif(report: Report) -> dict[str, Any]:
    """The findings of a report; one that is accepted is suppressed, with its reason."""
    results = [item for record in report["hosts"] for item in _results(record)]
    rules = [
        {"id": name, "helpUri": f"{PAGES}/{PAGE_OF[name.partition('/')[0]]}.md"}
        for name in sorted({item["ruleId"] for item in results})
    ]
    driver = {"name": "edgeops.protection", "informationUri": PAGES, "rules": rules}
    run = {"tool": {"driver": driver}, "results": results}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _results(record: HostRecord) -> Iterator[dict[str, Any]]:
    for item in record["ineffective"]:
        name, text = f"ineffective/{item['kind']}", ineffective_text(item)
        place = f"{record['host']}/{item['resource']}/{item['key']}"
        yield _result(name, "warning", text, place, item["accepted"])
    for risk in record["risks"]:
        place = "/".join([record["host"], *(risk.get("entries") or ())[:1]])
        reason = risk["reason"] or "accepted" if risk["accepted"] else None
        yield _result(f"risk/{risk['code']}", "error", risk["message"], place, reason)
    for text in record["reasons"] if record["status"] == "unknown" else ():
        yield _result("unknown", "error", text, record["host"], None)


def _result(name: str, level: str, text: str, place: str, accepted: str | None) -> dict[str, Any]:
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": place}]}
    if known := PLACE.search(text):
        region = {"startLine": int(known[2])}
        file = {"artifactLocation": {"uri": known[1]}, "region": region}
        location["physicalLocation"] = file
    suppressed = [{"kind": "external", "justification": accepted}] if accepted else []
    return {
        "ruleId": name,
        "level": level,
        "message": {"text": text},
        "locations": [location],
        **({"suppressions": suppressed} if suppressed else {}),
    }
