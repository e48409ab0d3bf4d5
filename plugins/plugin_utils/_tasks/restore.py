# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the playbook restore: it makes a host exactly what a snapshot or an export says."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from ...module_utils._context import LACKING, STAYING
from ...module_utils._errors import OptionError
from ...module_utils._schema.resource import OWNERS
from ...module_utils._text import Option
from .._baseline.host_task import HostTask, LineOnRun
from .._baseline.hosts_of_account import hosts_outside
from .._baseline.order import Registered
from .._baseline.results import HostRun
from .._baseline.variables import OF_HOST, POSTURE, POSTURES_FILE, SNAPSHOT_DIRECTORY, Part
from .._export.host_state import read_part
from .._export.kept_snapshots import NoSnapshot, parse_before, parse_moment, snapshot_before
from .._export.snapshot import snapshots_in
from .._export.state_file import OF_INVENTORY, RESTORE, StateFile, read_file
from .._report.plan_lines import traffic_lines
from .._report.results import is_unmet
from .._variables import errors_of
from .in_turns import ActionInTurns
from .unchanged_host import unchanged_run

FILE = "file"  # in the result of a host: what was restored
REVERT = (
    "A restore changes no file. Revert the commit that it undoes, or the next run of the baseline"
    " applies it again."
)
TAKEN_AGAIN = (
    "The next run of the baseline takes a posture that holds again. End it: run the playbook attack"
    " with -e attack_over=true, or with its reason or name."
)
UNMET = (
    "The expectations are those of the inventory as it is now. If the change that you undo brought"
    " them, revert its commit first, or add -e '{\"baseline_expectations\": []}'."
)


class RestoreAction(ActionInTurns):
    """Updates a host to match a file, whose state it takes, and no variables that describe one; or
    predicts all hosts of the play."""

    arguments_of_host = OF_INVENTORY
    registered = Registered("restore_prediction", "restore_result")

    def lines_on_run(self, task: HostTask, run: HostRun) -> Iterator[LineOnRun]:
        return traffic_lines(task.host, run)

    def shown(self, task: HostTask, result: dict[str, Any]) -> dict[str, Any]:
        if result.get("failed"):
            return _with_cure(result)
        if result.get("changed") or task.earlier.get("changed"):
            _tell_postures(task)
            task.tell(REVERT)
            result["msg"] = REVERT
        return result

    def naming_hosts(
        self, result: dict[str, Any], account_id: str, variables: Mapping[str, Any]
    ) -> dict[str, Any]:
        if not result.get(LACKING):
            return result
        hosts = hosts_outside(account_id, variables)
        if len(hosts) != 1:
            return result
        advice = (
            f"Restore the host {hosts[0]} in the same run, which has the lists of the account, and"
            " which --limit leaves out."
        )
        return {**result, "msg": f"{result['msg']} {advice}"}

    def update(self, task: HostTask, check_mode: bool) -> HostRun:
        """Restore the host; raises ValueError for wrong variables, and for a file that is not of
        this host."""
        options = task.options(RESTORE, "restore_", self.arguments, _check)
        values = task.checked(OF_INVENTORY)
        try:
            name = _file_name(task, options, values)
        except NoSnapshot as exc:
            return unchanged_run(task, values, str(exc))
        file = self._file(name)
        part = _part_of_file(file, task, options, values, check_mode)
        runner = task.runner()
        run_module = runner.run_module
        if "zone_name" in part.options:
            file.check_owners(task.host, read_part(part, run_module).owners)
        # The first turn of the host has written the state before the run.
        directory = None if task.earlier.get("snapshot") else values.get(SNAPSHOT_DIRECTORY)
        snapshot = snapshots_in(directory, task.host, part, run_module, check_mode, file.named)
        run = runner.update(part, check_mode, snapshot=snapshot)
        run = run._replace(result={**run.result, FILE: name})
        if run.failed or run.predicted:
            return run
        prediction = task.quiet_runner().update(part, check_mode=True)
        unmet = file.unmet(task.host, prediction.result)
        return run._replace(result={**run.result, **unmet})

    def _file(self, name: str) -> StateFile:
        """The file, from the process's working directory on; raises ValueError."""
        path = Path.cwd() / os.path.expanduser(name)
        try:
            return read_file(self._loader.load_from_file(str(path)), name)
        except AnsibleError as exc:
            raise ValueError(f"{name} cannot be read: {exc}") from exc


def _part_of_file(
    file: StateFile,
    task: HostTask,
    options: Mapping[str, Any],
    values: Mapping[str, Any],
    check_mode: bool,
) -> Part:
    """The module call that restores the host from the file; raises ValueError for a file that is
    not of this host."""
    file.check_kind(task.host, values)
    part = file.part(
        task.host,
        values,
        options["accept_risks"],
        options["leave_objects"],
        options["leave_fields"],
        validates=not check_mode,  # so that a dry run only reads
    )
    file.check_owners(task.host, part.options)
    return part


def _tell_postures(task: HostTask) -> None:
    """Say which postures hold, since a restore ends none of them."""
    try:
        postures = task.entries(task.values((POSTURE, POSTURES_FILE)))
        if postures and task.merged(task.checked(OF_HOST)).postures:
            task.tell(TAKEN_AGAIN)
    except ValueError as exc:
        task.warn(f"Nobody knows whether a posture holds: {exc}")


def _with_cure(result: dict[str, Any]) -> dict[str, Any]:
    """The failure; one that an expectation causes says how a restore comes about, and one of which
    something stays how it goes on, since the run itself has written the newest snapshot."""
    advice = UNMET if is_unmet(result) else ""
    if STAYING in result:
        advice = f"Restore the same file then: -e restore_file={result[FILE]}"
    return {**result, "msg": f"{result['msg']} {advice}"} if advice else result


def _check(options: Mapping[str, Any], given_names: Container[str]) -> Iterator[OptionError]:
    """An error for each thing that does not fit together."""
    names_file = "restore_file" in given_names
    names_snapshot = [name for name in ("restore_before", "restore_since") if name in given_names]
    if names_file and names_snapshot:
        problem = f"restore_file and {names_snapshot[0]} exclude each other; set one of them"
        yield OptionError(Option(), problem)
    if not names_file and "restore_before" not in given_names:
        yield OptionError(
            Option(),
            "There is no file to restore; set restore_before, for example with"
            " -e restore_before=latest, or restore_file with -e restore_file=FILE",
        )
    before, since = options["restore_before"], options["restore_since"]
    if before:
        yield from errors_of(partial(parse_before, before, "restore_before"))
    if since:
        yield from errors_of(partial(parse_moment, since, "restore_since"))


def _file_name(task: HostTask, options: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """The file to restore, in a later turn of the host that of the first one, which may have
    written a newer snapshot; raises NoSnapshot if the host has no such snapshot, and ValueError."""
    if options["file"]:
        return str(options["file"])
    if task.earlier.get(FILE):
        path = task.earlier[FILE]
        task.tell(f"The restore takes {path}.")
        return str(path)
    before, since = str(options["before"]), str(options["since"])
    path = snapshot_before(
        values.get(SNAPSHOT_DIRECTORY),
        task.host,
        parse_before(before, "restore_before"),
        parse_moment(since, "restore_since") if since else None,
        {name: str(values[f"edge_{name}"]) for name in OWNERS if values.get(f"edge_{name}")},
    )
    task.tell(f"The restore takes {path}.")
    return str(path)
