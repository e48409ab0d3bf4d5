# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role report: it reads the hosts of a play, once for all of them, and writes
every file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import nullcontext
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, cast

from ansible.errors import AnsibleError
from ansible.utils.vars import load_extra_vars

from ..module_utils._errors import OptionError
from ..module_utils._text import excerpt, first_few, plural, visible
from ..module_utils._timestamps import write_timestamp
from ..plugin_utils._action import say
from ..plugin_utils._baseline.approval import REPORT_FILE
from ..plugin_utils._baseline.fleet import FleetAction
from ..plugin_utils._baseline.host_task import HostTask
from ..plugin_utils._report.arguments import (
    OF_REPORTED_HOST,
    REPORT_OPTIONS,
    REPORT_VARIABLES,
    check_report,
    file_mode,
)
from ..plugin_utils._report.document import host_record, report_of
from ..plugin_utils._report.files import compare, read_report_file, write_files
from ..plugin_utils._report.markdown import summary
from ..plugin_utils._report.predict import predict_host
from ..plugin_utils._report.record import MAX_CHARS, HostRecord, Report, was_read
from ..plugin_utils._report.results import host_results, unread_host
from ..plugin_utils._variables import CONTACTS, defaults_of, read_variables
from ..plugin_utils._worker import found_by_run, prepare_workers

prepare_workers()

Records = Mapping[str, HostRecord]  # by host


