# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A watched run of a host: after its last write it asks the analytics what the change stopped, and
sets the change back if that is too much, or if nobody knows.

The change is marked before the first write. No lock is held while it is watched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from typing import Any, NamedTuple

from ...module_utils._context import EXISTING, NOW, WATCH
from ...module_utils._errors import NOTHING_CHANGED
from ...module_utils._schema.registry import title_of_operation
from ...module_utils._schema.resource import fields_in
from ...module_utils._text import first_few
from ...module_utils._timestamps import read_timestamp, write_timestamp
from .._baseline.host_task import HostTask
from .._baseline.results import NOTHING_TO_DO, Begin, HostRun, PlanRefused
from .._baseline.variables import (
    CONFIRMED,
    SNAPSHOT_DIRECTORY,
    SNAPSHOTS,
    Part,
    connection_options,
    described_by,
)
from .._baseline.watch_terms import VARIABLE, WatchTerms, watch_terms
from .._export.host_state import predicted_state, read_host, read_part
from .follow import Follower, now_of
from .mark import CONFIRMED as IS_CONFIRMED
from .mark import SET_BACK, SETTING_BACK, WATCHING, WRITING, MarkFile, WatchMark
from .objects import may_stop, titles_of, watched_objects, why_not_watched
from .restore import set_back
from .sentences import figures_in_words, moment_of, set_back_in_words
from .verdict import EXCEEDED, NOT_KNOWN, WITHIN, WatchVerdict
from .wanted import WantedObject, additions_to, wanted_objects, writes_again

# Updates the host, and does the last thing before it writes.
Update = Callable[[Begin], HostRun]
BUSY = (
    "Another run watches a change of this host, which ends or is set back first. Run the same again"
    " after that."
)
TRIED_AGAIN = (
    "The next run of the baseline sets it back; the playbook restore takes the snapshot at once."
)
NO_SUCH_CHANGE = (
    "{variable}: {plan} names no watched change of this host, so that it confirms nothing. The mark"
    " of a watched change is {path}."
)
NOTHING_WATCHED = "Nothing of this change can stop traffic, so that nothing is watched."
WATCHED_MEANWHILE = (
    "Another run watches the change of {moment}, which stays or is set back at its end; this run"
    " has nothing to change."
)
KILLED = "A run with a watched change of {moment} did not come to its end."
STEP_REFUSED = (
    "A change was set back, and what waits would make it again: {reason} A later run is refused"
    " until the variables change, or -e baseline_confirmed={plan_id} says that it is meant."
)
HALF_BACK = "A run was killed while it set back its change of {moment}."
GOES_ON_WITH_IT = "The next run goes on with its watch."
ENDED_EARLY = "the run that watched it ended before its time, which is over."
BROKEN_OFF = "the run was killed while it wrote the change."
HAS_SET_BACK = "The run has set back what it changed"
SETS_BACK_EARLIER = "This run does nothing else than to set back what that one changed"
UNFINISHED_PLAN = "unfinished"  # in the record of a watch: its plan


class Earlier(NamedTuple):
    """The end of the watch of an earlier run: its record, and the run of the host if that does
    nothing else; both are None if there was no such watch."""

    record: Mapping[str, Any] | None = None
    run: HostRun | None = None


class WatchEnd(NamedTuple):
    """The end of a watch: its record, a message if the change does not stay, and the run that sets
    it back."""

    record: Mapping[str, Any]
    message: str = ""
    run: HostRun | None = None


def watched(
    task: HostTask,
    values: Mapping[str, Any],
    part: Part,
    check_mode: bool,
    update: Callable[[Mapping[str, Any], Begin], HostRun],
) -> HostRun:
    """The run of a host, watched if its variables ask for that or if an earlier watch has not
    ended. Raises ValueError for wrong variables."""
    terms = watch_terms(values.get(VARIABLE))
    directory = values.get(SNAPSHOT_DIRECTORY) or SNAPSHOTS
    try:
        file = MarkFile.of_host(directory, task.host, check_mode)
    except ValueError:
        if terms is not None:
            raise
        return update(values, _begin_nothing)  # a host without a file was never watched
    confirmed = str(values.get(CONFIRMED) or "")
    mark = file.read() if file.path.exists() else None
    if terms is None and mark is None:
        run = update(values, _begin_nothing)
    else:
        watch = WatchedRun(task, part, file, terms, confirmed, check_mode)
        run = watch.run(partial(update, {**values, SNAPSHOT_DIRECTORY: directory}))
    known = (mark.plan_id, run.result.get("plan_id")) if mark else ()
    if confirmed and confirmed not in known:
        task.warn(NO_SUCH_CHANGE.format(variable=CONFIRMED, plan=confirmed, path=file.path))
    return run


