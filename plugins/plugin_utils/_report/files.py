# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a report, and how they are written: each at once or not at all."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, tostring

from ...module_utils._text import visible
from .._baseline.approval import PLANS, is_plan, plan_file, report_id
from .._files import write_whole
from .._variables import CONTACTS
from .coverage import CLASSES, FAMILIES
from .html import html_page
from .markdown import markdown_page
from .overview import contacts
from .record import STATUSES, HostRecord, Metric, Report, seconds, shown_as, was_read
from .sarif import sarif
from .traffic import PACKET_ACTIONS

METRIC_PREFIX = "edgeops_protection_"

Sample = tuple[Mapping[str, str], float]


def metrics(report: Report) -> str:
    """The metrics of a report, each with its help."""
    return "".join(f"{line}\n" for metric in _metrics(report) for line in _metric(*metric))


def _metrics(report: Report) -> Iterator[tuple[str, str, Iterator[Sample]]]:
    """The name of each metric, its help and its samples."""
    hosts, statuses = report["hosts"], report["totals"]["statuses"]
    made = seconds(report["generated"])
    yield "report_timestamp_seconds", "When the report was made.", iter([({}, made)])
    yield "hosts", "Hosts by status.", (({"status": name}, statuses[name]) for name in STATUSES)
    for key, metric in shown_as(Metric):
        yield f"host_{metric.name}", metric.help, _of_hosts(hosts, key, metric)
    if info := [(record["host"], contacts(record)) for record in hosts if contacts(record)]:
        labels = (({"host": host, **dict.fromkeys(CONTACTS, ""), **own}, 1.0) for host, own in info)
        yield "host_info", "Whom a finding of a host is for.", labels
    yield "host_addresses", "Addresses by how they are treated.", _address_samples(hosts)
    if any(record["traffic"] for record in hosts):
        text = "Packets of the hours that the report looks at, as Cloudflare estimates them."
        yield "host_packets", text, packet_samples(hosts)
        known = ((labels, float(seen["known"])) for labels, seen in _seen_components(hosts))
        yield "host_traffic_known", "Whether the traffic is known.", known


def _of_hosts(hosts: Sequence[Mapping[str, Any]], key: str, metric: Metric) -> Iterator[Sample]:
    """The numbers of a key; a host that was not read has its status only."""
    for record in hosts:
        if record[key] is not None and (key == "status" or was_read(record)):
            yield {"host": record["host"]}, metric.value(record[key])


def _address_samples(hosts: Sequence[HostRecord]) -> Iterator[Sample]:
    for record, family, name in product(hosts, FAMILIES, CLASSES):
        if record["coverage"]:
            labels = {"host": record["host"], "family": family, "class": name}
            yield labels, record["coverage"]["addresses"][family][name]


def packet_samples(hosts: Sequence[HostRecord]) -> Iterator[Sample]:
    """Packets by host, component and action, of components that are known."""
    for labels, seen in _seen_components(hosts):
        for action in PACKET_ACTIONS if seen["known"] else ():
            if (number := seen[f"{action}_packets"]) is not None:
                yield {**labels, "action": action}, number


def _seen_components(
    hosts: Sequence[HostRecord],
) -> Iterator[tuple[Mapping[str, str], Mapping[str, Any]]]:
    for record in hosts:
        for name, seen in record["traffic"]["components"].items() if record["traffic"] else ():
            yield {"host": record["host"], "component": name}, seen


def _metric(name: str, text: str, samples: Iterator[Sample]) -> Iterator[str]:
    yield f"# HELP {METRIC_PREFIX}{name} {text}"
    yield f"# TYPE {METRIC_PREFIX}{name} gauge"
    for labels, value in samples:
        pairs = ",".join(f'{label}="{_as_label(content)}"' for label, content in labels.items())
        yield f"{METRIC_PREFIX}{name}{'{' + pairs + '}' if pairs else ''} {_sample_value(value)}"


