# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All hosts of a play in one task, several at a time, since a result of Ansible for each host costs
more than to read it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, TypeVar

from ansible.module_utils.basic import missing_required_lib

from ...module_utils._api.adapters import REQUESTS_IMPORT_ERROR
from ...module_utils._api.progress import SHOW_INTERVAL, Count, Progress
from ...module_utils._budget.budget import calls_await_turns
from ...module_utils._concurrency import attempt_each, shared_by_tasks
from ...module_utils._text import Screen, first_few, first_sentences, plural
from .._action import CollectionAction, ModuleCalls
from .._alike import hosts_by_text
from .._worker import first_of_run
from .host_task import HostTask
from .host_variables import TEMPLATING
from .object_diffs import of_host

Product = TypeVar("Product")
Work = Callable[[HostTask], Product]

ONE_BY_ONE = ("free", "host_pinned")  # strategies that run each task on each host


def failed_host(_host: str, exc: Exception) -> dict[str, Any]:
    """The result of a host whose work ends with an exception."""
    return {"failed": True, "changed": False, "msg": str(exc)}


class CallsHere(ModuleCalls):
    """The calls that a task makes for one of its hosts, in this process, as this user."""

    @cached_property
    def transport(self) -> str:
        if self._task.delegate_to:
            return super().transport
        return str(self.templated(self.variables.get("ansible_connection", self._task.connection)))

    def templated(self, value: Any) -> Any:
        with TEMPLATING:
            return super().templated(value)

    def _may_run_in_worker(self) -> bool:
        return True

    def screen(self, work: str) -> Screen:
        return super().screen(work)._replace(title="")  # the fleet shows how far it is


class HostsDone(Progress):
    """The progress of a task by its hosts; hosts that take long are named while they do."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self._count = Count(total)
        self._begun: dict[str, float] = {}  # by host that is under way

    @contextmanager
    def of_host(self, host: str) -> Iterator[None]:
        """Report a host as under way while the statements inside run, and as done afterwards."""
        self._begun[host] = time.monotonic()
        try:
            yield
        finally:
            del self._begun[host]
            self._count.done += 1

    def is_worth_saying(self, text: str, shown: str) -> bool:
        return super().is_worth_saying(text, shown) or text != shown

    def __str__(self) -> str:
        if calls_await_turns():
            return f"{self._count} hosts done"
        now = time.monotonic()
        seconds = {host: now - began for host, began in self._begun.copy().items()}
        slow = [
            f"{host} ({seconds[host]:.0f} s)" for host in seconds if seconds[host] >= SHOW_INTERVAL
        ]
        waiting = f", no end yet of {first_few(slow)}" if slow else ""
        return f"{self._count} hosts done{waiting}"


class FleetAction(CollectionAction):
    """An action that works on all hosts of a play if its task has `run_once`."""

    defaults: Mapping[str, Any] = {}  # of variables, as another role has them

    def hosts(self, variables: Mapping[str, Any]) -> list[str]:
        """The hosts of the task: those of its batch if the task runs once, or else its own host."""
        play = self._task.get_play()
        strategy = str(play.strategy)
        if self._task.run_once and not strategy.endswith(ONE_BY_ONE):
            return list(variables["ansible_play_batch"])
        return [str(variables["inventory_hostname"])]

    def of_each(
        self,
        hosts: Sequence[str],
        variables: Mapping[str, Any],
        work: Work[Product],
        failed: Callable[[str, Exception], Product],
    ) -> Iterator[Product]:
        """The product of the work on each host, in order; for a host whose work raises an
        exception, the product of `failed`."""
        for environment in self._task.environment or []:  # of this worker alone
            os.environ.update({name: str(value) for name, value in environment.items()})
        progress = HostsDone(len(hosts))

        def attempt(host: str) -> Product:
            with progress.of_host(host):
                try:
                    return work(HostTask(self.calls_of(host, variables)))
                except Exception as exc:  # it stops no other host
                    return failed(host, exc)

        show = partial(self.display.display, stderr=True)  # stdout may be read by a program
        screen = Screen(show, first_of_run, str(self._task.action))
        workers = int(variables.get("ansible_forks") or 1)
        with progress.watched(screen), shared_by_tasks(len(hosts)):
            for outcome in attempt_each(attempt, hosts, workers):
                if outcome.error is not None:
                    raise outcome.error
                yield outcome.result  # type: ignore[misc]

    def require_requests(self) -> None:
        """Raises ValueError if the library that makes calls is missing."""
        if REQUESTS_IMPORT_ERROR:
            raise ValueError(missing_required_lib("requests"))

    @cached_property
    def _host_task(self) -> Any:
        """A copy of the task, which stands for the task of one host after the other."""
        return self._task.copy()

    def calls_of(self, host: str, variables: Mapping[str, Any]) -> CallsHere:
        """The calls for a host, with its variables as its own task would have them."""
        with TEMPLATING:
            task = self._host_task
            task.delegate_to = host
            manager = task.get_variable_manager()
            delegated, _name = manager.get_delegated_vars_and_hostname(
                self._templar, task, variables
            )
            inventory_variables = delegated["ansible_delegated_vars"][host]
            host_variables = {**self.defaults, **inventory_variables, "inventory_hostname": host}
            templar = self._templar.copy_with_new_env(available_variables=host_variables)
        return CallsHere(self._task, self.tools(templar), host_variables)

    def results(
        self,
        variables: Mapping[str, Any],
        work: Work[dict[str, Any]],
        failed: Callable[[str, Exception], dict[str, Any]] = failed_host,
    ) -> dict[str, Any]:
        """The results of the work on all hosts of the task in one result; a single host keeps
        its own result. Raises ValueError if the library that makes calls is missing."""
        self.require_requests()
        hosts = self.hosts(variables)
        products = self.of_each(hosts, variables, work, failed)
        return self.in_one(dict(zip(hosts, products)))

    def in_one(self, results: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """The results of hosts in one result; a single host keeps its own."""
        (result, *further) = results.values()
        return self.together(results) if further else result

    def together(self, results: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """One result that holds the results of hosts."""
        warnings: list[str] = []
        diffs = []
        for host, result in results.items():
            warnings += result.pop("warnings", ())
            diffs += [of_host(host, diff) for diff in result.pop("diff", ())]
        failed = {host: result for host, result in results.items() if result.get("failed")}
        together: dict[str, Any] = {"diff": diffs} if diffs else {}
        together["changed"] = any(result.get("changed") for result in results.values())
        together["hosts"] = results if self._display.verbosity > 0 else failed
        if warnings:
            together["warnings"] = warnings
        if failed:
            number = plural(len(results), "host", "hosts")
            count = f"{len(failed)} of {number} failed."
            messages = {host: str(result["msg"]) for host, result in failed.items()}
            texts = [failure.line for failure in hosts_by_text(messages)]
            together.update(failed=True, msg=f"{count} {first_sentences(texts)}")
        return together
