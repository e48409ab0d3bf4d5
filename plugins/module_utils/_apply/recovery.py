# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applies a plan to an end that can be reported: done, not done and why, or not known; and then a
second plan, for what others wrote meanwhile.

After a lost answer, and after a change that somebody else made meanwhile, the state is read and
planned again. Nothing is created a second time on the mere suspicion that it was not created
the first time.
"""

from __future__ import annotations

from typing import AbstractSet, Callable, Hashable, Iterator, NamedTuple, Protocol, Sequence, Union

from .._api.client import Client
from .._concurrency import concurrently
from .._errors import NOTHING_CHANGED, ProtectionError, ServiceError
from .._plan.plan import Operation, Plan
from .._plan.reconcile import PHASES
from .._schema.resource import Key, Object, Resource, State
from .._text import Warn, first_few, joined
from .dry_run import validate
from .executor import BrokenOff, apply_plan, changed_meanwhile
from .second_plan import (
    SecondPlan,
    Version,
    as_others_left,
    overwritten,
    putting_back,
    without_own_duplicates,
)

MOST_LOOKS = 5  # at a state that others go on to change


class Applied(NamedTuple):
    """The operations that were applied, and the state afterwards.

    `before` is the state as it was read again before anything was written; None if it was not.
    `created_ids` are the ids of the objects that were created. `put_back` are the operations of
    second plans that bring back changes of other writers.
    """

    operations: tuple[Operation, ...]
    state: State
    before: State | None = None
    created_ids: AbstractSet[str] = frozenset()
    put_back: tuple[Operation, ...] = ()


def predicted(plan: Plan, client: Client, is_validated: bool, warn: Warn) -> Applied:
    """The outcome of a plan that is not applied; if `is_validated`, Cloudflare validates it first.
    Raises ServiceError."""
    if is_validated:
        validate(plan, client, warn)
    return Applied(plan.operations, plan.after())


class LaterPlans(Protocol):
    """The plans that a run makes once its first one is being applied."""

    def plan_again(self) -> Plan:
        """The plan for what is left, after reading and checking again; raises ProtectionError."""

    def state_after(self, existing: State) -> State:
        """The state that the task makes of an existing state; raises PlanError."""

    def check_second(self, second: Plan) -> None:
        """Raise ProtectionError for a second plan that must not be applied."""


ApplyOutcome = Union[Applied, BrokenOff]


def renewed(plan: Plan, plan_again: Callable[[], Plan], client: Client, warn: Warn) -> Plan:
    """The plan, or a new one if another writer has made it obsolete; raises ProtectionError, before
    anything is written."""
    try:
        sentence = changed_meanwhile(plan, client)
        if not sentence:
            return plan
        warn(sentence)
        return plan_again()
    except ProtectionError as exc:
        raise exc.extended(NOTHING_CHANGED) from exc


def apply_to_end(
    plan: Plan, first_plan: Plan, later: LaterPlans, client: Client, warn: Warn
) -> ApplyOutcome:
    """The outcome of applying a plan and of settling what others wrote meanwhile. From the first
    write on, nothing is raised: whatever stops the run is a BrokenOff, which is returned.

    `first_plan` is the one that the run began with, if this one was made again.
    """
    try:
        applied = _apply(plan, later.plan_again, client, warn)
        if plan is not first_plan:
            applied = applied._replace(before=plan.before)
        return settle(first_plan, applied, later.state_after, later.check_second, client, warn)
    except BrokenOff as exc:
        return exc
    except Exception as exc:
        return BrokenOff(exc, (), (), plan.operations)


def _may_look(broken: BrokenOff, looks: int) -> bool:
    """Return whether it may help to read and plan again: once after a lost answer, and up to five
    times if other writers were faster; `looks` is how often it was done before."""
    is_known = isinstance(broken.cause, ServiceError) and not broken.cause.maybe_applied
    return broken.needs_reread and (looks == 0 or (looks < MOST_LOOKS and is_known))


def _apply(
    plan: Plan, plan_again: Callable[[], Plan], client: Client, warn: Warn, looks: int = 0
) -> Applied:
    """The outcome of a plan; after a lost answer, or if others were faster, what is left is planned
    and applied again. Warns of what Cloudflare refused, even if the state turns out as desired.
    Raises BrokenOff."""
    try:
        sent = apply_plan(plan, client, warn)
        return Applied(plan.operations, sent.after(plan), created_ids=sent.created_ids)
    except BrokenOff as exc:
        broken = exc
    if not _may_look(broken, looks):
        raise broken
    try:
        next_plan = plan_again()
    except Exception as exc:
        raise BrokenOff(exc, broken.done, broken.left, broken.unknown) from broken.cause
    needed = {operation.target for operation in next_plan.operations}
    found_done = [operation for operation in broken.unknown if operation.target not in needed]
    done = (*broken.done, *found_done)
    try:
        applied = _apply(next_plan, plan_again, client, warn, looks + 1)
    except BrokenOff as exc:
        _warn_of_refusals(broken, needed, warn, exc.cause)
        raise _joined_ends(broken, done, exc) from broken.cause
    _warn_of_refusals(broken, needed, warn)
    operations = done + applied.operations
    return Applied(operations, applied.state, created_ids=applied.created_ids | broken.created_ids)


def _joined_ends(broken: BrokenOff, done: Sequence[Operation], again: BrokenOff) -> BrokenOff:
    """The end of a plan that was broken off, and whose remaining operations were planned again and
    broken off as well, as `again` says."""
    # What Cloudflare has begun may end after it was read, and after its repetition was refused.
    begun = {operation.target for operation in broken.unknown if _runs_on(operation)}
    left: list[Operation] = []
    unknown = list(again.unknown)
    for operation in again.left:
        may_end = operation.target in begun
        (unknown if may_end else left).append(operation)
    return BrokenOff(again.cause, (*done, *again.done), left, unknown)


def _runs_on(operation: Operation) -> bool:
    """Return whether Cloudflare answers an operation before it has ended it."""
    return bool(operation.resource.write_for(operation.action).operation)


def _warn_of_refusals(
    broken: BrokenOff,
    needed: AbstractSet[object],
    warn: Warn,
    refusal: ProtectionError | None = None,
) -> None:
    """Warn of each refusal except for `refusal`, which is reported anyway, and say what was found
    by reading again; `needed` are the targets that the next plan still has."""
    by_answer: dict[Hashable, list[Operation]] = {}
    for operation, error in broken.refusals.items():
        by_answer.setdefault(error.answer, []).append(operation)
    for answer, operations in by_answer.items():
        if isinstance(refusal, ServiceError) and refusal.answer == answer:
            continue
        converged = [operation for operation in operations if operation.target not in needed]
        planned = [operation for operation in operations if operation.target in needed]
        error = broken.refusals[operations[0]]
        sentences = [error.message]
        if converged and not planned:  # so that nobody has to run again
            sentences = [f"{error.answer_in_words}."]
        if converged:
            labels = first_few([operation.label for operation in converged])
            sentences.append(f"Cloudflare has {labels} all the same, as the module has read.")
        if planned:
            labels = first_few([operation.label for operation in planned])
            sentences.append(f"The module read again and planned {labels} again.")
        warn(joined(" ", sentences))


MOST_SECOND_PLANS = 8  # as long as others go on to write


def settle(
    plan: Plan,
    applied: Applied,
    state_after: Callable[[State], State],
    check: Callable[[Plan], None],
    client: Client,
    warn: Warn,
) -> Applied:
    """The outcome of a plan after second plans have settled all that others wrote while it was
    applied; raises BrokenOff, and nothing else, since the plan is applied.

    `state_after` returns the state that the task makes of an existing one. `check` raises
    ProtectionError for a second plan that must not be applied.
    """
    left: Sequence[Operation] = ()
    meanwhile: ChangesMeanwhile | None = None
    try:
        meanwhile = ChangesMeanwhile(client, warn, plan, applied)
        for _round in range(MOST_SECOND_PLANS):
            left = ()
            second = meanwhile.second_plan(state_after)
            if not second.operations:
                return meanwhile.applied
            left = second.operations
            check(second)
            meanwhile.apply(second)
    except BrokenOff:
        raise
    except Exception as exc:
        done = (meanwhile.applied if meanwhile else applied).operations
        raise BrokenOff(exc, done, left, (), advice=NOT_PUT_BACK) from exc
    warn(
        f"Others went on to write, so that this run stops after {MOST_SECOND_PLANS} second plans."
        " A change of theirs may be lost; run again once nobody else writes."
    )
    return meanwhile.applied


NOT_PUT_BACK = (
    "Another run reads the state as it is now, and does not put back changes of another writer that"
    " are left."
)


class OvertakenList(NamedTuple):
    """An ordered list that others wrote as well: its versions, the keys of the objects that this
    run has changed, and `theirs`, the objects of the list as others left them."""

    resource: Resource
    versions: Sequence[Version]
    run_keys: AbstractSet[Key]
    theirs: Sequence[Object]

    @property
    def existing(self) -> Sequence[Object]:
        """The objects of the last version."""
        return self.versions[-1].objects

    def changed_by_both(self) -> Sequence[str]:
        """A sentence for each object that another writer changed, and this run as well."""
        resource, run_keys = self.resource, self.run_keys
        final: list[Object] = []
        for obj in self.existing:
            if resource.key_of(obj) in run_keys:
                final.append(obj)
        for obj in self.theirs:
            if resource.key_of(obj) not in run_keys:
                final.append(obj)
        return overwritten(resource, self.versions, final, run_keys)


class ChangesMeanwhile:
    """The changes by others between the reading of a plan and the end of its application, and the
    second plans that settle them; `applied` is the outcome so far, with these second plans."""

    def __init__(self, client: Client, warn: Warn, plan: Plan, applied: Applied) -> None:
        self.applied = applied
        self._client, self._warn, self._plan = client, warn, plan
        self._warned: set[str] = set()
        self._their_versions: dict[str, Sequence[int]] = {}  # by plural
        self._their_keys: dict[str, AbstractSet[Key]] = {}  # of what others left, by plural
        changed = (*plan.operations, *applied.operations)
        self._changed = {operation.target for operation in changed}
        self._desired: dict[str, dict[Key, Object]] = {}  # objects made by this run, by plural
        self._to_read: dict[str, Resource] = {}
        keys: dict[str, set[Key]] = {}  # created, or with a duplicate that was deleted
        for operation in applied.operations:
            resource = operation.resource
            if resource.has_duplicates and operation.action != "update":
                self._to_read[resource.plural] = resource
                keys.setdefault(resource.plural, set()).add(operation.key)
        for plural, resource in list(self._to_read.items()):
            objects = {resource.key_of(obj): obj for obj in applied.state[plural]}
            self._desired[plural] = {key: objects[key] for key in objects if key in keys[plural]}
            if not self._desired[plural]:
                del self._to_read[plural]

    def second_plan(self, state_after: Callable[[State], State]) -> Plan:
        """The plan that settles what others wrote; it has no operations if nothing is left to
        settle. Raises BrokenOff if it cannot be made.

        `state_after` returns the state that the task makes of an existing one.
        """
        seconds = list(self._plans_of_collections())
        lists = self._overtaken_lists()
        if lists:
            try:
                target = state_after(self._state_with(lists))
            except Exception as exc:
                raise self._not_put_back(seconds, lists, exc) from exc
            for overtaken in lists:
                seconds.append(self._plan_of_list(overtaken, target[overtaken.resource.plural]))
        operations: list[Operation] = []
        order: dict[str, Sequence[Key]] = {}
        for resource, second in seconds:
            for sentence in second.remarks:
                self._say(sentence)
            operations += second.operations
            if second.order:
                order[resource.plural] = second.order
        before = {**self._plan.before, **self.applied.state}
        operations.sort(key=lambda operation: PHASES.index(operation.action))
        return Plan(before, tuple(operations), order, unread=self._plan.unread)

    def _state_with(self, lists: Sequence[OvertakenList]) -> State:
        """The state after this run, with these lists as others left them."""
        theirs = {overtaken.resource.plural: overtaken.theirs for overtaken in lists}
        return {**self._plan.before, **self.applied.state, **theirs}

    def apply(self, plan: Plan) -> None:
        """Apply a second plan; raises BrokenOff.

        If other writers were faster, the lists are read again, and the next second plan settles
        their changes.
        """
        resources = [operation.resource for operation in plan.operations]
        collections = [resource for resource in resources if not resource.is_ordered]
        self._to_read = {resource.plural: resource for resource in collections}
        applied = self.applied
        put_back = [operation for operation in plan.operations if self._puts_back(operation)]
        try:
            sent = apply_plan(plan, self._client, self._warn)
        except BrokenOff as exc:
            if not exc.needs_reread:
                done = (*applied.operations, *exc.done)
                raise BrokenOff(exc.cause, done, exc.left, exc.unknown) from exc
            self.applied = applied._replace(created_ids=applied.created_ids | exc.created_ids)
            try:
                for resource in self._client.written.values():
                    self._client.read(resource)
            except ServiceError as unread:
                raise BrokenOff(unread, applied.operations, exc.left, exc.unknown) from exc
            return
        self.applied = applied._replace(
            state=sent.after(plan),
            created_ids=applied.created_ids | sent.created_ids,
            put_back=(*applied.put_back, *put_back),
        )

    def _plans_of_collections(self) -> Iterator[tuple[Resource, SecondPlan]]:
        """The second plans for collections in which Cloudflare accepts duplicates; each collection
        is read again."""
        resources, self._to_read = [*self._to_read.values()], {}
        for resource in resources:
            plural = resource.plural
            try:
                listing = self._client.read(resource)
            except ServiceError as exc:
                self._say(
                    f"Whether another writer created one of the {resource.titles} at the same time"
                    f" is not known: {exc.message}"
                )
                continue
            before = frozenset(str(obj.get("id")) for obj in self._plan.before[plural])
            state = _in_former_order(listing, self.applied.state[plural])
            self.applied = self.applied._replace(state={**self.applied.state, plural: state})
            desired, created_ids = self._desired[plural], self.applied.created_ids
            yield resource, without_own_duplicates(resource, desired, created_ids, state, before)

    def _overtaken_lists(self) -> list[OvertakenList]:
        """The ordered lists that others wrote as well; their last versions are put into
        `applied`."""
        lists: list[OvertakenList] = []
        for plural, resource in self._client.written.items():
            if not self._read_their_versions(resource):
                continue
            versions = self._versions(plural)
            run_keys = {key for name, key in self._changed if name == plural}
            theirs = as_others_left(resource, versions, run_keys)
            lists.append(OvertakenList(resource, versions, run_keys, theirs))
        state = {overtaken.resource.plural: overtaken.existing for overtaken in lists}
        self.applied = self.applied._replace(state={**self.applied.state, **state})
        return lists

    def _not_put_back(
        self,
        seconds: Sequence[tuple[Resource, SecondPlan]],
        lists: Sequence[OvertakenList],
        error: Exception,
    ) -> BrokenOff:
        """The end of a run for which no second plan can be made; warns of the versions that this
        run replaced, and of the changes in them that may be lost."""
        left: list[Operation] = []
        for _resource, second in seconds:
            left += second.operations
        for overtaken in lists:
            resource = overtaken.resource
            changes = putting_back(resource, overtaken.existing, overtaken.theirs).operations
            lost = [operation for operation in changes if operation.target not in self._changed]
            left += lost
            self._say(joined(" ", (self._replaced(resource), _lost_changes(lost))))
            for sentence in overtaken.changed_by_both():
                self._say(sentence)
        return BrokenOff(error, self.applied.operations, left, (), advice=NOT_PUT_BACK)

    def _plan_of_list(
        self, overtaken: OvertakenList, target: Sequence[Object]
    ) -> tuple[Resource, SecondPlan]:
        """The second plan for an ordered list: it makes the list the `target`, which the task makes
        of the list as others left it."""
        resource, plural = overtaken.resource, overtaken.resource.plural
        second = putting_back(resource, overtaken.existing, target)
        remarks = overwritten(resource, overtaken.versions, target, overtaken.run_keys)
        self._their_keys[plural] = {resource.key_of(obj) for obj in overtaken.theirs}
        put_back = [operation for operation in second.operations if self._puts_back(operation)]
        if put_back:
            remarks.insert(0, self._put_back_in_words(resource, put_back))
        return resource, second._replace(remarks=remarks)

    def _puts_back(self, operation: Operation) -> bool:
        """Return whether an operation brings back a change by others; a purge that deletes an
        object which they added does not."""
        resource = operation.resource
        their_keys = self._their_keys.get(resource.plural, ())
        is_purged = operation.action == "delete" and operation.key in their_keys
        return resource.is_ordered and not is_purged

    def _versions(self, plural: str) -> list[Version]:
        versions = self._client.versions[plural]
        return [
            Version(versions.known[number], number in versions.of_this_run)
            for number in sorted(versions.known)
        ]

    def _read_their_versions(self, resource: Resource) -> bool:
        """Read the versions of a list that others wrote and this run has not seen; return whether
        there are any. If they cannot be read, a warning says so."""
        versions = self._client.versions[resource.plural]
        numbers = versions.unknown
        # A second plan that was refused has read a version of others behind those of this run.
        theirs = [number for number in versions.known if number not in versions.of_this_run]
        is_last = (
            len(theirs) < 2
            or not versions.of_this_run
            or max(versions.known) in versions.of_this_run
        )
        if is_last and not numbers:
            return False
        read_version = self._client.read_version
        try:
            listings = list(concurrently(lambda number: read_version(resource, number), numbers))
        except ServiceError as exc:
            lowest, highest = min(versions.known), max(versions.known)
            versions.known = {highest: versions.known[highest]}
            self._say(
                f"The module read version {lowest} of the {resource.titles} and wrote version"
                f" {highest}; another writer made {_versions_in_words(numbers)}, which cannot be"
                f" read: {exc.message} A change of that writer may be lost."
            )
            return False
        versions.known.update(zip(numbers, listings))
        self._their_versions[resource.plural] = numbers or [max(versions.known)]
        return True

    def _put_back_in_words(self, resource: Resource, operations: Sequence[Operation]) -> str:
        labels = _changes_in_words(operations)
        return f"{self._replaced(resource)} The module puts back what that changed: {labels}."

    def _replaced(self, resource: Resource) -> str:
        """A sentence on the versions of other writers that this run has replaced."""
        their_versions = _versions_in_words(self._their_versions[resource.plural])
        return (
            f"Another writer made {their_versions} of the {resource.titles}, which this run"
            f" replaced by version {self._client.version(resource)}."
        )

    def _say(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warn(text)


def _lost_changes(operations: Sequence[Operation]) -> str:
    """A sentence on the changes of others that no second plan puts back."""
    if not operations:
        return "Changes of that writer may be lost."
    labels = _changes_in_words(operations)
    return f"The module does not put back what that changed: {labels}."


def _changes_in_words(operations: Sequence[Operation]) -> str:
    return first_few([f"{operation.action} {operation.label}" for operation in operations])


def _versions_in_words(numbers: Sequence[int]) -> str:
    """Numbers of versions in a sentence."""
    if len(numbers) == 1:
        return f"version {numbers[0]}"
    return f"the versions {numbers[0]} to {numbers[-1]}"


def _in_former_order(listing: Sequence[Object], before: Sequence[Object]) -> list[Object]:
    """A listing in the order of an earlier one; new objects last."""
    places = {str(obj.get("id")): index for index, obj in enumerate(before)}
    return sorted(listing, key=lambda obj: places.get(str(obj.get("id")), len(places)))
