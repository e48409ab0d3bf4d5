# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings as SARIF 2.1.0, each at the file and the line that is meant: those of a report, and the
mistakes of an inventory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ...module_utils._errors import OptionError
from .._variables import sentences
from . import record as records
from .record import HostRecord, Ineffective, Report

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGES = "https://github.com/edgeops/ansible-protection/blob/main/docs"
PAGE_OF = {
    "ineffective": "ineffective",
    "risk": "risks",
    "expectation": "expectations",
    "traffic": "traffic_changes",
    **dict.fromkeys(("unknown", "mistake", "doubt"), "check_inventory"),
}
FILE_AND_LINE = re.compile(r"([^()]+):([1-9]\d*)")
WITHOUT_LINE = ("inventory", "1")  # GitHub refuses a file with a finding that has no place


class Located(NamedTuple):
    """A finding of hosts: its place is a file and a line, if that is known, and `accepted` is why
    nobody need look at it."""

    rule: str
    text: str
    place: str | None = None
    accepted: str | None = None
    level: str = "error"


class Occurrence(NamedTuple):
    """A finding, and the name of what has it: a host, or an object of a host."""

    finding: Located
    name: str


def sarif_of_report(report: Report) -> dict[str, Any]:
    """The findings of a report; one that is accepted is suppressed, with its reason."""
    return sarif_log(chain.from_iterable(map(_located, report["hosts"])))


def sarif_of_inventory(
    mistakes: Mapping[str, Sequence[OptionError]], doubts: Mapping[str, Sequence[OptionError]]
) -> dict[str, Any]:
    """The SARIF document for the mistakes in the variables of hosts, and the doubts about them,
    both by host.
    """
    errors = _occurrences("mistake", "error", mistakes)
    return sarif_log([*errors, *_occurrences("doubt", "warning", doubts)])


def _occurrences(
    rule: str, level: str, by_host: Mapping[str, Sequence[OptionError]]
) -> Iterator[Occurrence]:
    for host, errors in by_host.items():
        for error, text in zip(errors, sentences(errors)):
            finding = Located(rule, text, error.place or None, level=level)
            yield Occurrence(finding, host)


def _located(record: HostRecord) -> Iterator[Occurrence]:
    """The findings of a host."""
    host = record["host"]
    for ineffective in record["ineffective"]:
        yield ineffective_finding(host, ineffective)
    for risk in record["risks"]:
        accepted = risk["reason"] or "accepted" if risk["accepted"] else None
        finding = Located(f"risk/{risk['code']}", risk["message"], risk["place"], accepted)
        entries = risk.get("entries") or ()
        yield Occurrence(finding, "/".join([host, *entries[:1]]))
    if record["status"] == "unknown":
        yield from unread_findings(record)


def ineffective_finding(host: str, ineffective: Ineffective) -> Occurrence:
    """An object of a host that cannot work."""
    finding = Located(
        rule=f"ineffective/{ineffective['kind']}",
        text=records.ineffective_text(ineffective),
        place=ineffective["place"],
        accepted=ineffective["accepted"],
        level="warning",
    )
    return Occurrence(finding, f"{host}/{ineffective['resource']}/{ineffective['key']}")


def unread_findings(record: HostRecord) -> Iterator[Occurrence]:
    """The reasons why a host could not be read, such as a mistake in its variables."""
    for reason in record["reasons"]:
        yield Occurrence(Located("unknown", reason, record["place"]), record["host"])


def sarif_log(occurrences: Iterable[Occurrence], category: str = "") -> dict[str, Any]:
    """The SARIF document; equal findings of several hosts, such as hosts that share a variable, are
    one result. A code host keeps the findings of each `category` apart.
    """
    names_by_finding = records.values_by_key(occurrences)
    codes = sorted({finding.rule for finding in names_by_finding})
    rules = [{"id": code, "helpUri": _page_of_rule(code)} for code in codes]
    driver = {"name": "edgeops.protection", "informationUri": PAGES, "rules": rules}
    results = [_result(finding, names) for finding, names in names_by_finding.items()]
    run: dict[str, Any] = {"tool": {"driver": driver}, "results": results}
    if category:
        run["automationDetails"] = {"id": f"{category}/"}  # what follows the slash names the run
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _page_of_rule(code: str) -> str:
    return f"{PAGES}/{PAGE_OF[code.partition('/')[0]]}.md"


def _result(finding: Located, names: Sequence[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": finding.level,
        "message": {"text": finding.text},
        "locations": [_location(finding, names)],
    }
    if finding.accepted:
        result["suppressions"] = [{"kind": "external", "justification": finding.accepted}]
    return result


def _location(finding: Located, names: Sequence[str]) -> dict[str, Any]:
    """The place of a finding in SARIF, with the names of the hosts or objects that have it."""
    match = FILE_AND_LINE.fullmatch(finding.place or "")
    path, line = match.groups() if match else WITHOUT_LINE
    uri = Path(path).as_uri() if Path(path).is_absolute() else quote(path)
    return {
        "logicalLocations": [{"fullyQualifiedName": name} for name in names],
        "physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": int(line)}},
    }
