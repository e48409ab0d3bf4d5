# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook attack: a host takes a posture, or ends it, in one plan.

The file is there before the first write to Cloudflare, and goes after the last one. If a run is
killed in between, the next run of the baseline finishes its work.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...module_utils._guard.terms import HAS_RISKS, acceptance_to_copy
from ...module_utils._schema.registry import title_of_resource
from ...module_utils._text import first_few
from ...module_utils._timestamps import parse_expiry
from .._baseline.approval import approved_plan
from .._baseline.host_task import HostRun, HostRunner, HostTask
from .._baseline.posture import merged, time_there
from .._baseline.variables import OF_HOST, POSTURE, SNAPSHOT_DIRECTORY, Part, connection_options
from .._export.snapshot import snapshots_in
from .._files import require_writable
from .file import posture_file
from .variables import (
    ACCEPT,
    ATTACK,
    LEVEL,
    OVER,
    asked_posture,
    check_options,
    holds,
    last_posture,
    next_posture,
    read_options,
)

MINUTES = 15  # of traffic that are shown
HEAVIEST = 5
FAR = "9999-12-30"  # the end of a posture until Cloudflare's time is known
SNAPSHOTS = "snapshots"  # of a host that has no other directory of them
TOP_TRAFFIC = {"source_networks": "networks", "sources": "sources", "asns": "AS", "ports": "ports"}
CHECKOUTS = "A scheduled run from a checkout without it takes the posture back, or is refused."
UNREAD_LEVELS = (
    "Configuration rules and page rules may set another security level for some requests, and"
    " nobody here can read them."
)


class Attack:
    """One run of the playbook on one host."""

    def __init__(self, task: HostTask, variables: Iterable[str], check_mode: bool) -> None:
        self._task, self._check_mode = task, check_mode
        self._values = {**task.checked(OF_HOST), **read_options(task.values(ATTACK), variables)}
        hosts = task.value("ansible_play_hosts_all") or [task.host]
        check_options(self._values, hosts, task.value("ansible_limit"))
        self._file = posture_file(task.value("inventory_dir"), task.host)
        self._is_written = False

    def run(self) -> HostRun:
        """Take the posture, or end it; raises ValueError for what is asked wrongly."""
        values, task = self._values, self._task
        written = self._written()
        if values.get(OVER) and not written:
            raise ValueError(f"There is no posture to end: {self._file.path} does not exist.")
        posture = dict(written or {}) if values.get(OVER) else asked_posture(values)
        during = {**values, POSTURE: {**posture, "until": FAR}}
        part = merged(task.host, during, lambda _until: True).part(task.host)
        now = time_there(part, task.runner().run_module)
        if values.get(OVER):
            return self._apply(last_posture(values, posture, now))
        posture = next_posture(values, posture, self._file.path, written or {}, now)
        if written and holds(written, parse_expiry(posture["until"])):
            task.warn(f"The posture held until {written['until']}, and all of it ends earlier now.")
        self._show_traffic(part)
        return self._apply(posture)

    def _written(self) -> dict[str, Any] | None:
        """The posture in the file; raises ValueError for a posture that something else sets."""
        written, posture = self._file.read(), self._values.get(POSTURE)
        if posture and not written:
            raise ValueError(
                f"{POSTURE} is set elsewhere, and attack writes {self._file.path} alone. Change it"
                " there, or remove it and run again."
            )
        return written

    def _apply(self, posture: Mapping[str, Any]) -> HostRun:
        task, check_mode = self._task, self._check_mode
        values = {**self._values, POSTURE: posture}
        taken = task.merged_in_silence(values)
        if taken.posture and not values.get(OVER):
            task.tell(taken.posture.sentence("would hold" if check_mode else "holds"))
        part = taken.part(task.host)
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
            self._show(predicted)
            path = take_snapshot() if take_snapshot else ""
            self._write(posture)
            return path

        approved = approved_plan(task.host, values)
        run = HostRunner(run_module).update(part, check_mode, approved, before_writing)
        run = run._replace(posture=taken.posture and taken.posture.record())
        task.warn(*task.shared_owners(run.result))
        if run.failed:
            return self._failure(run)
        self._write(posture)
        task.warn(*task.way_back(values, taken, run, {"accept_risks": ACCEPT}))
        self._end()
        return run

    def _directory(self) -> str:
        """The directory of snapshots; by default one that is no part of an inventory."""
        set_by_user = self._values.get(SNAPSHOT_DIRECTORY)
        sources = self._task.value("ansible_inventory_sources") or []
        here = any(os.path.isdir(item) and Path(item).resolve() == Path.cwd() for item in sources)
        return str(set_by_user or (f".{SNAPSHOTS}" if here else SNAPSHOTS))

    def _write(self, posture: Mapping[str, Any]) -> None:
        if self._check_mode or self._is_written:
            return
        note = self._file.note
        self._file.write(posture)
        self._is_written = True
        if note:
            self._task.tell(note)

    def _end(self) -> None:
        """Take the file of a posture away that is over, and say what is left to do."""
        path, over = self._file.path, self._values.get(OVER)
        would = "would be" if self._check_mode else "is"
        if over and not self._check_mode:
            self._file.remove()
        if not over and self._values.get(LEVEL):
            self._task.tell(UNREAD_LEVELS)
        self._task.tell(
            f"The posture is over, and {path} {would} gone. Commit that."
            if over
            else f"The posture {would} in {path}. Commit it. {CHECKOUTS}"
        )

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

    def _show(self, operations: list[Mapping[str, Any]]) -> None:
        names = [f"{item['action']} {_title(item)}" for item in operations]
        self._task.tell(f"The run {'would' if self._check_mode else 'will'} {first_few(names)}.")

    def _show_traffic(self, part: Part) -> None:
        """Show who attacks, as far as the analytics know it; they never stop the run."""
        if not part.options.get("account_id"):
            return
        options = {**connection_options(part), "hours": MINUTES / 60, "top": HEAVIEST}
        result = self._task.runner().run_module(Part("protection_traffic_info", options), False)
        for sentence in _traffic_lines(result):
            self._task.tell(sentence)


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
