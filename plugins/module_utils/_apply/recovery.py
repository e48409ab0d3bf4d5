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

from typing import (
    AbstractSet,
    Callable,
    Hashable,
    Iterator,
    Mapping,
    NamedTuple,
    Protocol,
    Sequence,
    Union,
)

from .._api.client import Client
from .._concurrency import concurrently
from .._errors import NOTHING_CHANGED, ProtectionError, ServiceError
from .._plan.plan import Operation, Plan
from .._plan.reconcile import PHASES
from .._schema.resource import Key, Object, Resource, State
from .._text import Warn, first_few, joined
from .executor import BrokenOff, apply_plan, changed_meanwhile, dry_run
from .second_plan import (
    Second,
    Version,
    as_others_left,
    overwritten,
    putting_back,
    without_own_duplicates,
)

MOST_LOOKS = 5  # at a state that others go on to change


class Applied(NamedTuple):
    """The operations that were applied, and the state afterwards.

    `before` is the state that a second look found, where nothing had been written until then.
    `made` are the ids of the objects that were created. `put_back` are the operations of a second
    plan, on what others wrote meanwhile.
    """

    operations: tuple[Operation, ...]
    state: State
    before: State | None = None
    made: AbstractSet[str] = frozenset()
    put_back: tuple[Operation, ...] = ()


def predicted(plan: Plan, client: Client, is_validated: bool) -> Applied:
    """The end of a plan that is not applied; Cloudflare may validate it before. Raises
    ServiceError."""
    if is_validated:
        dry_run(plan, client)
    return Applied(plan.operations, plan.after())


class LaterPlans(Protocol):
    """The plans that a run makes once its first one is being applied."""

    def plan_again(self) -> Plan:
        """Read, plan and check what is left; raises ProtectionError."""

    def state_after(self, existing: State) -> State:
        """The state that the task makes of another one; raises PlanError."""

    def check_second(self, second: Plan) -> None:
        """Raises ProtectionError for a second plan that must not be applied."""


Outcome = Union[Applied, BrokenOff]


def renewed(plan: Plan, plan_again: Callable[[], Plan], client: Client, warn: Warn) -> Plan:
    """The plan, made again if another writer has made it obsolete; raises ProtectionError, before
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
) -> Outcome:
    """Apply a plan, and settle what others wrote meanwhile. From the first write on, nothing is
    raised: whatever stops the run is a BrokenOff, which is returned.

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
    """Return whether another look may help: one after a lost answer, and some as long as others are
    faster."""
    is_known = isinstance(broken.cause, ServiceError) and not broken.cause.maybe_applied
    return broken.needs_reread and (looks == 0 or (looks < MOST_LOOKS and is_known))


def _apply(
    plan: Plan, plan_again: Callable[[], Plan], client: Client, warn: Warn, looks: int = 0
) -> Applied:
    try:
        sent = apply_plan(plan, client, warn)
        return Applied(plan.operations, sent.after(plan), made=sent.made)
    except BrokenOff as exc:
        first = exc
    if not _may_look(first, looks):
        raise first
    try:
        rest = plan_again()
    except Exception as exc:
        raise BrokenOff(exc, first.done, first.left, first.unknown) from first.cause
    needed = {item.target for item in rest.operations}
    done = first.done + tuple(item for item in first.unknown if item.target not in needed)
    try:
        applied = _apply(rest, plan_again, client, warn, looks + 1)
    except BrokenOff as second:
        _warn_of_refusals(first, needed, warn, second.cause)
        # What Cloudflare has begun may end after it was read, and after its repetition was refused.
        begun = {i.target for i in first.unknown if i.resource.write_for(i.action).operation}
        left = [item for item in second.left if item.target not in begun]
        unknown = [*second.unknown, *(item for item in second.left if item.target in begun)]
        raise BrokenOff(second.cause, done + second.done, left, unknown) from first.cause
    _warn_of_refusals(first, needed, warn)
    return Applied(done + applied.operations, applied.state, made=applied.made | first.made)


def _warn_of_refusals(
    first: BrokenOff,
    needed: AbstractSet[object],
    warn: Warn,
    refusal: ProtectionError | None = None,
) -> None:
    """Warn of each refusal but the one that is said already, with what the second look found."""
    by_answer: dict[Hashable, list[Operation]] = {}
    for operation, error in first.refusals.items():
        by_answer.setdefault(error.answer, []).append(operation)
    for answer, operations in by_answer.items():
        if isinstance(refusal, ServiceError) and refusal.answer == answer:
            continue
        converged = [item.label for item in operations if item.target not in needed]
        planned = [item.label for item in operations if item.target in needed]
        sentences = [first.refusals[operations[0]].message]
        if converged:
            labels = first_few(converged)
            sentences.append(f"The module read again and found {labels} as desired.")
        if planned:
            sentences.append(f"The module read again and planned {first_few(planned)} again.")
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
    """Settle all that others wrote while a plan was applied, by second plans; raises BrokenOff, and
    nothing else, since the plan is applied.

    `state_after` returns the state that the task makes of another one. `check` raises
    ProtectionError for a second plan that must not be applied.
    """
    left: Sequence[Operation] = ()
    meanwhile: Meanwhile | None = None
    try:
        meanwhile = Meanwhile(client, warn, plan, applied)
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


