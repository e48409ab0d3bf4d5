# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What must change so that the live state meets the wishes: pure functions, from data to data.

A plan knows the whole state of its collections before and after, so that whatever judges a change
(its diff today, its coverage and risks) is computed from the plan alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

from .declaration import Field, Key, Object, Resource, State
from .errors import PlanError
from .wishes import Values, Wishes

PHASES = ("create", "update", "delete")  # nothing is removed before what replaces it is there
SAFE_ID = re.compile(r"[0-9A-Za-z_-]+")


@dataclass(frozen=True, eq=False)
class Operation:
    """One change of one object.

    `fields` are those sent: all of a new object, the changed ones of a live object, none of one that goes.
    """

    action: str
    resource: Resource
    fields: Values
    live: Object | None = None

    @property
    def foreseen(self) -> Object | None:
        """The object afterwards, as far as it can be known; None when it is gone."""
        if self.action == "delete":
            return None
        return self.resource.settle(overlay(self.live or {}, self.fields), self.fields)

    @property
    def key(self) -> Key:
        """What identifies the object, by meaning."""
        return self.resource.key_of(self.live or self.fields)

    @property
    def order(self) -> tuple[str, Key, str, str]:
        """Sorts operations alike whatever the order of the input; twins by their ids."""
        return (self.resource.plural, self.key, self.label, str((self.live or {}).get("id")))

    @property
    def label(self) -> str:
        """The key as people read it."""
        return self.resource.label_of(self.live or self.fields)


Answers = Mapping[Operation, Object]  # what the service said an object became


@dataclass(frozen=True)
class Plan:
    """The operations, in the order in which they are applied, and the state that they start from."""

    before: State
    operations: tuple[Operation, ...]

    def after(self, answers: Answers | None = None) -> State:
        """The state afterwards; an operation without an answer counts as carried out as foreseen."""
        told = answers or {}
        state = {plural: list(objects) for plural, objects in self.before.items()}
        for plural, objects in state.items():
            operations = [operation for operation in self.operations if operation.resource.plural == plural]
            touched = {id(operation.live): operation for operation in operations if operation.live is not None}
            outcomes = [_outcome(touched[id(item)], told) if id(item) in touched else item for item in objects] + [
                _outcome(operation, told) for operation in operations if operation.live is None
            ]
            state[plural] = [item for item in outcomes if item is not None]
        return state


def _outcome(operation: Operation, answers: Answers) -> Object | None:
    return None if operation.action == "delete" else answers.get(operation, operation.foreseen)


Step = Callable[[Resource, Optional[Object], Values], Values]


def as_wished(resource: Resource, live: Object | None, values: Values) -> Values:
    """The step that takes a wish as it is."""
    return values


def make_plan(before: State, wishes: Sequence[Wishes], step: Step = as_wished) -> Plan:
    """Reconcile several collections at once; where phases allow, in the order of the wishes.

    `step` takes the resource, the live object or None, and the wanted values, and returns those wanted for now.
    Raises PlanError where a wish cannot be met without guessing: a rule that must exist and does not, twins.
    """
    operations: list[Operation] = []
    for wish in wishes:
        # Networks sort before their subsets: an exclusion comes after what it is excluded from, and goes before it.
        changes = sorted(_reconcile(wish, before[wish.resource.plural], step), key=lambda item: item.order)
        operations += [item for item in changes if item.action != "delete"]
        operations += [item for item in reversed(changes) if item.action == "delete"]
    return Plan(before, tuple(sorted(operations, key=lambda item: PHASES.index(item.action))))


def _reconcile(wishes: Wishes, live: Sequence[Object], step: Step) -> list[Operation]:
    resource = wishes.resource
    found: dict[Key, list[Object]] = {}
    for item in live:
        found.setdefault(resource.key_of(item), []).append(item)
    operations: list[Operation] = []
    surplus: list[Object] = []
    missing: list[str] = []
    for key, values in wishes.wanted.items():
        matches = found.get(key, [])
        if wishes.absent:
            surplus.extend(matches)
        elif matches:
            kept, twins = _kept(wishes, values, matches)
            surplus.extend(twins)
            fields = differences(resource.fields, kept, step(resource, kept, values))
            operations.extend([_on_live("update", resource, kept, fields)] if fields else [])
        elif resource.create:
            first = {**resource.defaults(), **step(resource, None, values)}
            operations.append(Operation("create", resource, resource.managed(first)))
        else:
            missing.append(resource.label_of(values))
    if missing:
        raise PlanError(
            "There is no {} with the id {}. Correct the id, or remove the entry.".format(
                resource.title, ", ".join(missing)
            )
        )
    if wishes.exact:
        surplus.extend(item for key, items in found.items() if key not in wishes.wanted for item in items)
    return operations + [_on_live("delete", resource, item, {}) for item in surplus]


def _kept(wishes: Wishes, values: Values, matches: Sequence[Object]) -> tuple[Object, Sequence[Object]]:
    """Which of several twins stays: the one that needs the fewest changes, the oldest of them."""
    resource = wishes.resource
    if len(matches) > 1 and not wishes.exact:
        raise PlanError(
            "The service holds {} {} more than once (ids {}). Remove all but one of them, as purge does, or all of "
            "them with state absent.".format(
                resource.title,
                resource.label_of(values),
                ", ".join(sorted(str(item.get("id")) for item in matches)),
            )
        )

    def preference(item: Object) -> tuple[int, str, str]:
        changes = differences(resource.fields, item, values)
        return (len(changes), str(item.get("created_on")), str(item.get("id")))

    kept, *twins = sorted(matches, key=preference)
    return kept, twins


def _on_live(action: str, resource: Resource, live: Object, fields: Values) -> Operation:
    """A change at an object's own path, which must not turn into the path of the whole collection."""
    if resource.key and not SAFE_ID.fullmatch(str(live.get("id") or "")):
        raise PlanError(
            "The service lists {} {} with the id {!r}, which cannot be part of a path. "
            "Report this to the service's support.".format(resource.title, resource.label_of(live), live.get("id"))
        )
    return Operation(action, resource, fields, live)


def differences(fields: Iterable[Field], live: Object | None, wanted: Values) -> dict[str, Any]:
    """The wanted values whose meaning differs from the live ones; of a nested object the differing part."""
    changed: dict[str, Any] = {}
    for item in fields:
        if item.name not in wanted:
            continue
        if item.fields:
            part = _nested_differences(item, (live or {}).get(item.name), wanted[item.name])
            changed.update({item.name: part} if part else {})
        elif item.meaning(live) != item.meaning(wanted):
            changed[item.name] = wanted[item.name]
    return changed


def _nested_differences(item: Field, live: Any, wanted: Values) -> Values:
    part = differences(item.fields, live if isinstance(live, Mapping) else {}, wanted)
    return wanted if "id" in part else part  # with another id it is another object


def overlay(live: Object, changes: Values) -> dict[str, Any]:
    """The live object with the changes laid over it."""
    merged = dict(live)
    for name, value in changes.items():
        held = live.get(name)
        same = isinstance(value, Mapping) and isinstance(held, Mapping) and "id" not in value
        merged[name] = overlay(held, value) if same else value  # type: ignore[arg-type]
    return merged
