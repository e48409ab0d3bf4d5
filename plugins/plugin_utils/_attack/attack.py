# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook attack: a host takes postures, or ends some, in one plan.

An entry is in the file before the first write to Cloudflare, and an ended one goes after the last
one. If a run is killed in between, the next run of the baseline finishes its work.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from ...module_utils._context import WATCH
from ...module_utils._errors import NOTHING_CHANGED, OptionError
from ...module_utils._guard.acceptance import acceptance_text, acceptances_to_copy
from ...module_utils._schema.account import PREFIXES, TCP_KINDS
from ...module_utils._schema.products import sentence_on_lack
from ...module_utils._schema.registry import BY_PLURAL
from ...module_utils._schema.resource import ACCOUNT_OPTION, OWNERS, ZONE_OPTION, without
from ...module_utils._text import Move, Option, first_few
from ...module_utils._timestamps import write_time
from .._baseline import variables as of_host
from .._baseline.host_task import HostTask
from .._baseline.in_force import in_force
from .._baseline.merged_host import MergedHost, PostureObject
from .._baseline.posture import RISKS, PostureEntries
from .._baseline.posture_file import Changed, PostureFile
from .._baseline.results import AFTER_THE_RUN, Begin, HostRun, HostRunner, mitigated
from .._baseline.service_time import ReadFailed
from .._baseline.watch_terms import VARIABLE, watch_terms
from .._export.host_state import read_host
from .._files import require_writable
from .._variables import Mistakes, all_read, expiry_of, option_errors_of, plain
from .blocking import BLOCKED_BY, NETWORK_VARIABLES, OF_A_BLOCK
from .entries import FileEntries, entries_in_force, is_meant, taking, with_end
from .left_out import entries_without, host_options_of, refused_parts, values_without
from .options import (
    ATTACK,
    LONGEST_ATTACK,
    NAMED_HERE,
    SHORTEST_ATTACK,
    VALUES,
    asked_values,
    errors_of_attack,
    which_end,
)
from .texts import named_by_nobody, operation_in_words, threats

OPTIONS_WITH_RULES = ("rules", "dns_rules")
ASKED_BY = {  # by the part of an entry that comes of it
    **NAMED_HERE,
    "name": "attack_posture",
    "security_level": "attack_security_level",
    **dict.fromkeys(("custom_rules", "network_firewall_rules"), "attack_block"),
    **dict.fromkeys(OPTIONS_WITH_RULES, "attack_mitigate"),
}
# Nobody waits for the stages of a rollout while an attack runs, so that no message advises them.
NAMED_IN_RUNS = {**NAMED_HERE, "staged_rollout": ""}
# Updates a host with these values to match a part, and does the last thing before it writes.
UpdateToPart = Callable[[Mapping[str, Any], of_host.Part, HostRunner, Begin], HostRun]


WAY_OF_SENSITIVITY = (
    "attack_sensitivity alone is for the rules of all components. Set attack_mitigate:"
    f" [{', '.join(TCP_KINDS)}], which takes and enables these alone."
)


class Refused(Exception):
    """Raised if Cloudflare rejects a part of the host; the next attempt of the run leaves that part
    alone.
    """


