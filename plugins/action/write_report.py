# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action that writes a report: it gathers what the hosts of a play predicted, once, and writes
every file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, cast

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase

from ..module_utils._text import excerpt, first_few, visible
from ..plugin_utils._baseline.approval import REPORT as REPORT_FILE
from ..plugin_utils._baseline.misspelt import misspelt_in_role
from ..plugin_utils._baseline.variables import CONTACTS, REPORT
from ..plugin_utils._plain import plain
from ..plugin_utils._report.arguments import (
    DEFAULT_MODE,
    REPORT_OPTIONS,
    REPORT_VARIABLES,
    file_mode,
)
from ..plugin_utils._report.document import host_record, report_of
from ..plugin_utils._report.files import write_files
from ..plugin_utils._report.markdown import summary
from ..plugin_utils._report.merging import compare, merge_reports, read_report_file
from ..plugin_utils._report.record import MAX_SHOWN, HostRecord, Report
from ..plugin_utils._report.results import host_results
from ..plugin_utils._variables import require_valid

CONTROL_NODE = "localhost"  # where a play merges reports of others, and is none of their hosts


class ActionModule(ActionBase):  # type: ignore[misc]
    """Writes the report on the hosts of the play."""

    _supports_check_mode = True
    _supports_async = False
    _old: Set[str] = frozenset()  # hosts of which an earlier report alone says something
    TRANSFERS_FILES = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        variables = task_vars or {}
        values = {f"report_{name}": value for name, value in self._task.args.items()}
        try:
            require_valid(REPORT_VARIABLES, values)
            mode = file_mode(self._task.args.get("mode", DEFAULT_MODE))
        except ValueError as exc:
            return {"failed": True, "msg": str(exc)}
        _validated, options = self.validate_argument_spec(argument_spec=REPORT_OPTIONS)
        directory = Path(options["directory"]).absolute()
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        try:
            report = self._report(options, variables, now)
            changed = write_files(report, directory, mode, self._task.check_mode)
        except OSError as exc:
            name = exc.filename or options["directory"]
            return {"failed": True, "msg": f"{name}: {exc.strerror}. The report is not complete."}
        except ValueError as exc:
            return {"failed": True, "msg": f"The report cannot be made: {exc}."}
        result = _result(report, str(directory), options["fail_on"], bool(changed), self._old)
        if misspelt := misspelt_in_role(variables, "report"):
            result["warnings"] = misspelt
        for line in result["summary"]:
            self._display.display(line, stderr=True)  # stdout may be read by a program
        return result

    def _report(self, options: Mapping[str, Any], variables: Mapping[str, Any], now: str) -> Report:
        """The report on the hosts of the play and of other reports; raises OSError, ValueError."""
        others = [read_report_file(path, now) for path in options["merge"]]
        outside = {*variables["groups"]["all"]} - {*variables["ansible_play_hosts_all"]}
        self._old = outside - {record["host"] for other in others for record in other["hosts"]}
        others += self._kept(Path(options["directory"]) / REPORT_FILE, outside, now)
        previous = self._previous(options["previous"], now)
        hosts = reported(variables["ansible_play_hosts_all"], variables["hostvars"])
        records = [record_of(host, variables["hostvars"], now) for host in hosts]
        report = merge_reports(others, report_of(records, now))
        if previous:
            report["previous"] = compare(previous, report["hosts"])
        return report

    def _kept(self, path: Path, hosts: Set[str], now: str) -> list[Report]:
        """The report that is replaced, on hosts of the inventory that the play leaves out."""
        if not hosts or not path.is_file():
            return []
        try:
            report = read_report_file(str(path), now)
        except ValueError as exc:
            self._display.warning(f"The report says nothing of hosts outside the play: {exc}.")
            return []
        report["hosts"] = [record for record in report["hosts"] if record["host"] in hosts]
        return [report]

    def _previous(self, path: str | None, now: str) -> Report | None:
        """The earlier report; None if there is none yet, as on the first night."""
        try:
            return read_report_file(path, now) if path else None
        except FileNotFoundError:
            self._display.warning(f"report_previous: {path} does not exist; nothing is compared.")
            return None


def reported(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """The hosts of a play that are accounts or zones, or should be: all but a control node without
    a result."""
    return [host for host in hosts if host != CONTROL_NODE or hostvars[host].get(REPORT)]


def record_of(host: str, hostvars: Mapping[str, Any], now: str) -> HostRecord:
    """The record of a host of the play, whatever became of it; one play reads its hosts at one
    time."""
    try:
        variables = hostvars[host]  # which Ansible puts together anew each time
        result = plain(variables.get(REPORT) or {})
        groups = plain(list(variables.get("group_names") or ()))
        texts = {name: plain(variables.get(variable)) for name, variable in CONTACTS.items()}
    except (AnsibleError, KeyError) as exc:
        result, groups = {"failed": True, "msg": str(exc)}, []
        texts = {}
    failures = [result] if result.get("failed") else []
    read: HostRecord | None = result.get("record")
    record = read or host_record(host_results(str(host), {}, {}, failures), now)
    about = {name: excerpt(str(text), MAX_SHOWN) for name, text in texts.items() if text}
    return cast(HostRecord, {**record, **about, "generated": now, "groups": groups})


def _result(
    report: Report, directory: str, fail_on: Sequence[str], changed: bool, old: Set[str]
) -> dict[str, Any]:
    result = {"changed": changed, "directory": directory, "totals": report["totals"]}
    result["summary"] = summary(report, directory)
    hosts = [item for item in report["hosts"] if item["host"] not in old]
    concerned = [visible(item["host"]) for item in hosts if item["status"] in fail_on]
    if not concerned:
        return result
    statuses = ", ".join(filter(None, fail_on))
    message = (
        f"report_fail_on ({statuses}) meets {first_few(concerned)}. The report is in {directory}."
    )
    return {**result, "failed": True, "msg": message}
