# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes as data: operations, and the plan that they make.

A plan knows the whole state of its collections before and after, so that whatever judges a change
(its diff today, its coverage and risks) is computed from the plan alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Sequence

from .declaration import Field, Key, Object, Resource, State
from .wishes import Values


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
        return self.resource.settle(overlay(self.resource.fields, self.live or {}, self.fields), self.fields)

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
    order: Mapping[str, Sequence[Key]] = field(default_factory=dict)  # by plural, where the order of a list matters

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
            if operations and plural in self.order:
                places = {key: place for place, key in enumerate(self.order[plural])}
                state[plural].sort(key=lambda item: places[operations[0].resource.key_of(item)])
        return state


def _outcome(operation: Operation, answers: Answers) -> Object | None:
    return None if operation.action == "delete" else answers.get(operation, operation.foreseen)


def differences(fields: Iterable[Field], live: Object | None, wanted: Values) -> dict[str, Any]:
    """The wanted values whose meaning differs from the live ones; of a nested object the differing part."""
    changed: dict[str, Any] = {}
    for item in fields:
        if item.name not in wanted:
            continue
        if item.name in (live or {}) and (live or {})[item.name] == wanted[item.name]:
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


def overlay(fields: Iterable[Field], live: Object, changes: Values) -> dict[str, Any]:
    """The live object with the changes laid over it; a nested object with another id is another object."""
    merged = {**live, **changes}
    for item in fields:
        held, value = live.get(item.name), changes.get(item.name)
        if item.fields and isinstance(held, Mapping) and isinstance(value, Mapping) and "id" not in value:
            merged[item.name] = overlay(item.fields, held, value)
    return merged