class Attack:
    """One run of the playbook on one host."""

    def __init__(self, task: HostTask, check_mode: bool, update: UpdateToPart) -> None:
        self._task = task
        self._check_mode = check_mode
        self._update = update
        self._options, checked = all_read(self._read_options, lambda: task.checked(of_host.OF_HOST))
        sources = task.value("ansible_inventory_sources") or []
        checked = without(checked, of_host.ONLY_VARIABLE)  # which is of schedules
        self._values = {of_host.SNAPSHOT_DIRECTORY: _snapshot_directory(sources), **checked}
        file = task.posture_file(self._values)
        if file is None:
            raise ValueError(
                "The inventory is no file, so the postures have no place; set"
                f" {of_host.POSTURES_FILE}, or name a file by -i."
            )
        self._file: PostureFile = file
        self._left_alone: dict[str, str] = {}  # by option, the sentence that says why
        self._begun: tuple[FileEntries, FileEntries] | None = None  # the file, before and after

    def _read_options(self) -> dict[str, Any]:
        """The options of the playbook; raises Mistakes."""
        task = self._task
        check = partial(
            errors_of_attack,
            task.value("ansible_play_hosts_all") or [task.host],
            task.value("ansible_limit"),
            task.value(of_host.POSTURES) or {},
            task.values(NETWORK_VARIABLES),
        )
        options: dict[str, Any] = plain(task.options(ATTACK, "attack_", check=check))
        watch_terms(options["watch"], "attack_watch")
        return {**options, "over": which_end(options["over"])}

    def run(self) -> HostRun:
        """Take the postures that the options name, or end some. Raises ValueError for options that
        ask for something wrong.
        """
        while True:
            try:
                return self._attempt()
            except Changed:
                self._task.tell(f"Another run has written {self._file.path}; this one plans again.")
            except Refused:
                continue
            except ReadFailed as exc:
                if not self._leaves_alone(str(exc), {"error": exc.error}):
                    raise

    def _attempt(self) -> HostRun:
        """One attempt, beginning with the file as it is now. Raises Changed if another run writes
        the file meanwhile, and Refused if Cloudflare rejects a part of the host.
        """
        task, values = self._task, values_without(self._values, [*self._left_alone])
        existing = self._file.entries_of(task.host)
        earlier_entries = self._entries(values, existing)
        now, state = task.read_service(
            {**values, **self._zone_to_read()}, earlier_entries, PREFIXES.plural
        )
        taken_before = self._taken_before(existing)
        entries = self._new_entries(taken_before, now, state)
        asked_by = self._naming_options(entries, len(taken_before))
        try:
            merged = MergedHost(task.host, values, self._entries(values, entries), now)
            part = merged.part(asked_by).named(NAMED_IN_RUNS)
        except ValueError as exc:
            raise Mistakes(error.moved(asked_by) for error in option_errors_of(exc)) from exc
        earlier = MergedHost(task.host, values, earlier_entries, now)
        self._require_new(part, _added_since(earlier, merged))
        self._require_known(merged, part)
        if not self._options["over"]:
            for text in threats(part, merged, self._task.quiet_runner().run_module):
                task.tell(text)

        def begin(predicted: Mapping[str, Any]) -> None:
            self._require_taken_here(merged, predicted["operations"])
            self._begin(existing, entries, predicted)

        watched = {**values, VARIABLE: self._options["watch"]}
        run = self._update(watched, part, task.runner(), begin)
        if run.failed:
            if self._leaves_alone(run.reason, run.result):
                raise Refused
            return self._failure(run)
        if run.predicted:  # nothing is to be applied
            self._write(existing, entries)
        remaining = entries_in_force(entries, now)
        with suppress(Changed):  # so that the ended ones go with the next run
            self._write(entries, remaining)
        run = self._with_file(run, merged, is_written=entries != existing)
        task.warn(*task.way_back(values, self._entries(values, remaining), run, NAMED_IN_RUNS))
        return run._replace(lines=[*self._lines(run, merged)])

    def _entries(self, values: Mapping[str, Any], entries: FileEntries) -> PostureEntries:
        """The entries of postures in the variables and in the file, without the parts that this run
        leaves alone.
        """
        return entries_without(self._task.entries(values, entries), [*self._left_alone])

    def _taken_before(self, existing: FileEntries) -> FileEntries:
        """The entries of the file as they were before an earlier attempt of this run wrote its
        own."""
        if self._begun and self._begun[1] == existing:
            return self._begun[0]
        return existing

    def _leaves_alone(self, reason: str, result: Mapping[str, Any]) -> bool:
        """Note the part that Cloudflare rejects, with a warning, so that the next attempt leaves it
        alone. Returns False if the run failed for another reason, or if it ends postures, since all
        parts of a posture have to end.
        """
        if self._options["over"]:
            return False
        resources = refused_parts(result.get("error"), result.get("left") or ())
        options = [
            option for option in host_options_of(resources) if option not in self._left_alone
        ]
        if not options:
            return False
        titles = first_few(
            resource.titles if resource.key else resource.title for resource in resources
        )
        text = f"The run leaves the {titles} alone, since Cloudflare refuses them: {reason}"
        self._left_alone.update(dict.fromkeys(options, text))
        self._task.warn(text)
        return True

    def _zone_to_read(self) -> dict[str, Any]:
        """An empty collection of the zone as a variable, so that the zone is read even if no
        variable describes anything of it; no variable if the host has no zone.
        """
        if not of_host.names_owner(self._values, ZONE_OPTION):
            return {}
        variable = f"{of_host.PREFIX}{BLOCKED_BY[ZONE_OPTION]}"
        return {variable: self._values.get(variable) or []}

    def _new_entries(
        self, existing: FileEntries, now: datetime, state: Mapping[str, Any]
    ) -> FileEntries:
        """The entries of the host as they are after the run; raises ValueError for options that ask
        for something wrong.
        """
        if self._options["over"]:
            return self._ended(existing, now)
        return taking(existing, self._asked(now, state), now)

    def _naming_options(self, entries: FileEntries, existing: int) -> Move:
        """A function for error messages: it replaces an option of a new entry by the option of the
        playbook that caused it. New are the entries after the first `existing` ones.
        """
        placed = self._file.placed(self._task.host, entries)
        places = [place for place, _entry in placed[existing:]]
        return partial(self._asked_by, places)

    def _with_file(self, run: HostRun, merged: MergedHost, is_written: bool) -> HostRun:
        """The run with the file and the postures in its result; it counts as changed if it wrote
        the file.
        """
        result = {
            **run.result,
            "changed": bool(run.result.get("changed")) or is_written,
            "postures_file": str(self._file.path),
        }
        records = [posture.record for posture in merged.postures]
        return run._replace(result=result, postures=records)

    def _asked(self, now: datetime, state: Mapping[str, Any]) -> FileEntries:
        """The entries for what the options ask, from `now` on (Cloudflare's clock). Raises
        ValueError for a block that is wrong, for example of the user's own address, and if the host
        has nothing that these options could change.
        """
        options = self._options
        about = {
            "until": write_time(self._end(now)),
            "since": write_time(now),
            "reason": options["reason"],
            RISKS: options["accept_risks"],
        }
        about = {name: value for name, value in about.items() if value}
        entries = []
        if options["posture"]:
            entries.append({"name": options["posture"], **about})
        if any(options[name] for name in VALUES):
            host = {**state, **self._values}
            values = without(asked_values(options, host, about["until"]), *self._left_alone)
            if not values:
                raise ValueError(" ".join(dict.fromkeys(self._left_alone.values())))
            entries.append({**values, **about})
        return entries

    def _asked_by(self, places: Sequence[Option], option: Option) -> Option:
        """The option of the playbook that caused an option of a new entry; any other option is
        returned as it is.
        """
        place = next((place for place in places if option.lies_in(place)), option)
        name, *steps = option.path[len(place) :] or ("",)
        if name not in ASKED_BY:
            return option
        asked_by = ASKED_BY[str(name)]
        if name in OPTIONS_WITH_RULES and not self._options["mitigate"]:
            asked_by = "attack_sensitivity"
        return Option(asked_by, *(steps[1:] if steps and isinstance(steps[0], int) else steps))

    def _require_new(self, part: of_host.Part, added: Sequence[PostureObject]) -> None:
        """Raise ValueError if an object exists already that nothing but this posture names, since
        the end of the posture would delete it.
        """
        plurals = {(target.resource.parent or target.resource).plural for target in added}
        resources = [BY_PLURAL[plural] for plural in sorted(plurals)]
        connection = of_host.connection_options(part)
        state = read_host(resources, connection, self._task.quiet_runner().run_module)
        self._leave_missing_firewall(state.lacking)
        if refusal := named_by_nobody(added, state.objects, OF_A_BLOCK):
            raise ValueError(refusal)

    def _leave_missing_firewall(self, lacking: Sequence[str]) -> None:
        """Raise Refused if the account lacks the product whose rules would block the sources, which
        the zone blocks all the same; `lacking` are the titles of missing products.
        """
        option = BLOCKED_BY[ACCOUNT_OPTION]
        rules = BY_PLURAL[option]
        if rules.product in lacking and not self._options["over"]:
            sentence = sentence_on_lack(rules.product)
            self._left_alone[option] = f"The run leaves the {rules.titles} alone: {sentence}"
            raise Refused

    def _require_taken_here(
        self, merged: MergedHost, operations: Sequence[Mapping[str, Any]]
    ) -> None:
        """Raise ValueError if the plan ends a prepared posture that is in force but has no entry in
        this file: another checkout may have taken it.
        """
        titles = [*merged.taken_elsewhere(operations)]
        if titles:
            raise ValueError(
                f"The run would take back {first_few(titles)}, which a prepared posture sets, and"
                f" {self._no_entry()} If nobody has taken it, run the baseline first, which takes"
                f" it back. {NOTHING_CHANGED}"
            )

    def _require_known(self, merged: MergedHost, part: of_host.Part) -> None:
        """Raise ValueError if a prepared posture is in force at Cloudflare that has no entry in the
        file.
        """
        try:
            targets = in_force(merged, part, self._task.quiet_runner().run_module)
        except ReadFailed as exc:
            self._task.warn(f"Nobody knows whether a prepared posture is in force: {exc}")
            return
        if targets:
            raise ValueError(
                f"{first_few(target.title for target in targets)} is there as a prepared posture"
                f" sets it, and {self._no_entry()} If nobody has taken it, add it"
                f" to the variables of the host, or delete it. {NOTHING_CHANGED}"
            )

    def _no_entry(self) -> str:
        """The end of a sentence about a posture that has no entry in the file: who may have taken
        it, and what to do.
        """
        return (
            f"{self._file.path} has no entry of it. If it was taken in another checkout, commit the"
            " file there, git pull here, and run the same again."
        )

    def _end(self, now: datetime) -> datetime:
        """The time at which a new posture ends; raises ValueError."""
        if self._options["until"] is None:
            return now + timedelta(hours=self._options["hours"])
        until = expiry_of(Option("attack_until"), self._options["until"])
        shortest = timedelta(hours=SHORTEST_ATTACK)
        longest = timedelta(hours=LONGEST_ATTACK)
        if not shortest <= until - now <= longest:
            problem = (
                f"{write_time(until)} is not between a minute and {LONGEST_ATTACK} hours from now"
                f" on, {write_time(now)} by Cloudflare's clock"
            )
            raise Mistakes([OptionError(Option("attack_until"), problem)])
        return until

    def _ended(self, existing: FileEntries, now: datetime) -> FileEntries:
        """The entries, of which those that attack_over selects end `now`; raises ValueError if it
        selects none.
        """
        over = self._options["over"]
        placed = self._task.variable_entries(self._values)
        in_variables = [str(place) for place, entry in placed if is_meant(over, entry)]
        advice = f"{first_few(in_variables)} stands in the variables; end it there, by its until."
        if not any(is_meant(over, entry) for entry in existing):
            pull = "If it was taken in another checkout, commit the file there, and git pull here."
            if self._file.path.exists():
                pull = f"It may have ended already. {pull}"
            reason = self._nothing_to_end(over)
            raise ValueError(f"{reason} {advice if in_variables else pull}")
        if in_variables:
            self._task.warn(advice)
        risks = self._options["accept_risks"] or []
        return with_end(existing, over, write_time(now), risks)

    def _nothing_to_end(self, over: str) -> str:
        path = self._file.path
        if not path.exists():
            return f"There is no posture to end: {path} does not exist."
        entries = f"none of {self._task.host} that attack_over={over} is about"
        return f"There is no posture to end: {path} has {entries}."

    def _begin(
        self, existing: FileEntries, entries: FileEntries, predicted: Mapping[str, Any]
    ) -> None:
        """Tell the user what the run changes, and write the file before anything changes at
        Cloudflare.
        """
        self._begun = self._taken_before(existing), entries
        verb = "would" if self._check_mode else "will"
        operations = first_few(map(operation_in_words, predicted["operations"]))
        self._task.tell(f"The run {verb} {operations}.")
        self._write(existing, entries)

    def _write(self, existing: FileEntries, entries: FileEntries) -> None:
        """Write the entries of the host; in check mode only check whether the file can be written.
        Raises Changed if another run wrote it meanwhile, and AnsibleError if it cannot be written.
        """
        try:
            require_writable(self._file.path.parent)
            if not self._check_mode:
                self._file.write(self._task.host, existing, entries)
        except (OSError, ValueError) as exc:
            raise AnsibleError(f"{self._file.path} cannot be written: {exc}") from exc

    def _failure(self, run: HostRun) -> HostRun:
        """A failed run. If acceptances are missing, a line to copy with all of them is shown,
        and the message refers to that line."""
        if not run.predicted and self._begun and run.result.get(WATCH, {}).get("set_back"):
            taken_before, taken = self._begun
            self._write(taken, taken_before)
            self._task.tell(f"{self._file.path} is as it was before.")
            return run
        if not run.predicted:
            goes_on = f"{self._file.path} is written, so that the next run of the baseline goes on."
            self._task.tell(goes_on)
            return run
        if self._options["sensitivity"] and not (run.refusal or self._options["mitigate"]):
            self._task.tell(WAY_OF_SENSITIVITY)
        if not (run.refusal and run.refusal["lacks_acceptances"]):
            return run
        option = shlex.quote(f"{{attack_accept_risks: [{self._acceptances(run)}]}}")
        # Ansible shows the message as JSON, in which quotes are not those of a shell.
        self._task.tell_whole(f"To accept the risks, run the same again with -e {option}")
        message = f"{run.result['msg']} The line above says how to accept the risks."
        return run._replace(result={**run.result, "msg": message})

    def _acceptances(self, run: HostRun) -> str:
        """The acceptances of the task, together with those that the refused risks need, as YAML to
        copy.
        """
        acceptances = [*map(acceptance_text, self._options["accept_risks"] or ())]
        for risk in run.result.get("risks") or ():
            acceptances += acceptances_to_copy(risk)
        return ", ".join(dict.fromkeys(acceptances))

    def _lines(self, run: HostRun, merged: MergedHost) -> Iterator[str]:
        """Sentences on the state after the run: the objects in force, the parts left alone, the
        postures with their ends, and what to do next."""
        begin = AFTER_THE_RUN if self._check_mode else ""
        if coverage := (run.result.get("coverage") or {}).get("after"):
            yield f"{begin}{mitigated(coverage)}"
        for owner, titles in merged.titles.items():
            objects = first_few(dict.fromkeys(titles))
            yield f"{begin}The {OWNERS[owner].title} has {objects} by postures."
        yield from dict.fromkeys(self._left_alone.values())
        for posture in merged.postures:
            yield f"{begin}{posture.sentence()}"
        if not merged.postures:
            yield f"{begin}No posture holds: the baseline alone counts."
        yield self._advice_on_file()
        if merged.postures:
            yield "To end it, run this playbook with attack_over=true, or the reason or name."
        if run.snapshot:
            yield f"{run.snapshot} has the state before."

    def _advice_on_file(self) -> str:
        """The reason why the file belongs into version control."""
        commit = "The run would write" if self._check_mode else "Commit"
        effect = "without it takes postures back, or is refused"
        if self._options["over"]:
            effect = "with the old one takes the ended posture again, until its time"
        return f"{commit} {self._file.path}. A scheduled run from a checkout {effect}."


def _snapshot_directory(sources: Iterable[str]) -> str:
    """The directory of snapshots; in an inventory its name begins with a dot, since Ansible
    reads all other folders there."""
    working_folder = Path.cwd()
    for source in sources:
        path = Path(source)
        if path.is_dir() and path.resolve() == working_folder:
            return f".{of_host.SNAPSHOTS}"
    return of_host.SNAPSHOTS


def _added_since(earlier: MergedHost, merged: MergedHost) -> list[PostureObject]:
    """The objects that only postures name, and that the earlier postures did not name."""
    return [target for identity, target in merged.added.items() if identity not in earlier.added]
