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
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from ...module_utils._guard.acceptance import HAS_RISKS, acceptances_to_copy
from ...module_utils._schema.account import PREFIXES, TCP_KINDS
from ...module_utils._schema.resource import OWNERS, ZONE_OPTION, without
from ...module_utils._text import first_few
from ...module_utils._timestamps import parse_expiry, write_time
from .._baseline import variables as of_host
from .._baseline.host_task import HostTask
from .._baseline.posture import RISKS, TIMES, Changed, MergedHost, PostureFile, PostureObject
from .._baseline.results import AFTER_THE_RUN, HostRun, HostRunner, mitigated
from .._baseline.variables import PREFIX, Part, connection_options, names_owner
from .._export.snapshot import read_host
from .._files import require_writable
from .._variables import Mistakes, all_read, expiry_of, plain, sentences_of
from .options import (
    ATTACK,
    BLOCKED_BY,
    BLOCKING,
    LONGEST_ATTACK,
    NAMED_HERE,
    OWN_NETWORKS,
    SHORTEST_ATTACK,
    VALUES,
    asked_values,
    errors_of_attack,
    is_meant,
    which_end,
)
from .texts import in_words, named_by_nobody, threats

ASKED_BY = {  # by the part of an entry that comes of it
    **NAMED_HERE,
    "name": "attack_posture",
    "security_level": "attack_security_level",
    **dict.fromkeys(("custom_rules", "network_firewall_rules"), "attack_block"),
    **dict.fromkeys(("rules", "dns_rules"), "attack_mitigate"),
}
NO_DNS = "has no Advanced DNS Protection"  # in the words of a read that is refused
SNAPSHOTS = "snapshots"  # of a host that has no other directory of them
# Updates a host with these values to match a part, and does the last thing before it writes.
Begin = Callable[[Mapping[str, Any]], None]
Update = Callable[[Mapping[str, Any], Part, HostRunner, Begin], HostRun]
FileEntries = list[dict[str, Any]]


