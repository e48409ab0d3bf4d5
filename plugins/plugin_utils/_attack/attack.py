# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook attack: a host takes postures, or ends some, in one plan.

An entry is in the file before the first write to Cloudflare, and an ended one goes after the last
one. If a run is killed in between, the next run of the baseline finishes its work.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from ...module_utils._guard.terms import HAS_RISKS, acceptance_to_copy
from ...module_utils._schema.registry import title_of_resource
from ...module_utils._schema.resource import OWNERS
from ...module_utils._specs.registry import TRAFFIC
from ...module_utils._text import first_few
from ...module_utils._timestamps import parse_expiry, write_time
from .._baseline.approval import approved_plan
from .._baseline.host_task import HostRun, HostRunner, HostTask
from .._baseline.posture import RISKS, Changed, MergedHost, PostureEntries, PostureFile, merged
from .._baseline.results import mitigated
from .._baseline.variables import (
    OF_HOST,
    POSTURES_FILE,
    SNAPSHOT_DIRECTORY,
    Part,
    connection_options,
)
from .._export.snapshot import snapshots_in
from .._files import require_writable
from .variables import (
    ACCEPT,
    ACCOUNT_PREFIXES,
    ATTACK,
    LEVEL,
    OVER,
    asked_entries,
    check_options,
    end_of_attack,
    is_meant,
    read_attack,
)

MINUTES = 15  # of traffic that are shown
HEAVIEST = 5
FAR = "9999-12-30"  # the end of a posture until Cloudflare's time is known
SNAPSHOTS = "snapshots"  # of a host that has no other directory of them
TOP_TRAFFIC = {"source_networks": "networks", "sources": "sources", "asns": "AS", "ports": "ports"}
UNREAD_LEVELS = (
    "Configuration rules and page rules may set another security level for some requests, and"
    " nobody here can read them."
)


