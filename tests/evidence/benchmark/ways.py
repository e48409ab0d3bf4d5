# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ways of measure.py for what there is to run: plays, the script without Ansible, pure functions."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._budget.budget import FOLDER
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import PREFIXES

from . import plays
from .accounts import Entry, directory_accounts, directory_zones, identifier, objects
from .measure import Taken, Way
from .processes import Failure, run
from .serving import Serving

PLAYBOOK = Path(sys.executable).with_name("ansible-playbook")
SCRIPT = Path(__file__).with_name("bare_requests.py")


@dataclass(frozen=True)
class Work:
    """What there is before a run, and after it.

    Each of `parts` accounts is as `account` says, and has `after` objects afterwards (None: as many as before, and
    nothing may change). `latency` is in seconds for each request.
    """

    account: Mapping[str, Any]
    parts: int = 1
    after: int | None = None
    latency: float = 0.0


@dataclass(frozen=True)
class Limit:
    """How many calls the service takes in so many seconds."""

    calls: int
    seconds: float

    def least_time(self, calls: int) -> float:
        """The least seconds from the first to the last of so many calls."""
        return (calls - 1) // self.calls * self.seconds


class Ways:
    """Makes ways that meet one running service, with files in a folder of their own.

    `program` runs the plays.
    """

    def __init__(self, serving: Serving, scratch: Path, program: Sequence[str | Path] = (PLAYBOOK,)) -> None:
        self.serving = serving
        self.scratch = scratch
        self.program = program

    def empty(self) -> Way:
        """A play without tasks."""
        return Way(lambda: self._play([], [identifier(0)], 5, {}))

    def copies(self, tasks: plays.Tasks, work: Work, desired: Sequence[Entry] = ()) -> Way:
        """A play that does the work for one account after the other, with tasks that may use the variable `desired`."""
        return Way(self._one_by_one(tasks, work, desired), work.parts, in_play=True)

    def more(self, tasks: plays.Tasks, work: Work) -> Way:
        """Further tasks of a play that has done such work for one account before."""
        first, longer = (self._one_by_one(tasks, replace(work, parts=parts)) for parts in (1, 1 + work.parts))

        def measured() -> Taken:
            whole, one = longer(), first()
            return Taken(whole.seconds - one.seconds, whole.peak, whole.processor - one.processor)

        return Way(measured, work.parts)

    def _one_by_one(self, tasks: plays.Tasks, work: Work, desired: Sequence[Entry] = ()) -> Callable[[], Taken]:
        accounts = [identifier(number) for number in range(work.parts)]
        listed = [task for account in accounts for task in tasks(account)]
        variables = {"desired": desired} if desired else {}
        return lambda: self._measured(work, listed, accounts[:1], 5, variables)

    def hosts(self, tasks: plays.Tasks, work: Work, forks: int) -> Way:
        """A play with a host for each account, so many of them at once; the work is that for all of them."""
        accounts = [identifier(number) for number in range(work.parts)]
        return Way(lambda: self._measured(work, tasks("{{ account }}"), accounts, forks, {}), in_play=True)

    def limited(self, tasks: plays.Tasks, work: Work, forks: int, limit: Limit, runs: int = 1) -> tuple[Way, Way]:
        """So many runs at once, each with a host for each account, from the first to the last of their calls.

        The service refuses none of these calls. The other way is the least time that so many calls take.
        """
        accounts = [identifier(number) for number in range(work.parts)]
        calls: list[int] = []

        def measured() -> Taken:
            self._prepare(work)
            self._forget_calls()
            with self.serving.limited(limit.calls, limit.seconds), ThreadPoolExecutor(runs) as pool:
                folders = [self.scratch / f"run{number}" for number in range(runs)]
                list(pool.map(lambda folder: self._play(tasks("{{ account }}"), accounts, forks, {}, folder), folders))
            moments = [call["moment"] for call in self.serving.calls()]
            calls.append(len(moments))
            self._check(work)
            return Taken(max(moments) - min(moments))

        return Way(measured), Way(lambda: Taken(limit.least_time(calls[-1])))

    def inventory(self, accounts: int, zones: int, latency: float) -> tuple[Way, Way]:
        """The inventory plugin, and a file with the hosts that it makes."""
        program = PLAYBOOK.with_name("ansible-inventory")
        source, static = self.scratch / "edgeops.yml", self.scratch / "static.json"

        def measured() -> Taken:
            self.serving.hold(directory_accounts(accounts), latency, directory_zones(zones, accounts))
            self._forget_calls()
            options = {"base_url": self.serving.base_url, "api_token": self.serving.token}
            source.write_text(json.dumps({"plugin": "edgeops.protection.accounts", **options}), encoding="utf-8")
            taken, text = run([program, "-i", source, "--list"], self.scratch)
            listing = json.loads(text[text.index("{") :])
            variables = listing.pop("_meta")["hostvars"]
            if len(variables) != accounts + zones:
                raise Failure(f"The inventory has {len(variables)} hosts instead of {accounts + zones}.")
            groups = {
                name: {
                    "hosts": {host: variables[host] if name in ("accounts", "zones") else {} for host in group["hosts"]}
                }
                for name, group in listing.items()
                if "hosts" in group
            }
            static.write_text(json.dumps({"all": {"children": groups}}), encoding="utf-8")
            return taken

        def read_static() -> Taken:
            return run([program, "-i", static, "--list"], self.scratch)[0]

        return Way(measured), Way(read_static)

    def _forget_calls(self) -> None:
        """Begin with a call budget of which nothing is used."""
        shutil.rmtree(self.scratch / "home" / FOLDER, ignore_errors=True)

    def script(self, desired: Sequence[Entry], work: Work) -> Way:
        """The script without Ansible, from its start to its end."""

        def measured() -> Taken:
            path = self.scratch / "desired.json"
            path.write_text(json.dumps(desired), encoding="utf-8")
            self._prepare(work)
            url = self.serving.base_url + "/" + PREFIXES.path.format(account_id=identifier(0))
            taken, _text = run([sys.executable, SCRIPT, url, self.serving.token, path], self.scratch)
            self._check(work)
            return taken

        return Way(measured)

    def pure(self, what: str, size: int, beside: str = "") -> Way:
        """What pure.py measures, or items.py; without the seconds of what stands `beside` it."""
        module = "items" if what.startswith("items") else "pure"

        def one(name: str) -> Taken:
            words = [sys.executable, "-m", f"tests.evidence.benchmark.{module}", name, str(size)]
            taken, text = run(words, self.scratch)
            return Taken(float(text), taken.peak)

        def measured() -> Taken:
            whole, other = one(what), one(beside).seconds if beside else 0.0
            return replace(whole, seconds=whole.seconds - other)

        return Way(measured)

    def _measured(
        self, work: Work, tasks: list[plays.Task], hosts: list[str], forks: int, variables: dict[str, Any]
    ) -> Taken:
        self._prepare(work)
        taken = self._play(tasks, hosts, forks, variables)
        self._check(work)
        return taken

    def _play(
        self,
        tasks: list[plays.Task],
        hosts: list[str],
        forks: int,
        variables: dict[str, Any],
        folder: Path | None = None,
    ) -> Taken:
        folder = folder or self.scratch
        folder.mkdir(exist_ok=True)
        inventory, playbook = folder / "inventory.json", folder / "play.yml"
        listed = plays.inventory(hosts, self.serving.base_url, self.serving.token)
        inventory.write_text(json.dumps(listed), encoding="utf-8")
        playbook.write_text(json.dumps(plays.play(tasks, variables)), encoding="utf-8")
        return run([*self.program, "-i", inventory, "-f", str(forks), playbook], folder, self.scratch)[0]

    def _prepare(self, work: Work) -> None:
        self.serving.hold({identifier(number): work.account for number in range(work.parts)}, work.latency)

    def _check(self, work: Work) -> None:
        if work.after is None:
            if self.serving.was_written_to():
                raise Failure("Something was changed where nothing was to do.")
        else:
            states = [objects(account) for account in self.serving.holds().values()]
            if states != [work.after] * work.parts:
                raise Failure(f"The accounts hold {states} objects instead of {work.after} each.")


def constant(seconds: float) -> Way:
    """What is known without measuring."""
    return Way(lambda: Taken(seconds))