class Attack:
    """One run of the playbook on one host."""

    def __init__(self, task: HostTask, check_mode: bool, update: Update) -> None:
        self._task, self._check_mode, self._update = task, check_mode, update
        hosts = task.value("ansible_play_hosts_all") or [task.host]

        def options() -> dict[str, Any]:
            named, own = task.value(of_host.POSTURES) or {}, task.values(OWN_NETWORKS)
            check = partial(errors_of_attack, hosts, task.value("ansible_limit"), named, own)
            read: dict[str, Any] = plain(task.options(ATTACK, "attack_", check=check))
            return {**read, "over": which_end(read["over"])}

        self._options, checked = all_read(options, lambda: task.checked(of_host.OF_HOST))
        sources = task.value("ansible_inventory_sources") or []
        # In an inventory, Ansible reads folders whose names do not begin with a dot.
        is_here = any(os.path.isdir(one) and Path(one).resolve() == Path.cwd() for one in sources)
        directory = {of_host.SNAPSHOT_DIRECTORY: "." * is_here + SNAPSHOTS}
        self._values = {**directory, **checked}
        file = task.posture_file(self._values)
        if file is None:
            raise ValueError(
                "The inventory is no file, so the postures have no place; set"
                f" {of_host.POSTURES_FILE}, or name a file by -i."
            )
        self._file: PostureFile = file

    def run(self) -> HostRun:
        """Take the postures, or end some; raises ValueError for what is asked wrongly."""
        while True:
            try:
                return self._attempt()
            except Changed:
                self._task.tell(f"Another run has written {self._file.path}; this one plans again.")
            except ValueError as exc:
                if self._options["mitigate"] or NO_DNS not in str(exc):
                    raise
                others = ", ".join(TCP_KINDS)
                way = f"Set attack_mitigate: [{others}], which takes and enables these alone."
                raise ValueError(f"{exc} {way}") from exc

    def _attempt(self) -> HostRun:
        task, values, over = self._task, self._values, self._options["over"]
        known = self._file.of(task.host)
        rules, before = f"{PREFIX}{BLOCKED_BY[ZONE_OPTION]}", task.entries(values, known)
        # Something to read of a zone of which nothing is described.
        bare = {rules: values.get(rules) or []} if names_owner(values, ZONE_OPTION) else {}
        now, there = task.read_there({**values, **bare}, before, PREFIXES.plural)
        entries = self._ended(known, now) if over else taking(known, self._asked(now, there), now)
        asked_by = partial(self._asked_by, self._file.placed(task.host, entries)[len(known) :])
        try:
            taken = MergedHost(task.host, values, task.entries(values, entries), now)
            part = taken.part()
        except ValueError as exc:
            raise Mistakes(map(asked_by, sentences_of(exc))) from exc
        names = {name: asked_by(place) for name, place in part.names.items()}
        part = part.named({**names, **NAMED_HERE})
        earlier = MergedHost(task.host, values, before, now).added
        self._require_new(part, [one for key, one in taken.added.items() if key not in earlier])
        for text in threats(part, taken, self._run_quietly) if not over else ():
            task.tell(text)
        run = self._update(values, part, task.runner(), partial(self._begin, known, entries))
        if run.failed:
            return self._failure(run)
        if run.predicted:  # nothing is to be applied
            self._write(known, entries)
        left = [one for one in entries if parse_expiry(str(one["until"])) > now]
        with suppress(Changed):  # so that the ended ones go with the next run
            self._write(entries, left)
        changed = bool(run.result.get("changed")) or entries != known
        result = {**run.result, "changed": changed, "postures_file": str(self._file.path)}
        run = run._replace(result=result, postures=[one.record for one in taken.postures])
        task.warn(*task.way_back(values, task.entries(values, left), run, NAMED_HERE))
        return run._replace(lines=[*self._lines(run, taken)])

    def _asked(self, now: datetime, there: Mapping[str, Any]) -> FileEntries:
        """The entries that the options ask for at this time of Cloudflare; raises ValueError for a
        block of one's own, and if the host has nothing that they are for."""
        options, times = self._options, {"until": self._end(now), "since": now}
        beside = {name: write_time(time) for name, time in times.items()}
        beside.update({name: options[name] for name in ("reason", RISKS)})
        every = [{"name": options["posture"]}] if options["posture"] else []
        if any(options[name] for name in VALUES):
            every.append(asked_values(options, {**there, **self._values}))
        return [{**one, **{name: item for name, item in beside.items() if item}} for one in every]

    def _asked_by(self, new: Sequence[tuple[str, Any]], text: str) -> str:
        """The text with options in place of these entries, which are not in the file yet."""
        level = {} if self._options["mitigate"] else {"attack_mitigate": "attack_sensitivity"}
        for place, _entry in new:
            for part, option in ASKED_BY.items():
                within = rf"{re.escape(place)}\.{part}\b(\[\d+\])?"
                text = re.sub(within, level.get(option, option), text)
        return text

    def _require_new(self, part: Part, added: Sequence[PostureObject]) -> None:
        """Raises ValueError if objects are there already that these values alone name."""
        resources = [*{one.resource.plural: one.resource for one in added}.values()]
        state = read_host(resources, connection_options(part), self._run_quietly).objects
        if refusal := named_by_nobody(added, state, BLOCKING):
            raise ValueError(refusal)

    def _run_quietly(self, part: Part, check_mode: bool) -> dict[str, Any]:
        """The result of a module, whose warnings are not shown."""
        return self._task.runner(warn=lambda _text: None).run_module(part, check_mode)

    def _end(self, now: datetime) -> datetime:
        """The time until which a posture is to hold; raises ValueError."""
        if self._options["until"] is None:
            return now + timedelta(hours=self._options["hours"])
        until = expiry_of("attack_until", self._options["until"])
        shortest, longest = (timedelta(hours=one) for one in (SHORTEST_ATTACK, LONGEST_ATTACK))
        if not shortest <= until - now <= longest:
            raise ValueError(
                f"attack_until: {write_time(until)} is not between a minute and {LONGEST_ATTACK}"
                f" hours from now on, {write_time(now)} by Cloudflare's clock."
            )
        return until

    def _ended(self, known: FileEntries, now: datetime) -> FileEntries:
        """The entries, of which those that are meant end now; raises ValueError if none is."""
        over, path = self._options["over"], self._file.path
        own = [at for at, one in self._task.own_entries(self._values) if is_meant(over, one)]
        there = f"{first_few(own)} stands in the variables; end it there, by its until."
        if not any(is_meant(over, one) for one in known):
            where = f"{path} has none of {self._task.host} that attack_over={over} is about"
            where = where if path.exists() else f"{path} does not exist"
            pull = "If it was taken in another checkout, commit the file there, and git pull here."
            raise ValueError(f"There is no posture to end: {where}. {there if own else pull}")
        self._task.warn(*[there][: len(own)])
        risks, until = self._options["accept_risks"] or [], write_time(now)
        return [
            {**one, "until": until, RISKS: [*of_host.acceptances_in(one.get(RISKS)), *risks]}
            if is_meant(over, one)
            else one
            for one in known
        ]

    def _begin(
        self, known: FileEntries, entries: FileEntries, predicted: Mapping[str, Any]
    ) -> None:
        """Say what the run changes, and write the file before it changes anything."""
        verb = "would" if self._check_mode else "will"
        every = map(in_words, predicted["operations"])
        self._task.tell(f"The run {verb} {first_few(every)}.")
        self._write(known, entries)

    def _write(self, known: FileEntries, entries: FileEntries) -> None:
        """Write the entries of the host, in check mode only try whether it could be done; raises
        Changed, and AnsibleError."""
        try:
            require_writable(self._file.path.parent)
            if not self._check_mode:
                self._file.write(self._task.host, known, entries)
        except (OSError, ValueError) as exc:
            raise AnsibleError(f"{self._file.path} cannot be written: {exc}") from exc

    def _failure(self, run: HostRun) -> HostRun:
        """A run that failed; one that lacks acceptances says all of them in a line to copy."""
        message = str(run.result.get("msg"))
        if not run.predicted:
            goes_on = f"{self._file.path} is written, so that the next run of the baseline goes on."
            self._task.tell(goes_on)
        elif message.startswith(HAS_RISKS):
            own = map(json.dumps, self._options["accept_risks"] or ())
            acceptances = [*own]
            for risk in run.result.get("risks") or ():
                acceptances += acceptances_to_copy(risk)
            lacking = ", ".join(dict.fromkeys(acceptances))
            copied = shlex.quote(f"{{attack_accept_risks: [{lacking}]}}")
            message += f" Or run the same again with -e {copied}"
        return run._replace(result={**run.result, "msg": message})

    def _lines(self, run: HostRun, taken: MergedHost) -> Iterator[str]:
        """Sentences on the state after the run: the objects in force, until when, and the work
        left."""
        begin = AFTER_THE_RUN if self._check_mode else ""
        if coverage := (run.result.get("coverage") or {}).get("after"):
            yield f"{begin}{mitigated(coverage)}"
        for owner, titles in taken.titles.items():
            objects = first_few(dict.fromkeys(titles))
            yield f"{begin}The {OWNERS[owner].title} has {objects} by postures."
        yield from (f"{begin}{one.sentence()}" for one in taken.postures)
        if not taken.postures:
            yield f"{begin}No posture holds: the baseline alone counts."
        commit = "The run would write" if self._check_mode else "Commit"
        takes = (
            "with the old one takes the ended posture again, until its time"
            if self._options["over"]
            else "without it takes postures back, or is refused"
        )
        yield f"{commit} {self._file.path}. A scheduled run from a checkout {takes}."
        if taken.postures:
            yield "To end it, run this playbook with attack_over=true, or the reason or name."
        if run.snapshot:
            yield f"{run.snapshot} has the state before."


def taking(known: FileEntries, asked: FileEntries, now: datetime) -> FileEntries:
    """The entries of a host with those that are asked for. One that holds already, and differs in
    its times alone, lasts until the later end instead."""
    entries = [*known]
    for one in asked:
        for index, own in enumerate(known):
            holds = parse_expiry(str(own["until"])) > now
            if holds and without(own, *TIMES) == without(one, *TIMES):
                later = max(own["until"], one["until"], key=lambda end: parse_expiry(str(end)))
                entries[index] = {**own, "until": later}
                break
        else:
            entries.append(one)
    return entries
