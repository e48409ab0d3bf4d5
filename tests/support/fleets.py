# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An account and its zones as one run of the playbook has them, in this process: predicted together, and run in turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from ansible_collections.edgeops.protection.plugins.module_utils._context import (
    FIRST,
    LAST,
    LATER,
    NO_VALUES,
    ROOM,
    FleetTurn,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.approval import ApprovedPlan
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_task import HeldTexts
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.order import (
    FIRST_TURN,
    HostTurn,
    Prediction,
    hosts_without_task,
    orders,
    predictions_in_turns,
    turns_of_zones,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import HostRun, HostRunner
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part, host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import snapshot_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import StateFile, read_file

from tests.support.host_parts import read_back, run_module

Results = dict[str, dict[str, Any]]  # by host
COMPARED = ("changed", "operations", "plan_id", "left", "left_out", "failed")


class Fleet(NamedTuple):
    """The variables of hosts, by their names, the files from which some of them are restored, and the ids of the plans
    that are approved; any plan if there are none."""

    variables: Mapping[str, Mapping[str, Any]]
    files: Mapping[str, StateFile] = MappingProxyType({})
    approved: Mapping[str, str] | None = None

    def predicted(self) -> dict[str, Prediction]:
        """The predictions of all hosts, as the task for all of them makes them."""
        return predictions_in_turns(
            [*self.variables], lambda turns: [self._prediction(host, turns[host]) for host in turns]
        )

    def _prediction(self, host: str, turn: FleetTurn) -> Prediction:
        run = self._run(host, turn, True, NO_VALUES)
        is_zone = bool(self.variables[host].get("edge_zone_id"))
        return Prediction(dict(run.result), HeldTexts(), run.of_fleet, may_be_zone=is_zone)

    def _approved(self, host: str, earlier: Mapping[str, Any]) -> ApprovedPlan | None:
        if self.approved is None:
            return None
        return ApprovedPlan(earlier.get(LATER) or self.approved[host])

    def _run(self, host: str, turn: FleetTurn, check_mode: bool, earlier: Mapping[str, Any]) -> HostRun:
        def in_turn(part: Part, check_mode: bool) -> dict[str, Any]:
            return run_module(replace(part, context=part.context._replace(fleet=turn)), check_mode)

        return HostRunner(in_turn).update(self._part(host), check_mode, self._approved(host, earlier))

    def _part(self, host: str) -> Part:
        variables = self.variables[host]
        if host in self.files:
            return self.files[host].part(host, variables, variables["baseline_accept_risks"])
        return host_part(host, variables)

    def snapshots(self) -> dict[str, StateFile]:
        """The state of each host that it may change, as a file has it."""
        files: dict[str, StateFile] = {}
        for host, variables in self.variables.items():
            part = host_part(host, variables)
            files[host] = read_file(read_back(snapshot_text(part, read_part(part, run_module))), host)
        return files

    def done(self, predictions: Mapping[str, Prediction]) -> Results:
        """The results of a run, play by play."""
        order = orders(predictions)
        fleet = {"hosts": {host: item.result for host, item in predictions.items()}, "order": order}
        fleet["after_others"] = [*turns_of_zones(predictions)]
        fleet["refused"] = hosts_without_task(predictions)
        results: Results = {}
        turn_of = partial(self._turn, fleet, results)
        early = [host for turns in order.values() for host in turns["room"]]
        remaining = [
            host for host, item in predictions.items() if item.result.get("changed") or item.result.get("failed")
        ]
        for play, hosts in (
            (ROOM, early),
            (FIRST, [host for host in order if order[host]["first"]]),
            ("", remaining),
            (LAST, [host for host in order if order[host]["last"] and not results.get(host, {}).get("failed")]),
        ):
            for host in hosts:
                turn_of(host, play)
        return results

    def done_as_predicted(self, predictions: Mapping[str, Prediction]) -> Results:
        """The results of a run, which are those that were predicted."""
        results = self.done(predictions)
        for name, result in results.items():
            predicted = predictions[name].result
            assert {key: predicted.get(key) or None for key in COMPARED} == {
                key: result.get(key) or None for key in COMPARED
            }, (name, predicted.get("msg"), result.get("msg"))
        return results

    def approving(self, predictions: Mapping[str, Prediction]) -> Fleet:
        """The fleet, whose plans are approved as they are predicted."""
        return self._replace(approved={name: item.result.get("plan_id") or "" for name, item in predictions.items()})

    def _turn(self, fleet: Mapping[str, Any], results: Results, host: str, play: str) -> None:
        earlier = results.get(host, {}).get(FIRST_TURN) or {}
        turn = HostTurn(host, fleet, play, earlier, False)
        if turn.settled is not None:
            results[host] = turn.settled
            return
        failed = [name for name, result in results.items() if result.get("failed")]
        results[host] = turn.result(self._run(host, turn.fleet_turn(failed), False, earlier).result)