def _begin_nothing(_predicted: Mapping[str, Any]) -> None:
    """Begin a run that nobody watches."""


@dataclass(frozen=True)
class WatchedRun:
    """One run of a host with the mark of its watch; `terms` are None if the run is not to be
    watched itself."""

    task: HostTask
    part: Part
    file: MarkFile
    terms: WatchTerms | None
    confirmed: str
    check_mode: bool

    def run(self, update: Update) -> HostRun:
        """Update the host and watch that; end an earlier watch first, which a run left behind.
        Raises ValueError."""
        if self.check_mode:  # which holds nobody up
            return self._beside(update) if self.file.is_watched() else self._alone(update)
        with self.file.watching() as is_ours:
            return self._alone(update) if is_ours else self._beside(update)

    def _alone(self, update: Update) -> HostRun:
        """A run beside which nobody watches the host."""
        earlier = self._end_earlier()
        if earlier.run is not None:
            return earlier.run
        run = self._predicted(update) if self.check_mode else self._updated(update)
        self._tell_of_steps(run)
        is_shown = earlier.record is None or fields_in(run.result.get(WATCH)).get("plan_id")
        return run if is_shown else _with_record(run, earlier.record or {})

    def _updated(self, update: Update) -> HostRun:
        """The run with its watch."""
        run = update(self._begin)
        mark = self.file.read()
        is_begun = mark is not None and mark.status == WRITING
        return self._after(run, mark) if mark and is_begun else run

    def _predicted(self, update: Update) -> HostRun:
        """The prediction, with what the run would watch."""
        run = update(self._require_allowed)
        operations = run.result.get("operations") or ()
        if run.failed or self.terms is None or not operations:
            return run
        if self._is_confirmed(run.result):
            self.task.tell("The change is confirmed, and nobody would watch it.")
            return run
        stopping = [*filter(may_stop, operations)]
        if not stopping:
            self.task.tell(NOTHING_WATCHED)
            return run
        titles = first_few(map(title_of_operation, stopping))
        self.task.tell(f"The run would watch {titles} for {self.terms.minutes:g} minutes.")
        return _with_record(run, {**self.terms.record(), "set_back": False})

    def _beside(self, update: Update) -> HostRun:
        """A run beside one that watches: it confirms that one, or changes nothing."""
        mark = self.file.read()
        is_confirmed = mark is not None and self.confirmed == mark.plan_id
        if mark and is_confirmed:
            self.file.write(mark.with_status(IS_CONFIRMED))
            self.task.tell(f"The change of {moment_of(mark)} is confirmed.")

        def refuse(_predicted: Mapping[str, Any]) -> None:
            raise PlanRefused(f"{BUSY} {NOTHING_CHANGED}")

        run = update(refuse)
        if mark and not is_confirmed and not run.failed:
            self.task.warn(WATCHED_MEANWHILE.format(moment=moment_of(mark)))
        return _with_record(run, {UNFINISHED_PLAN: mark.plan_id}) if mark else run

    def _end_earlier(self) -> Earlier:
        """End the watch of a run that was killed: go on with it, or set its change back if its time
        is over. Raises ValueError."""
        mark = self.file.read()
        if mark is None or (mark.status == SET_BACK and not mark.in_force):
            return Earlier()
        if mark.status == IS_CONFIRMED or self.confirmed == mark.plan_id:
            if mark.status == SET_BACK:
                self.file.remove()
            else:
                self._end_mark(mark)
            self.task.tell(f"The change of {moment_of(mark)} is confirmed.")
            return Earlier({"plan_id": mark.plan_id, "confirmed": True, "set_back": False})
        if mark.status == SET_BACK:
            self.task.warn(mark.in_force_in_words)
            return Earlier()
        if mark.status == SETTING_BACK:
            self.task.warn(HALF_BACK.format(moment=moment_of(mark)))
            record = {**mark.terms.record(), "plan_id": mark.plan_id, "since": mark.written}
            return self._earlier_ended(self._set_back(mark, record, SETS_BACK_EARLIER))
        follower = self._follower(mark)
        now = now_of(follower.sample()) or datetime.now(timezone.utc)
        is_over = mark.after is None or mark.is_over(now)
        if self.check_mode and not is_over:
            self.task.warn(f"{KILLED.format(moment=moment_of(mark))} {GOES_ON_WITH_IT}")
            return Earlier({UNFINISHED_PLAN: mark.plan_id})
        self.task.warn(KILLED.format(moment=moment_of(mark)))
        reason = BROKEN_OFF if mark.status == WRITING else ENDED_EARLY
        over = WatchVerdict(NOT_KNOWN, unknown=[reason])
        verdict = over if is_over else follower.verdict()
        return self._earlier_ended(self._ended(mark, verdict, SETS_BACK_EARLIER))

    def _earlier_ended(self, end: WatchEnd) -> Earlier:
        """The end of an earlier watch. Unless its change stays, the run sets it back, fails, and
        does nothing else."""
        if not end.message:
            return Earlier(end.record)
        run = end.run or HostRun(NOTHING_TO_DO, self.check_mode)
        failure = {**run.result, "failed": True, "msg": end.message, WATCH: end.record}
        return Earlier(end.record, run._replace(result=failure, refusal=None))

    def _end_mark(self, mark: WatchMark, is_written: bool = True) -> None:
        """Remove the mark of a change that stays, except for what an earlier one left in force and
        this one has not written."""
        written = mark.operations if is_written else ()
        titles = {title_of_operation(operation) for operation in written}
        left = [title for title in mark.in_force if title not in titles]
        if left:
            self.file.write(mark.with_status(SET_BACK, in_force=left, wanted=()))
        else:
            self.file.remove()

    def _follower(self, mark: WatchMark) -> Follower:
        run_module = self.task.quiet_runner().run_module
        return Follower(self.part, run_module, self.file, mark, time.sleep)

    def _require_allowed(self, predicted: Mapping[str, Any]) -> None:
        """Raises PlanRefused for a plan that was set back, or that nobody could watch."""
        mark = self.file.read()
        operations = predicted["operations"]
        is_same = mark is not None and self._brings_back(mark, operations)
        if mark and is_same and self.confirmed not in _confirming(mark, predicted):
            raise PlanRefused(_why_set_back(mark, predicted))
        reason = why_not_watched(operations) if self.terms else ""
        if reason:
            raise PlanRefused(f"{reason} {NOTHING_CHANGED}")

    def _tell_of_steps(self, run: HostRun) -> None:
        """Warn of a step that waits for its time, and that a later run will refuse."""
        mark = self.file.read()
        if mark and mark.status == SET_BACK and mark.concerns(run.result.get("pending") or ()):
            self.task.warn(STEP_REFUSED.format(reason=mark.reason, plan_id=mark.plan_id))

    def _is_confirmed(self, predicted: Mapping[str, Any]) -> bool:
        """Return whether a plan makes a change again that was set back, and the run confirms it."""
        mark = self.file.read()
        if mark is None or mark.status != SET_BACK or not predicted.get("operations"):
            return False
        plan_id = str(predicted.get("plan_id"))
        is_same = plan_id == mark.plan_id or self._brings_back(mark, predicted["operations"])
        return is_same and self.confirmed in _confirming(mark, predicted)

    def _brings_back(self, mark: WatchMark, operations: Sequence[Mapping[str, Any]]) -> bool:
        """Return whether a plan makes a change again that was set back."""
        return mark.status == SET_BACK and writes_again(mark.wanted, self.part, operations)

    def _begin(self, predicted: Mapping[str, Any]) -> None:
        """Mark the change before its first write. Raises PlanRefused and ValueError."""
        self._require_allowed(predicted)
        if self._is_confirmed(predicted):
            self.file.remove()
            self.task.tell("The change is confirmed, and nobody watches it.")
            return
        if self.terms is None:
            return
        state = predicted_state(self.part, predicted)
        if state is None:
            state = read_part(self.part, self.task.runner().run_module)
        earlier = self.file.read()
        now = read_timestamp((predicted.get(EXISTING) or {}).get(NOW)) or state.now
        self.file.write(
            WatchMark(
                plan_id=str(predicted["plan_id"]),
                written=write_timestamp(now or datetime.now(timezone.utc)),
                terms=self.terms,
                operations=list(predicted["operations"]),
                wanted=wanted_objects(self.part, predicted["operations"]),
                before=state.objects,
                collections=[managed.resource.plural for managed in described_by(self.part)],
                reason=earlier.reason if earlier else "",
                in_force=earlier.in_force if earlier else (),
            )
        )

    def _after(self, run: HostRun, mark: WatchMark) -> HostRun:
        """The run with its watch to the end."""
        if run.failed and not run.result.get("done") and not run.result.get("unknown"):
            self._end_mark(mark, is_written=False)
            return run
        try:
            mark = self._written(run, mark)
        except ValueError as exc:
            message = (
                f"Nobody watches the change, since its zone cannot be read: {exc} {TRIED_AGAIN}"
            )
            return run._replace(result={**run.result, "failed": True, "msg": message})
        if not mark.watched:
            self._end_mark(mark)
            self.task.tell(NOTHING_WATCHED)
            return run
        self.file.write(mark)
        titles = first_few(titles_of(mark.watched))
        self.task.tell(f"The run watches {titles} for {mark.terms.minutes:g} minutes.")
        end = self._ended(mark, self._follower(mark).verdict(), HAS_SET_BACK)
        run = _with_record(run, end.record)
        if not end.message:
            return run
        message = f"{run.result['msg']} {end.message}" if run.failed else end.message
        return run._replace(result={**run.result, "failed": True, "msg": message})

    def _written(self, run: HostRun, mark: WatchMark) -> WatchMark:
        """The mark after the last write, with the state that it led to."""
        operations = run.result.get("operations") or mark.operations
        run_module = self.task.quiet_runner().run_module
        state = read_host(mark.resources, connection_options(self.part), run_module)
        written = write_timestamp(state.now) if state.now else mark.written
        plan_id = run.result.get("plan_id") or mark.plan_id
        mark = mark.with_status(
            WATCHING,
            plan_id=plan_id,
            operations=list(operations),
            wanted=wanted_objects(self.part, operations),
            after=state.objects,
            written=written,
            owners={**state.owners},
        )
        return mark.with_status(WATCHING, watched=watched_objects(mark.change))

    def _ended(self, mark: WatchMark, verdict: WatchVerdict, beginning: str) -> WatchEnd:
        """The end of a watch with this verdict; a change that does not stay is set back first, in
        check mode only predicted. `beginning` is that of the sentence on what was set back."""
        record = {**mark.terms.record(), "plan_id": mark.plan_id, "since": mark.written}
        record = {**record, **verdict.record(), "set_back": False, "staying": []}
        if verdict.outcome == WITHIN:
            self._end_mark(mark)
            self.task.tell(f"The change stays: {figures_in_words(mark, verdict)}")
            return WatchEnd({**record, "confirmed": True})
        reason = figures_in_words(mark, verdict)
        is_broken_off = mark.status == WRITING
        mark = mark.with_status(SETTING_BACK, reason=reason, wanted=_guilty(mark, verdict))
        return self._set_back(mark, record, beginning, is_broken_off)

    def _set_back(
        self,
        mark: WatchMark,
        record: Mapping[str, Any],
        beginning: str,
        is_broken_off: bool = False,
    ) -> WatchEnd:
        """The end of a change that is set back for the reason of its mark. If its run is broken
        off, it may have written nothing."""
        self.file.write(mark)
        restored = set_back(self.task, self.part, mark, self.check_mode)
        if is_broken_off and not restored.needed:
            self._end_mark(mark, is_written=False)
            return WatchEnd(record)
        is_set_back = not restored.failure and not restored.in_force
        record = {**record, "set_back": is_set_back, "staying": list(restored.staying)}
        if restored.failure:
            failure = f"The change could not be set back: {restored.failure}"
            return WatchEnd(record, f"{mark.reason} {failure} {TRIED_AGAIN}", restored.run)
        in_force = list(dict.fromkeys([*mark.in_force, *restored.in_force]))
        self.file.write(mark.with_status(SET_BACK, in_force=in_force))
        message = set_back_in_words(mark, mark.reason, restored, beginning)
        return WatchEnd(record, message, restored.run)