class Meanwhile:
    """The time between the reading of a plan and the end of its application; `applied` is what it
    has become, with all second plans so far."""

    def __init__(self, client: Client, warn: Warn, plan: Plan, applied: Applied) -> None:
        self.applied = applied
        self._client, self._warn, self._plan = client, warn, plan
        self._said: set[str] = set()
        self._theirs: dict[str, Sequence[int]] = {}  # versions that others wrote, by plural
        self._own = {item.target for item in (*plan.operations, *applied.operations)}
        self._wanted: dict[str, dict[Key, Object]] = {}  # by plural
        self._to_read: dict[str, Resource] = {}
        self._left: dict[str, AbstractSet[Key]] = {}  # keys of what others left, by plural
        after: dict[str, dict[Key, Object]] = {}
        for item in applied.operations:
            resource, plural = item.resource, item.resource.plural
            if not resource.has_duplicates or item.action == "update":
                continue
            if plural not in after:
                after[plural] = {resource.key_of(obj): obj for obj in applied.state[plural]}
            if item.key in after[plural]:  # created, or a duplicate of it is deleted
                self._wanted.setdefault(plural, {})[item.key] = after[plural][item.key]
                self._to_read[plural] = resource

    def second_plan(self, state_after: Callable[[State], State]) -> Plan:
        """The plan that settles what others wrote; without operations if there is nothing.

        `state_after` returns the state that the task makes of another one.
        """
        seconds = list(self._of_collections())
        overtaken = self._overtaken_lists()
        if overtaken:
            left_by_others = self._as_others_left(overtaken)
            try:
                target = state_after({**self._plan.before, **self.applied.state, **left_by_others})
            except Exception as exc:
                unsettled = [item for _resource, second in seconds for item in second.operations]
                unsettled += self._not_put_back(overtaken, left_by_others)
                done = self.applied.operations
                raise BrokenOff(exc, done, unsettled, (), advice=NOT_PUT_BACK) from exc
            seconds += self._of_lists(overtaken, left_by_others, target)
        for text in (text for _resource, one in seconds for text in one.remarks):
            self._say(text)
        before = {**self._plan.before, **self.applied.state}
        order = {resource.plural: one.order for resource, one in seconds if one.order}
        operations = tuple(item for _resource, one in seconds for item in one.operations)
        ordered = tuple(sorted(operations, key=lambda item: PHASES.index(item.action)))
        return Plan(before, ordered, order, unread=self._plan.unread)

    def apply(self, plan: Plan) -> None:
        """Apply a second plan; raises BrokenOff.

        If somebody else was faster, the next second plan begins with a new look.
        """
        single = (one.resource for one in plan.operations if not one.resource.is_ordered)
        self._to_read = {resource.plural: resource for resource in single}
        applied = self.applied
        put_back = tuple(item for item in plan.operations if self._is_put_back(item))
        try:
            sent = apply_plan(plan, self._client, self._warn)
        except BrokenOff as exc:
            if not exc.needs_reread:
                done = (*applied.operations, *exc.done)
                raise BrokenOff(exc.cause, done, exc.left, exc.unknown) from exc
            self.applied = applied._replace(made=applied.made | exc.made)
            try:
                for resource in self._client.written.values():
                    self._client.read(resource)
            except ServiceError as unread:
                raise BrokenOff(unread, applied.operations, exc.left, exc.unknown) from exc
            return
        self.applied = applied._replace(
            state=sent.after(plan),
            made=applied.made | sent.made,
            put_back=applied.put_back + put_back,
        )

    def _of_collections(self) -> Iterator[tuple[Resource, Second]]:
        """The operations for collections that take an object twice, each read again."""
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
            state = _in_order(listing, self.applied.state[plural])
            self.applied = self.applied._replace(state={**self.applied.state, plural: state})
            wanted, made = self._wanted[plural], self.applied.made
            yield resource, without_own_duplicates(resource, wanted, made, state, before)

    def _overtaken_lists(self) -> dict[str, Resource]:
        """The ordered lists that others wrote, by plural; from now on, `applied` has their last
        version."""
        overtaken: dict[str, Resource] = {}
        last_versions: dict[str, Sequence[Object]] = {}
        for plural, resource in self._client.written.items():
            if self._is_overtaken(resource):
                overtaken[plural] = resource
                last_versions[plural] = self._versions(plural)[-1].objects
        self.applied = self.applied._replace(state={**self.applied.state, **last_versions})
        return overtaken

    def _as_others_left(self, overtaken: Mapping[str, Resource]) -> dict[str, Sequence[Object]]:
        """The objects of ordered lists, by plural, as others left them."""
        left_by_others: dict[str, Sequence[Object]] = {}
        for plural, resource in overtaken.items():
            versions, own_keys = self._versions(plural), self._own_keys(plural)
            left_by_others[plural] = as_others_left(resource, versions, own_keys)
        return left_by_others

    def _own_keys(self, plural: str) -> set[Key]:
        """The keys of the objects in a list that this run has changed."""
        return {key for name, key in self._own if name == plural}

    def _not_put_back(
        self, overtaken: Mapping[str, Resource], left_by_others: Mapping[str, Sequence[Object]]
    ) -> list[Operation]:
        """The operations that would put back what others changed, if no plan can be made for them;
        says which versions this run replaced."""
        operations: list[Operation] = []
        for plural, resource in overtaken.items():
            existing = self.applied.state[plural]
            changes = putting_back(resource, existing, left_by_others[plural]).operations
            lost = [item for item in changes if item.target not in self._own]
            operations += lost
            self._say(joined(" ", (self._replaced(resource), _lost_changes(lost))))
            for sentence in self._changed_by_both(resource, left_by_others[plural]):
                self._say(sentence)
        return operations

    def _changed_by_both(
        self, resource: Resource, left_by_others: Sequence[Object]
    ) -> Sequence[str]:
        """A sentence for each object that another writer changed, and this run as well."""
        plural, key_of = resource.plural, resource.key_of
        own_keys = self._own_keys(plural)
        stays = [obj for obj in self.applied.state[plural] if key_of(obj) in own_keys]
        stays += [obj for obj in left_by_others if key_of(obj) not in own_keys]
        return overwritten(resource, self._versions(plural), stays, own_keys)

    def _of_lists(
        self,
        overtaken: Mapping[str, Resource],
        left_by_others: Mapping[str, Sequence[Object]],
        target: State,
    ) -> Iterator[tuple[Resource, Second]]:
        """The operations that make ordered lists what the task makes of what others left."""
        for plural, resource in overtaken.items():
            second = putting_back(resource, self.applied.state[plural], target[plural])
            versions, own_keys = self._versions(plural), self._own_keys(plural)
            remarks = overwritten(resource, versions, target[plural], own_keys)
            self._left[plural] = {resource.key_of(obj) for obj in left_by_others[plural]}
            put_back = [item for item in second.operations if self._is_put_back(item)]
            if put_back:
                remarks.insert(0, self._put_back(resource, put_back))
            yield resource, second._replace(remarks=remarks)

    def _is_put_back(self, item: Operation) -> bool:
        """Return whether an operation brings back what others did: not the deletion by a purge of
        what they added."""
        left = self._left.get(item.resource.plural, ())
        return item.resource.is_ordered and not (item.action == "delete" and item.key in left)

    def _versions(self, plural: str) -> list[Version]:
        versions = self._client.versions[plural]
        return [
            Version(versions.known[number], number in versions.own)
            for number in sorted(versions.known)
        ]

    def _is_overtaken(self, resource: Resource) -> bool:
        """Return whether others wrote versions of a list that this run has not seen; they are read
        now."""
        versions = self._client.versions[resource.plural]
        numbers = versions.unknown
        # A second plan that was refused has read a version of others behind those of this run.
        others = [number for number in versions.known if number not in versions.own]
        is_last = len(others) < 2 or not versions.own or max(versions.known) in versions.own
        if is_last and not numbers:
            return False
        read_version = self._client.read_version
        try:
            read = list(concurrently(lambda number: read_version(resource, number), numbers))
        except ServiceError as exc:
            first, last = min(versions.known), max(versions.known)
            versions.known = {last: versions.known[last]}
            self._say(
                f"The module read version {first} of the {resource.titles} and wrote version"
                f" {last}; another writer made {_named(numbers)}, which cannot be read:"
                f" {exc.message} A change of that writer may be lost."
            )
            return False
        versions.known.update(zip(numbers, read))
        self._theirs[resource.plural] = numbers or [max(versions.known)]
        return True

    def _put_back(self, resource: Resource, operations: Sequence[Operation]) -> str:
        labels = first_few(f"{item.action} {item.label}" for item in operations)
        return f"{self._replaced(resource)} The module puts back what that changed: {labels}."

    def _replaced(self, resource: Resource) -> str:
        """A sentence on the versions of others that this run has replaced."""
        return (
            f"Another writer made {_named(self._theirs[resource.plural])} of the {resource.titles},"
            f" which this run replaced by version {self._client.version(resource)}."
        )

    def _say(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._warn(text)


def _lost_changes(operations: Sequence[Operation]) -> str:
    """A sentence on the changes of others that no second plan puts back."""
    if not operations:
        return "Changes of that writer may be lost."
    labels = first_few(f"{item.action} {item.label}" for item in operations)
    return f"The module does not put back what that changed: {labels}."


def _named(numbers: Sequence[int]) -> str:
    """Numbers of versions in a sentence."""
    if len(numbers) == 1:
        return f"version {numbers[0]}"
    return f"the versions {numbers[0]} to {numbers[-1]}"


def _in_order(listing: Sequence[Object], before: Sequence[Object]) -> list[Object]:
    """A listing in the order of an earlier one; new objects last."""
    places = {str(obj.get("id")): index for index, obj in enumerate(before)}
    return sorted(listing, key=lambda obj: places.get(str(obj.get("id")), len(places)))
