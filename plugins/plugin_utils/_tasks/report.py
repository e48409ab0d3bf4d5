# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role report: it reads the hosts of a play, once for all of them, and writes
every file."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import nullcontext
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from ansible.errors import AnsibleError
from ansible.utils.vars import load_extra_vars

from ...module_utils._context import FleetTurn
from ...module_utils._errors import OptionError
from ...module_utils._text import excerpt, first_few, plural, visible
from ...module_utils._timestamps import write_timestamp
from .._action import say
from .._baseline.approval import REPORT_FILE
from .._baseline.fleet import FleetAction
from .._baseline.host_task import HeldTexts, HostTask
from .._baseline.order import Prediction, predictions_in_turns
from .._baseline.unmanaged import ACCEPTED, GONE, parse_accepted
from .._baseline.variables import SNAPSHOT_DIRECTORY
from .._report import arguments as report_arguments
from .._report import files as report_files
from .._report import record as report_records
from .._report.document import host_record, report_of
from .._report.gone import gone_records, inventory_files
from .._report.markdown import summary
from .._report.moved import FormerReport, with_rules
from .._report.plan_files import PlanFiles, plan_files, read_base
from .._report.plan_words import plan_lead
from .._report.predict import predict_host
from .._report.results import host_results, unread_host
from .._variables import CONTACTS, defaults_of, read_variables
from .._watch.mark import watched_fields
from .._worker import found_by_run
from .in_turns import zones_outside

OF_PLAN = ("label", "hosts_changed", "passes", "refused")  # of the plan page, in the result
RecordsByHost = Mapping[str, report_records.HostRecord]  # by host


class HostReading(NamedTuple):
    """A host that the task has read: its record, its warnings, the options of the report that it
    sets otherwise, and what its reads would show."""

    record: report_records.HostRecord
    warnings: Sequence[str] = ()
    unlike_options: Sequence[str] = ()
    texts: HeldTexts | None = None
    prediction: Prediction = Prediction({"failed": True}, HeldTexts(), may_be_zone=True)


class Written(NamedTuple):
    """The place of the report, also in check mode, and whether its files change."""

    directory: str
    changed: bool
    check_mode: bool

    @property
    def sentence(self) -> str:
        """The place of the report."""
        return f"The report {'would be' if self.check_mode else 'is'} in {self.directory}."