class ActionModule(FleetAction):
    """Reads the hosts of the play, and writes the report on them.

    A play in batches, or with a strategy that runs each task on each host, comes here more than
    once, and writes the report on what it has read by then.
    """

    # A host is compared with what the role baseline makes of it; a role costs Ansible a turn with
    # each host.
    defaults: Mapping[str, Any] = {**defaults_of("baseline"), **defaults_of("report")}
    _old: Set[str] = frozenset()  # hosts of which an earlier report alone says something

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        warnings: list[str] = []
        try:
            options = self._own_options(variables)
            mode = file_mode(options["mode"])
        except ValueError as exc:
            return {"failed": True, "msg": str(exc)}
        directory = Path(options["directory"]).absolute()
        try:
            records = self._read(variables, warnings)
            is_part = len(self.hosts(variables)) < len(variables["ansible_play_hosts_all"])
            name = f"{self._task.get_play()._uuid} {directory}"  # an earlier play read other states
            shared = found_by_run(name, records) if is_part else nullcontext(records)
            with shared as known:
                report = self._report(options, variables, known)
                # A later batch reads the hosts that have not failed yet.
                others = self._old | ({*variables["ansible_play_hosts"]} - {*known})
                changed = write_files(report, directory, mode, self._task.check_mode)
        except OSError as exc:
            name = exc.filename or options["directory"]
            return {"failed": True, "msg": f"{name}: {exc.strerror}. The report is not complete."}
        except ValueError as exc:
            return {"failed": True, "msg": f"The report cannot be made: {exc}."}
        verb = "would be" if self._task.check_mode else "is"
        result = _result(report, (verb, str(directory)), options["fail_on"], changed, others)
        read = [record for record in records.values() if was_read(record)]
        result["plan_ids"] = {record["host"]: record["plan_id"] for record in read}
        line = f"{len(read)} of {plural(len(records), 'host was', 'hosts were')} read."
        result["summary"].insert(-1, line)
        result.update({"warnings": warnings} if warnings else {})
        result.update({"records": records} if self._display.verbosity > 0 else {})
        for line in result["summary"]:
            say(self._display, line)
        return result

    def _own_options(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the task, or else by the variables of the role; raises ValueError."""
        own = {f"report_{name}": value for name, value in self._task.args.items()}
        task = HostTask(self.calls({**self.defaults, **variables}))
        of_run = REPORT_VARIABLES.keys() & load_extra_vars(self._loader)  # the same for all hosts
        of_role, unread = task.read({*REPORT_OPTIONS, *of_run} - own.keys())
        arguments = {**of_role, **own}
        as_it_is = {"report_mode": arguments["report_mode"]}  # which may be no text
        return read_variables(
            REPORT_VARIABLES,
            arguments,
            "report_",
            variables,
            lambda read, given: check_report({**read, **as_it_is}, given),
            unread,
        )

    def _read(self, variables: Mapping[str, Any], warnings: list[str]) -> Records:
        """The records of the hosts of this task; warnings about variables go to `warnings`."""
        self.require_requests()
        hosts, now = self.hosts(variables), datetime.now(timezone.utc)
        aside: dict[str, list[str]] = {}

        def read(task: HostTask) -> HostRecord:
            try:
                predicted = predict_host(task, now)
            except ValueError as exc:
                told = str(task.with_others(exc, OF_REPORTED_HOST))
                predicted = unread_record(task.host, told, now)
            except (AnsibleError, OptionError) as exc:
                predicted = unread_record(task.host, str(exc), now)
            warnings.extend(task.misspelt_variables())
            for name in self._options_aside(task, variables):
                aside.setdefault(name, []).append(task.host)
            return record_of(task, predicted)

        every = [*self.of_each(hosts, variables, read, failed_record)]
        records = dict(zip(hosts, _read_now(every)))
        for name, others in aside.items():
            warnings.append(
                f"{name} of {first_few(sorted(others))} has no effect, since the report takes that"
                f" of {variables['inventory_hostname']}. Set it for all hosts."
            )
        return records

    def _options_aside(self, task: HostTask, variables: Mapping[str, Any]) -> Iterator[str]:
        """The options that a host sets otherwise than the host of this task."""
        known = {**self.defaults, **variables}
        own = {f"report_{name}" for name in self._task.args}
        for name in [name for name in REPORT_OPTIONS if name not in own]:
            if task.variables.get(name) not in (known.get(name), self.defaults.get(name)):
                yield name

    def _unreached(self, variables: Mapping[str, Any], read: Records) -> Iterator[HostRecord]:
        """The records of hosts of the play that no task has read."""
        now = write_timestamp(datetime.now(timezone.utc))

        def unreached(task: HostTask) -> HostRecord:
            return record_of(task, host_record(host_results(task.host, {}, {}), now))

        hosts = {*variables["ansible_play_hosts_all"]} - {*read}
        yield from self.of_each(sorted(hosts), variables, unreached, failed_record)

    def _report(
        self, options: Mapping[str, Any], variables: Mapping[str, Any], read: Records
    ) -> Report:
        """The report on the hosts of the play, and on others as the report that it replaces has
        them; raises OSError, ValueError."""
        now = write_timestamp(datetime.now(timezone.utc))
        self._old = {*variables["groups"]["all"]} - {*variables["ansible_play_hosts_all"]}
        kept = self._kept(Path(options["directory"]) / REPORT_FILE, self._old, now)
        previous = self._previous(options["previous"], now)
        unreached = _read_now(self._unreached(variables, read))
        report = report_of([*kept, *read.values(), *unreached], now)
        if previous:
            report["previous"] = compare(previous, report["hosts"])
        return report

    def _kept(self, path: Path, hosts: Set[str], now: str) -> list[HostRecord]:
        """The records of the report that is replaced, of hosts that the play leaves out."""
        if not hosts or not path.is_file():
            return []
        try:
            report = read_report_file(str(path), now)
        except ValueError as exc:
            self._display.warning(f"The report says nothing of hosts outside the play: {exc}.")
            return []
        return [record for record in report["hosts"] if record["host"] in hosts]

    def _previous(self, path: str | None, now: str) -> Report | None:
        """The earlier report; None if there is none yet, as on the first night."""
        try:
            return read_report_file(path, now) if path else None
        except FileNotFoundError:
            self._display.warning(f"report_previous: {path} does not exist; nothing is compared.")
            return None


def record_of(task: HostTask, record: HostRecord) -> HostRecord:
    """The record of a host, with its groups, and with whom to ask about it."""
    try:
        texts = task.values(CONTACTS.values())
    except AnsibleError:
        texts = {}
    named = {name: texts.get(variable) for name, variable in CONTACTS.items()}
    contacts = {name: excerpt(str(text), MAX_CHARS) for name, text in named.items() if text}
    known = {"groups": task.groups, "base_url": task.base_url()}
    return cast(HostRecord, {**record, **contacts, **known})


def unread_record(host: str, reason: str, now: datetime) -> HostRecord:
    """The record of a host that could not be read, for this reason."""
    return host_record(unread_host(host, reason), write_timestamp(now))


def failed_record(host: str, exc: Exception) -> HostRecord:
    """The record of a host that could not even be asked for its variables."""
    return unread_record(host, f"{type(exc).__name__}: {exc}", datetime.now(timezone.utc))


def _read_now(records: Iterable[HostRecord]) -> Iterator[HostRecord]:
    """The records with one time, at which the task has read them."""
    now = write_timestamp(datetime.now(timezone.utc))
    return (cast(HostRecord, {**record, "generated": now}) for record in records)


def _result(
    report: Report, place: tuple[str, str], fail_on: Sequence[str], changed: bool, others: Set[str]
) -> dict[str, Any]:
    """The result of the task; hosts that others read do not make it fail. `place` is where the
    report is, or would be."""
    verb, directory = place
    lines = summary(report, directory)
    if verb != "is":
        lines[-1] = f"No file is written in check mode; the report {verb} in {directory}."
    result = {"changed": changed, "directory": directory, "totals": report["totals"]}
    result["summary"] = lines
    hosts = [item for item in report["hosts"] if item["host"] not in others]
    concerned = [visible(item["host"]) for item in hosts if item["status"] in fail_on]
    if not concerned:
        return result
    statuses = ", ".join(filter(None, fail_on))
    met = f"report_fail_on ({statuses}) meets {first_few(concerned)}."
    message = f"{met} The report {verb} in {directory}."
    return {**result, "failed": True, "msg": message}
