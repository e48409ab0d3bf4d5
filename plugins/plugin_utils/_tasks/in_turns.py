# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tasks of a playbook that changes hosts in their order: one predicts all of them, then each
has its turn, and accounts have one before and one after their zones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from ...module_utils._api.adapters import REQUESTS_IMPORT_ERROR
from ...module_utils._arguments import Arguments
from ...module_utils._context import FIRST, LAST, WATCH, FleetTurn
from ...module_utils._specs.host_tasks import PREDICTING, TASK_OPTION, TURNS
from ...module_utils._text import first_few
from .._action import say
from .._alike import hosts_by_text, without_ray
from .._baseline import results as host_results
from .._baseline import variables as host_variables
from .._baseline.fleet import FleetAction, failed_host
from .._baseline.host_task import HeldTexts, HostTask, LineOnRun
from .._baseline.hosts_of_account import naming_makers
from .._baseline.order import (
    FIRST_TURN,
    HELD,
    OF_BASELINE,
    ORDERED,
    HostTurn,
    Prediction,
    hosts_without_task,
    orders,
    predictions_in_turns,
    turns_of_zones,
)
from .._bytecode import FAST_PATH
from .._variables import read_variables
from .._worker import noted_by_run

SAID_ABOVE = (
    "The task that predicts all hosts says above why this host and others fail. With -v, each of"
    " them says it again."
)
KEPT_OF_FAILURE = ("changed", "plan_id", "warnings")  # if the task for all hosts says why
NOT_HERE = {
    "failed": True,
    "msg": "It is not predicted here, since its modules run on another machine.",
}