def _sample_value(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def _as_label(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# In JUnit's words, by status, and by whether an expectation is met.
FAILURES: Final[Mapping[Any, str]] = {
    **dict.fromkeys(("unprotected", "weakened", "drift", False), "failure"),
    **dict.fromkeys(("unknown", None), "error"),
}


Case = tuple[str, str, Any, Sequence[str]]  # the class, the name, the outcome, the reasons


def junit(report: Report) -> str:
    """The hosts and their expectations as test cases."""
    hosts: list[Case] = []
    expectations: list[Case] = []
    for record in report["hosts"]:
        lines = [*record["reasons"], *(": ".join(item) for item in contacts(record).items())]
        hosts.append(("protection", record["host"], record["status"], lines))
        for item in record["expectations"]:
            text = f"expected {item['expected']}, now {item['actual']}"
            expectations.append((record["host"], item["description"], item["met"], [text]))
    suites = Element("testsuites", {"name": "edgeops.protection"})
    for name, every in (("hosts", hosts), ("expectations", expectations)):
        kinds = Counter(FAILURES.get(outcome, "") for _class, _name, outcome, _lines in every)
        numbers = {"tests": len(every), "failures": kinds["failure"], "errors": kinds["error"]}
        texts = {key: str(number) for key, number in numbers.items()}
        suite = SubElement(suites, "testsuite", {"name": name, **texts})
        for class_name, title, outcome, reasons in every:
            names = {"classname": visible(class_name), "name": visible(title)}
            element = SubElement(suite, "testcase", names)
            if kind := FAILURES.get(outcome):
                shown = [visible(reason) for reason in reasons]
                detail = SubElement(element, kind, {"message": (*shown, "")[0]})
                detail.text = "\n".join(shown)
    return tostring(suites, encoding="unicode") + "\n"


LONGEST_NAME = 240  # bytes; a file system takes 255, and the name gets an ending
NAME_BEGINNING = 40  # characters of a longer name, of up to four bytes each


def report_files(report: Report) -> Iterator[tuple[str, str]]:
    """The texts of all files by their path below the directory of the report."""
    yield "report.json", json_text(report)
    yield "report.md", markdown_page(report)
    yield "report.html", html_page(report)
    yield "report.prom", metrics(report)
    yield "report.xml", junit(report)
    yield "report.sarif", json_text(sarif(report))
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
    safe = re.sub(r"^\.|[^\w.@:+-]", _percent_encoded, host)
    if len(safe.encode()) <= LONGEST_NAME:
        return safe
    return f"{safe[:NAME_BEGINNING]}-{hashlib.sha256(host.encode()).hexdigest()}"


def _percent_encoded(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode())


def write_files(report: Report, directory: Path, mode: int, check_mode: bool) -> bool:
    """Write the files of a report, and remove plans of other hosts; returns whether anything is
    changed, or in check mode would be. Raises OSError."""
    hosts = (record["host"] for record in report["hosts"] if record["plan_id"] is not None)
    stale = stale_plans(directory, {f"{PLANS}/{file_name(host)}.json" for host in hosts})
    if check_mode:
        return True
    for folder in (directory, directory / PLANS):
        # A directory can be searched by whoever may read its files.
        folder.mkdir(mode=mode | (mode & 0o444) >> 2, parents=True, exist_ok=True)
    for path in stale:  # of a host that this report does not have, or does not know
        path.unlink(missing_ok=True)
    # One text at a time is in memory, since those of thousands of hosts are large.
    written = [write_file(directory / name, text, mode) for name, text in report_files(report)]
    return bool(stale) or any(written)


def write_file(path: Path, text: str, mode: int) -> bool:
    """Write a file unless it has this text and mode; raises OSError. Whoever reads it meanwhile
    sees all or nothing."""
    has_mode = path.is_file() and path.stat().st_mode & 0o777 == mode
    is_same = has_mode and path.read_bytes() == text.encode()
    if not is_same:
        write_whole(path, text, mode)
    return not is_same
