# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The findings on a task that follow from its options alone, as if its account or zone were empty:
what is wrong, and what cannot work. Nothing is read."""

from __future__ import annotations

import os
from copy import copy
from datetime import datetime, timezone
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

from .._arguments import ReadOptions
from .._context import Context
from .._errors import OptionError, PlanError, ProtectionError
from .._plan.desired import Desired, Presence
from .._plan.plan import Operation
from .._plan.reconcile import creation, make_plan
from .._protection.covering import NEVER
from .._protection.ineffective import ineffective_in
from .._result import with_options
from .._schema.lists import LISTS
from .._schema.neighbours import ZONE
from .._schema.quotas import QUOTAS, Quota, quota_of
from .._schema.registry import evaluated_as, title_of_resource
from .._schema.resource import Key, Object, Resource, State
from .._schema.zone import plan_of
from .._specs.base import ModuleSpec, argument_spec
from .._specs.task import Task, option_errors, parse_task
from .._text import Message, Option, did_you_mean

MOST_ROUNDS = 3  # since options may be wrong because an entry is left out
NOTHING_READ = "Nothing is read."
PLAN_OF_INVENTORY = "edge_zone_plan"  # a variable


class Findings(NamedTuple):
    """The errors in the options of a task, and its `doubts`: what no run refuses, and is probably
    not meant."""

    errors: Sequence[OptionError]
    doubts: Sequence[OptionError] = ()


def findings_alone(spec: ModuleSpec, options: ReadOptions, context: Context) -> Findings:
    """The findings on a task with these options. Entries with an error are left out when the
    remaining ones are judged."""
    errors = option_errors(spec, options, context)
    wrong = errors
    for _round in range(MOST_ROUNDS):
        if not wrong:
            task = parse_task(spec, options, os.environ, _ignored, context)
            found = _Described.of_task(task)
            return Findings(_each_once([*errors, *found.errors()]), _each_once(found.doubts()))
        options = _without_entries(spec, options, wrong)
        wrong = option_errors(spec, options, context)
    return Findings(errors)


def _ignored(_warning: str) -> None:
    """Show no doubt about the connection, which is not used."""


def _each_once(errors: Iterable[OptionError]) -> Sequence[OptionError]:
    distinct = {error.message: error for error in errors}
    return [*distinct.values()]


def _without_entries(
    spec: ModuleSpec, options: ReadOptions, errors: Iterable[OptionError]
) -> ReadOptions:
    """The options without the entries of lists in which these errors are, the innermost ones; an
    error in no list leaves the default of its option."""
    arguments = argument_spec(spec)
    remaining = options.with_nulls()
    for error in errors:
        path = error.option.path
        if path and not _left_out(remaining, path):
            name = str(path[0])
            remaining[name] = arguments.get(name, {}).get("default")
    return ReadOptions(remaining)


def _left_out(container: Any, path: Sequence[Any]) -> bool:
    """Put null into the place of the innermost dictionary in a list on the path to a value, and
    return whether there is one. The containers around it become copies, so that the task keeps its
    own values."""
    step, *further = path
    try:
        inner = container[step]
    except LookupError:  # of a field that does not exist, or a choice that is left out
        return False
    if inner is not None and further:
        container[step] = inner.with_nulls() if isinstance(inner, ReadOptions) else copy(inner)
        if _left_out(container[step], further):
            return True
    if isinstance(step, int) and (inner is None or isinstance(inner, Mapping)):
        container[step] = None
        return True
    return False


class _Described(NamedTuple):
    """The objects that a task creates in an empty account or zone: for each desired collection, the
    operations by key."""

    task: Task
    created: Sequence[tuple[Desired, Mapping[Key, Operation]]]

    @classmethod
    def of_task(cls, task: Task) -> _Described:
        """The objects that a task creates now, by the clock of this machine."""
        desired = task.at(datetime.now(timezone.utc)).desired
        return cls(task, [(collection, _creations(collection)) for collection in desired])

    def errors(self) -> Iterator[OptionError]:
        """The errors of objects that the plan of the zone does not include, if the inventory knows
        that plan."""
        quota = quota_of(self.task.context.host.zone)
        if quota:
            for collection, created in self.created:
                yield from _errors_beyond_quota(quota, collection, created)

    def doubts(self) -> Iterator[OptionError]:
        """The doubts about values, about single objects, and about objects that cannot work."""
        of_values = [_about_option(warning) for warning in self.task.warnings]
        yield from of_values
        yield from _doubts_about_plan(self.task.context.host.zone)
        for collection, created in self.created:
            for key, operation in created.items():
                reasons = _reasons_to_doubt(collection.resource, operation)
                for reason in reasons:
                    yield OptionError(collection.paths[key], reason)
        yield from self._ineffective([doubt.option for doubt in of_values])

    def _ineffective(self, odd_values: Sequence[Option]) -> Iterator[OptionError]:
        """The objects that cannot work, whatever else the account or zone has. An object that
        matches nothing because of one of the `odd_values` is told with that value alone."""
        state = self._state()
        described = [collection for collection, _created in self.created]
        brings = self.task.context.brings if self.task.context.postures.entries else None
        records = ineffective_in(state, described, False, _read_nothing, brings)
        result = with_options({"ineffective": records or []}, described)
        for record in result["ineffective"]:
            option = _option_in(record["option"])
            if record["kind"] == NEVER and any(value.lies_in(option) for value in odd_values):
                continue
            title = title_of_resource(record["resource"])
            reason = f"the {title} {record['key']} cannot work: {record['reason']}"
            yield OptionError(option, reason)

    def _state(self) -> State:
        """The state after the task has created its objects; a collection is left out if that needs
        objects that the task does not describe."""
        by_plural: dict[str, list[Desired]] = {}
        for collection, created in self.created:
            invalid = {key for key in created if _refusal(collection.resource, created[key])}
            keys = collection.entries.keys() - invalid
            by_plural.setdefault(collection.resource.plural, []).append(collection.only(keys))
        zone = self.task.context.host.zone
        state: dict[str, Sequence[Object]] = {ZONE.plural: [zone]} if zone else {}
        for plural, collections in by_plural.items():
            if any(map(_may_have_more, collections)):
                continue
            try:
                state[plural] = make_plan({plural: ()}, collections).after()[plural]
            except PlanError:  # such as a position beside a rule that others made
                continue
        return state


def _creations(desired: Desired) -> Mapping[Key, Operation]:
    """The operations that create the desired objects that must exist."""
    resource, defaults = desired.resource, desired.resource.defaults()
    creations: dict[Key, Operation] = {}
    for key, wanted in desired.in_order():
        if wanted.presence is Presence.NEEDED and resource.create:
            creations[key] = creation(resource, {**defaults, **wanted.values})
    return creations


def _doubts_about_plan(zone: Object) -> Iterator[OptionError]:
    """A doubt about a plan that the inventory names for the zone, if it is not known."""
    plan = plan_of(zone)
    if plan and not quota_of(zone):
        hint = did_you_mean(plan, QUOTAS)
        problem = f"the plan {plan!r} is not known{hint}, so that nothing is compared with it"
        yield OptionError(Option(PLAN_OF_INVENTORY), problem)


def _errors_beyond_quota(
    quota: Quota, desired: Desired, created: Mapping[Key, Operation]
) -> Iterator[OptionError]:
    """The errors of objects that a zone with this quota does not take: the first one that is too
    many, and each one with a feature that the plan of the zone lacks."""
    subject = f"the plan {quota.title} of the zone"
    resource = evaluated_as(desired.resource)
    most = quota.rules.get(resource.plural, len(created))
    for key in [*created][most : most + 1]:
        titles = resource.titles if most > 1 else resource.title
        problem = f"{subject} takes {most} {titles}, and {len(created)} are described"
        yield OptionError(desired.paths[key], problem)
    for key, operation in created.items():
        for feature in sorted(quota.lacks(resource, operation.planned or {})):
            yield OptionError(desired.paths[key], f"{subject} does not have {feature}")


def _may_have_more(desired: Desired) -> bool:
    """Return whether a list of items may have items that the task does not describe, which decide
    about the rules that name the list."""
    return desired.resource.parent is LISTS and not desired.exclusive


def _refusal(resource: Resource, operation: Operation) -> str:
    """The reason why Cloudflare would refuse to create an object; empty if there is none."""
    return resource.semantics.invalid_reason(operation.planned or {})


def _reasons_to_doubt(resource: Resource, operation: Operation) -> Iterator[str]:
    """The reasons why an object is probably a mistake."""
    refusal = _refusal(resource, operation)
    if refusal:
        yield f"a new {operation.title} is refused, since it {refusal}"
    unusual = resource.semantics.unusual(operation.planned or {})
    if unusual:
        yield f"is this meant? The {operation.title} {unusual}"


def _read_nothing(_resource: Resource) -> Sequence[Object]:
    """Raise ProtectionError: what the account has besides is not known."""
    raise ProtectionError(NOTHING_READ)


def _about_option(warning: str) -> OptionError:
    """A warning that begins with its option, as an error about this option."""
    option, *problem = Message(warning).parts
    if not isinstance(option, Option):
        return OptionError(Option(), warning)
    return OptionError(option, Message(*problem).lstrip(": "))


def _option_in(message: Message | None) -> Option:
    """The option that a message consists of; an empty option if there is none."""
    parts = message.parts if message else ()
    return next((part for part in parts if isinstance(part, Option)), Option())