class Attack:
    """One run of the playbook on one host."""

    def __init__(self, task: HostTask, variables: Iterable[str], check_mode: bool) -> None:
        self._task, self._check_mode = task, check_mode
        self._values = {**task.checked(OF_HOST), **read_attack(task.values(ATTACK), variables)}
        hosts = task.value("ansible_play_hosts_all") or [task.host]
        check_options(self._values, hosts, task.value("ansible_limit"))
        file = task.posture_file(self._values)
        if file is None:
            raise ValueError(
                f"The inventory is no file, so the postures have no place; set {POSTURES_FILE}, or"
                " name a file by -i."
            )
        self._file: PostureFile = file
        self._is_written = False

    def run(self) -> HostRun:
        """Take the postures, or end some; raises ValueError for what is asked wrongly."""
        while True:
            try:
                return self._attempt()
            except Changed:
                self._task.tell(f"Another run has written {self._file.path}; this one plans again.")

    def _attempt(self) -> HostRun:
        values, task = self._values, self._task
        known = self._file.of(task.host)
        over = values[OVER]
        entries = self._ended(known, FAR) if over else [*known, *asked_entries(values, FAR, "")]
        now, there = task.read_there(values, self._with(entries), ACCOUNT_PREFIXES)
        if over:
            entries = self._ended(known, write_time(now))
        else:
            until = write_time(end_of_attack(values, now))
            asked = asked_entries({**there, **values}, until, write_time(now))
            entries = [*known, *asked]
            self._show_traffic(merged(task.host, values, self._with(known), now).part(task.host))
        taken = merged(task.host, values, self._with(entries), now)
        run = self._apply(taken.part(task.host), known, entries)
        if run.failed:
            return self._failure(run)
        left = [one for one in entries if parse_expiry(str(one["until"])) > now]
        ours = [*known, *entries]
        self._write(None, lambda others: [*left, *(one for one in others if one not in ours)])
        changed = bool(run.result.get("changed")) or entries != known
        result = {**run.result, "changed": changed, "postures_file": str(self._file.path)}
        run = run._replace(result=result, postures=taken.records())
        task.warn(*task.way_back(values, self._with(left), run, {"accept_risks": ACCEPT}))
        return run._replace(lines=[*self._lines(run, taken)])

    def _with(self, entries: Sequence[Any]) -> PostureEntries:
        """The postures of the variables, and these entries in the file."""
        own = self._task.own_entries(self._values)
        return [*own, *self._file.placed(self._task.host, entries)]

    def _ended(self, known: Sequence[dict[str, Any]], until: str) -> list[dict[str, Any]]:
        """The entries, of which those that are meant end at this time; raises ValueError if none
        is."""
        over, path = self._values[OVER], self._file.path
        own = [at for at, one in self._task.own_entries(self._values) if is_meant(over, one)]
        if not any(is_meant(over, one) for one in known):
            where = f"{path} has none of {self._task.host} that {OVER}={over} is about"
            where = where if path.exists() else f"{path} does not exist"
            pull = "If it was taken in another checkout, commit the file there, and git pull here."
            raise ValueError(f"There is no posture to end: {where}. {_end_there(own) or pull}")
        if own:
            self._task.warn(_end_there(own))
        risks = self._values.get(ACCEPT) or []
        return [
            {**one, "until": until, RISKS: [*(one.get(RISKS) or ()), *risks]}
            if is_meant(over, one)
            else one
            for one in known
        ]

    def _apply(self, part: Part, known: Sequence[Any], entries: Sequence[Any]) -> HostRun:
        task, check_mode = self._task, self._check_mode
        require_writable(self._file.path.parent)
        predicted: list[Mapping[str, Any]] = []
        runner = task.runner()

        def run_module(part: Part, check: bool) -> dict[str, Any]:
            result = runner.run_module(part, check)
            predicted.extend(result.get("operations") or () if check else ())
            return result

        take_snapshot = snapshots_in(
            self._directory(), task.host, part, runner.run_module, check_mode
        )

        def before_writing() -> str:
            names = [f"{item['action']} {_title(item)}" for item in predicted]
            task.tell(f"The run {'would' if check_mode else 'will'} {first_few(names)}.")
            path = take_snapshot() if take_snapshot else ""
            self._write(known, lambda _known: entries)
            return path

        approved = approved_plan(task.host, self._values)
        run = HostRunner(run_module).update(part, check_mode, approved, before_writing)
        task.warn(*task.shared_owners(run.result))
        return run

    def _directory(self) -> str:
        """The directory of snapshots; by default one that is no part of an inventory."""
        set_by_user = self._values.get(SNAPSHOT_DIRECTORY)
        sources = self._task.value("ansible_inventory_sources") or []
        here = any(os.path.isdir(item) and Path(item).resolve() == Path.cwd() for item in sources)
        return str(set_by_user or (f".{SNAPSHOTS}" if here else SNAPSHOTS))

    def _write(self, known: Any, change: Callable[[list[Any]], Any]) -> None:
        if self._check_mode:
            return
        try:
            self._file.write(self._task.host, known, change)
        except (OSError, ValueError) as exc:
            raise AnsibleError(f"{self._file.path} cannot be written: {exc}") from exc
        self._is_written = True

    def _failure(self, run: HostRun) -> HostRun:
        """A run that failed; one that lacks acceptances says all of them in a line to copy."""
        if self._is_written:
            goes_on = f"{self._file.path} is written, so that the next run of the baseline goes on."
            self._task.tell(goes_on)
            return run
        if not str(run.result.get("msg")).startswith(HAS_RISKS):
            return run
        risks = run.result.get("risks") or ()
        own = map(json.dumps, self._values.get(ACCEPT) or ())
        lacking = ", ".join(dict.fromkeys([*own, *map(acceptance_to_copy, risks)]))
        sentences = [f"{risk['code']}: {risk['message']}" for risk in risks]
        copied = shlex.quote(f"{{{ACCEPT}: [{lacking}]}}")
        add = f"If this is meant, run the same again with -e {copied} Nothing was changed."
        return run._replace(result={**run.result, "msg": " ".join([HAS_RISKS, *sentences, add])})

    def _show_traffic(self, part: Part) -> None:
        """Show who attacks, as far as the analytics know it; they never stop the run."""
        if not part.options.get("account_id"):
            return
        own = connection_options(part, TRAFFIC)
        asked = Part(TRAFFIC, {**own, "hours": MINUTES / 60, "top": HEAVIEST})
        result = self._task.runner().run_module(asked, False)
        for sentence in _traffic_lines(result):
            self._task.tell(sentence)

    def _lines(self, run: HostRun, taken: MergedHost) -> Iterator[str]:
        """Sentences on the state now: the objects in force, until when, and the work left."""
        if coverage := (run.result.get("coverage") or {}).get("after"):
            yield mitigated(coverage)
        for owner, titles in taken.titles.items():
            yield f"The {OWNERS[owner].title} has {first_few(dict.fromkeys(titles))} by postures."
        if not self._values[OVER] and self._values.get(LEVEL):
            yield UNREAD_LEVELS
        verb = "would hold" if self._check_mode else "holds"
        yield from (one.sentence(verb) for one in taken.postures)
        if not taken.postures:
            yield "No posture holds: the baseline alone counts."
        commit = "A run would write" if self._check_mode else "Commit"
        yield (
            f"{commit} {self._file.path}, and nothing else. A scheduled run from a checkout without"
            " it takes postures back, or is refused."
        )
        if run.snapshot:
            yield f"For the way back, {run.snapshot} has the state before (restore_file)."


def _end_there(places: Sequence[str]) -> str:
    where = f"{first_few(places)} stands in the variables; end it there, by its until."
    return where if places else ""


def _title(operation: Mapping[str, Any]) -> str:
    title, key = title_of_resource(operation["resource"]), operation["key"]
    return title if key == operation["resource"] else f"{title} {key}"


def _traffic_lines(result: Mapping[str, Any]) -> Iterator[str]:
    traffic = result.get("traffic") or {}
    top = traffic.get("top") or {"unknown": [str(result.get("msg"))]}
    lists = {
        title: [f"{item['value']} ({item['packets']})" for item in top.get(name) or ()]
        for name, title in TOP_TRAFFIC.items()
    }
    lists["reasons"] = [
        f"{reason} ({packets})"
        for component in (traffic.get("components") or {}).values()
        for reason, packets in component["reasons"].items()
    ]
    for title, items in lists.items():
        if items:
            yield f"Dropped, or would have been, in {MINUTES} minutes: {title} {first_few(items)}."
    if top["unknown"]:
        yield f"Not all of the traffic is known: {' '.join(top['unknown'])}"
