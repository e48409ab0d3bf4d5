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
from itertools import chain, product
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast
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
from .record import ComparedReport, HostChange, HostRecord, Metric, Report
from .sarif import sarif_of_report

PAGE_FOLDER = Path(__file__).parent / "page"
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
    environment = Environment(autoescape=True, optimized=False)  # it is compiled in each run
    environment.globals.update(coverage=coverage, overview=overview)
    environment.globals.update(record=records)
    environment.globals.update({function.__name__: function for function in CALLED})
    environment.filters["capitalised"] = capitalised
    environment.tests["idle"] = records.is_idle
    template = environment.from_string(_part_of_page("page.html.j2"))
    return template, _part_of_page("style.css"), _part_of_page("script.js")


def _part_of_page(name: str) -> str:
    return (PAGE_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def dashboard(host: HostRecord) -> str:
    """The URL of an account in Cloudflare's dashboard; empty unless its id is well-formed."""
    account_id = host["account_id"]
    fits = account_id and ACCOUNT_ID.fullmatch(account_id)
    return f"{DASHBOARD}{account_id}" if fits else ""


def prefix_rows(prefixes: Sequence[coverage.PrefixRecord]) -> list[tuple[str, PrefixModes]]:
    """Prefixes with the same modes as one row: their names, and by component the modes now and
    after a run; those that change come first."""
    names_by_modes: dict[PrefixModes, list[str]] = {}
    for prefix in prefixes:
        names_by_modes.setdefault(_modes_of_prefix(prefix), []).append(prefix["prefix"])
    rows = []
    for modes in sorted(names_by_modes, key=_stays):
        names = first_networks(names_by_modes[modes], MAX_PREFIXES)
        rows.append((names, modes))
    return rows


def _stays(modes: PrefixModes) -> bool:
    return all(now == after for now, after in modes)


def _modes_of_prefix(prefix: coverage.PrefixRecord) -> PrefixModes:
    components = prefix["components"].values()
    return tuple((tuple(modes["now"]), tuple(modes["planned"])) for modes in components)


def first_networks(networks: Sequence[str], most: int = SHOWN_NETWORKS) -> str:
    """The first networks of a set as text, and a note on where the remaining ones are listed."""
    where = " in report.json" if len(networks) > most else ""
    return first_few(networks, most) + where


# The template calls these by their names.
CALLED = (dashboard, first_networks, left_out, plural, prefix_rows, to_the_minute)


METRIC_PREFIX = "edgeops_protection_"


class Sample(NamedTuple):
    """A number of a metric with its labels."""

    labels: Mapping[str, str]
    number: float


class Metrics(NamedTuple):
    """The samples of a metric, with its name and its help."""

    name: str
    help: str
    samples: Iterable[Sample]


def metrics(report: Report) -> str:
    """The metrics of a report, each with its help."""
    lines = chain.from_iterable(map(_metric_lines, _metrics(report)))
    return "".join(f"{line}\n" for line in lines)


def _metrics(report: Report) -> Iterator[Metrics]:
    hosts = report["hosts"]
    yield Metrics(
        "report_timestamp_seconds",
        "When the report was made.",
        [Sample({}, records.seconds(report["generated"]))],
    )
    statuses = report["totals"]["statuses"]
    by_status = [Sample({"status": name}, statuses[name]) for name in records.STATUSES]
    yield Metrics("hosts", "Hosts by status.", by_status)
    for key, metric in records.shown_as(Metric):
        yield Metrics(f"host_{metric.name}", metric.help, _host_samples(hosts, key, metric))
    infos = [*_info_samples(hosts)]
    if infos:
        yield Metrics("host_info", "Whom a finding of a host is for.", infos)
    addresses = _address_samples(hosts)
    yield Metrics("host_addresses", "Addresses by how they are treated.", addresses)
    if any(record["traffic"] for record in hosts):
        yield from _traffic_metrics(hosts)


def _traffic_metrics(hosts: Sequence[HostRecord]) -> Iterator[Metrics]:
    text = "Packets of the hours that the report looks at, as Cloudflare estimates them."
    yield Metrics("host_packets", text, packet_samples(hosts))
    is_known = [
        Sample(component.labels, float(component.traffic["known"]))
        for component in _seen_components(hosts)
    ]
    yield Metrics("host_traffic_known", "Whether the traffic is known.", is_known)


def _host_samples(hosts: Sequence[Mapping[str, Any]], key: str, metric: Metric) -> Iterator[Sample]:
    """The numbers of a key; a host that was not read has its status only."""
    for record in hosts:
        is_known = key == "status" or records.was_read(record)
        if record[key] is not None and is_known:
            yield Sample({"host": record["host"]}, metric.value(record[key]))


def _info_samples(hosts: Sequence[HostRecord]) -> Iterator[Sample]:
    """A sample for each host with a contact."""
    for record in hosts:
        contacts = overview.contacts(record)
        if contacts:
            no_contacts = dict.fromkeys(CONTACTS, "")
            yield Sample({"host": record["host"], **no_contacts, **contacts}, 1.0)


def _address_samples(hosts: Sequence[HostRecord]) -> Iterator[Sample]:
    for record, family, name in product(hosts, FAMILIES, CLASSES):
        if record["coverage"]:
            labels = {"host": record["host"], "family": family, "class": name}
            yield Sample(labels, record["coverage"]["addresses"][family][name])


def packet_samples(hosts: Sequence[HostRecord]) -> Iterator[Sample]:
    """Packets by host, component and action, of components that are known."""
    for labels, traffic in _seen_components(hosts):
        for action in overview.PACKET_ACTIONS if traffic["known"] else ():
            number = traffic[f"{action}_packets"]
            if number is not None:
                yield Sample({**labels, "action": action}, number)


class SeenComponent(NamedTuple):
    """The traffic of a component of a host, with the labels of its samples."""

    labels: Mapping[str, str]
    traffic: Mapping[str, Any]


def _seen_components(hosts: Sequence[HostRecord]) -> Iterator[SeenComponent]:
    for record in hosts:
        components = record["traffic"]["components"] if record["traffic"] else {}
        for name, traffic in components.items():
            yield SeenComponent({"host": record["host"], "component": name}, traffic)


def _metric_lines(metric: Metrics) -> Iterator[str]:
    name = METRIC_PREFIX + metric.name
    yield f"# HELP {name} {metric.help}"
    yield f"# TYPE {name} gauge"
    for labels, number in metric.samples:
        yield f"{name}{_labels_text(labels)} {_number_text(number)}"


def _labels_text(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{label}="{_as_label(text)}"' for label, text in labels.items())
    return "{" + pairs + "}" if pairs else ""


def _number_text(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(float(number))


def _as_label(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# In JUnit's words, by status, and by whether an expectation is met.
FAILURES: Final[Mapping[Any, str]] = {
    **dict.fromkeys(("unprotected", "weakened", "drift", False), "failure"),
    **dict.fromkeys(("unknown", None), "error"),
}


class Case(NamedTuple):
    """A test case: a host with its status, or an expectation with whether it is met."""

    class_name: str
    title: str
    outcome: Any
    reasons: Sequence[str]

    @property
    def failure(self) -> str:
        """The kind of the case's failure; empty if the case has not failed."""
        return FAILURES.get(self.outcome, "")


def junit(report: Report) -> str:
    """The hosts and their expectations as test cases."""
    suites = Element("testsuites", {"name": "edgeops.protection"})
    _add_suite(suites, "hosts", [_case_of_host(record) for record in report["hosts"]])
    expectations = chain.from_iterable(map(_cases_of_expectations, report["hosts"]))
    _add_suite(suites, "expectations", [*expectations])
    return tostring(suites, encoding="unicode") + "\n"


def _case_of_host(record: HostRecord) -> Case:
    contacts = [f"{name}: {text}" for name, text in overview.contacts(record).items()]
    lines = [*record["reasons"], *contacts]
    return Case("protection", record["host"], record["status"], lines)


def _cases_of_expectations(record: HostRecord) -> Iterator[Case]:
    for expectation in record["expectations"]:
        text = f"expected {expectation['expected']}, now {expectation['actual']}"
        yield Case(record["host"], expectation["description"], expectation["met"], [text])


def _add_suite(suites: Element, name: str, cases: Sequence[Case]) -> None:
    failures = Counter(case.failure for case in cases)
    numbers = {"failures": str(failures["failure"]), "errors": str(failures["error"])}
    suite = SubElement(suites, "testsuite", {"name": name, "tests": str(len(cases)), **numbers})
    for case in cases:
        names = {"classname": visible(case.class_name), "name": visible(case.title)}
        element = SubElement(suite, "testcase", names)
        if case.failure:
            reasons = [visible(reason) for reason in case.reasons]
            message = reasons[0] if reasons else ""
            detail = SubElement(element, case.failure, {"message": message})
            detail.text = "\n".join(reasons)


NO_PLAN: Final[Mapping[str, str]] = MappingProxyType({})
LONGEST_NAME = 240  # bytes; a file system takes 255, and the name gets an ending
NAME_BEGINNING = 40  # characters of a longer name, of up to four bytes each


def report_files(report: Report) -> Iterator[tuple[str, str]]:
    """The texts of all files by their path below the directory of the report."""
    yield "report.json", json_text(report)
    yield "report.md", markdown_page(report)
    yield "report.html", html_page(report)
    yield "report.prom", metrics(report)
    yield "report.xml", junit(report)
    yield "report.sarif", json_text(sarif_of_report(report))
    generated = report["generated"]
    identity = report_id(generated, report["hosts"])
    for record in report["hosts"]:
        if records.was_read(record):
            plan = plan_file(identity, generated, record, record["operations"])
            yield _plan_path(record["host"]), json_text(plan)


def _plan_path(host: str) -> str:
    """The path of the plan of a host below the directory of the report."""
    return f"{PLANS}/{file_name(host)}.json"


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
    """The name of the file for a host: its name, with characters that could lead to another
    directory percent-encoded; a name that no file could have ends with its SHA-256.
    """
    safe = re.sub(r"^\.|[^\w.@:+-]", _percent_encoded, host)
    if len(safe.encode()) <= LONGEST_NAME:
        return safe
    return f"{safe[:NAME_BEGINNING]}-{hashlib.sha256(host.encode()).hexdigest()}"


def _percent_encoded(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode())


PLAN_PAGE: Final = ("plan.json", "plan.md", "plan.sarif")  # beside the report, if it is asked for


def write_files(
    report: Report,
    directory: Path,
    mode: int,
    check_mode: bool,
    plan_texts: Mapping[str, str] = NO_PLAN,
) -> bool:
    """Write the files of a report and its plan page, and remove the plans of hosts that it does not
    have, and a plan page that is not asked for; returns whether anything is changed, or in check
    mode would be. Raises OSError.
    """
    read_records = filter(records.was_read, report["hosts"])
    plans = {_plan_path(record["host"]) for record in read_records}
    pages = [directory / name for name in PLAN_PAGE if name not in plan_texts]
    stale = [*stale_plans(directory, plans), *(path for path in pages if path.is_file())]
    if check_mode:
        return True
    # A directory can be searched by whoever may read its files.
    folder_mode = mode | (mode & 0o444) >> 2
    for folder in (directory, directory / PLANS):
        folder.mkdir(mode=folder_mode, parents=True, exist_ok=True)
    for path in stale:  # of a host that this report does not have, or does not know
        path.unlink(missing_ok=True)
    # One text at a time is in memory, since those of thousands of hosts are large.
    texts = chain(report_files(report), plan_texts.items())
    written = [write_file(directory / name, text, mode) for name, text in texts]
    return bool(stale) or any(written)


def write_file(path: Path, text: str, mode: int) -> bool:
    """Write a file unless it already has this text and mode; raises OSError. A program that reads
    the file meanwhile sees the whole old text or the whole new one.
    """
    has_mode = path.is_file() and path.stat().st_mode & 0o777 == mode
    is_same = has_mode and path.read_bytes() == text.encode()
    if not is_same:
        write_whole(path, text, mode)
    return not is_same


MISFITS = (ArithmeticError, AttributeError, LookupError, TemplateError, TypeError, ValueError)
CLOCKS_DIFFER = timedelta(hours=1)  # at most, between the machines that write a report


def read_report(name: str, text: str, now: str) -> Report:
    """The report in a JSON `text`. Raises ValueError, with the `name` of the text, if it is not a
    report of this version, or was made after `now`, a timestamp with an offset.
    """
    report = _document(name, text)
    is_report = isinstance(report, Mapping) and isinstance(report.get("hosts"), list)
    if not is_report or "version" not in report:
        raise ValueError(f"{name} is not a report; give it the report.json of another run")
    if report["version"] != records.REPORT_VERSION:
        raise ValueError(
            f"{name} is a report of version {report['version']!r}, and this release of the"
            f" collection reads version {records.REPORT_VERSION}; make both reports with the same"
            " release"
        )
    try:
        for _file in report_files(cast(Report, report)):
            pass  # what can be written again is a report
        ahead = datetime.fromisoformat(report["generated"]) - datetime.fromisoformat(now)
    except MISFITS as exc:
        raise ValueError(f"{name} is a damaged report: {records.misfit_of(exc)}") from exc
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
    """The content of a JSON `text`. Raises ValueError, with the `name` of the text, if it is not
    JSON or cannot be written again.
    """
    problem = "not JSON"
    try:
        document = json.loads(text)
        problem = "a damaged report"
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"{name} is {problem}: {exc}") from exc
    return document


def compare(previous: Report, host_records: Sequence[HostRecord]) -> ComparedReport:
    """The hosts whose state differs from the one in the `previous` report, in the order of
    `host_records`, and then the hosts that only the previous report has.
    """
    earlier = {record["host"]: record for record in previous["hosts"]}
    current = {record["host"]: record for record in host_records}
    names = dict.fromkeys([*current, *earlier])
    changes = [_host_change(name, earlier.get(name), current.get(name)) for name in names]
    hosts = [change for change in changes if _has_changed(change)]
    return ComparedReport(generated=previous["generated"], hosts=hosts)


def _has_changed(change: HostChange) -> bool:
    has_reasons = change["new"] or change["gone"] or change["differences"]
    return bool(change["before"] != change["now"] or has_reasons)


def _host_change(host: str, before: HostRecord | None, now: HostRecord | None) -> HostChange:
    old_reasons = before["reasons"] if before else []
    new_reasons = now["reasons"] if now else []
    old_operations = before["operations"] if before else []
    operations = now["operations"] if now else []
    return HostChange(
        host=host,
        before=before["status"] if before else None,
        now=now["status"] if now else None,
        new=other_reasons(new_reasons, old_reasons),
        gone=other_reasons(old_reasons, new_reasons),
        differences=[operation for operation in operations if operation not in old_operations],
    )


def other_reasons(reasons: Iterable[str], earlier_reasons: Iterable[str]) -> list[str]:
    """The `reasons` that are not among `earlier_reasons`; if Cloudflare gave the same answer to a
    different call, the reason counts as the same.
    """
    earlier = {without_ray(reason) for reason in earlier_reasons}
    return [reason for reason in reasons if without_ray(reason) not in earlier]