class ReportAction(FleetAction):
    """Reads the hosts of the play, and writes the report on them.

    A play in batches, or with a strategy that runs each task on each host, comes here more than
    once, and writes the report on what it has read by then.
    """

    # A host is compared with what the role baseline makes of it; a role costs Ansible a turn with
    # each host.
    defaults: Mapping[str, Any] = {**defaults_of("baseline"), **defaults_of("report")}
    _reported_before: Set[str] = frozenset()  # hosts of which an earlier report alone has a record

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        try:
            options = self._options(variables)
            report_arguments.file_mode(options["mode"])
        except ValueError as exc:
            return {"failed": True, "msg": str(exc)}
        warnings: list[str] = []
        try:
            former = self._former_report(options) if options["moved"] else None
            records = self._read(variables, warnings, former)
            result = self._write(options, variables, records)
        except OSError as exc:
            name = exc.filename or options["directory"]
            return {"failed": True, "msg": f"{name}: {exc.strerror}. The report is not complete."}
        except ValueError as exc:
            return {"failed": True, "msg": f"The report cannot be made: {exc}."}
        read_hosts = [host for host, record in records.items() if report_records.was_read(record)]
        result["plan_ids"] = {host: records[host]["plan_id"] for host in read_hosts}
        hosts_in_words = plural(len(records), "host was", "hosts were")
        result["summary"].insert(-1, f"{len(read_hosts)} of {hosts_in_words} read.")
        if warnings:
            result["warnings"] = warnings
        if self._display.verbosity > 0:
            result["records"] = records
        for line in result["summary"]:
            say(self.display, line)
        return result

    def _write(
        self, options: Mapping[str, Any], variables: Mapping[str, Any], records: RecordsByHost
    ) -> dict[str, Any]:
        """The result of the task, which has written the files; raises OSError, ValueError."""
        check_mode = bool(self._task.check_mode)
        directory = Path(options["directory"]).absolute()
        name = f"{self._task.get_play()._uuid} {directory}"  # an earlier play read other states
        is_batch = self._is_batch(variables)
        with found_by_run(name, records) if is_batch else nullcontext(records) as run_records:
            report = self._report(options, variables, run_records)
            mode = report_arguments.file_mode(options["mode"])
            plan = self._plan(options, report) if options["plan"] else None
            plan_texts = plan.texts if plan else {}
            changed = report_files.write_files(report, directory, mode, check_mode, plan_texts)
        # A later batch reads the hosts that have not failed yet.
        later_hosts = {*variables["ansible_play_hosts"]} - {*run_records}
        written = Written(str(directory), changed, check_mode)
        ignored_hosts = self._reported_before | later_hosts
        result = _result_of_report(report, written, options["fail_on"], ignored_hosts)
        if plan:
            document = plan.document
            result["plan"] = {name: value for name, value in document.items() if name in OF_PLAN}
            lead = f"{plan_lead(document)} {document['label'].capitalize()}."
            result["summary"].insert(-1, lead)
        return result

    def _plan(self, options: Mapping[str, Any], report: report_records.Report) -> PlanFiles:
        """The plans of the hosts of the play."""
        now = report["generated"]
        present = [record for record in report["hosts"] if not record["gone"]]
        concerned = [item for item in present if item["host"] not in self._reported_before]
        inventory = {record["host"] for record in present}
        return plan_files(now, concerned, read_base(options["plan_base"], now), inventory)

    def _is_batch(self, variables: Mapping[str, Any]) -> bool:
        """Return whether other tasks of the play read other hosts."""
        return len(self.hosts(variables)) < len(variables["ansible_play_hosts_all"])

    def _options(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the task, or else by the variables of the role; raises ValueError."""
        task_options = {f"report_{name}": value for name, value in self.arguments.items()}
        task = HostTask(self.calls({**self.defaults, **variables}))
        declared = report_arguments.REPORT_VARIABLES
        of_run = declared.keys() & load_extra_vars(self._loader)  # the same for all hosts
        names = {*report_arguments.REPORT_OPTIONS, *of_run} - task_options.keys()
        role_options, unread = task.read(names)
        arguments = {**role_options, **task_options}
        mode = {"report_mode": arguments["report_mode"]}  # as it is, which may be no text

        def check(values: Mapping[str, Any], given_names: Container[str]) -> Iterator[OptionError]:
            return report_arguments.check_report({**values, **mode}, given_names)

        return read_variables(declared, arguments, "report_", variables, check, unread)

    def _read(
        self, variables: Mapping[str, Any], warnings: list[str], former: FormerReport | None
    ) -> RecordsByHost:
        """The records of the hosts of this task, compared with the `former` report if it is given;
        warnings about variables go to `warnings`."""
        self.require_requests()
        hosts, now = self.hosts(variables), datetime.now(timezone.utc)

        readings: dict[str, HostReading] = {}

        def read(turns: Mapping[str, FleetTurn], task: HostTask) -> HostReading:
            texts, task.fleet_turn = task.hold(), turns[task.host]
            record = record_with_groups(task, _compared_host(task, now, former))
            unlike = [*self._unlike_options(task, variables)]
            facts = Prediction.of_report(texts, task)
            return HostReading(record, task.misspelt_variables(), unlike, texts, facts)

        def predict(turns: Mapping[str, FleetTurn]) -> Iterator[Prediction]:
            work = partial(read, turns)
            made = self.of_each([*turns], variables, work, failed_reading)
            for host, reading in zip(turns, made):
                readings[host] = reading
                yield reading.prediction

        predictions_in_turns(hosts, predict, partial(zones_outside, self, hosts, variables))
        hosts_by_option: dict[str, list[str]] = {}
        for host, reading in readings.items():
            if reading.texts:
                reading.texts.show()
            warnings += reading.warnings
            for name in reading.unlike_options:
                hosts_by_option.setdefault(name, []).append(host)
        for name, unlike_hosts in hosts_by_option.items():
            warnings.append(
                f"{name} of {first_few(sorted(unlike_hosts))} has no effect, since the report takes"
                f" that of {variables['inventory_hostname']}. Set it for all hosts."
            )
        records = [reading.record for reading in readings.values()]
        return dict(zip(hosts, _read_now(records)))

    def _unlike_options(self, task: HostTask, variables: Mapping[str, Any]) -> Iterator[str]:
        """The options that a host sets otherwise than the host of this task."""
        values = {**self.defaults, **variables}
        set_by_task = {f"report_{name}" for name in self.arguments}
        for name in report_arguments.REPORT_OPTIONS:
            expected = (values.get(name), self.defaults.get(name))
            if name not in set_by_task and task.variables.get(name) not in expected:
                yield name

    def _unreached(
        self, variables: Mapping[str, Any], records: RecordsByHost
    ) -> Iterator[report_records.HostRecord]:
        """The records of hosts of the play that no task has read."""
        now = write_timestamp(datetime.now(timezone.utc))

        def unreached(task: HostTask) -> report_records.HostRecord:
            results = host_results(task.host, {}, {})
            return record_with_groups(task, host_record(results, now))

        hosts = {*variables["ansible_play_hosts_all"]} - {*records}
        yield from self.of_each(sorted(hosts), variables, unreached, failed_record)

    def _report(
        self, options: Mapping[str, Any], variables: Mapping[str, Any], records: RecordsByHost
    ) -> report_records.Report:
        """The report on the hosts of the play, and on others as the report that it replaces has
        them; raises OSError, ValueError."""
        now = write_timestamp(datetime.now(timezone.utc))
        inventory_hosts = {*variables["groups"]["all"]}
        self._reported_before = inventory_hosts - {*variables["ansible_play_hosts_all"]}
        replaced_file = Path(options["directory"]) / REPORT_FILE
        replaced = self._replaced_records(replaced_file, now)
        earlier_records = [item for item in replaced if item["host"] in self._reported_before]
        gone = [item for item in replaced if item["host"] not in inventory_hosts]
        earlier_records += self._gone(gone, variables, now)
        previous = self._previous(options["previous"], now)
        unreached = _read_now(self._unreached(variables, records))
        report = report_of([*earlier_records, *records.values(), *unreached], now)
        if previous:
            report["previous"] = report_files.compare(previous, report["hosts"])
        return report

    def _gone(
        self, gone: Sequence[report_records.HostRecord], variables: Mapping[str, Any], now: str
    ) -> list[report_records.HostRecord]:
        """The records of hosts that the inventory does not have any more; raises ValueError."""
        if not gone:
            return []
        accepted = HostTask(self.calls(variables)).value(ACCEPTED) or []

        def is_accepted(host: str) -> bool:
            acceptances = parse_accepted(accepted, host)
            moment = datetime.now(timezone.utc)
            in_force = [item for item in acceptances if item.is_valid(moment)]
            return any(item.status == GONE for item in in_force)

        hosts = variables["groups"]["all"]
        inventory = inventory_files(variables.get("ansible_inventory_sources") or (), hosts)
        return gone_records(gone, inventory, is_accepted, now, not self._is_batch(variables))

    def _replaced_records(self, path: Path, now: str) -> list[report_records.HostRecord]:
        """The records of the report that is replaced; none if there is none, or it is wrong."""
        if not path.is_file():
            return []
        try:
            report = report_files.read_report_file(str(path), now)
        except ValueError as exc:
            self.display.warning(f"The report says nothing of hosts outside the play: {exc}.")
            return []
        return with_rules(report["hosts"])

    def _former_report(self, options: Mapping[str, Any]) -> FormerReport:
        """The report to compare managed rules with: the earlier one that the options name, or else
        the one that is replaced; an empty one if it cannot be read, as on the first night."""
        now = write_timestamp(datetime.now(timezone.utc))
        path = options["previous"] or str(Path(options["directory"]) / REPORT_FILE)
        try:
            return FormerReport.of_report(report_files.read_report_file(path, now))
        except (FileNotFoundError, ValueError):  # another reading of the same file warns
            return FormerReport({})

    def _previous(self, path: str | None, now: str) -> report_records.Report | None:
        """The earlier report; None if there is none yet, as on the first night."""
        try:
            return report_files.read_report_file(path, now) if path else None
        except FileNotFoundError:
            self.display.warning(f"report_previous: {path} does not exist; nothing is compared.")
            return None


def _compared_host(
    task: HostTask, now: datetime, former: FormerReport | None
) -> report_records.HostRecord:
    """The record of a host; that of a host that cannot be read says why."""
    try:
        watched = partial(watched_fields, task.host, task.value(SNAPSHOT_DIRECTORY))
        return predict_host(task, now, former, watched)
    except ValueError as exc:
        mistakes = task.with_mistakes(exc, report_arguments.OF_REPORTED_HOST)
        record = unread_record(task.host, str(mistakes), now, mistakes.place)
    except (AnsibleError, OptionError) as exc:
        record = unread_record(task.host, str(exc), now)
    if not former:
        return record
    return former.kept_in(record)


def record_with_groups(
    task: HostTask, record: report_records.HostRecord
) -> report_records.HostRecord:
    """The record of a host, with its groups, and with whom to ask about it."""
    try:
        values = task.values(CONTACTS.values())
    except AnsibleError:
        values = {}
    contacts = {
        name: excerpt(str(values[variable]), report_records.MAX_CHARS)
        for name, variable in CONTACTS.items()
        if values.get(variable)
    }
    inventory = {"groups": task.groups, "base_url": task.base_url()}
    return cast(report_records.HostRecord, {**record, **contacts, **inventory})


def unread_record(
    host: str, reason: str, now: datetime, place: str = ""
) -> report_records.HostRecord:
    """The record of a host that could not be read, for this reason, a mistake at this place."""
    return host_record(unread_host(host, reason, place=place or None), write_timestamp(now))


def failed_record(host: str, exc: Exception) -> report_records.HostRecord:
    """The record of a host that could not even be asked for its variables."""
    now = datetime.now(timezone.utc)
    return unread_record(host, f"{type(exc).__name__}: {exc}", now)


def failed_reading(host: str, exc: Exception) -> HostReading:
    """The reading of such a host."""
    return HostReading(failed_record(host, exc))


def _read_now(records: Iterable[report_records.HostRecord]) -> Iterator[report_records.HostRecord]:
    """The records with one time, at which the task has read them."""
    now = write_timestamp(datetime.now(timezone.utc))
    return (cast(report_records.HostRecord, {**record, "generated": now}) for record in records)


def _result_of_report(
    report: report_records.Report, written: Written, fail_on: Sequence[str], ignored_hosts: Set[str]
) -> dict[str, Any]:
    """The result of the task; hosts that other tasks read do not make it fail."""
    lines = summary(report, written.directory)
    if written.check_mode:
        place = written.sentence[:1].lower() + written.sentence[1:]
        lines[-1] = f"No file is written in check mode; {place}"
    result: dict[str, Any] = {
        "changed": written.changed,
        "directory": written.directory,
        "totals": report["totals"],
        "summary": lines,
    }
    failing = [
        visible(record["host"])
        for record in report["hosts"]
        if record["host"] not in ignored_hosts and record["status"] in fail_on
    ]
    if failing:
        statuses = ", ".join(filter(None, fail_on))
        reason = f"report_fail_on ({statuses}) meets {first_few(failing)}."
        result.update(failed=True, msg=f"{reason} {written.sentence}")
    return result
