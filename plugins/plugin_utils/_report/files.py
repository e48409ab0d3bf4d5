# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a report, each written at once or not at all; and the earlier report in their
folder."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple, cast
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, tostring

from jinja2 import Environment, Template, TemplateError
from markupsafe import Markup

from ...module_utils._text import INVISIBLE, capitalised, first_few, left_out, plural, visible
from ...module_utils._timestamps import to_the_minute
from .._alike import without_ray
from .._baseline.approval import PLANS, is_plan, plan_file, report_id
from .._files import write_whole
from .._variables import CONTACTS
from . import coverage, overview
from . import record as records
from .coverage import CLASSES, FAMILIES
from .markdown import markdown_page
from .overview import PACKET_ACTIONS, contacts
from .record import (
    REPORT_VERSION,
    STATUSES,
    ComparedReport,
    HostChange,
    HostRecord,
    Metric,
    Report,
    ineffective_text,
    misfit_of,
    seconds,
    shown_as,
    values_by_key,
    was_read,
)

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGES = "https://github.com/edgeops/ansible-protection/blob/main/docs"
PAGE_OF = {
    "ineffective": "ineffective",
    "risk": "risks",
    **dict.fromkeys(("unknown", "mistake"), "check_inventory"),
}
FILE_AND_LINE = re.compile(r"([^()]+):([1-9]\d*)")
WITHOUT_LINE = ("inventory", "1")  # GitHub refuses a file with a finding that has no place
BEHIND_MISTAKE = re.compile(rf" \(({FILE_AND_LINE.pattern})\)")


class Located(NamedTuple):
    """A finding of hosts: its place is a file and a line, if that is known, and `accepted` is why
    nobody need look at it."""

    rule: str
    text: str
    place: str | None = None
    accepted: str | None = None
    level: str = "error"


def sarif(report: Report) -> dict[str, Any]:
    """The findings of a report; one that is accepted is suppressed, with its reason."""
    return _log(item for record in report["hosts"] for item in _located(record))


