# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that cannot work, risks, and mistakes in variables as SARIF 2.1.0, which code hosts show
on the line of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from .record import HostRecord, Report, ineffective_text, values_by_key

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGES = "https://github.com/edgeops/ansible-protection/blob/main/docs"
PAGE_OF = {
    "ineffective": "ineffective",
    "risk": "risks",
    **dict.fromkeys(("unknown", "mistake"), "check_inventory"),
}
FILE_AND_LINE = re.compile(r"([^()]+):([1-9]\d*)")
BEHIND_MISTAKE = re.compile(rf" \(({FILE_AND_LINE.pattern})\)")


class Finding(NamedTuple):
    """A finding of hosts: its place is a file and a line, if that is known, and `accepted` is why
    nobody need look at it."""

    rule: str
    text: str
    place: str | None = None
    accepted: str | None = None
    level: str = "error"


def sarif(report: Report) -> dict[str, Any]:
    """The findings of a report; one that is accepted is suppressed, with its reason."""
    return _log(item for record in report["hosts"] for item in _findings(record))


def sarif_of_mistakes(mistakes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The mistakes in the variables of hosts, by host."""
    return _log(_mistake("mistake", host, text) for host in mistakes for text in mistakes[host])


def _findings(record: HostRecord) -> Iterator[tuple[Finding, str]]:
    host = record["host"]
    for item in record["ineffective"]:
        rule, text = f"ineffective/{item['kind']}", ineffective_text(item)
        finding = Finding(rule, text, item["place"], item["accepted"], "warning")
        yield finding, f"{host}/{item['resource']}/{item['key']}"
    for risk in record["risks"]:
        accepted = risk["reason"] or "accepted" if risk["accepted"] else None
        finding = Finding(f"risk/{risk['code']}", risk["message"], risk["place"], accepted)
        yield finding, "/".join([host, *(risk.get("entries") or ())[:1]])
    for text in record["reasons"] if record["status"] == "unknown" else ():
        yield _mistake("unknown", host, text)


def _mistake(rule: str, host: str, text: str) -> tuple[Finding, str]:
    known = BEHIND_MISTAKE.search(text)
    return Finding(rule, text, known[1] if known else None), host


def _log(found: Iterable[tuple[Finding, str]]) -> dict[str, Any]:
    """Equal findings of several hosts, such as those that share a variable, are one result."""
    findings = values_by_key(found)
    rules = [
        {"id": rule, "helpUri": f"{PAGES}/{PAGE_OF[rule.partition('/')[0]]}.md"}
        for rule in sorted({finding.rule for finding in findings})
    ]
    driver = {"name": "edgeops.protection", "informationUri": PAGES, "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(*item) for item in findings.items()]}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, names: Sequence[str]) -> dict[str, Any]:
    named = [{"fullyQualifiedName": name} for name in names]
    location: dict[str, Any] = {"logicalLocations": named}
    if known := FILE_AND_LINE.fullmatch(finding.place or ""):
        uri = Path(known[1]).as_uri() if Path(known[1]).is_absolute() else quote(known[1])
        region = {"startLine": int(known[2])}
        location["physicalLocation"] = {"artifactLocation": {"uri": uri}, "region": region}
    result = {
        "ruleId": finding.rule,
        "level": finding.level,
        "message": {"text": finding.text},
        "locations": [location],
    }
    if finding.accepted:
        result["suppressions"] = [{"kind": "external", "justification": finding.accepted}]
    return result
