# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role baseline: it makes and applies the plan of a host, with the role's
variables as options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ...module_utils._context import LATER
from ...module_utils._specs.host_tasks import ATTACK, TASK_OPTION
from .._attack.attack import Attack
from .._baseline import results as host_results
from .._baseline import variables as host_variables
from .._baseline.approval import ApprovedPlan, approved_plan
from .._baseline.host_task import HostTask, LineOnRun
from .._baseline.in_force import sentences_on_prepared
from .._baseline.watch_terms import VARIABLE
from .._export.kept_snapshots import delete_older
from .._export.snapshot import snapshots_in
from .._report.plan_lines import plan_lines, traffic_lines
from .._variables import defaults_of, require_none
from .._watch.watch import watched
from .in_turns import ActionInTurns


class BaselineAction(ActionInTurns):
    """Updates a host, which is an account, a zone or both, to match the variables of the role, or
    predicts all hosts of the play."""

    defaults: Mapping[str, Any] = defaults_of("baseline")
    keeps_for_others = True

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        if self._task.args[TASK_OPTION] != ATTACK:
            return super().outcome(variables)
        task = HostTask(self.calls(variables))
        attack = partial(_attack, task, bool(self._task.check_mode))
        return task.result_of(attack, self.arguments_of_host, partial(traffic_lines, task.host))

    def update(self, task: HostTask, check_mode: bool) -> host_results.HostRun:
        return _update(task, check_mode)

    def lines_on_run(self, task: HostTask, run: host_results.HostRun) -> Iterator[LineOnRun]:
        name = host_variables.ACCEPT_RISKS
        return plan_lines(task.host, run, task.values([name]).get(name) or ())


def _attack(task: HostTask, check_mode: bool) -> host_results.HostRun:
    """Take the postures of the host, or end some; raises ValueError for wrong variables."""
    update = partial(_updated_by_attack, task, check_mode)
    return Attack(task, check_mode, update).run()


def _updated_by_attack(
    task: HostTask,
    check_mode: bool,
    values: Mapping[str, Any],
    part: host_variables.Part,
    runner: host_results.HostRunner,
    begin: Callable[[Mapping[str, Any]], None],
) -> host_results.HostRun:
    """Update the host for an attack; its change is watched if the attack asks for that, and then
    marked before the attack begins. No watch of the baseline holds up an attack."""
    if values.get(VARIABLE) is None:
        return _updated(task, check_mode, values, part, runner, begin)

    def update(
        values_of_run: Mapping[str, Any], mark: Callable[[Mapping[str, Any]], None]
    ) -> host_results.HostRun:
        def mark_and_begin(predicted: Mapping[str, Any]) -> None:
            mark(predicted)
            begin(predicted)

        return _updated(task, check_mode, values_of_run, part, runner, mark_and_begin)

    return watched(task, values, part, check_mode, update)


def _update(task: HostTask, check_mode: bool) -> host_results.HostRun:
    """Update the host; raises ValueError if its variables do not fit together."""
    errors = host_variables.misspelt_names(frozenset(task.variables))
    require_none(errors, {}, {}, task.variables)
    values = task.checked(host_variables.OF_HOST)
    task.warn(*task.shared_owners())
    merged = task.merged(values)
    postures = [posture.record for posture in merged.postures]
    part = merged.part()
    runner = task.runner()

    def update(
        values_of_run: Mapping[str, Any], begin: Callable[[Mapping[str, Any]], None]
    ) -> host_results.HostRun:
        return _updated(task, check_mode, values_of_run, part, runner, begin)

    run = watched(task, values, part, check_mode, update)
    run = run._replace(postures=postures)
    operations = run.result.get("operations") or ()
    task.warn(*merged.still_in_force(operations))
    quiet = task.quiet_runner()
    unmanaged = run.result.get("unmanaged")
    task.warn(*sentences_on_prepared(merged, part, quiet.run_module, unmanaged))
    if postures:
        task.warn(*task.way_back(values, task.entries(values), run))
    return run


def _updated(
    task: HostTask,
    check_mode: bool,
    values: Mapping[str, Any],
    part: host_variables.Part,
    runner: host_results.HostRunner,
    begin: Callable[[Mapping[str, Any]], None] = lambda _turn_of_host: None,
) -> host_results.HostRun:
    """Update the host to match a part: `begin` is called with the prediction after the snapshot,
    and before the first write. Raises ValueError if its variables do not fit together."""
    number_to_keep = host_variables.check_keep(values.get(host_variables.SNAPSHOT_KEEP))
    approved = approved_plan(task.host, values)
    directory = values.get(host_variables.SNAPSHOT_DIRECTORY)
    if task.earlier.get("snapshot"):
        directory = None  # the first turn of the host has written the state before the run
    if approved is not None and task.earlier.get(LATER):
        approved = ApprovedPlan(task.earlier[LATER])  # which the first turn has compared
    take_snapshot = snapshots_in(directory, task.host, part, runner.run_module, check_mode)

    def before_writing(predicted: Mapping[str, Any]) -> str:
        path = take_snapshot(predicted) if take_snapshot else ""
        begin(predicted)
        return path

    run = runner.update(part, check_mode, approved, before_writing if take_snapshot else None)
    task.warn(*task.shared_owners(run.result))
    # A run that failed may need the state before it more than once, so that it deletes nothing.
    if number_to_keep is None or not run.snapshot or run.failed:
        return run
    try:
        deleted = delete_older(Path(run.snapshot), number_to_keep)
    except OSError as exc:
        task.warn(f"{host_variables.SNAPSHOT_KEEP}: older snapshots remain ({exc}).")
        return run
    return run._replace(deleted=deleted)