def sarif_of_mistakes(mistakes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The mistakes in the variables of hosts, by host."""
    return _log(_mistake("mistake", host, text) for host in mistakes for text in mistakes[host])


def _located(record: HostRecord) -> Iterator[tuple[Located, str]]:
    host = record["host"]
    for item in record["ineffective"]:
        rule, text = f"ineffective/{item['kind']}", ineffective_text(item)
        finding = Located(rule, text, item["place"], item["accepted"], "warning")
        yield finding, f"{host}/{item['resource']}/{item['key']}"
    for risk in record["risks"]:
        accepted = risk["reason"] or "accepted" if risk["accepted"] else None
        finding = Located(f"risk/{risk['code']}", risk["message"], risk["place"], accepted)
        yield finding, "/".join([host, *(risk.get("entries") or ())[:1]])
    for text in record["reasons"] if record["status"] == "unknown" else ():
        yield _mistake("unknown", host, text)


def _mistake(rule: str, host: str, text: str) -> tuple[Located, str]:
    known = BEHIND_MISTAKE.search(text)
    return Located(rule, text, known[1] if known else None), host


def _log(found: Iterable[tuple[Located, str]]) -> dict[str, Any]:
    """Equal findings of several hosts, such as those that share a variable, are one result."""
    findings = values_by_key(found)
    rules = [
        {"id": rule, "helpUri": f"{PAGES}/{PAGE_OF[rule.partition('/')[0]]}.md"}
        for rule in sorted({finding.rule for finding in findings})
    ]
    driver = {"name": "edgeops.protection", "informationUri": PAGES, "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(*item) for item in findings.items()]}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Located, names: Sequence[str]) -> dict[str, Any]:
    named = [{"fullyQualifiedName": name} for name in names]
    known = FILE_AND_LINE.fullmatch(finding.place or "")
    path, line = known.groups() if known else WITHOUT_LINE
    uri = Path(path).as_uri() if Path(path).is_absolute() else quote(path)
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": int(line)}}
    location = {"logicalLocations": named, "physicalLocation": place}
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": finding.level,
        "message": {"text": finding.text},
        "locations": [location],
    }
    if finding.accepted:
        result["suppressions"] = [{"kind": "external", "justification": finding.accepted}]
    return result


PAGE = Path(__file__).parent / "page"
SHOWN_NETWORKS = 12  # are shown of a set; report.json has all
MAX_PREFIXES = 200  # that have the same modes are shown
ACCOUNT_ID = re.compile("[0-9a-f]{32}")
PrefixModes = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # now and planned, by component
DASHBOARD = "https://dash.cloudflare.com/"

# Line feeds are the page's own; those of data are escaped before.
UNSEEN_IN_PAGES = re.compile(INVISIBLE.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def html_page(report: Report) -> str:
    """The page of a report."""
    template, style, script = _template()
    policy = (
        f"default-src 'none'; style-src 'sha256-{_hash(style)}'; script-src"
        f" 'sha256-{_hash(script)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    groups = overview.group_names(report["hosts"])
    page = template.render(
        report=report,
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        present={host["host"] for host in report["hosts"]},
        shared=overview.shared_operations(report["hosts"]),
        groups=groups,
        places={name: place for place, (name, _number) in enumerate(groups)},
    )
    return UNSEEN_IN_PAGES.sub(lambda match: visible(match.group()), page)


@lru_cache(maxsize=1)
def _template() -> tuple[Template, str, str]:
    """The template, the style sheet and the script."""
    environment = Environment(autoescape=True)
    environment.globals.update(coverage=coverage, overview=overview)
    environment.globals.update(record=records)
    environment.globals.update({function.__name__: function for function in CALLED})
    environment.filters["capitalised"] = capitalised
    environment.tests["idle"] = records.is_idle
    texts = [
        (PAGE / name).read_text(encoding="utf-8")
        for name in ("page.html.j2", "style.css", "script.js")
    ]
    return environment.from_string(texts[0]), texts[1], texts[2]


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def dashboard(host: HostRecord) -> str:
    """The address of an account in Cloudflare's dashboard; nothing else gets into a link."""
    account_id = host["account_id"]
    fits = account_id and ACCOUNT_ID.fullmatch(account_id)
    return f"{DASHBOARD}{account_id}" if fits else ""


def prefix_rows(prefixes: Sequence[coverage.PrefixRecord]) -> list[tuple[str, PrefixModes]]:
    """Prefixes with the same modes as one row: their names, and by component the modes now and
    after a run; those that change come first."""
    rows = values_by_key((_modes_of(item), item["prefix"]) for item in prefixes)
    ordered = sorted(rows.items(), key=lambda row: all(now == after for now, after in row[0]))
    return [(first_networks(names, MAX_PREFIXES), modes) for modes, names in ordered]


def _modes_of(prefix: coverage.PrefixRecord) -> PrefixModes:
    every = prefix["components"].values()
    return tuple((tuple(modes["now"]), tuple(modes["planned"])) for modes in every)


def first_networks(networks: Sequence[str], most: int = SHOWN_NETWORKS) -> str:
    """The first networks of a set, and where the others are."""
    where = " in report.json" if len(networks) > most else ""
    return first_few(networks, most) + where


# The template calls these by their names.
CALLED = (dashboard, first_networks, left_out, plural, prefix_rows, to_the_minute)


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


MISFITS = (ArithmeticError, AttributeError, LookupError, TemplateError, TypeError, ValueError)
CLOCKS_DIFFER = timedelta(hours=1)  # at most, between the machines that write a report


def read_report(name: str, text: str, now: str) -> Report:
    """The report in a text of JSON; raises ValueError, with the name, for what is not a report of
    this version, and for one that is made after `now`, a timestamp with an offset."""
    report = _document(name, text)
    is_report = isinstance(report, Mapping) and isinstance(report.get("hosts"), list)
    if not is_report or "version" not in report:
        raise ValueError(f"{name} is not a report; give it the report.json of another run")
    if report["version"] != REPORT_VERSION:
        raise ValueError(
            f"{name} is a report of version {report['version']!r}, and this release of the"
            f" collection reads version {REPORT_VERSION}; make both reports with the same release"
        )
    try:
        for _file in report_files(cast(Report, report)):
            pass  # what can be written again is a report
        ahead = datetime.fromisoformat(report["generated"]) - datetime.fromisoformat(now)
    except MISFITS as exc:
        raise ValueError(f"{name} is a damaged report: {misfit_of(exc)}") from exc
    if ahead > CLOCKS_DIFFER:
        raise ValueError(
            f"{name} was made at {report['generated']}, and now is {now}; correct the clock of the"
            " machine that made it, and make it again"
        )
    return cast(Report, dict(report))


def read_report_file(path: str, now: str) -> Report:
    """The report in a file; raises OSError, and ValueError as `read_report` does."""
    try:
        return read_report(path, Path(path).read_text(encoding="utf-8"), now)
    except UnicodeDecodeError as exc:
        raise ValueError(f"{path} is not JSON: {exc}") from exc


def _document(name: str, text: str) -> Any:
    """The content of a text of JSON that can be written again; raises ValueError, with the name."""
    problem = "not JSON"
    try:
        document = json.loads(text)
        problem = "a damaged report"
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"{name} is {problem}: {exc}") from exc
    return document


def compare(previous: Report, records: Sequence[HostRecord]) -> ComparedReport:
    """The hosts that stand otherwise than in an earlier report, in the order of these records, and
    then those that only the earlier report has."""
    earlier = {record["host"]: record for record in previous["hosts"]}
    current = {record["host"]: record for record in records}
    names = dict.fromkeys([*current, *earlier])
    changes = [_host_change(name, earlier.get(name), current.get(name)) for name in names]
    others = [
        item
        for item in changes
        if item["before"] != item["now"] or item["new"] or item["gone"] or item["differences"]
    ]
    return ComparedReport(generated=previous["generated"], hosts=others)


def _host_change(host: str, before: HostRecord | None, now: HostRecord | None) -> HostChange:
    old, new = (record["reasons"] if record else [] for record in (before, now))
    known = before["operations"] if before else []
    return HostChange(
        host=host,
        before=before["status"] if before else None,
        now=now["status"] if now else None,
        new=other_reasons(new, old),
        gone=other_reasons(old, new),
        differences=[item for item in (now["operations"] if now else ()) if item not in known],
    )


def other_reasons(reasons: Iterable[str], known: Iterable[str]) -> list[str]:
    """The reasons that are not known; the same answer of Cloudflare to another call is known."""
    known_reasons = {without_ray(reason) for reason in known}
    return [reason for reason in reasons if without_ray(reason) not in known_reasons]