class ActionInTurns(FleetAction):
    """Changes a host, in its turn if it is one of many, or predicts all hosts of the play."""

    arguments_of_host: Arguments = host_variables.OF_HOST
    registered = OF_BASELINE
    keeps_for_others = False  # whether an account alone keeps lists to which other zones refer

    def update(self, task: HostTask, check_mode: bool) -> host_results.HostRun:
        """Update the host; raises ValueError if its variables do not fit together."""
        raise NotImplementedError

    def lines_on_run(self, task: HostTask, run: host_results.HostRun) -> Iterator[LineOnRun]:
        """The lines for people on a run: its changes, or the reason why it makes none."""
        raise NotImplementedError

    def shown(self, _task: HostTask, result: dict[str, Any]) -> dict[str, Any]:
        """The result of a host after what it says of it to people."""
        return result

    def outcome(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        check_mode, name = bool(self._task.check_mode), self._task.args[TASK_OPTION]
        if name in PREDICTING:
            return self._all_hosts(variables, check_mode)
        task = HostTask(self.calls(variables))
        turn_name = TURNS.get(name, "")
        turn = HostTurn.of_task(task.host, turn_name, variables, check_mode, self.registered)
        if turn is not None and turn.settled is not None:
            return self._counted(task, turn.settled)
        result: dict[str, Any] = {"failed": True}
        try:
            result = self._updated_in_turn(task, turn, check_mode)
        finally:
            self._note_first_turn(task, turn, result)
            self._count(task, result)
        return self._without_shared_failure(task, result)

    def naming_hosts(
        self, result: dict[str, Any], account_id: str, variables: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The result of a zone; if its rules name lists that its account lacks, the message names
        the host outside of the run that would bring them."""
        return naming_makers(result, account_id, variables)

    def _updated_in_turn(
        self, task: HostTask, turn: HostTurn | None, check_mode: bool
    ) -> dict[str, Any]:
        """The result of the host after its run, or after its part of the run of many hosts."""
        texts = HeldTexts()
        holding = _failed_account(turn) if turn else ""
        if turn is not None and holding:
            return turn.result({"failed": True, "msg": HELD.format(account=holding)})
        if turn is not None:
            task.fleet_turn, task.earlier = turn.fleet_turn(self._failed_zones(turn)), turn.earlier
            texts = task.hold() if turn.is_followed else texts
        elif self._leaves_zones_out(task):
            task.fleet_turn = ORDERED._replace(keeps_for_others=True)
        update, describe = partial(self.update, task, check_mode), partial(self._lines, task)
        result = self.shown(task, task.result_of(update, self.arguments_of_host, describe))
        if result.get("failed"):
            texts.show()
            result = self.naming_hosts(result, task.account_of_zone(), task.variables)
        return result if turn is None else turn.result(result)

    def _all_hosts(self, variables: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
        """The results of all hosts in check mode, and the hosts that get a task of their own: those
        that fail, so that no other host does, and those that change in a run, which read again."""
        hosts, play = self.hosts(variables), uuid4().hex
        if REQUESTS_IMPORT_ERROR or self._wants_task_of_each_host(variables):
            return {"play": play, "changed": False, "remaining": hosts, "hosts": {}, "counts": {}}
        predictions = self._predictions(hosts, variables)
        results = {
            host: self.naming_hosts(found.result, found.account_id, variables)
            for host, found in zip(hosts, map(predictions.__getitem__, hosts))
        }
        texts_of_hosts = {host: predictions[host].texts for host in hosts}
        settled: dict[str, dict[str, Any]] = {}  # the hosts that get no task of their own
        for host, result in results.items():
            is_to_do = result.get("changed") or WATCH in result
            if not (result.get("failed") or (is_to_do and not check_mode)):
                texts_of_hosts[host].show()
                settled[host] = result
        shown_results = {host: self._shown(result) for host, result in results.items()}
        remaining = [host for host in hosts if host not in settled]
        shared_failures = self._say_shared_failures(results, texts_of_hosts)
        order, after_others = orders(predictions), [*turns_of_zones(predictions)]
        refused = hosts_without_task(predictions)
        # The tasks of these hosts have nothing to show.
        for host in [*refused, *order, *after_others] if check_mode else refused:
            if host not in settled and host not in shared_failures:
                texts_of_hosts[host].show()
        counts = Counter(map(host_results.host_outcome, settled.values()))
        self._say_counts(settled, len(hosts), counts, check_mode)
        return {
            "play": play,
            **self.together(settled),
            "hosts": shown_results,
            "remaining": remaining,
            "shared_failures": shared_failures,
            "counts": dict(counts),
            "order": order,
            "after_others": after_others,
            "refused": refused,
        }

    def _predictions(
        self, hosts: Sequence[str], variables: Mapping[str, Any]
    ) -> dict[str, Prediction]:
        """The predictions of all hosts: zones after what their accounts make, and these accounts
        after what their zones change; with those of zones outside of the run."""

        def predict(turns: Mapping[str, FleetTurn]) -> Iterator[Prediction]:
            return self.of_each(
                [*turns], variables, partial(self._predicted, turns), _not_predicted
            )

        return predictions_in_turns(hosts, predict, partial(zones_outside, self, hosts, variables))

    def _predicted(self, turns: Mapping[str, FleetTurn], task: HostTask) -> Prediction:
        """The result of a run of the host in check mode, in its turn, and what the run would
        show."""
        texts, runs = task.hold(), list[host_results.HostRun]()
        if not task.runs_here():
            return Prediction(NOT_HERE, texts)
        task.fleet_turn = turns[task.host]

        def update() -> host_results.HostRun:
            runs.append(self.update(task, True))
            return runs[0]

        describe = partial(self.lines_on_run, task)
        result = self.shown(task, task.result_of(update, self.arguments_of_host, describe))
        of_fleet = runs[0].of_fleet if runs else {}
        return _without_facts(task, result)._replace(texts=texts, of_fleet=of_fleet)

    def _leaves_zones_out(self, task: HostTask) -> bool:
        """Return whether the host is an account, and a limit leaves out zones that may be of it."""
        variables = task.variables
        is_limited = self.keeps_for_others and variables.get("ansible_limit")
        if not is_limited or self._wants_task_of_each_host(variables):
            return False
        account_id, address = task.account_id(), task.base_url()
        if task.names_zone() and not account_id:
            return False
        zones = zones_outside(self, [task.host], variables).values()
        return any(zone.may_be_of(account_id, address) for zone in zones)

    def _wants_task_of_each_host(self, variables: Mapping[str, Any]) -> bool:
        """Return whether a variable says so; each host tells itself that it is wrong."""
        if not FAST_PATH:
            return True
        name = host_variables.EACH_HOST
        arguments = {name: host_variables.BASELINE[name]}
        try:
            values = HostTask(self.calls(variables)).values([name])
            return bool(read_variables(arguments, values)[name])
        except ValueError:
            return False

    def _shown(self, result: Mapping[str, Any]) -> dict[str, Any]:
        shown = result if self._display.verbosity > 0 else host_results.shortened(result)
        return {"changed": False, **shown}

    def _say_shared_failures(
        self, results: Mapping[str, Mapping[str, Any]], texts_of_hosts: Mapping[str, HeldTexts]
    ) -> list[str]:
        """Say once what lets several hosts fail, with the texts of the first one; the hosts, whose
        tasks need not say it again."""
        messages = {
            host: str(result["msg"]) for host, result in results.items() if result.get("failed")
        }
        hosts: list[str] = []
        for failure in hosts_by_text(messages):
            if failure.is_shared:
                say(self.display, failure.line)
                texts_of_hosts[failure.hosts[0]].show()
                hosts += failure.hosts
        return hosts

    def _say_counts(
        self,
        settled: Mapping[str, Mapping[str, Any]],
        number: int,
        counts: Counter[str],
        check_mode: bool,
    ) -> None:
        """Say which hosts would change, and how many get a task of their own, or else the numbers
        of all."""
        changing = [host for host, result in settled.items() if result["changed"]]
        if changing:
            say(self.display, f"Would change: {first_few(changing)}.")
        remaining = number - len(settled)
        if remaining:
            line = f"{remaining} of {number} hosts get a task of their own."
        else:
            line = host_results.sentence_of(counts, check_mode)
        say(self.display, line)

    def _count(self, task: HostTask, result: Mapping[str, Any]) -> None:
        """Show the numbers of all hosts of the playbook, if this is the last one."""
        fleet = task.variables.get(self.registered.fleet)
        if not isinstance(fleet, Mapping) or FIRST_TURN in result:
            return
        outcome = host_results.host_outcome(result)
        if result.get("failed"):
            noted_by_run(f"failed in {fleet['play']}", task.host)
        outcomes = noted_by_run(f"play {fleet['play']}", outcome)
        if len(outcomes) == len(fleet["remaining"]):
            counts = Counter(outcomes) + Counter(fleet["counts"])
            check_mode = bool(self._task.check_mode)
            say(self.display, host_results.sentence_of(counts, check_mode))

    def _note_first_turn(
        self, task: HostTask, turn: HostTurn | None, result: Mapping[str, Any]
    ) -> None:
        """Note that an account has failed before its zones, for those that rely on it."""
        is_first = turn is not None and turn.turn == FIRST
        if turn and is_first and result.get(FIRST_TURN, result).get("failed"):
            noted_by_run(_failed_first(turn.fleet), task.host)

    def _counted(self, task: HostTask, result: dict[str, Any]) -> dict[str, Any]:
        """The result of a host that is settled before its task."""
        self._count(task, result)
        return self._without_shared_failure(task, result)

    def _failed_zones(self, turn: HostTurn) -> list[str]:
        """The hosts that have failed before the last turn of an account."""
        return noted_by_run(f"failed in {turn.fleet['play']}", "") if turn.turn == LAST else []

    def _is_said_above(self, task: HostTask, result: Mapping[str, Any]) -> bool:
        """Return whether the task for all hosts has said of several ones why this host fails."""
        fleet = task.variables.get(self.registered.fleet)
        if not isinstance(fleet, Mapping) or not result.get("failed"):
            return False
        is_shared = task.host in fleet.get("shared_failures", ())
        if not is_shared or self._display.verbosity > 0:
            return False
        predicted = str(fleet["hosts"][task.host]["msg"])
        return without_ray(predicted) == without_ray(str(result["msg"]))

    def _lines(self, task: HostTask, run: host_results.HostRun) -> Iterator[LineOnRun]:
        if not self._is_said_above(task, run.result):
            yield from self.lines_on_run(task, run)

    def _without_shared_failure(self, task: HostTask, result: dict[str, Any]) -> dict[str, Any]:
        """The result of a host; a failure that the task for all hosts has said of several is short,
        since Ansible prints all of it for each host."""
        if not self._is_said_above(task, result):
            return result
        short = {name: result[name] for name in KEPT_OF_FAILURE if name in result}
        return {**short, "failed": True, "msg": SAID_ABOVE}


def _failed_first(fleet: Mapping[str, Any]) -> str:
    """The name of the notes on accounts that have failed before their zones."""
    return f"failed first in {fleet['play']}"


def _failed_account(turn: HostTurn) -> str:
    """An account on which a zone relies, and that has failed before it; empty if there is none."""
    accounts = turn.relied_on
    failed = noted_by_run(_failed_first(turn.fleet), "") if accounts else ()
    return next((account for account in accounts if account in failed), "")


def zones_outside(
    action: FleetAction, hosts: Sequence[str], variables: Mapping[str, Any]
) -> dict[str, Prediction]:
    """The hosts of the inventory beside these, and that may be zones."""
    outside: dict[str, Prediction] = {}
    for host in variables["groups"]["all"]:
        if host in hosts:
            continue
        try:
            task = HostTask(action.calls_of(host, variables))
            left_out = _without_facts(task, {"failed": True})
        except Exception as exc:  # its variables cannot be read
            left_out = _not_predicted(host, exc)
        if left_out.may_be_zone:
            outside[host] = left_out._replace(is_outside=True)
    return outside


def _without_facts(task: HostTask, result: dict[str, Any]) -> Prediction:
    """The prediction of a host by its variables alone."""
    prediction = Prediction(result, HeldTexts(), address=task.base_url())
    return prediction._replace(account_id=task.account_of_zone(), may_be_zone=task.names_zone())


def _not_predicted(host: str, exc: Exception) -> Prediction:
    return Prediction(failed_host(host, exc), HeldTexts(), may_be_zone=True)