def _with_record(run: HostRun, record: Mapping[str, Any]) -> HostRun:
    return run._replace(result={**run.result, WATCH: dict(record)})


def _confirming(mark: WatchMark, predicted: Mapping[str, Any]) -> Sequence[str]:
    """The ids that confirm a plan which makes a change again that was set back: its own, and that
    of this change if the plan adds nothing to it."""
    plan_id = str(predicted.get("plan_id"))
    return [plan_id] if _additions(mark, predicted) else [plan_id, mark.plan_id]


def _additions(mark: WatchMark, predicted: Mapping[str, Any]) -> list[str]:
    """The titles of what may stop traffic after a plan, and was no part of a change that was set
    back."""
    added = additions_to(mark.operations, mark.wanted, predicted.get("operations") or ())
    return [*map(title_of_operation, added)]


def _why_set_back(mark: WatchMark, predicted: Mapping[str, Any]) -> str:
    """The reason why a plan is refused that makes a change again which was set back."""
    added = _additions(mark, predicted)
    name = predicted.get("plan_id") if added else mark.plan_id
    confirmation = f"add -e baseline_confirmed={name}"
    also = f", which confirms {first_few(added)} as well" if added else ""
    return (
        f"This change was set back: {mark.reason} Change the variables, or, if it is meant,"
        f" {confirmation}{also}. {NOTHING_CHANGED}"
    )


def _guilty(mark: WatchMark, verdict: WatchVerdict) -> Sequence[WantedObject]:
    """The objects that stopped too much, with what the variables wanted of them; all of the change
    if nobody knows which did."""
    guilty = {
        (figures.watched.resource, figures.watched.key)
        for figures in verdict.figures_of_source
        if figures.stopped and figures.watched.rule is not None and verdict.outcome == EXCEEDED
    }
    return [item for item in mark.wanted if not guilty or item.target in guilty]
